import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.limits import limits
from fakes.path_enumeration import Graph
from fakes.records import build_graph
from fakes.sessions import (
    call,
    column,
    film_session,
    kitchen_session,
    last_recorded,
    made_session,
    recorded,
)
from fakes.small_graph import MOVIES, edges, nodes
from fakes.toy_graph import toy_edges
from hypothesis import given
from hypothesis import strategies as st

from moviegraph.contract.loader import load_contract
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord, embedded_text
from moviegraph.errors import (
    ArgumentError,
    ExecutionError,
    NotFoundError,
    QueryTimeoutError,
    RefusedError,
)
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.query.rows import PathStep, Rows
from moviegraph.query.session import Session
from moviegraph.search.traverse import traverse
from moviegraph.settings import content_folder


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    session = film_session(tmp_path_factory.mktemp("films") / "graph")
    yield session
    session.engine.close()
    session.journal.close()


@pytest.fixture(scope="module")
def hubs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    session = kitchen_session(tmp_path_factory.mktemp("hubs") / "graph", hub_cut=3)
    yield session
    session.engine.close()
    session.journal.close()


def scores_and_hops(rows: Rows) -> dict[int, tuple[int, int]]:
    key = rows.columns[1]
    triples = zip(column(rows, key), column(rows, "Score"), column(rows, "Hops"), strict=True)
    return {key: (score, hops) for key, score, hops in triples}


@pytest.mark.parametrize("max_hops", [1, 2, 3, 4])
@pytest.mark.parametrize("end", ["Movie", "Theme", "Genre", "Setting"])
@pytest.mark.parametrize("start", [("Movie", [1]), ("Movie", [1, 4]), ("Theme", [1])], ids=str)
def test_the_score_is_the_number_of_distinct_ways(
    films: Session, start: tuple[str, list[int]], end: str, max_hops: int
) -> None:
    kind, ids = start
    expected = Graph(films.contract, edges()).scores([(kind, i) for i in ids], end, max_hops)
    try:
        rows = traverse(films, call(), start_kind=kind, start=ids, to_kind=end, max_hops=max_hops)
    except ArgumentError:
        assert expected == {}
        return
    assert scores_and_hops(rows) == expected
    ranked = [(-score, key) for key, (score, _) in scores_and_hops(rows).items()]
    assert ranked == sorted(ranked)


@pytest.mark.parametrize("max_hops", [2, 3, 4])
@pytest.mark.parametrize("end", ["Recipe", "Ingredient", "Cuisine"])
@pytest.mark.parametrize("start", [("Recipe", [1]), ("Ingredient", [2, 3])], ids=str)
def test_hubs_are_left_out_of_the_middle_in_any_contract(
    hubs: Session, start: tuple[str, list[int]], end: str, max_hops: int
) -> None:
    kind, ids = start
    expected = Graph(hubs.contract, toy_edges()).scores([(kind, i) for i in ids], end, max_hops)
    try:
        rows = traverse(hubs, call(), start_kind=kind, start=ids, to_kind=end, max_hops=max_hops)
    except ArgumentError:
        assert expected == {}
        return
    assert scores_and_hops(rows) == dict(
        sorted(expected.items(), key=lambda e: (-e[1][0], e[0]))[:10]
    )


def test_a_hub_next_to_the_start_is_named_with_its_degree(hubs: Session) -> None:
    rows = traverse(hubs, call(), start_kind="Recipe", start=["Ratatouille"], to_kind="Recipe")
    assert "Onion (5), Tomato (4)" in rows.notes[-1]
    assert "more than 3 edges" in rows.notes[-1]
    assert not any("Onion" in via for via in column(rows, "Via"))


def test_an_explicit_path_counts_every_node_hubs_too(hubs: Session) -> None:
    graph = Graph(hubs.contract, toy_edges())
    path = ("NEEDS", "NEEDS")
    rows = traverse(hubs, call(), start=["Ratatouille"], path=list(path))
    (start,) = {step.id for paths in rows.paths or () for path in paths for step in path[:1]}
    assert scores_and_hops(rows) == graph.scores([("Recipe", start)], "Recipe", 2, path, hubs=True)
    assert any("Onion" in via for via in column(rows, "Via"))
    assert rows.notes == (COUNTED,)


