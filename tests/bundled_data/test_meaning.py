"""No two nodes of a kind in the bundled graph mean the same, and planted duplicates are found."""

from pathlib import Path

import pytest
from bundled_data.graph import BundledGraph, Node
from bundled_data.meaning import (
    Pair,
    pairs_meant_alike,
    pairs_named_alike,
    reviewed_pairs,
    with_vectors,
)

from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.engines.embedded.embedding_store import KnownVectors
from moviegraph.loading.folder_loader import shipped_vectors

REVENGE = (
    "Someone was wronged and the law did nothing, so the injured party takes justice in hand. "
    "The hunt consumes years, hardens the hunter, and seldom gives back what was taken."
)
JAIL = (
    "Cells, bars and a yard under guard towers. Inmates count days, barter cigarettes, dig "
    "tunnels behind posters and learn whom to trust, while warders walk the landings."
)
CITY = (
    "Yellow taxis, fire escapes and rooftop water tanks of the American metropolis, where "
    "newcomers seek their fortune, lovers meet in the park and danger waits in the subway."
)
AVENGER = "A billionaire orphan who puts on a cape at night to frighten the criminals of Gotham."


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


@pytest.fixture(scope="module")
def vectors(bundled_graph: BundledGraph, data: Path, embedder: LocalEmbedder) -> KnownVectors:
    return with_vectors(bundled_graph, shipped_vectors(data, embedder.space), embedder)


def unreviewed(pairs: list[Pair]) -> list[str]:
    reviewed = reviewed_pairs()
    return [str(pair) for pair in pairs if (pair.kind, pair.names) not in reviewed]


@pytest.mark.slow("long")
def test_no_two_nodes_of_a_kind_have_nearly_one_name(bundled_graph: BundledGraph) -> None:
    assert not unreviewed(pairs_named_alike(bundled_graph)), unreviewed(
        pairs_named_alike(bundled_graph)
    )


@pytest.mark.slow("long")
def test_no_two_nodes_of_a_kind_mean_the_same(
    bundled_graph: BundledGraph, vectors: KnownVectors
) -> None:
    result = unreviewed(pairs_meant_alike(bundled_graph, vectors))
    assert not result, result


@pytest.mark.slow("long")
def test_every_reviewed_pair_is_alike_and_has_its_reason(
    bundled_graph: BundledGraph, vectors: KnownVectors
) -> None:
    alike = [*pairs_named_alike(bundled_graph), *pairs_meant_alike(bundled_graph, vectors)]
    reviewed = reviewed_pairs()
    assert reviewed.keys() <= {(pair.kind, pair.names) for pair in alike}
    assert all(len(why.split()) >= 4 for why in reviewed.values())


@pytest.mark.slow("long")
@pytest.mark.parametrize(
    ("node", "double"),
    [
        pytest.param(Node("Theme", 9999, "Vengeance", REVENGE), "Revenge", id="synonym"),
        pytest.param(Node("Setting", 9999, "Penitentiary", JAIL), "Prison", id="register"),
        pytest.param(Node("Setting", 9999, "New York", CITY), "New York City", id="short_name"),
        pytest.param(Node("Character", 9999, "Batman", AVENGER), "Bruce Wayne", id="person"),
    ],
)
def test_a_planted_double_is_found_by_its_meaning(
    bundled_graph: BundledGraph,
    vectors: KnownVectors,
    embedder: LocalEmbedder,
    node: Node,
    double: str,
) -> None:
    more = bundled_graph.with_more(node)
    result = pairs_meant_alike(more, with_vectors(more, vectors, embedder))
    assert frozenset({node.name, double}) in {pair.names for pair in result}


@pytest.mark.slow("long")
@pytest.mark.parametrize(
    ("node", "double"),
    [
        pytest.param(Node("Theme", 9999, "The Ghost", "x"), "Ghosts", id="number_and_article"),
        pytest.param(Node("Theme", 9999, "Honesty & Lies of Truth", "x"), None, id="another"),
        pytest.param(Node("Theme", 9999, "Organized Crime", "x"), "Organised Crime", id="spelling"),
        pytest.param(Node("Character", 9999, "Mr. Spock", "x"), "Spock", id="form_of_address"),
        pytest.param(Node("Character", 9999, "Neo (Sequel)", "x"), "Neo", id="film_in_brackets"),
    ],
)
def test_a_planted_double_is_found_by_its_name(
    bundled_graph: BundledGraph, node: Node, double: str | None
) -> None:
    result = [
        pair.names
        for pair in pairs_named_alike(bundled_graph.with_more(node))
        if node.name in pair.names
    ]
    assert result == ([frozenset({node.name, double})] if double else [])
