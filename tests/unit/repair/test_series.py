import re
from collections.abc import Callable, Iterator
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moviegraph.repair.rules import Repaired

MADE = re.compile(r"GENERATE_SERIES\((-?\d+), (-?\d+)(?:, (-?\d+))?\)")
TESTS: dict[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
LEFT_ALONE = [
    pytest.param("SELECT 1 AS n UNION ALL SELECT n + 1 FROM y", id="without an end"),
    pytest.param("SELECT 1 AS n UNION ALL SELECT n + 1 FROM y WHERE n > 0", id="away from its end"),
    pytest.param("SELECT 1 AS n UNION ALL SELECT n + 0 FROM y WHERE n < 3", id="on the spot"),
    pytest.param("SELECT 1 AS n UNION ALL SELECT n * 2 FROM y WHERE n < 9", id="powers"),
    pytest.param(
        "SELECT 1 AS n UNION ALL SELECT n + 1 FROM y WHERE n < 9 AND n <> 4", id="two conditions"
    ),
    pytest.param(
        "SELECT 1 AS n, 2 AS k UNION ALL SELECT n + 1, k FROM y WHERE n < 9", id="two columns"
    ),
    pytest.param("SELECT 1 AS n UNION ALL SELECT n + 1 FROM y WHERE k < 9", id="another column"),
    pytest.param(
        "SELECT 1 AS n UNION ALL SELECT y.n + 1 FROM y, Movie AS m WHERE y.n < 9", id="a join"
    ),
]


def counted(start: int, step: int, holds: Callable[[int], bool]) -> list[int]:
    """What the CTE makes, as a server would run it."""

    def run() -> Iterator[int]:
        value = start
        yield value
        while holds(value):
            value += step
            yield value

    return list(islice(run(), 1_000))


NUMBERS = st.integers(-40, 40)


@given(NUMBERS, st.integers(1, 9), NUMBERS, st.integers(-5, 5), st.booleans(), st.booleans())
def test_a_series_holds_what_its_recursion_counted(
    mend: Callable[[str], Repaired],
    start: int,
    step: int,
    bound: int,
    shift: int,
    upwards: bool,
    strict: bool,
) -> None:
    sign, test = ("+" if upwards else "-"), ("<" if upwards else ">") + "=" * (not strict)
    tested = f"n {'-' if shift < 0 else '+'} {abs(shift)}" if shift else "n"
    query = (
        f"SELECT {start} AS n UNION ALL SELECT n {sign} {step} FROM y WHERE {tested} {test} {bound}"
    )
    repaired = mend(f"WITH y AS ({query}) SELECT n FROM y")
    found = MADE.search(repaired.sql)
    assert found is not None, query
    first, last, by = int(found[1]), int(found[2]), int(found[3] or 1)
    turn = 1 if by > 0 else -1
    wanted = counted(start, step if upwards else -step, lambda n: TESTS[test](n + shift, bound))
    assert list(range(first, last + turn, by)) == wanted


@pytest.mark.parametrize("query", LEFT_ALONE)
def test_another_recursion_is_left_alone(mend: Callable[[str], Repaired], query: str) -> None:
    repaired = mend(f"WITH y AS ({query}) SELECT n FROM y")
    assert not repaired.changes
    assert repaired.rest is not None
    assert repaired.rest.code == "recursive_cte"
