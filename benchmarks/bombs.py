"""Statements made to exhaust the engine: how far beyond its limit each runs, and what it costs.

The folder is the first argument or MOVIEGRAPH_BENCH_GRAPH; without one, the graph in the box is
built in a scratch folder. Beside each statement a bystander runs small ones on the same engine.
Targets: at most 250 ms beyond the limit, memory bounded, every call of the bystander answered.
"""

import os
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.report import table, write
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.base import Budget, Engine, Statement
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.errors import ModelVisibleError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

SECONDS = 1.0
STATEMENTS = Path(__file__).parents[1] / "tests" / "golden" / "bombs.sql"
SMALL = "SELECT COUNT(*) AS n FROM Genre AS g"
PAGE_KB = 4


def statements() -> dict[str, str]:
    """Return the statements by name."""
    blocks = ("\n" + STATEMENTS.read_text(encoding="utf-8")).split("\n-- name: ")[1:]
    split = (block.split("\n") for block in blocks)
    return {
        name: "\n".join(line for line in lines if not line.startswith("--")).strip()
        for name, *lines in split
    }


def allowed(sql: str, contract: Contract) -> Statement | None:
    decision = judge(sql, contract)
    return Statement(decision, None) if isinstance(decision, Allowed) else None


class Bystander:
    """Runs a small statement over and over, and keeps the longest time that it took."""

    def __init__(self, engine: Engine, small: Statement) -> None:
        self._engine = engine
        self._small = small
        self.slowest = 0.0
        self.calls = 0

    @contextmanager
    def beside(self) -> Generator[None]:
        """Run while the block runs."""
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
            began = time.perf_counter()
            self._engine.execute(self._small, Budget())
            self.slowest = max(self.slowest, time.perf_counter() - began)
            self.calls += 1


def memory() -> float:
    """Return the resident memory of this process in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_KB / 1024


def ended(engine: Engine, statement: Statement) -> tuple[str, float]:
    """Run one statement; return how it ended and the milliseconds beyond the limit."""
    began = time.perf_counter()
    try:
        engine.execute(statement, Budget(seconds=SECONDS))
        outcome = "rows"
    except ModelVisibleError as error:
        outcome = error.code
    return outcome, max(0.0, time.perf_counter() - began - SECONDS) * 1000


def measure(engine: Engine, contract: Contract) -> dict[str, float | int]:
    small = allowed(SMALL, contract)
    assert small is not None
    bystander = Bystander(engine, small)
    rows: list[tuple[str, str, float, float]] = []
    for name, sql in statements().items():
        statement = allowed(sql, contract)
        if statement is None:
            rows.append((name, "refused by the guard", 0.0, memory()))
            continue
        with bystander.beside():
            rows.append((name, *ended(engine, statement), memory()))
    shown = [(name, how, f"{over:.0f}", f"{size:.0f}") for name, how, over, size in rows]
    table("Statements made to exhaust", ("statement", "end", "ms beyond", "MB after"), shown)
    return {
        "statements": len(rows),
        "stopped_by_time": sum(how == "timeout" for _, how, _, _ in rows),
        "most_ms_beyond_the_limit": round(max(over for _, _, over, _ in rows)),
        "most_memory_mb": round(max(size for *_, size in rows)),
        "calls_beside": bystander.calls,
        "slowest_call_beside_ms": round(bystander.slowest * 1000),
    }


def built(folder: Path, contract: Contract) -> Path:
    """Build the graph in the box."""
    from moviegraph.embeddings.local_embedder import LocalEmbedder
    from moviegraph.loading.builtin_graph import ensure_builtin_graph

    return ensure_builtin_graph(folder / "box", contract, LocalEmbedder())


def main() -> None:
    arguments = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MOVIEGRAPH_BENCH_GRAPH")
    contract = load_contract()
    with TemporaryDirectory() as scratch:
        folder = Path(arguments) if arguments else built(Path(scratch), contract)
        engine = open_graph(folder, contract, cache_bytes=0)
        try:
            figures = measure(engine, contract)
        finally:
            engine.close()
    write("bombs" if arguments else "bombs_box", figures)


if __name__ == "__main__":
    main()
