"""Checks of lines, ids, names and edges."""

import json
from collections import Counter
from pathlib import Path

from bundled_data.graph import (
    CONCEPTS,
    KINDS,
    BundledGraph,
    Check,
    lines_of,
    normalize_name,
    repeated,
)

PER_FILM = {
    "IN_GENRE": (1, 4),
    "SET_IN": (1, 6),
    "INCLUDES_THEME": (2, 8),
    "FEATURES_CHARACTER": (2, 6),
    "PART_OF_SERIES": (0, 1),
}


def dangling_edges(bundled_graph: BundledGraph) -> list[str]:
    node_keys = {(node.kind, node.id) for node in bundled_graph.nodes}
    return [
        str(edge)
        for edge in bundled_graph.edges
        if ("Movie", edge.start) not in node_keys
        or (CONCEPTS[edge.kind], edge.end) not in node_keys
    ]


def duplicate_edges(bundled_graph: BundledGraph) -> list[str]:
    return repeated((edge, edge) for edge in bundled_graph.edges)


def duplicate_ids(bundled_graph: BundledGraph) -> list[str]:
    return repeated(((node.kind, node.id), node) for node in bundled_graph.nodes)


def duplicate_names(bundled_graph: BundledGraph) -> list[str]:
    return repeated(((node.kind, normalize_name(node.name)), node) for node in bundled_graph.nodes)


def untidy_names(bundled_graph: BundledGraph) -> list[str]:
    """Nodes whose name is empty, has blanks at an end, or is too long for its column."""
    return [
        str(node)
        for node in bundled_graph.nodes
        if not node.name or node.name != node.name.strip() or len(node.name) > 200
    ]


def films_out_of_bounds(kind: str) -> Check:
    fewest, limit = PER_FILM[kind]

    def check(bundled_graph: BundledGraph) -> list[str]:
        counts = Counter(edge.start for edge in bundled_graph.along(kind))
        return [
            f"{film.name}: {counts[film.id]}"
            for film in bundled_graph.of("Movie")
            if not fewest <= counts[film.id] <= limit
        ]

    return check


def films_without_year(bundled_graph: BundledGraph) -> list[str]:
    return [str(film) for film in bundled_graph.of("Movie") if film.year is None]


def unused_concepts(bundled_graph: BundledGraph) -> list[str]:
    used = {(CONCEPTS[edge.kind], edge.end) for edge in bundled_graph.edges}
    return [
        str(node)
        for node in bundled_graph.nodes
        if node.kind != "Movie" and (node.kind, node.id) not in used
    ]


def misshapen_lines(folder: Path) -> list[str]:
    """Lines that are not one object, as `json` writes it, with the agreed keys in order."""
    node, edge = ["kind", "id", "name", "content"], ["kind", "from", "to"]
    files = {f"nodes_{kind}.jsonl": (kind, node) for kind in KINDS}
    files |= {f"edges_{kind}.jsonl": (kind, edge) for kind in CONCEPTS}
    files["nodes_Movie.jsonl"] = ("Movie", [*node, "year"])
    return [
        f"{file}:{number}"
        for file, (kind, keys) in files.items()
        for number, line in enumerate(lines_of(folder / file), start=1)
        if not well_shaped(line, kind, keys)
    ]


def well_shaped(line: str, kind: str, keys: list[str]) -> bool:
    try:
        record = json.loads(line)
    except json.JSONDecodeError:
        return False
    plain = isinstance(record, dict) and json.dumps(record, ensure_ascii=False) == line
    return plain and list(record) == keys and record["kind"] == kind
