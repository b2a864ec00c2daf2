"""What a query of hybrid search wishes beside its words: like NAME, and but not NAME."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fakes.sessions import call, column, film_session, made_session

from moviegraph.contract.model import Alias, Keyword
from moviegraph.engines.records import EdgeRecord, NodeRecord
from moviegraph.retrieval import fulltext, hybrid, semantic
from moviegraph.retrieval.session import Session


@pytest.mark.parametrize(
    ("query", "examples", "note"),
    [
        pytest.param("films like A New Hope", "'Star Wars' (1", "read as 'Star Wars'", id="alias"),
        pytest.param("like Amelei", "'Amélie' (5", "read as 'Amélie'", id="misspelt"),
        pytest.param("films like Amelie", "'Amélie' (5", "read as 'Amélie'", id="no accent"),
        pytest.param(
            "films like Amelei but not Dune", "'Amélie' (5", "read as 'Amélie'", id="and but not"
        ),
        pytest.param("films like Empire Strikes Back", "'The Empire", "read as", id="no article"),
        pytest.param("films like alien (1999)", "'alien' (7", "", id="a year in parentheses"),
        pytest.param("films like Alien from 1999", "'alien' (7", "", id="a year behind from"),
        pytest.param("films like alien from 1999", "'alien' (7", "", id="uncased, with a year"),
        pytest.param("films like Alien 1979, please", "'Alien' (4", "", id="a bare year"),
        pytest.param("films like Alien (1942)", "'Alien' (4", "'Alien (1942)'", id="no such year"),
        pytest.param("films like Alien", "'Alien' (4", "ids 4, 7; the first", id="two of a name"),
        pytest.param(
            "films like Dune and Amélie",
            "'Dune' (3, ReleaseYear 2021) and 'Amélie' (5, ReleaseYear 2001), which are",
            "",
            id="two",
        ),
        pytest.param("films like dune or amélie", "'Dune' (3", "'Amélie' (5", id="two, uncased"),
        pytest.param("like Dune and A New Hope", "'Dune' (3", "read as 'Star Wars'", id="second"),
        pytest.param(
            "films like Dune, Amélie, Star Wars and Alien (1979)",
            "'Dune' (3, ReleaseYear 2021) and 'Amélie' (5, ReleaseYear 2001) and 'Star Wars' (1, "
            "ReleaseYear 1977), which are",
            "'Alien (1979)' was not used: at most 3 examples count.",
            id="four",
        ),
        pytest.param("like Dune and Xyz", "'Dune' (3", "'Xyz' was not used: no Movie", id="lacks"),
    ],
)
def test_an_example_is_found_as_names_are_and_its_reading_is_said(
    films: Session, query: str, examples: str, note: str
) -> None:
    notes = hybrid.search(films, call(), query=query).notes
    assert [each for each in notes if f"Ranked by likeness to {examples}" in each]
    assert any(note in each for each in notes)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        pytest.param("films like Xyzzyfilm", "no Movie is named 'Xyzzyfilm'", id="unknown"),
        pytest.param(
            "a film similar to Luke Skywalker", "the Character 'Luke Skywalker'", id="kind"
        ),
        pytest.param("people who love Xyzzyfilm", "", id="no likeness to a film"),
        pytest.param("like a waitress", "", id="no name"),
    ],
)
def test_a_query_without_the_example_that_it_names_says_so(
    films: Session, query: str, said: str
) -> None:
    notes = hybrid.search(films, call(), query=query).notes
    told = [note for note in notes if note.startswith("Ranked by the words alone")]
    assert bool(told) == bool(said)
    assert said in "".join(told)


def test_an_example_with_its_year_leaves_others_of_its_name_in(films: Session) -> None:
    rows = hybrid.search(films, call(), query="films like Alien (1979)")
    assert 7 in column(rows, "Id")
    assert 4 not in column(rows, "Id")
    assert 7 not in column(hybrid.search(films, call(), query="films like Alien"), "Id")


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """The films of the others, and some whose titles hold signs."""
    titles = ["Flying High!", "Who Knows, Ada?", "Who Knows", "Ada", "Farewell, Otto!"]
    titles += ["Dr. Otto: Now and Then", "Dr", "1900: A Vote"]
    more = [
        NodeRecord("Movie", 20 + at, title, f"Told in {title}", {"ReleaseYear": 1980})
        for at, title in enumerate(titles)
    ]
    session = film_session(tmp_path_factory.mktemp("signed") / "graph", more)
    yield session
    session.engine.close()


@pytest.mark.parametrize(
    ("query", "examples"),
    [
        pytest.param("films like Flying High!", "'Flying High!'", id="a sign"),
        pytest.param('films like "Flying High!".', "'Flying High!'", id="in quotes"),
        pytest.param("films like Flying High! (1980)", "'Flying High!'", id="a year behind it"),
        pytest.param("films like flying high!", "'Flying High!'", id="uncased"),
        pytest.param("films like Flying High", "'Flying High!'", id="its sign left out"),
        pytest.param("films like Who Knows, Ada?", "'Who Knows, Ada?'", id="a comma before it"),
        pytest.param("films like who knows, ada?", "'Who Knows, Ada?'", id="a comma, uncased"),
        pytest.param("films like Farewell Otto", "'Farewell, Otto!'", id="no signs"),
        pytest.param("films like Alien!", "'Alien'", id="a sign of the query"),
        pytest.param("films like Who Knows?", "'Who Knows'", id="a question"),
        pytest.param("like Flying High! and Dune", "'Flying High!' and 'Dune'", id="two"),
        pytest.param("like Dune! or Flying High!", "'Dune' and 'Flying High!'", id="two of signs"),
        pytest.param("like dune or flying high!", "'Dune' and 'Flying High!'", id="two, uncased"),
    ],
)
def test_a_title_may_hold_signs_or_stand_before_some(
    signed: Session, query: str, examples: str
) -> None:
    told = [
        re.sub(r" \(.*?\)", "", each) for each in hybrid.search(signed, call(), query=query).notes
    ]
    assert any(each.startswith(f"Ranked by likeness to {examples}, which") for each in told)


@pytest.mark.parametrize(
    ("query", "gone", "searched"),
    [
        pytest.param("a vote but not Who Knows, Ada?", {21}, "a vote", id="a comma"),
        pytest.param("a vote but not Dr. Otto: Now and Then", {25}, "a vote", id="other signs"),
        pytest.param("a vote but not dr. otto: now and then", {25}, "a vote", id="uncased"),
        pytest.param('a vote but not "Dr. Otto: Now and Then"', {25}, "a vote", id="in quotes"),
        pytest.param(
            "a vote but not Dr. Otto: Now and Then (1980)", {25}, "a vote", id="a year behind it"
        ),
        pytest.param("a vote but no Flying High! films", {20}, "a vote", id="a noun behind it"),
        pytest.param(
            "a vote but not the film Farewell, Otto! set in Rome",
            {24},
            "a vote set in Rome",
            id="a noun before it",
        ),
        pytest.param(
            "a vote except Ada, Who Knows, Ada?, 1900: A Vote and Farewell, Otto!",
            {23, 21, 27, 24},
            "a vote",
            id="a list",
        ),
        pytest.param(
            'a vote except "Ada" and "Farewell, Otto!" in Rome',
            {23, 24},
            "a vote in Rome",
            id="a list in quotes",
        ),
        pytest.param("a vote but not Ada, in Rome", {23}, "a vote , in Rome", id="of the query"),
    ],
)
def test_what_is_left_out_by_name_may_hold_signs_or_stand_before_some(
    signed: Session, query: str, gone: set[int], searched: str
) -> None:
    rows = hybrid.search(signed, call(), query=query)
    assert set(range(20, 28)) - set(column(rows, "Id")) == gone
    assert f"N'{searched}'" in rows.sql


def test_quotes_mark_a_name_that_the_graph_lacks(films: Session) -> None:
    rows = hybrid.search(films, call(), query='a ship without "Nobody, Inc." in space')
    lacks = "Nothing was left out for 'Nobody, Inc.': the graph holds nothing of that name."
    assert lacks in rows.notes
    assert "N'a ship in space'" in rows.sql


@pytest.mark.parametrize("word", ["Lovely!", "lovely!"])
def test_a_long_list_of_long_words_is_searched_as_it_stands(films: Session, word: str) -> None:
    query = "films like " + ". ".join([word[0] + "a" * 140 + word] * 13)
    assert hybrid.search(films, call(), query=query).rows


@pytest.fixture(scope="module")
def kongs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A series of three, of which two share a title with a film of another year; and a loner."""
    years = {
        1: ("Kong", 1933),
        2: ("Son of Kong", 1934),
        3: ("Kong (2005)", 2005),
        4: ("Lamp", 1950),
    }
    plots = [
        NodeRecord("Movie", key, name, f"An ape, number {key}.", {"ReleaseYear": year})
        for key, (name, year) in years.items()
    ]
    groups = [
        NodeRecord("Series", 1, "Apes of the Isle", "Apes."),
        NodeRecord("Genre", 1, "Drama", ""),
    ]
    links = [EdgeRecord("PART_OF_SERIES", key, 1) for key in (1, 2)]
    session = made_session(tmp_path_factory.mktemp("kongs") / "graph", [*plots, *groups], links)
    alias = Alias(alias="AOI", kind="Series", name="Apes of the Isle")
    glossary = session.contract.glossary.model_copy(update={"aliases": (alias,)})
    yield replace(session, contract=session.contract.model_copy(update={"glossary": glossary}))
    session.engine.close()


