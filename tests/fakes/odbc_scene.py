"""An engine over the scripted server, and the calls that tests make of it."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fakes.odbc import OdbcDriver
from fakes.tds.refusals import PAUSED
from fakes.tds.script import Answers
from fakes.tds.server import TdsServer

from moviegraph.contract.model import Contract
from moviegraph.contract.vector_space import VectorSpace
from moviegraph.engines.base import Budget, Description, ResultSet, Statement, Vector
from moviegraph.engines.sqlserver.connection import Connector
from moviegraph.engines.sqlserver.connection_string import parse_connection_string
from moviegraph.engines.sqlserver.execution import Runner
from moviegraph.engines.sqlserver.mssql_engine import MssqlEngine
from moviegraph.engines.sqlserver.odbc_driver import with_driver
from moviegraph.errors import UnavailableError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

if TYPE_CHECKING:
    import pyodbc

SPACE = VectorSpace("test", "numbers", 384)


def plain_engine(contract: Contract, driver: OdbcDriver, port: int, **options: Any) -> MssqlEngine:
    """Return an engine over a server on loopback, without asking that what it holds."""
    return counted_engine(contract, driver, port, **options)[0]


def counted_engine(
    contract: Contract, driver: OdbcDriver, port: int, **options: Any
) -> tuple[MssqlEngine, "Most"]:
    """Return such an engine, and how many connections it had at most."""
    string = with_driver(parse_connection_string(driver.string(port)))
    most = Most(Connector(string))
    runner = Runner(most.open, **options)
    most.runner = runner
    return MssqlEngine(contract, runner, known(contract)), most


class Most:
    """Counts at the client: a server sees the end of a connection later than who closed it."""

    def __init__(self, connector: Connector) -> None:
        self.connections = 0
        self.runner: Runner | None = None
        self._connector = connector
        self._lock = threading.Lock()
        self._opening = 0

    def open(self, seconds: float | None = None) -> "pyodbc.Connection":
        """Open a connection, and note how many there are with it."""
        with self._lock:
            self._opening += 1
            others = self.runner.counts.open if self.runner else 0
            self.connections = max(self.connections, others + self._opening)
        try:
            return self._connector.open(seconds)
        finally:
            with self._lock:
                self._opening -= 1


def known(contract: Contract) -> Description:
    """Return what an engine knows of a database with vectors."""
    return Description("mssql", contract.hash, "content", SPACE, {})


@dataclass
class Scene:
    """An engine over the scripted server: statements, calls in other threads, what was waited."""

    contract: Contract
    driver: OdbcDriver
    server: TdsServer
    answers: Answers
    threads: ThreadPoolExecutor
    rests: list[float] = field(default_factory=list[float])
    _engines: list[MssqlEngine] = field(default_factory=list[MssqlEngine])

    def connector(self, port: int | None = None, **options: Any) -> Connector:
        """Return what opens connections, as the server would make it from a setting."""
        text = self.driver.string(port or self.server.port)
        return Connector(with_driver(parse_connection_string(text)), **options)

    def engine(self, connector: Connector | None = None, **options: Any) -> MssqlEngine:
        """Return an engine that is open; between tries it notes the wait and goes on at once."""
        options.setdefault("pause", self.rest)
        runner = Runner((connector or self.connector()).open, **options)
        self._engines.append(MssqlEngine(self.contract, runner, known(self.contract)))
        return self._engines[-1]

    def rest(self, _stopped: threading.Event, seconds: float) -> None:
        """Note a wait between two tries."""
        self.rests.append(seconds)

    def statement(
        self, word: str, sql: str | None = None, vector: Vector | None = None
    ) -> Statement:
        """Return a judged statement that holds the word by which the server knows its answer."""
        sql = sql or f"SELECT TOP 60 m.Id, m.Name FROM Movie AS m WHERE m.Name = '{word}'"
        decision = judge(sql, self.contract)
        assert isinstance(decision, Allowed), decision
        return Statement(decision, vector)

    def execute(self, engine: MssqlEngine, word: str, **budget: Any) -> ResultSet:
        """Run the statement of a word."""
        return engine.execute(self.statement(word), Budget(**budget))

    def start(self, engine: MssqlEngine, word: str, **budget: Any) -> "Future[ResultSet]":
        """Run the statement of a word in another thread; return when the server has it."""
        future = self.threads.submit(self.execute, engine, word, **budget)
        self.server.record.wait_for_call(word)
        return future

    def until_free(self, engine: MssqlEngine, word: str) -> ResultSet:
        """Run the statement of a word as soon as a place is free."""
        for _ in range(1_200):
            try:
                return self.execute(engine, word)
            except UnavailableError:
                continue
        raise AssertionError("no place became free")

    def pause_database(self, times: int) -> None:
        """Let the next log-ins meet a paused database."""
        self.server.logins.extend([PAUSED] * times)

    def sent(self) -> list[str]:
        """Return the statements that reached the server, without those that set a session."""
        texts = [call.sql for call in self.server.record.calls]
        return [text for text in texts if "FROM [" in text]

    def close(self) -> None:
        """Close the engines."""
        for engine in self._engines:
            engine.close()
