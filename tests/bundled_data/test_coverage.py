"""The bundled graph is wide and evenly linked, and the checks notice where it is not."""

import pytest
from bundled_data.coverage import (
    films_of_two_countries,
    films_out_of_time,
    kinds_too_small,
    overgeneral,
    reviewed_films,
    series_not_as_reviewed,
    thin_decades,
    thin_genres,
    too_few_countries,
    too_many_lonely,
)
from bundled_data.graph import CONCEPTS, BundledGraph, Check, Edge, Node

from moviegraph.contract.loader import load_contract

CHECKS = {
    "every_kind_has_enough_nodes": kinds_too_small,
    "every_decade_from_the_1920s_has_films": thin_decades,
    "every_film_is_from_the_1920s_to_2025": films_out_of_time,
    "every_genre_has_films": thin_genres,
    "no_theme_is_so_general_that_it_says_nothing": overgeneral("INCLUDES_THEME"),
    "no_setting_is_so_general_that_it_says_nothing": overgeneral("SET_IN"),
    "fewer_than_a_third_of_the_themes_have_one_film": too_many_lonely("INCLUDES_THEME"),
    "fewer_than_a_third_of_the_settings_have_one_film": too_many_lonely("SET_IN"),
    "films_come_from_many_countries": too_few_countries,
    "no_film_is_counted_for_two_countries": films_of_two_countries,
    "series_are_as_whole_as_they_are_said_to_be": series_not_as_reviewed,
}


@pytest.mark.parametrize("check", [pytest.param(check, id=name) for name, check in CHECKS.items()])
def test_the_bundled_graph_follows_the_rule(bundled_graph: BundledGraph, check: Check) -> None:
    assert not check(bundled_graph), check(bundled_graph)


@pytest.mark.parametrize("kind", ["Theme", "Setting", "Character", "Series"])
def test_no_bridge_between_films_is_cut_from_paths_as_a_hub(
    bundled_graph: BundledGraph, kind: str
) -> None:
    (edge,) = (name for name, end in CONCEPTS.items() if end == kind)
    ends = [each.end for each in bundled_graph.along(edge)]
    assert (
        max(ends.count(node.id) for node in bundled_graph.of(kind)) < load_contract().limits.hub_cut
    )


@pytest.mark.parametrize(
    ("film", "check", "offender"),
    [
        pytest.param(
            Node("Movie", 9999, "Early", "x", 1895), films_out_of_time, "Early", id="1895"
        ),
        pytest.param(Node("Movie", 9999, "Late", "x", 2031), films_out_of_time, "Late", id="2031"),
    ],
)
def test_a_film_out_of_time_is_found(
    bundled_graph: BundledGraph, film: Node, check: Check, offender: str
) -> None:
    (problem,) = check(bundled_graph.with_more(film))
    assert offender in problem


def test_missing_films_are_found_by_kind_decade_genre_and_country(
    bundled_graph: BundledGraph,
) -> None:
    foreign = {film for films in reviewed_films()["countries"].values() for film in films}
    poor = BundledGraph(
        tuple(n for n in bundled_graph.nodes if n.kind != "Movie" or (n.year or 0) >= 1930),
        tuple(edge for edge in bundled_graph.edges if edge.start > 250),
    )
    assert thin_decades(poor) == ["1920s: 0"]
    assert any("'Western'" in genre for genre in thin_genres(poor))
    without = tuple(n for n in bundled_graph.nodes if n.kind != "Movie" or n.id not in foreign)
    assert too_few_countries(BundledGraph(without, bundled_graph.edges)) == []
    british = {*reviewed_films()["countries"]["United Kingdom"]}
    few = tuple(n for n in bundled_graph.nodes if n.kind != "Movie" or n.id in british)
    assert too_few_countries(BundledGraph(few, bundled_graph.edges)) == ["United Kingdom"]
    assert kinds_too_small(BundledGraph(few, bundled_graph.edges)) == [f"Movie: {len(british)}"]


@pytest.mark.parametrize("kind", ["INCLUDES_THEME", "SET_IN"])
def test_a_concept_of_every_second_film_is_found(bundled_graph: BundledGraph, kind: str) -> None:
    node = Node(CONCEPTS[kind], 9999, "Life", "x")
    edges = [Edge(kind, film.id, 9999) for film in bundled_graph.of("Movie")[::2]]
    (problem,) = overgeneral(kind)(bundled_graph.with_more(node, edges=edges))
    assert problem.startswith(str(node))


@pytest.mark.parametrize("kind", ["INCLUDES_THEME", "SET_IN"])
def test_concepts_of_one_film_are_found_once_they_are_a_third(
    bundled_graph: BundledGraph, kind: str
) -> None:
    many = len(bundled_graph.of(CONCEPTS[kind]))
    nodes = [Node(CONCEPTS[kind], 9000 + n, f"Whim {n}", "x") for n in range(many)]
    edges = [Edge(kind, 1, node.id) for node in nodes]
    result = too_many_lonely(kind)(bundled_graph.with_more(*nodes, edges=edges))
    assert {str(node) for node in nodes} <= {*result}


def test_a_series_that_loses_or_gains_a_part_is_found(bundled_graph: BundledGraph) -> None:
    (star_wars,) = [node for node in bundled_graph.of("Series") if node.name == "Star Wars"]
    first = bundled_graph.films_of(star_wars)[0]
    poorer = bundled_graph.without_edges(lambda e: e.kind == "PART_OF_SERIES" and e.start == first)
    richer = bundled_graph.with_more(edges=[Edge("PART_OF_SERIES", 12, star_wars.id)])
    uncounted = bundled_graph.with_more(Node("Series", 9999, "Saga", "x"))
    assert series_not_as_reviewed(poorer) == [f"{star_wars}: 10 of 11"]
    assert series_not_as_reviewed(richer) == [f"{star_wars}: 12 of 11"]
    assert len(series_not_as_reviewed(uncounted)) == 1
