"""Statements that try to exhaust a server: time, memory, and the calls beside them.

The folder is the first argument or MOVIEGRAPH_BENCH_GRAPH; without one, the built-in graph is built
in a scratch folder. A server with default settings gets each statement through `run_readonly_sql`
and `fix_sql`, and some through a plan of ten and as `where`; `--all` sends all through the plan,
`--only TEXT` those of tests/golden/bombs.sql whose name contains a text. Meanwhile a second client
calls every 0.2 s. Then four are sent at once, 200 calls are cancelled, a worker is killed in
mid-call, and at last the server. Targets: an answer 1.5 s after the 15 s of a statement, private
memory of a worker at most 1.1 times its ceiling, no CPU after the answer, every call beside
succeeds, no process is left.
"""

import argparse
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil

from benchmarks.concurrency.processes import free_port
from benchmarks.report import table, write
from benchmarks.server_process import PROTOCOL
from moviegraph.contract.loader import load_contract
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

STATEMENTS = Path(__file__).parents[1] / "tests" / "golden" / "bombs.sql"
HONEST = "SELECT TOP 5 m.Name FROM Movie AS m WHERE m.Id > 10 ORDER BY m.Name"
CONDITION = f"REGEXP_COUNT(CONCAT({', '.join(['Content'] * 200)}), '[a-z]') > 0"
SEARCHES: dict[str, dict[str, Any]] = {
    "semantic_search": {"query": "space", "where": CONDITION},
    "fulltext_search": {"query": "space", "where": CONDITION},
    "hybrid_search": {"query": "space", "where": CONDITION},
    "graph_traverse": {
        "start_kind": "Movie",
        "start": [1],
        "to_kind": "Movie",
        "where": CONDITION,
    },
}
BESIDE_SECONDS = 0.2
SAMPLE_SECONDS = 0.05
SETTLE_SECONDS = 0.7  # until a worker that was asked to stop is killed, at most
WORKER = "embedded.worker"
MEGABYTE = 1_000_000
AT_ONCE = (
    "pieces of one long text for every row",
    "names searched in one long text",
    "beginnings of one long text",
    "matches in a long text of every row",
)
PLANNED = ("for every row", "joined again", "in a long text")
CANCELLED = 200
LIMIT = 15.0  # seconds of a statement, by default


def statements() -> dict[str, str]:
    """Return the statements that the guard allows, by name: what it refuses never runs."""
    contract = load_contract()
    blocks = ("\n" + STATEMENTS.read_text(encoding="utf-8")).split("\n-- name: ")[1:]
    line_lists = (block.split("\n") for block in blocks)
    every = {
        name: "\n".join(line for line in lines if not line.startswith("--")).strip()
        for name, *lines in line_lists
    }
    return {name: sql for name, sql in every.items() if isinstance(judge(sql, contract), Allowed)}


