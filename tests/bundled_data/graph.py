"""The records of the bundled movie graph, read from its files."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

CONCEPTS = {
    "IN_GENRE": "Genre",
    "SET_IN": "Setting",
    "INCLUDES_THEME": "Theme",
    "FEATURES_CHARACTER": "Character",
    "PART_OF_SERIES": "Series",
}
KINDS = ("Movie", *CONCEPTS.values())


@dataclass(frozen=True, slots=True)
class Node:
    """One record of a node file."""

    kind: str
    id: int
    name: str
    content: str
    year: int | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.id} {self.name!r}"


@dataclass(frozen=True, slots=True)
class Edge:
    """One record of an edge file."""

    kind: str
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.kind} {self.start} -> {self.end}"


@dataclass(frozen=True, slots=True)
class BundledGraph:
    """All records of a data folder."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def of(self, kind: str) -> list[Node]:
        return [node for node in self.nodes if node.kind == kind]

    def along(self, kind: str) -> list[Edge]:
        return [edge for edge in self.edges if edge.kind == kind]

    def films_of(self, node: Node) -> list[int]:
        return [
            edge.start
            for edge in self.edges
            if edge.end == node.id and CONCEPTS[edge.kind] == node.kind
        ]

    def with_more(self, *nodes: Node, edges: Iterable[Edge] = ()) -> "BundledGraph":
        return replace(self, nodes=(*self.nodes, *nodes), edges=(*self.edges, *edges))

    def without_edges(self, unwanted: Callable[[Edge], bool]) -> "BundledGraph":
        return replace(self, edges=tuple(edge for edge in self.edges if not unwanted(edge)))

    def with_text(self, kind: str, id: int, text: str) -> "BundledGraph":
        changed = (
            replace(node, content=text) if (node.kind, node.id) == (kind, id) else node
            for node in self.nodes
        )
        return replace(self, nodes=tuple(changed))


Check = Callable[[BundledGraph], list[str]]


def read_bundled_graph(folder: Path) -> BundledGraph:
    nodes = [Node(**record) for kind in KINDS for record in records(folder / f"nodes_{kind}.jsonl")]
    edges = [
        Edge(record["kind"], record["from"], record["to"])
        for kind in CONCEPTS
        for record in records(folder / f"edges_{kind}.jsonl")
    ]
    return BundledGraph(tuple(nodes), tuple(edges))


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines_of(path)]


def lines_of(path: Path) -> list[str]:
    """Lines as LF alone parts them."""
    return path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")


def normalize_name(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.casefold())
    return " ".join("".join(c for c in letters if not unicodedata.combining(c)).split())


@cache
def words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[\w'\u2019]+", text))


def repeated(described: Iterable[tuple[object, object]]) -> list[str]:
    """Return the groups with equal keys, as text."""
    groups: dict[object, list[str]] = {}
    for key, thing in described:
        groups.setdefault(key, []).append(str(thing))
    return [" = ".join(group) for group in groups.values() if len(group) > 1]