def test_shortest_paths_pass_hubs(hubs: Session) -> None:
    rows = traverse(hubs, call(), start=["Ratatouille"], to=["Shakshuka"], to_kind="Recipe")
    assert {"Ingredient: Onion #3", "Ingredient: Tomato #2"} <= set(column(rows, "Via"))


def test_a_hub_may_be_the_end_of_a_way(hubs: Session) -> None:
    rows = traverse(hubs, call(), start=["Ratatouille"], path=["NEEDS"])
    assert "Onion" in column(rows, "Name")
    assert rows.notes == (COUNTED,)


def test_a_path_is_walked_away_from_the_node_reached(films: Session) -> None:
    path = ("INCLUDES_THEME", "INCLUDES_THEME")
    rows = traverse(films, call(), start=["Star Wars"], path=list(path))
    assert scores_and_hops(rows) == Graph(films.contract, edges()).scores(
        [("Movie", 1)], "Movie", 2, path
    )
    assert rows.columns == (
        *("Kind", "Id", "Name", "ReleaseYear", "Score", "Hops", "Via", "Content"),
    )
    assert column(rows, "Kind") == ["Movie"] * len(rows.rows)


def test_what_is_shared_is_named_with_its_kind(films: Session) -> None:
    rows = traverse(films, call(), start=[1], to_kind="Movie")
    via = dict(zip(column(rows, "Name"), column(rows, "Via"), strict=True))
    assert via["Dune"].split("; ") == [
        "Theme: Rebellion #1, Chosen One #2",
        "Setting: Desert Planet #1",
        "Genre: Science Fiction #1",
    ]


def test_other_paths_are_written_with_edge_tables_and_arrows(films: Session) -> None:
    rows = traverse(films, call(), start=["Theme:Survival"], to_kind="Genre")
    assert column(rows, "Via") == [
        "Survival #3 <-[INCLUDES_THEME]- Alien (1979) #4 -[IN_GENRE]-> Science Fiction #1",
        "Survival #3 <-[INCLUDES_THEME]- Alien (1979) #4 -[IN_GENRE]-> Horror #3",
    ]


def test_at_most_five_paths_are_shown_short_ones_first(films: Session) -> None:
    rows = traverse(films, call(), start=[1], to_kind="Movie", max_hops=4)
    assert rows.paths is not None
    for paths, score in zip(rows.paths, column(rows, "Score"), strict=True):
        assert len(paths) == len(set(paths)) == min(5, score)
        lengths = [len(path) for path in paths]
        assert lengths == sorted(lengths)


def test_more_than_is_named_is_counted(tmp_path: Path) -> None:
    themes = range(1, 10)
    nodes = [NodeRecord("Movie", key, f"Film {key}", "A film.") for key in (1, 2)]
    nodes += [NodeRecord("Theme", key, f"Theme {key}", "A theme.") for key in themes]
    edges = [EdgeRecord("INCLUDES_THEME", film, key) for film in (1, 2) for key in themes]
    session = made_session(tmp_path / "graph", nodes, edges)
    rows = traverse(session, call(), start=[1], path=["INCLUDES_THEME"] * 2)
    assert column(rows, "Via") == [
        "Theme: Theme 1 #1, Theme 2 #2, Theme 3 #3, Theme 4 #4, Theme 5 #5 (+4)"
    ]
    session.engine.close()


