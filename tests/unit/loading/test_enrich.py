"""The line of names at the end of a text."""

import re

import numpy as np
import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.records import enriched
from fakes.toy_graph import toy_contract

from moviegraph.contract.loader import load_contract
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord, embed_texts
from moviegraph.loading.preparation import enrichment_recipe

NODES = [
    NodeRecord("Movie", 1, "Alien", "A crew meets it."),
    NodeRecord("Movie", 2, "Moon", "A miner doubts."),
    NodeRecord("Theme", 1, "Survival", "Staying alive."),
    NodeRecord("Theme", 2, "Solitude", "Being alone."),
    NodeRecord("Genre", 1, "Horror", "Fear."),
    NodeRecord("Character", 1, "Ellen Ripley", "Warrant officer."),
]
EDGES = [
    EdgeRecord("IN_GENRE", 1, 1),
    EdgeRecord("INCLUDES_THEME", 1, 2),
    EdgeRecord("INCLUDES_THEME", 1, 1),
    EdgeRecord("FEATURES_CHARACTER", 1, 1),
]


def test_a_text_ends_with_the_names_of_what_the_contract_wants_in_it() -> None:
    enriched_nodes = enriched(NODES, EDGES, load_contract())
    assert (
        enriched_nodes[0].content == "A crew meets it.\nTheme: Solitude, Survival; Genre: Horror."
    )
    assert enriched_nodes[1:] == NODES[1:]


def test_a_text_that_ends_so_already_stays() -> None:
    contract = load_contract()
    once = enriched(NODES, EDGES, contract)
    assert enriched(once, EDGES, contract) == once


def _with_themes(count: int) -> str:
    themes = [NodeRecord("Theme", at, f"T{at}", "x") for at in range(100, 100 + count)]
    edges = [EdgeRecord("INCLUDES_THEME", 1, theme.id) for theme in themes]
    return enriched([*NODES, *themes], [*edges, EDGES[0]], load_contract())[0].content


def test_a_line_names_all_and_further_ones_come_last() -> None:
    line = _with_themes(100).rpartition("\n")[2]
    assert {f"T{at}" for at in range(100, 200)} <= {*re.findall(r"T\d+", line)}
    assert line.startswith("Theme: T100, ")
    assert "T119; Genre: Horror; Theme: T120, " in line
    assert line.endswith(", T199.")


def test_further_names_weigh_less_in_the_vector() -> None:
    embedder = HashedEmbedder()
    short, long = _with_themes(20), _with_themes(21)
    with_further, without = embed_texts(embedder, [long, short])
    assert embedder.calls == [[short, short], ["Theme: T120."]]
    assert 0.9 < float(with_further @ without) < 1
    assert float(np.linalg.norm(with_further)) == pytest.approx(1)


def test_another_domain_says_itself_what_its_texts_name() -> None:
    nodes = [
        NodeRecord("Recipe", 1, "Toast", "Toast it."),
        NodeRecord("Cuisine", 2, "British", "Plain."),
        NodeRecord("Ingredient", 3, "Bread", "Baked."),
    ]
    edges = [EdgeRecord("COMES_FROM", 1, 2), EdgeRecord("NEEDS", 1, 3)]
    assert enriched(nodes, edges, toy_contract())[0].content == "Toast it.\nCuisine: British."
    how = enrichment_recipe(toy_contract())
    assert how is not None and how["edges"] == ["COMES_FROM"]


def test_a_contract_that_wants_no_names_changes_nothing() -> None:
    contract = load_contract()
    edges = tuple(edge.model_copy(update={"in_text": False}) for edge in contract.edges)
    plain = contract.model_copy(update={"edges": edges})
    assert enrichment_recipe(plain) is None
    assert enriched(NODES, EDGES, plain) == NODES
