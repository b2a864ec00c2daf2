"""Statements that try to exhaust the engine: time beyond the limit, and memory.

The folder is the first argument or MOVIEGRAPH_BENCH_GRAPH; without one, the built-in graph is built
in a scratch folder. During each statement a second thread runs small ones on the same engine.
Targets: at most 250 ms beyond the limit, memory bounded, every small statement succeeds.
"""

import os
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.budgets import budget
from benchmarks.report import table, write
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.base import Engine, Statement
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.errors import ModelVisibleError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

SECONDS = 1.0
STATEMENTS = Path(__file__).parents[1] / "tests" / "golden" / "bombs.sql"
SMALL_SQL = "SELECT COUNT(*) AS n FROM Genre AS g"
PAGE_KB = 4


def statements() -> dict[str, str]:
    """Return the statements by name."""
    blocks = ("\n" + STATEMENTS.read_text(encoding="utf-8")).split("\n-- name: ")[1:]
    line_lists = (block.split("\n") for block in blocks)
    return {
        name: "\n".join(line for line in lines if not line.startswith("--")).strip()
        for name, *lines in line_lists
    }


def check(sql: str, contract: Contract) -> Statement | None:
    """Return the statement if the guard allows it."""
    decision = judge(sql, contract)
    return Statement(decision, None) if isinstance(decision, Allowed) else None


class SmallStatementLoop:
    """Runs a small statement repeatedly and measures its maximum time."""

    def __init__(self, engine: Engine, small: Statement) -> None:
        self._engine = engine
        self._small = small
        self.slowest = 0.0
        self.calls = 0

    @contextmanager
    def running(self) -> Generator[None]:
        """Run the statement in a thread during the block."""
        done = threading.Event()
        thread = threading.Thread(target=self._run, args=(done,))
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _run(self, done: threading.Event) -> None:
        while not done.wait(0.02):
            start = time.perf_counter()
            self._engine.execute(self._small, budget())
            self.slowest = max(self.slowest, time.perf_counter() - start)
            self.calls += 1


def memory_mb() -> float:
    """Return the resident memory of this process in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_KB / 1024


def run(engine: Engine, statement: Statement) -> tuple[str, float]:
    """Run one statement; return its outcome and the milliseconds beyond the limit."""
    start = time.perf_counter()
    try:
        engine.execute(statement, budget(seconds=SECONDS))
        outcome = "rows"
    except ModelVisibleError as error:
        outcome = error.code
    return outcome, max(0.0, time.perf_counter() - start - SECONDS) * 1000


def measure(engine: Engine, contract: Contract) -> dict[str, float | int]:
    """Run all statements, print them, and return the values."""
    small = check(SMALL_SQL, contract)
    assert small is not None
    loop = SmallStatementLoop(engine, small)
    rows: list[tuple[str, str, float, float]] = []
    for name, sql in statements().items():
        statement = check(sql, contract)
        if statement is None:
            rows.append((name, "refused by the guard", 0.0, memory_mb()))
            continue
        with loop.running():
            rows.append((name, *run(engine, statement), memory_mb()))
    cells = [(name, how, f"{over:.0f}", f"{size:.0f}") for name, how, over, size in rows]
    table("Exhausting statements", ("statement", "outcome", "ms beyond", "MB after"), cells)
    return {
        "statements": len(rows),
        "stopped_by_time": sum(how == "timeout" for _, how, _, _ in rows),
        "most_ms_beyond_the_limit": round(max(over for _, _, over, _ in rows)),
        "most_memory_mb": round(max(size for *_, size in rows)),
        "calls_beside": loop.calls,
        "slowest_call_beside_ms": round(loop.slowest * 1000),
    }


def build_graph(folder: Path, contract: Contract) -> Path:
    """Build the built-in graph."""
    from moviegraph.embeddings.local_embedder import LocalEmbedder
    from moviegraph.loading.folder_loader import ensure_builtin_graph

    return ensure_builtin_graph(folder / "builtin", contract, LocalEmbedder())


def main() -> None:
    """Measure and store the values."""
    graph = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MOVIEGRAPH_BENCH_GRAPH")
    contract = load_contract()
    with TemporaryDirectory() as scratch:
        folder = Path(graph) if graph else build_graph(Path(scratch), contract)
        engine = open_graph(folder, contract)
        try:
            measurements = measure(engine, contract)
        finally:
            engine.close()
    write("bombs" if graph else "bombs_builtin", measurements)


if __name__ == "__main__":
    main()
