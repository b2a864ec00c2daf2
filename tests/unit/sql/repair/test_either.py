"""MATCH under OR, under NOT and in outer joins is said by pseudo-columns."""

from collections.abc import Callable

import pytest

from moviegraph.sql.repair.rules import Repaired

CASES = [
    pytest.param(
        ["same_match"],
        "SELECT m.Name, g.Name FROM Movie m, IN_GENRE e, Genre g WHERE "
        "(MATCH(m-(e)->g) AND g.Name = 'War') OR (MATCH(m-(e)->g) AND m.Id = 1)",
        "SELECT m.Name, g.Name FROM Movie m, IN_GENRE e, Genre g WHERE "
        "MATCH(m-(e)->g) AND ((1 = 1 AND g.Name = 'War') OR (1 = 1 AND m.Id = 1))",
        id="a MATCH in every branch",
    ),
    pytest.param(
        ["match_under_or"],
        "SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE m.Id = 1 OR "
        "(MATCH(m-(e)->g) AND g.Name = 'War')",
        "SELECT m.Name FROM Movie m WHERE m.Id = 1 OR (EXISTS (SELECT 1 FROM "
        "IN_GENRE e, Genre g WHERE e.$from_id = m.$node_id AND e.$to_id = "
        "g.$node_id AND g.Name = 'War'))",
        id="a MATCH under OR",
    ),
    pytest.param(
        ["match_under_or"],
        "SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE NOT MATCH(m-(e)->g) "
        "AND g.Name = 'War' AND m.Id > 1",
        "SELECT m.Name FROM Movie m WHERE NOT EXISTS (SELECT 1 FROM IN_GENRE e, "
        "Genre g WHERE e.$from_id = m.$node_id AND e.$to_id = g.$node_id AND g.Name "
        "= 'War') AND m.Id > 1",
        id="a MATCH under NOT",
    ),
    pytest.param(
        ["match_in_outer_join"],
        "SELECT m.Name, g.Name FROM Movie m LEFT JOIN IN_GENRE e ON MATCH(m-(e)->g) "
        "LEFT JOIN Genre g ON 1 = 1",
        "SELECT m.Name, g.Name FROM Movie m LEFT JOIN IN_GENRE e ON e.$from_id = "
        "m.$node_id LEFT JOIN Genre g ON e.$to_id = g.$node_id",
        id="a MATCH in an outer join",
    ),
]


@pytest.mark.parametrize(("rules", "broken", "mended"), CASES)
def test_a_match_out_of_place_is_said_otherwise(
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
            "SELECT m.Name, g.Name FROM Movie m, IN_GENRE e, Genre g WHERE m.Id = 1 OR "
            "MATCH(m-(e)->g)",
            id="a node that is listed",
        ),
        pytest.param(
            "SELECT COUNT(*) AS n FROM Movie m, IN_GENRE e, Genre g WHERE m.Id = 1 OR "
            "MATCH(m-(e)->g)",
            id="rows that are counted",
        ),
    ],
)
def test_what_could_mean_something_else_is_left(sql: str, mend: Callable[[str], Repaired]) -> None:
    assert mend(sql).changes == ()
