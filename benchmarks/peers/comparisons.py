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
    INTENDED,
    MISSPELLED,
    MISSPELLED_SQL,
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
from benchmarks.peers.measures import CALLS, ROUNDS, MeasuredServer, error_quality, timings
from benchmarks.peers.servers import (
    INSIDE,
    LADYBUG,
    QDRANT,
    SERVERS,
    Files,
    Server,
    UnavailableError,
    ladybug,
    launch_moviegraph,
    qdrant,
)
from benchmarks.server_process import Launch, ServerProcess, launch_python, text_of
from benchmarks.serving import SEARCH_TEXTS
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.engines.embedded.graph_files import vector_files

BASELINE = "a constant from the same SDK"
Running = list[tuple[Server, ServerProcess]]


def measure_servers(data: GraphData, files: Files) -> dict[str, Any]:
    """Return timings, sizes and errors of every server that can be installed and started."""
    write_sqlite(data, files.folder / "films.db")
    write_duckdb(data, files.folder / "films.duckdb", files.folder)
    bare = {join.name: _bare(files, join) for join in joins(data)}
    with ExitStack() as stack:
        running = [
            (server, process) for server in SERVERS if (process := _open(server, files, stack))
        ]
        baseline = stack.enter_context(ServerProcess(_baseline()))
        baseline.open()
        sizes = {server.name: _sizes(server, process, data) for server, process in running}
        measured = _joins(running, baseline, data)
    return {"sizes_and_errors": sizes, "bare_duckdb_cpu_ms": bare, "joins": measured}


def _bare(files: Files, join: Join) -> float:
    """Return the CPU of a join on bare DuckDB in this process, on one thread as in moviegraph."""
    with duckdb.connect(files.path("films.duckdb"), read_only=True) as connection:
        connection.execute("SET threads = 1")
        rounds: list[float] = []
        for _ in range(ROUNDS + 1):
            start = time.process_time()
            for _ in range(CALLS):
                connection.execute(join.sqlite).fetchall()
            rounds.append((time.process_time() - start) / CALLS * 1000)
    return round(statistics.median(rounds[1:]), 2)


def _baseline() -> Launch:
    return launch_python("-m", "benchmarks.bare_server")


def _open(server: Server, files: Files, stack: ExitStack) -> ServerProcess | None:
    """Start a server; skip it with a message if it cannot be installed or started."""
    try:
        if server.environment is not None:
            server.environment.install()
        environment = server.environment or next(
            other.environment for other in SERVERS if other.environment
        )
        assert environment is not None
        process = stack.enter_context(ServerProcess(server.launch(environment, files)))
        process.open()
    except (UnavailableError, RuntimeError, OSError) as error:
        sys.stdout.write(f"skipped: {server.name}: {error}\n")
        return None
    return process


def _sizes(server: Server, process: ServerProcess, data: GraphData) -> dict[str, Any]:
    process.request("tools/list")
    list_size = process.size
    join = joins(data)[0]
    text = text_of(process.call(server.tool, server.arguments(join.text(server.dialect))))
    result_size = process.size
    arguments = server.arguments(MISSPELLED_SQL[server.dialect])
    if server.dialect == "tsql":
        arguments["repair"] = False  # by default the repair rules fix and run it
    quality = error_quality(process.call(server.tool, arguments), MISSPELLED, INTENDED)
    return {
        "start_s": round(process.started_s, 2),
        "tools_list_bytes": list_size,
        "answer_bytes": result_size,
        "rows_in_the_answer": _named_films(text, join.text("sqlite"), data),
        "misspelt_column": quality.summarize(),
    }


def _named_films(text: str, sql: str, data: GraphData) -> int:
    """Return how many of the fifty expected films the text names."""
    names = _expected(sql, data)
    return sum(name in text for name in names)


def _expected(sql: str, data: GraphData) -> list[str]:
    genre = sql.partition("g.Name = '")[2].partition("' ORDER")[0].replace("''", "'")
    genre_id = next(key for key, name in data.nodes["Genre"] if name == genre)
    members = {film for film, key in data.edges["IN_GENRE"] if key == genre_id}
    films = [row for row in data.nodes["Movie"] if row[0] in members and row[2] is not None]
    newest = sorted(films, key=lambda row: (-row[2], row[0]))[:ROWS]
    return [row[1] for row in newest]


def _joins(running: Running, baseline: ServerProcess, data: GraphData) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for join in joins(data):
        servers = [MeasuredServer(BASELINE, baseline, lambda _: baseline.call("constant", {}))]
        for server, process in running:
            arguments = server.arguments(join.text(server.dialect))
            servers.append(_measured_server(server, process, arguments))
        measured = {name: timing.summarize() for name, timing in timings(servers).items()}
        constant = measured[BASELINE]["cpu_ms"]
        for measurements in measured.values():
            measurements["cpu_beside_the_constant"] = round(measurements["cpu_ms"] / constant, 1)
        results[join.name] = measured
    return results


