"""Two hops and shortest paths beside the graph peer, with the same pairs of films."""

import random
import subprocess
from dataclasses import dataclass
from typing import Any

from benchmarks.peers.client import PeerServer, text_of
from benchmarks.peers.data import GraphData, write_csv
from benchmarks.peers.definitions import INSIDE, LADYBUG, Files, ladybug, ours_anew
from benchmarks.peers.measures import Contestant, timings
from benchmarks.peers.statements import shortest, two_hops

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
    with PeerServer(ours_anew(files)) as mine, PeerServer(ladybug(LADYBUG, files)) as peer:
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


def _timed(mine: PeerServer, peer: PeerServer, asked: list[Question]) -> dict[str, Any]:
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
