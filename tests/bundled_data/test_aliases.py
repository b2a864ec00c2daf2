"""Aliases lead to nodes of the bundled graph, and their list for models stays short."""

from collections.abc import Callable

import pytest
from bundled_data.aliases import aliases_to_nothing, ambiguous_aliases, everyday_aliases
from bundled_data.graph import BundledGraph

from moviegraph.contract.loader import load_contract
from moviegraph.contract.markdown import MAX_ALIASED, to_markdown
from moviegraph.contract.model import Alias, Contract
from moviegraph.loading.aliases import read_alias_rows, with_aliases
from moviegraph.loading.row_validation import Rejects
from moviegraph.settings import content_folder


@pytest.fixture(scope="module")
def contract() -> Contract:
    """Return the contract with the aliases of the data."""
    bundled = load_contract()
    rows = read_alias_rows(content_folder("data") / "aliases.jsonl", bundled, Rejects())
    return with_aliases(bundled, rows)


def alias(kind: str, name: str, phrase: str) -> Alias:
    return Alias(kind=kind, name=name, alias=phrase)


def with_alias(contract: Contract, more: Alias) -> Contract:
    aliases = (*contract.glossary.aliases, more)
    glossary = contract.glossary.model_copy(update={"aliases": aliases})
    return contract.model_copy(update={"glossary": glossary})


def test_every_other_name_leads_to_a_node(bundled_graph: BundledGraph, contract: Contract) -> None:
    assert not aliases_to_nothing(bundled_graph, contract), aliases_to_nothing(
        bundled_graph, contract
    )


def test_no_other_name_is_the_name_of_two(bundled_graph: BundledGraph, contract: Contract) -> None:
    assert not ambiguous_aliases(bundled_graph, contract), ambiguous_aliases(
        bundled_graph, contract
    )


def test_other_names_of_films_and_persons_are_no_everyday_words(contract: Contract) -> None:
    assert not everyday_aliases(contract), everyday_aliases(contract)


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
def test_what_people_say_is_known(contract: Contract, phrase: str, kind: str, name: str) -> None:
    assert alias(kind, name, phrase) in contract.glossary.aliases


@pytest.mark.parametrize(
    ("bad", "check"),
    [
        pytest.param(alias("Movie", "Metropolis II", "M2"), aliases_to_nothing, id="nothing"),
        pytest.param(alias("Setting", "Paris", "berlin"), ambiguous_aliases, id="own_name"),
    ],
)
def test_a_bad_other_name_is_found(
    bundled_graph: BundledGraph,
    contract: Contract,
    bad: Alias,
    check: Callable[[BundledGraph, Contract], list[str]],
) -> None:
    (problem,) = check(bundled_graph, with_alias(contract, bad))
    assert repr(bad.alias) in problem


def test_another_name_of_two_nodes_is_found(
    bundled_graph: BundledGraph, contract: Contract
) -> None:
    doubled = with_alias(contract, alias("Setting", "London", "nyc"))
    assert len(ambiguous_aliases(bundled_graph, doubled)) == 2


def test_an_everyday_word_for_a_film_is_found(contract: Contract) -> None:
    (problem,) = everyday_aliases(with_alias(contract, alias("Movie", "Her", "love story")))
    assert "love story" in problem


def test_the_glossary_for_models_stays_a_few_pages(contract: Contract) -> None:
    text = to_markdown(contract, "glossary")
    films = {alias.name for alias in contract.glossary.aliases if alias.kind == "Movie"}
    assert len(text) < 12_000
    assert f"and {len(films) - MAX_ALIASED} more" in text
