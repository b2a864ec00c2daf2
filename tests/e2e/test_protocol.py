"""Requirements of the protocol for every server."""

from typing import Any

import pytest
from fakes.http_clients import BOTH_REVISIONS
from mcp import Client, MCPError
from mcp.types import INVALID_PARAMS, PaginatedRequestParams

pytestmark = BOTH_REVISIONS


async def test_nothing_is_declared_that_is_never_sent(client: Client) -> None:
    declared = client.server_capabilities
    assert declared.tools is not None
    assert declared.prompts is not None
    assert declared.resources is not None
    assert not declared.tools.list_changed
    assert not declared.prompts.list_changed
    assert not declared.resources.list_changed
    assert not declared.resources.subscribe
    assert declared.completions is not None
    assert declared.logging is None  # pyright: ignore[reportDeprecated]


@pytest.mark.parametrize(
    "list_of",
    [
        pytest.param("list_tools", id="tools"),
        pytest.param("list_prompts", id="prompts"),
        pytest.param("list_resources", id="resources"),
        pytest.param("list_resource_templates", id="templates"),
    ],
)
async def test_a_list_is_complete_and_an_unknown_cursor_is_refused(
    client: Client, list_of: str
) -> None:
    listing: Any = getattr(client.session, list_of)
    assert (await listing()).next_cursor is None
    with pytest.raises(MCPError) as raised:
        await listing(params=PaginatedRequestParams(cursor="made-up"))
    assert raised.value.error.code == INVALID_PARAMS
