from dataclasses import replace
from pathlib import Path

import pytest
from fakes.sessions import call, column, film_session, recorded

from moviegraph.engines.records import NodeRecord
from moviegraph.errors import ArgumentError, ExecutionError
from moviegraph.retrieval import fulltext, hybrid
from moviegraph.retrieval.session import Caps, Session


@pytest.mark.parametrize(
    ("query", "found"),
    [
        pytest.param("rebels", {1, 2}, id="a word"),
        pytest.param("desert planet", {1, 3}, id="all words"),
        pytest.param("the young pilot of a", {2}, id="all words but stop words"),
        pytest.param('"desert planet" OR swamp', {1, 2, 3}, id="the CONTAINS grammar"),
        pytest.param("rebel*", {1, 2, 3}, id="a bare prefix"),
        pytest.param("rebels AND NOT swamp", {1}, id="without"),
        pytest.param("planet; DROP TABLE Movie", set[int](), id="no SQL"),
    ],
)
def test_auto_reads_contains_or_else_asks_for_all_words(
    films: Session, query: str, found: set[int]
) -> None:
    rows = fulltext.search(films, call(), query=query)
    assert set(column(rows, "Id")) == found
    assert rows.columns == ("Id", "Name", "ReleaseYear", "Rank", "Content")


def test_freetext_finds_any_inflected_word(films: Session) -> None:
    rows = fulltext.search(films, call(), query="rebel hunting", mode="freetext")
    assert {1, 2, 4} <= set(column(rows, "Id"))


def test_contains_is_strict_about_its_grammar(films: Session) -> None:
    with pytest.raises(ExecutionError) as failed:
        fulltext.search(films, call(), query="desert planet", mode="contains")
    assert failed.value.code == "fulltext_syntax"
    assert failed.value.hint


def test_an_exact_name_comes_first_whatever_its_case(films: Session) -> None:
    rows = fulltext.search(films, call(), query="ALIEN")
    assert column(rows, "Id")[:2] == [4, 7]
    assert column(rows, "Rank")[:2] == [1000, 1000]


def test_where_holds_for_exact_names_too(films: Session) -> None:
    rows = fulltext.search(films, call(), query="alien", where="ReleaseYear > 1990")
    assert column(rows, "Id") == [7]


def test_a_short_name_is_found_by_its_alias(films: Session) -> None:
    rows = fulltext.search(films, call(), query="A New Hope")
    assert column(rows, "Name") == ["Star Wars"]
    assert rows.notes == ("'A New Hope' was read as 'Star Wars'.",)


def test_a_name_with_its_year_is_found(films: Session) -> None:
    assert column(fulltext.search(films, call(), query="Alien (1999)"), "Id")[0] == 7


def test_a_misspelt_name_is_guessed_and_said_so(films: Session) -> None:
    rows = fulltext.search(films, call(), query="Amelei")
    assert column(rows, "Name") == ["Amélie"]
    assert column(rows, "Rank")[0] < 1000
    assert "spelling was guessed" in rows.notes[0]


def test_nothing_found_says_what_to_try(films: Session) -> None:
    rows = fulltext.search(films, call(), query="zeppelin captains in rain")
    assert rows.rows == []
    assert "freetext" in rows.notes[0]
    assert recorded(films, rows).status == "empty"


@pytest.mark.parametrize("mode", ["auto", "freetext"])
def test_stop_words_alone_are_not_sent_to_a_mode_that_leaves_them_out_too(
    films: Session, mode: str
) -> None:
    rows = fulltext.search(films, call(), query="the", mode=mode)
    assert rows.rows == []
    assert any("stop words" in note for note in rows.notes)
    assert not any("freetext`" in note or "occurs" in note for note in rows.notes)


@pytest.mark.parametrize(
    ("query", "mode", "noted"),
    [
        pytest.param("rebels not desert", "auto", True, id="all words"),
        pytest.param("not rebels", "freetext", True, id="any word"),
        pytest.param("rebels AND NOT desert", "auto", False, id="a condition"),
        pytest.param("rebels AND NOT desert", "contains", False, id="mode contains"),
        pytest.param('"not rebels"', "auto", False, id="a phrase"),
        pytest.param("nothing of the rebels", "auto", False, id="another word"),
    ],
)
def test_a_not_that_excludes_nothing_is_noted(
    films: Session, query: str, mode: str, noted: bool
) -> None:
    notes = fulltext.search(films, call(), query=query, mode=mode).notes
    assert any("NOT CONTAINS((Name, Content), 'other')" in note for note in notes) is noted


