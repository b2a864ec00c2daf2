"""Search and fetch, as connectors that know only these two call them, over another domain."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult, TextContent

from moviegraph.errors import SettingsError
from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings, read_settings

PAGES = "https://recipes.example/{kind}/{id}?named={name}"


@pytest.fixture
async def client(session: Session, mode: str) -> AsyncGenerator[Client]:
    server = create_server(
        Settings(tools=("retrieval", "sql", "connector"), record_url=PAGES), session=session
    )
    async with Client(server, mode=mode) as connected:
        yield connected


def result_text(result: CallToolResult) -> str:
    assert len(result.content) == 1
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


async def answer(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result_text(result)
    assert result.structured_content == json.loads(result_text(result))
    return result.structured_content


async def failure(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    error = result.structured_content["error"]
    assert error["message"] in result_text(result)
    return error


async def test_the_group_is_two_tools(client: Client) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert list(tools)[-2:] == ["search", "fetch"]
    for name, argument in (("search", "query"), ("fetch", "id")):
        assert tools[name].input_schema["required"] == [argument]
        assert tools[name].annotations == tools["get_records"].annotations


async def test_what_search_finds_is_fetched_by_its_id(client: Client) -> None:
    result = await answer(client, "search", query="smoky aubergine stew")
    assert result["results"]
    for result_entry in result["results"]:
        assert set(result_entry) == {"id", "title", "url"}
        document = await answer(client, "fetch", id=result_entry["id"])
        assert (document["title"], document["url"]) == (result_entry["title"], result_entry["url"])
        assert document["text"]
        assert document["metadata"]["kind"].lower() == result_entry["id"].partition(":")[0]


async def test_a_record_of_another_kind_that_is_named_comes_first(client: Client) -> None:
    result = (await answer(client, "search", query="aubergine"))["results"]
    assert result[0]["title"] == "Aubergine"
    kind, _, key = result[0]["id"].partition(":")
    assert kind == "ingredient"
    assert result[0]["url"] == f"https://recipes.example/ingredient/{key}?named=Aubergine"
    assert {result_entry["id"].partition(":")[0] for result_entry in result} >= {
        "recipe",
        "ingredient",
    }


async def test_search_keeps_to_its_bound_and_says_each_record_once(client: Client) -> None:
    result = (await answer(client, "search", query="vegetable dish with rice"))["results"]
    ids = [result_entry["id"] for result_entry in result]
    assert len(ids) == len(set(ids))
    assert len(ids) <= 10 + 2 * 2


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("???", id="no word"),
        pytest.param("the of and", id="stop words"),
        pytest.param("stew " * 300, id="long"),
        pytest.param('"an unclosed quotation OR', id="broken grammar"),
    ],
)
async def test_a_query_that_hardly_is_one_is_answered(client: Client, query: str) -> None:
    assert (await answer(client, "search", query=query))["results"]


async def test_a_fetched_record_has_its_columns_and_edges(client: Client) -> None:
    result = (await answer(client, "search", query="Ratatouille"))["results"][0]
    metadata = (await answer(client, "fetch", id=result["id"].upper()))["metadata"]
    assert metadata["kind"] == "Recipe"
    assert metadata["Minutes"] > 0
    assert metadata["Edges"]["NEEDS"] > 0


@pytest.mark.parametrize(
    ("document_id", "code", "nearest_id"),
    [
        pytest.param("ratatouille", "invalid_argument", None, id="no kind"),
        pytest.param("recipes:1", "invalid_argument", "recipe:1", id="kind misspelt"),
        pytest.param("ingredient:aubergine", "invalid_argument", None, id="a name"),
        pytest.param("recipe:99999", "not_found", None, id="no such number"),
        pytest.param("recipe:9007199254740993", "invalid_argument", None, id="number too large"),
        pytest.param("recipe:1;DROP", "invalid_argument", None, id="more than a number"),
        pytest.param("", "invalid_argument", None, id="empty"),
    ],
)
async def test_a_wrong_id_is_answered_with_the_nearest(
    client: Client, document_id: str, code: str, nearest_id: str | None
) -> None:
    error = await failure(client, "fetch", id=document_id)
    assert error["code"] == code
    assert error["suggestions"] == ([nearest_id] if nearest_id else [])


async def test_unknown_arguments_are_refused(client: Client) -> None:
    error = await failure(client, "search", query="stew", top=3)
    assert "'top' is not an argument" in error["message"]


async def test_a_mistyped_name_of_a_tool_is_answered_with_the_two_among_all(client: Client) -> None:
    error = await failure(client, "serch", query="stew")
    assert "search" in error["suggestions"]


async def test_each_call_is_in_the_journal_under_its_own_name(
    client: Client, session: Session
) -> None:
    result = (await answer(client, "search", query="stew"))["results"][0]
    await answer(client, "fetch", id=result["id"])
    await failure(client, "fetch", id="recipe:x")
    tools = [execution.tool for execution in session.journal.recent("local", 50)]
    assert tools.count("search") == len(session.contract.nodes)
    assert tools.count("fetch") == 2


async def test_without_the_flag_neither_is_there(session: Session) -> None:
    async with Client(create_server(Settings(), session=session)) as plain:
        names = {tool.name for tool in (await plain.list_tools()).tools}
        result = await plain.call_tool("search", {"query": "stew"})
    assert not {"search", "fetch"} & names
    assert result.is_error


@pytest.mark.parametrize("template", ["recipes", "https://x.example/", "https://x.example/{key}"])
def test_a_template_that_names_no_record_is_refused(template: str) -> None:
    with pytest.raises(SettingsError, match="MOVIEGRAPH_RECORD_URL"):
        read_settings({}, {"MOVIEGRAPH_RECORD_URL": template})
