"""Checks that no two nodes of a kind mean the same, by their names and by their vectors."""

import tomllib
from collections import defaultdict
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path

import numpy as np
from bundled_data.graph import KINDS, BundledGraph, normalize_name, words
from fakes.records import enriched
from numpy.typing import NDArray

from moviegraph.contract.loader import load_contract
from moviegraph.embeddings.embedder import Embedder
from moviegraph.engines.embedded.embedding_store import KnownVectors
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord, embedded_text, text_digest

REVIEWED = Path(__file__).with_name("reviewed_pairs.toml")
# The nearest pairs of each kind were read from the top; below these stand pairs that only share a
# field. Names of persons and films say little, so their texts alone are compared.
ALIKE = {
    "Movie": 0.825,
    "Character": 0.72,
    "Setting": 0.68,
    "Theme": 0.6,
    "Series": 0.55,
    "Genre": 0.48,
}
BY_NAME_TOO = frozenset({"Setting", "Theme", "Series", "Genre"})
SPELT_ALIKE = 0.9
FILLING = frozenset("a an and of in on the to mr mrs miss ms dr sir".split())


@dataclass(frozen=True, slots=True)
class Pair:
    """Two nodes of a kind that might be one."""

    kind: str
    names: frozenset[str]
    closeness: float

    def __str__(self) -> str:
        return f"{self.kind}: {' / '.join(sorted(self.names))}: {self.closeness:.3f}"


def reviewed_pairs(path: Path = REVIEWED) -> dict[tuple[str, frozenset[str]], str]:
    """Pairs that are alike and yet two things, with the reason."""
    kinds = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        (kind, frozenset(record["names"])): record["why"]
        for kind, reviewed in kinds.items()
        for record in reviewed
    }


def pairs_named_alike(bundled_graph: BundledGraph) -> list[Pair]:
    """Return nodes with the same significant words, and concepts with similar spelling."""
    pairs: list[Pair] = []
    for kind in KINDS:
        groups: dict[frozenset[str], list[str]] = defaultdict(list)
        for node in bundled_graph.of(kind):
            groups[telling_words(node.name)].append(node.name)
        pairs += [Pair(kind, frozenset(names), 1.0) for names in groups.values() if len(names) > 1]
    pairs += pairs_with_and_without_film(bundled_graph)
    for kind in BY_NAME_TOO:
        for first, other in combinations((node.name for node in bundled_graph.of(kind)), 2):
            matcher = SequenceMatcher(None, normalize_name(first), normalize_name(other))
            if matcher.quick_ratio() > SPELT_ALIKE and matcher.ratio() > SPELT_ALIKE:
                pairs.append(Pair(kind, frozenset({first, other}), matcher.ratio()))
    return pairs


def pairs_with_and_without_film(bundled_graph: BundledGraph) -> list[Pair]:
    """Characters of one name of whom only one says in brackets which film is theirs."""
    names = {node.name for node in bundled_graph.of("Character")}
    bracketed = {name: name.split(" (")[0] for name in names if name.endswith(")")}
    return [
        Pair("Character", frozenset({name, plain}), 1.0)
        for name, plain in bracketed.items()
        if plain in names
    ]


def telling_words(name: str) -> frozenset[str]:
    plain = (word for word in words(normalize_name(name)) if word not in FILLING)
    return frozenset(word.removesuffix("s") for word in plain)


def pairs_meant_alike(bundled_graph: BundledGraph, vectors: KnownVectors) -> list[Pair]:
    """Nodes of a kind whose texts, for concepts together with their names, nearly coincide."""
    pairs: list[Pair] = []
    texts = embedded_texts(bundled_graph)
    for kind in KINDS:
        nodes = bundled_graph.of(kind)
        stored = [vectors[text_digest(texts[kind, node.id])] for node in nodes]
        closeness = cosines(np.array(stored, dtype=np.float32))
        if kind in BY_NAME_TOO:
            name_vectors = [vectors[text_digest(node.name)] for node in nodes]
            closeness = (closeness + cosines(np.array(name_vectors, dtype=np.float32))) / 2
        for row, column in np.argwhere(np.triu(closeness, k=1) >= ALIKE[kind]):
            names = frozenset({nodes[row].name, nodes[column].name})
            pairs.append(Pair(kind, names, float(closeness[row, column])))
    return pairs


def cosines(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return unit @ unit.T


def with_vectors(
    bundled_graph: BundledGraph, known_vectors: KnownVectors, embedder: Embedder
) -> KnownVectors:
    """The vectors known already, and those of texts and concept names that have none yet."""
    names = (node.name for node in bundled_graph.nodes if node.kind in BY_NAME_TOO)
    texts = {text_digest(text): text for text in (*embedded_texts(bundled_graph).values(), *names)}
    missing = [digest for digest in texts if digest not in known_vectors]
    created = embedder.embed([texts[digest] for digest in missing]).astype(np.float16)
    return {**known_vectors, **dict(zip(missing, created, strict=True))}


def embedded_texts(bundled_graph: BundledGraph) -> dict[tuple[str, int], str]:
    """Return the embedded text of each node, as `load` completes it."""
    nodes = [
        NodeRecord(node.kind, node.id, node.name, node.content) for node in bundled_graph.nodes
    ]
    edges = [EdgeRecord(edge.kind, edge.start, edge.end) for edge in bundled_graph.edges]
    return {
        (node.kind, node.id): embedded_text(node.name, node.content)
        for node in enriched(nodes, edges, load_contract())
    }
