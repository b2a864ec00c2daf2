from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes.sessions import call, column, made_session

from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.query.session import Session
from moviegraph.search import fulltext, hybrid, semantic
from moviegraph.search.hybrid import reciprocal_rank

QUERY = "rebels flee across a desert planet"


def test_ranks_are_fused_as_the_pure_function_does(films: Session) -> None:
    text, kind = "Sand and little water", "Setting"
    meaning = column(semantic.search(films, call(), query=text, kind=kind), "Id")
    by_words = fulltext.search(films, call(), query=text, kind=kind, mode="freetext")
    words = column(by_words, "Id")
    lists = [meaning, words]
    rows = hybrid.search(films, call(), query=text, kind=kind, keywords=text)
    expected = [
        (key, round(score, 4), *(1 + ids.index(key) if key in ids else None for ids in lists))
        for key, score in reciprocal_rank(lists)
    ]
    names = ("Id", "Score", "SemanticRank", "FulltextRank")
    result = list(zip(*(column(rows, name) for name in names), strict=True))
    assert result == expected
    assert None in column(rows, "FulltextRank")


def test_words_of_the_query_count_half_and_keywords_fully(films: Session) -> None:
    match = hybrid.search(films, call(), query="little water", kind="Setting", keywords="water")
    bare = hybrid.search(films, call(), query="little water", kind="Setting")
    half = 0.5 / 21
    assert column(match, "Score")[0] - column(bare, "Score")[0] == pytest.approx(half, abs=1e-5)


def test_keywords_feed_the_second_list_and_where_both(films: Session) -> None:
    rows = hybrid.search(
        films, call(), query="desert planet", keywords="waitress", where="ReleaseYear > 1990"
    )
    places = dict(zip(column(rows, "Id"), column(rows, "FulltextRank"), strict=True))
    assert set(places) == {3, 5, 7, 8}
    assert places[5] == 1
    assert places[3] is None


def test_another_contract_is_searched_by_its_own_names(kitchen: Session) -> None:
    rows = hybrid.search(kitchen, call(), query="lentils with turmeric", where="Minutes < 60")
    assert "Dal" in column(rows, "Title")[:2]
    ranks = ("SemanticRank", "FulltextRank", "GraphRank")
    assert rows.columns[-6:] == ("Score", *ranks, "LinkedTo", "Method")


@pytest.mark.parametrize("kind", ["Ingredient", "Cuisine"])
def test_a_kind_from_which_no_edge_leads_is_searched_by_two_lists(
    kitchen: Session, kind: str
) -> None:
    rows = hybrid.search(kitchen, call(), query="a warm spice", kind=kind)
    assert rows.columns[-4:] == ("Score", "SemanticRank", "FulltextRank", "Content")
    assert rows.rows


def test_words_that_are_found_nowhere_are_noted_with_the_nearest_names(films: Session) -> None:
    (note,) = hybrid.search(films, call(), query="in deep space", keywords="Amelei").notes
    assert "Amélie" in note
    assert hybrid.search(films, call(), query="rebels").notes == ()


def test_a_condition_that_leaves_nothing_is_named(films: Session) -> None:
    rows = hybrid.search(films, call(), query="rebels", where="ReleaseYear > 3000")
    assert (rows.rows, rows.notes) == ([], ("No Movie satisfies `where`.",))


@pytest.mark.parametrize(
    ("query", "name"),
    [
        pytest.param("amélie", "Amélie", id="exact, in another case"),
        pytest.param("Amelei", "Amélie", id="nearly"),
    ],
)
def test_what_a_query_names_comes_first(films: Session, query: str, name: str) -> None:
    rows = hybrid.search(films, call(), query=query)
    assert column(rows, "Name")[0] == name
    scores = column(rows, "Score")
    assert scores == sorted(scores, reverse=True)


def test_a_guessed_name_is_noted_and_where_holds_for_it(films: Session) -> None:
    (note,) = hybrid.search(films, call(), query="Amelei").notes
    assert "Amélie" in note
    rows = hybrid.search(films, call(), query="Amélie", where="ReleaseYear < 1990")
    assert "Amélie" not in column(rows, "Name")


