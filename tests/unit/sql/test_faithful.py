"""Text that sqlglot would ignore or complete is refused: validated words are written words."""

import pytest
from golden.decisions import allowed, refused


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        pytest.param(
            "SELECT CASE WHEN Id = 1 'a' END AS x FROM Movie", "takes a THEN", id="no THEN"
        ),
        pytest.param("SELECT TOP 10% Name FROM Movie", "TOP takes a plain number", id="percent"),
        pytest.param(
            "SELECT Name FROM Movie ORDER BY Name FETCH NEXT 5 ROWS ONLY",
            "FETCH needs an OFFSET",
            id="no OFFSET",
        ),
        pytest.param(
            'SELECT JSON_VALUE(Content, "$.name") AS x FROM Movie',
            "single quotes for text",
            id="a path in double quotes",
        ),
        pytest.param("SELECT Name FROM Movie 'x'", "write x here", id="a string names a table"),
        pytest.param(
            "SELECT x.Id FROM (SELECT Id FROM Movie) AS 'x'",
            "write x here",
            id="a string names a derived table",
        ),
        pytest.param(
            "WITH 'c' AS (SELECT Id FROM Movie) SELECT Id FROM c",
            "write c here",
            id="a string names a CTE",
        ),
    ],
)
def test_words_that_are_not_there_or_too_many_are_refused(sql: str, message: str) -> None:
    decision = refused(sql)
    assert decision.code == "syntax"
    assert message in decision.message


@pytest.mark.parametrize(
    ("sql", "rendered"),
    [
        pytest.param("SELECT Name 'm' FROM Movie m", "[Name] AS [m]", id="a string as an alias"),
        pytest.param("SELECT Name AS 'a b' FROM Movie", "[Name] AS [a b]", id="with a blank"),
        pytest.param("SELECT x = Id FROM Movie", "[Id] AS [x]", id="an alias by equals"),
        pytest.param("SELECT Name FROM Movie LIMIT 5", "TOP 5 [Name]", id="a forgiven LIMIT"),
        pytest.param("SELECT Id FROM Movie WHERE Id != 1", "[Id] <> 1", id="unequal"),
    ],
)
def test_another_spelling_of_the_same_is_faithful(sql: str, rendered: str) -> None:
    assert rendered in allowed(sql).sql
