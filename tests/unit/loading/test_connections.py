"""Loading edges between several pairs of tables."""

import json
from pathlib import Path
from typing import Any

import pytest
from fakes.cookbook import cookbook_contract
from fakes.records import SourceRecords, enriched, read_records

from moviegraph.contract.model import Contract
from moviegraph.engines.graph_records import EdgeRecord
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ColumnMap, ListColumn, read_column_map
from moviegraph.loading.row_validation import Reason, Rejects


@pytest.fixture(scope="module")
def contract() -> Contract:
    return cookbook_contract()


def node(kind: str, key: int, name: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "id": key, "name": name, "content": f"{name}.", **more}


NODES = [
    node("Recipe", 1, "Pesto", vegan=False, vegetarian=True),
    node("Ingredient", 1, "Basil"),
    node("Ingredient", 2, "Pecorino"),
    node("Region", 1, "Liguria"),
    node("Region", 2, "Lazio"),
]


def read_folder(
    folder: Path, contract: Contract, *edges: dict[str, Any]
) -> tuple[SourceRecords, Rejects]:
    lines = "".join(json.dumps(row) + "\n" for row in (*NODES, *edges))
    (folder / "all.jsonl").write_text(lines, encoding="utf-8")
    rejects = Rejects()
    return read_records(folder, contract, rejects), rejects


@pytest.mark.parametrize(
    ("edge", "record"),
    [
        pytest.param(
            {"kind": "COMES_FROM", "from_kind": "Ingredient", "from": 2, "to": 2},
            EdgeRecord("COMES_FROM", 2, 2, 1),
            id="one end decides",
        ),
        pytest.param(
            {"kind": "comes_from", "from_kind": "recipe", "to_kind": "REGION", "from": 1, "to": 1},
            EdgeRecord("COMES_FROM", 1, 1, 0),
            id="both ends said, in any case",
        ),
        pytest.param(
            {"kind": "GOES_WITH", "to_kind": "Ingredient", "from": 1, "to": 2},
            EdgeRecord("GOES_WITH", 1, 2, 1),
            id="the end of nodes of one kind",
        ),
        pytest.param(
            {"kind": "NEEDS", "from": 1, "to": 1, "grams": 60},
            EdgeRecord("NEEDS", 1, 1, 0, (60,)),
            id="one pair needs no kinds",
        ),
    ],
)
def test_the_kinds_at_the_ends_say_which_pair_is_meant(
    tmp_path: Path, contract: Contract, edge: dict[str, Any], record: EdgeRecord
) -> None:
    records, rejects = read_folder(tmp_path, contract, edge)
    assert not rejects.counts
    assert records.edges == [record]


@pytest.mark.parametrize(
    ("edge", "reason", "edge_spec"),
    [
        pytest.param(
            {"kind": "COMES_FROM", "from": 1, "to": 1},
            Reason.MISSING,
            "the field from_kind is missing; COMES_FROM connects Recipe to Region, Ingredient to "
            "Region",
            id="either pair",
        ),
        pytest.param(
            {"kind": "COMES_FROM", "from_kind": "Region", "from": 1, "to": 1},
            Reason.UNKNOWN_KIND,
            "COMES_FROM connects Recipe to Region, Ingredient to Region, not Region to None",
            id="no pair",
        ),
        pytest.param(
            {"kind": "NEEDS", "to_kind": "Region", "from": 1, "to": 1},
            Reason.UNKNOWN_KIND,
            "NEEDS connects Recipe to Ingredient, not None to Region",
            id="another kind than the only one",
        ),
        pytest.param(
            {"kind": "GOES_WITH", "from_kind": "Recipe", "from": 2, "to": 1},
            Reason.NO_SUCH_NODE,
            "the field from is 2, which is not a loaded Recipe",
            id="a node of the other kind",
        ),
    ],
)
def test_an_edge_that_fits_no_pair_is_set_aside(
    tmp_path: Path, contract: Contract, edge: dict[str, Any], reason: Reason, edge_spec: str
) -> None:
    records, rejects = read_folder(tmp_path, contract, edge)
    assert records.edges == []
    assert dict(rejects.counts) == {reason: 1}
    assert rejects.first[0].message == edge_spec


def test_edges_of_two_pairs_with_the_same_ids_are_two_edges(
    tmp_path: Path, contract: Contract
) -> None:
    ends = {"kind": "COMES_FROM", "from": 1, "to": 1}
    kinds = ({"from_kind": "Recipe"}, {"from_kind": "Ingredient"})
    records, rejects = read_folder(tmp_path, contract, *(ends | kind for kind in kinds))
    assert not rejects.counts
    assert [edge.pair for edge in records.edges] == [0, 1]
    texts = {(n.kind, n.id): n.content for n in enriched(records.nodes, records.edges, contract)}
    assert texts["Recipe", 1] == "Pesto.\nRegion: Liguria."
    assert texts["Ingredient", 1] == "Basil.\nRegion: Liguria."
    assert texts["Ingredient", 2] == "Pecorino."


