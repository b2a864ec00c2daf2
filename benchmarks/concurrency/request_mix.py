"""Calls drawn at random from a seed: searches, statements old and new, traversals, records."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

ABOUT = "detective robots road trip heist wartime haunted house friends space chef".split()
DOING = "haunted searching falling hiding learning travelling fighting returning".split()
YEARS = range(1960, 2016)
NAMES = ("Alien", "Star Wars", "Finding Nemo", "Heat", "Fargo", "Casino", "Psycho", "Jaws")
ONE_HOP = (
    "SELECT TOP 20 g.Name, COUNT(*) AS Films "
    "FROM dbo.Movie AS m, dbo.IN_GENRE AS e, dbo.Genre AS g "
    "WHERE MATCH(m-(e)->g) AND m.ReleaseYear >= {year} GROUP BY g.Name ORDER BY Films DESC"
)
THEMES = (
    "SELECT TOP 50 m.Name, m.ReleaseYear, t.Name AS Theme "
    "FROM dbo.Movie AS m, dbo.INCLUDES_THEME AS e, dbo.Theme AS t "
    "WHERE MATCH(m-(e)->t) AND m.Name = '{name}'"
)
EACH_TIME = f"{THEMES} AND m.ReleaseYear <= YEAR(GETDATE())"
SLOW = (
    "WITH a AS (SELECT 1 AS k, m.ReleaseYear AS y FROM dbo.Movie AS m WHERE m.Id <> {number} "
    "AND m.ReleaseYear >= 2000) "
    "SELECT COUNT(*) AS n FROM a AS x JOIN a AS y ON x.k = y.k AND x.y < y.y"
)


@dataclass(frozen=True, slots=True)
class Request:
    """One call, and the kind under which its time counts."""

    kind: str
    tool: str
    arguments: dict[str, Any]


Draw = Callable[[Random], Request]


def _text(random: Random) -> str:
    return f"{random.choice(ABOUT)} {random.choice(DOING)} {random.choice(ABOUT)}"


def _semantic(random: Random) -> Request:
    return Request("semantic", "semantic_search", {"query": _text(random)})


def _fulltext(random: Random) -> Request:
    return Request("full text", "fulltext_search", {"query": random.choice(ABOUT)})


def _hybrid(random: Random) -> Request:
    return Request("hybrid", "hybrid_search", {"query": _text(random)})


def _repeated(random: Random) -> Request:
    sql = THEMES.format(name=random.choice(NAMES))
    return Request("SQL repeated", "run_readonly_sql", {"sql": sql})


def _known(random: Random) -> Request:
    """Draw a statement that is run each time, because it asks for the date."""
    sql = EACH_TIME.format(name=random.choice(NAMES))
    return Request("SQL known", "run_readonly_sql", {"sql": sql})


def _new(random: Random) -> Request:
    year = f"{random.choice(YEARS)} AND m.Id <> {random.randrange(10**9)}"
    return Request("SQL new", "run_readonly_sql", {"sql": ONE_HOP.format(year=year)})


def _traverse(random: Random) -> Request:
    arguments = {"start_kind": "Movie", "start_query": _text(random), "to_kind": "Theme"}
    return Request("traverse", "graph_traverse", arguments)


def _records(random: Random) -> Request:
    names = random.sample(NAMES, 3)
    return Request("records", "get_records", {"kind": "Movie", "names": names})


def _constant(_: Random) -> Request:
    return Request("constant", "constant", {})


# How often each kind comes, as a model that explores a graph would ask.
MIXED: tuple[tuple[int, Draw], ...] = (
    (3, _semantic),
    (3, _fulltext),
    (2, _hybrid),
    (2, _repeated),
    (3, _known),
    (3, _new),
    (2, _traverse),
    (4, _records),
)


def calls(what: str, seed: str) -> Iterator[Request]:
    """Yield calls without end.

    "constant"; "repeated", statements whose results are kept; "known", statements whose plan is
    kept; or "mixed".
    """
    random = Random(seed)
    single = {"constant": _constant, "repeated": _repeated, "known": _known}.get(what)
    weights = [weight for weight, _ in MIXED]
    while True:
        yield (single or random.choices(MIXED, weights)[0][1])(random)


def slow(number: int) -> Request:
    """Return a statement that takes seconds, and is new each time."""
    return Request("slow", "run_readonly_sql", {"sql": SLOW.format(number=number)})
