"""Two worker processes behind a proxy, over one graph and one journal."""

import json
from collections.abc import Generator, Iterator
from contextlib import AsyncExitStack, ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from fakes.http_clients import Callers, in_session, initialize
from fakes.reverse_proxy import ReverseProxy, by_token, by_turns, proxying
from fakes.served_process import KITCHEN, running_server
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CreateMessageResult, TextContent

from moviegraph.http.scopes import ALL
from moviegraph.http.token_file import TokenLine, digest_of
from moviegraph.journal.sqlite_journal import SqliteJournal

pytestmark = pytest.mark.slow("process")

SQL = {"sql": "SELECT COUNT(*) AS n FROM Recipe"}
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
FOREIGN = "Recipe | where Title contains 'soup' | project Number"
REPAIRED = "SELECT r.Number FROM Recipe AS r WHERE r.Title LIKE '%soup%'"
REPLY = json.dumps({"sql": REPAIRED, "query": None, "changes": [], "reason": "It was Kusto."})


class Workers:
    """The address of the proxy before them, and what they share."""

    def __init__(self, proxy: ReverseProxy, address: str, folder: Path) -> None:
        self.proxy = proxy
        self.address = address
        self.journal = folder / "journal.sqlite"

    def choose(self, choice: Any) -> None:
        self.proxy.choice = choice
        self.proxy.passed.clear()


@contextmanager
def two_workers(graph: Path, folder: Path, *more: str) -> Generator[Workers]:
    lines = [TokenLine(name, digest_of(name), ALL).written() for name in ("ann", "bob")]
    tokens = folder / "tokens"
    tokens.write_text("\n".join(lines), encoding="utf-8")
    tokens.chmod(0o600)
    proxy = ReverseProxy()
    with ExitStack() as stack:
        address = stack.enter_context(proxying(proxy))
        shared = ("--graph", str(graph), *KITCHEN, "--journal", str(folder / "journal.sqlite"))
        guard = ("--http-tokens", str(tokens), "--allowed-hosts", address.removeprefix("http://"))
        proxy.workers = [
            stack.enter_context(running_server(folder / name, *shared, *guard, *more)).address
            for name in ("one", "other")
        ]
        yield Workers(proxy, address, folder)


@pytest.fixture(scope="module")
def workers(graph_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    folder = tmp_path_factory.mktemp("workers")
    with two_workers(graph_folder, folder, "--http-stateless", "no") as server_address:
        yield server_address


@pytest.fixture(scope="module")
def stateless(graph_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    folder = tmp_path_factory.mktemp("stateless")
    with two_workers(graph_folder, folder, "--http-stateless", "yes") as server_address:
        yield server_address


ROUNDS = 3
CALLS = 2 * ROUNDS  # a statement, and the same expanded: reading a record back is none


async def worked(client: Client) -> None:
    """Run, expand and read back, each request with whichever worker it meets."""
    for _ in range(ROUNDS):
        ran = await client.call_tool("run_readonly_sql", SQL)
        assert ran.structured_content["rows"] == [[8]]
        execution_id = ran.structured_content["execution_id"]
        more = await client.call_tool("expand_strategy", {"execution_id": execution_id})
        assert more.structured_content["from_execution_id"] == execution_id
        assert (await client.read_resource(f"moviegraph://executions/{execution_id}")).contents


async def test_clients_without_a_session_go_from_worker_to_worker(workers: Workers) -> None:
    workers.choose(by_turns)
    async with AsyncExitStack() as stack:
        callers = Callers(f"{workers.address}/mcp", "auto", stack)
        ann, bob = await callers.caller("ann"), await callers.caller("bob")
        async with anyio.create_task_group() as group:
            group.start_soon(worked, ann)
            group.start_soon(worked, bob)
    assert set(workers.proxy.passed) == {0, 1}


async def test_what_a_client_is_asked_through_one_worker_it_may_answer_to_the_other(
    workers: Workers,
) -> None:
    workers.choose(by_turns)

    async def lends(context: Any, params: Any) -> CreateMessageResult:
        content = TextContent(type="text", text=REPLY)
        return CreateMessageResult(role="assistant", content=content, model="theirs")

    async with (
        httpx2.AsyncClient(headers={"Authorization": "Bearer ann"}, timeout=120) as http,
        Client(
            streamable_http_client(f"{workers.address}/mcp", http_client=http),
            sampling_callback=lends,
        ) as client,
    ):
        workers.proxy.passed.clear()
        result = await client.call_tool("fix_sql", {"sql": FOREIGN})
        assert result.structured_content["method"] == "client"
    assert set(workers.proxy.passed[:2]) == {0, 1}


async def test_sessions_stay_with_the_worker_of_their_token(workers: Workers) -> None:
    workers.choose(by_token)
    async with AsyncExitStack() as stack:
        callers = Callers(f"{workers.address}/mcp", "legacy", stack)
        for name in ("ann", "bob"):
            await worked(await callers.caller(name))


def test_a_session_that_reaches_the_other_worker_must_start_again(workers: Workers) -> None:
    workers.choose(by_turns)
    session = in_session(workers.address, "ann", initialize()).headers["mcp-session-id"]
    answers = [in_session(workers.address, "ann", PING, session).status_code for _ in range(2)]
    assert answers == [404, 200]


async def test_workers_without_sessions_serve_older_clients_in_turn(
    stateless: Workers,
) -> None:
    before = recorded(stateless)
    async with AsyncExitStack() as stack:
        callers = Callers(f"{stateless.address}/mcp", "legacy", stack)
        ann = await callers.caller("ann")
        await worked(ann)
        await worked(await callers.caller("bob"))
    assert set(stateless.proxy.passed) == {0, 1}
    assert recorded(stateless) - before == CALLS * 2


async def test_the_journal_of_both_is_one_unbroken_chain(workers: Workers) -> None:
    workers.choose(by_turns)
    before = recorded(workers)
    async with AsyncExitStack() as stack:
        callers = Callers(f"{workers.address}/mcp", "auto", stack)
        clients = [await callers.caller(name) for name in ("ann", "bob", "ann")]
        async with anyio.create_task_group() as group:
            for client in clients:
                group.start_soon(worked, client)
    assert recorded(workers) - before == CALLS * len(clients)


def recorded(workers: Workers) -> int:
    """Return how many records there are, all of them whole, and of the two callers alone."""
    with closing(SqliteJournal(workers.journal)) as journal:
        verdict = journal.verify()
        assert verdict.ok
        assert {link.execution().owner for link in journal.entries()} <= {"token ann", "token bob"}
        return verdict.records


def test_health_and_readiness_need_no_token_and_show_no_detail(workers: Workers) -> None:
    for at in workers.proxy.workers:
        assert httpx2.get(f"{at}/healthz", timeout=120).json() == {"status": "ok"}
        assert httpx2.get(f"{at}/readyz", timeout=120).json() == {"status": "ready"}
        assert "server" not in httpx2.get(f"{at}/healthz", timeout=120).headers
