import shutil
from pathlib import Path

import pytest

from moviegraph.contract.loader import contract_of, load_contract
from moviegraph.contract.markdown import table_markdown
from moviegraph.errors import ContractError

TOY = Path(__file__).parents[2] / "toy" / "contract"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(TOY, tmp_path / "contract"))


def message_of(folder: Path) -> str:
    with pytest.raises(ContractError) as caught:
        load_contract(folder)
    return caught.value.message


def test_the_contract_in_the_box_loads() -> None:
    contract = load_contract()
    assert contract.table_names[0] == "Movie"
    assert len(contract.edges) == 5
    assert {edge.from_table for edge in contract.connections} == {"Movie"}
    assert [column.name for column in contract.nodes[0].columns] == [
        "Id",
        "Name",
        "ReleaseYear",
        "Content",
        "Embedding",
    ]


def test_the_examples_in_the_box_show_every_kind_of_query() -> None:
    contract = load_contract()
    shown_kinds = {kind for example in contract.examples for kind in example.shows}
    assert len(contract.examples) >= 16
    assert shown_kinds >= {"semantic", "fulltext", "hybrid", "one_hop", "two_hop", "aggregate"}
    assert shown_kinds >= {"window", "filtered_vector", "cte", "precise", "path", "json"}


def test_a_contract_of_another_domain_loads_with_its_own_roles() -> None:
    recipe = load_contract(TOY).nodes[0]
    assert (recipe.key, recipe.label, recipe.text, recipe.vector) == (
        "Number",
        "Title",
        "Method",
        "Meaning",
    )
    assert [column.name for column in recipe.extra] == ["Minutes", "Vegan", "Added", "Price", "Tip"]
    assert recipe.searchable == ("Title", "Tip", "Method")
    tip = recipe.column("tip")
    assert tip is not None
    assert tip.source_field == "advice"


def test_a_contract_says_what_the_names_of_a_kind_mean() -> None:
    movies, recipes = load_contract(), load_contract(TOY)
    within = {node.name: node.named_within for node in (*movies.nodes, *recipes.nodes)}
    assert {name for name, edges in within.items() if edges is not None} == {"Character"}
    assert within["Character"] == ("PART_OF_SERIES",)
    common = {node.name for node in (*movies.nodes, *recipes.nodes) if node.common_nouns}
    assert common == {"Theme", "Genre", "Ingredient"}


def test_a_contract_names_what_distinguishes_nodes_of_one_name() -> None:
    movies, recipes = load_contract(), load_contract(TOY)
    apart = {node.name: node.disambiguated_by for node in (*movies.nodes, *recipes.nodes)}
    assert {name: column for name, column in apart.items() if column} == {"Movie": "ReleaseYear"}


def test_examples_are_in_file_order_and_lose_their_number() -> None:
    contract = load_contract(TOY)
    assert [example.id for example in contract.examples] == [
        "warming_dishes",
        "shared_ingredients",
        "quick_vegan",
    ]
    assert contract.examples[0].query is not None
    assert contract.examples[1].query is None
    assert contract.examples[1].sql.startswith("SELECT TOP 10")


