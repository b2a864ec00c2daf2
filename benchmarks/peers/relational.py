"""The fifty-row join, `tools/list` and a misspelt column, asked of every server."""

import statistics
import sys
import time
from contextlib import ExitStack
from typing import Any

import duckdb

from benchmarks.peers.client import Launch, PeerServer, text_of
from benchmarks.peers.data import GraphData, write_duckdb, write_sqlite
from benchmarks.peers.definitions import SERVERS, Files, Server
from benchmarks.peers.environment import Unavailable
from benchmarks.peers.measures import CALLS, ROUNDS, Contestant, complaint, timings
from benchmarks.peers.statements import MEANT, MISSPELT, MISSPELT_SQL, ROWS, Join, joins

FLOOR = "a constant from the same SDK"
Running = list[tuple[Server, PeerServer]]


def measure_servers(data: GraphData, files: Files) -> dict[str, Any]:
    """Return timings, sizes and errors of every server that can be installed and answers."""
    write_sqlite(data, files.folder / "films.db")
    write_duckdb(data, files.folder / "films.duckdb", files.folder)
    bare = {join.name: _bare(files, join) for join in joins(data)}
    with ExitStack() as during:
        running = [(each, server) for each in SERVERS if (server := _opened(each, files, during))]
        floor = during.enter_context(PeerServer(_floor()))
        floor.open()
        sizes = {each.name: _sizes(each, server, data) for each, server in running}
        measured = _joins(running, floor, data)
    return {"sizes_and_errors": sizes, "bare_duckdb_cpu_ms": bare, "joins": measured}


def _bare(files: Files, join: Join) -> float:
    """Return the CPU of a join on bare DuckDB in this process, on one thread, as ours has."""
    with duckdb.connect(files.named("films.duckdb"), read_only=True) as connection:
        connection.execute("SET threads = 1")
        rounds: list[float] = []
        for _ in range(ROUNDS + 1):
            start = time.process_time()
            for _ in range(CALLS):
                connection.execute(join.sqlite).fetchall()
            rounds.append((time.process_time() - start) / CALLS * 1000)
    return round(statistics.median(rounds[1:]), 2)


def _floor() -> Launch:
    return Launch((sys.executable, "-m", "benchmarks.bare_server"))


def _opened(server: Server, files: Files, during: ExitStack) -> PeerServer | None:
    """Start a server; one that cannot be installed or does not answer is skipped with a word."""
    try:
        if server.environment is not None:
            server.environment.install()
        environment = server.environment or next(
            each.environment for each in SERVERS if each.environment
        )
        assert environment is not None
        process = during.enter_context(PeerServer(server.launch(environment, files)))
        process.open()
    except (Unavailable, RuntimeError, OSError) as error:
        sys.stdout.write(f"skipped: {server.name}: {error}\n")
        return None
    return process


def _sizes(server: Server, process: PeerServer, data: GraphData) -> dict[str, Any]:
    process.request("tools/list")
    listed = process.size
    join = joins(data)[0]
    text = text_of(process.call(server.tool, server.arguments(join.text(server.dialect))))
    answered = process.size
    arguments = server.arguments(MISSPELT_SQL[server.dialect])
    if server.dialect == "tsql":
        arguments["repair"] = False  # by default the rules mend it, run it and say so
    failed = complaint(process.call(server.tool, arguments), MISSPELT, MEANT)
    return {
        "start_s": round(process.started_s, 2),
        "tools_list_bytes": listed,
        "answer_bytes": answered,
        "rows_in_the_answer": _told(text, join.text("sqlite"), data),
        "misspelt_column": failed.figures(),
    }


def _told(text: str, sql: str, data: GraphData) -> int:
    """Return how many of the fifty films the answer names, by names that are known to be there."""
    names = _expected(sql, data)
    return sum(name in text for name in names)


def _expected(sql: str, data: GraphData) -> list[str]:
    genre = sql.partition("g.Name = '")[2].partition("' ORDER")[0].replace("''", "'")
    wanted = next(key for key, name in data.nodes["Genre"] if name == genre)
    members = {film for film, key in data.edges["IN_GENRE"] if key == wanted}
    films = [row for row in data.nodes["Movie"] if row[0] in members and row[2] is not None]
    newest = sorted(films, key=lambda row: (-row[2], row[0]))[:ROWS]
    return [row[1] for row in newest]


def _joins(running: Running, floor: PeerServer, data: GraphData) -> dict[str, Any]:
    by_key: dict[str, Any] = {}
    for join in joins(data):
        contestants = [Contestant(FLOOR, floor, lambda _: floor.call("constant", {}))]
        for server, process in running:
            arguments = server.arguments(join.text(server.dialect))
            contestants.append(_contestant(server, process, arguments))
        measured = {name: timing.figures() for name, timing in timings(contestants).items()}
        constant = measured[FLOOR]["cpu_ms"]
        for figures in measured.values():
            figures["cpu_beside_the_constant"] = round(figures["cpu_ms"] / constant, 1)
        by_key[join.name] = measured
    return by_key


def _contestant(server: Server, process: PeerServer, arguments: dict[str, Any]) -> Contestant:
    return Contestant(server.name, process, lambda _: process.call(server.tool, arguments))
