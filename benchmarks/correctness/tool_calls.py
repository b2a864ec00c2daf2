"""Calls of the fixed tools, with the allowed nodes computed from the records."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.correctness.cases import like, words
from benchmarks.correctness.graphs import Node, Records

Ids = set[int]
SHARED_THEMES = {
    "start_kind": "Movie",
    "start": ["Alien"],
    "path": ["INCLUDES_THEME", "INCLUDES_THEME"],
    "top": 60,
}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call, the allowed nodes, and whether it must return all of them."""

    tool: str
    arguments: Mapping[str, Any]
    allowed: Callable[[Records], Ids]
    is_complete: bool = False


def films(g: Records, condition: Callable[[Node], bool]) -> Ids:
    """Return the Ids of the films that match a condition."""
    return {film.Id for film in g["Movie"] if condition(film)}


def linked(g: Records, edge: str, name: str) -> Ids:
    """Return the Ids of the films linked to a node with a name."""
    return {film.Id for film, end in g.edges[edge] if end.Name == name}


def with_word(g: Records, word: str) -> Ids:
    """Return the Ids of the films whose name or text contains a word."""
    return films(g, lambda f: word in words(f.Name) or word in words(f.Content))


def sharing_themes(g: Records, least: int = 1) -> Ids:
    """Return the Ids of the films that share themes with Alien."""
    alien = g.node("Movie", "Alien")
    themes_of_alien = {theme.Id for theme in g.out("INCLUDES_THEME")[alien.Id]}
    counts = Counter(
        film.Id for film, theme in g.edges["INCLUDES_THEME"] if theme.Id in themes_of_alien
    )
    return {key for key, count in counts.items() if count >= least and key != alien.Id}


def is_of_the_1940s(film: Node) -> bool:
    """Return whether a film is from 1940 to 1949."""
    return film.ReleaseYear is not None and 1940 <= film.ReleaseYear <= 1949


CALLS = (
    ToolCall(
        "semantic_search",
        {"query": "a heist that goes wrong", "where": "ReleaseYear < 1960", "top": 15},
        lambda g: films(g, lambda f: f.ReleaseYear is not None and f.ReleaseYear < 1960),
    ),
    ToolCall(
        "semantic_search",
        {"query": "space opera", "exclude": ["Series:Star Wars", "Series:Star Trek"], "top": 30},
        lambda g: (
            {film.Id for film in g["Movie"]}
            - linked(g, "PART_OF_SERIES", "Star Wars")
            - linked(g, "PART_OF_SERIES", "Star Trek")
        ),
    ),
    ToolCall(
        "semantic_search",
        {"like": ["Alien", "Jaws"], "exclude": ["Genre:Science Fiction"], "top": 25},
        lambda g: (
            films(g, lambda f: f.Name not in ("Alien", "Jaws"))
            - linked(g, "IN_GENRE", "Science Fiction")
        ),
    ),
    ToolCall(
        "semantic_search",
        {"query": "war", "where": "Name NOT LIKE '%war%' AND ReleaseYear BETWEEN 1940 AND 1949"},
        lambda g: films(g, lambda f: is_of_the_1940s(f) and not like(f.Name, "%war%")),
    ),
    ToolCall(
        "semantic_search",
        {"query": "love", "where": "ReleaseYear BETWEEN 1940 AND 1949", "top": 60},
        lambda g: films(g, is_of_the_1940s),
        is_complete=True,
    ),
    ToolCall(
        "fulltext_search",
        {"query": "submarine", "mode": "contains", "top": 60},
        lambda g: with_word(g, "submarine"),
        is_complete=True,
    ),
    ToolCall(
        "fulltext_search",
        {"query": "robot AND NOT love", "mode": "contains", "top": 60},
        lambda g: with_word(g, "robot") - with_word(g, "love"),
        is_complete=True,
    ),
    ToolCall(
        "fulltext_search",
        {"query": "heist", "where": "ReleaseYear >= 2000", "mode": "contains", "top": 60},
        lambda g: with_word(g, "heist") & films(g, lambda f: (f.ReleaseYear or 0) >= 2000),
        is_complete=True,
    ),
    ToolCall(
        "fulltext_search",
        {"query": "shark", "exclude": ["Series:Jaws"], "mode": "contains", "top": 60},
        lambda g: with_word(g, "shark") - linked(g, "PART_OF_SERIES", "Jaws"),
        is_complete=True,
    ),
    ToolCall(
        "hybrid_search",
        {"query": "vampires", "where": "ReleaseYear < 1980", "exclude": ["Genre:Comedy"]},
        lambda g: (
            films(g, lambda f: f.ReleaseYear is not None and f.ReleaseYear < 1980)
            - linked(g, "IN_GENRE", "Comedy")
        ),
    ),
    ToolCall(
        "hybrid_search",
        {"query": "a ship in danger", "like": ["Titanic"], "exclude": ["Alien"], "top": 40},
        lambda g: films(g, lambda f: f.Name not in ("Titanic", "Alien")),
    ),
    ToolCall(
        "graph_traverse",
        {"start_kind": "Genre", "start": ["Western"], "path": ["IN_GENRE"], "top": 60},
        lambda g: linked(g, "IN_GENRE", "Western"),
    ),
    ToolCall(
        "graph_traverse",
        {**SHARED_THEMES, "where": "ReleaseYear < 1960"},
        lambda g: (
            sharing_themes(g)
            & films(g, lambda f: f.ReleaseYear is not None and f.ReleaseYear < 1960)
        ),
    ),
    ToolCall(
        "graph_traverse",
        {**SHARED_THEMES, "exclude": ["Series:Alien", "Genre:Horror"]},
        lambda g: (
            sharing_themes(g)
            - linked(g, "PART_OF_SERIES", "Alien")
            - linked(g, "IN_GENRE", "Horror")
        ),
    ),
    ToolCall(
        "graph_traverse",
        {
            "start_kind": "Theme",
            "start": ["Revenge"],
            "path": ["INCLUDES_THEME"],
            "top": 60,
            "where": "ReleaseYear BETWEEN 1940 AND 1949",
        },
        lambda g: linked(g, "INCLUDES_THEME", "Revenge") & films(g, is_of_the_1940s),
        is_complete=True,
    ),
    ToolCall(
        "get_records",
        {"kind": "Movie", "names": ["alien", "JAWS", "Amelie"]},
        lambda g: films(g, lambda f: f.Name in ("Alien", "Jaws", "Amélie")),
        is_complete=True,
    ),
)
