import json
import re
from pathlib import Path
from typing import get_args

import pytest

from moviegraph.contract.loader import load_contract
from moviegraph.contract.markdown import (
    Section,
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
    assert all(placeholders(contract).values())
