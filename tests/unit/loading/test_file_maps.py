"""Several tables under one map: nodes and edges by file name, and names that mean one node."""

import os
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from fakes.records import SourceRecords, read_records
from fakes.sources import film, node, source
from fakes.toy_graph import toy_contract

from moviegraph.contract.loader import contract_of, load_contract
from moviegraph.contract.model import Contract
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import read_column_map
from moviegraph.loading.folder_loader import load
from moviegraph.loading.preparation import Preparation
from moviegraph.loading.row_validation import Reason, Rejects

MAP = """
absent = ["-"]

[tables."movies*.csv"]
kind = "Movie"
columns = { id = "movie_id", name = "title", content = "plot" }
lists = { themes = { edge = "INCLUDES_THEME", split = "|" } }

[tables."genres.csv"]
kind = "Genre"
columns = { id = "genre_id", name = "genre", content = "genre" }

[tables."movie_genres.csv"]
edge = "in_genre"
delimiter = ";"
columns = { from = "movie_id", to = "genre_id" }
"""
MOVIES = "movie_id,title,plot,themes\n"
FILES = {
    "movies_1.csv": f"{MOVIES}tt1,Alien,A crew.,Fear|Survival\n",
    "movies_2.csv": f"{MOVIES}tt2,Moon,A miner.,FEAR\n",
    "genres.csv": "genre_id,genre\n7,Horror\n8,Drama\n",
    "movie_genres.csv": "movie_id;genre_id\ntt1;7\ntt2;8.0\n",
}


@pytest.fixture(scope="module")
def contract() -> Contract:
    return load_contract()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    source_path = tmp_path / "in"
    source_path.mkdir()
    for name, content in FILES.items():
        (source_path / name).write_text(content)
    return source_path


def read_place(
    source_path: Path, contract: Contract, map_toml: str = MAP, rejects: Rejects | None = None
) -> SourceRecords:
    file = source_path.parent / "map.toml"
    file.write_text(map_toml)
    columns = read_column_map(file)
    return read_records(source_path, contract, rejects or Rejects(), columns)


def edges(records: SourceRecords) -> set[tuple[str, str, str]]:
    """Return the edges by the names of their ends."""
    ends = {edge.name: edge.pairs[0] for edge in load_contract().edges}
    names = {(node.kind, node.id): node.name for node in records.nodes}
    return {
        (names[ends[e.kind].from_table, e.source], e.kind, names[ends[e.kind].to_table, e.target])
        for e in records.edges
    }


def test_each_file_is_read_as_the_map_says_of_its_name(contract: Contract, folder: Path) -> None:
    records = read_place(folder, contract)
    assert edges(records) == {
        ("Alien", "IN_GENRE", "Horror"),
        ("Moon", "IN_GENRE", "Drama"),
        ("Alien", "INCLUDES_THEME", "Fear"),
        ("Alien", "INCLUDES_THEME", "Survival"),
        ("Moon", "INCLUDES_THEME", "Fear"),
    }
    assert {node.id for node in records.nodes if node.kind == "Genre"} == {7, 8}


def test_bad_records_of_a_table_of_edges_are_reported_by_line(
    contract: Contract, folder: Path
) -> None:
    rejects = Rejects(StringIO())
    (folder / "movie_genres.csv").write_text(
        "movie_id;genre_id\ntt1;7\ntt1;9\ntt3;7\ntt1;\n-;7\ntt1;7\ntt1;7;8\n"
    )
    assert len(read_place(folder, contract, rejects=rejects).edges) == 4
    assert [
        (reject.line, reject.reason) for reject in sorted(rejects.first, key=lambda e: e.line)
    ] == [
        (3, Reason.NO_SUCH_NODE),
        (4, Reason.NO_SUCH_NODE),
        (5, Reason.MISSING),
        (6, Reason.MISSING),
        (7, Reason.DUPLICATE_EDGE),
        (8, Reason.RAGGED),
    ]


def test_what_the_map_does_not_name_is_left_out_and_reported(
    contract: Contract, folder: Path, tmp_path: Path
) -> None:
    (folder / "ratings.csv").write_text("who,what\n1,2\n")
    read_place(folder, contract)
    columns = read_column_map(tmp_path / "map.toml")
    report = load(folder, tmp_path / "graph", contract, None, how=Preparation(columns=columns))
    assert report.notes == ("ratings.csv was not read, because the map does not name it.",)
    assert report.manifest.counts["Movie"] == 2


def test_json_lines_that_the_map_does_not_name_hold_nodes_and_edges(
    contract: Contract, folder: Path
) -> None:
    text = {"kind": "IN_GENRE", "from": 9, "to": 7}
    source(folder, [film(9, "Heat", "Two men."), text, node("Theme", 3, "fear")])
    records = read_place(folder, contract)
    assert ("Heat", "IN_GENRE", "Horror") in edges(records)
    assert ("Moon", "INCLUDES_THEME", "fear") in edges(records)