class Client:
    """One HTTP client of a server."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        self._last_id = 0
        info = {"name": "benchmark", "version": "0"}
        self._post("initialize", protocolVersion=PROTOCOL, capabilities={}, clientInfo=info)

    def _post(self, method: str, **params: Any) -> dict[str, Any]:
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        self._connection.request("POST", "/mcp", json.dumps(message), self._headers)
        response = self._connection.getresponse()
        received = response.read()
        if session := response.getheader("Mcp-Session-Id"):
            self._headers |= {"Mcp-Session-Id": session, "MCP-Protocol-Version": PROTOCOL}
        for line in received.splitlines():
            text = line.removeprefix(b"data:").strip()
            if text.startswith(b"{") and json.loads(text).get("id") == self._last_id:
                return json.loads(text)
        return {"error": {"message": f"HTTP {response.status}"}}

    def call(self, tool: str, **arguments: Any) -> tuple[str, float]:
        """Call a tool; return its outcome and the seconds it took."""
        start = time.monotonic()
        answer = self._post("tools/call", name=tool, arguments=arguments)
        seconds = time.monotonic() - start
        if "error" in answer:
            return str(answer["error"]["message"])[:60], seconds
        facts = answer["result"].get("structuredContent") or {}
        if answer["result"].get("isError"):
            return str(facts.get("error", {}).get("code", "error")), seconds
        return "ok", seconds

    def begin(self, tool: str, **arguments: Any) -> None:
        """Send a call and close the connection before its answer."""
        self._last_id += 1
        params = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": "tools/call", "params": params}
        self._connection.request("POST", "/mcp", json.dumps(message), self._headers)
        time.sleep(0.02)
        self._connection.close()


class Server:
    """A server process, and what its workers take."""

    def __init__(self, graph: Path, scratch: Path) -> None:
        self.port = free_port()
        command = ["-m", "moviegraph", "serve", "--transport", "http", "--port", str(self.port)]
        command += ["--graph", str(graph), "--journal", str(scratch / "journal.sqlite")]
        spill = scratch / "spill"
        spill.mkdir()
        self.spill = spill
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": str(spill)},
        )
        self.usage = psutil.Process(self.process.pid)
        self.peak_mb = 0.0
        self.most_workers = 0
        self._done = threading.Event()
        threading.Thread(target=self._sample, daemon=True).start()
        while not self._is_ready():
            time.sleep(0.1)

    def _is_ready(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def workers(self) -> list[psutil.Process]:
        """Return the workers that run."""
        try:
            return self.usage.children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def worker_cpu(self) -> float:
        """Return the CPU seconds of the workers that run."""
        total = 0.0
        for worker in self.workers():
            try:
                times = worker.cpu_times()
            except psutil.NoSuchProcess:
                continue
            total += times.user + times.system
        return total

    def _sample(self) -> None:
        while not self._done.wait(SAMPLE_SECONDS):
            workers = self.workers()
            self.most_workers = max(self.most_workers, len(workers))
            for worker in workers:
                self.peak_mb = max(self.peak_mb, private_mb(worker.pid))

    def close(self) -> None:
        """End the server as an operator does."""
        self._done.set()
        self.process.terminate()
        self.process.wait(30)


def private_mb(pid: int) -> float:
    """Return the private resident memory of a process: pages of no file."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1000


class Beside:
    """A client with trivial statements: how many failed, and the slowest."""

    def __init__(self, port: int) -> None:
        self._client = Client(port)
        self.calls = 0
        self.slowest = 0.0
        self.failures: list[str] = []

    @contextmanager
    def running(self) -> Generator[None]:
        """Call in a thread during the block."""
        done = threading.Event()
        thread = threading.Thread(target=self._run, args=(done,))
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _run(self, done: threading.Event) -> None:
        while not done.wait(BESIDE_SECONDS):
            outcome, seconds = self._client.call("run_readonly_sql", sql=HONEST)
            self.calls += 1
            self.slowest = max(self.slowest, seconds)
            if outcome != "ok":
                self.failures.append(outcome)


def plan(sql: str) -> dict[str, Any]:
    """Return the arguments of a plan of ten of one statement."""
    strategies = [
        {"id": f"s{number}", "message_to_user": "x", "query": "x", "command": sql}
        for number in range(10)
    ]
    return {"question": "x", "strategies": strategies, "repair": False}


def requests(only: str, *, everything: bool) -> Generator[tuple[str, str, dict[str, Any]]]:
    """Yield name, tool and arguments of each call."""
    for name, sql in statements().items():
        if only not in name:
            continue
        yield name, "run_readonly_sql", {"sql": sql, "repair": False}
        yield name, "fix_sql", {"sql": sql}
        if everything or any(part in name for part in PLANNED):
            yield name, "run_strategies", plan(sql)
    for tool, arguments in SEARCHES.items():
        yield "a condition", tool, arguments


