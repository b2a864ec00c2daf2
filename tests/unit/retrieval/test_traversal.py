from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.journals import MemoryJournal
from fakes.sessions import call, column, kitchen_session, recorded
from fakes.small_graph import MOVIES, edges
from fakes.toy_graph import toy_edges
from fakes.ways import Graph

from moviegraph.contract.load import load_contract
from moviegraph.engines.build import build_graph
from moviegraph.engines.embedded import open_graph
from moviegraph.engines.records import EdgeRecord, NodeRecord, embedded_text
from moviegraph.errors import ArgumentError, NotFoundError, RefusedError
from moviegraph.retrieval import traversal
from moviegraph.retrieval.session import Caps, Rows, Session


@pytest.fixture(scope="module")
def hubs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    session = kitchen_session(tmp_path_factory.mktemp("hubs") / "graph", hub_cut=3)
    yield session
    session.engine.close()
    session.journal.close()


def found(rows: Rows) -> dict[int, tuple[int, int]]:
    key = rows.columns[1]
    triples = zip(column(rows, key), column(rows, "Score"), column(rows, "Hops"), strict=True)
    return {each: (score, hops) for each, score, hops in triples}


@pytest.mark.parametrize("max_hops", [1, 2, 3, pytest.param(4, marks=pytest.mark.slow("long"))])
@pytest.mark.parametrize("end", ["Movie", "Theme", "Genre", "Setting"])
@pytest.mark.parametrize("start", [("Movie", [1]), ("Movie", [1, 4]), ("Theme", [1])], ids=str)
def test_the_score_is_the_number_of_distinct_ways(
    films: Session, start: tuple[str, list[int]], end: str, max_hops: int
) -> None:
    kind, ids = start
    expected = Graph(films.contract, edges()).scores([(kind, i) for i in ids], end, max_hops)
    try:
        rows = traversal.traverse(
            films, call(), start_kind=kind, start=ids, to_kind=end, max_hops=max_hops
        )
    except ArgumentError:
        assert expected == {}
        return
    assert found(rows) == expected
    ranked = [(-score, key) for key, (score, _) in found(rows).items()]
    assert ranked == sorted(ranked)


@pytest.mark.parametrize("max_hops", [2, 3, pytest.param(4, marks=pytest.mark.slow("long"))])
@pytest.mark.parametrize("end", ["Recipe", "Ingredient", "Cuisine"])
@pytest.mark.parametrize("start", [("Recipe", [1]), ("Ingredient", [2, 3])], ids=str)
def test_hubs_are_left_out_of_the_middle_in_any_contract(
    hubs: Session, start: tuple[str, list[int]], end: str, max_hops: int
) -> None:
    kind, ids = start
    expected = Graph(hubs.contract, toy_edges()).scores([(kind, i) for i in ids], end, max_hops)
    try:
        rows = traversal.traverse(
            hubs, call(), start_kind=kind, start=ids, to_kind=end, max_hops=max_hops
        )
    except ArgumentError:
        assert expected == {}
        return
    assert found(rows) == dict(sorted(expected.items(), key=lambda e: (-e[1][0], e[0]))[:10])


def test_a_hub_next_to_the_start_is_named_with_its_degree(hubs: Session) -> None:
    rows = traversal.traverse(
        hubs, call(), start_kind="Recipe", start=["Ratatouille"], to_kind="Recipe"
    )
    assert "Onion (5), Tomato (4)" in rows.notes[0]
    assert "more than 3 edges" in rows.notes[0]
    assert not any("> Onion <" in via for via in column(rows, "Via"))


def test_a_hub_may_be_the_end_of_a_way(hubs: Session) -> None:
    rows = traversal.traverse(hubs, call(), start=["Ratatouille"], path=["NEEDS"])
    assert "Onion" in column(rows, "Name")
    assert rows.notes == ()


def test_a_path_is_walked_away_from_the_node_reached(films: Session) -> None:
    path = ("INCLUDES_THEME", "INCLUDES_THEME")
    rows = traversal.traverse(films, call(), start=["Star Wars"], path=list(path))
    assert found(rows) == Graph(films.contract, edges()).scores([("Movie", 1)], "Movie", 2, path)
    assert rows.columns == (
        *("Kind", "Id", "Name", "ReleaseYear", "Score", "Hops", "Via", "Content"),
    )
    assert column(rows, "Kind") == ["Movie"] * len(rows.rows)


def test_names_of_edge_tables_need_no_case(films: Session) -> None:
    rows = traversal.traverse(films, call(), start=[1], path=["includes_theme"])
    assert column(rows, "Name") == ["Rebellion", "Chosen One"]


def test_the_way_is_the_evidence(films: Session) -> None:
    rows = traversal.traverse(films, call(), start=[1], to_kind="Movie")
    via = dict(zip(column(rows, "Name"), column(rows, "Via"), strict=True))
    assert via["Dune"].split("; ") == [
        "Star Wars -[INCLUDES_THEME]-> Rebellion <-[INCLUDES_THEME]- Dune",
        "Star Wars -[IN_GENRE]-> Science Fiction <-[IN_GENRE]- Dune",
        "Star Wars -[SET_IN]-> Desert Planet <-[SET_IN]- Dune",
        "Star Wars -[INCLUDES_THEME]-> Chosen One <-[INCLUDES_THEME]- Dune",
    ]