def test_a_name_with_its_year_comes_first(films: Session) -> None:
    assert column(hybrid.search(films, call(), query="alien 1999"), "Id")[0] == 7
    assert column(hybrid.search(films, call(), query="Alien (1979)"), "Id")[0] == 4


@pytest.mark.parametrize("query", ["It", "it"])
def test_a_name_of_stop_words_that_is_found_is_not_said_to_find_nothing(
    tmp_path: Path, query: str
) -> None:
    named_film = NodeRecord("Movie", 41, "It", "A clown comes out of the drains.")
    session = _graph(tmp_path / "graph", named_film)
    try:
        rows = hybrid.search(session, call(), query=query)
        match = hybrid.search(session, call(), query=query, keywords="of the")
    finally:
        session.engine.close()
    assert column(rows, "Name")[0] == "It"
    assert rows.notes == ()
    assert "stop words only" in match.notes[0]


def _graph(folder: Path, *more: NodeRecord) -> Session:
    """Return forty films of one genre, two of them about getting even, in words of their own."""
    plots = [
        NodeRecord("Movie", 1, "Kettle", "A clockmaker waits by the harbour with a patient smile."),
        NodeRecord("Movie", 2, "Lamp", "Nobody remembers why the widow learned to shoot."),
        *(
            NodeRecord("Movie", key, f"Plain {key}", f"Somebody number {key} has a day.")
            for key in range(3, 41)
        ),
    ]
    ideas = [
        NodeRecord("Theme", 1, "Revenge", "Someone gets even for an old wrong."),
        NodeRecord("Theme", 2, "Sailing", "Ropes, wind and far coasts."),
        NodeRecord("Genre", 1, "Drama", "People, what they want and what they do, even wrong."),
    ]
    links = [
        *(EdgeRecord("INCLUDES_THEME", key, 1) for key in (1, 2)),
        *(EdgeRecord("INCLUDES_THEME", key, 2) for key in (3, 4)),
        *(EdgeRecord("IN_GENRE", key, 1) for key in range(3, 41)),
    ]
    return made_session(folder, [*plots, *more, *ideas], links)


@pytest.fixture
def plain_session(tmp_path: Path) -> Iterator[Session]:
    session = _graph(tmp_path / "graph")
    yield session
    session.engine.close()


EVEN = "who gets even for an old wrong"


def test_what_is_linked_to_an_idea_that_the_query_describes_is_found_without_its_words(
    plain_session: Session,
) -> None:
    rows = hybrid.search(plain_session, call(), query=EVEN)
    assert set(column(rows, "Name")[:2]) == {"Kettle", "Lamp"}
    assert column(rows, "LinkedTo")[:2] == ["Theme: Revenge"] * 2
    assert sorted(column(rows, "GraphRank")[:2]) == [1, 2]
    words = column(rows, "FulltextRank")[:2]
    assert words == [None, None]


def test_the_many_links_of_a_hub_come_behind_the_few_of_what_is_nearer(
    plain_session: Session,
) -> None:
    rows = hybrid.search(plain_session, call(), query=EVEN, top=40)
    ranks = dict(zip(column(rows, "Name"), column(rows, "GraphRank"), strict=True))
    through = dict(zip(column(rows, "Name"), column(rows, "LinkedTo"), strict=True))
    assert "Genre: Drama" in through.values()
    assert all(ranks[name] <= 2 for name in ("Kettle", "Lamp"))


def test_an_idea_counts_more_if_the_nearest_nodes_are_linked_to_it(tmp_path: Path) -> None:
    plots = [
        *(
            NodeRecord("Movie", key, f"Lamp {key}", "Alone in a lighthouse.")
            for key in range(1, 61)
        ),
        *(NodeRecord("Movie", key, f"Pan {key}", "A cook tastes soup.") for key in range(61, 121)),
    ]
    ideas = [
        NodeRecord("Theme", 1, "Duty", "Work that must be done at once."),
        NodeRecord("Theme", 2, "Chores", "Work that must be done."),
    ]
    links = [
        *(EdgeRecord("INCLUDES_THEME", key, 1) for key in range(1, 41)),
        *(EdgeRecord("INCLUDES_THEME", key, 2) for key in range(61, 101)),
    ]
    session = made_session(tmp_path / "graph", [*plots, *ideas], links)
    query = "work that must be done alone in a lighthouse"
    nearest = semantic.search(session, call(), query=query, kind="Theme")
    rows = hybrid.search(session, call(), query=query)
    session.engine.close()
    assert column(nearest, "Name") == ["Chores", "Duty"]
    assert column(rows, "LinkedTo")[column(rows, "GraphRank").index(1)] == "Theme: Duty"