def measure(server: Server, only: str, *, everything: bool) -> dict[str, Any]:
    """Send all, print them, and return the values."""
    client, beside = Client(server.port), Beside(server.port)
    rows: list[tuple[str, str, str, float, float, float]] = []
    for name, tool, arguments in requests(only, everything=everything):
        server.peak_mb = 0.0
        with beside.running():
            outcome, seconds = client.call(tool, **arguments)
        time.sleep(SETTLE_SECONDS)
        before = server.worker_cpu()
        time.sleep(0.3)
        after = max(0.0, server.worker_cpu() - before)
        rows.append((name, tool, outcome, seconds, server.peak_mb, after))
        print(
            f"{name} | {tool} | {outcome} | {seconds:.1f} s | {server.peak_mb:.0f} MB", flush=True
        )
    cells = [
        (name, tool, how, f"{seconds:.1f}", f"{peak:.0f}", f"{after:.2f}")
        for name, tool, how, seconds, peak, after in rows
    ]
    header = ("statement", "tool", "outcome", "s", "MB of a worker", "CPU s after")
    table("Exhausting statements", header, cells)
    singles = [row for row in rows if row[1] != "run_strategies"]
    return {
        "calls": len(rows),
        "most_ms_beyond_the_limit": round(1000 * max(0, max(row[3] for row in singles) - LIMIT)),
        "most_seconds_of_a_plan": round(
            max((row[3] for row in rows if row not in singles), default=0), 1
        ),
        "most_memory_mb": round(max(row[4] for row in rows)),
        "most_cpu_after_ms": round(1000 * max(row[5] for row in rows)),
        "calls_beside": beside.calls,
        "failures_beside": len(beside.failures),
        "slowest_beside_ms": round(1000 * beside.slowest),
    }


def at_once(server: Server) -> dict[str, Any]:
    """Send four at once, and return what the calls beside them met."""
    bombs = [statements()[name] for name in AT_ONCE]
    beside = Beside(server.port)
    outcomes: list[tuple[str, float]] = []

    def send(sql: str) -> None:
        outcomes.append(Client(server.port).call("run_readonly_sql", sql=sql, repair=False))

    threads = [threading.Thread(target=send, args=(sql,)) for sql in bombs]
    server.peak_mb = 0.0
    with beside.running():
        _run_all(threads)
    return {
        "outcomes": [how for how, _ in outcomes],
        "most_seconds": round(max(seconds for _, seconds in outcomes), 1),
        "most_worker_mb": round(server.peak_mb),
        "calls_beside": beside.calls,
        "failures_beside": len(beside.failures),
        "slowest_beside_ms": round(1000 * beside.slowest),
    }


def _run_all(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def faults(server: Server) -> dict[str, Any]:
    """Cancel calls, kill workers in mid-call and the server, and return what was left."""
    bomb = next(sql for name, sql in statements().items() if "for every row" in name)
    for _ in range(CANCELLED):
        Client(server.port).begin("run_readonly_sql", sql=bomb, repair=False)
    time.sleep(1)
    client = Client(server.port)
    after_cancelling = [client.call("run_readonly_sql", sql=HONEST)[0] for _ in range(20)]
    outcomes: list[str] = []

    def send() -> None:
        outcomes.append(Client(server.port).call("run_readonly_sql", sql=bomb, repair=False)[0])

    thread = threading.Thread(target=send)
    thread.start()
    time.sleep(1)
    for worker in server.workers():
        worker.kill()
    thread.join()
    after_killing = [client.call("run_readonly_sql", sql=HONEST)[0] for _ in range(20)]
    workers = server.workers()
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.wait()
    _, alive = psutil.wait_procs(workers, timeout=20)
    return {
        "ok_after_200_cancelled": after_cancelling.count("ok"),
        "killed_in_mid_call": outcomes[0],
        "ok_after_killed_workers": after_killing.count("ok"),
        "processes_after_kill_of_server": len(alive),
        "spill_folders_left": len(list(server.spill.iterdir())),
    }


def build_graph(folder: Path) -> Path:
    """Build the built-in graph."""
    from moviegraph.embeddings.local_embedder import LocalEmbedder
    from moviegraph.loading.folder_loader import ensure_builtin_graph

    return ensure_builtin_graph(folder / "builtin", load_contract(), LocalEmbedder())


def main() -> None:
    """Measure and store the values."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph", nargs="?", default=os.environ.get("MOVIEGRAPH_BENCH_GRAPH"))
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    with TemporaryDirectory() as scratch:
        folder = Path(options.graph) if options.graph else build_graph(Path(scratch))
        server = Server(folder, Path(scratch))
        try:
            measurements = measure(server, options.only, everything=options.all)
            measurements["four_at_once"] = at_once(server)
            measurements["most_workers"] = server.most_workers
            measurements |= faults(server)
        finally:
            server.close()
    print(json.dumps(measurements, indent=1))
    if not options.only:
        write("bombs" if options.graph else "bombs_builtin", measurements)


if __name__ == "__main__":
    main()
