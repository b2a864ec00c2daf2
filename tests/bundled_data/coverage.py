"""Checks of the bundled graph's size, countries, decades and distribution of links."""

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from bundled_data.graph import CONCEPTS, BundledGraph, Check

REVIEWED = Path(__file__).with_name("reviewed_films.toml")
LEAST = {
    "Movie": 600,
    "Character": 1800,
    "Setting": 350,
    "Theme": 180,
    "Series": 90,
    "Genre": 20,
}
COUNTRIES = 20
FILMS_A_DECADE, FILMS_A_GENRE = 10, 10
WIDEST = {"INCLUDES_THEME": 0.125, "SET_IN": 0.08}  # share of all films
LONELY = {"INCLUDES_THEME": 1 / 3, "SET_IN": 1 / 3}  # share of concepts with one film


def reviewed_films(path: Path = REVIEWED) -> dict[str, dict[str, Any]]:
    """Return facts in no column: ids of films by country, and the number of parts per series."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def kinds_too_small(bundled_graph: BundledGraph) -> list[str]:
    return [
        f"{kind}: {len(bundled_graph.of(kind))}"
        for kind, least in LEAST.items()
        if len(bundled_graph.of(kind)) < least
    ]


def thin_decades(bundled_graph: BundledGraph) -> list[str]:
    counts = Counter(
        film.year // 10 * 10 for film in bundled_graph.of("Movie") if film.year is not None
    )
    return [
        f"{decade}s: {counts[decade]}"
        for decade in range(1920, 2030, 10)
        if counts[decade] < FILMS_A_DECADE
    ]


def films_out_of_time(bundled_graph: BundledGraph) -> list[str]:
    return [
        str(film)
        for film in bundled_graph.of("Movie")
        if film.year and not 1920 <= film.year <= 2025
    ]


def thin_genres(bundled_graph: BundledGraph) -> list[str]:
    counts = Counter(edge.end for edge in bundled_graph.along("IN_GENRE"))
    return [
        f"{genre}: {counts[genre.id]}"
        for genre in bundled_graph.of("Genre")
        if counts[genre.id] < FILMS_A_GENRE
    ]


def overgeneral(kind: str) -> Check:
    """Return concepts shared by too many films to characterize one."""

    def check(bundled_graph: BundledGraph) -> list[str]:
        counts = Counter(edge.end for edge in bundled_graph.along(kind))
        limit = WIDEST[kind] * len(bundled_graph.of("Movie"))
        return [
            f"{node}: {counts[node.id]} films"
            for node in bundled_graph.of(CONCEPTS[kind])
            if counts[node.id] > limit
        ]

    return check


def too_many_lonely(kind: str) -> Check:
    """The concepts with one film, if they are too many of their kind."""

    def check(bundled_graph: BundledGraph) -> list[str]:
        counts = Counter(edge.end for edge in bundled_graph.along(kind))
        concepts = bundled_graph.of(CONCEPTS[kind])
        lonely = [str(node) for node in concepts if counts[node.id] == 1]
        return lonely if len(lonely) >= LONELY[kind] * len(concepts) else []

    return check


def too_few_countries(bundled_graph: BundledGraph) -> list[str]:
    """Return the countries with a film in the bundled graph, if they are too few."""
    movie_ids = {film.id for film in bundled_graph.of("Movie")}
    covered_countries = [
        name for name, films in reviewed_films()["countries"].items() if movie_ids & {*films}
    ]
    return covered_countries if len(covered_countries) < COUNTRIES else []


def films_of_two_countries(_: BundledGraph) -> list[str]:
    counter = Counter(film for films in reviewed_films()["countries"].values() for film in films)
    return [str(film) for film, times in counter.items() if times > 1]


def series_not_as_reviewed(bundled_graph: BundledGraph) -> list[str]:
    """Return series that lack a reviewed part, or have no reviewed count."""
    reviewed = reviewed_films()
    complete_series, chosen = reviewed["whole_series"], reviewed["series_in_part"]
    counts = Counter(edge.end for edge in bundled_graph.along("PART_OF_SERIES"))
    lines: list[str] = []
    for series in bundled_graph.of("Series"):
        films = counts[series.id]
        if series.name not in complete_series.keys() | chosen.keys():
            lines.append(f"{series}: not counted in {REVIEWED.name}")
        elif films != complete_series.get(series.name, films):
            lines.append(f"{series}: {films} of {complete_series[series.name]}")
        elif not 0 < films < chosen.get(series.name, films + 1):
            lines.append(f"{series}: {films} of {chosen[series.name]}, so not in part")
    names = {series.name for series in bundled_graph.of("Series")}
    return lines + [
        f"{name}: no such series" for name in (complete_series.keys() | chosen.keys()) - names
    ]