def test_something_of_each_shared_kind_is_named_by_rarity_too(tmp_path: Path) -> None:
    characters = range(1, 7)
    nodes = [NodeRecord("Movie", key, f"Film {key}", "A film.") for key in range(1, 20)]
    nodes += [NodeRecord("Character", key, f"Person {key}", "A person.") for key in characters]
    nodes += [NodeRecord("Genre", 1, "Drama", "People."), NodeRecord("Setting", 1, "Rome", "Old.")]
    edges = [EdgeRecord("FEATURES_CHARACTER", film, key) for film in (1, 2) for key in characters]
    edges += [EdgeRecord(edge, film, 1) for edge in ("IN_GENRE", "SET_IN") for film in range(1, 20)]
    session = made_session(tmp_path / "graph", nodes, edges)
    rows = traverse(session, call(), start=[1], to_kind="Movie", rank_by="rarity", top=1)
    assert column(rows, "Via") == [
        "Character: Person 1 #1, Person 2 #2, Person 3 #3 (+3); Setting: Rome #1; Genre: Drama #1"
    ]
    session.engine.close()


def test_the_paths_of_each_row_are_reported_step_by_step(films: Session) -> None:
    rows = traverse(films, call(), start=[1], to=["Dune"], max_hops=2, where="Id = 3", top=1)
    assert rows.paths == (
        (
            (
                PathStep("Movie", 1, "Star Wars", None, None),
                PathStep("Theme", 1, "Rebellion", "INCLUDES_THEME", True),
                PathStep("Movie", 3, "Dune", "INCLUDES_THEME", False),
            ),
        ),
    )


def test_where_holds_for_the_nodes_reached(films: Session) -> None:
    rows = traverse(
        films, call(), start=[1], to_kind="Movie", where="ReleaseYear > 1990 OR Name = 'Alien'"
    )
    assert set(column(rows, "Id")) == {3, 4, 8}
    with pytest.raises(RefusedError) as refused:
        traverse(films, call(), start=[1], to_kind="Movie", where="Plot = 'x'")
    assert refused.value.code == "invalid_where"


def test_a_name_of_several_nodes_starts_from_all(films: Session) -> None:
    rows = traverse(films, call(), start=["ALIEN"], to_kind="Genre", max_hops=1)
    assert set(column(rows, "Name")) == {"Science Fiction", "Horror"}
    assert "matches 2 nodes" in rows.notes[0]


def test_starts_by_meaning_are_named(films: Session) -> None:
    rows = traverse(films, call(), start_query="a shy waitress in Paris", path=["SET_IN"])
    assert "Amélie (5)" in rows.notes[0]
    assert recorded(films, rows).query == "a shy waitress in Paris"


def test_similarity_is_to_the_text_or_else_to_the_mean_of_the_starts(films: Session) -> None:
    texts = {key: embedded_text(name, text) for key, name, text in MOVIES}
    vectors = {key: films.embedder.embed([text])[0] for key, text in texts.items()}
    mean = (vectors[1] + vectors[4]) / 2
    mean /= np.linalg.norm(mean)
    arguments: dict[str, Any] = {"to_kind": "Movie", "rank_by": "similarity"}
    rows = traverse(films, call(), start=[1, 4], **arguments)
    for key, score in zip(column(rows, "Id"), column(rows, "Score"), strict=True):
        assert score == pytest.approx(float(vectors[key] @ mean), abs=3e-3)
    assert column(rows, "Score") == sorted(column(rows, "Score"), reverse=True)
    query = films.embedder.embed(["desert planet"])[0]
    rows = traverse(films, call(), start_query="desert planet", **arguments)
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
    engine, journal = open_graph(folder, contract), SqliteJournal(None)
    yield Session(contract, engine, HashedEmbedder(), journal, limits(top_expanded=200))
    engine.close()
    journal.close()


COUNTED = "Score counts the paths to a node."
CROWD = range(1, 111)
DATA = content_folder("data")


def crowd_text(key: int) -> str:
    return f"Story {key} of a {('boy', 'ship', 'storm', 'mouse', 'war')[key % 5]}."


