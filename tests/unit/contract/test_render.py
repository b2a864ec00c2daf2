import json
import re
from pathlib import Path
from typing import get_args

import pytest
from fakes.shop_graph import shop_contract

from moviegraph.contract.loader import contract_of, load_contract
from moviegraph.contract.markdown import (
    MAX_OUTLINE_CHARS,
    Section,
    outline,
    placeholders,
    rules_markdown,
    table_markdown,
    to_json,
    to_markdown,
)
from moviegraph.contract.model import Contract
from moviegraph.errors import NotFoundError

TOY = load_contract(Path(__file__).parents[2] / "toy" / "contract")
BOX = load_contract()
BOTH = [pytest.param(BOX, id="box"), pytest.param(TOY, id="toy")]


@pytest.mark.parametrize("contract", BOTH)
def test_the_whole_contract_names_every_table_and_column(contract: Contract) -> None:
    text = to_markdown(contract)
    for node in contract.nodes:
        assert f"### {node.name}" in text
        for column in node.columns:
            assert f"| {column.name} | {column.type}" in text
    for edge in contract.connections:
        assert f"{edge.from_table}-({edge.name})->{edge.to_table}" in text
    assert contract.hash in text


@pytest.mark.parametrize("contract", BOTH)
@pytest.mark.parametrize("section", get_args(Section))
def test_every_section_renders_as_markdown_without_leftovers(
    contract: Contract, section: Section
) -> None:
    text = to_markdown(contract, section)
    assert text.startswith("#")
    assert text.endswith("\n")
    assert "{{" not in text


@pytest.mark.parametrize("contract", BOTH)
def test_a_table_has_a_page_with_its_columns_edges_and_advice(contract: Contract) -> None:
    for node in contract.nodes:
        page = table_markdown(contract, node.name.lower())
        assert page.startswith(f"# {node.name}\n")
        assert page.count(f"# {node.name}\n") == 1
        assert node.vector is not None
        assert node.vector in page
        assert all(edge.name in page for edge in contract.edges_of(node.name))
    for edge in contract.connections:
        assert f"`{edge.from_table}-({edge.name})->" in table_markdown(contract, edge.name)


def test_a_table_that_does_not_exist_is_answered_with_the_nearest() -> None:
    with pytest.raises(NotFoundError) as caught:
        table_markdown(BOX, "Movies")
    assert caught.value.suggestions[0] == "Movie"


def test_rules_speak_the_language_of_the_contract_served() -> None:
    text = rules_markdown(TOY)
    assert "FROM Recipe AS r, NEEDS AS e, Ingredient AS i WHERE MATCH(r-(e)->i)" in text
    assert "MATCH(r-(e1)->i<-(e2)-other)" in text
    assert "x.Title, x.Tip, x.Method" in text
    assert "at most 10 (30 when" in text
    assert "Movie" not in text
    assert "Embedding" not in text


def test_an_example_shows_question_query_and_statement() -> None:
    text = to_markdown(TOY, "examples")
    assert "### Something warming for a cold evening." in text
    assert "`query`: A hot, hearty dish" in text
    assert text.count("```sql") == len(TOY.examples)


def test_the_glossary_groups_what_people_say() -> None:
    text = to_markdown(TOY, "glossary")
    assert "- Cuisine: cuisine, from where" in text
    assert "Not in the graph (say so, never guess): nutritional values." in text


@pytest.mark.parametrize("contract", BOTH)
def test_every_line_of_the_glossary_begins_with_words(contract: Contract) -> None:
    lines = [line for line in to_markdown(contract, "glossary").splitlines() if line[:1] == "-"]
    assert lines
    assert all(re.match(r"- \w", line) for line in lines)


@pytest.mark.parametrize("contract", BOTH)
def test_the_json_form_is_plain_and_carries_the_hash(contract: Contract) -> None:
    data = json.loads(json.dumps(to_json(contract)))
    assert data["hash"] == contract.hash
    assert [node["name"] for node in data["nodes"]] == [node.name for node in contract.nodes]
    assert "page" not in data["nodes"][0]


@pytest.mark.parametrize("contract", BOTH)
def test_every_placeholder_has_a_value(contract: Contract) -> None:
    values = placeholders(contract)
    assert values.pop("edge_columns") == ""  # of a contract without any
    assert all(values.values())


def test_an_outline_has_every_table_with_its_columns() -> None:
    lines = outline(shop_contract(), [])
    assert not lines.others
    names = [line.partition("(")[0] for line in lines.nodes]
    assert names == [node.name for node in shop_contract().nodes]
    bought = "BOUGHT: Amount INT, Price DECIMAL(8,2), Bought DATE, Note"
    assert any(f"-({bought})->" in line for line in lines.edges)


def _wide(tables: int, columns: int = 1) -> Contract:
    """Return a contract in which each of so many tables refers to the next."""
    more = "\n".join(f'C{at} = {{ type = "INT", description = "x" }}' for at in range(columns))
    nodes = "\n".join(
        f'[nodes.T{at}]\ndescription = "x"\n[nodes.T{at}.columns]\n'
        'Id = { type = "INT", nullable = false, description = "x" }\n'
        'Name = { type = "NVARCHAR(90)", nullable = false, searchable = true, description = "x" }'
        f"\n{more}"
        for at in range(tables)
    )
    edges = "\n".join(
        f'[edges.E{at}]\nfrom = "T{at}"\nto = "T{at + 1}"\nmeaning = "next"'
        for at in range(tables - 1)
    )
    head = 'name = "wide"\ntitle = "Wide"\nversion = "1"\ndescription = "x"\n'
    return contract_of({"contract.toml": f"{head}{nodes}\n{edges}\n"})


def test_of_many_tables_an_outline_has_those_that_are_touched_and_the_names_of_the_rest() -> None:
    lines = outline(_wide(20), ["T5"])
    assert [line.partition("(")[0] for line in lines.nodes] == ["T4", "T5", "T6"]
    assert lines.edges == ["T4-(E4)->T5: next", "T5-(E5)->T6: next"]
    assert len(lines.others) == 20 + 19 - 5
    assert {"T0", "T19", "E0"} <= {*lines.others}


def test_of_many_columns_an_outline_says_how_many_it_leaves_out() -> None:
    lines = outline(_wide(15, columns=200), [])
    assert all(line.endswith("more)") for line in lines.nodes)
    assert len(lines.nodes) == 15
    assert sum(map(len, lines.nodes + lines.edges)) <= MAX_OUTLINE_CHARS
