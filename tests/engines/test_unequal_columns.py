from collections.abc import Callable

import pytest

from moviegraph.engines.base import ResultSet

Run = Callable[..., ResultSet]
PAIRS = "FROM Movie AS a CROSS JOIN Movie AS b WHERE a.Id = 1 AND b.Id IN (2, 6, 7, 8) AND "


@pytest.mark.parametrize(
    ("condition", "ids"),
    [
        pytest.param("a.ReleaseYear <> b.ReleaseYear", [2, 7, 8], id="NULL is not unequal"),
        pytest.param("NOT (a.ReleaseYear <> b.ReleaseYear)", [], id="nor is it equal"),
        pytest.param("a.ReleaseYear < b.ReleaseYear", [2, 7, 8], id="less"),
        pytest.param("NOT (a.ReleaseYear >= b.ReleaseYear)", [2, 7, 8], id="not greater"),
        pytest.param("a.Name <> b.Name", [2, 6, 7, 8], id="texts"),
    ],
)
def test_columns_of_two_sources_compare_as_in_sql_server(
    run: Run, condition: str, ids: list[int]
) -> None:
    rows = run(f"SELECT b.Id {PAIRS}{condition} ORDER BY b.Id").rows
    assert [row[0] for row in rows] == ids


def test_a_condition_that_a_vector_exists_changes_no_order(run: Run) -> None:
    order = "ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q), Id"
    plain = run(f"SELECT TOP 5 Id FROM Movie {order}", "desert planet")
    filtered = run(
        f"SELECT TOP 5 Id FROM Movie WHERE Embedding IS NOT NULL {order}", "desert planet"
    )
    assert filtered.rows == plain.rows