EDITS = [
    pytest.param(
        "contract.toml", "[limits]", "[limits", ("contract.toml", "line 10"), id="broken TOML"
    ),
    pytest.param(
        "contract.toml",
        'title = "Recipe graph"',
        'tittle = "Recipe graph"',
        ("contract.toml", "'tittle'", "'title'"),
        id="unknown key at the top",
    ),
    pytest.param(
        "contract.toml",
        "hub_cut = 6",
        "hub_cutt = 6",
        ("limits", "'hub_cutt'", "'hub_cut'"),
        id="unknown key in limits",
    ),
    pytest.param(
        "contract.toml", "top = 10", 'top = "ten"', ("limits.top", "integer"), id="wrong type"
    ),
    pytest.param(
        "contract.toml", "top = 10", "top = 0", ("limits.top", "greater"), id="limit below one"
    ),
    pytest.param(
        "contract.toml",
        "top = 10",
        "top = 40",
        ("limits.top", "top_expanded"),
        id="limits contradict each other",
    ),
    pytest.param(
        "contract.toml",
        "inner_top = 500",
        "inner_top = 5",
        ("limits.top_expanded", "inner_top"),
        id="inner limit below the expanded one",
    ),
    pytest.param(
        "contract.toml",
        "common_nouns = true",
        'named_within = ["NEED"]',
        ("nodes.Ingredient.named_within", "'NEED'", "NEEDS"),
        id="names within an unknown edge",
    ),
    pytest.param(
        "contract.toml",
        "common_nouns = true",
        'disambiguated_by = "Nam"',
        ("nodes.Ingredient.disambiguated_by", "'Nam'"),
        id="told apart by no column",
    ),
    pytest.param(
        "contract.toml",
        'vector = "Meaning"',
        'vector = "Meaning"\ndisambiguated_by = "Tip"',
        ("nodes.Recipe.disambiguated_by", "'Tip'", "INT"),
        id="told apart by a text",
    ),
    pytest.param(
        "contract.toml",
        'Price = { type = "FLOAT"',
        'Price = { type = "MONEY"',
        ("nodes.Recipe.columns.Price.type", "'MONEY'", "FLOAT"),
        id="unknown column type",
    ),
    pytest.param(
        "contract.toml",
        "Minutes = {",
        '"Mi nutes" = {',
        ("nodes.Recipe.columns.Mi nutes", "letters"),
        id="a column name with a blank",
    ),
    pytest.param(
        "contract.toml",
        'Price = { type = "FLOAT"',
        'minutes = { type = "FLOAT"',
        ("nodes.Recipe.columns.minutes", "case"),
        id="two columns that differ by case",
    ),
    pytest.param(
        "contract.toml",
        'Price = { type = "FLOAT"',
        'Percent = { type = "FLOAT"',
        ("nodes.Recipe.columns.Percent", "reserved"),
        id="a reserved word as column",
    ),
    pytest.param(
        "contract.toml",
        'key = "Number"',
        'key = "Numbr"',
        ("nodes.Recipe.key", "'Numbr'", "'Number'"),
        id="key column missing",
    ),
    pytest.param(
        "contract.toml",
        'key = "Number"',
        'key = "Title"',
        ("nodes.Recipe.key", "INT"),
        id="key column of the wrong type",
    ),
    pytest.param(
        "contract.toml",
        'vector = "Meaning"',
        'vector = "Method"',
        ("nodes.Recipe.vector", "VECTOR"),
        id="vector column of the wrong type",
    ),
    pytest.param(
        "contract.toml",
        'Number = { type = "INT", nullable = false',
        'Number = { type = "INT"',
        ("nodes.Recipe.key", "nullable"),
        id="key that may be null",
    ),
    pytest.param(
        "contract.toml",
        'Price = { type = "FLOAT"',
        'Price = { type = "VECTOR"',
        ("nodes.Recipe.columns.Price.type", "Meaning"),
        id="a second vector",
    ),
    pytest.param(
        "contract.toml",
        'Minutes = { type = "INT"',
        'Minutes = { type = "INT", searchable = true',
        ("nodes.Recipe.columns.Minutes.searchable", "INT"),
        id="a number that is searchable",
    ),
    pytest.param(
        "contract.toml",
        "searchable = true",
        "searchable = false",
        ("nodes.Recipe.columns", "searchable"),
        id="nothing searchable",
    ),
    pytest.param(
        "contract.toml",
        'to = "Cuisine"',
        'to = "Cuisin"',
        ("edges.COMES_FROM.to", "'Cuisin'", "'Cuisine'"),
        id="edge to an unknown table",
    ),
    pytest.param(
        "contract.toml",
        'Cuisine = ["cuisine", "from where"]',
        'Cusine = ["cuisine"]',
        ("glossary.keywords.Cusine", "'Cuisine'"),
        id="keyword of an unknown table",
    ),
    pytest.param(
        "contract.toml",
        'Recipe = ["dish"]',
        'Recpie = ["dish"]',
        ("glossary.tables.Recpie", "'Recipe'"),
        id="other name of an unknown table",
    ),
    pytest.param(
        "contract.toml",
        'Recipe = ["dish"]',
        'Recipe = ["cuisine"]',
        ("glossary.tables.Recipe", "'cuisine'"),
        id="other name that is a table itself",
    ),
    pytest.param(
        "examples/1_warming_dishes.sql",
        "-- shows: semantic\n",
        "",
        ("examples/1_warming_dishes.sql: shows: missing or empty",),
        id="example that shows nothing",
    ),
    pytest.param(
        "contract.toml",
        'Minutes = { type = "INT"',
        'Minutes = 5 # { type = "INT"',
        ("nodes.Recipe.columns.Minutes: expected a table",),
        id="column that is a number",
    ),
    pytest.param(
        "examples/1_warming_dishes.sql",
        "-- question:",
        "-- quetsion:",
        ("line 1", "'quetsion'", "'question'"),
        id="unknown key in an example",
    ),
    pytest.param(
        "examples/2_shared_ingredients.sql",
        "-- question: What else can I cook with what goes into ratatouille?\n",
        "",
        ("examples/2_shared_ingredients.sql", "question"),
        id="example without question",
    ),
    pytest.param(
        "examples/2_shared_ingredients.sql",
        "-- shows: two_hop, aggregate",
        "-- about hops",
        ("line 2", "key: value"),
        id="front matter that is no pair",
    ),
    pytest.param(
        "examples/1_warming_dishes.sql",
        "-- query: A hot, hearty dish that simmers slowly and warms from within.\n",
        "",
        ("query", "@q"),
        id="example that uses the vector of nothing",
    ),
    pytest.param(
        "examples/1_warming_dishes.sql",
        "@q",
        "NULL",
        ("query", "@q"),
        id="example with a text that it does not use",
    ),
]