def test_similarity_is_to_the_mean_of_very_many_starts(crowd: Session) -> None:
    vectors = crowd.embedder.embed([embedded_text(f"Film {key}", crowd_text(key)) for key in CROWD])
    mean = vectors[:100].mean(axis=0)
    mean /= np.linalg.norm(mean)
    arguments: dict[str, Any] = {"start": list(CROWD)[:100], "to_kind": "Movie"}
    rows = traverse(crowd, call(), **arguments, rank_by="similarity")
    assert sorted(column(rows, "Id")) == list(CROWD)[100:]
    for key, score in zip(column(rows, "Id"), column(rows, "Score"), strict=True):
        assert float(score) == pytest.approx(float(vectors[key - 1] @ mean), abs=3e-3)
    shared = traverse(crowd, call(), **arguments)
    assert set(column(shared, "Score")) == {100}
    assert shared.notes == (COUNTED,)


def test_shortest_paths_come_one_in_a_row(films: Session) -> None:
    rows = traverse(films, call(), start=[1], to=["Dune"], max_hops=4)
    assert column(rows, "Hops") == [2, 2, 2, 2]
    assert column(rows, "Score") == [4, 4, 4, 4]
    assert set(column(rows, "Via")) == {
        *("Theme: Rebellion #1", "Theme: Chosen One #2"),
        *("Setting: Desert Planet #1", "Genre: Science Fiction #1"),
    }
    assert rows.columns[-2:] == ("Via", "Content")


def test_the_text_of_an_end_is_in_its_first_row(films: Session) -> None:
    to = ["Dune", "The Empire Strikes Back"]
    rows = traverse(films, call(), start=[1], to=to, max_hops=2, detail="full")
    texts_by_id: dict[int, list[str | None]] = {}
    for key, text in zip(column(rows, "Id"), column(rows, "Content"), strict=True):
        texts_by_id.setdefault(key, []).append(text)
    assert {len(texts) > 1 for texts in texts_by_id.values()} == {True}
    assert all(texts[0] and not any(texts[1:]) for texts in texts_by_id.values())
    assert "Content is only in the first row of each Movie." in rows.notes
    single = traverse(films, call(), start=[5], to=["Paris"], to_kind="Setting")
    assert (len(single.rows), single.notes) == (1, (COUNTED,))


def test_each_end_is_reached_by_its_own_shortest_paths(films: Session) -> None:
    rows = traverse(
        films,
        call(),
        start_kind="Character",
        start=["Luke Skywalker"],
        to=["Desert Planet", "Horror"][:1],
        to_kind="Setting",
        max_hops=4,
    )
    assert column(rows, "Via") == [
        "Luke Skywalker #1 <-[FEATURES_CHARACTER]- Star Wars (1977) #1 -[SET_IN]-> Desert Planet #1"
    ]


def test_what_no_path_reaches_is_noted(films: Session) -> None:
    rows = traverse(films, call(), start=[1], to=["Amélie", "Dune"], max_hops=4)
    assert set(column(rows, "Name")) == {"Dune"}
    assert any("Amélie (5)" in note for note in rows.notes)


def test_a_start_is_no_end(films: Session) -> None:
    with pytest.raises(ArgumentError, match="only starts"):
        traverse(films, call(), start=[1], to=[1])


def test_an_unknown_start_offers_the_nearest_names(films: Session) -> None:
    with pytest.raises(NotFoundError) as caught:
        traverse(films, call(), start=["An Amelie"], path=["SET_IN"])
    assert caught.value.suggestions == ("Amélie",)


def test_nothing_reached_is_an_empty_result(films: Session) -> None:
    rows = traverse(films, call(), start=[6], to_kind="Movie", max_hops=4)
    assert rows.rows == []
    assert recorded(films, rows).status == "empty"


def test_the_record_holds_keys_arguments_and_steps(films: Session) -> None:
    rows = traverse(films, call(), start=[1], to_kind="Movie", top=19)
    execution = recorded(films, rows)
    assert execution.keys == tuple(("Movie", key) for key in column(rows, "Id"))
    assert execution.sql is rows.sql is None
    assert execution.lineage[1] == ("Movie", "Id", "n")
    assert any(step.startswith("neighbors(Movie") for step in execution.statements)
    assert json.loads(execution.given or "")["start"] == [1]


