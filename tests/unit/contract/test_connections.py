from pathlib import Path

import pytest
from fakes.cookbook import COOKBOOK, cookbook_contract

from moviegraph.contract.ddl import script
from moviegraph.contract.loader import load_contract
from moviegraph.contract.markdown import to_json, to_markdown
from moviegraph.contract.model import Contract
from moviegraph.errors import ContractError

HOME = 'connects = [["Recipe", "Region"], ["Ingredient", "Region"]]'


@pytest.fixture(scope="module")
def contract() -> Contract:
    return cookbook_contract()


def edited_contract(folder: Path, old: str, new: str) -> Contract:
    """Load the cookbook's contract with other words in contract.toml."""
    for path in (COOKBOOK / "contract").rglob("*.*"):
        place = folder / path.relative_to(COOKBOOK / "contract")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())
    toml = folder / "contract.toml"
    text = toml.read_text(encoding="utf-8")
    assert old in text
    toml.write_text(text.replace(old, new), encoding="utf-8")
    return load_contract(folder)


def test_an_edge_table_connects_several_pairs_of_tables(contract: Contract) -> None:
    home, goes_with = contract.edge("COMES_FROM"), contract.edge("goes_with")
    assert home is not None
    assert goes_with is not None
    assert [(connection.from_table, connection.to_table) for connection in home.connections] == [
        ("Recipe", "Region"),
        ("Ingredient", "Region"),
    ]
    assert [connection.ends for connection in goes_with.connections] == [{"Recipe"}, {"Ingredient"}]
    names = [edge.name for edge in contract.between("Ingredient", "Recipe")]
    assert names == ["NEEDS", "FINISHED_WITH"]
    touching = [edge.name for edge in contract.edges_of("region")]
    assert touching == ["COMES_FROM", "PART_OF"]


@pytest.mark.parametrize(
    ("new", "message"),
    [
        pytest.param('from = "Recipe"', "edges.COMES_FROM: set `from` and `to`", id="half"),
        pytest.param(f'{HOME}\nto = "Region"', "only `connects`", id="both ways"),
        pytest.param("connects = []", "set `from` and `to`", id="none"),
        pytest.param('connects = [["Recipe"]]', "edges.COMES_FROM.connects.0", id="no end"),
        pytest.param(
            'connects = [["Recipe", "Region"], ["Recipe", "Regoin"]]',
            "edges.COMES_FROM.connects: no node table 'Regoin'; did you mean 'Region'?",
            id="unknown table",
        ),
        pytest.param(
            'connects = [["Recipe", "Region"], ["Recipe", "Region"]]',
            "edges.COMES_FROM.connects: duplicate pair Recipe to Region",
            id="twice",
        ),
    ],
)
def test_what_an_edge_table_connects_is_checked(tmp_path: Path, new: str, message: str) -> None:
    with pytest.raises(ContractError) as caught:
        edited_contract(tmp_path, HOME, new)
    assert message in caught.value.message


def test_one_pair_may_be_written_either_way(tmp_path: Path, contract: Contract) -> None:
    ends = 'from = "Region"\nto = "Region"'
    same = edited_contract(tmp_path, ends, 'connects = [["Region", "Region"]]')
    assert same.edges == contract.edges
    assert same.hash == contract.hash
    other = edited_contract(tmp_path / "other", HOME, 'connects = [["Recipe", "Region"]]')
    assert other.hash != contract.hash


def test_the_constraint_on_sql_server_names_every_pair(contract: Contract) -> None:
    ddl_script = script(contract, 8)
    assert (
        "CONSTRAINT EC_COMES_FROM CONNECTION ([cookbook].[Recipe] TO [cookbook].[Region], "
        "[cookbook].[Ingredient] TO [cookbook].[Region]) ON DELETE NO ACTION" in ddl_script
    )
    assert "CONNECTION ([cookbook].[Region] TO [cookbook].[Region]) ON DELETE" in ddl_script


def test_the_texts_for_models_name_every_pair(contract: Contract) -> None:
    both = "- `Recipe-(COMES_FROM)->Region`, `Ingredient-(COMES_FROM)->Region`: the dish"
    assert both in to_markdown(contract, "edges")
    edges = {edge["name"]: edge for edge in to_json(contract)["edges"]}
    assert len(edges["COMES_FROM"]["pairs"]) == 2
    assert "from_table" not in edges["COMES_FROM"]
    assert (edges["NEEDS"]["from_table"], edges["NEEDS"]["to_table"]) == ("Recipe", "Ingredient")


def test_examples_are_shown_along_an_edge_of_the_first_table(contract: Contract) -> None:
    turned = contract.model_copy(update={"edges": contract.edges[::-1]})
    shown = turned.default_connection
    assert shown is not None
    assert "Recipe" in shown.ends


def test_where_an_edge_table_leads_from_a_table_is_known_with_its_place(
    contract: Contract,
) -> None:
    targets_from = contract.targets_from("ingredient")
    leading = {name: (at, edge.to_table) for name, (at, edge) in targets_from.items()}
    assert leading == {
        "COMES_FROM": (1, "Region"),
        "IN_SEASON": (0, "Season"),
        "GOES_WITH": (1, "Ingredient"),
        "REPLACES": (0, "Ingredient"),
    }
