"""Real clients of the SDK get their own tokens, from nothing but the URL of the server."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest
from fakes.http_clients import BOTH_REVISIONS
from fakes.http_server import http_server
from fakes.issuer import Issuer, issuing
from mcp import Client, MCPError
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.server import MCPServer
from scripts.scratch_server import MemoryTokenStorage

from moviegraph.http.application import HttpConfig, http_config_from
from moviegraph.http.scopes import READ
from moviegraph.settings import Settings

pytestmark = pytest.mark.slow("http")

SQL = {"sql": "SELECT COUNT(*) AS n FROM Recipe"}


def credentials(url: str, issuer: Issuer) -> ClientCredentialsOAuthProvider:
    """Return the authentication of a client that knows only the URL of the server."""
    return ClientCredentialsOAuthProvider(
        url, MemoryTokenStorage(), "robot", "its secret", "client_secret_post", issuer=issuer.url
    )


@BOTH_REVISIONS
@pytest.mark.parametrize("path", [pytest.param("", id="root"), pytest.param("/tenant", id="path")])
async def test_a_real_client_finds_its_way_from_the_url_alone(
    server: MCPServer[Any], mode: str, path: str
) -> None:
    with issuing(Issuer(path=path)) as issuer, own_url(server, issuer) as url:
        auth = credentials(url, issuer)
        async with (
            httpx2.AsyncClient(auth=auth, timeout=120) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode) as client,
        ):
            result = await client.call_tool("run_readonly_sql", SQL)
            assert result.structured_content["rows"] == [[8]]
        (form,) = issuer.forms
        assert form["resource"] == [url]
        assert form["scope"] == ["moviegraph:read moviegraph:sql"]


async def test_a_client_that_was_granted_less_hears_what_it_lacks(
    server: MCPServer[Any],
) -> None:
    with issuing(Issuer(granted=READ)) as issuer, own_url(server, issuer) as url:
        auth = credentials(url, issuer)
        async with (
            httpx2.AsyncClient(auth=auth, timeout=120) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            assert (await client.list_tools()).tools
            with pytest.raises(MCPError, match="lacks the required scope moviegraph:sql"):
                await client.call_tool("run_readonly_sql", SQL)
            assert len(issuer.forms) >= 2


@contextmanager
def own_url(server: MCPServer[Any], issuer: Issuer) -> Generator[str]:
    """Serve with the server's own URL as the audience."""

    def created(port: int) -> HttpConfig:
        issuer.audience = f"http://127.0.0.1:{port}/mcp"
        return http_config_from(Settings(oauth_issuer=issuer.url, oauth_audience=issuer.audience))

    with http_server(server, door=created) as address:
        yield f"{address}/mcp"