def test_paths_are_recorded_where_results_are(films: Session) -> None:
    rows = traverse(films, call(), start=[1], to_kind="Movie")
    assert recorded(films, rows).paths is None
    keeping = replace(films, journal_results=True)
    rows = traverse(keeping, call(), start=[1], to_kind="Movie")
    assert rows.paths is not None
    steps = recorded(keeping, rows).paths
    assert steps is not None
    assert steps[0][0][0] == rows.paths[0][0][0]._asdict()
    assert [len(paths) for paths in steps] == [len(paths) for paths in rows.paths]


def test_the_kind_of_a_start_of_another_kind_is_reported(films: Session) -> None:
    with pytest.raises(NotFoundError) as caught:
        traverse(films, call(), start=["ellen ripley"], to_kind="Movie")
    assert "It is Character:2 'Ellen Ripley'" in (caught.value.hint or "")


def test_a_kind_in_front_of_every_start_and_end_is_their_kind(films: Session) -> None:
    rows = traverse(films, call(), start=["Theme:Rebellion", "theme:2"], path=["INCLUDES_THEME"])
    result = traverse(
        films, call(), start_kind="Theme", start=["Rebellion", 2], path=["INCLUDES_THEME"]
    )
    assert rows.rows == result.rows
    rows = traverse(films, call(), start=[1], to=["Setting:Desert Planet"])
    assert column(rows, "Kind") == ["Setting"]


def test_starts_of_several_kinds_are_refused(films: Session) -> None:
    with pytest.raises(ArgumentError, match="'Theme:1' in `start` is a Theme"):
        traverse(films, call(), start=["Movie:1", "Theme:1"], to_kind="Movie")


def test_what_is_excluded_leaves_the_result_and_may_lie_on_the_way(films: Session) -> None:
    rows = traverse(films, call(), start=[1], to_kind="Movie", exclude=["Dune", "Horror"])
    assert set(column(rows, "Id")) == {2, 8}
    assert "Movie:3 'Dune' removes 1" in rows.notes[0]
    assert "Genre:3 'Horror' removes 1" in rows.notes[1]
    far = traverse(films, call(), start=[1], to=["Alien"], max_hops=4, exclude=["Dune"])
    without = traverse(films, call(), start=[1], to=["Alien"], max_hops=4)
    assert far.rows == without.rows
    excluded_rows = traverse(films, call(), start=[1], to=["Dune", "Alien"], exclude=["Dune"])
    assert set(column(excluded_rows, "Name")) == {"Alien"}


def test_rare_things_shared_count_more(films: Session) -> None:
    graph = Graph(films.contract, edges())
    rows = traverse(films, call(), start=[1], to_kind="Movie", rank_by="rarity")
    ends = graph.ends([("Movie", 1)], "Movie", 2)
    sums = {key: sum(map(graph.rarity, reached_paths)) for key, reached_paths in ends.items()}
    assert dict(zip(column(rows, "Id"), column(rows, "Score"), strict=True)) == pytest.approx(
        sums, abs=1e-4
    )
    assert column(rows, "Id") == [2, 3, 8, 4]
    assert column(rows, "Via")[0].startswith("Character: Luke Skywalker")


def test_one_hop_is_ranked_by_rarity_as_by_number(films: Session) -> None:
    arguments: dict[str, Any] = {"start": [1, 2], "path": ["IN_GENRE"]}
    rows = traverse(films, call(), **arguments, rank_by="rarity")
    assert rows.rows == traverse(films, call(), **arguments).rows
    assert column(rows, "Score") == [2]


def test_the_kind_in_which_a_path_ends_may_be_given_too(films: Session) -> None:
    bare = traverse(films, call(), start=[1], path=["INCLUDES_THEME"])
    result = traverse(films, call(), start=[1], path=["INCLUDES_THEME"], to_kind="theme")
    assert bare.rows
    assert result.rows == bare.rows


