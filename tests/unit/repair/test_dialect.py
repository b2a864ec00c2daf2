from collections.abc import Callable

import pytest

from moviegraph.repair.driver import Repaired


def test_a_quoted_name_that_exists_stays_a_name(repair_sql: Callable[[str], Repaired]) -> None:
    repaired = repair_sql('SELECT "Name" FROM Movie m WHERE m.Content LIKE "Name" && m.Id = 1')

    assert repaired.sql == (
        "SELECT [Name] FROM Movie AS m WHERE m.Content LIKE [Name] AND m.Id = 1"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "SELECT TOP 5 m.Id::varchar(10) AS x FROM [Movie] AS m ORDER BY x",
            "SELECT TOP 5 CAST(m.Id AS NVARCHAR(10)) AS x FROM [Movie] AS m ORDER BY x",
            id="with TOP and brackets",
        ),
        pytest.param(
            "SELECT (m.Id + 1)::float AS x FROM Movie AS m",
            "SELECT CAST((m.Id + 1) AS FLOAT) AS x FROM Movie AS m",
            id="of an expression",
        ),
    ],
)
def test_a_cast_with_colons_is_a_cast(
    before: str, after: str, repair_sql: Callable[[str], Repaired]
) -> None:
    assert repair_sql(before).sql == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "SELECT STUFF((SELECT ',' + g.Name AS [text()] FROM Genre AS g WHERE g.Id > 1 "
            "FOR XML PATH(''), TYPE).value('.', 'NVARCHAR(MAX)'), 1, 1, '') AS n",
            "SELECT (SELECT STRING_AGG(g.Name, ',') FROM Genre AS g WHERE g.Id > 1) AS n",
            id="as text with TYPE",
        ),
        pytest.param(
            "SELECT STUFF((SELECT ', ' + Name FROM Genre FOR XML PATH('')), 1, 1, '') AS n",
            None,
            id="one character of two",
        ),
        pytest.param(
            "SELECT STUFF((SELECT DISTINCT ', ' + Name FROM Genre FOR XML PATH('')), 1, 2, '') n",
            None,
            id="without doubles",
        ),
        pytest.param(
            "SELECT STUFF((SELECT TOP 3 ', ' + Name FROM Genre FOR XML PATH('')), 1, 2, '') AS n",
            None,
            id="the first ones",
        ),
        pytest.param(
            "SELECT STUFF((SELECT ', ' + Name FROM Genre FOR XML PATH('g')), 1, 2, '') AS n",
            None,
            id="elements",
        ),
    ],
)
def test_a_list_of_xml_is_joined_only_if_it_can_only_be_one(
    before: str, after: str | None, repair_sql: Callable[[str], Repaired]
) -> None:
    assert repair_sql(before).sql == (after or before)
