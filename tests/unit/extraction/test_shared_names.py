"""Where different entities may have one name, equal names are merged only with evidence."""

import pytest
from fakes.scripted_question_runner import ScriptedQuestionRunner, all_one, one_thing

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.extraction.clusters import Mention
from moviegraph.extraction.entity_resolution import ResolvedEntities, resolve_entities

MOVIES = load_contract()
FEATURES, SERIES = "FEATURES_CHARACTER", "PART_OF_SERIES"
FILMS = [
    NodeRecord("Movie", 1, "Mad Max", "Max drives."),
    NodeRecord("Movie", 2, "Mad Max 2", "Max drives on."),
    NodeRecord("Movie", 3, "Rushmore", "Max writes plays."),
    NodeRecord("Movie", 4, "Alien", "Ripley runs."),
]
ROAD = NodeRecord("Series", 70, "Mad Max", "Roads.")
ON_ROAD = [EdgeRecord(SERIES, 1, 70), EdgeRecord(SERIES, 2, 70)]


def by(source: int, name: str, edge: str = FEATURES) -> Mention:
    return Mention(source, edge, name, f"{name} is here")


def names_by_film(resolved: ResolvedEntities) -> dict[int, list[str]]:
    """Return the names of the characters of each film."""
    by_key: dict[int, list[str]] = {}
    for mention, became in sorted(resolved.became.items(), key=lambda item: item[0].source):
        if became.kind == "Character":
            by_key.setdefault(mention.source, []).append(became.name)
    return by_key


def test_the_same_name_in_two_films_is_two_persons_distinguished_in_brackets() -> None:
    resolved = resolve_entities([by(1, "Max"), by(3, "max"), by(3, "Max")], FILMS, [], MOVIES)
    assert names_by_film(resolved) == {
        1: ["Max (Mad Max)"],
        3: ["Max (Rushmore)", "Max (Rushmore)"],
    }
    assert len(resolved.nodes) == len(resolved.edges) == 2


def test_a_name_that_only_one_bears_has_no_brackets() -> None:
    assert names_by_film(resolve_entities([by(1, "Max")], FILMS, [], MOVIES)) == {1: ["Max"]}


def test_brackets_come_and_go_without_a_change_of_the_id() -> None:
    alone = resolve_entities([by(1, "Max")], FILMS, [], MOVIES)
    beside = resolve_entities([by(1, "Max"), by(3, "Max")], FILMS, [], MOVIES)
    assert alone.became[by(1, "Max")].id == beside.became[by(1, "Max")].id
    assert alone.became[by(1, "Max")].name != beside.became[by(1, "Max")].name


@pytest.mark.parametrize(
    ("mentions", "loaded"),
    [
        pytest.param([], ON_ROAD, id="loaded"),
        pytest.param([by(1, "Mad Max", SERIES), by(2, "mad max", SERIES)], [], id="named too"),
    ],
)
def test_within_a_series_a_name_is_one_person(
    mentions: list[Mention], loaded: list[EdgeRecord]
) -> None:
    nodes = [*FILMS, ROAD] if loaded else FILMS
    resolved = resolve_entities(
        [*mentions, by(1, "Max"), by(2, "Max"), by(3, "Max")], nodes, loaded, MOVIES
    )
    assert names_by_film(resolved) == {
        1: ["Max (Mad Max)"],
        2: ["Max (Mad Max)"],
        3: ["Max (Rushmore)"],
    }


def test_another_film_of_the_series_changes_no_id() -> None:
    first = resolve_entities([by(1, "Max")], [*FILMS, ROAD], ON_ROAD, MOVIES)
    later = resolve_entities([by(1, "Max"), by(2, "Max")], [*FILMS, ROAD], ON_ROAD, MOVIES)
    assert {node.id for node in later.became.values()} == {first.became[by(1, "Max")].id}


MAX = NodeRecord("Character", 5, "Max", "Drives.")


