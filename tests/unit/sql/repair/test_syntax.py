from collections.abc import Callable

import pytest

from moviegraph.sql.repair.rules import Repaired

PLAIN = "SELECT m.Name FROM Movie m WHERE m.Id IN (1, 2)"
CASES = [
    pytest.param(
        "code_fence", f"Sure! Try this:\n```sql\n{PLAIN}\n```\nIt lists two.", PLAIN, id="fence"
    ),
    pytest.param("prose_before", f"Here is the query: {PLAIN}", PLAIN, id="label"),
    pytest.param("prose_before", f"sql\n{PLAIN}", PLAIN, id="language tag"),
    pytest.param("closing_parenthesis", f"{PLAIN})", PLAIN, id="parenthesis too many"),
    pytest.param("missing_parenthesis", PLAIN[:-1], PLAIN, id="parenthesis missing"),
    pytest.param(
        "recursive_word",
        "WITH RECURSIVE a AS (SELECT m.Id FROM Movie m) SELECT a.Id FROM a",
        "WITH a AS (SELECT m.Id FROM Movie m) SELECT a.Id FROM a",
        id="RECURSIVE without recursion",
    ),
    pytest.param(
        "apostrophe",
        "SELECT m.Id FROM Movie m WHERE m.Name = 'Schindler's List'",
        "SELECT m.Id FROM Movie m WHERE m.Name = 'Schindler''s List'",
        id="apostrophe",
    ),
    pytest.param(
        "typographic_characters",
        "SELECT m.Id FROM Movie m WHERE m.Name = \u2018Jaws\u2019 AND m.Id\u00a0\u2265 3",
        "SELECT m.Id FROM Movie m WHERE m.Name = 'Jaws' AND m.Id >= 3",
        id="curly quotes and signs",
    ),
    pytest.param(
        "stray_comma",
        "SELECT m.Id, (m.ReleaseYear,) AS y FROM Movie m",
        "SELECT m.Id, (m.ReleaseYear) AS y FROM Movie m",
        id="comma that lists nothing",
    ),
]


@pytest.mark.parametrize(("rule", "broken", "mended"), CASES)
def test_a_slip_of_writing_is_mended(
    rule: str, broken: str, mended: str, outcome: Callable[[str], tuple[str, list[str]]]
) -> None:
    assert outcome(broken) == (mended, [rule])


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("DELETE FROM Movie; SELECT m.Id FROM Movie m", id="a statement before"),
        pytest.param("SELECT m.Id FROM Movie m; DROP TABLE Movie", id="a statement behind"),
        pytest.param("DROP TABLE Movie:\nSELECT m.Id FROM Movie m", id="a statement as a label"),
        pytest.param(
            "SELECT m.Id FROM Movie m WHERE (m.Id = 1 OR m.Id = 2 AND m.Name = 'x'",
            id="a parenthesis that may close in two places",
        ),
        pytest.param(
            "SELECT m.Id FROM Movie m WHERE m.Id IN (SELECT x.Id FROM Movie x ORDER BY m.Id",
            id="an order that may belong inside or outside",
        ),
        pytest.param("SELECT m.Id FROM Movie m WHERE m.Name = 'Jaws", id="an open text"),
    ],
)
def test_what_could_be_read_in_two_ways_is_left(sql: str, mend: Callable[[str], Repaired]) -> None:
    assert mend(sql).changes == ()
