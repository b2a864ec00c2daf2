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


MOST = 60
LEAST_SHARED = 3
SHARED_KINDS = ("Theme", "Setting", "Genre")
Links = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """Films by what they are linked to, what not, and their years."""

    has: Links = ()
    lacks: Links = ()
    since: int | None = None
    until: int | None = None

    def holds(self, film: Film) -> bool:
        """Whether a film meets it; one without a year meets no condition on years."""
        if not all(film.has(*each) for each in self.has):
            return False
        if any(film.has(*each) for each in self.lacks):
            return False
        if self.since is None and self.until is None:
            return True
        year = film.year
        return year is not None and (self.since or 0) <= year <= (self.until or 9999)

    def known(self, films: Sequence[Film]) -> bool:
        """Whether every name occurs at all, so that the question makes sense of this graph."""
        return all(any(film.has(*each) for film in films) for each in (*self.has, *self.lacks))


@dataclass(frozen=True, slots=True)
class Fact:
    """One row of an answer that is no film: a name or year with a number, and its films."""

    words: tuple[str, ...]
    films: frozenset[int]


@dataclass(frozen=True, slots=True)
class Truth:
    """Sides of films (usually one), or facts."""

    sides: tuple[frozenset[int], ...] = ()
    facts: tuple[Fact, ...] = field(default=())

    @property
    def usable(self) -> bool:
        """Whether there is something to find, and no more than one answer may list."""
        if self.facts:
            return len(self.facts) <= MOST
        return bool(self.sides) and all(0 < len(side) <= MOST for side in self.sides)


def matching(films: Sequence[Film], *conditions: Condition) -> Truth:
    """Return the films of each side; nothing where a name is not of this graph."""
    if not all(each.known(films) for each in conditions):
        return Truth()
    sides = (frozenset(f.id for f in films if each.holds(f)) for each in conditions)
    return Truth(tuple(sides))


def similar(films: Sequence[Film], series: str) -> Truth:
    """Return films outside a series that share most with one of its films.

    That is, at least so many themes, settings and genres that no more than 60 films are left.
    """
    members = [film for film in films if film.has("Series", series)]
    shared = {
        film.id: max((_common(film, member) for member in members), default=0)
        for film in films
        if not film.has("Series", series)
    }
    for least in range(LEAST_SHARED, 20):
        result = frozenset(key for key, count in shared.items() if count >= least)
        if len(result) <= MOST:
            return Truth((result,)) if members else Truth()
    return Truth()


def _common(one: Film, other: Film) -> int:
    return sum(len(one.links[kind] & other.links[kind]) for kind in SHARED_KINDS)


def newest(films: Sequence[Film], condition: Condition, count: int) -> Truth:
    """Return the newest films of a condition; those that tie with the last one are left out."""
    return _edge(films, condition, count, -1)


def oldest(films: Sequence[Film], condition: Condition, count: int) -> Truth:
    """Return the oldest films of a condition; those that tie with the last one are left out."""
    return _edge(films, condition, count, 1)


def _edge(films: Sequence[Film], condition: Condition, count: int, sign: int) -> Truth:
    dated = [(sign * f.year, f.id) for f in films if f.year is not None and condition.holds(f)]
    chosen = sorted(dated)
    beyond = chosen[count][0] if len(chosen) > count else None
    return Truth((frozenset(key for year, key in chosen[:count] if year != beyond),))


def counted(films: Sequence[Film], condition: Condition) -> Truth:
    """Return how many films there are."""
    result = frozenset(film.id for film in films if condition.holds(film))
    return Truth(facts=(Fact((str(len(result)),), result),)) if result else Truth()


def commonest(films: Sequence[Film], condition: Condition, kind: str, count: int) -> Truth:
    """Return the commonest names of a kind with their counts; ties at the end are left out."""
    result = [film for film in films if condition.holds(film)]
    counts = Counter(name for film in result for name in film.links[kind]).most_common()
    beyond = counts[count][1] if len(counts) > count else 0
    return Truth(
        facts=tuple(
            Fact((name, str(many)), frozenset(f.id for f in result if f.has(kind, name)))
            for name, many in counts[:count]
            if many != beyond
        )
    )


def by_year(films: Sequence[Film], condition: Condition, step: int) -> Truth:
    """Return how many films there are in each year, or in each so many years."""
    result = [film for film in films if film.year is not None and condition.holds(film)]
    groups: dict[int, list[int]] = {}
    for film in result:
        assert film.year is not None
        groups.setdefault(film.year // step * step, []).append(film.id)
    return Truth(
        facts=tuple(
            Fact((str(year), str(len(keys))), frozenset(keys))
            for year, keys in sorted(groups.items())
        )
    )
