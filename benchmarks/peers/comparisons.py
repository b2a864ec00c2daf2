"""Comparisons of moviegraph with SQL servers, a graph server and a vector server."""

import json
import random
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from benchmarks.peers.datasets import (
    MEANT,
    MISSPELT,
    MISSPELT_SQL,
    ROWS,
    GraphData,
    Join,
    joins,
    shortest,
    two_hops,
    write_csv,
    write_duckdb,
    write_sqlite,
)
from benchmarks.peers.measures import CALLS, ROUNDS, Contestant, complaint, timings
from benchmarks.peers.servers import (
    INSIDE,
    LADYBUG,
    QDRANT,
    SERVERS,
    Files,
    Server,
    Unavailable,
    ladybug,
    ours_anew,
    qdrant,
)
from benchmarks.server_process import Launch, ServerProcess, text_of
from benchmarks.serving import SEARCH_TEXTS
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.engines.embedded.graph_folder import vector_files

FLOOR = "a constant from the same SDK"
Running = list[tuple[Server, ServerProcess]]


def measure_servers(data: GraphData, files: Files) -> dict[str, Any]:
    """Return timings, sizes and errors of every server that can be installed and answers."""
    write_sqlite(data, files.folder / "films.db")
    write_duckdb(data, files.folder / "films.duckdb", files.folder)
    bare = {join.name: _bare(files, join) for join in joins(data)}
    with ExitStack() as during:
        running = [(each, server) for each in SERVERS if (server := _opened(each, files, during))]
        floor = during.enter_context(ServerProcess(_floor()))
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


def _opened(server: Server, files: Files, during: ExitStack) -> ServerProcess | None:
    """Start a server; one that cannot be installed or does not answer is skipped with a word."""
    try:
        if server.environment is not None:
            server.environment.install()
        environment = server.environment or next(
            each.environment for each in SERVERS if each.environment
        )
        assert environment is not None
        process = during.enter_context(ServerProcess(server.launch(environment, files)))
        process.open()
    except (Unavailable, RuntimeError, OSError) as error:
        sys.stdout.write(f"skipped: {server.name}: {error}\n")
        return None
    return process


def _sizes(server: Server, process: ServerProcess, data: GraphData) -> dict[str, Any]:
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


def _joins(running: Running, floor: ServerProcess, data: GraphData) -> dict[str, Any]:
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


def _contestant(server: Server, process: ServerProcess, arguments: dict[str, Any]) -> Contestant:
    return Contestant(server.name, process, lambda _: process.call(server.tool, arguments))


SEED = 7
PAIRS = 10
EDGE = "INCLUDES_THEME"
LONGEST_LOAD = 900.0


@dataclass(frozen=True, slots=True)
class Question:
    """One question of the graph, as each server is asked it."""

    sql: str
    cypher: str


def measure_graph(data: GraphData, files: Files) -> dict[str, Any]:
    """Return timings of both servers. Raises Unavailable."""
    LADYBUG.install()
    write_csv(data, files.folder)
    script, folder = str(INSIDE / "load_ladybug.py"), str(files.folder)
    command = [LADYBUG.python, script, files.named("films.lbdb"), folder]
    subprocess.run(command, check=True, capture_output=True, timeout=LONGEST_LOAD)
    with ServerProcess(ours_anew(files)) as mine, ServerProcess(ladybug(LADYBUG, files)) as peer:
        mine.open()
        peer.open()
        return {name: _timed(mine, peer, asked) for name, asked in _questions(data).items()}


def _questions(data: GraphData) -> dict[str, list[Question]]:
    rng = random.Random(SEED)
    films = sorted({film for film, _ in data.edges[EDGE]})
    pairs = [rng.sample(films, 2) for _ in range(PAIRS)]
    return {
        "two hops": [Question(*two_hops(start)) for start, _ in pairs],
        "shortest path": [Question(*shortest(start, end)) for start, end in pairs],
    }


def _timed(mine: ServerProcess, peer: ServerProcess, asked: list[Question]) -> dict[str, Any]:
    def sql(number: int) -> dict[str, Any]:
        return mine.call("run_readonly_sql", {"sql": asked[number % PAIRS].sql})

    def cypher(number: int) -> dict[str, Any]:
        return peer.call("query", {"query": asked[number % PAIRS].cypher})

    for call in (sql, cypher):
        for number in range(PAIRS):
            answer = call(number)
            if answer.get("isError"):
                raise RuntimeError(text_of(answer))
    contestants = [
        Contestant("run_readonly_sql", mine, sql),
        Contestant("mcp-server-ladybug", peer, cypher),
    ]
    return {name: timing.figures() for name, timing in timings(contestants).items()}


TOP = 10


def measure_vectors(data: GraphData, files: Files) -> dict[str, Any]:
    """Return timings of both servers, and how far their first ten agree. Raises Unavailable."""
    QDRANT.install()
    _write(data, files)
    with ServerProcess(ours_anew(files)) as mine, ServerProcess(qdrant(QDRANT, files)) as peer:
        mine.open()
        peer.open()

        def semantic(number: int) -> dict[str, Any]:
            asked = {"query": SEARCH_TEXTS[number % len(SEARCH_TEXTS)], "top": TOP}
            return mine.call("semantic_search", asked)

        def find(number: int) -> dict[str, Any]:
            return peer.call("qdrant-find", {"query": SEARCH_TEXTS[number % len(SEARCH_TEXTS)]})

        shared = [_shared(semantic(at), find(at), data) for at in range(len(SEARCH_TEXTS))]
        both = [
            Contestant("moviegraph", mine, semantic),
            Contestant("mcp-server-qdrant", peer, find),
        ]
        result = {name: timing.figures() for name, timing in timings(both).items()}
    return {**result, "films_in_common_of_10": sum(shared) / len(shared)}


def _write(data: GraphData, files: Files) -> None:
    """Write our vectors of films and of the queries for the peer."""
    matrix, ids, _ = vector_files(files.graph, "Movie")
    texts = {row[0]: f"{row[1]}\n{row[3]}" for row in data.nodes["Movie"]}
    documents = [texts[key] for key in np.load(ids).tolist()]
    np.save(files.named("vectors.npy"), np.load(matrix).astype(np.float32))
    np.save(files.named("query_vectors.npy"), LocalEmbedder().embed(SEARCH_TEXTS))
    for name, value in (("documents", documents), ("queries", list(SEARCH_TEXTS))):
        Path(files.named(f"{name}.json")).write_text(json.dumps(value), encoding="utf-8")


def _shared(mine: dict[str, Any], peer: dict[str, Any], data: GraphData) -> int:
    """Return how many films that ours lists are in the peer's answer."""
    structured = mine["structuredContent"]
    place = structured["columns"].index("Id")
    entries = json.loads(text_of(peer))
    names = {row[0]: row[1] for row in data.nodes["Movie"]}
    return sum(
        any(f"<content>{names[row[place]]}\n" in entry for entry in entries)
        for row in structured["rows"]
    )