@pytest.mark.parametrize(
    ("linked", "linked_ids"),
    [
        pytest.param([], {1, 2, 3}, id="joined to nothing: wherever the name occurs"),
        pytest.param([EdgeRecord(FEATURES, 1, 5)], {1, 2}, id="joined to a film: in its series"),
        pytest.param([EdgeRecord(FEATURES, 3, 5)], {3}, id="joined to another: there alone"),
    ],
)
def test_a_loaded_person_is_known_where_it_belongs(
    linked: list[EdgeRecord], linked_ids: set[int]
) -> None:
    mentions = [by(key, "Max") for key in (1, 2, 3)]
    resolved = resolve_entities(mentions, [*FILMS, ROAD, MAX], [*ON_ROAD, *linked], MOVIES)
    assert {m.source for m, became in resolved.became.items() if became.id == 5} == linked_ids


def test_a_film_that_holds_a_namesake_of_its_own_means_that_one() -> None:
    nodes = [*FILMS, ROAD, MAX, NodeRecord("Character", 6, "Max", "Another.")]
    edges = [*ON_ROAD, EdgeRecord(FEATURES, 1, 5), EdgeRecord(FEATURES, 2, 6)]
    resolved = resolve_entities([by(1, "Max"), by(2, "Max")], nodes, edges, MOVIES)
    assert [node.id for node in resolved.became.values()] == [5, 6]
    assert resolved.edges == ()


def test_a_contract_without_shared_names_needs_no_brackets() -> None:
    resolved = resolve_entities([by(1, "Max"), by(3, "Max")], FILMS, [], _unique())
    assert names_by_film(resolved) == {1: ["Max"], 3: ["Max"]}


def _unique() -> Contract:
    nodes = tuple(node.model_copy(update={"named_within": None}) for node in MOVIES.nodes)
    return MOVIES.model_copy(update={"nodes": nodes})


def test_brackets_that_would_be_too_long_are_left_out() -> None:
    long = [NodeRecord("Movie", key, f"{key}" * 190, "x") for key in (1, 2)]
    resolved = resolve_entities([by(1, "Maximilian"), by(2, "Maximilian")], long, [], MOVIES)
    assert [node.name for node in resolved.nodes] == ["Maximilian", "Maximilian"]


def test_the_model_says_that_a_full_and_a_short_name_of_one_film_are_one() -> None:
    asker = ScriptedQuestionRunner(one_thing("Thomas Kane", "Kane"))
    mentions = [by(4, "Kane"), by(4, "Thomas Kane"), by(4, "Ash")]
    resolved = resolve_entities(mentions, FILMS, [], MOVIES, runner=asker)
    assert names_by_film(resolved) == {4: ["Ash", "Thomas Kane", "Thomas Kane"]}
    assert resolved.merged == {"Character": 1}


def test_short_names_of_other_films_are_no_candidates() -> None:
    asker = ScriptedQuestionRunner(all_one)
    resolved = resolve_entities(
        [by(3, "Max"), by(4, "Max Fischer")], FILMS, [], MOVIES, runner=asker
    )
    assert len(resolved.nodes) == 2


def test_the_model_says_that_namesakes_of_two_films_are_one() -> None:
    holmes = [by(key, "Sherlock Holmes") for key in (1, 3)]
    asker = ScriptedQuestionRunner(all_one)
    resolved = resolve_entities(holmes, FILMS, [], MOVIES, runner=asker)
    assert names_by_film(resolved) == {1: ["Sherlock Holmes"], 3: ["Sherlock Holmes"]}
    assert len(resolved.nodes) == 1


def test_a_loaded_person_of_another_film_is_put_to_the_model() -> None:
    loaded_node = NodeRecord("Character", 5, "Sherlock Holmes", "A detective.")
    nodes, edges = [*FILMS, loaded_node], [EdgeRecord(FEATURES, 1, 5)]
    mentions = [by(3, "Sherlock Holmes")]
    merged = resolve_entities(
        mentions, nodes, edges, MOVIES, runner=ScriptedQuestionRunner(all_one)
    )
    apart = resolve_entities(mentions, nodes, edges, MOVIES, runner=ScriptedQuestionRunner())
    assert merged.became[mentions[0]].id == 5
    assert apart.became[mentions[0]].name == "Sherlock Holmes (Rushmore)"