def read_listed(folder: Path, contract: Contract, kind: str, edge: str) -> SourceRecords:
    (folder / "own.csv").write_text(
        "id,name,content,vegan,vegetarian,family,more\n1,Pesto,Green sauce.,0,1,,Liguria\n",
        encoding="utf-8",
    )
    columns = ColumnMap(kind=kind, lists={"more": ListColumn(edge=edge, split=";")})
    return read_records(folder, contract, Rejects(), columns)


@pytest.mark.parametrize(("kind", "pair"), [("Recipe", 0), ("Ingredient", 1)])
def test_a_list_in_a_persons_own_table_takes_the_pair_of_that_table(
    tmp_path: Path, contract: Contract, kind: str, pair: int
) -> None:
    records = read_listed(tmp_path, contract, kind, "COMES_FROM")
    assert [(e.kind, e.source, e.pair) for e in records.edges] == [("COMES_FROM", 1, pair)]
    assert {node.kind for node in records.nodes} == {kind, "Region"}


def test_a_list_of_edges_to_the_same_table_is_refused(tmp_path: Path, contract: Contract) -> None:
    with pytest.raises(SourceError, match="GOES_WITH connects Recipe with itself"):
        read_listed(tmp_path, contract, "Recipe", "GOES_WITH")


NODE_FILES = {
    "recipes.csv": "id,name,content,vegan,vegetarian,family\n1,Pesto,Green.,0,1,\n",
    "ingredients.csv": "id,name,content,vegan,vegetarian,family\n1,Basil,A herb.,1,1,\n",
    "regions.csv": "id,name,content\n1,Liguria,A coast.\n",
}
NODE_MAPS = """
    tables."recipes.*" = { kind = "Recipe" }
    tables."ingredients.*" = { kind = "Ingredient" }
    tables."regions.*" = { kind = "Region" }
"""


def mapped(
    folder: Path, contract: Contract, table: str, edge_spec: str, rejects: Rejects | None = None
) -> SourceRecords:
    source_path = folder / "in"
    source_path.mkdir()
    for name, content in {**NODE_FILES, "origins.csv": table}.items():
        (source_path / name).write_text(content, encoding="utf-8")
    file = folder / "map.toml"
    file.write_text(f"{NODE_MAPS}\ntables.'origins.*' = {{ edge = 'COMES_FROM'{edge_spec} }}")
    columns = read_column_map(file)
    return read_records(source_path, contract, rejects or Rejects(), columns)


@pytest.mark.parametrize(
    ("table", "edge_spec", "pairs"),
    [
        pytest.param(
            "from,to\n1,1\n", ", from_kind = 'ingredient'", [1], id="one kind in all rows"
        ),
        pytest.param(
            "of,from,to\nIngredient,1,1\nrecipe,1,1\n",
            ", columns = { from_kind = 'of' }",
            [1, 0],
            id="a column",
        ),
        pytest.param("from_kind,from,to\nRecipe,1,1\n", "", [0], id="a column of that name"),
    ],
)
def test_a_map_of_edges_says_the_kinds_at_their_ends(
    tmp_path: Path, contract: Contract, table: str, edge_spec: str, pairs: list[int]
) -> None:
    records = mapped(tmp_path, contract, table, edge_spec)
    assert [(e.kind, e.source, e.target, e.pair) for e in records.edges] == [
        ("COMES_FROM", 1, 1, pair) for pair in pairs
    ]


@pytest.mark.parametrize(
    ("edge_spec", "says", "hint"),
    [
        pytest.param(
            ", from_kind = 'Receipe'", "COMES_FROM has no from_kind Receipe", "Recipe", id="kind"
        ),
        pytest.param(
            ", to_kind = 'Recipe'", "COMES_FROM has no to_kind Recipe", "Region", id="other end"
        ),
        pytest.param(
            ", from_kind = 'Recipe', columns = { from_kind = 'of' }",
            "from_kind must be a kind or a column, not both",
            "column_maps",
            id="both",
        ),
        pytest.param(
            ", columns = { from_kind = 'of' }",
            "no column of for the field from_kind",
            "column",
            id="column",
        ),
    ],
)
def test_a_wrong_kind_in_a_map_of_edges_is_reported(
    tmp_path: Path, contract: Contract, edge_spec: str, says: str, hint: str
) -> None:
    with pytest.raises(SourceError, match=says) as caught:
        mapped(tmp_path, contract, "from,to\n1,1\n", edge_spec)
    assert hint in f"{caught.value.message} {caught.value.hint}"


def test_a_mapped_edge_that_does_not_say_its_kinds_is_set_aside(
    tmp_path: Path, contract: Contract
) -> None:
    rejects = Rejects()
    records = mapped(tmp_path, contract, "of,from,to\n,1,1\n", "", rejects)
    assert records.edges == []
    assert dict(rejects.counts) == {Reason.MISSING: 1}
