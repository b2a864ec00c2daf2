"""Bearer tokens from a file: acceptance over real HTTP, and changes of the file."""

import json
import logging
import os
import re
from collections.abc import Iterator
from contextlib import AsyncExitStack
from itertools import product
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fakes.http_clients import (
    ACCEPT,
    BOTH_REVISIONS,
    MODERN,
    Callers,
    call,
    in_session,
    initialize,
    message,
    post,
)
from fakes.http_server import http_server
from mcp import Client, MCPError
from mcp.server import MCPServer

from moviegraph.cli import main
from moviegraph.http.application import http_config_from
from moviegraph.http.scopes import ALL, READ
from moviegraph.http.token_file import TokenLine, digest_of
from moviegraph.settings import Settings
from moviegraph_tools import DEFINITIONS

pytestmark = pytest.mark.slow("http")

ANN, BOB, POOR = "token-of-ann", "token-of-bob", "token-of-poor"
SQL = {"sql": "SELECT COUNT(*) AS n FROM Recipe"}
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


def line(name: str, token: str, *scopes: str) -> str:
    return TokenLine(name, digest_of(token), scopes or ALL).written()


EVERYBODY = [line("ann", ANN), line("bob", BOB), line("poor", POOR, READ)]


class Tokens:
    """The file of tokens."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.changes = 0

    def write(self, *lines: str) -> None:
        """Replace the file; its time differs also where the clock of files is coarse."""
        self.path.write_text("\n".join(lines), encoding="utf-8")
        self.path.chmod(0o600)
        self.changes += 1
        os.utime(self.path, ns=(self.changes, self.changes))


@pytest.fixture
def tokens(tmp_path: Path) -> Tokens:
    result = Tokens(tmp_path / "tokens")
    result.write("# who may call", "", *EVERYBODY)
    return result


@pytest.fixture
def address(server: MCPServer[Any], tokens: Tokens) -> Iterator[str]:
    with http_server(
        server, door=http_config_from(Settings(http_tokens=tokens.path, http_stateless=False))
    ) as server_address:
        yield server_address


@pytest.mark.parametrize("token", [pytest.param(t, id=t) for t in (ANN, BOB, POOR)])
def test_a_token_of_the_file_is_let_in(address: str, token: str) -> None:
    assert post(address, token).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({}, 401, id="none"),
        pytest.param({"Authorization": "Bearer wrong"}, 401, id="unknown"),
        pytest.param({"Authorization": f"Bearer {digest_of(ANN)}"}, 401, id="digest"),
        pytest.param({"Authorization": f"Basic {ANN}"}, 401, id="scheme"),
        pytest.param({"Authorization": ANN}, 401, id="no scheme"),
        pytest.param({"Authorization": "Bearer"}, 401, id="empty"),
        pytest.param({"Authorization": f"Bearer {ANN} {ANN}"}, 401, id="two"),
        pytest.param({"Authorization": f"Bearer {ANN}" + "a" * 20_000}, 401, id="long"),
        pytest.param({"Authorization": f"bearer {ANN}"}, 200, id="small letters"),
    ],
)
def test_another_is_not(address: str, headers: dict[str, str], status: int) -> None:
    answer = post(address, more=headers)
    assert answer.status_code == status
    if status == 401:
        assert answer.headers["www-authenticate"].startswith("Bearer ")
        assert 'scope="moviegraph:read moviegraph:sql"' in answer.headers["www-authenticate"]
        assert "resource_metadata" not in answer.headers["www-authenticate"]
        assert ANN not in answer.text


def test_a_token_in_the_url_is_refused_even_beside_a_good_one(address: str) -> None:
    signed = ".".join(("eyJhbGciOiJub25lIn0", "eyJzdWIiOiJhIn0", "AA"))
    queries = (f"access_token={ANN}", f"token={ANN}", "x=moviegraph_abc", f"y={signed}")
    for token, query in product((None, ANN), queries):
        answer = post(f"{address}/mcp?{query}&rest=", token)
        assert answer.status_code == 400
        assert 'error="invalid_request"' in answer.headers["www-authenticate"]


def test_every_path_asks_but_health_readiness_and_what_is_well_known(address: str) -> None:
    result = {
        path: httpx2.get(address + path, timeout=120).status_code
        for path in ("/healthz", "/readyz", "/mcp", "/mcp/", "/", "/else", "/.well-known/x")
    }
    assert result == {
        "/healthz": 200,
        "/readyz": 200,
        "/mcp": 401,
        "/mcp/": 401,
        "/": 401,
        "/else": 401,
        "/.well-known/x": 404,
    }
    assert httpx2.get(f"{address}/healthz", timeout=120).json() == {"status": "ok"}
    assert httpx2.get(f"{address}/readyz", timeout=120).json() == {"status": "ready"}


@BOTH_REVISIONS
async def test_a_client_without_the_scope_for_sql_searches_and_reads_and_runs_none(
    address: str, mode: str
) -> None:
    async with AsyncExitStack() as stack:
        poor = await Callers(f"{address}/mcp", mode, stack).caller(POOR)
        names = {tool.name for tool in (await poor.list_tools()).tools}
        assert "run_readonly_sql" in names
        result = await poor.call_tool("fulltext_search", {"query": "soup", "kind": "Recipe"})
        assert not result.is_error
        assert (await poor.read_resource("moviegraph://rules")).contents
        for name in sorted(names - {tool.name for tool in DEFINITIONS if tool.scope == READ}):
            with pytest.raises(MCPError, match="lacks the required scope moviegraph:sql"):
                await poor.call_tool(name, SQL)
        rich = await Callers(f"{address}/mcp", mode, stack).caller(ANN)
        assert not (await rich.call_tool("run_readonly_sql", SQL)).is_error


@pytest.mark.parametrize("name", ["run_readonly_sql", "fix_sql", "unknown"])
def test_a_missing_scope_is_answered_with_the_scopes_to_ask_for(address: str, name: str) -> None:
    answer = post(address, POOR, call(name, SQL))
    assert answer.status_code == 403
    challenge = answer.headers["www-authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert 'scope="moviegraph:read moviegraph:sql"' in challenge
    assert answer.json()["error"]["message"].startswith("The access token lacks the required scope")


@pytest.mark.parametrize(
    "method",
    [
        pytest.param('"tools/list", "method": "tools/call"', id="last"),
        pytest.param('"tools/call", "method": "tools/list"', id="first"),
        pytest.param('"tools\\/call"', id="escaped"),
    ],
)
@pytest.mark.parametrize("header", ["tools/list", "tools/call"])
def test_a_body_that_hides_its_method_runs_no_sql_either(
    address: str, method: str, header: str
) -> None:
    hidden = json.dumps(call("run_readonly_sql", SQL)).replace('"tools/call"', method)
    headers = {"Mcp-Method": header, "Mcp-Name": "run_readonly_sql", "MCP-Protocol-Version": MODERN}
    own = ACCEPT | {"Content-Type": "application/json", "Authorization": f"Bearer {POOR}"}
    answer = httpx2.post(
        f"{address}/mcp", content=hidden.encode(), headers=headers | own, timeout=120
    )
    assert answer.status_code in (200, 400, 403)
    assert "row_count" not in answer.text


def test_a_token_that_is_taken_out_is_refused_at_once_also_in_its_open_session(
    address: str, tokens: Tokens
) -> None:
    session = in_session(address, ANN, initialize()).headers["mcp-session-id"]
    assert in_session(address, ANN, PING, session).status_code == 200

    tokens.write(line("bob", BOB))

    assert in_session(address, ANN, PING, session).status_code == 401
    assert in_session(address, BOB, initialize()).status_code == 200


def test_a_new_token_of_the_same_name_goes_on_with_the_session(
    address: str, tokens: Tokens
) -> None:
    session = in_session(address, ANN, initialize()).headers["mcp-session-id"]
    tokens.write(line("ann", ANN), line("ann", "new"))
    assert in_session(address, "new", PING, session).status_code == 200
    tokens.write(line("ann", "new"))
    assert in_session(address, "new", PING, session).status_code == 200
    assert in_session(address, ANN, PING, session).status_code == 401


def test_a_session_used_with_the_token_of_another_answers_as_an_unknown_one(address: str) -> None:
    session = in_session(address, ANN, initialize()).headers["mcp-session-id"]
    foreign = in_session(address, BOB, PING, session)
    unknown = in_session(address, BOB, PING, "0" * 32)
    assert (foreign.status_code, foreign.content) == (unknown.status_code, unknown.content)
    assert foreign.status_code == 404
    assert in_session(address, ANN, PING, session).status_code == 200


def test_a_file_that_became_wrong_keeps_the_last_good_one_and_says_so_once(
    address: str, tokens: Tokens, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "moviegraph"):
        tokens.write(line("ann", ANN), "bob secret-not-digest moviegraph:read")
        assert [post(address, ANN).status_code for _ in range(3)] == [200] * 3
        assert post(address, BOB).status_code == 200
        (messages,) = caplog.messages
        assert "tokens, line 2: the second field is not a SHA-256 digest" in messages
        assert "secret-not-digest" not in messages
        tokens.path.unlink()
        assert post(address, ANN).status_code == 200
        assert "cannot be read" in caplog.messages[1]
    tokens.write("# nobody")
    assert post(address, ANN).status_code == 401


@BOTH_REVISIONS
async def test_an_execution_of_another_answers_as_an_unknown_one_byte_for_byte(
    address: str, mode: str
) -> None:
    async with AsyncExitStack() as stack:
        ann = await Callers(f"{address}/mcp", mode, stack).caller(ANN)
        ran = await ann.call_tool("run_readonly_sql", SQL)
        execution_id = ran.structured_content["execution_id"]
        assert (await ann.read_resource(f"moviegraph://executions/{execution_id}")).contents
    unknown = "0" * len(execution_id)
    for name, arguments in (
        ("expand_strategy", {"execution_id": execution_id}),
        ("resources/read", {"uri": f"moviegraph://executions/{execution_id}"}),
    ):
        request = message(name, arguments) if name == "resources/read" else call(name, arguments)
        foreign = post(address, BOB, request)
        absent = post(address, BOB, _with(request, execution_id, unknown))
        assert foreign.status_code == absent.status_code
        assert foreign.content.replace(execution_id.encode(), unknown.encode()) == absent.content
        assert re.search(rb"not_found|You have no execution", foreign.content)


def _with(request: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return json.loads(json.dumps(request).replace(old, new))


def test_a_byte_order_mark_is_no_part_of_the_first_name(tokens: Tokens) -> None:
    tokens.write("\ufeff" + EVERYBODY[0])
    access = http_config_from(Settings(http_tokens=tokens.path)).access
    assert access is not None and access.tokens is not None
    assert [line.name for line in access.tokens.lines] == ["ann"]


def test_no_token_is_made_that_opens_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["token", "nightly", "--scopes", "moviegraph:sql"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "moviegraph:sql also requires moviegraph:read" in captured.err


async def test_a_command_makes_a_token_that_is_let_in(
    address: str, tokens: Tokens, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["token", "nightly", "--scopes", READ]) == 0
    captured = capsys.readouterr()
    token = captured.err.split()[-1]
    assert token not in captured.out
    tokens.write(captured.out)
    async with AsyncExitStack() as stack:
        client = await Callers(f"{address}/mcp", "auto", stack).caller(token)
        assert isinstance(client, Client)
        assert (await client.list_tools()).tools
    assert post(address, token, call("run_readonly_sql", SQL)).status_code == 403
