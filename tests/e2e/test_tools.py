"""Each of the ten tools, driven by a client of both protocol revisions over a real graph."""

import json
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult, TextContent

from moviegraph.text import max_tokens

SEMANTIC = (
    "SELECT TOP 5 r.Number, r.Title FROM Recipe AS r "
    "ORDER BY VECTOR_DISTANCE('cosine', r.Meaning, @q)"
)
GRAPH = (
    "SELECT r.Number, r.Title FROM Recipe AS r, NEEDS AS e, Ingredient AS i "
    "WHERE MATCH(r-(e)->i) AND i.Name = 'Aubergine'"
)
ROWS = {
    "columns",
    "rows",
    "row_count",
    "truncated",
    "execution_id",
    "notes",
    "elapsed_ms",
}


def text_of(result: CallToolResult) -> str:
    assert len(result.content) == 1
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


async def facts(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


@pytest.mark.parametrize(
    ("tool", "arguments", "columns"),
    [
        pytest.param(
            "semantic_search",
            {"query": "roasted smoky vegetable", "kind": "Ingredient"},
            ["Id", "Name", "Similarity", "Content"],
            id="semantic",
        ),
        pytest.param(
            "semantic_search",
            {"query": "roasted smoky vegetable", "kind": "Ingredient", "detail": "full"},
            ["Id", "Name", "Similarity", "Content"],
            id="semantic, full",
        ),
        pytest.param(
            "fulltext_search",
            {"query": "aubergine", "kind": "Ingredient", "detail": "full"},
            ["Id", "Name", "Rank", "Content"],
            id="fulltext",
        ),
        pytest.param(
            "hybrid_search",
            {"query": "a smoky vegetable", "keywords": "aubergine", "kind": "Ingredient"},
            ["Id", "Name", "Score", "SemanticRank", "FulltextRank", "Content"],
            id="hybrid",
        ),
        pytest.param(
            "hybrid_search",
            {"query": "a smoky vegetable stew", "where": "Minutes < 90"},
            [
                *("Number", "Title", "Minutes", "Vegan", "Added", "Price", "Tip"),
                *("Score", "SemanticRank", "FulltextRank", "GraphRank", "LinkedTo", "Method"),
            ],
            id="hybrid, with links",
        ),
        pytest.param(
            "graph_traverse",
            {"start": ["Ratatouille"], "to_kind": "Ingredient"},
            ["Kind", "Id", "Name", "Score", "Hops", "Via", "Content"],
            id="traverse",
        ),
        pytest.param(
            "get_records",
            {"kind": "Ingredient", "names": ["eggplant"]},
            ["Id", "Name", "Content", "Edges"],
            id="records",
        ),
        pytest.param(
            "run_readonly_sql",
            {"sql": SEMANTIC, "query": "a warm soup"},
            ["Number", "Title"],
            id="sql",
        ),
    ],
)
async def test_a_tool_of_rows_returns_the_same_in_structure_and_text(
    client: Client, tool: str, arguments: dict[str, Any], columns: list[str]
) -> None:
    result = await client.call_tool(tool, arguments)
    text = text_of(result)
    assert not result.is_error, text
    outcome = result.structured_content
    assert isinstance(outcome, dict)
    assert set(outcome) - {"changes", "sql"} == ROWS
    assert ("sql" in outcome) == (arguments.get("detail") == "full")
    assert outcome["columns"] == columns
    assert outcome["row_count"] == len(outcome["rows"]) > 0
    for row in outcome["rows"]:
        assert json.dumps(row, ensure_ascii=False, separators=(",", ":")) in text
    assert outcome["execution_id"] in text
    assert json.dumps(outcome.get("sql", ""), ensure_ascii=False)[1:-1] in text


async def test_the_paths_of_a_traversal_go_to_programs_only(client: Client) -> None:
    arguments = {"start": "Ratatouille", "path": ["NEEDS", "NEEDS"], "top": 2}
    result = await client.call_tool("graph_traverse", arguments)
    assert result.meta is not None
    paths = result.meta["moviegraph/paths"]
    assert result.structured_content is not None
    rows = result.structured_content["rows"]
    assert len(paths) == len(rows) == 2
    for row, of_row in zip(rows, paths, strict=True):
        for path in of_row:
            assert [step["kind"] for step in path] == ["Recipe", "Ingredient", "Recipe"]
            assert [step["edge"] for step in path] == [None, "NEEDS", "NEEDS"]
            assert [step["forward"] for step in path] == [None, True, False]
            assert (path[-1]["id"], path[-1]["name"]) == (row[1], row[2])
    assert "moviegraph/paths" not in text_of(result)


async def test_the_default_kind_is_the_contracts_first_table(client: Client) -> None:
    result = await facts(client, "semantic_search", query="soup", top=1)
    assert result["columns"][:2] == ["Number", "Title"]
    assert result["row_count"] == 1


async def test_where_filters_what_is_found(client: Client) -> None:
    result = await facts(client, "semantic_search", query="soup", where="Vegan = 0")
    assert {row[result["columns"].index("Vegan")] for row in result["rows"]} == {False}


async def test_a_path_is_walked_hop_by_hop(client: Client) -> None:
    result = await facts(client, "graph_traverse", start=[1], path=["NEEDS", "NEEDS"])
    assert result["row_count"] > 0
    vias = [row[result["columns"].index("Via")] for row in result["rows"]]
    assert all(via.startswith("Ingredient: ") for via in vias)


async def test_a_list_may_come_as_json_in_a_string(client: Client) -> None:
    result = await facts(client, "get_records", ids="[1, 2]")
    assert [row[0] for row in result["rows"]] == [1, 2]


async def test_a_top_of_a_billion_in_sql_is_clamped_and_noted(client: Client) -> None:
    sql = "SELECT TOP 1000000000 Title FROM Recipe"
    result = await facts(client, "run_readonly_sql", sql=sql, top=3)
    assert result["row_count"] == 3
    assert any("TOP" in note for note in result["notes"])


async def test_for_json_is_one_row_and_one_column(client: Client) -> None:
    sql = "SELECT TOP 2 Number, Title FROM Recipe ORDER BY Number FOR JSON PATH"
    result = await facts(client, "run_readonly_sql", sql=sql)
    assert result["columns"] == ["JSON"]
    assert [row["Number"] for row in json.loads(result["rows"][0][0])] == [1, 2]


async def test_fix_sql_repairs_a_slip_and_names_the_change(client: Client) -> None:
    result = await facts(client, "fix_sql", sql="SELECT Titel FROM Recipe")
    assert set(result) == {"status", "sql", "diagnosis", "changes", "method", "attempts"}
    assert result["status"] == "fixed"
    assert result["changes"][0].keys() == {"rule", "before", "after", "why"}
    assert result["method"] == "rules"


async def test_a_plan_is_run_compared_expanded_and_found_again(client: Client) -> None:
    question = "What can I cook with aubergine?"
    plan = [
        {
            "id": "a",
            "message_to_user": "By meaning",
            "query": "aubergine dish",
            "command": SEMANTIC,
        },
        {"id": "b", "message_to_user": "Along the graph", "command": GRAPH},
    ]
    run = await facts(client, "run_strategies", question=question, strategies=plan)
    assert {"question", "executions", "fused", "best", "why"} <= set(run)
    assert [execution["strategy_id"] for execution in run["executions"]] == ["a", "b"]
    assert run["fused"]["columns"] == ["Kind", "Id", "Name", "Score", "FoundBy"]

    expanded = await facts(client, "expand_strategy", execution_id=run["best"])
    assert ROWS | {"from_execution_id", "chosen_because", "added"} <= set(expanded)
    assert expanded["from_execution_id"] == run["best"]

    by_question = await facts(client, "expand_strategy", question=question)
    assert by_question["from_execution_id"] == run["best"]

    uri = f"moviegraph://executions/{run['best']}"
    content = (await client.read_resource(uri)).contents[0]
    assert json.loads(content.model_dump()["text"])["question"] == question


async def test_planning_context_for_a_question_and_for_a_section(client: Client) -> None:
    outcome = await facts(
        client, "get_planning_context", question="Which eggplant dishes are vegan?"
    )
    assert {"question", "entities", "facts", "tables", "edges", "not_held"} <= set(outcome)
    result = await client.call_tool("get_planning_context", {"question": "eggplant and lentils"})
    (content,) = result.content
    assert max_tokens(content.model_dump()["text"]) <= 1_100
    section = await facts(client, "get_planning_context", section="edges")
    assert section["section"] == "edges"
    assert "NEEDS" in section["text"]
