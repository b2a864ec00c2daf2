"""The retrieval primitives answer the same on every engine."""

from collections.abc import Iterator

import numpy as np
import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.limits import budget

from moviegraph.contract.model import Contract
from moviegraph.engines.base import Cancellation, Engine
from moviegraph.engines.embedded import name_index
from moviegraph.engines.retrieval_primitives import GraphReader, Linked, node_ids
from moviegraph.errors import QueryTimeoutError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import RowLimits, Where, judge
from moviegraph.sql.match_patterns import Hop

GENRE = Hop("IN_GENRE", forward=True, kind="Genre")
THEME = Hop("INCLUDES_THEME", forward=True, kind="Theme")
FILMS_OF_THEME = Hop("INCLUDES_THEME", forward=False, kind="Movie")
EVERY_ROW = RowLimits(2**31 - 1, 1000)


@pytest.fixture
def graph(engine: Engine) -> Iterator[GraphReader]:
    with engine.reader(budget()) as reader:
        yield reader


@pytest.fixture
def searchable(engine: Engine) -> None:
    """Skip where the server has no full-text search."""
    if "fulltext" not in engine.describe().capabilities:
        pytest.skip("this server has no full-text search")


def condition(contract: Contract, text: str, kind: str = "Movie") -> Allowed:
    where = Where(text, kind, "n")
    decision = judge(f"SELECT n.Id FROM {kind} AS n", contract, EVERY_ROW, where=where)
    assert isinstance(decision, Allowed)
    return decision


def test_the_nearest_come_first_with_their_distance(
    graph: GraphReader, embedder: HashedEmbedder
) -> None:
    vector = embedder.embed(["Alien\nA crew is hunted by a creature aboard a ship."])[0]
    ranked = graph.nearest("Movie", vector, 3)
    assert ranked.ids[0] == 4
    assert list(ranked.values) == sorted(ranked.values)
    assert len(ranked.ids) == 3


def test_the_nearest_are_of_the_selection(
    graph: GraphReader, embedder: HashedEmbedder, contract: Contract
) -> None:
    vector = embedder.embed(["a creature aboard a ship in deep space"])[0]
    late = graph.select("Movie", condition(contract, "ReleaseYear > 1990"), node_ids([3]))
    assert sorted(graph.nearest("Movie", vector, 10, late).ids.tolist()) == [5, 7, 8]


def test_nothing_is_selected_where_nothing_restricts(graph: GraphReader) -> None:
    assert graph.select("Movie") is None
    assert graph.select("Movie", None, node_ids([])) is None


@pytest.mark.parametrize(
    ("linked", "expected"),
    [
        pytest.param([{"Theme": node_ids([2])}], {1, 3, 8}, id="a node"),
        pytest.param([{"Theme": node_ids([2, 3])}], {1, 3, 4, 8}, id="any of several"),
        pytest.param([{"Theme": node_ids([2])}, {"Series": node_ids([1])}], {1}, id="every entry"),
        pytest.param([{"Theme": node_ids([2]), "Series": node_ids([1])}], {1, 2, 3, 8}, id="kinds"),
        pytest.param([{}], set[int](), id="no node"),
    ],
)
def test_the_nodes_of_a_selection_are_linked_to_every_entry(
    graph: GraphReader, embedder: HashedEmbedder, linked: list[Linked], expected: set[int]
) -> None:
    among = graph.select("Movie", None, node_ids([]), linked)
    ranked = graph.nearest("Movie", embedder.embed(["a story"])[0], 20, among)
    assert set(ranked.ids.tolist()) == expected
    assert graph.has_any("Movie", among) == bool(expected)


def test_a_selection_is_linked_and_satisfies_its_condition(
    graph: GraphReader, contract: Contract
) -> None:
    late = condition(contract, "ReleaseYear > 1980")
    among = graph.select("Movie", late, node_ids([8]), [{"Theme": node_ids([2])}])
    assert graph.keep("Movie", np.array([8, 3, 1, 5]), among).tolist() == [3]
    movies = graph.spread("Theme", FILMS_OF_THEME, node_ids([2]), np.ones(1), 9, among)
    assert movies.ids.tolist() == [3]


def test_ids_keep_their_order_when_they_are_filtered(
    graph: GraphReader, contract: Contract
) -> None:
    late = graph.select("Movie", condition(contract, "ReleaseYear >= 1999"))
    expected_ids = np.array([8, 1, 3, 5], dtype=np.int64)
    assert graph.keep("Movie", expected_ids, late).tolist() == [8, 3, 5]
    assert graph.keep("Movie", expected_ids, None).tolist() == [8, 1, 3, 5]
    assert graph.keep("Movie", expected_ids, graph.only(node_ids([5, 1]))).tolist() == [1, 5]


@pytest.mark.usefixtures("searchable")
@pytest.mark.parametrize(
    ("text", "function", "expected"),
    [
        ('"desert planet"', "CONTAINS", {1, 3}),
        ("desert AND NOT family", "CONTAINS", {1}),
        ("a werewolf in the deserts", "FREETEXT", {1, 3, 6}),
        ("zeppelin", "CONTAINS", set[int]()),
    ],
)
def test_words_are_matched(
    graph: GraphReader, text: str, function: str, expected: set[int]
) -> None:
    ranked = graph.matching("Movie", text, 10, function=function)  # type: ignore[arg-type]
    assert set(ranked.ids.tolist()) == expected
    assert list(ranked.values) == sorted(ranked.values, reverse=True)


@pytest.mark.usefixtures("searchable")
def test_matches_are_of_the_selection(graph: GraphReader) -> None:
    ranked = graph.matching("Movie", "planet", 10, graph.only(node_ids([3, 4])))
    assert ranked.ids.tolist() == [3]


