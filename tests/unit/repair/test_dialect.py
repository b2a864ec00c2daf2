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
