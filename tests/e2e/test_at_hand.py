"""Calls for which everything is at hand: they wait for nobody, and else nothing is different."""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from fakes.gated_engine import PATIENCE, GatedEngine
from fakes.hashed_embedder import HashedEmbedder
from mcp import Client

from moviegraph.app import create_server
from moviegraph.embeddings.embedder import Progress, Vector, Vectors
from moviegraph.engines.base import Budget, Cancellation, Description, ResultSet, Statement
from moviegraph.engines.embedded.engine import EmbeddedEngine
from moviegraph.engines.embedded.result_cache import MAX_CELLS, NonblockingEngine
from moviegraph.engines.graph_reader import GraphReader
from moviegraph.journal.execution_records import Execution
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.retrieval import road
from moviegraph.retrieval.session import Caps, Session
from moviegraph.settings import Settings
from moviegraph.sql.decision import Decision
from moviegraph.sql.guard import judge
from moviegraph_tools.ending import Ending

SOUPS = {"sql": "SELECT r.Title FROM Recipe AS r WHERE r.Title LIKE '%soup%'"}
NEAREST = {
    "sql": "SELECT TOP 3 r.Title FROM Recipe AS r "
    "ORDER BY VECTOR_DISTANCE('cosine', r.Meaning, @q)",
    "query": "a warm soup",
}
HELD = {"sql": "SELECT COUNT(*) AS n FROM Recipe AS r WHERE r.Title = 'held'"}
TYPO = {"sql": "SELECT r.Titel FROM Recipe AS r WHERE r.Title LIKE '%soup%'"}
CHANGES = {"execution_id", "elapsed_ms"}


class HeldEngine(GatedEngine):
    """Holds some statements, and leaves the others to an engine that may have them at hand."""

    def __init__(self, engine: EmbeddedEngine) -> None:
        super().__init__("held")
        self._engine = engine

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        if "held" in statement.allowed.sql:
            return super().execute(statement, budget)
        self.executed.append(statement.allowed.sql)
        return self._engine.execute(statement, budget)

    def compile(self, statement: Statement, cancellation: Cancellation | None = None) -> None:
        self._engine.compile(statement, cancellation)

    def describe(self) -> Description:
        return self._engine.describe()

    def reader(self, budget: Budget) -> AbstractContextManager[GraphReader]:
        return self._engine.reader(budget)

    def nonblocking(self) -> NonblockingEngine:
        return self._engine.nonblocking()


class RememberingEmbedder(HashedEmbedder):
    """Knows what was asked of it."""

    def __init__(self) -> None:
        super().__init__()
        self._asked: set[str] = set()

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        self._asked.update(texts)
        return super().embed(texts, progress)

    def known(self, text: str) -> Vector | None:
        return super().embed([text])[0] if text in self._asked else None


