"""Expected answers, computed by plain Python from the source records."""

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FILM = "Movie"


@dataclass(frozen=True, slots=True)
class Film:
    """One film with the lowercase names of its linked nodes by kind."""

    id: int
    name: str
    year: int | None
    content: str
    links: dict[str, frozenset[str]]

    def has(self, kind: str, words: str) -> bool:
        """Return whether it is linked to a node whose name contains these words."""
        padded = f" {words} "
        return any(padded in f" {name} " for name in self.links[kind])


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


MAX_FILMS = 60
MIN_SHARED = 3
SHARED_KINDS = ("Theme", "Setting", "Genre")
Links = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """Condition on films: linked nodes, excluded links and years."""

    has: Links = ()
    lacks: Links = ()
    since: int | None = None
    until: int | None = None

    def matches(self, film: Film) -> bool:
        """Return whether a film matches; without a year it matches no condition on years."""
        if not all(film.has(*link) for link in self.has):
            return False
        if any(film.has(*link) for link in self.lacks):
            return False
        if self.since is None and self.until is None:
            return True
        year = film.year
        return year is not None and (self.since or 0) <= year <= (self.until or 9999)

    def is_answerable(self, films: Sequence[Film]) -> bool:
        """Return whether every name occurs in the graph."""
        return all(any(film.has(*link) for film in films) for link in (*self.has, *self.lacks))


@dataclass(frozen=True, slots=True)
class Fact:
    """One row of an answer that counts: a name or year with a number, and its films."""

    words: tuple[str, ...]
    films: frozenset[int]


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """The expected answer: sides of films (usually one), or facts."""

    sides: tuple[frozenset[int], ...] = ()
    facts: tuple[Fact, ...] = field(default=())

    @property
    def is_usable(self) -> bool:
        """Whether the expected answer is not empty and short enough to be listed."""
        if self.facts:
            return len(self.facts) <= MAX_FILMS
        return bool(self.sides) and all(0 < len(side) <= MAX_FILMS for side in self.sides)


def matching(films: Sequence[Film], *conditions: Condition) -> GroundTruth:
    """Return the films of each side, or nothing if a name is not in this graph."""
    if not all(condition.is_answerable(films) for condition in conditions):
        return GroundTruth()
    sides = (frozenset(f.id for f in films if c.matches(f)) for c in conditions)
    return GroundTruth(tuple(sides))


def similar(films: Sequence[Film], series: str) -> GroundTruth:
    """Return the at most 60 films outside a series that share most with one of its films.

    Shared themes, settings and genres are counted.
    """
    members = [film for film in films if film.has("Series", series)]
    shared = {
        film.id: max((_shared_links(film, member) for member in members), default=0)
        for film in films
        if not film.has("Series", series)
    }
    for least in range(MIN_SHARED, 20):
        film_ids = frozenset(key for key, count in shared.items() if count >= least)
        if len(film_ids) <= MAX_FILMS:
            return GroundTruth((film_ids,)) if members else GroundTruth()
    return GroundTruth()


def _shared_links(one: Film, other: Film) -> int:
    return sum(len(one.links[kind] & other.links[kind]) for kind in SHARED_KINDS)


def newest(films: Sequence[Film], condition: Condition, count: int) -> GroundTruth:
    """Return the newest films of a condition, without ties for the last position."""
    return _extreme(films, condition, count, -1)


def oldest(films: Sequence[Film], condition: Condition, count: int) -> GroundTruth:
    """Return the oldest films of a condition, without ties for the last position."""
    return _extreme(films, condition, count, 1)


def _extreme(films: Sequence[Film], condition: Condition, count: int, sign: int) -> GroundTruth:
    candidates = [
        (sign * f.year, f.id) for f in films if f.year is not None and condition.matches(f)
    ]
    chosen = sorted(candidates)
    beyond = chosen[count][0] if len(chosen) > count else None
    return GroundTruth((frozenset(key for year, key in chosen[:count] if year != beyond),))


def film_count(films: Sequence[Film], condition: Condition) -> GroundTruth:
    """Return the number of matching films."""
    film_ids = frozenset(film.id for film in films if condition.matches(film))
    return (
        GroundTruth(facts=(Fact((str(len(film_ids)),), film_ids),)) if film_ids else GroundTruth()
    )


def commonest(films: Sequence[Film], condition: Condition, kind: str, count: int) -> GroundTruth:
    """Return the commonest names of a kind with counts, without ties for the last position."""
    matching_films = [film for film in films if condition.matches(film)]
    counts = Counter(name for film in matching_films for name in film.links[kind]).most_common()
    beyond = counts[count][1] if len(counts) > count else 0
    return GroundTruth(
        facts=tuple(
            Fact((name, str(number)), frozenset(f.id for f in matching_films if f.has(kind, name)))
            for name, number in counts[:count]
            if number != beyond
        )
    )


def counts_by_year(films: Sequence[Film], condition: Condition, step: int) -> GroundTruth:
    """Return the number of films by year, or by group of years."""
    dated_films = [film for film in films if film.year is not None and condition.matches(film)]
    groups: dict[int, list[int]] = {}
    for film in dated_films:
        assert film.year is not None
        groups.setdefault(film.year // step * step, []).append(film.id)
    return GroundTruth(
        facts=tuple(
            Fact((str(year), str(len(keys))), frozenset(keys))
            for year, keys in sorted(groups.items())
        )
    )
