"""Names are merged by common spellings, and by the contract."""

import random
from collections.abc import Sequence

import pytest
from fakes.aliases_of_data import aliases_of
from fakes.toy_graph import TOY, toy_contract
from hypothesis import given
from hypothesis import strategies as st

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.extraction.clusters import Mention, cleaned
from moviegraph.extraction.entity_resolution import ResolvedEntities, resolve_entities
from moviegraph.names import fold_mention
from moviegraph.settings import content_folder

MOVIES = load_contract()
ALIASES = aliases_of(content_folder("data"), MOVIES)
FILMS = [NodeRecord("Movie", key, f"Film {key}", f"The story of film {key}.") for key in range(9)]
DISHES = [NodeRecord("Recipe", key, f"Dish {key}", "Stir it.") for key in range(9)]


def mentions(edge: str, *names: str) -> list[Mention]:
    """Return mentions by as many nodes as there are names."""
    return [Mention(source, edge, name, f"about {name}") for source, name in enumerate(names)]


def films(edge: str, names: Sequence[str], *loaded: NodeRecord) -> ResolvedEntities:
    return resolve_entities(mentions(edge, *names), [*FILMS, *loaded], [], MOVIES, aliases=ALIASES)


def names(resolved: ResolvedEntities) -> list[str]:
    return sorted(node.name for node in resolved.nodes)


@pytest.mark.parametrize(
    ("edge", "spellings", "expected_names"),
    [
        pytest.param("INCLUDES_THEME", ("Redemption", "redemption"), ["Redemption"], id="case"),
        pytest.param("SET_IN", ("Malmö", "Malmo", "Malmo"), ["Malmo"], id="accents"),
        pytest.param("PART_OF_SERIES", ("Zorba", "the Zorba"), ["Zorba"], id="article"),
        pytest.param("PART_OF_SERIES", ("Omen, The", "The Omen"), ["Omen, The"], id="behind"),
        pytest.param("SET_IN", ("West\u00a0 Berlin", "West-Berlin"), ["West Berlin"], id="blanks"),
        pytest.param("SET_IN", ("U.S.A.", "USA"), ["U.S.A."], id="initials"),
        pytest.param("INCLUDES_THEME", ("Crime & Guilt", "Crime and Guilt"), None, id="and"),
        pytest.param("INCLUDES_THEME", ("Soldier's Duty", "Soldier\u2019s duty"), None, id="quote"),
        pytest.param("INCLUDES_THEME", ("Android", "Androids"), None, id="plural"),
        pytest.param("INCLUDES_THEME", ("Family Secrets", "Family Secret"), None, id="last word"),
        pytest.param("INCLUDES_THEME", ("Mafia", "The Mob"), ["Organised Crime"], id="alias"),
        pytest.param("INCLUDES_THEME", ("Robot", "robots"), None, id="singular of an alias"),
        pytest.param("IN_GENRE", ("sci-fi", "Science Fiction"), ["Science Fiction"], id="genre"),
    ],
)
def test_spellings_of_one_name_are_one_node(
    edge: str, spellings: tuple[str, ...], expected_names: list[str] | None
) -> None:
    resolved = films(edge, spellings)
    assert len(resolved.nodes) == 1
    assert expected_names is None or names(resolved) == expected_names
    assert {node.id for node in resolved.became.values()} == {resolved.nodes[0].id}
    assert [edge.source for edge in resolved.edges] == list(range(len(spellings)))


@pytest.mark.parametrize(
    ("edge", "spellings"),
    [
        pytest.param("PART_OF_SERIES", ("Alien", "Aliens"), id="plural of a proper name"),
        pytest.param("SET_IN", ("Athens", "Athen"), id="a place that looks like a plural"),
        pytest.param("INCLUDES_THEME", ("Chess", "Ches"), id="no plural"),
        pytest.param("SET_IN", ("New York City", "New Jersey"), id="a common beginning"),
        pytest.param("SET_IN", ("か", "が"), id="marks that are letters"),
        pytest.param("SET_IN", ("Room 1", "Room 2"), id="numbers"),
        pytest.param("INCLUDES_THEME", ("C", "C++"), id="signs that mean something"),
    ],
)
def test_names_that_only_look_alike_stay_two(edge: str, spellings: tuple[str, ...]) -> None:
    assert len(films(edge, spellings).nodes) == 2


@pytest.mark.parametrize(
    ("edge", "spellings", "kind", "expected_names"),
    [
        pytest.param("NEEDS", ("eggplant", "Brinjal", "Aubergine"), "Ingredient", ["Aubergine"]),
        pytest.param("NEEDS", ("Onions", "Onion", "onion"), "Ingredient", ["Onion"]),
        pytest.param("NEEDS", ("Berries", "Berry"), "Ingredient", ["Berries"]),
        pytest.param("COMES_FROM", ("Lebanese", "The Levantine"), "Cuisine", ["Levantine"]),
        pytest.param("COMES_FROM", ("Swiss", "Alps", "Alp"), "Cuisine", ["Alp", "Alps", "Swiss"]),
    ],
)
def test_another_contract_folds_by_its_own_words(
    edge: str, spellings: tuple[str, ...], kind: str, expected_names: list[str]
) -> None:
    contract = toy_contract()
    aliases = aliases_of(TOY / "data", contract)
    resolved = resolve_entities(mentions(edge, *spellings), DISHES, [], contract, aliases=aliases)
    assert names(resolved) == expected_names
    assert {node.kind for node in resolved.nodes} == {kind}


