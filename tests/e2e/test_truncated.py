"""Every tool that returns rows says "rows" exactly when more of them exist than are shown."""

from typing import Any

import pytest
from mcp import Client

RECIPES = 8
INGREDIENTS = 3  # of Ratatouille


async def structured(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert isinstance(result.structured_content, dict)
    assert not result.is_error, result.structured_content
    return result.structured_content


@pytest.mark.parametrize(
    ("tool", "arguments", "count"),
    [
        ("semantic_search", {"query": "a smoky vegetable", "kind": "Recipe"}, RECIPES),
        ("semantic_search", {"like": ["Ratatouille"], "kind": "Recipe"}, RECIPES - 1),
        ("fulltext_search", {"query": "sesame OR until", "kind": "Recipe"}, 5),
        ("hybrid_search", {"query": "a smoky vegetable", "kind": "Recipe"}, RECIPES),
        ("graph_traverse", {"start": ["Ratatouille"], "path": ["NEEDS"]}, INGREDIENTS),
        ("graph_traverse", {"start": ["Ratatouille"], "to_kind": "Ingredient"}, INGREDIENTS),
        ("graph_traverse", {"start": ["Ratatouille"], "to": ["Dal"]}, 2),
        ("run_readonly_sql", {"sql": "SELECT Number, Title FROM Recipe ORDER BY 1"}, RECIPES),
    ],
)
async def test_rows_are_truncated_where_one_more_exists(
    client: Client, tool: str, arguments: dict[str, Any], count: int
) -> None:
    full_result = await structured(client, tool, **arguments, top=10)
    assert (len(full_result["rows"]), full_result["truncated"]) == (count, None)

    exact = await structured(client, tool, **arguments, top=count)
    assert (exact["rows"], exact["truncated"]) == (full_result["rows"], None)
    fewer = await structured(client, tool, **arguments, top=count - 1)
    assert (fewer["rows"], fewer["truncated"]) == (full_result["rows"][:-1], "rows")


@pytest.mark.parametrize(("top", "truncated"), [(RECIPES - 1, "rows"), (RECIPES, None)])
async def test_the_number_of_the_author_truncates_too(
    client: Client, top: int, truncated: str | None
) -> None:
    sql = f"SELECT TOP {top} Number, Title FROM Recipe ORDER BY Number"
    answer = await structured(client, "run_readonly_sql", sql=sql)
    assert (answer["row_count"], answer["truncated"]) == (top, truncated)
    assert "sql" not in answer  # nothing of it was changed

    strategy = {"id": "a", "message_to_user": "All", "command": sql}
    plan = await structured(client, "run_strategies", question="All?", strategies=[strategy])
    assert plan["executions"][0].get("truncated") == truncated


async def test_an_expansion_says_whether_more_exist(client: Client) -> None:
    sql = "SELECT TOP 2 Number, Title FROM Recipe ORDER BY Number"
    execution_id = (await structured(client, "run_readonly_sql", sql=sql))["execution_id"]
    for top, truncated in ((RECIPES - 1, "rows"), (RECIPES, None)):
        expanded = await structured(client, "expand_strategy", execution_id=execution_id, top=top)
        assert (expanded["row_count"], expanded["truncated"]) == (top, truncated)


async def test_whole_records_are_never_cut_by_number(client: Client) -> None:
    answer = await structured(client, "get_records", kind="Recipe", ids=list(range(1, RECIPES + 1)))
    assert (answer["row_count"], answer["truncated"]) == (RECIPES, None)
