"""Reuse of an earlier plan for a later question, over both protocol revisions."""

from typing import Any, cast

import pytest
from mcp import Client

PLAN = {
    "question": "soups with lentils",
    "strategies": [
        {"id": "a", "message_to_user": "All", "command": "SELECT r.Number FROM Recipe AS r"}
    ],
}


@pytest.mark.parametrize(
    ("meta", "is_offered"),
    [
        pytest.param(None, True, id="offered"),
        pytest.param({"moviegraph/recall": False}, False, id="done without"),
    ],
)
async def test_an_earlier_winner_is_offered_unless_the_client_does_without(
    client: Client, meta: dict[str, Any] | None, is_offered: bool
) -> None:
    await client.call_tool("run_strategies", PLAN)

    arguments = {"question": "Soups with  lentils"}
    result = await client.call_tool("get_planning_context", arguments, meta=cast("Any", meta))

    facts = cast("dict[str, Any]", result.structured_content)
    assert (facts["earlier"] is not None) is is_offered
