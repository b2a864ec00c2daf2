"""An engine over the scripted server, and the calls that tests make of it."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fakes.limits import budget
from fakes.odbc_drivers import OdbcDriver
from fakes.tds.refusals import PAUSED
from fakes.tds.script import Answers
from fakes.tds.server import TdsServer

from moviegraph.contract.model import Contract
from moviegraph.embeddings.embedder import VectorSpace
from moviegraph.engines.base import Description, ResultSet, Statement, Vector
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
    """Return an engine over a server on loopback, without reading the metadata of the database."""
    return counted_engine(contract, driver, port, **options)[0]


def counted_engine(
    contract: Contract, driver: OdbcDriver, port: int, **options: Any
) -> tuple[MssqlEngine, "OpenPeak"]:
    """Return such an engine, and the peak number of its open connections."""
    string = with_driver(parse_connection_string(driver.string(port)))
    peak = OpenPeak(Connector(string))
    runner = Runner(peak.open, **options)
    peak.runner = runner
    return MssqlEngine(contract, runner, description(contract)), peak


class OpenPeak:
    """Counts connections at the client: the server notices the end of one later."""

    def __init__(self, connector: Connector) -> None:
        self.connections = 0
        self.runner: Runner | None = None
        self._connector = connector
        self._lock = threading.Lock()
        self._opening = 0

    def open(self, seconds: float | None = None) -> "pyodbc.Connection":
        """Open a connection, and update the peak."""
        with self._lock:
            self._opening += 1
            others = self.runner.counts.open if self.runner else 0
            self.connections = max(self.connections, others + self._opening)
        try:
            return self._connector.open(seconds)
        finally:
            with self._lock:
                self._opening -= 1


def description(contract: Contract) -> Description:
    """Return the description of a database with vectors."""
    return Description("mssql", contract.hash, "content", SPACE, {})


@dataclass
class Harness:
    """An engine over the scripted server: statements, threads, and recorded pauses."""

    contract: Contract
    driver: OdbcDriver
    server: TdsServer
    answers: Answers
    threads: ThreadPoolExecutor
    pauses: list[float] = field(default_factory=list[float])
    _engines: list[MssqlEngine] = field(default_factory=list[MssqlEngine])

    def connector(self, port: int | None = None, **options: Any) -> Connector:
        """Return a connector, as the server creates it from a setting."""
        text = self.driver.string(port or self.server.port)
        return Connector(with_driver(parse_connection_string(text)), **options)

    def engine(self, connector: Connector | None = None, **options: Any) -> MssqlEngine:
        """Return an open engine; between attempts it records the pause and continues at once."""
        options.setdefault("pause", self.pause)
        runner = Runner((connector or self.connector()).open, **options)
        self._engines.append(MssqlEngine(self.contract, runner, description(self.contract)))
        return self._engines[-1]

    def pause(self, _stopped: threading.Event, seconds: float) -> None:
        """Record a pause between two attempts."""
        self.pauses.append(seconds)

    def statement(
        self, word: str, sql: str | None = None, vector: Vector | None = None
    ) -> Statement:
        """Return a validated statement with the word that selects the response of the server."""
        sql = sql or f"SELECT TOP 60 m.Id, m.Name FROM Movie AS m WHERE m.Name = '{word}'"
        decision = judge(sql, self.contract)
        assert isinstance(decision, Allowed), decision
        return Statement(decision, vector)

    def execute(self, engine: MssqlEngine, word: str, **changes: Any) -> ResultSet:
        """Run the statement of a word."""
        return engine.execute(self.statement(word), budget(**changes))

    def start(self, engine: MssqlEngine, word: str, **changes: Any) -> "Future[ResultSet]":
        """Run the statement of a word in another thread; return when the server has it."""
        future = self.threads.submit(self.execute, engine, word, **changes)
        self.server.record.wait_for_call(word)
        return future

    def until_free(self, engine: MssqlEngine, word: str) -> ResultSet:
        """Run the statement of a word as soon as a slot is free."""
        for _ in range(1_200):
            try:
                return self.execute(engine, word)
            except UnavailableError:
                continue
        raise AssertionError("no slot became free")

    def pause_database(self, times: int) -> None:
        """Answer the next logins as a paused database."""
        self.server.logins.extend([PAUSED] * times)

    def sent(self) -> list[str]:
        """Return the statements that reached the server, without those that set a session."""
        texts = [call.sql for call in self.server.record.calls]
        return [text for text in texts if "FROM [" in text]

    def close(self) -> None:
        """Close the engines."""
        for engine in self._engines:
            engine.close()
