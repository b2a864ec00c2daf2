"""Bad arguments get a clear error, in text and structure, and nothing else happens."""

from typing import Any

import pytest
from mcp import Client
from mcp.types import TextContent

BOTH = [{"id": "a", "message_to_user": "x", "command": "SELECT 1"}] * 11


async def error_of(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert isinstance(result.structured_content, dict)
    error = result.structured_content["error"]
    assert set(error) == {"code", "message", "hint", "span", "suggestions"}
    assert isinstance(result.content[0], TextContent)
    text = result.content[0].text
    assert error["message"] in text
    assert (error["hint"] or "") in text
    assert all(suggestion in text for suggestion in error["suggestions"])
    return error


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        pytest.param("semantic_search", {"qery": "x"}, "'qery' is not an argument", id="unknown"),
        pytest.param("hybrid_search", {}, "'query' is missing", id="missing"),
        pytest.param("semantic_search", {}, "Both `query` and `like` are missing", id="neither"),
        pytest.param("semantic_search", {"like": [""]}, "like is empty", id="an empty name"),
        pytest.param("semantic_search", {"like": ["a\x1b"]}, "control characters", id="control"),
        pytest.param("hybrid_search", {"query": "a", "exclude": ["x"] * 101}, "exclude", id="101"),
        pytest.param("semantic_search", {"query": 5}, "'query': input should be", id="wrong type"),
        pytest.param("semantic_search", {"query": ""}, "query is empty", id="empty"),
        pytest.param("fulltext_search", {"query": " \n"}, "query is empty", id="blank"),
        pytest.param("hybrid_search", {"query": "x" * 100_000}, "100,000 characters", id="100 kB"),
        pytest.param("semantic_search", {"query": "a\0b"}, "NUL", id="NUL"),
        pytest.param("semantic_search", {"query": "a\ud800b"}, "lone surrogate", id="surrogate"),
        pytest.param("semantic_search", {"query": "a", "where": "\udfff"}, "where", id="in where"),
        pytest.param("semantic_search", {"query": "a", "top": 0}, "from 1 to 10", id="top 0"),
        pytest.param("semantic_search", {"query": "a", "top": -1}, "from 1 to 10", id="top -1"),
        pytest.param("get_records", {"ids": [1], "top": 5}, "'top' is not", id="no top here"),
        pytest.param("run_readonly_sql", {"sql": "SELECT 1", "top": 10**9}, "10", id="top 10^9"),
        pytest.param("expand_strategy", {"top": 31, "question": "x"}, "1 to 30", id="expanded"),
        pytest.param("graph_traverse", {"start": [1], "max_hops": 5}, "max_hops", id="max_hops"),
        pytest.param("graph_traverse", {"start": [], "to_kind": "Recipe"}, "start", id="no start"),
        pytest.param("graph_traverse", {"start": [1], "path": ["NEED"]}, "'NEED'", id="edge"),
        pytest.param("semantic_search", {"query": "a", "kind": "Movie"}, "'Movie'", id="kind"),
        pytest.param("get_records", {"ids": list(range(101))}, "ids", id="too many"),
        pytest.param("get_records", {"names": {"a": 1}}, "should be a list", id="not a list"),
        pytest.param("get_records", {"names": "[" * 100_000}, "characters", id="brackets"),
        pytest.param("get_records", {"ids": [True]}, "an integer (an id)", id="true for an id"),
        pytest.param("semantic_search", {"query": "a", "top": True}, "a number", id="true for top"),
        pytest.param("graph_traverse", {"start": [[1]]}, "(an id) or a string", id="list in list"),
        pytest.param("fulltext_search", {"query": "a", "mode": "x"}, "'auto'", id="choice"),
        pytest.param(
            "run_strategies", {"question": "x", "strategies": []}, "at least 1", id="none"
        ),
        pytest.param("run_strategies", {"question": "x", "strategies": BOTH}, "10 items", id="11"),
        pytest.param(
            "run_strategies",
            {"question": "x", "strategies": [{"id": "a", "sql": "SELECT 1"}]},
            "'strategies.0.sql' is not an argument",
            id="nested",
        ),
        pytest.param(
            "run_strategies",
            {"question": "x", "strategies": [BOTH[0] | {"message_to_user": " "}]},
            "strategies.0.message_to_user is empty",
            id="nested empty",
        ),
    ],
)
async def test_wrong_arguments_are_refused(
    client: Client, tool: str, arguments: dict[str, Any], says: str
) -> None:
    error = await error_of(client, tool, arguments)
    assert error["code"] == "invalid_argument"
    assert says in error["message"]


