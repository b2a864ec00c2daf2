from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes.limits import limits
from fakes.sessions import call, column, film_session, recorded

from moviegraph.engines.graph_records import NodeRecord
from moviegraph.errors import ArgumentError, ExecutionError
from moviegraph.query import readonly_sql
from moviegraph.query.session import Session
from moviegraph.search import fulltext


@pytest.mark.parametrize(
    ("query", "expected_ids"),
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
    films: Session, query: str, expected_ids: set[int]
) -> None:
    rows = fulltext.search(films, call(), query=query)
    assert set(column(rows, "Id")) == expected_ids
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
    assert rows.notes == ("'A New Hope' was interpreted as Movie:1 'Star Wars'.",)


def test_a_name_with_its_year_is_found(films: Session) -> None:
    assert column(fulltext.search(films, call(), query="Alien (1999)"), "Id")[0] == 7


def test_a_misspelled_name_is_guessed_and_said_so(films: Session) -> None:
    rows = fulltext.search(films, call(), query="Amelei")
    assert column(rows, "Name") == ["Amélie"]
    assert column(rows, "Rank")[0] < 1000
    assert "nearest names by spelling" in rows.notes[0]


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


@pytest.mark.parametrize(
    ("query", "more"),
    [
        pytest.param("desert planet", {}, id="words"),
        pytest.param("alien", {}, id="exact names first"),
        pytest.param("rebels", {"where": "ReleaseYear < 1990 AND Name <> 'x'"}, id="where"),
        pytest.param("planet", {"exclude": ["Dune"]}, id="exclude"),
        pytest.param("a desert's rebels", {"mode": "freetext", "top": 2}, id="freetext"),
    ],
)
def test_the_statement_shown_returns_the_same_rows(
    films: Session, query: str, more: dict[str, Any]
) -> None:
    rows = fulltext.search(films, call(), query=query, detail="full", **more)
    assert rows.rows
    assert rows.sql is not None
    again = readonly_sql.run(films, call(), sql=rows.sql)
    assert (again.columns, again.rows) == (rows.columns, rows.rows)


def test_a_guessed_spelling_shows_no_statement(films: Session) -> None:
    assert fulltext.search(films, call(), query="Amelei").sql is None


def test_every_primitive_is_recorded_with_its_arguments(films: Session) -> None:
    rows = fulltext.search(films, call(), query="Alien", where="ReleaseYear > 1900")
    steps = recorded(films, rows).statements
    assert any(step.startswith("matching(Movie, Alien,") for step in steps)
    assert any("ReleaseYear" in step for step in steps)


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


def test_an_alias_of_another_kind_is_noted(films: Session) -> None:
    rows = fulltext.search(films, call(), query="scifi", kind="Setting")
    assert rows.rows == []
    (note,) = fulltext.search(films, call(), query="SKYWALKER SAGA").notes
    assert "is Series:1 'Star Wars'" in note


def test_a_name_of_another_kind_is_said_when_nothing_is_found(films: Session) -> None:
    (note,) = fulltext.search(films, call(), query="Chosen One", kind="Setting").notes
    assert "'Chosen One' is Theme:2 'Chosen One'." in note


@pytest.mark.parametrize("mode", ["auto", "freetext"])
def test_a_condition_that_leaves_nothing_is_named(films: Session, mode: str) -> None:
    rows = fulltext.search(films, call(), query="rebels", where="ReleaseYear > 3000", mode=mode)
    assert (rows.rows, len(rows.notes)) == ([], 1)
    assert "`where`" in rows.notes[0]


def test_a_truncated_list_says_so_whether_caller_or_server_limits_it(
    films: Session,
) -> None:
    capped = replace(films, limits=limits(top=2))
    assert fulltext.search(capped, call(), query="boy OR planet").truncated == "rows"
    assert fulltext.search(capped, call(), query="boy OR planet", top=2).truncated == "rows"
    assert fulltext.search(capped, call(), query="poodle").truncated is None


@pytest.mark.parametrize("query", ["NOT planet", "NOT (planet OR ship)", 'NOT "desert planet"'])
def test_a_condition_that_begins_with_not_is_refused_and_not_read_as_words(
    films: Session, query: str
) -> None:
    with pytest.raises(ArgumentError, match="begin with NOT") as refused:
        fulltext.search(films, call(), query=query)
    assert "exclude" in (refused.value.hint or "")