@pytest.mark.parametrize(
    ("query", "found", "note"),
    [
        pytest.param("like Kong but not the sequels", {3, 4}, "the Series 'Apes", id="sequels"),
        pytest.param("films like Kong without its sequels", {3, 4}, "the Series 'Apes", id="its"),
        pytest.param("like Kong, not from the same series", {3, 4}, "the Series", id="same"),
        pytest.param("like Kong but not part of the franchise", {3, 4}, "the Series", id="part of"),
        pytest.param("like Kong, excluding the saga itself", {3, 4}, "the Series", id="itself"),
        pytest.param("like Kong but no prequels", {3, 4}, "the Series 'Apes", id="no article"),
        pytest.param("like Kong but not the remakes", {2, 4}, "'Kong (2005)'", id="remakes"),
        pytest.param("like Kong, no remakes or sequels", {4}, "'Kong (2005)'", id="both"),
        pytest.param(
            "like Kong from 2005 but no remakes",
            {2, 4},
            "out, as the query says: 'Kong'",
            id="of it",
        ),
        pytest.param("films like Apes of the Isle", {3, 4}, "of the Series 'Apes", id="a series"),
        pytest.param("films like the AOI", {3, 4}, "'the AOI' was read as 'Apes", id="an article"),
        pytest.param("films like AOI", {3, 4}, "'AOI' was read as 'Apes", id="alias of a series"),
        pytest.param("like Kong but in no series", {3, 4}, "'Series'", id="any series"),
        pytest.param("like Kong but not of a franchise", {3, 4}, "'Series'", id="any franchise"),
        pytest.param("like Lamp but not the sequels", {1, 2, 3}, "Nothing was left out", id="none"),
        pytest.param(
            "apes but not the sequels", {1, 2, 3, 4}, "Nothing was left out", id="no example"
        ),
    ],
)
def test_what_belongs_with_an_example_is_left_out_by_the_graph(
    kongs: Session, query: str, found: set[int], note: str
) -> None:
    rows = hybrid.search(kongs, call(), query=query)
    assert set(column(rows, "Id")) == found
    assert any(note in each for each in rows.notes)
    assert not any("'it'" in each or "'same'" in each for each in rows.notes)