def _measured_server(
    server: Server, process: ServerProcess, arguments: dict[str, Any]
) -> MeasuredServer:
    return MeasuredServer(server.name, process, lambda _: process.call(server.tool, arguments))


SEED = 7
PAIRS = 10
EDGE = "INCLUDES_THEME"
MAX_LOAD_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class GraphQuestion:
    """One question about the graph in the language of each server."""

    sql: str
    cypher: str


def measure_graph(data: GraphData, files: Files) -> dict[str, Any]:
    """Return timings of both servers. Raises UnavailableError."""
    LADYBUG.install()
    write_csv(data, files.folder)
    script, folder = str(INSIDE / "load_ladybug.py"), str(files.folder)
    command = [LADYBUG.python, script, files.path("films.lbdb"), folder]
    subprocess.run(command, check=True, capture_output=True, timeout=MAX_LOAD_SECONDS)
    with (
        ServerProcess(launch_moviegraph(files)) as moviegraph,
        ServerProcess(ladybug(LADYBUG, files)) as peer,
    ):
        moviegraph.open()
        peer.open()
        return {
            name: _timed(moviegraph, peer, questions)
            for name, questions in _questions(data).items()
        }


def _questions(data: GraphData) -> dict[str, list[GraphQuestion]]:
    rng = random.Random(SEED)
    films = sorted({film for film, _ in data.edges[EDGE]})
    pairs = [rng.sample(films, 2) for _ in range(PAIRS)]
    return {
        "two hops": [GraphQuestion(*two_hops(start)) for start, _ in pairs],
        "shortest path": [GraphQuestion(*shortest(start, end)) for start, end in pairs],
    }


def _timed(
    moviegraph: ServerProcess, peer: ServerProcess, questions: list[GraphQuestion]
) -> dict[str, Any]:
    def sql(number: int) -> dict[str, Any]:
        return moviegraph.call("run_readonly_sql", {"sql": questions[number % PAIRS].sql})

    def cypher(number: int) -> dict[str, Any]:
        return peer.call("query", {"query": questions[number % PAIRS].cypher})

    for call in (sql, cypher):
        for number in range(PAIRS):
            result = call(number)
            if result.get("isError"):
                raise RuntimeError(text_of(result))
    servers = [
        MeasuredServer("run_readonly_sql", moviegraph, sql),
        MeasuredServer("mcp-server-ladybug", peer, cypher),
    ]
    return {name: timing.summarize() for name, timing in timings(servers).items()}


TOP = 10


def measure_vectors(data: GraphData, files: Files) -> dict[str, Any]:
    """Return timings of both servers, and the overlap of their films. Raises UnavailableError."""
    QDRANT.install()
    _write(data, files)
    with (
        ServerProcess(launch_moviegraph(files)) as moviegraph,
        ServerProcess(qdrant(QDRANT, files)) as peer,
    ):
        moviegraph.open()
        peer.open()

        def semantic(number: int) -> dict[str, Any]:
            arguments = {"query": SEARCH_TEXTS[number % len(SEARCH_TEXTS)], "top": TOP}
            return moviegraph.call("semantic_search", arguments)

        def find(number: int) -> dict[str, Any]:
            return peer.call("qdrant-find", {"query": SEARCH_TEXTS[number % len(SEARCH_TEXTS)]})

        overlaps = [_overlap(semantic(n), find(n), data) for n in range(len(SEARCH_TEXTS))]
        servers = [
            MeasuredServer("moviegraph", moviegraph, semantic),
            MeasuredServer("mcp-server-qdrant", peer, find),
        ]
        result = {name: timing.summarize() for name, timing in timings(servers).items()}
    return {**result, "films_in_common_of_10": sum(overlaps) / len(overlaps)}


def _write(data: GraphData, files: Files) -> None:
    """Write the vectors of films and queries for the vector server."""
    matrix, ids, _ = vector_files(files.graph, "Movie")
    texts = {row[0]: f"{row[1]}\n{row[3]}" for row in data.nodes["Movie"]}
    documents = [texts[key] for key in np.load(ids).tolist()]
    np.save(files.path("vectors.npy"), np.load(matrix).astype(np.float32))
    np.save(files.path("query_vectors.npy"), LocalEmbedder().embed(SEARCH_TEXTS))
    for name, value in (("documents", documents), ("queries", list(SEARCH_TEXTS))):
        Path(files.path(f"{name}.json")).write_text(json.dumps(value), encoding="utf-8")


def _overlap(moviegraph: dict[str, Any], peer: dict[str, Any], data: GraphData) -> int:
    """Return the number of moviegraph's films in the result of the vector server."""
    structured = moviegraph["structuredContent"]
    id_index = structured["columns"].index("Id")
    entries = json.loads(text_of(peer))
    names = {row[0]: row[1] for row in data.nodes["Movie"]}
    return sum(
        any(f"<content>{names[row[id_index]]}\n" in entry for entry in entries)
        for row in structured["rows"]
    )