def test_at_most_five_ways_are_shown_short_ones_first(films: Session) -> None:
    rows = traversal.traverse(films, call(), start=[1], to_kind="Movie", max_hops=4)
    for via, score in zip(column(rows, "Via"), column(rows, "Score"), strict=True):
        ways = via.split("; ")
        assert len(ways) == min(5, score)
        assert len(set(ways)) == len(ways)
        lengths = [way.count("[") for way in ways]
        assert lengths == sorted(lengths)


def test_where_holds_for_the_nodes_reached(films: Session) -> None:
    rows = traversal.traverse(
        films, call(), start=[1], to_kind="Movie", where="ReleaseYear > 1990 OR Name = 'Alien'"
    )
    assert set(column(rows, "Id")) == {3, 4, 8}
    with pytest.raises(RefusedError) as refused:
        traversal.traverse(films, call(), start=[1], to_kind="Movie", where="Plot = 'x'")
    assert refused.value.code == "invalid_where"


def test_a_name_of_several_nodes_starts_from_all(films: Session) -> None:
    rows = traversal.traverse(films, call(), start=["Alien"], to_kind="Genre", max_hops=1)
    assert set(column(rows, "Name")) == {"Science Fiction", "Horror"}
    assert "2 nodes of kind Movie" in rows.notes[0]


def test_starts_by_meaning_are_named(films: Session) -> None:
    rows = traversal.traverse(films, call(), start_query="a shy waitress in Paris", path=["SET_IN"])
    assert "Amélie (5)" in rows.notes[0]
    assert recorded(films, rows).query == "a shy waitress in Paris"


def test_similarity_is_to_the_text_or_else_to_the_mean_of_the_starts(films: Session) -> None:
    texts = {key: embedded_text(name, text) for key, name, text in MOVIES}
    vectors = {key: films.embedder.embed([text])[0] for key, text in texts.items()}
    mean = (vectors[1] + vectors[4]) / 2
    mean /= np.linalg.norm(mean)
    given: dict[str, Any] = {"to_kind": "Movie", "rank_by": "similarity"}
    rows = traversal.traverse(films, call(), start=[1, 4], **given)
    for key, score in zip(column(rows, "Id"), column(rows, "Score"), strict=True):
        assert score == pytest.approx(float(vectors[key] @ mean), abs=3e-3)
    assert column(rows, "Score") == sorted(column(rows, "Score"), reverse=True)
    query = films.embedder.embed(["desert planet"])[0]
    rows = traversal.traverse(films, call(), start_query="desert planet", **given)
    for key, score in zip(column(rows, "Id"), column(rows, "Score"), strict=True):
        assert score == pytest.approx(float(vectors[key] @ query), abs=3e-3)


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """Return 110 films of one genre, under a server that lists more than usual."""
    contract, folder = load_contract(), tmp_path_factory.mktemp("crowd") / "graph"
    nodes = [NodeRecord("Movie", key, f"Film {key}", crowd_text(key), {}) for key in CROWD]
    nodes.append(NodeRecord("Genre", 1, "Drama", "People."))
    edges = [EdgeRecord("IN_GENRE", key, 1) for key in CROWD]
    build_graph(nodes, edges, folder, contract, HashedEmbedder(), source="made by hand")
    engine, journal = open_graph(folder, contract), MemoryJournal()
    yield Session(contract, engine, HashedEmbedder(), journal, Caps(top_expanded=200))
    engine.close()
    journal.close()


CROWD = range(1, 111)


def crowd_text(key: int) -> str:
    return f"Story {key} of a {('boy', 'ship', 'storm', 'mouse', 'war')[key % 5]}."


@pytest.mark.slow("long")
def test_similarity_is_to_the_first_of_very_many_starts_and_the_answer_says_so(
    crowd: Session,
) -> None:
    vectors = crowd.embedder.embed([embedded_text(f"Film {key}", crowd_text(key)) for key in CROWD])
    mean = vectors[:100].mean(axis=0)
    mean /= np.linalg.norm(mean)
    given: dict[str, Any] = {"start": list(CROWD)[:105], "to_kind": "Movie"}
    rows = traversal.traverse(crowd, call(), **given, rank_by="similarity")
    assert sorted(column(rows, "Id")) == list(CROWD)[105:]
    for key, score in zip(column(rows, "Id"), column(rows, "Score"), strict=True):
        assert float(score) == pytest.approx(float(vectors[key - 1] @ mean), abs=3e-3)
    assert "to the mean of the first 100 of the 105 starts" in rows.notes[0]
    shared = traversal.traverse(crowd, call(), **given)
    assert set(column(shared, "Score")) == {105}
    assert shared.notes == ()


