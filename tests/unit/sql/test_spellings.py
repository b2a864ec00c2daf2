"""Second spellings of T-SQL come out as the first, and types of other dialects are named."""

import pytest
from golden.decisions import allowed, refused


@pytest.mark.parametrize(
    ("sql_text", "rendered"),
    [
        pytest.param("DEC", "DECIMAL", id="dec"),
        pytest.param("DEC(5, 2)", "DECIMAL(5, 2)", id="dec with a scale"),
        pytest.param("NUMERIC(5, 2)", "DECIMAL(5, 2)", id="numeric"),
        pytest.param("INTEGER", "INT", id="integer"),
        pytest.param("REAL", "FLOAT(24)", id="real"),
        pytest.param("DOUBLE PRECISION", "FLOAT", id="double precision"),
        pytest.param("CHARACTER(3)", "CHAR(3)", id="character"),
        pytest.param("CHAR VARYING(3)", "VARCHAR(3)", id="char varying"),
        pytest.param("character  varying(3)", "VARCHAR(3)", id="character varying"),
        pytest.param("NATIONAL CHAR(3)", "NCHAR(3)", id="national char"),
        pytest.param("NATIONAL CHARACTER(3)", "NCHAR(3)", id="national character"),
        pytest.param("NATIONAL CHAR VARYING(3)", "NVARCHAR(3)", id="national char varying"),
        pytest.param("NATIONAL CHARACTER VARYING(3)", "NVARCHAR(3)", id="national varying"),
    ],
)
def test_a_synonym_of_a_type_is_that_type(sql_text: str, rendered: str) -> None:
    assert f"CAST([Id] AS {rendered})" in allowed(f"SELECT CAST(Id AS {sql_text}) FROM Movie").sql
    assert f"CONVERT({rendered}, " in allowed(f"SELECT CONVERT({sql_text}, Id) FROM Movie").sql


@pytest.mark.parametrize("name", ["Real", "Dec", "String", "Text", "Number", "Long"])
def test_a_type_may_be_the_name_of_a_column(name: str) -> None:
    assert allowed(f"SELECT Id AS {name} FROM Movie").outputs[0].name == name
    inner = f"SELECT x.{name} FROM (SELECT Id AS {name} FROM Movie) AS x"
    assert allowed(inner).outputs[0].name == name


@pytest.mark.parametrize(
    ("type_", "instead"),
    [
        ("DOUBLE", "FLOAT"),
        ("STRING", "NVARCHAR(MAX)"),
        ("BOOLEAN", "BIT"),
        ("TEXT", "NVARCHAR(MAX)"),
    ],
)
def test_a_type_of_another_dialect_is_refused_with_the_one_to_write(
    type_: str, instead: str
) -> None:
    for cast in (f"CAST(Id AS {type_})", f"TRY_CONVERT({type_}, Id)"):
        decision = refused(f"SELECT {cast} AS x FROM Movie")
        assert decision.code == "not_allowed"
        assert f"write {instead} instead" in decision.message


@pytest.mark.parametrize(
    ("sql_text", "rendered"),
    [
        pytest.param("SELECT TOP (5) Id FROM Movie", "SELECT TOP 5 [Id]", id="top in parentheses"),
        pytest.param("SELECT ALL Id FROM Movie", "SELECT TOP 20 [Id]", id="idle all"),
        pytest.param("SELECT COUNT(ALL Id) FROM Movie", "COUNT([Id])", id="idle all in a call"),
        pytest.param("SELECT .5 AS x", "0.5 AS [x]", id="fraction without a zero"),
        pytest.param("SELECT Id * +2 AS x FROM Movie", "[Id] * 2", id="idle plus"),
        pytest.param(
            "SELECT SUM(Id) OVER (ORDER BY Id ROWS 2 PRECEDING) AS s FROM Movie",
            "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
            id="short frame",
        ),
    ],
)
def test_a_second_spelling_has_one_form(sql_text: str, rendered: str) -> None:
    assert rendered in allowed(sql_text).sql


@pytest.mark.parametrize("word", ["DOUBLE PRECISION", "CHAR VARYING"])
def test_a_type_of_two_words_is_no_name(word: str) -> None:
    assert "allowed only in CAST and CONVERT" in refused(f"SELECT Id AS {word} FROM Movie").message