@pytest.mark.parametrize(("file", "old", "new", "expected_parts"), EDITS)
def test_a_broken_contract_is_refused_by_file_and_key(
    folder: Path, file: str, old: str, new: str, expected_parts: tuple[str, ...]
) -> None:
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    message = message_of(folder)
    assert message.startswith(file.split("/")[0])
    for part in expected_parts:
        assert part in message


def test_a_missing_contract_toml_is_named(folder: Path) -> None:
    (folder / "contract.toml").unlink()
    message = message_of(folder)
    assert "contract.toml" in message
    assert "missing" in message


def test_pages_of_tables_are_optional(folder: Path) -> None:
    shutil.rmtree(folder / "tables")
    contract = load_contract(folder)
    assert contract.hash == load_contract(TOY).hash
    assert "| Title |" in table_markdown(contract, "Recipe")


def test_all_problems_of_a_contract_are_stated_at_once_with_their_lines(folder: Path) -> None:
    path = folder / "contract.toml"
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    text = text.replace("hub_cut = 6", "hub_cutt = 6").replace('to = "Cuisine"', "to = 3")
    path.write_text(text, encoding="utf-8")
    message = message_of(folder)
    for key in ("hub_cut = 6", 'to = "Cuisine"'):
        assert f"line {lines.index(next(line for line in lines if key in line)) + 1}:" in message


def test_problems_between_tables_have_lines_too(folder: Path) -> None:
    path = folder / "contract.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('to = "Cuisine"', 'to = "Cuisin"'), encoding="utf-8")
    number = text.splitlines().index('to = "Cuisine"') + 1
    assert message_of(folder).startswith(f"contract.toml, line {number}: edges.COMES_FROM.to:")


