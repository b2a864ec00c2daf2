"""What failed while it ran is mended, and only by what the error tells."""

import pytest

from moviegraph.contract.model import Contract
from moviegraph.repair.rules import repair
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

CONVERSION = "Conversion failed when converting the nvarchar value 'Alien' to data type int."
DIVISION = "Divide by zero error encountered."
SEVERAL = "Subquery returned more than 1 value. This is not permitted."
JOINED = "SELECT m.Name + ' (' + m.ReleaseYear + ')' AS Label FROM Movie AS m"
CAST = "SELECT m.Id FROM Movie AS m WHERE CAST(m.Name AS INT) > 5"
QUOTIENT = "SELECT m.Id / (m.Id - 1) AS x FROM Movie AS m"
SAME_YEAR = (
    "SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear = "
    "(SELECT x.ReleaseYear FROM Movie AS x WHERE x.Name = 'Alien')"
)


@pytest.mark.parametrize(
    ("error", "rule", "sql", "mended"),
    [
        pytest.param(
            CONVERSION,
            "joined_number",
            JOINED,
            JOINED.replace("m.ReleaseYear", "CAST(m.ReleaseYear AS NVARCHAR(30))"),
            id="a number joined to texts",
        ),
        pytest.param(
            CONVERSION, "tried_cast", CAST, CAST.replace("CAST", "TRY_CAST"), id="a cast that fails"
        ),
        pytest.param(
            DIVISION,
            "guarded_division",
            QUOTIENT,
            "SELECT m.Id / NULLIF((m.Id - 1), 0) AS x FROM Movie AS m",
            id="a divisor of 0",
        ),
        pytest.param(
            SEVERAL,
            "several_values",
            SAME_YEAR,
            SAME_YEAR.replace("m.ReleaseYear = ", "m.ReleaseYear IN "),
            id="several values for one",
        ),
    ],
)
def test_a_failure_while_running_is_mended(
    error: str, rule: str, sql: str, mended: str, movies: Contract
) -> None:
    repaired = repair(sql, movies, error=error)

    assert (repaired.sql, [change.rule for change in repaired.changes]) == (mended, [rule])
    assert isinstance(judge(repaired.sql, movies), Allowed)


@pytest.mark.parametrize("sql", [JOINED, CAST, QUOTIENT, SAME_YEAR])
def test_another_failure_changes_nothing(sql: str, movies: Contract) -> None:
    assert repair(sql, movies, error="The statement took longer than 15 s.").changes == ()
    assert repair(sql, movies).changes == ()


@pytest.mark.parametrize(
    ("error", "sql"),
    [
        pytest.param(DIVISION, "SELECT m.Id / 2 AS x FROM Movie AS m", id="by a number"),
        pytest.param(
            SEVERAL,
            SAME_YEAR.replace(" = (SELECT", " > (SELECT"),
            id="more than several",
        ),
        pytest.param(
            CONVERSION, "SELECT m.Id + m.ReleaseYear AS x FROM Movie AS m", id="numbers only"
        ),
    ],
)
def test_what_the_error_does_not_fit_is_left(error: str, sql: str, movies: Contract) -> None:
    assert repair(sql, movies, error=error).changes == ()
