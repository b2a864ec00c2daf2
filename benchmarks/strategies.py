"""Ten strategies in one call compared with ten calls of run_readonly_sql; and recall.

Run with `python -m benchmarks.strategies GRAPH`. Every round uses two new servers in this process,
so that neither uses caches of the other.
"""

import asyncio
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client

from benchmarks.report import table, write
from moviegraph.contract.loader import load_contract
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.engines.base import Engine
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.journal.execution_records import Execution, new_execution_id
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.query.opening import session_limits
from moviegraph.query.recall import recall
from moviegraph.query.session import Call, Session
from moviegraph.server import create_server
from moviegraph.settings import Settings

ROUNDS = 7
EARLIER_QUESTIONS = 500
QUESTION = "I have seen all Star Wars movies, what is similar?"
NEAREST = "ORDER BY VECTOR_DISTANCE('cosine', {}.Embedding, @q)"
STRATEGIES: tuple[tuple[str, str | None, str], ...] = (
    (
        "meaning",
        "rebels against a galactic empire",
        f"SELECT TOP 20 m.Id, m.Name FROM Movie AS m {NEAREST.format('m')}",
    ),
    (
        "words",
        None,
        (
            "SELECT TOP 20 m.Id, m.Name FROM Movie AS m "
            'WHERE CONTAINS(m.Content, \'"rebel*" AND "space*"\')'
        ),
    ),
    (
        "ranked words",
        None,
        (
            "SELECT TOP 20 m.Id, m.Name FROM Movie AS m INNER JOIN FREETEXTTABLE(Movie, Content, "
            "'space rebels fighting tyranny') AS f ON f.[KEY] = m.Id ORDER BY f.RANK DESC"
        ),
    ),
    (
        "shared themes",
        None,
        (
            "SELECT TOP 20 o.Id, o.Name, COUNT(*) AS Shared FROM Movie AS m, INCLUDES_THEME AS a, "
            "Theme AS t, INCLUDES_THEME AS b, Movie AS o WHERE MATCH(m-(a)->t<-(b)-o) "
            "AND m.Name = 'Star Wars' AND o.Id <> m.Id GROUP BY o.Id, o.Name "
            "ORDER BY Shared DESC, o.Id"
        ),
    ),
    (
        "genre and meaning",
        "a young hero learns a mystic power",
        (
            "SELECT TOP 20 m.Id, m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g "
            f"WHERE MATCH(m-(i)->g) AND g.Name = 'Science Fiction' {NEAREST.format('m')}"
        ),
    ),
    (
        "nearest themes",
        "rebellion against tyranny",
        (
            "SELECT TOP 20 m.Id, m.Name FROM "
            f"(SELECT TOP 5 t.Id FROM Theme AS t {NEAREST.format('t')}) AS n, "
            "Theme AS t, INCLUDES_THEME AS e, Movie AS m WHERE MATCH(m-(e)->t) AND t.Id = n.Id"
        ),
    ),
    (
        "setting",
        None,
        (
            "SELECT TOP 20 m.Id, m.Name FROM Movie AS m, SET_IN AS e, Setting AS s "
            "WHERE MATCH(m-(e)->s) AND s.Name LIKE '%Space%' ORDER BY m.ReleaseYear DESC, m.Id"
        ),
    ),
    ("to repair", None, "SELECT Title, Id FROM Movies WHERE Title LIKE '%star%' LIMIT 20"),
    (
        "characters",
        "a farm boy who becomes a knight",
        f"SELECT TOP 20 c.Id, c.Name FROM [Character] AS c {NEAREST.format('c')}",
    ),
    (
        "counted themes",
        None,
        (
            "SELECT TOP 20 t.Id, t.Name, COUNT(*) AS n "
            "FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t) "
            "GROUP BY t.Id, t.Name ORDER BY n DESC"
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class CallCost:
    """CPU and wall time in milliseconds."""

    cpu: float
    wall: float


def new_session(engine: Engine, embedder: LocalEmbedder) -> Session:
    """Return a session with a journal of its own."""
    contract = load_contract()
    limits = session_limits(Settings(), contract)
    return Session(contract, engine, embedder, SqliteJournal(None), limits)


async def cost(engine: Engine, work: Callable[[Client], Awaitable[None]]) -> CallCost:
    """Return the cost of some work on a new server, once it is open."""
    embedder = LocalEmbedder()
    embedder.load()
    session = new_session(engine, embedder)
    async with Client(create_server(Settings(), session=session)) as client:
        await client.call_tool("get_planning_context", {"section": "rules"})
        cpu, wall = time.process_time(), time.perf_counter()
        await work(client)
        return CallCost(1e3 * (time.process_time() - cpu), 1e3 * (time.perf_counter() - wall))


async def call_singly(client: Client) -> None:
    """Run each statement in a separate call."""
    for _, query, sql in STRATEGIES:
        result = await client.call_tool("run_readonly_sql", {"sql": sql, "query": query})
        assert not result.is_error, result.content


def plan(same: bool = False) -> dict[str, Any]:
    """Return the arguments of run_strategies, optionally with ten equal commands."""
    strategies = [STRATEGIES[0]] * len(STRATEGIES) if same else list(STRATEGIES)
    return {
        "question": QUESTION,
        "strategies": [
            {"id": f"{number}", "message_to_user": name, "query": query, "command": sql}
            for number, (name, query, sql) in enumerate(strategies)
        ],
    }


async def call_together(client: Client) -> None:
    """Run all strategies in one call."""
    result = await client.call_tool("run_strategies", plan())
    assert result.structured_content is not None
    assert [execution["status"] for execution in result.structured_content["executions"]] == [
        "ok"
    ] * 10


async def call_repeated(client: Client) -> None:
    """Run ten equal commands in one call."""
    await client.call_tool("run_strategies", plan(same=True))


def recall_ms(engine: Engine) -> tuple[float, float]:
    """Return the CPU time of a recall among earlier questions: the first one, and with caches."""
    embedder = LocalEmbedder()
    embedder.load()
    session = new_session(engine, embedder)
    for number in range(EARLIER_QUESTIONS):
        session.journal.record(
            Execution(
                id=new_execution_id(),
                owner="local",
                tool="run_strategies",
                created="2026-01-01T00:00:00Z",
                status="ok",
                question=f"films about rebels who fight tyrant number {number} in space",
                sql="SELECT 1",
                quality={"score": 0.5},
                content_hash=engine.describe().content_hash,
            )
        )
    times: list[float] = []
    for number in range(60):
        start = time.process_time()
        question = f"movies on rebels fighting the tyrant number {number} in space"
        recall(session, Call("test"), question)
        times.append(1e3 * (time.process_time() - start))
    return times[0], statistics.median(times[-10:])


async def measure(engine: Engine) -> dict[str, Any]:
    """Return the values; the first round warms up the engine and is dropped."""
    pairs = [
        (await cost(engine, call_singly), await cost(engine, call_together)) for _ in range(ROUNDS)
    ][1:]
    same = [await cost(engine, call_repeated) for _ in range(ROUNDS)]
    first, warm = recall_ms(engine)
    return {
        "rounds": len(pairs),
        "ten_single_calls_cpu_ms": round(statistics.median(single.cpu for single, _ in pairs), 1),
        "one_plan_cpu_ms": round(statistics.median(plan.cpu for _, plan in pairs), 1),
        "cpu_ratio": round(statistics.median(plan.cpu / single.cpu for single, plan in pairs), 2),
        "ten_single_calls_wall_ms": round(statistics.median(single.wall for single, _ in pairs), 1),
        "one_plan_wall_ms": round(statistics.median(plan.wall for _, plan in pairs), 1),
        "wall_ratio": round(
            statistics.median(plan.wall / single.wall for single, plan in pairs), 2
        ),
        "ten_equal_commands_cpu_ms": round(statistics.median(call.cpu for call in same), 1),
        "recall_first_ms": round(first, 1),
        "recall_warm_ms": round(warm, 1),
    }


def main() -> None:
    """Measure, print and store the values."""
    contract = load_contract()
    graph = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MOVIEGRAPH_BENCH_GRAPH")
    if not graph:
        sys.exit("Specify a graph folder as the argument or in MOVIEGRAPH_BENCH_GRAPH.")
    engine = open_graph(Path(graph), contract)
    try:
        measurements = asyncio.run(measure(engine))
    finally:
        engine.close()
    table(
        "Strategies",
        ("measure", "value"),
        [(name, str(value)) for name, value in measurements.items()],
    )
    write("strategies", measurements)


if __name__ == "__main__":
    main()