@pytest.mark.parametrize(
    ("kind", "query", "gone"),
    [
        pytest.param("Theme", "themes like Rebellion but not Survival", "Survival", id="like"),
        pytest.param("Character", "someone brave, but not Ellen Ripley", "Ellen Ripley", id="bare"),
        pytest.param("Character", "brave, but not Vader", "Darth Vader", id="alias"),
        pytest.param("Setting", "a place, but not in Amélie", "Paris", id="a link"),
    ],
)
def test_what_is_left_out_is_left_out_of_every_kind(
    films: Session, kind: str, query: str, gone: str
) -> None:
    rows = hybrid.search(films, call(), query=query, kind=kind)
    assert gone not in column(rows, "Name")
    assert rows.rows or kind == "Character"
    assert kind != "Theme" or rows.notes[0] == "Left out, as the query says: 'Survival'."


def test_mere_words_that_are_left_out_are_said_to_be_words(films: Session) -> None:
    rows = hybrid.search(films, call(), query="like Alien (1979) but no deserts")
    assert rows.notes[0] == "Left out by words alone: every Movie that says 'deserts'."


def test_a_named_example_stands_for_its_text_and_is_left_out(films: Session) -> None:
    rows = hybrid.search(films, call(), query="films like Star Wars")
    own = column(semantic.search(films, call(), query=_text(films, "Star Wars")), "Name")
    by_meaning = sorted(zip(column(rows, "SemanticRank"), column(rows, "Name"), strict=True))
    assert [name for _, name in by_meaning] == [name for name in own if name != "Star Wars"]
    assert "'Star Wars'" in rows.notes[0]