def test_a_condition_that_leaves_nothing_is_named(films: Session) -> None:
    rows = traverse(films, call(), start=[1], to_kind="Movie", where="Id > 99")
    assert (rows.rows, rows.notes) == ([], ("No reached node satisfies `where`.",))


def test_truncated_says_that_there_is_more_whether_caller_or_server_limits_it(
    films: Session,
) -> None:
    capped = replace(films, limits=limits(top=2))
    assert traverse(capped, call(), start=[1], to_kind="Movie").truncated == "rows"
    assert traverse(capped, call(), start=[1], to_kind="Movie", top=2).truncated == "rows"
    assert traverse(films, call(), start=[1], to_kind="Movie", top=4).truncated is None
    assert traverse(films, call(), start=[1], to=["Dune"], top=3).truncated == "rows"
    assert traverse(films, call(), start=[1], to=["Dune"], top=4).truncated is None


def test_without_vectors_nothing_is_ranked_by_similarity(tmp_path: Path) -> None:
    contract, folder = load_contract(), tmp_path / "graph"
    build_graph(nodes(), edges(), folder, contract, None, source="made by hand")
    with closing(open_graph(folder, contract)) as engine, closing(SqliteJournal(None)) as journal:
        session = Session(contract, engine, HashedEmbedder(), journal, limits())
        with pytest.raises(ExecutionError) as caught:
            traverse(session, call(), start=[1], to_kind="Movie", rank_by="similarity")
    assert caught.value.code == "no_vectors"


def test_a_call_that_was_cancelled_ends(films: Session) -> None:
    cancelled = call()
    cancelled.cancellation.cancel()
    with pytest.raises(QueryTimeoutError) as caught:
        traverse(films, cancelled, start=[1], to_kind="Movie", max_hops=3)
    assert caught.value.code == "cancelled"


def test_the_films_that_share_most_themes_are_those_of_the_data(tmp_path: Path) -> None:
    lines = {
        kind: [json.loads(line) for line in (DATA / f"{kind}.jsonl").read_text().splitlines()]
        for kind in ("nodes_Movie", "nodes_Theme", "edges_INCLUDES_THEME")
    }
    themes: dict[int, set[int]] = {}
    for line in lines["edges_INCLUDES_THEME"]:
        themes.setdefault(line["from"], set()).add(line["to"])
    (film,) = (line["id"] for line in lines["nodes_Movie"] if line["name"] == "Blade Runner")
    shared = {
        key: len(themes[film] & theme_ids) for key, theme_ids in themes.items() if key != film
    }
    best = sorted((key for key in shared if shared[key]), key=lambda key: (-shared[key], key))
    records = [
        NodeRecord(line["kind"], line["id"], line["name"], line["name"])
        for line in (*lines["nodes_Movie"], *lines["nodes_Theme"])
    ]
    links = [
        EdgeRecord("INCLUDES_THEME", line["from"], line["to"])
        for line in lines["edges_INCLUDES_THEME"]
    ]
    session = made_session(tmp_path / "graph", records, links)
    rows = traverse(session, call(), start=["Blade Runner"], path=["INCLUDES_THEME"] * 2, top=20)
    assert column(rows, "Id") == best[:20]
    assert column(rows, "Score") == [shared[key] for key in best[:20]]
    (heat,) = (line["id"] for line in lines["nodes_Movie"] if line["name"] == "Heat")
    to_heat = traverse(session, call(), start=["Blade Runner"], to=["Heat"])
    assert column(to_heat, "Score") == [shared[heat]] * shared[heat]
    session.engine.close()


