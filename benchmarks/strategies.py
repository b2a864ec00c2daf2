"""Ten strategies in one call beside ten calls of run_readonly_sql, on a loaded graph; and recall.

Run with `python -m benchmarks.strategies GRAPH`. Every round uses two fresh servers in this
process, so that neither side profits from what the other left in a cache.
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
from moviegraph.query.recall import recall
from moviegraph.query.session import Call, Session
from moviegraph.server import create_server
from moviegraph.settings import Settings

ROUNDS = 7
REMEMBERED = 500
QUESTION = "I have seen all Star Wars movies, what is similar?"
NEAREST = "ORDER BY VECTOR_DISTANCE('cosine', {}.Embedding, @q)"
TEN: tuple[tuple[str, str | None, str], ...] = (
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
class Cost:
    """Milliseconds of CPU and on the wall."""

    cpu: float
    wall: float


async def cost(engine: Engine, work: Callable[[Client], Awaitable[None]]) -> Cost:
    """Return what some work with a fresh server takes, once it is open."""
    embedder = LocalEmbedder()
    embedder.load()
    session = Session(load_contract(), engine, embedder, SqliteJournal(None))
    async with Client(create_server(Settings(), session=session)) as client:
        await client.call_tool("get_planning_context", {"section": "rules"})
        cpu, wall = time.process_time(), time.perf_counter()
        await work(client)
        return Cost(1e3 * (time.process_time() - cpu), 1e3 * (time.perf_counter() - wall))


async def singly(client: Client) -> None:
    for _, query, sql in TEN:
        result = await client.call_tool("run_readonly_sql", {"sql": sql, "query": query})
        assert not result.is_error, result.content


def plan(same: bool = False) -> dict[str, Any]:
    """Return the arguments of run_strategies; ten times the same command if wished."""
    chosen = [TEN[0]] * len(TEN) if same else list(TEN)
    return {
        "question": QUESTION,
        "strategies": [
            {"id": f"{number}", "message_to_user": name, "query": query, "command": sql}
            for number, (name, query, sql) in enumerate(chosen)
        ],
    }


async def together(client: Client) -> None:
    result = await client.call_tool("run_strategies", plan())
    assert result.structured_content is not None
    assert [each["status"] for each in result.structured_content["executions"]] == ["ok"] * 10


async def repeated(client: Client) -> None:
    await client.call_tool("run_strategies", plan(same=True))


def recall_ms(engine: Engine) -> tuple[float, float]:
    """Return the CPU time to recall among earlier questions: at first, and once they are known."""
    embedder = LocalEmbedder()
    embedder.load()
    session = Session(load_contract(), engine, embedder, SqliteJournal(None))
    for number in range(REMEMBERED):
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
        asked = f"movies on rebels fighting the tyrant number {number} in space"
        recall(session, Call("test"), asked)
        times.append(1e3 * (time.process_time() - start))
    return times[0], statistics.median(times[-10:])


async def measure(engine: Engine) -> dict[str, Any]:
    """Return the figures; the first round warms the engine up and is dropped."""
    pairs = [(await cost(engine, singly), await cost(engine, together)) for _ in range(ROUNDS)][1:]
    same = [await cost(engine, repeated) for _ in range(ROUNDS)]
    first, warm = recall_ms(engine)
    return {
        "rounds": len(pairs),
        "ten_single_calls_cpu_ms": round(statistics.median(one.cpu for one, _ in pairs), 1),
        "one_plan_cpu_ms": round(statistics.median(plan.cpu for _, plan in pairs), 1),
        "cpu_ratio": round(statistics.median(plan.cpu / one.cpu for one, plan in pairs), 2),
        "ten_single_calls_wall_ms": round(statistics.median(one.wall for one, _ in pairs), 1),
        "one_plan_wall_ms": round(statistics.median(plan.wall for _, plan in pairs), 1),
        "wall_ratio": round(statistics.median(plan.wall / one.wall for one, plan in pairs), 2),
        "ten_equal_commands_cpu_ms": round(statistics.median(each.cpu for each in same), 1),
        "recall_first_ms": round(first, 1),
        "recall_warm_ms": round(warm, 1),
    }


def main() -> None:
    """Measure, print and keep the figures."""
    contract = load_contract()
    arguments = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MOVIEGRAPH_BENCH_GRAPH")
    if not arguments:
        sys.exit("Name a graph folder: as the argument, or in MOVIEGRAPH_BENCH_GRAPH.")
    engine = open_graph(Path(arguments), contract, cache_bytes=0)
    try:
        figures = asyncio.run(measure(engine))
    finally:
        engine.close()
    table(
        "Strategies", ("figure", "value"), [(name, str(value)) for name, value in figures.items()]
    )
    write("strategies", figures)


if __name__ == "__main__":
    main()
