"""The command over HTTP, and a database that fails under it and comes back."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from fakes.odbc_drivers import OdbcDriver
from fakes.served_process import KITCHEN, ServerProcess, running_server
from fakes.spoilable_server import SpoilableServer
from fakes.tds.script import Call, Fail, HangUp, Rows, Step
from fakes.tds.server import TdsServer
from fakes.tds.types import INT, NVARCHAR
from fakes.toy_graph import toy_contract
from mcp import Client

from moviegraph.embeddings.local_embedder import SPACE

ROW = Rows([("Number", INT), ("Title", NVARCHAR)], [(1, "Hummus")])
TRUNCATED_ROWS = Rows([("Number", INT), ("Title", NVARCHAR)], [(1, "Hummus")] * 20, cut=HangUp())
SQL = {"sql": "SELECT r.Number, r.Title FROM Recipe AS r"}
PASSWORD = "s3cret-Pa;ss"


@pytest.fixture
def live(server: TdsServer) -> SpoilableServer:
    live = SpoilableServer.of(toy_contract(), SPACE)
    live.otherwise = [ROW]
    server.script = live
    return live


@pytest.fixture
def running(
    driver: OdbcDriver, server: TdsServer, live: SpoilableServer, tmp_path: Path
) -> Iterator[ServerProcess]:
    environment = {
        "MOVIEGRAPH_ENGINE": "mssql",
        "MOVIEGRAPH_MSSQL": driver.string(server.port, password=PASSWORD),
        "MOVIEGRAPH_LOG_FORMAT": "json",
        "MOVIEGRAPH_TIMEOUT": "3",
    }
    with running_server(tmp_path / "server", *KITCHEN, environment=environment) as server_address:
        yield server_address
    assert "s3cret" not in server_address.log


async def tool_content(client: Client) -> dict[str, Any]:
    return (await client.call_tool("run_readonly_sql", SQL)).structured_content or {}


CUTS: tuple[Sequence[Step], ...] = (
    [HangUp()],
    [TRUNCATED_ROWS],
    [Fail(596, "Cannot continue the execution because the session is in the kill state.", 21)],
)


async def test_a_statement_cut_each_time_says_so_and_the_next_call_works(
    running: ServerProcess, server: TdsServer, live: SpoilableServer
) -> None:
    async with Client(running.url) as client:
        assert (await tool_content(client))["rows"] == [[1, "Hummus"]]
        server.drop_connections()
        assert (await tool_content(client))["rows"] == [[1, "Hummus"]], "cut between two calls"
        for steps in CUTS:
            live.otherwise = steps
            failed = (await tool_content(client))["error"]
            assert failed["code"] == "unavailable", failed
            assert "again" in failed["hint"]
            live.otherwise = [ROW]
            assert (await tool_content(client))["rows"] == [[1, "Hummus"]]
        server.script = once([HangUp()], live)
        assert (await tool_content(client))["rows"] == [[1, "Hummus"]], "cut once only"


def once(steps: Sequence[Step], then: Callable[[Call], Sequence[Step]]) -> Any:
    """Answer the first statement about recipes otherwise."""
    remaining_steps = [steps]

    def answer(call: Call) -> Sequence[Step]:
        return remaining_steps.pop() if remaining_steps and "SELECT TOP" in call.sql else then(call)

    return answer


async def test_a_server_that_is_gone_is_reported_and_used_when_it_is_back(
    running: ServerProcess, server: TdsServer, live: SpoilableServer
) -> None:
    async with Client(running.url) as client:
        assert (await tool_content(client))["rows"] == [[1, "Hummus"]]
        server.close()
        failed = (await tool_content(client))["error"]
        assert str(server.port) not in str(failed)
        assert "127.0.0.1" not in str(failed)
        with TdsServer(live, port=server.port):
            assert (await tool_content(client))["rows"] == [[1, "Hummus"]]


async def test_a_server_that_is_gone_at_the_start_is_used_when_it_is_there(
    driver: OdbcDriver, live: SpoilableServer, server: TdsServer, tmp_path: Path
) -> None:
    server.close()
    environment = {
        "MOVIEGRAPH_ENGINE": "mssql",
        "MOVIEGRAPH_MSSQL": driver.string(server.port, password=PASSWORD),
    }
    with running_server(tmp_path / "server", *KITCHEN, environment=environment) as running:
        async with Client(running.url) as client:
            failed = (await tool_content(client))["error"]
            assert "The database cannot be used" in failed["message"]
            assert "MOVIEGRAPH_MSSQL" in running.log
            with TdsServer(live, port=server.port):
                assert (await tool_content(client))["rows"] == [[1, "Hummus"]]
