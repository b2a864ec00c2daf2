"""The database that the engine suite makes on a real server, tried against a scripted one."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.odbc_drivers import OdbcDriver
from fakes.scratch_database import EDITION, NotEmptyError, ScratchDatabase, scratch_database
from fakes.scripted_graph import ScriptedGraph
from fakes.small_graph import rows
from fakes.sources import source
from fakes.spoilable_server import SpoilableServer
from fakes.tds.script import Call, Fail, Rows, Step
from fakes.tds.server import TdsServer
from fakes.tds.types import INT

from moviegraph.contract.ddl import script as ddl_script
from moviegraph.contract.loader import load_contract
from moviegraph.errors import DatabaseError

CONTRACT = load_contract()
EMBEDDER = HashedEmbedder()
EXISTING = [Rows([("n", INT)], [(1,)])]
ABSENT = [Rows([("n", INT)], [])]


class Server:
    """A script: the tables of a load, what the reader asks, and everything else is just done."""

    def __init__(self, edition: int) -> None:
        self.edition = edition
        self.graph = ScriptedGraph(CONTRACT, EMBEDDER.space.dimensions)
        self.live = SpoilableServer.of(CONTRACT, EMBEDDER.space)
        self.filled = False
        self.done: list[str] = []

    def __call__(self, call: Call) -> Sequence[Step]:
        sql = call.sql.replace("@P1", "?")
        if sql == EDITION:
            return [Rows([("Edition", INT)], [(self.edition,)])]
        if sql.startswith("SELECT 1 "):
            return EXISTING if self.filled and "OBJECT_ID" in sql else ABSENT
        if sql in self.graph.known:
            return self.graph(call)
        if sql in self.live.answers:
            return self.live(call)
        self.done.append(sql.strip())
        return []


@pytest.fixture(params=[3, 5], ids=["box", "azure"])
def script(request: pytest.FixtureRequest) -> Server:
    return Server(request.param)


@pytest.fixture
def server(script: Server) -> Iterator[TdsServer]:
    with TdsServer(script) as running:
        yield running


@pytest.fixture
def strings(driver: OdbcDriver, server: TdsServer) -> dict[str, str]:
    return {
        "admin": driver.string(server.port, user="owner"),
        "reader": driver.string(server.port, user="read'er"),
    }


def test_it_is_made_filled_read_and_taken_away(
    tmp_path: Path, script: Server, server: TdsServer, strings: dict[str, str]
) -> None:
    place = source(tmp_path / "in", rows())
    with scratch_database(CONTRACT, EMBEDDER, place, **strings) as database:
        assert len(script.graph.nodes["Movie"]) == 8
        engine = database.engine()
        assert engine.describe().counts["Movie"] == 8
        engine.close()
        first = " ".join(script.done)
        assert "CREATE TABLE [dbo].[Movie]" in first
        assert "ALTER ROLE moviegraph_reader ADD MEMBER [read'er]" in first
        assert "DROP" not in first
    last = [statement for statement in script.done if statement.startswith("DROP")]
    if script.edition == 3:
        assert script.done[0].startswith("CREATE DATABASE moviegraph_test_")
        assert "CREATE LOGIN [read'er] WITH PASSWORD = N's3cret-Pa;ss'" in script.done[1]
        assert [statement.split(" ")[1] for statement in last] == ["DATABASE", "LOGIN"]
    else:
        assert "CREATE USER [read'er] WITH PASSWORD = N's3cret-Pa;ss'" in first
        assert last.index("DROP TABLE IF EXISTS [dbo].[SET_IN];") < last.index(
            "DROP TABLE IF EXISTS [dbo].[Movie];"
        )
    reader_logins = [login for login in server.record.logins if login.user == "read'er"]
    assert {login.database for login in reader_logins} != {"master"}
    server.record.wait_for(lambda _: server.open == 0, "the end of all connections")


def test_whatever_fails_it_is_taken_away(
    tmp_path: Path, script: Server, strings: dict[str, str]
) -> None:
    script.graph.faults = {2: [Fail(1105, "Could not allocate space.")]}
    place = source(tmp_path / "in", rows())
    with (
        pytest.raises(DatabaseError, match="1105"),
        scratch_database(CONTRACT, EMBEDDER, place, **strings),
    ):
        pytest.fail("it was not loaded")
    assert any(statement.startswith("DROP") for statement in script.done)


def test_a_database_with_tables_of_the_contract_is_left_alone(
    tmp_path: Path, driver: OdbcDriver
) -> None:
    script = Server(5)
    script.filled = True
    with TdsServer(script) as server:
        string = driver.string(server.port)
        created = scratch_database(CONTRACT, EMBEDDER, tmp_path, admin=string, reader=string)
        with pytest.raises(NotEmptyError, match="holds a table"), created:
            pytest.fail("it was used")
    assert script.done == []


def test_the_script_is_run_batch_by_batch(
    tmp_path: Path, script: Server, strings: dict[str, str]
) -> None:
    place = source(tmp_path / "in", rows())
    lines: list[str] = []
    with scratch_database(CONTRACT, EMBEDDER, place, **strings) as database:
        del script.done[:]
        database.make()
        lines = list(script.done)
    assert isinstance(database, ScratchDatabase)
    assert len(lines) == ddl_script(CONTRACT, EMBEDDER.space.dimensions).count("\nGO\n")
    assert not any("\nGO" in line for line in lines)
