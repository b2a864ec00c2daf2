"""Whole numbers of the graph are no dates; dates are read as written."""

import pytest
from golden.decisions import allowed, refused


@pytest.mark.parametrize(
    "value",
    [
        "DAY(m.ReleaseYear)",
        "DATEPART(year, (m.ReleaseYear))",
        "DATENAME(year, m.ReleaseYear)",
        "DATEDIFF(year, m.ReleaseYear, GETDATE())",
        "DATEDIFF(year, '2000-01-01', m.ReleaseYear)",
        "DATEADD(day, 1, m.ReleaseYear + 1)",
        "YEAR(COALESCE(m.ReleaseYear, 1990))",
        "YEAR(LAG(m.ReleaseYear) OVER (ORDER BY m.Id))",
        "YEAR(YEAR(GETDATE()))",
        "IIF(m.ReleaseYear IN (1990, GETDATE()), 1, 0)",
        "IIF(GETDATE() - 1 < m.ReleaseYear, 1, 0)",
        "IIF(m.ReleaseYear BETWEEN 1990 AND GETDATE(), 1, 0)",
        "IIF(m.ReleaseYear = (SELECT GETDATE() AS d), 1, 0)",
        "YEAR(CASE WHEN 1 = 1 THEN m.ReleaseYear END)",
        "YEAR(CASE WHEN 1 = 1 THEN 1990 ELSE m.ReleaseYear END)",
        "YEAR(CAST(m.ReleaseYear AS INT))",
        "IIF(GETDATE() IS DISTINCT FROM m.ReleaseYear, 1, 0)",
    ],
)
def test_a_number_of_the_graph_is_refused_as_a_date(value: str) -> None:
    assert refused(f"SELECT {value} AS x FROM Movie AS m").code == "wrong_arguments"


def test_a_number_is_known_through_a_subquery() -> None:
    sql = "SELECT YEAR(x.y) AS y FROM (SELECT m.ReleaseYear AS y FROM Movie AS m) AS x"
    assert "It is the year itself: x.y" in refused(sql).message


@pytest.mark.parametrize(
    "value",
    [
        "YEAR(GETDATE()) - m.ReleaseYear",
        "YEAR(DATEFROMPARTS(m.ReleaseYear, 1, 1))",
        "YEAR(CAST(m.ReleaseYear AS DATETIME))",
        "YEAR(CAST(CAST(m.ReleaseYear AS NVARCHAR(4)) AS DATE))",
        "DATEDIFF(year, DATEFROMPARTS(m.ReleaseYear, 1, 1), GETDATE())",
        "DATEADD(year, m.ReleaseYear - 1900, 0)",
        "DATEADD(day, DATEDIFF(day, 0, GETDATE()), 0)",
        "GETDATE() - m.Id",
        "IIF(m.ReleaseYear >= YEAR(GETDATE()) - 10, 1, 0)",
        "IIF(GETDATE() > DATEADD(day, m.Id, '2020-01-01'), 1, 0)",
        "IIF(m.ReleaseYear BETWEEN 1990 AND DATEPART(year, GETDATE()), 1, 0)",
    ],
)
def test_dates_and_what_is_made_one_are_read(value: str) -> None:
    allowed(f"SELECT {value} AS x FROM Movie AS m")
