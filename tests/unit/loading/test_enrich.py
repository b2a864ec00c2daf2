"""The line of names at the end of a text."""

from fakes.records import enriched
from fakes.toy_graph import toy_contract

from moviegraph.contract.loader import load_contract
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.loading.preparation import MAX_LISTED, enrichment_recipe

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


def test_a_line_names_no_more_than_the_most() -> None:
    themes = [NodeRecord("Theme", at, f"T{at}", "x") for at in range(100)]
    edges = [EdgeRecord("INCLUDES_THEME", 1, at) for at in range(100)]
    enriched_nodes = enriched([NODES[0], *themes], edges, load_contract())
    assert enriched_nodes[0].content.count("T") - 1 == MAX_LISTED


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