@pytest.mark.parametrize(
    ("kind", "name", "ids"),
    [
        ("Movie", "amelie", [5]),
        ("Movie", "ALIEN", [4, 7]),
        ("Movie", "the matrix", [8]),
        ("Movie", "100 wolf", [6]),
        ("Movie", "Solaris", []),
        ("Theme", "chosen-one", [2]),
        ("Theme", "", []),
    ],
)
def test_names_are_equal_without_case_accents_and_punctuation(
    graph: GraphReader, kind: str, name: str, ids: list[int]
) -> None:
    matches = graph.named(kind, [name, "no such name"])
    assert sorted(node_id for _, node_id, _ in matches) == ids
    assert {(requested_name, step) for requested_name, _, step in matches} <= {(name, "equal")}


def test_all_names_are_returned_with_their_nodes_and_their_aliases(graph: GraphReader) -> None:
    names = graph.names("Movie")
    equal = {key: name.rstrip() for key, name, step in names if step == "equal"}
    assert equal[5] == "Amélie"
    assert equal[8] == "The Matrix"
    assert len(equal) == 8
    assert (1, "A New Hope", "alias") in names
    assert (1, "sci-fi", "alias") in graph.names("Genre")


def test_aliases_are_returned_with_their_nodes(graph: GraphReader) -> None:
    assert (1, "A New Hope") in graph.aliases("Movie")
    assert (1, "sci-fi") in graph.aliases("Genre")
    assert graph.aliases("Character") == [(2, "Ripley")]


def test_names_that_contain_parts_are_returned_shortest_first(graph: GraphReader) -> None:
    assert graph.names_with("Movie", ["alien"], 5) == [(4, "Alien"), (7, "alien")]
    assert [key for key, _ in graph.names_with("Movie", ["emp", "ire", "ali"], 2)] == [2, 4]
    assert graph.names_with("Movie", [""], 5) == []


@pytest.mark.parametrize("kind", ["Movie", "Character", "Genre"])
@pytest.mark.parametrize("parts", [["ALIEN"], ["é", "li"], ["a", "an", "%"], ["no such part"]])
def test_more_names_than_fit_in_memory_are_searched_alike(
    graph: GraphReader, monkeypatch: pytest.MonkeyPatch, kind: str, parts: list[str]
) -> None:
    in_memory = graph.names_with(kind, parts, 5)
    ids = node_ids([node_id for node_id, _ in in_memory])
    names = graph.fetch(kind, ids, ("Name",))
    monkeypatch.setattr(name_index, "MAX_NAMES_IN_MEMORY", 0)
    assert graph.names_with(kind, parts, 5) == in_memory
    assert graph.fetch(kind, ids, ("Name",)) == names


def test_edges_are_followed_both_ways(graph: GraphReader) -> None:
    themes = graph.neighbors("Movie", THEME, node_ids([1, 2, 5]))
    assert list(zip(themes.sources.tolist(), themes.targets.tolist(), strict=True)) == [
        (1, 1),
        (1, 2),
        (2, 1),
    ]
    films = graph.neighbors("Theme", FILMS_OF_THEME, node_ids([2]))
    assert sorted(films.targets.tolist()) == [1, 3, 8]


def test_weights_are_summed_where_edges_meet(graph: GraphReader) -> None:
    ranked = graph.spread("Theme", FILMS_OF_THEME, node_ids([1, 2]), np.array([1.0, 0.5]), 3)
    assert ranked.ids.tolist() == [1, 3, 8]
    assert ranked.values.tolist() == [1.5, 1.5, 1.5]
    only = graph.only(node_ids([2, 8]))
    few = graph.spread("Theme", FILMS_OF_THEME, node_ids([1, 2]), np.array([1.0, 0.5]), 3, only)
    assert few.ids.tolist() == [8, 2]


def test_edges_are_counted_by_table(graph: GraphReader) -> None:
    counts = graph.degrees("Movie", node_ids([1, 4, 7]))
    assert counts["IN_GENRE"].tolist() == [1, 2, 0]
    assert counts["PART_OF_SERIES"].tolist() == [1, 0, 0]
    assert graph.degrees("Genre", node_ids([1]))["IN_GENRE"].tolist() == [5]


def test_columns_are_fetched_in_the_order_of_the_ids(graph: GraphReader) -> None:
    ids = np.array([6, 1], dtype=np.int64)
    assert graph.fetch("Movie", ids, ["Name", "ReleaseYear"]) == [
        ("100% Wolf", None),
        ("Star Wars", 1977),
    ]
    assert graph.fetch("Movie", ids, ["Name"]) == [("100% Wolf",), ("Star Wars",)]


@pytest.mark.usefixtures("searchable")
def test_documents_are_counted_by_word(graph: GraphReader) -> None:
    assert graph.document_counts("Movie", ["desert", "planet", "zeppelin"]) == {
        "desert": 2,
        "planet": 2,
        "zeppelin": 0,
    }


def test_vectors_have_unit_length(graph: GraphReader) -> None:
    matrix = graph.vectors("Movie", node_ids([1, 4]))
    assert matrix.shape[0] == 2
    assert np.allclose(np.linalg.norm(matrix, axis=1), 1, atol=1e-3)


def test_a_cancelled_call_reads_nothing(engine: Engine) -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with (
        pytest.raises(QueryTimeoutError),
        engine.reader(budget(cancellation=cancellation)) as reader,
    ):
        reader.degrees("Movie", node_ids([1]))


def test_hops_of_a_kind_without_nodes_are_followed(graph: GraphReader) -> None:
    pairs = graph.neighbors("Movie", GENRE, node_ids([7]))
    assert not len(pairs.sources)
    assert not len(pairs.targets)