def test_where_holds_for_what_links_find(films: Session) -> None:
    rows = hybrid.search(
        films, call(), query="rise against those who rule", where="ReleaseYear > 1990"
    )
    result = dict(zip(column(rows, "Name"), column(rows, "GraphRank"), strict=True))
    assert result["Dune"] is not None
    assert "Star Wars" not in result


def test_no_statement_is_shown(films: Session) -> None:
    assert hybrid.search(films, call(), query="rebels").sql is None


def test_excluded_nodes_leave_all_lists(films: Session) -> None:
    left_out = ["Ellen Ripley", "Star Wars", "Theme:Survival", "Desert Planet", "Drama"]
    rows = hybrid.search(films, call(), query="a machine's dream", exclude=left_out)
    assert set(column(rows, "Name")) == {"100% Wolf", "alien", "The Matrix"}
    assert len(rows.notes) == len(left_out)


def test_links_are_those_of_the_nodes_that_are_to_be_resembled(films: Session) -> None:
    rows = hybrid.search(films, call(), query="a story", like=["The Matrix"])
    links = {link.partition(": ")[2] for link in column(rows, "LinkedTo") if link}
    assert links <= {"Science Fiction", "Rebellion", "Chosen One"}
    assert links
    assert 8 not in column(rows, "Id")


def test_a_node_that_two_lists_agree_on_is_not_lost_for_its_links(tmp_path: Path) -> None:
    session = _graph(
        tmp_path / "graph",
        NodeRecord("Movie", 41, "Pocket", "Somebody gets even with an old clock, for a wrong."),
    )
    try:
        rows = hybrid.search(session, call(), query=EVEN)
    finally:
        session.engine.close()
    assert "Pocket" in column(rows, "Name")[:3]


def test_a_query_is_searched_as_it_is(films: Session) -> None:
    rows = hybrid.search(films, call(), query="I don't like Alien, but not Star Wars")
    assert {4, 1} & set(column(rows, "Id")[:2])
    assert rows.notes == ()


def test_examples_alone_are_searched_by_meaning_and_links(films: Session) -> None:
    rows = hybrid.search(films, call(), like=["Dune"])
    assert rows.rows
    assert set(column(rows, "FulltextRank")) == {None}
    assert 3 not in column(rows, "Id")
    assert not rows.notes


def test_like_of_a_kind_with_many_nodes_weighs_what_they_share_and_few_others_do(
    tmp_path: Path,
) -> None:
    shared, usual, alone = 1, 2, 3
    nodes = [
        *(NodeRecord("Movie", at, f"Film {at}", "A film.") for at in range(1, 41)),
        NodeRecord("Genre", 1, "Caper", "Plans that go wrong."),
        NodeRecord("Theme", shared, "Safes", "Locks and dials."),
        NodeRecord("Theme", usual, "Cities", "Streets at night."),
        NodeRecord("Theme", alone, "Capers", "Plans that go wrong, capers."),
    ]
    edges = [
        *(EdgeRecord("IN_GENRE", at, 1) for at in range(1, 9)),
        *(EdgeRecord("INCLUDES_THEME", at, shared) for at in (*range(1, 7), 40)),
        *(EdgeRecord("INCLUDES_THEME", at, usual) for at in range(1, 39)),
        *(EdgeRecord("INCLUDES_THEME", at, alone) for at in (1, 39)),
    ]
    session = made_session(tmp_path / "graph", nodes, edges)
    rows = hybrid.search(session, call(), query="plans that go wrong", like=["Genre:Caper"])
    places = dict(zip(column(rows, "Id"), column(rows, "GraphRank"), strict=True))
    linked_to = dict(zip(column(rows, "Id"), column(rows, "LinkedTo"), strict=True))
    session.engine.close()
    assert (places[40], linked_to[40]) == (1, "Theme: Safes")
    assert (places[39], linked_to[39]) == (None, None)
