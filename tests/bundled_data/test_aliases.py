"""Aliases of the bundled graph lead to its nodes."""

from collections.abc import Callable

import pytest
from bundled_data.aliases import (
    Alias,
    aliases_to_nothing,
    ambiguous_aliases,
    everyday_aliases,
)
from bundled_data.graph import BundledGraph

from moviegraph.contract.loader import load_contract
from moviegraph.loading.aliases import read_alias_rows
from moviegraph.loading.row_validation import Rejects
from moviegraph.settings import content_folder


@pytest.fixture(scope="module")
def aliases() -> list[Alias]:
    path = content_folder("data") / "aliases.jsonl"
    rows = read_alias_rows(path, load_contract(), Rejects())
    return [Alias(row.kind, row.name or "", alias) for row in rows for alias in row.aliases]


def test_every_other_name_leads_to_a_node(
    bundled_graph: BundledGraph, aliases: list[Alias]
) -> None:
    assert aliases_to_nothing(bundled_graph, aliases) == []


def test_no_other_name_is_the_name_of_two(
    bundled_graph: BundledGraph, aliases: list[Alias]
) -> None:
    assert ambiguous_aliases(bundled_graph, aliases) == []


def test_other_names_of_films_and_persons_are_no_everyday_words(aliases: list[Alias]) -> None:
    assert everyday_aliases(aliases) == []


@pytest.mark.parametrize(
    ("phrase", "kind", "name"),
    [
        pytest.param("LOTR", "Series", "The Lord of the Rings", id="abbreviation"),
        pytest.param("007", "Series", "James Bond", id="number"),
        pytest.param("La vita è bella", "Movie", "Life Is Beautiful", id="italian"),
        pytest.param("Sen to Chihiro", "Movie", "Spirited Away", id="japanese"),
        pytest.param("Le Salaire de la peur", "Movie", "The Wages of Fear", id="french"),
        pytest.param("NYC", "Setting", "New York City", id="city"),
        pytest.param("Bombay", "Setting", "Mumbai", id="former_name"),
        pytest.param("Wolverine", "Character", "Logan", id="hero"),
        pytest.param("vengeance", "Theme", "Revenge", id="synonym"),
    ],
)
def test_what_people_say_is_known(aliases: list[Alias], phrase: str, kind: str, name: str) -> None:
    assert Alias(kind, name, phrase) in aliases


@pytest.mark.parametrize(
    ("bad", "check"),
    [
        pytest.param(Alias("Movie", "Metropolis II", "M2"), aliases_to_nothing, id="nothing"),
        pytest.param(Alias("Setting", "Paris", "berlin"), ambiguous_aliases, id="own_name"),
    ],
)
def test_a_bad_other_name_is_found(
    bundled_graph: BundledGraph,
    aliases: list[Alias],
    bad: Alias,
    check: Callable[[BundledGraph, list[Alias]], list[str]],
) -> None:
    (problem,) = check(bundled_graph, [*aliases, bad])
    assert repr(bad.alias) in problem


def test_another_name_of_two_nodes_is_found(
    bundled_graph: BundledGraph, aliases: list[Alias]
) -> None:
    doubled = [*aliases, Alias("Setting", "London", "nyc")]
    assert len(ambiguous_aliases(bundled_graph, doubled)) == 2


def test_an_everyday_word_for_a_film_is_found(aliases: list[Alias]) -> None:
    (problem,) = everyday_aliases([*aliases, Alias("Movie", "Her", "love story")])
    assert "love story" in problem