@pytest.mark.parametrize(
    ("edge", "name", "loaded"),
    [
        pytest.param("INCLUDES_THEME", "the redemption", ("Theme", "Redemption"), id="spelling"),
        pytest.param("INCLUDES_THEME", "Robot", ("Theme", "Robots"), id="plural"),
        pytest.param("SET_IN", "NYC", ("Setting", "New York City"), id="alias"),
        pytest.param("SET_IN", "New York", ("Setting", "new york"), id="name before alias"),
        pytest.param("FEATURES_CHARACTER", "ripley", ("Character", "Ripley"), id="shared name"),
    ],
)
def test_a_loaded_node_of_the_name_is_the_node(
    edge: str, name: str, loaded: tuple[str, str]
) -> None:
    node = NodeRecord(loaded[0], 77, loaded[1], "Its own text.")
    resolved = films(edge, [name], node)
    assert resolved.nodes == ()
    assert resolved.edges == (EdgeRecord(edge, 0, 77),)
    assert [(node.id, node.name) for node in resolved.became.values()] == [(77, loaded[1])]


def test_an_edge_that_was_loaded_is_not_made_again() -> None:
    theme = NodeRecord("Theme", 5, "Hope", "Hope.")
    loaded = [EdgeRecord("INCLUDES_THEME", 0, 5)]
    resolved = resolve_entities(
        mentions("INCLUDES_THEME", "hope", "Hope"), [*FILMS, theme], loaded, MOVIES
    )
    assert resolved.edges == (EdgeRecord("INCLUDES_THEME", 1, 5),)


@pytest.mark.parametrize(
    "dirty",
    [
        pytest.param("", id="empty"),
        pytest.param(" \u200b ", id="nothing visible"),
        pytest.param("?!", id="punctuation"),
        pytest.param("H" * 201, id="longer than the label"),
        pytest.param("\U0001f600" * 101, id="longer in UTF-16"),
    ],
)
def test_dirty_names_are_left_out_and_reported(dirty: str) -> None:
    resolved = films("INCLUDES_THEME", ["Hope", dirty])
    assert names(resolved) == ["Hope"]
    assert [mention.name for mention in resolved.dropped] == [dirty]
    assert len(resolved.became) == 1


def test_controls_in_a_name_do_not_count() -> None:
    assert names(films("INCLUDES_THEME", ["Hope", "Ho\0pe", "Hope\x1b[1m"])) == ["Hope"]


def test_a_kind_that_needs_more_than_a_name_is_linked_but_not_made() -> None:
    contract = _with_vegan_ingredients()
    rice = NodeRecord("Ingredient", 1, "Rice", "White.", {"Vegan": True})
    resolved = resolve_entities(mentions("NEEDS", "rice", "Salt"), [*DISHES, rice], [], contract)
    assert resolved.nodes == ()
    assert resolved.edges == (EdgeRecord("NEEDS", 0, 1),)
    assert [(mention.name, "Vegan" in reason) for mention, reason in resolved.dropped.items()] == [
        ("Salt", True)
    ]


def _with_vegan_ingredients() -> Contract:
    contract = toy_contract()
    recipe, ingredient, *other_tables = contract.nodes
    vegan = recipe.column("Vegan")
    assert vegan is not None
    wider = ingredient.model_copy(update={"columns": (*ingredient.columns, vegan)})
    return contract.model_copy(update={"nodes": (recipe, wider, *other_tables)})


def test_ids_are_the_same_in_a_later_load_that_names_more() -> None:
    first = films("INCLUDES_THEME", ["Hope", "Fear"])
    later = films("INCLUDES_THEME", ["hope", "HOPE", "Fear", "Awe", "hope"])
    ids_by_name = {node.name.lower(): node.id for node in later.nodes}
    assert {node.name.lower(): node.id for node in first.nodes}.items() <= ids_by_name.items()
    assert all(0 <= node.id < 2**31 for node in later.nodes)


def test_new_ids_avoid_those_of_loaded_nodes() -> None:
    created = films("INCLUDES_THEME", ["Hope"]).nodes[0].id
    other = films("INCLUDES_THEME", ["Hope"], NodeRecord("Theme", created, "Fear", "Fear."))
    assert other.nodes[0].id != created


WORDS = st.sampled_from(
    ["Hope", "hope", "the Hope", "Hopes", "Max", "max!", "Max (Film 1)", "Bond", "James Bond", "?"]
)
EDGES = st.sampled_from(["INCLUDES_THEME", "FEATURES_CHARACTER", "PART_OF_SERIES", "SET_IN"])
MENTIONS = st.lists(st.builds(Mention, st.integers(0, 5), EDGES, WORDS, st.just("words")))


@given(MENTIONS, st.randoms(use_true_random=False))
def test_the_order_of_mentions_does_not_matter(given: list[Mention], order: random.Random) -> None:
    shuffled = list(given)
    order.shuffle(shuffled)
    assert resolve_entities(given, FILMS, [], MOVIES) == resolve_entities(
        shuffled, FILMS, [], MOVIES
    )


@given(MENTIONS)
def test_folding_what_is_folded_adds_nothing(given: list[Mention]) -> None:
    once = resolve_entities(given, FILMS, [], MOVIES)
    twice = resolve_entities(given, [*FILMS, *once.nodes], once.edges, MOVIES)
    assert (twice.nodes, twice.edges) == ((), ())
    became = [{m: node.id for m, node in result.became.items()} for result in (once, twice)]
    assert became[0] == became[1]


@given(st.text(max_size=40))
def test_a_clean_name_stays_as_it_is(name: str) -> None:
    clean = cleaned(name, 200)
    assert clean is None or (cleaned(clean, 200) == clean and fold_mention(clean))