@pytest.mark.parametrize(
    "spelt",
    [
        pytest.param("Fear", id="as listed"),
        pytest.param(" FEAR", id="other case and spaces"),
        pytest.param("Fe\u0301ar", id="composed otherwise"),
    ],
)
@pytest.mark.parametrize("name", ["a.jsonl", "z.jsonl"])
def test_a_listed_name_is_the_node_of_that_name_at_any_position(
    contract: Contract, folder: Path, spelt: str, name: str
) -> None:
    if not spelt.isascii():
        (folder / "movies_2.csv").write_text(f"{MOVIES}tt2,Moon,A miner.,Féar\n")
        (folder / "movies_1.csv").write_text(f"{MOVIES}tt1,Alien,A crew.,\n")
    source(folder, [node("Theme", 40, spelt)], name)
    records = read_place(folder, contract)
    assert {node.id for node in records.nodes if node.name == spelt} == {40}
    assert ("Moon", "INCLUDES_THEME", spelt) in edges(records)
    fears = [node for node in records.nodes if node.kind == "Theme" and node.name != "Survival"]
    assert len(fears) == 1


def test_a_listed_name_never_takes_the_id_of_a_node_of_another_name(
    contract: Contract, folder: Path
) -> None:
    (folder / "movies_2.csv").write_text(f"{MOVIES}tt2,Moon,A miner.,1984|fear\n")
    source(folder, [node("Theme", 1984, "Robots"), node("Theme", "fear", "Terror")])
    records = read_place(folder, contract)
    themes = {node.name for node in records.nodes if node.kind == "Theme"}
    assert themes == {"Robots", "Terror", "1984", "Fear", "Survival"}
    assert ("Moon", "INCLUDES_THEME", "1984") in edges(records)
    assert ("Moon", "INCLUDES_THEME", "Terror") not in edges(records)


def test_edges_between_other_tables_than_those_of_films_are_mapped(tmp_path: Path) -> None:
    source_path = tmp_path / "in"
    source_path.mkdir()
    (source_path / "dishes.csv").write_text(
        "id,name,content,minutes,vegan,added\nr1,Soup,Boil it.,30,yes,2021-07-14\n"
    )
    (source_path / "kitchens.tsv").write_text("id\tname\tcontent\n1\tThai\tHot.\n")
    (source_path / "origins.json").write_text('[{"from": "r1", "to": 1}]')
    map_toml = """
        tables."dishes.*" = { kind = "Recipe" }
        tables."kitchens.*" = { kind = "Cuisine" }
        tables."origins.*" = { edge = "COMES_FROM" }
    """
    records = read_place(source_path, toy_contract(), map_toml)
    assert [(edge.kind, edge.target) for edge in records.edges] == [("COMES_FROM", 1)]


@pytest.mark.parametrize(
    ("map_toml", "says", "hint"),
    [
        pytest.param('tables."m*" = {edge = "IN_GENER"}', "no edge table", "IN_GENRE", id="edge"),
        pytest.param(
            'tables."movie_g*" = {edge = "IN_GENRE", columns = {form = "a"}}',
            "no field form",
            "from",
            id="end",
        ),
        pytest.param(
            'tables."movie_g*" = {edge = "IN_GENRE", delimiter = ";"}',
            "movie_genres.csv has no column from",
            "column",
            id="column",
        ),
        pytest.param('tables."film*" = {}', "no table matches it", "movies_1.csv", id="no file"),
        pytest.param(
            'kind = "Movie"\ntables."m*" = {}', "with tables, set kind", "column_maps", id="both"
        ),
        pytest.param('edge = "E"\nkind = "K"', "edge excludes", "column_maps", id="edge and kind"),
        pytest.param(
            'kind = "K"\nto_kind = "K"', "for a table of edges", "column_maps", id="kinds"
        ),
        pytest.param('tables.a.tables."m*" = {}', "tables is empty", "column_maps", id="nested"),
        pytest.param('tables.a.encoding = "cp9"', "cp9", "cp1252", id="encoding"),
    ],
)
def test_a_wrong_map_of_files_is_reported(
    contract: Contract, folder: Path, map_toml: str, says: str, hint: str
) -> None:
    with pytest.raises(SourceError, match=says) as caught:
        read_place(folder, contract, map_toml)
    assert hint in f"{caught.value.message} {caught.value.hint}"


def test_a_single_file_is_found_in_the_map_by_its_name(contract: Contract, folder: Path) -> None:
    map_toml = MAP[: MAP.index('[tables."genres')]
    records = read_place(folder / "movies_1.csv", contract, map_toml)
    assert [node.name for node in records.nodes if node.kind == "Movie"] == ["Alien"]


def _link(source_path: Path) -> None:
    (source_path.parent.parent / "elsewhere").write_text(FILES["movies_1.csv"])
    source_path.symlink_to(source_path.parent.parent / "elsewhere")


def _pipe(source_path: Path) -> None:
    os.mkfifo(source_path)


