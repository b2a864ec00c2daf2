"""A misspelled name is the same node to every tool: resolved if it is certain, else suggested."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from fakes.sessions import film_session
from mcp import Client
from mcp.types import CallToolResult, TextContent

from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def film_graph(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return film_session(tmp_path_factory.mktemp("films") / "graph")


@pytest.fixture
async def films(film_graph: Session) -> AsyncGenerator[Client]:
    async with Client(create_server(Settings(), session=film_graph)) as connected:
        yield connected


# Misspelled, its kind, its node's name: within one edit per five letters of the name.
CERTAIN = [
    pytest.param("Star Wrs", "Movie", "Star Wars", id="a letter is missing"),
    pytest.param("The Empre Strikse Back", "Movie", "The Empire Strikes Back", id="two slips"),
    pytest.param("Amelei", "Movie", "Amélie", id="a swap, without the accent"),
    pytest.param("Rebelion", "Theme", "Rebellion", id="a theme"),
    pytest.param("Luke Skywaker", "Character", "Luke Skywalker", id="a character"),
    pytest.param("Scify", "Genre", "Science Fiction", id="an alias"),
]
# More edits than that, or only some words of a name.
SIMILAR = [
    pytest.param("Starr Warz", "Movie", "Star Wars", id="two slips in eight letters"),
    pytest.param("Skywalkr", "Character", "Luke Skywalker", id="one word of a name"),
    pytest.param("Dunne", "Movie", "Dune", id="a name of four letters"),
]


def text_of(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


def calls(misspelled: str, kind: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return calls that take a name, by how: the tool and its arguments."""
    other = "Movie" if kind != "Movie" else "Theme"
    prefixed = f"{kind}:{misspelled}"
    return {
        "names": ("get_records", {"kind": kind, "names": [misspelled]}),
        "names with a kind": ("get_records", {"names": [prefixed]}),
        "start": ("graph_traverse", {"start_kind": kind, "start": [misspelled], "to_kind": other}),
        "like": ("semantic_search", {"like": [prefixed]}),
        "like of hybrid_search": ("hybrid_search", {"query": "story", "like": [misspelled]}),
    }


@pytest.mark.parametrize(("misspelled", "kind", "name"), CERTAIN)
async def test_a_certain_name_is_resolved_wherever_nodes_are_named(
    films: Client, misspelled: str, kind: str, name: str
) -> None:
    for how, (tool, arguments) in calls(misspelled, kind).items():
        result = await films.call_tool(tool, arguments)
        assert not result.is_error, (how, text_of(result))
        assert name in json.dumps(result.structured_content, ensure_ascii=False), how
    context = await films.call_tool("get_planning_context", {"question": misspelled})
    assert context.structured_content is not None
    entities = context.structured_content["entities"]
    assert (kind, name) in [(entity["kind"], entity["name"]) for entity in entities]


@pytest.mark.parametrize(("misspelled", "kind", "name"), SIMILAR)
async def test_a_similar_name_is_suggested_wherever_nodes_are_named(
    films: Client, misspelled: str, kind: str, name: str
) -> None:
    for how, (tool, arguments) in calls(misspelled, kind).items():
        result = await films.call_tool(tool, arguments)
        assert result.is_error, how
        assert result.structured_content is not None
        assert name in result.structured_content["error"]["suggestions"], how


@pytest.mark.parametrize(("misspelled", "kind", "name"), [*CERTAIN, *SIMILAR])
async def test_a_misspelled_name_is_suggested_where_it_would_take_rows_away_or_is_compared(
    films: Client, misspelled: str, kind: str, name: str
) -> None:
    statement = f"SELECT n.Id, n.Name FROM {kind} AS n WHERE n.Name = '{misspelled}'"
    strategy = {"id": "a", "message_to_user": "Search", "query": "story", "command": statement}
    for how, (tool, arguments) in {
        "exclude": ("semantic_search", {"query": "story", "exclude": [misspelled]}),
        "exclude of a kind": (
            "fulltext_search",
            {"query": "a", "exclude": [f"{kind}:{misspelled}"]},
        ),
        "statement": ("run_readonly_sql", {"sql": statement}),
        "where": (
            "semantic_search",
            {"query": "a", "kind": kind, "where": f"Name = '{misspelled}'"},
        ),
        "strategy": ("run_strategies", {"question": "story", "strategies": [strategy]}),
    }.items():
        result = await films.call_tool(tool, arguments)
        assert not result.is_error, (how, text_of(result))
        assert f"'{name}'" in text_of(result), how


@pytest.mark.parametrize(("misspelled", "kind", "name"), [*CERTAIN, *SIMILAR])
@pytest.mark.parametrize("tool", ["fulltext_search", "hybrid_search"])
async def test_a_misspelled_query_finds_the_name(
    films: Client, misspelled: str, kind: str, name: str, tool: str
) -> None:
    result = await films.call_tool(tool, {"query": misspelled, "kind": kind})
    assert result.structured_content is not None
    assert result.structured_content["rows"][0][1] == name


async def test_a_name_of_another_kind_is_not_taken_for_a_misspelled_one(films: Client) -> None:
    result = await films.call_tool("get_records", {"kind": "Theme", "names": ["Paris"]})
    assert result.is_error
    assert "Setting:2 'Paris'" in text_of(result)