ADDITIONS = [
    pytest.param("tables/Recipes.md", b"# x\n\nx", ("'Recipe'",), id="a page without table"),
    pytest.param("tables/NEEDS.md", b" \n", ("empty",), id="an empty page"),
    pytest.param("tables/NEEDS.md", b"caf\xe9", ("not UTF-8",), id="a page in Latin-1"),
    pytest.param("contract.toml", b"\xff\xfe\x00", ("not UTF-8",), id="a binary contract"),
    pytest.param("examples/9.sql", b"-- question: x\n", ("no statement",), id="no statement"),
    pytest.param(
        "examples/4_quick_vegan.sql",
        b"-- question: x\n-- shows: precise\nSELECT 1",
        ("quick_vegan",),
        id="two examples of one id",
    ),
    pytest.param(
        "examples/a b.sql",
        b"-- question: x\n-- shows: precise\nSELECT 1",
        ("letters",),
        id="a file name with a blank",
    ),
]


@pytest.mark.parametrize(("file", "content", "expected_parts"), ADDITIONS)
def test_a_wrong_file_is_named(
    folder: Path, file: str, content: bytes, expected_parts: tuple[str, ...]
) -> None:
    (folder / file).write_bytes(content)
    message = message_of(folder)
    assert message.startswith(file.split("/")[0])
    for part in expected_parts:
        assert part in message


def test_a_table_and_an_edge_of_one_name_are_refused(folder: Path) -> None:
    path = folder / "contract.toml"
    text = path.read_text(encoding="utf-8").replace("[edges.NEEDS]", "[edges.Recipe]")
    path.write_text(text, encoding="utf-8")
    (folder / "tables" / "NEEDS.md").unlink()
    assert "edges.Recipe" in message_of(folder)


def test_several_faults_are_reported_at_once(folder: Path) -> None:
    path = folder / "contract.toml"
    text = path.read_text(encoding="utf-8")
    text = text.replace('to = "Cuisine"', 'to = "X"').replace('key = "Number"', 'key = "Y"')
    path.write_text(text, encoding="utf-8")
    message = message_of(folder)
    assert "edges.COMES_FROM.to" in message
    assert "nodes.Recipe.key" in message


def test_a_folder_that_does_not_exist_is_a_contract_error(tmp_path: Path) -> None:
    assert "No contract folder" in message_of(tmp_path / "nowhere")


def test_windows_line_ends_and_a_byte_order_mark_do_no_harm(folder: Path) -> None:
    for path in folder.rglob("*.*"):
        text = path.read_text(encoding="utf-8").replace("\n", "\r\n")
        path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert load_contract(folder) == load_contract(TOY)


def test_the_hash_follows_the_meaning_and_not_the_prose(folder: Path) -> None:
    before = load_contract(folder).hash
    (folder / "tables" / "NEEDS.md").write_text("# NEEDS\n\nSaid otherwise.\n")
    (folder / "examples" / "3_quick_vegan.sql").unlink()
    assert load_contract(folder).hash == before
    path = folder / "contract.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('"FLOAT"', '"INT"'), encoding="utf-8")
    assert load_contract(folder).hash != before


def test_the_hashes_of_known_contracts_are_stable() -> None:
    assert load_contract().hash == "d62ed96ed64a2b57"
    assert load_contract(TOY).hash == "9ca6777e76944806"


def test_a_table_whose_name_begins_a_statement_is_refused() -> None:
    text = """
        name = "post"
        title = "Post"
        version = "1"
        description = "What is sent."
        [nodes.Send]
        description = "One."
        [nodes.Send.columns]
        Id = { type = "INT", nullable = false, description = "Key." }
        Name = { type = "NVARCHAR(80)", nullable = false, description = "Name." }
        """
    with pytest.raises(ContractError, match="'Send' begins a statement of T-SQL"):
        contract_of({"contract.toml": text})
