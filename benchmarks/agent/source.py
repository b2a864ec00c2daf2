"""The source records as plain Python values: the truth rests on them alone."""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILM = "Movie"


@dataclass(frozen=True, slots=True)
class Film:
    """One film: its year, and the names of what it is linked to, by kind, in lower case."""

    id: int
    name: str
    year: int | None
    content: str
    links: dict[str, frozenset[str]]

    def has(self, kind: str, words: str) -> bool:
        """Whether it is linked to a node whose name holds these words."""
        wanted = f" {words} "
        return any(wanted in f" {name} " for name in self.links[kind])


def read_films(folder: Path) -> list[Film]:
    """Read a folder of JSON Lines, plain or compressed."""
    names: dict[tuple[str, int], str] = {}
    films: dict[int, dict[str, Any]] = {}
    for record in _records(folder, "nodes_"):
        names[record["kind"], record["id"]] = record["name"].casefold()
        if record["kind"] == FILM:
            films[record["id"]] = record
    links: dict[int, dict[str, set[str]]] = {key: defaultdict(set) for key in films}
    for record in _records(folder, "edges_"):
        kind = TARGETS[record["kind"]]
        if record["from"] in links and (kind, record["to"]) in names:
            links[record["from"]][kind].add(names[kind, record["to"]])
    return [_film(films[key], links[key]) for key in sorted(films)]


TARGETS = {
    "IN_GENRE": "Genre",
    "FEATURES_CHARACTER": "Character",
    "INCLUDES_THEME": "Theme",
    "SET_IN": "Setting",
    "PART_OF_SERIES": "Series",
}


def _film(record: dict[str, Any], links: dict[str, set[str]]) -> Film:
    linked = {kind: frozenset(links.get(kind, ())) for kind in TARGETS.values()}
    year = record.get("year")
    return Film(record["id"], record["name"], year, record.get("content") or "", linked)


def _records(folder: Path, prefix: str) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.glob(f"{prefix}*.jsonl*")):
        raw = file.read_bytes()
        text = gzip.decompress(raw) if file.suffix == ".gz" else raw
        yield from map(json.loads, filter(None, text.decode().split("\n")))