class WatchedJournal(SqliteJournal):
    """Notes in which thread each record is appended."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.threads: list[int] = []

    def record(self, execution: Execution) -> None:
        super().record(execution)
        self.threads.append(threading.get_ident())

    def record_at_once(self, execution: Execution) -> bool:
        done = super().record_at_once(execution)
        if done:
            self.threads.append(threading.get_ident())
        return done

    @property
    def in_loop(self) -> list[bool]:
        return [each == threading.get_ident() for each in self.threads]


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[WatchedJournal]:
    with closing(WatchedJournal(tmp_path / "journal.sqlite")) as opened:
        yield opened


@pytest.fixture
def watched(session: Session, journal: WatchedJournal) -> Session:
    return replace(session, journal=journal, embedder=RememberingEmbedder())


async def answer(
    client: Client, arguments: dict[str, Any], tool: str = "run_readonly_sql"
) -> dict[str, Any]:
    found = await client.call_tool(tool, arguments)
    facts: dict[str, Any] = found.structured_content or {}
    return {name: value for name, value in facts.items() if name not in CHANGES}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        pytest.param("run_readonly_sql", SOUPS, id="statement"),
        pytest.param("run_readonly_sql", NEAREST, id="statement with @q"),
        pytest.param("semantic_search", {"query": "a warm soup"}, id="by meaning"),
        pytest.param("fulltext_search", {"query": "soup"}, id="by words"),
        pytest.param("get_records", {"kind": "Recipe", "ids": [1, 2]}, id="records"),
    ],
)
async def test_a_repeated_call_is_answered_in_the_loop_with_the_same_rows(
    watched: Session, journal: WatchedJournal, tool: str, arguments: dict[str, Any], mode: str
) -> None:
    async with Client(create_server(Settings(), session=watched), mode=mode) as client:
        answers = [await answer(client, arguments, tool) for _ in range(4)]
    *_, second, third, last = answers
    assert answers[0] == second == third == last
    assert "error" not in last
    assert journal.in_loop[-2:] == [True, True]
    assert not journal.in_loop[0]
    told = [
        each.model_dump(exclude={"id", "call_id", "created", *CHANGES})
        for each in journal.recent("local")
    ]
    assert told[0] == told[1] == told[2] == told[3]
    assert (journal.verify().ok, journal.verify().records) == (True, 4)


async def test_no_statement_is_judged_in_the_loop(
    watched: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []

    def judging(*given: Any, **named: Any) -> Decision:
        threads.append(threading.get_ident())
        return judge(*given, **named)

    monkeypatch.setattr(road, "judge", judging)
    async with Client(create_server(Settings(), session=watched)) as client:
        for query in ("soup", "stew", "bread"):
            before = len(threads)
            found = await answer(client, {"query": query, "where": "Number > 0"}, "fulltext_search")
            assert "error" not in found
        assert len(threads) == before > 0
    assert threading.get_ident() not in threads


async def test_it_is_answered_while_every_place_is_taken(session: Session) -> None:
    inner: Any = session.engine
    engine = HeldEngine(inner)
    settings = Settings(max_running=1, max_waiting=0, slow_after=3600)
    server = create_server(settings, session=replace(session, engine=engine))
    async with Client(server) as client, anyio.create_task_group() as group:
        known = await answer(client, SOUPS)
        group.start_soon(answer, client, HELD)
        assert await anyio.to_thread.run_sync(engine.arrived.get, True, PATIENCE)
        assert await answer(client, SOUPS) == known
        assert (await answer(client, NEAREST))["error"]["code"] == "busy"
        engine.let_go()


async def test_a_server_that_ends_takes_it_on_no_more(session: Session) -> None:
    ending = Ending()
    async with Client(create_server(Settings(), session=session, ending=ending)) as client:
        await answer(client, SOUPS)
        await ending.drain(0)
        assert (await answer(client, SOUPS))["error"]["code"] == "busy"


@pytest.mark.parametrize("arguments", [TYPO, {"sql": "DROP TABLE Recipe"}], ids=("typo", "refused"))
async def test_what_was_refused_is_mended_or_refused_in_a_thread_each_time(
    watched: Session, journal: WatchedJournal, arguments: dict[str, Any]
) -> None:
    async with Client(create_server(Settings(), session=watched)) as client:
        first, second = [await answer(client, arguments) for _ in range(2)]
    assert first == second
    assert journal.in_loop == [False, False]


async def test_a_large_result_is_made_ready_in_a_thread(
    session: Session, journal: WatchedJournal
) -> None:
    rows, columns = 100, MAX_CELLS // 100 + 1
    numbers = ", ".join(f"s.value AS c{number}" for number in range(columns))
    sql = {"sql": f"SELECT {numbers} FROM GENERATE_SERIES(1, {rows}) AS s", "top": rows}
    caps = Caps(top=rows, top_expanded=rows)
    watched = replace(session, journal=journal, caps=caps)
    async with Client(create_server(Settings(), session=watched)) as client:
        first, second = [await answer(client, sql) for _ in range(2)]
    assert first == second
    assert first["row_count"] == rows
    assert journal.in_loop == [False, False]


async def test_a_journal_that_another_process_holds_holds_nobody_else_up(
    watched: Session, journal: WatchedJournal, tmp_path: Path
) -> None:
    answers: list[dict[str, Any]] = []

    async def call(client: Client) -> None:
        answers.append(await answer(client, SOUPS))

    async with (
        Client(create_server(Settings(), session=watched)) as client,
        anyio.create_task_group() as group,
    ):
        await call(client)
        with closing(sqlite3.connect(tmp_path / "journal.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            group.start_soon(call, client)
            with anyio.fail_after(PATIENCE):
                assert (await client.list_tools()).tools
            assert len(answers) == 1
            other.execute("ROLLBACK")
    first, second = answers
    assert first == second
    assert journal.in_loop == [False, False]
    assert journal.verify().records == 2
