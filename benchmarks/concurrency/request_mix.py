"""Random calls from a seed: searches, known and new statements, traversals, records."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

SUBJECTS = "detective robots road trip heist wartime haunted house friends space chef".split()
ACTIVITIES = "haunted searching falling hiding learning travelling fighting returning".split()
YEARS = range(1960, 2016)
NAMES = ("Alien", "Star Wars", "Finding Nemo", "Heat", "Fargo", "Casino", "Psycho", "Jaws")
GENRE_COUNTS = (
    "SELECT TOP 20 g.Name, COUNT(*) AS Films "
    "FROM dbo.Movie AS m, dbo.IN_GENRE AS e, dbo.Genre AS g "
    "WHERE MATCH(m-(e)->g) AND m.ReleaseYear >= {year} GROUP BY g.Name ORDER BY Films DESC"
)
THEMES = (
    "SELECT TOP 50 m.Name, m.ReleaseYear, t.Name AS Theme "
    "FROM dbo.Movie AS m, dbo.INCLUDES_THEME AS e, dbo.Theme AS t "
    "WHERE MATCH(m-(e)->t) AND m.Name = '{name}'"
)
SLOW_JOIN = (
    "SELECT COUNT(*) AS n FROM dbo.Movie AS a, dbo.IN_GENRE AS e, dbo.Genre AS g, "
    "dbo.IN_GENRE AS f, dbo.Movie AS b WHERE MATCH(a-(e)->g<-(f)-b) AND a.Id <> {number} "
    "AND a.ReleaseYear < b.ReleaseYear"
)


@dataclass(frozen=True, slots=True)
class Request:
    """One call, and the kind that its time is counted under."""

    kind: str
    tool: str
    arguments: dict[str, Any]


Draw = Callable[[Random], Request]


def _text(random: Random) -> str:
    return f"{random.choice(SUBJECTS)} {random.choice(ACTIVITIES)} {random.choice(SUBJECTS)}"


def _semantic(random: Random) -> Request:
    return Request("semantic", "semantic_search", {"query": _text(random)})


def _fulltext(random: Random) -> Request:
    return Request("full text", "fulltext_search", {"query": random.choice(SUBJECTS)})


def _hybrid(random: Random) -> Request:
    return Request("hybrid", "hybrid_search", {"query": _text(random)})


def _known(random: Random) -> Request:
    sql = THEMES.format(name=random.choice(NAMES))
    return Request("SQL known", "run_readonly_sql", {"sql": sql})


def _new(random: Random) -> Request:
    year = f"{random.choice(YEARS)} AND m.Id <> {random.randrange(10**9)}"
    return Request("SQL new", "run_readonly_sql", {"sql": GENRE_COUNTS.format(year=year)})


def _traverse(random: Random) -> Request:
    arguments = {"start_kind": "Movie", "start_query": _text(random), "to_kind": "Theme"}
    return Request("traverse", "graph_traverse", arguments)


def _records(random: Random) -> Request:
    names = random.sample(NAMES, 3)
    return Request("records", "get_records", {"kind": "Movie", "names": names})


def _constant(_: Random) -> Request:
    return Request("constant", "constant", {})


# Frequency of each kind, similar to a model that explores a graph.
MIXED: tuple[tuple[int, Draw], ...] = (
    (3, _semantic),
    (3, _fulltext),
    (2, _hybrid),
    (5, _known),
    (3, _new),
    (2, _traverse),
    (4, _records),
)


def calls(mix: str, seed: str) -> Iterator[Request]:
    """Yield calls endlessly.

    The mix is "constant"; "known", eight statements again and again; or "mixed".
    """
    random = Random(seed)
    single = {"constant": _constant, "known": _known}.get(mix)
    weights = [weight for weight, _ in MIXED]
    while True:
        yield (single or random.choices(MIXED, weights)[0][1])(random)


def slow(number: int) -> Request:
    """Return a call that takes seconds, with a new statement each time."""
    return Request("slow", "run_readonly_sql", {"sql": SLOW_JOIN.format(number=number)})