@pytest.mark.parametrize(
    ("query", "word"),
    [
        pytest.param("Empire Strikes NOT Back", "not", id="not"),
        pytest.param("The Empire without Strikes Back", "without", id="without"),
        pytest.param("The Empire Strikes except Back", "except", id="except"),
    ],
)
def test_a_name_that_was_excluded_is_not_guessed(films: Session, query: str, word: str) -> None:
    rows = fulltext.search(films, call(), query=query)
    assert rows.rows == []
    assert rows.notes[0].startswith(f"{word!r} is a word to find here and excludes nothing")
    assert not any(
        "spelt nearly" in each for each in hybrid.search(films, call(), query=query).notes
    )


@pytest.mark.parametrize("query", ["To Be or Not to Bee", "Do Not Look Upp"])
def test_a_title_with_a_negation_is_guessed(tmp_path: Path, query: str) -> None:
    titles = ["To Be or Not to Be", "Don't Look Up"]
    more = [NodeRecord("Movie", 20 + at, title, "A play.") for at, title in enumerate(titles)]
    session = film_session(tmp_path / "graph", more)
    notes = fulltext.search(session, call(), query=query).notes
    assert any("spelling was guessed" in each for each in notes)
    session.engine.close()


@pytest.mark.parametrize("name", ["It", "8 1/2", "M*A*S*H"])
def test_a_name_of_stop_words_that_was_found_is_not_said_to_find_nothing(
    tmp_path: Path, name: str
) -> None:
    session = film_session(tmp_path / "graph", [NodeRecord("Movie", 20, name, "A clown.")])
    rows = fulltext.search(session, call(), query=name)
    assert column(rows, "Name") == [name]
    assert rows.notes == ()
    session.engine.close()


def test_a_query_without_words_is_an_argument_error(films: Session) -> None:
    with pytest.raises(ArgumentError, match="no word"):
        fulltext.search(films, call(), query="?!")


def test_every_statement_of_the_search_is_recorded(films: Session) -> None:
    rows = fulltext.search(films, call(), query="Alien")
    execution = recorded(films, rows)
    assert len(execution.statements) == 2
    assert execution.statements[-1] == rows.sql


def test_quotes_and_other_scripts_stay_text(films: Session) -> None:
    for query in ("O'Brien's", "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd", "映画 祭"):
        assert fulltext.search(films, call(), query=query).rows == []


def test_another_contract_is_searched_in_all_its_searchable_columns(kitchen: Session) -> None:
    rows = fulltext.search(kitchen, call(), query='"second day"')
    assert column(rows, "Title") == ["Ratatouille"]
    assert fulltext.search(kitchen, call(), query="eggplant", kind="Ingredient").rows[0][1] == (
        "Aubergine"
    )


def test_two_letters_exchanged_in_a_short_name_are_found(films: Session) -> None:
    assert set(column(fulltext.search(films, call(), query="Alein"), "Id")) == {4, 7}


def test_what_the_glossary_knows_as_short_is_read_in_full(films: Session) -> None:
    rows = fulltext.search(films, call(), query="scifi", kind="Setting")
    assert rows.rows == []
    rows = fulltext.search(films, call(), query="SKYWALKER SAGA")
    assert 1 in column(rows, "Id")
    assert rows.notes == ("'SKYWALKER SAGA' was read as 'Star Wars'.",)


def test_a_name_of_another_kind_is_said_when_nothing_is_found(films: Session) -> None:
    (note,) = fulltext.search(films, call(), query="Chosen One", kind="Setting").notes
    assert "'Chosen One' is the Theme 'Chosen One' (id 2)." in note


@pytest.mark.parametrize("mode", ["auto", "freetext"])
def test_a_condition_that_leaves_nothing_is_named(films: Session, mode: str) -> None:
    rows = fulltext.search(films, call(), query="rebels", where="ReleaseYear > 3000", mode=mode)
    assert (rows.rows, len(rows.notes)) == ([], 1)
    assert "`where`" in rows.notes[0]


def test_a_list_as_long_as_the_cap_says_so_unless_its_length_was_asked_for(films: Session) -> None:
    capped = replace(films, caps=Caps(top=2))
    assert fulltext.search(capped, call(), query="boy OR planet").truncated == "rows"
    assert fulltext.search(capped, call(), query="boy OR planet", top=2).truncated is None
    assert fulltext.search(capped, call(), query="poodle").truncated is None