async def test_what_is_required_is_not_said_to_be_left_out(client: Client) -> None:
    error = await error_of(client, "semantic_search", {"query": " "})
    assert error["hint"] == "Provide text; only optional arguments can be omitted."


async def test_an_unknown_argument_is_answered_with_the_accepted_ones(client: Client) -> None:
    error = await error_of(client, "semantic_search", {"query": "a", "limti": 3, "knd": "Recipe"})
    assert "query, kind, like, only, exclude, top, where, detail" in error["hint"]
    assert error["suggestions"] == ["kind"]


async def test_a_plan_of_another_form_is_answered_with_the_form_to_pass(client: Client) -> None:
    error = await error_of(client, "run_strategies", {"recipes": [{"sql": "SELECT 1 AS a"}]})
    assert error["code"] == "invalid_argument"
    assert '"strategies": [{"id"' in error["hint"]
    assert '"command"' in error["hint"]


async def test_an_unknown_kind_offers_the_nearest(client: Client) -> None:
    error = await error_of(client, "semantic_search", {"query": "a", "kind": "Ingredients"})
    assert error["suggestions"] == ["Ingredient"]


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        pytest.param("DROP TABLE Recipe", "not_select", id="no SELECT"),
        pytest.param("SELECT 1 AS a; SELECT 2 AS b", "multiple_statements", id="two"),
        pytest.param("SELECT * FROM sys.tables", "unknown_table", id="foreign table"),
        pytest.param("SELECT x" * 9_000, "too_large", id="too large"),
        pytest.param(
            "SELECT r.Title FROM Recipe AS r, NEEDS AS e, Ingredient AS i WHERE MATCH(i-(e)->r)",
            "wrong_arrow",
            id="wrong arrow",
        ),
        pytest.param("SELECT Title FROM Recipe WHERE Title = '\u202eabc\0'", None, id="NUL"),
        pytest.param("SELECT '\udc00' AS a", None, id="surrogate"),
    ],
)
async def test_refused_sql_says_why(client: Client, sql: str, code: str | None) -> None:
    error = await error_of(client, "run_readonly_sql", {"sql": sql, "repair": False})
    assert code is None or error["code"] == code


async def test_right_to_left_text_is_text(client: Client) -> None:
    result = await client.call_tool("semantic_search", {"query": "مرحبا بالعالم \u202e שלום"})
    assert not result.is_error


async def test_an_unknown_name_offers_the_nearest(client: Client) -> None:
    error = await error_of(client, "get_records", {"kind": "Ingredient", "names": ["Obergine"]})
    assert error["code"] == "not_found"
    assert "Aubergine" in error["suggestions"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        pytest.param("get_records", {"names": ["Obergine"]}, id="get_records"),
        pytest.param(
            "graph_traverse", {"start": ["Obergine"], "path": ["NEEDS"]}, id="graph_traverse"
        ),
    ],
)
async def test_nearest_names_are_in_the_text_of_an_error_once(
    client: Client, tool: str, arguments: dict[str, Any]
) -> None:
    kind = "kind" if tool == "get_records" else "start_kind"
    result = await client.call_tool(tool, {kind: "Ingredient", **arguments})
    assert isinstance(result.content[0], TextContent)
    assert result.content[0].text.count("Aubergine") == 1


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        pytest.param(
            "graph_traverse",
            {"start": ["Hummus"], "start_query": None, "path": None, "to_kind": "Ingredient"}
            | dict.fromkeys(("to", "max_hops", "rank_by", "top", "where", "detail")),
            id="graph_traverse",
        ),
        pytest.param("get_records", {"names": None, "ids": [1], "kind": None}, id="get_records"),
        pytest.param(
            "run_strategies",
            {"question": "x", "strategies": [BOTH[0] | {"query": None}], "repair": None},
            id="run_strategies",
        ),
    ],
)
async def test_null_is_an_optional_argument_left_out(
    client: Client, tool: str, arguments: dict[str, Any]
) -> None:
    assert not (await client.call_tool(tool, arguments)).is_error


async def test_an_unknown_member_of_an_item_is_answered_with_those_of_the_item(
    client: Client,
) -> None:
    item = {"id": "a", "message_to_user": "x", "comand": "SELECT 1"}
    error = await error_of(client, "run_strategies", {"question": "x", "strategies": [item]})
    assert "id, message_to_user, query, command." in error["hint"]
    assert error["suggestions"] == ["command"]


async def test_an_unknown_tool_is_answered_with_the_nearest(client: Client) -> None:
    error = await error_of(client, "semantic_serch", {"query": "x"})
    assert (error["code"], error["suggestions"]) == ("not_found", ["semantic_search"])
