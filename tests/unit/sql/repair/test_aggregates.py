from collections.abc import Callable

import pytest

from moviegraph.sql.repair.rules import Repaired

JOINED = "FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t)"
CASES = [
    pytest.param(
        "missing_group",
        f"SELECT t.Id, t.Name, COUNT(*) AS n {JOINED} GROUP BY t.Id ORDER BY n DESC",
        f"SELECT t.Id, t.Name, COUNT(*) AS n {JOINED} GROUP BY t.Id, t.Name ORDER BY n DESC",
        id="a column of the grouped node",
    ),
    pytest.param(
        "missing_group",
        f"SELECT t.Name AS Topic, COUNT(*) AS n {JOINED} ORDER BY n DESC",
        f"SELECT t.Name AS Topic, COUNT(*) AS n {JOINED} GROUP BY t.Name ORDER BY n DESC",
        id="no GROUP BY at all",
    ),
    pytest.param(
        "group_position",
        "SELECT m.ReleaseYear AS y, COUNT(*) AS n FROM Movie m GROUP BY 1",
        "SELECT m.ReleaseYear AS y, COUNT(*) AS n FROM Movie m GROUP BY m.ReleaseYear",
        id="GROUP BY a position",
    ),
    pytest.param(
        "select_alias",
        "SELECT m.ReleaseYear / 10 AS d, COUNT(*) AS n FROM Movie m GROUP BY d HAVING n > 2",
        "SELECT m.ReleaseYear / 10 AS d, COUNT(*) AS n FROM Movie m "
        "GROUP BY m.ReleaseYear / 10 HAVING COUNT(*) > 2",
        id="aliases in GROUP BY and HAVING",
    ),
    pytest.param(
        "select_alias",
        "SELECT m.Id, m.ReleaseYear - 1900 AS age FROM Movie m WHERE age * 2 > 50",
        "SELECT m.Id, m.ReleaseYear - 1900 AS age FROM Movie m "
        "WHERE (m.ReleaseYear - 1900) * 2 > 50",
        id="alias in WHERE",
    ),
    pytest.param(
        "inner_order",
        "WITH a AS (SELECT m.Id FROM Movie m ORDER BY m.Id) SELECT a.Id FROM a ORDER BY a.Id",
        "WITH a AS (SELECT m.Id FROM Movie m) SELECT a.Id FROM a ORDER BY a.Id",
        id="ORDER BY in a CTE",
    ),
]


@pytest.mark.parametrize(("rule", "broken", "mended"), CASES)
def test_grouping_and_order_are_mended(
    rule: str, broken: str, mended: str, outcome: Callable[[str], tuple[str, list[str]]]
) -> None:
    assert outcome(broken) == (mended, [rule])


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param(
            f"SELECT t.Name, m.ReleaseYear, COUNT(*) AS n {JOINED} GROUP BY t.Name",
            id="a column that would split the groups",
        ),
        pytest.param(
            "SELECT m.Id, ROW_NUMBER() OVER (ORDER BY m.Id) AS r FROM Movie m "
            "WHERE r < 3 OR m.Id = 1",
            id="a window under OR in WHERE",
        ),
        pytest.param(
            "SELECT m.ReleaseYear, COUNT(*) AS n FROM Movie m WHERE n > 2 OR m.Id = 1 "
            "GROUP BY m.ReleaseYear",
            id="an aggregate under OR in WHERE",
        ),
    ],
)
def test_what_would_ask_something_else_is_left(sql: str, mend: Callable[[str], Repaired]) -> None:
    assert mend(sql).changes == ()