def test_what_shares_links_with_a_named_example_is_listed_by_them(films: Session) -> None:
    rows = hybrid.search(films, call(), query="films like Star Wars")
    linked = dict(zip(column(rows, "Name"), column(rows, "LinkedTo"), strict=True))
    assert linked["Dune"] in {"Theme: Rebellion", "Theme: Chosen One", "Setting: Desert Planet"}
    assert linked["Amélie"] is None


def _text(films: Session, name: str) -> str:
    rows = fulltext.search(films, call(), query=name, detail="full")
    return column(rows, "Content")[column(rows, "Name").index(name)]


def test_what_a_query_leaves_out_by_name_is_left_out(films: Session) -> None:
    rows = hybrid.search(films, call(), query="a waitress in Paris, but not Amélie")
    assert rows.rows
    assert "Amélie" not in column(rows, "Name")
    assert "'Amélie'" in rows.notes[0]


def test_what_is_left_out_may_be_several_nodes_of_one_other_name(films: Session) -> None:
    both = Alias(alias="Knights", kind="Series", name="Star Wars")
    officer = Alias(alias="Knights", kind="Character", name="Ellen Ripley")
    glossary = films.contract.glossary.model_copy(update={"aliases": (both, officer)})
    contract = films.contract.model_copy(update={"glossary": glossary})
    rows = hybrid.search(
        replace(films, contract=contract), call(), query="in deep space without Knights"
    )
    assert {"Star Wars", "The Empire Strikes Back", "Alien"}.isdisjoint(column(rows, "Name"))
    assert "Dune" in column(rows, "Name")


@pytest.mark.parametrize(
    ("query", "gone", "note"),
    [
        pytest.param("like Alien but not about deserts", "Dune", "'deserts'", id="mere words"),
        pytest.param("like Alien but not a rebellion", "Dune", "'Rebellion'", id="an article"),
        pytest.param(
            "like Alien but no Star Wars sequels",
            "The Empire Strikes Back",
            "'Star Wars'",
            id="a word for the kind in the plural",
        ),
    ],
)
def test_beside_a_named_example_all_that_is_left_out_is_left_out(
    films: Session, query: str, gone: str, note: str
) -> None:
    glossary = films.contract.glossary
    keywords = (*glossary.keywords, Keyword(table="Series", word="sequel"))
    contract = films.contract.model_copy(
        update={"glossary": glossary.model_copy(update={"keywords": keywords})}
    )
    session = replace(films, contract=contract)
    assert gone in column(hybrid.search(session, call(), query="like Alien"), "Name")
    rows = hybrid.search(session, call(), query=query)
    assert rows.rows
    assert gone not in column(rows, "Name")
    assert note.lower() in rows.notes[0].lower()


def test_without_an_example_mere_words_tell_a_story(films: Session) -> None:
    rows = hybrid.search(films, call(), query="a farm boy on a world without deserts")
    assert "Dune" in column(rows, "Name")
    assert rows.notes == ()


def test_what_is_likened_to_and_left_out_stands_for_a_node_linked_to_it(films: Session) -> None:
    query = "like Ellen Ripley but no Ellen Ripley films"
    rows = hybrid.search(films, call(), query=query)
    assert rows.rows
    assert {"The Empire Strikes Back", "Alien"}.isdisjoint(column(rows, "Name"))
    assert "Ranked by likeness to 'The Empire Strikes Back' (2, " in rows.notes[1]


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
