"""Which negations of a query are wishes, and what of it is searched then."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes.sessions import call, column, made_session

from moviegraph.engines.records import EdgeRecord, NodeRecord
from moviegraph.retrieval import hybrid
from moviegraph.retrieval.session import Session


def test_words_that_are_no_names_leave_nothing_out(films: Session) -> None:
    assert hybrid.search(films, call(), query="like a waitress, not a rebel").notes == ()


@pytest.mark.parametrize(
    ("query", "gone"),
    [
        pytest.param("a people without rebellion who hunt a ship", set[str](), id="a story"),
        pytest.param("a city with no rebellion left", set[str](), id="no, in a story"),
        pytest.param("a crew tired of rebellion", set[str](), id="somebody in the story"),
        pytest.param("I have seen it all, a ship", set[str](), id="words that name nothing"),
        pytest.param("A People Without Rebellion", set[str](), id="all words in capitals"),
        pytest.param("a ship without Rebellion", {"Dune"}, id="written as a name"),
        pytest.param('a ship without "rebellion"', {"Dune"}, id="quotes"),
        pytest.param("a ship without Star Wars", {"Star Wars"}, id="a series"),
        pytest.param("a ship, but no rebellion", {"Dune"}, id="but no"),
        pytest.param("a ship but without rebellion", {"Dune"}, id="but without"),
        pytest.param("a ship with nothing about rebellion", {"Dune"}, id="nothing about"),
        pytest.param("a ship, excluding survival or rebellion", {"Alien", "Dune"}, id="a list"),
        pytest.param("films without rebellion", {"Dune"}, id="of the films themselves"),
        pytest.param("I have seen dune, a ship", {"Dune"}, id="seen"),
        pytest.param("in space, I am tired of rebellion", {"Dune"}, id="who asks is tired of it"),
    ],
)
def test_without_an_example_only_names_and_clear_wishes_leave_out(
    films: Session, query: str, gone: set[str]
) -> None:
    rows = hybrid.search(films, call(), query=query)
    found = set(column(rows, "Name"))
    assert found
    assert found.isdisjoint(gone)
    assert any(note.startswith("Left out") for note in rows.notes) == bool(gone)
    if not gone:
        assert {"Dune", "Star Wars", "Alien"} <= found


@pytest.mark.parametrize(
    ("query", "said"),
    [
        pytest.param("a people without rebellion who hunt a ship", True, id="without"),
        pytest.param("A People Without Rebellion", True, id="all words in capitals"),
        pytest.param("a people that is not a rebellion", True, id="not"),
        pytest.param("a crew tired of rebellion", False, id="no negation"),
        pytest.param("a people without deserts who hunt a ship", False, id="what the graph lacks"),
        pytest.param("a ship, but no rebellion", False, id="left out"),
    ],
)
def test_a_negation_that_may_tell_the_story_is_said_to_leave_nothing_out(
    films: Session, query: str, said: bool
) -> None:
    notes = hybrid.search(films, call(), query=query).notes
    assert said is any(
        "may tell the story and was not left out" in each and "'but not rebellion'" in each.lower()
        for each in notes
    )


@pytest.fixture(scope="module")
def genres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """Films of genres, with a place and with titles that are common nouns."""
    said = {
        1: ("Alien", "A beast in space."),
        2: ("Aliens", "Soldiers hunt beasts in space."),
        3: ("Lift", "A wedding in a hotel."),
        4: ("Lamp", "A wedding in a hotel, and robots in space."),
        5: ("Ship", "Two people in a hotel by the sea, at war."),
    }
    nodes = [NodeRecord("Movie", key, *each, {"ReleaseYear": 1980}) for key, each in said.items()]
    named = {
        "Genre": ("Comedy", "Horror", "Science Fiction", "War"),
        "Setting": ("Hotel", "Space"),
        "Theme": ("Wedding", "Robots", "Beast"),
        "Series": ("Apes",),
    }
    nodes += [
        NodeRecord(kind, key, name, "")
        for kind, names in named.items()
        for key, name in enumerate(names, 1)
    ]
    links = {
        "IN_GENRE": ((3, 1), (1, 2), (2, 2), (4, 3), (2, 3), (5, 4)),
        "SET_IN": ((3, 1), (4, 1), (5, 1), (1, 2), (2, 2), (4, 2)),
        "INCLUDES_THEME": ((3, 1), (4, 1), (4, 2), (1, 3)),
        "PART_OF_SERIES": ((3, 1),),
    }
    edges = [EdgeRecord(kind, *ends) for kind, pairs in links.items() for ends in pairs]
    session = made_session(tmp_path_factory.mktemp("genres") / "graph", nodes, edges)
    yield session
    session.engine.close()


@pytest.mark.parametrize(
    ("query", "gone", "left", "searched"),
    [
        pytest.param(
            "films that are not comedies set in a hotel",
            "Comedy",
            {1, 2, 4, 5},
            "films that are set in a hotel",
            id="set in",
        ),
        pytest.param(
            "films but not comedies about weddings",
            "Comedy",
            {1, 2, 4, 5},
            "films about weddings",
            id="about",
        ),
        pytest.param(
            "films without robots or horror set in space",
            "horror",
            {3, 5},
            "films set in space",
            id="a list",
        ),
        pytest.param(
            "anything but horror set in space", "horror", {3, 4, 5}, "set in space", id="bare"
        ),
        pytest.param(
            "Films without a series from the 1980s",
            "Series",
            {1, 2, 4, 5},
            "Films from the 1980s",
            id="a kind",
        ),
        pytest.param(
            "films other than Lamp about a wedding",
            "Lamp",
            {1, 2, 3, 5},
            "films about a wedding",
            id="a title",
        ),
        pytest.param(
            "I hate films about weddings in space", "wedding", {1, 2, 5}, "in space", id="of films"
        ),
        pytest.param(
            "films but not films with robots", "robots", {1, 2, 3, 5}, "films", id="the films"
        ),
        pytest.param(
            "on a ship in space, except Lamp and Ship",
            "Ship",
            {1, 2, 3},
            "on a ship in space",
            id="the same word before it",
        ),
        pytest.param(
            "robots, but no horror and without horror",
            "horror",
            {3, 4, 5},
            "robots",
            id="twice",
        ),
    ],
)
def test_what_stands_behind_a_name_that_is_left_out_is_searched(
    genres: Session, query: str, gone: str, left: set[int], searched: str
) -> None:
    rows = hybrid.search(genres, call(), query=query)
    assert set(column(rows, "Id")) == left
    assert [each for each in rows.notes if each.startswith("Left out") and f"'{gone}'" in each]
    assert f"N'{searched}'" in rows.sql


@pytest.mark.parametrize(
    ("query", "left"),
    [
        pytest.param("a film about a wedding, not a comedy", {1, 2, 4, 5}, id="after a comma"),
        pytest.param("not a comedy, about a wedding", {1, 2, 4, 5}, id="at the start"),
        pytest.param("sci-fi without robots", {1, 2, 3, 5}, id="behind a genre"),
        pytest.param("horror with no beast", {2, 3, 4, 5}, id="no, behind a genre"),
        pytest.param("not a film about war", {1, 2, 3, 4}, id="nothing else"),
        pytest.param("anything but horror", {3, 4, 5}, id="nothing but a name"),
        pytest.param("two people, not a wedding", {1, 2, 3, 4, 5}, id="no genre"),
        pytest.param("a horror without robots", {1, 2, 3, 4, 5}, id="a story of a horror"),
        pytest.param("two people in a war without robots", {1, 2, 3, 4, 5}, id="a story of a war"),
        pytest.param("two people, not a war by the sea", {1, 2, 3, 4, 5}, id="told of a war"),
        pytest.param("films without robots and in space", {1, 2, 3, 5}, id="and in"),
    ],
)
def test_a_negation_that_speaks_of_the_film_is_a_wish(
    genres: Session, query: str, left: set[int]
) -> None:
    assert set(column(hybrid.search(genres, call(), query=query), "Id")) == left


def test_an_unknown_wish_that_is_all_there_is_to_search_is_searched(genres: Session) -> None:
    assert (
        "N'films without dialogue'"
        in hybrid.search(genres, call(), query="films without dialogue").sql
    )
    rows = hybrid.search(genres, call(), query="films without dialogue set in a hotel")
    assert "N'films set in a hotel'" in rows.sql


@pytest.mark.parametrize(
    ("query", "left", "note"),
    [
        pytest.param(
            "films without aliens", {1, 2, 3, 4, 5}, "only the Movie 'Aliens'", id="without"
        ),
        pytest.param("war films but no aliens", {1, 2, 3, 4, 5}, "write 'but not Aliens'", id="no"),
        pytest.param("films like Ship without aliens", {3, 4}, "says 'aliens'", id="words"),
        pytest.param("films without Aliens", {1, 3, 4, 5}, "says: 'Aliens'", id="as a name"),
        pytest.param('films without "aliens"', {1, 3, 4, 5}, "the Movie 'aliens'", id="quotes"),
        pytest.param("I have seen aliens, in space", {1, 3, 4, 5}, "the Movie 'aliens'", id="seen"),
    ],
)
def test_a_common_noun_that_is_a_title_too_is_not_taken_for_that_film(
    genres: Session, query: str, left: set[int], note: str
) -> None:
    rows = hybrid.search(genres, call(), query=query)
    assert any(note in each for each in rows.notes)
    assert set(column(rows, "Id")) == left


@pytest.mark.parametrize(
    ("query", "said"),
    [
        pytest.param("a waitress, that is not French", "'French'", id="not"),
        pytest.param("a family of mice, not Disney", "'Disney'", id="after a comma"),
        pytest.param("like Alien but not Disney", "'Disney'", id="no text holds it"),
        pytest.param("like Alien, not Disney", "'Disney'", id="beside an example"),
        pytest.param("a ship, but no rebellion or violence", "'violence'", id="beside a known one"),
        pytest.param("a ship without Ripley Scott", "'Ripley Scott'", id="without"),
    ],
)
def test_a_name_that_the_graph_lacks_is_said_to_leave_nothing_out(
    films: Session, query: str, said: str
) -> None:
    rows = hybrid.search(films, call(), query=query)
    assert f"Nothing was left out for {said}: the graph holds nothing of that name." in rows.notes
    assert not [note for note in rows.notes if note.startswith("Left out") and said in note]
    assert "isney" not in rows.sql


def test_a_word_of_likeness_in_a_name_that_is_left_out_is_part_of_the_name(tmp_path: Path) -> None:
    titles = ("Some Like It Hot", "It", "Lift")
    nodes = [NodeRecord("Movie", key, name, "") for key, name in enumerate(titles, 1)]
    session = made_session(tmp_path / "graph", nodes, [])
    rows = hybrid.search(session, call(), query="comedies but not Some Like It Hot")
    session.engine.close()
    assert set(column(rows, "Name")) == {"It", "Lift"}
    assert not [each for each in rows.notes if "likeness" in each]
