"""What a query of hybrid search wishes beside its words: like NAME, and but not NAME."""

import re
from collections.abc import Iterator
from dataclasses import replace

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