ODD = [
    pytest.param(_link, id="link"),
    pytest.param(Path.mkdir, id="folder"),
    pytest.param(_pipe, id="pipe", marks=pytest.mark.skipif(os.name == "nt", reason="no pipes")),
]


@pytest.mark.parametrize("make", ODD)
def test_what_is_no_file_of_the_folder_is_reported_rather_than_passed_over_or_followed(
    contract: Contract, folder: Path, make: Callable[[Path], None]
) -> None:
    make(folder / "movies_3.csv")
    with pytest.raises(SourceError, match=r"movies_3\.csv, which is a link, or no file"):
        read_place(folder, contract)


def test_hidden_files_of_a_folder_are_not_read(contract: Contract, folder: Path) -> None:
    (folder / ".movies_3.csv").write_text(f"{MOVIES}tt3,Hidden,A secret.,\n")
    names = {node.name for node in read_place(folder, contract).nodes if node.kind == "Movie"}
    assert names == {"Alien", "Moon"}


SHOP = """
name = "shop"
title = "Shop"
version = "1.0"
description = "Products and reviews."

[nodes.Product]
description = "A product."
source_key = "ProductId"
[nodes.Product.columns]
Id = { type = "BIGINT", nullable = false, description = "Key." }
Name = { type = "NVARCHAR(100)", nullable = false, searchable = true, description = "Name." }
ProductId = { type = "NVARCHAR(50)", nullable = false, description = "Key." }

[nodes.Review]
description = "A review."
[nodes.Review.columns]
Id = { type = "INT", nullable = false, description = "Key." }
Name = { type = "NVARCHAR(100)", nullable = false, searchable = true, description = "Name." }
Content = { type = "NVARCHAR(MAX)", searchable = true, description = "Text." }

[edges.REVIEWS]
from = "Review"
to = "Product"
meaning = "it reviews it"

[edges.ALSO_BOUGHT]
from = "Product"
to = "Product"
meaning = "customers bought both"
"""
SHOP_MAP = """
[tables."products.csv"]
kind = "Product"
columns = { id = "sku", name = "name", productid = "sku" }
links = { also = { edge = "ALSO_BOUGHT", split = "|" } }

[tables."reviews.csv"]
kind = "Review"
number_rows = true
made_names = true
columns = { content = "text" }
links = { sku = { edge = "REVIEWS" } }
"""
SHOP_FILES = {
    "products.csv": "sku,name,also\n501,Shoe,A-1|00502\n00502,Hat,501\nA-1,Belt,\n",
    "reviews.csv": "sku,text\n501,Good.\n00502,Warm.\n,Nothing.\nX-9,Lost.\n501,Bad.\n",
}


def test_a_column_of_ids_becomes_edges_to_the_nodes_that_have_them(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, content in SHOP_FILES.items():
        (folder / name).write_text(content)
    rejects = Rejects()
    records = read_place(folder, contract_of({"contract.toml": SHOP}), SHOP_MAP, rejects)
    names = {node.id: node.name for node in records.nodes}
    assert sorted(names.values()) == [
        "Belt", "Hat", "Review 1", "Review 2", "Review 3", "Review 4", "Review 5", "Shoe",
    ]  # fmt: skip
    assert {(names[edge.source], edge.kind, names[edge.target]) for edge in records.edges} == {
        ("Shoe", "ALSO_BOUGHT", "Belt"),
        ("Shoe", "ALSO_BOUGHT", "Hat"),
        ("Hat", "ALSO_BOUGHT", "Shoe"),
        ("Review 1", "REVIEWS", "Shoe"),
        ("Review 2", "REVIEWS", "Hat"),
        ("Review 5", "REVIEWS", "Shoe"),
    }
    assert not rejects.counts
    assert records.found.cells == {"Review": {"sku": 1}}
    assert "reviews.csv: 1 id in sku of no Product, such as 'X-9'" in records.found.notes


def test_a_link_needs_an_edge_table_that_starts_at_its_rows(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    map_toml = SHOP_MAP.replace('edge = "REVIEWS"', 'edge = "ALSO_BOUGHT"')
    with pytest.raises(
        SourceError, match=r"links\.sku: No edge table ALSO_BOUGHT starts at Review"
    ):
        read_place(tmp_path / "in", contract_of({"contract.toml": SHOP}), map_toml)


@pytest.mark.parametrize(
    ("map_toml", "kind"),
    [
        pytest.param(MAP, "Movie", id="the first file of nodes"),
        pytest.param(
            'tables."a*" = {edge = "IN_GENRE"}\ntables."b*" = {kind = "Genre"}', "Genre", id="edges"
        ),
        pytest.param('tables."a*" = {}', None, id="the first of the contract"),
        pytest.param('kind = "Genre"', "Genre", id="one table"),
    ],
)
def test_the_main_kind_is_that_of_the_first_nodes(
    tmp_path: Path, map_toml: str, kind: str | None
) -> None:
    file = tmp_path / "map.toml"
    file.write_text(map_toml)
    columns = read_column_map(file)
    assert columns is not None and columns.main_kind == kind
