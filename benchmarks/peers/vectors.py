"""Search by meaning beside the vector peer, which gets our vectors of films and of queries."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.ideas import IDEAS
from benchmarks.peers.client import PeerServer, text_of
from benchmarks.peers.data import GraphData
from benchmarks.peers.definitions import QDRANT, Files, ours_anew, qdrant
from benchmarks.peers.measures import Contestant, timings
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.engines.embedded.graph_folder import vector_files

TOP = 10


def measure_vectors(data: GraphData, files: Files) -> dict[str, Any]:
    """Return timings of both servers, and how far their first ten agree. Raises Unavailable."""
    QDRANT.install()
    _write(data, files)
    with PeerServer(ours_anew(files)) as mine, PeerServer(qdrant(QDRANT, files)) as peer:
        mine.open()
        peer.open()

        def semantic(number: int) -> dict[str, Any]:
            asked = {"query": IDEAS[number % len(IDEAS)], "top": TOP}
            return mine.call("semantic_search", asked)

        def find(number: int) -> dict[str, Any]:
            return peer.call("qdrant-find", {"query": IDEAS[number % len(IDEAS)]})

        shared = [_shared(semantic(at), find(at), data) for at in range(len(IDEAS))]
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
    np.save(files.named("query_vectors.npy"), LocalEmbedder().embed(IDEAS))
    for name, value in (("documents", documents), ("queries", list(IDEAS))):
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
