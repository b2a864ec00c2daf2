import pytest

from moviegraph.contract.load import load_contract
from moviegraph.retrieval.drift import asks_the_same

CONTRACT = load_contract()
LEFT_OUT = (
    "SELECT m.Nam FROM Movie m WHERE m.ReleaseYear > 1990 AND m.Name NOT LIKE '%Star Wars%' "
    "ORDER BY m.ReleaseYear DESC LIMIT 5"
)
FIXED = (
    "SELECT TOP 5 m.Name FROM Movie AS m WHERE m.ReleaseYear > 1990 "
    "AND m.Name NOT LIKE '%Star Wars%' ORDER BY m.ReleaseYear DESC"
)
COUNTED = (
    "SELECT t.Name, COUNT(*) n FROM Theme t, INCLUDES_THEME e, Movie m "
    "WHERE MATCH(t-(e)->m) GROUP BY t.Name HAVING COUNT(*) > 3"
)
COUNTED_FIXED = COUNTED.replace("t-(e)->m", "m-(e)->t")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(LEFT_OUT, FIXED, id="dialect"),
        pytest.param(COUNTED, COUNTED_FIXED, id="arrow"),
        pytest.param(
            "SELECT Name FROM Movie WHERE ReleaseYear BETWEEN 1980 AND 1989",
            "SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear >= 1980 AND m.ReleaseYear <= 1989",
            id="between in two",
        ),
        pytest.param(
            "SELECT Name FROM Movie WHERE 1990 <= ReleaseYear",
            "SELECT Name FROM Movie WHERE ReleaseYear >= 1990",
            id="turned round",
        ),
        pytest.param(
            "SELECT m.Name FROM Movie m JOIN IN_GENRE i ON i.x = m.Id JOIN Genre g ON g.Id = i.y "
            "WHERE g.Name != 'Horror'",
            "SELECT m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g) "
            "AND g.Name <> 'Horror'",
            id="joins to a pattern",
        ),
        pytest.param(
            "SELECT m.Name FROM Movie m LEFT JOIN PART_OF_SERIES p ON p.f = m.Id WHERE p.f IS NULL",
            "SELECT m.Name FROM Movie m WHERE NOT EXISTS (SELECT 1 FROM Movie AS x, "
            "PART_OF_SERIES AS p, Series AS s WHERE MATCH(x-(p)->s) AND x.Id = m.Id)",
            id="left join to not exists",
        ),
        pytest.param(
            "SELECT Name FROM Movie WHERE ReleaseYear > YEAR(NOW()) - 5",
            "SELECT Name FROM Movie WHERE ReleaseYear > YEAR(GETDATE()) - 5",
            id="today",
        ),
    ],
)
def test_a_rewrite_that_changes_only_the_form_is_taken(before: str, after: str) -> None:
    assert asks_the_same(before, after, CONTRACT)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(LEFT_OUT, FIXED.replace(" > 1990", " >= 1990"), id="another operator"),
        pytest.param(LEFT_OUT, FIXED.replace(" > 1990", " < 1990"), id="turned round"),
        pytest.param(LEFT_OUT, FIXED.replace("1990", "1980"), id="another number"),
        pytest.param(LEFT_OUT, FIXED.replace("NOT LIKE", "LIKE"), id="lost NOT"),
        pytest.param(LEFT_OUT, FIXED.replace("Wars", "Trek"), id="another literal"),
        pytest.param(LEFT_OUT, FIXED.replace("AND", "OR"), id="OR for AND"),
        pytest.param(LEFT_OUT, FIXED.replace("TOP 5", "TOP 6"), id="another number of rows"),
        pytest.param(LEFT_OUT, FIXED.replace(" DESC", ""), id="another order"),
        pytest.param(LEFT_OUT, FIXED.replace("ORDER BY m.ReleaseYear DESC", ""), id="no order"),
        pytest.param(LEFT_OUT, FIXED.replace("m.ReleaseYear > 1990 AND ", ""), id="lost condition"),
        pytest.param(
            LEFT_OUT, FIXED.replace(" ORDER", " AND m.ReleaseYear < 2000 ORDER"), id="new number"
        ),
        pytest.param(
            LEFT_OUT, FIXED.replace(" ORDER", " AND m.Content LIKE '%robot%' ORDER"), id="new word"
        ),
        pytest.param(COUNTED, COUNTED_FIXED.replace("> 3", "> 2"), id="a small number"),
        pytest.param("SELECT COUNT(*) FROM Movie", "SELECT m.Id FROM Movie AS m", id="no count"),
        pytest.param(
            COUNTED, COUNTED_FIXED.replace(" HAVING COUNT(*) > 3", ""), id="no condition on groups"
        ),
        pytest.param(COUNTED, "SELECT m.Name FROM Movie AS m", id="other tables"),
        pytest.param(
            "SELECT Name FROM Movie WHERE ReleaseYear IS NOT NULL",
            "SELECT Name FROM Movie",
            id="lost column",
        ),
        pytest.param(
            "SELECT DISTINCT Name FROM Movie", "SELECT Name FROM Movie", id="lost DISTINCT"
        ),
        pytest.param("SELECT Name FROM Movie WHERE Name = 'x", "SELECT Name FROM Movie", id="open"),
        pytest.param(
            "SELECT m.Id FROM Movie m WHERE CONTAINS(m.Content, 'war AND NOT love')",
            "SELECT m.Id FROM Movie m WHERE CONTAINS(m.Content, 'war AND love')",
            id="NOT within a search",
        ),
    ],
)
def test_a_rewrite_that_asks_something_else_is_refused(before: str, after: str) -> None:
    assert not asks_the_same(before, after, CONTRACT)
