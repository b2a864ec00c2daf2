"""Names are resolved by index: step by step within a kind, and never by guess."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes.limits import budget
from fakes.sessions import made_session

from moviegraph.contract.loader import load_contract
from moviegraph.engines.graph_records import NodeRecord
from moviegraph.query.names import (
    NameResolver,
    split_parts,
    swapped_letters,
)

NODES = [
    NodeRecord("Movie", 1, "Dune", "One.", {"ReleaseYear": 1984}),
    NodeRecord("Movie", 2, "Dune", "Two.", {"ReleaseYear": 2021}),
    NodeRecord("Movie", 3, "Amélie", "Three."),
    NodeRecord("Movie", 4, "Spider-Man", "Four."),
    NodeRecord("Movie", 5, "1917", "Five.", {"ReleaseYear": 2019}),
    NodeRecord("Movie", 6, "Theme: Park", "Six."),
    NodeRecord("Movie", 7, "七人の侍", "Seven."),
    NodeRecord("Movie", 8, "The Rapist", "Eight."),
    NodeRecord("Movie", 9, "Therapist", "Nine."),
    NodeRecord("Movie", 10, "Wall·E", "Ten."),
    NodeRecord("Series", 1, "Rocky Collection", "Fights."),
    NodeRecord("Series", 2, "Dune", "Sand."),
    NodeRecord("Theme", 1, "Revenge", "Even."),
    NodeRecord("Theme", 2, "Park", "Green."),
    NodeRecord("Character", 1, "Андрей Болконский", "A prince."),
]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NameResolver]:
    contract = load_contract()
    kinds = tuple(
        node.model_copy(update={"name_suffixes": ("Collection", "Trilogy")})
        if node.name == "Series"
        else node
        for node in contract.nodes
    )
    folder: Path = tmp_path_factory.mktemp("names") / "graph"
    session = made_session(folder, NODES, [])
    with session.engine.reader(budget()) as graph:
        yield NameResolver(graph, contract.model_copy(update={"nodes": kinds}))
    session.engine.close()


def resolved(names: NameResolver, item: int | str, own: str = "Movie") -> set[str]:
    contract = names._contract
    node = contract.node(own)
    assert node is not None
    meanings = names.resolve([item], node, contract.nodes)
    return {meaning.reference for meaning in meanings[item]}


@pytest.mark.parametrize(
    ("item", "references"),
    [
        pytest.param("amelie", {"Movie:3"}, id="without accents"),
        pytest.param("SPIDER MAN", {"Movie:4"}, id="without punctuation and case"),
        pytest.param("spiderman", {"Movie:4"}, id="without spaces"),
        pytest.param("WALL-E", {"Movie:10"}, id="other punctuation"),
        pytest.param("七人の侍", {"Movie:7"}, id="a script without spaces"),
        pytest.param("андрей болконский", {"Character:1"}, id="Cyrillic"),
        pytest.param("therapist", {"Movie:9"}, id="the very name before a folded one"),
        pytest.param("Dune", {"Movie:1", "Movie:2", "Series:2"}, id="every meaning"),
        pytest.param("Dune (1984)", {"Movie:1"}, id="a year in brackets"),
        pytest.param("dune 2021", {"Movie:2"}, id="a year"),
        pytest.param("Dune from 2021", {"Movie:2"}, id="from a year"),
        pytest.param("Dune (1999)", set[str](), id="a year that no node has"),
        pytest.param("Rocky", {"Series:1"}, id="without the suffix of its kind"),
        pytest.param("Rocky Collection", {"Series:1"}, id="the whole name"),
        pytest.param("Series:Dune", {"Series:2"}, id="a name of one kind"),
        pytest.param("series: 2", {"Series:2"}, id="an id of one kind"),
        pytest.param("Theme:Revenge", {"Theme:1"}, id="a kind in front"),
        pytest.param("Theme: Park", {"Movie:6"}, id="a whole name before a kind in front"),
        pytest.param("Movie:1917", {"Movie:5"}, id="digits that are no id but a name"),
        pytest.param("Movie:5", {"Movie:5"}, id="digits that are an id"),
        pytest.param("Nonsense:Dune", set[str](), id="what is no kind"),
        pytest.param(5, {"Movie:5"}, id="an id"),
        pytest.param(99, set[str](), id="an unknown id"),
        pytest.param("1917", {"Movie:5"}, id="digits alone that are a name"),
        pytest.param("5", {"Movie:5"}, id="digits alone that no node is named"),
        pytest.param("99", set[str](), id="digits alone that are neither"),
        pytest.param("Duen", set[str](), id="no near spelling here"),
    ],
)
def test_the_first_step_that_matches_wins(
    names: NameResolver, item: int | str, references: set[str]
) -> None:
    assert resolved(names, item) == references


def test_ids_are_of_the_own_kind(names: NameResolver) -> None:
    assert resolved(names, 1, "Theme") == {"Theme:1"}


def test_a_misspelled_name_is_taken_only_where_one_name_is_nearest(names: NameResolver) -> None:
    movie = names._contract.nodes[0]
    assert [node.id for node in names.misspelled("Spider-Mna", [movie])] == [4]
    assert [node.id for node in names.misspelled("Duen", [movie])] == []
    assert names.misspelled("Dune (1985)", [movie]) == []


def test_the_nearest_names_are_written_as_references(names: NameResolver) -> None:
    (node,) = names.nearest("Revange", names._contract.nodes)
    assert node.described == "Theme:1 'Revenge'"


@pytest.mark.parametrize("name", ["x", "two words", "a rather long name of a film"])
def test_with_one_slip_fewer_than_parts_one_part_is_intact(name: str) -> None:
    parts = split_parts(name)
    assert "".join(parts) == name
    assert 2 <= len(parts) <= 4 or len(name) == 1


def test_two_letters_swapped_are_tried_in_short_names() -> None:
    assert "alien" in swapped_letters("alein")
    assert swapped_letters("a long name of a film") == []
