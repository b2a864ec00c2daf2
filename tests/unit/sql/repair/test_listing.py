"""Texts of rows are joined by STRING_AGG."""

from collections.abc import Callable

import pytest

from moviegraph.sql.repair.rules import Repaired

CASES = [
    pytest.param(
        ["xml_listing"],
        "SELECT STUFF((SELECT ', ' + g.Name FROM Genre g WHERE g.Id > 1 ORDER BY "
        "g.Name FOR XML PATH('')), 1, 2, '') AS x",
        "SELECT (SELECT STRING_AGG(g.Name, ', ') WITHIN GROUP (ORDER BY g.Name) "
        "FROM Genre g WHERE g.Id > 1) AS x",
        id="FOR XML PATH",
    ),
    pytest.param(
        ["xml_listing"],
        "SELECT STUFF((SELECT DISTINCT '; ' + g.Name AS [text()] FROM Genre g FOR "
        "XML PATH(''), TYPE).value('.', 'NVARCHAR(MAX)'), 1, 2, '') AS x",
        "SELECT (SELECT STRING_AGG(u.v, '; ') FROM (SELECT DISTINCT g.Name AS v "
        "FROM Genre g) AS u) AS x",
        id="FOR XML PATH with TYPE",
    ),
    pytest.param(
        ["distinct_listing"],
        "SELECT STRING_AGG(DISTINCT g.Name, ', ') AS x FROM Genre g WHERE g.Id > 1",
        "SELECT STRING_AGG(u.v, ', ') AS [x] FROM (SELECT DISTINCT g.Name AS v FROM "
        "Genre g WHERE g.Id > 1) AS u",
        id="DISTINCT",
    ),
]


@pytest.mark.parametrize(("rules", "broken", "mended"), CASES)
def test_rows_are_joined_by_string_agg(
    rules: list[str],
    broken: str,
    mended: str,
    outcome: Callable[[str], tuple[str, list[str]]],
) -> None:
    assert outcome(broken) == (mended, rules)


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param(
            "SELECT STUFF((SELECT ', ' + g.Name FROM Genre g FOR XML PATH('')), 1, 1, '') AS x",
            id="a head of another length",
        ),
        pytest.param(
            "SELECT STUFF((SELECT ', ' + g.Name FROM Genre g FOR XML PATH('g')), 1, 2, '') AS x",
            id="elements",
        ),
    ],
)
def test_what_could_mean_something_else_is_left(sql: str, mend: Callable[[str], Repaired]) -> None:
    assert mend(sql).changes == ()
