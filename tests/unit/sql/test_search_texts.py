from typing import Any

import pytest

from moviegraph.contract.loader import load_contract
from moviegraph.sql.decision import Allowed, Refused
from moviegraph.sql.guard import Where, judge

CONTRACT = load_contract()
FILMS = "SELECT m.Id FROM Movie AS m WHERE "

LANGUAGES: list[Any] = [
    pytest.param("1033", 1033, id="a number"),
    pytest.param("0x0409", 1033, id="a hexadecimal number"),
    pytest.param("'English'", 1033, id="a name"),
    pytest.param("N'british english'", 2057, id="a name in lower case"),
    pytest.param("'1031'", 1031, id="a number as text"),
]


@pytest.mark.parametrize(("term", "locale"), LANGUAGES)
def test_a_language_is_rendered_as_its_number(term: str, locale: int) -> None:
    decision = judge(f"{FILMS} CONTAINS(m.Name, 'star', LANGUAGE {term})", CONTRACT)
    assert isinstance(decision, Allowed), decision
    assert decision.sql.endswith(f"CONTAINS([m].[Name], 'star', LANGUAGE {locale})")


@pytest.mark.parametrize("term", ["'Klingon'", "0x123456789", "1.5", "''", "4294967296"])
def test_what_names_no_language_is_refused(term: str) -> None:
    decision = judge(f"{FILMS} CONTAINS(m.Name, 'star', LANGUAGE {term})", CONTRACT)
    assert isinstance(decision, Refused)


NOTED: list[Any] = [
    pytest.param("CONTAINS(m.Name, 'the')", "'the'", id="a stop word"),
    pytest.param("CONTAINS(m.Name, 'star AND \"of the\"')", "'of the'", id="of two terms"),
    pytest.param("FREETEXT(m.Name, 'it is')", "'it is'", id="free text"),
    pytest.param("CONTAINS(m.Name, 'star OR the')", None, id="beside another term"),
    pytest.param("CONTAINS(m.Name, '\"the matrix\"')", "'the matrix'", id="within a phrase"),
]


@pytest.mark.parametrize(
    "predicate", ["CONTAINS(m.Name, '$')", "CONTAINS(m.Name, N'😀')", "FREETEXT(m.Name, '?!')"]
)
def test_a_note_says_that_signs_are_no_words(predicate: str) -> None:
    decision = judge(FILMS + predicate, CONTRACT)
    assert isinstance(decision, Allowed), decision
    (note,) = (note for note in decision.notes if "finds nothing" in note)
    assert "letters and digits" in note
    assert "stop words" not in note


@pytest.mark.parametrize(("predicate", "term"), NOTED)
def test_a_note_says_what_stop_words_keep_from_finding(predicate: str, term: str | None) -> None:
    decision = judge(FILMS + predicate, CONTRACT)
    assert isinstance(decision, Allowed), decision
    noted = [note for note in decision.notes if "stop words" in note]
    assert len(noted) == (term is not None)
    assert term is None or term in noted[0]


def test_a_phrase_without_its_stop_words_is_named_as_it_is_searched() -> None:
    decision = judge(FILMS + "CONTAINS(m.Content, '\"time of war\" AND robot')", CONTRACT)
    assert isinstance(decision, Allowed)
    (note,) = (note for note in decision.notes if "stop words" in note)
    assert "'time ... war'" in note
    assert "LIKE '%time of war%'" in note


@pytest.mark.parametrize(
    ("condition", "rendered"),
    [
        ("m.ReleaseYear = NULL", "IS NULL"),
        ("NULL <> m.Name", "IS NOT NULL"),
        ("m.Id NOT IN (1, NULL)", "NOT IN"),
        ("m.ReleaseYear IS NULL", ""),
        ("m.Id IN (1, NULL)", ""),
    ],
)
def test_a_comparison_with_null_is_noted(condition: str, rendered: str) -> None:
    decision = judge(FILMS + condition, CONTRACT)
    assert isinstance(decision, Allowed)
    noted = [note for note in decision.notes if "never true" in note]
    assert len(noted) == bool(rendered)
    assert not noted or rendered in noted[0]


def test_a_note_names_a_condition_from_outside_too() -> None:
    where = Where("CONTAINS(Name, 'the')", "Movie", "m")
    decision = judge("SELECT m.Id FROM Movie AS m", CONTRACT, where=where)
    assert isinstance(decision, Allowed), decision
    assert any("stop words" in note for note in decision.notes)


def test_a_wrong_condition_is_refused_with_its_place_and_the_right_form() -> None:
    decision = judge(f"{FILMS} CONTAINS(m.Name, 'star wars')", CONTRACT)
    assert isinstance(decision, Refused)
    assert decision.code == "fulltext_syntax"
    assert "position 6" in decision.message
    assert '"two words"' in decision.message


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        pytest.param(
            "SELECT m.Id FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g) "
            "AND CONTAINS(i.*, 'star')",
            "IN_GENRE holds edges",
            id="a predicate",
        ),
        pytest.param(
            "SELECT k.[KEY] FROM FREETEXTTABLE(IN_GENRE, *, 'star') AS k",
            "IN_GENRE holds edges",
            id="a table function",
        ),
    ],
)
def test_an_edge_table_has_no_text(sql: str, words: str) -> None:
    decision = judge(sql, CONTRACT)
    assert isinstance(decision, Refused)
    assert words in decision.message