@pytest.fixture(scope="module")
def random_films(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """Return 60 films with random links, some of them to hubs."""
    contract, folder = load_contract(), tmp_path_factory.mktemp("random") / "graph"
    nodes = [
        NodeRecord("Movie", key, f"Film {key}", crowd_text(key), {"ReleaseYear": 1960 + key})
        for key in range(1, 61)
    ]
    for kind in ("Genre", "Theme", "Setting", "Character", "Series"):
        nodes += [NodeRecord(kind, key, f"{kind} {key}", "A text.") for key in range(1, 13)]
    build_graph(nodes, RANDOM_EDGES, folder, contract, HashedEmbedder(), source="made by hand")
    changed = contract.limits.model_copy(update={"hub_cut": 12})
    contract = contract.model_copy(update={"limits": changed})
    engine, journal = open_graph(folder, contract), SqliteJournal(None)
    yield Session(contract, engine, HashedEmbedder(), journal, limits(top=60))
    engine.close()
    journal.close()


def random_edges() -> list[EdgeRecord]:
    draw = Random(23)
    records: set[EdgeRecord] = set()
    for edge, count in (("IN_GENRE", 2), ("INCLUDES_THEME", 4), ("SET_IN", 2)):
        for film in range(1, 61):
            ends = {min(12, 1 + int(draw.expovariate(0.25))) for _ in range(count)}
            records |= {EdgeRecord(edge, film, end) for end in ends}
    for edge in ("FEATURES_CHARACTER", "PART_OF_SERIES"):
        records |= {EdgeRecord(edge, draw.randint(1, 60), draw.randint(1, 12)) for _ in range(40)}
    return sorted(records, key=lambda edge: (edge.kind, edge.source, edge.target))


RANDOM_EDGES = random_edges()
AIMS: list[tuple[str, tuple[str, ...] | None]] = [
    ("Movie", None),
    ("Theme", None),
    ("Genre", None),
    ("Movie", ("INCLUDES_THEME", "INCLUDES_THEME")),
    ("Setting", ("IN_GENRE", "IN_GENRE", "SET_IN")),
    ("Movie", ("SET_IN", "SET_IN", "SET_IN", "SET_IN")),
]


@pytest.mark.parametrize(("kind", "path"), AIMS, ids=str)
@given(data=st.data())
def test_every_answer_is_that_of_walking_node_by_node(
    random_films: Session, kind: str, path: tuple[str, ...] | None, data: st.DataObject
) -> None:
    starts = data.draw(st.lists(st.integers(1, 60), min_size=1, max_size=3, unique=True))
    hops = data.draw(st.integers(2, 3))
    ranking = data.draw(st.sampled_from(["shared", "rarity"]))
    excluded = data.draw(st.lists(st.integers(1, 12), max_size=3, unique=True))
    year = data.draw(st.sampled_from([None, 1980, 2010])) if kind == "Movie" else None
    graph = Graph(random_films.contract, RANDOM_EDGES)
    nodes = [("Movie", key) for key in starts]
    ends = {
        key: reached_paths
        for key, reached_paths in graph.ends(nodes, kind, hops, path, hubs=path is not None).items()
        if key not in excluded and (year is None or 1960 + key >= year)
    }
    rows = traverse(
        random_films,
        call(),
        start=starts,
        path=path,
        to_kind=kind,
        max_hops=hops,
        rank_by=ranking,
        exclude=excluded,
        where=None if year is None else f"ReleaseYear >= {year}",
        top=60,
    )
    scores = {
        key: sum(
            graph.rarity(reached_path) if ranking == "rarity" else 1
            for reached_path in reached_paths
        )
        for key, reached_paths in ends.items()
    }
    scores_by_id = dict(zip(column(rows, "Id"), column(rows, "Score"), strict=True))
    assert scores_by_id == pytest.approx(scores, abs=1e-3)
    fewest = dict(zip(column(rows, "Id"), column(rows, "Hops"), strict=True))
    assert list(scores_by_id) == sorted(
        scores_by_id, key=lambda key: (fewest[key], -scores_by_id[key], key)
    )
    assert rows.paths is not None
    for key, paths in zip(column(rows, "Id"), rows.paths, strict=True):
        reached_paths = {tuple((step.kind, step.id) for step in path) for path in paths}
        assert reached_paths <= set(ends[key])
        assert len(reached_paths) == min(5, len(ends[key]))


@given(
    starts=st.lists(st.integers(1, 60), min_size=1, max_size=2, unique=True),
    ends=st.lists(st.integers(1, 60), min_size=1, max_size=2, unique=True),
)
def test_shortest_paths_are_those_of_walking_node_by_node(
    random_films: Session, starts: list[int], ends: list[int]
) -> None:
    expected_keys = set(ends) - set(starts)
    if not expected_keys:
        return
    graph = Graph(random_films.contract, RANDOM_EDGES)
    reached = graph.ends([("Movie", key) for key in starts], "Movie", 4, hubs=True)
    rows = traverse(random_films, call(), start=starts, to=ends, max_hops=4, top=60)
    for key in set(column(rows, "Id")):
        reached_paths = reached[key]
        shortest = [
            reached_path
            for reached_path in reached_paths
            if len(reached_path) == len(reached_paths[0])
        ]
        mine = [row for row in rows.rows if row[1] == key]
        assert {(row[4], row[5]) for row in mine} == {(len(shortest), len(reached_paths[0]) - 1)}
    if rows.truncated is None:
        assert set(column(rows, "Id")) == expected_keys & set(reached)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({}, "exactly one of `path`", id="no goal"),
        pytest.param({"path": ["SET_IN"], "to_kind": "Movie"}, "not to Movie", id="another end"),
        pytest.param({"path": ["SET_IN"], "to": [1]}, "exactly one of", id="path and to"),
        pytest.param({"to_kind": "Movie", "max_hops": 1}, "within 1 hop", id="out of reach"),
        pytest.param(
            {"path": ["IN_GENRE", "SET_IN"]}, "does not connect to Genre", id="path astray"
        ),
        pytest.param({"path": ["SET_IN"], "start_query": "x"}, "`start_query`", id="two starts"),
        pytest.param({"path": ["SET_IN"], "start": None}, "`start_query`", id="no start"),
    ],
)
def test_a_wrong_argument_is_named(films: Session, changes: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"start": [1], **changes}
    with pytest.raises(ArgumentError, match=message):
        traverse(films, call(), **arguments)
    assert last_recorded(films).code == "invalid_argument"