@pytest.mark.slow("long")
def test_several_statements_merge_into_the_same_answer(films: Session) -> None:
    given: dict[str, Any] = {"start": [1], "to_kind": "Movie", "max_hops": 4}
    rows = traversal.traverse(films, call(), **given, rank_by="similarity")
    assert len(recorded(films, rows).statements) > 4
    short = traversal.traverse(films, call(), **given, rank_by="similarity", top=2)
    assert column(short, "Id") == column(rows, "Id")[:2]
    assert column(short, "Hops") == column(rows, "Hops")[:2]


def test_shortest_paths_come_one_in_a_row(films: Session) -> None:
    rows = traversal.traverse(films, call(), start=[1], to=["Dune"], max_hops=4)
    assert column(rows, "Hops") == [2, 2, 2, 2]
    assert column(rows, "Score") == [4, 4, 4, 4]
    assert len(set(column(rows, "Via"))) == 4
    assert rows.columns[-2:] == ("Via", "Content")


def test_the_text_of_an_end_stands_in_its_first_row(films: Session) -> None:
    to = ["Dune", "The Empire Strikes Back"]
    rows = traversal.traverse(films, call(), start=[1], to=to, max_hops=2, detail="full")
    told: dict[int, list[str | None]] = {}
    for key, text in zip(column(rows, "Id"), column(rows, "Content"), strict=True):
        told.setdefault(key, []).append(text)
    assert {len(texts) > 1 for texts in told.values()} == {True}
    assert all(texts[0] and not any(texts[1:]) for texts in told.values())
    assert "Content stands in the first row of each node alone." in rows.notes
    single = traversal.traverse(films, call(), start=[5], to=["Paris"], to_kind="Setting")
    assert (len(single.rows), single.notes) == (1, ())


def test_each_end_is_reached_by_its_own_shortest_paths(films: Session) -> None:
    rows = traversal.traverse(
        films,
        call(),
        start_kind="Character",
        start=["Luke Skywalker"],
        to=["Desert Planet", "Horror"][:1],
        to_kind="Setting",
        max_hops=4,
    )
    assert column(rows, "Via") == [
        "Luke Skywalker <-[FEATURES_CHARACTER]- Star Wars -[SET_IN]-> Desert Planet"
    ]


def test_what_no_path_reaches_is_noted(films: Session) -> None:
    rows = traversal.traverse(films, call(), start=[1], to=["Amélie", "Dune"], max_hops=4)
    assert set(column(rows, "Name")) == {"Dune"}
    assert "Amélie (5)" in rows.notes[-1]


def test_a_start_is_no_end(films: Session) -> None:
    with pytest.raises(ArgumentError, match="only starts"):
        traversal.traverse(films, call(), start=[1], to=[1])


def test_an_unknown_start_offers_the_nearest_names(films: Session) -> None:
    with pytest.raises(NotFoundError) as missing:
        traversal.traverse(films, call(), start=["Amelei"], path=["SET_IN"])
    assert missing.value.suggestions == ("Amélie",)


def test_nothing_reached_is_an_empty_result(films: Session) -> None:
    rows = traversal.traverse(films, call(), start=[6], to_kind="Movie", max_hops=4)
    assert rows.rows == []
    assert recorded(films, rows).status == "empty"


def test_the_record_holds_keys_and_every_statement(films: Session) -> None:
    rows = traversal.traverse(films, call(), start=[1], to_kind="Movie")
    execution = recorded(films, rows)
    assert execution.keys == tuple(("Movie", key) for key in column(rows, "Id"))
    assert execution.sql == rows.sql
    assert rows.sql in execution.statements
    assert execution.lineage[1] == ("Movie", "Id", "m")


def test_a_start_of_another_kind_is_said(films: Session) -> None:
    with pytest.raises(NotFoundError) as failed:
        traversal.traverse(films, call(), start=["ellen ripley"], to_kind="Movie")
    assert "the Character 'Ellen Ripley' (id 2)" in (failed.value.hint or "")


def test_the_kind_in_which_a_path_ends_may_be_given_too(films: Session) -> None:
    bare = traversal.traverse(films, call(), start=[1], path=["INCLUDES_THEME"])
    given = traversal.traverse(films, call(), start=[1], path=["INCLUDES_THEME"], to_kind="theme")
    assert bare.rows
    assert given.rows == bare.rows
    assert given.sql == bare.sql


def test_a_condition_that_leaves_nothing_is_named(films: Session) -> None:
    rows = traversal.traverse(films, call(), start=[1], to_kind="Movie", where="Id > 99")
    assert (rows.rows, rows.notes) == ([], ("Nothing that is reached satisfies `where`.",))


def test_a_list_as_long_as_the_cap_says_so_unless_its_length_was_asked_for(films: Session) -> None:
    capped = replace(films, caps=Caps(top=2))
    assert traversal.traverse(capped, call(), start=[1], to_kind="Movie").truncated == "rows"
    rows = traversal.traverse(capped, call(), start=[1], to_kind="Movie", top=2)
    assert (len(rows.rows), rows.truncated) == (2, None)