def test_a_path_astray_says_how_to_go_on(films: Session) -> None:
    with pytest.raises(ArgumentError) as wrong:
        traverse(films, call(), start=[1], path=["INCLUDES_THEME", "SET_IN"])
    assert wrong.value.suggestions == ("INCLUDES_THEME",)


def test_a_kind_out_of_reach_says_how_many_hops_there_are(films: Session) -> None:
    with pytest.raises(ArgumentError) as wrong:
        traverse(films, call(), start=[1], to_kind="Movie", max_hops=1)
    assert wrong.value.hint == "Set `max_hops` to 2."


def test_what_is_shared_with_starts_of_one_name_is_stated_for_each(tmp_path: Path) -> None:
    years = {1: 1984, 2: 2021}
    nodes = [
        *(
            NodeRecord("Movie", key, "Dune", f"Sand {key}.", {"ReleaseYear": year})
            for key, year in years.items()
        ),
        NodeRecord("Movie", 3, "Arrakis", "More sand."),
        *(NodeRecord("Theme", key, f"Theme {key}", "A theme.") for key in (1, 2)),
    ]
    edges = [EdgeRecord("INCLUDES_THEME", *ends) for ends in ((1, 1), (2, 2), (3, 1), (3, 2))]
    session = made_session(tmp_path / "graph", nodes, edges)
    rows = traverse(session, call(), start=["Dune"], to_kind="Movie")
    assert column(rows, "Via") == [
        "Dune (1984) #1: Theme: Theme 1 #1; Dune (2021) #2: Theme: Theme 2 #2"
    ]
    one = traverse(session, call(), start=["Dune (2021)"], to_kind="Movie", max_hops=2)
    assert set(column(one, "Via")) == {"Theme: Theme 2 #2"}
    to = traverse(session, call(), start=[1, 2], to=["Arrakis"])
    assert set(column(to, "Via")) == {
        "Dune (1984) #1: Theme: Theme 1 #1",
        "Dune (2021) #2: Theme: Theme 2 #2",
    }
    session.engine.close()
