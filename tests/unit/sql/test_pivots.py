"""PIVOT: its syntax, its output columns, and its restrictions."""

import pytest
from golden.decisions import allowed, refused

ROWS = "(VALUES (1, 2, 3)) AS s(a, b, c)"


@pytest.mark.parametrize(
    ("clause", "code"),
    [
        pytest.param("PIVOT (COUNT(*) FOR b IN ([2])) AS p", "syntax", id="star"),
        pytest.param("PIVOT (SUM(c + 1) FOR b IN ([2])) AS p", "syntax", id="expression"),
        pytest.param("PIVOT (SUM(c), MAX(c) FOR b IN ([2])) AS p", "syntax", id="two aggregates"),
        pytest.param("PIVOT (UPPER(c) FOR b IN ([2])) AS p", "syntax", id="no aggregate"),
        pytest.param("PIVOT (STRING_AGG(c, ',') FOR b IN ([2])) AS p", "syntax", id="string_agg"),
        pytest.param("PIVOT (SUM(c) FOR b IN (2)) AS p", "syntax", id="a number"),
        pytest.param("PIVOT (SUM(c) FOR b IN ('2')) AS p", "syntax", id="a string"),
        pytest.param("PIVOT (SUM(c) FOR b IN (SELECT 2)) AS p", "syntax", id="a subquery"),
        pytest.param("PIVOT (SUM(c) FOR b IN ([2], [2])) AS p", "syntax", id="a column twice"),
        pytest.param("PIVOT (SUM(c) FOR b IN ([2]))", "syntax", id="no alias"),
        pytest.param("PIVOT (SUM(c) FOR b IN ([a])) AS p", "wrong_arguments", id="no number"),
        pytest.param("PIVOT (SUM(x) FOR b IN ([2])) AS p", "unknown_column", id="unknown column"),
        pytest.param("PIVOT (SUM(z.c) FOR b IN ([2])) AS p", "unknown_column", id="other alias"),
        pytest.param("PIVOT (SUM(c) FOR b IN ([2])) AS p(x)", "syntax", id="alias with columns"),
        pytest.param("UNPIVOT (x FOR n IN (a, b)) AS p", "unsupported", id="UNPIVOT"),
    ],
)
def test_a_rotation_of_another_form_is_refused(clause: str, code: str) -> None:
    assert refused(f"SELECT p.* FROM {ROWS} {clause}").code == code


def test_a_pivot_keeps_the_columns_that_it_does_not_name() -> None:
    decision = allowed(f"SELECT * FROM {ROWS} PIVOT (SUM(c) FOR b IN ([2], [3])) AS p")
    assert [output.name for output in decision.outputs] == ["a", "2", "3"]


def test_what_is_rotated_is_known_by_its_new_alias_only() -> None:
    pivot = "PIVOT (SUM(c) FOR b IN ([2])) AS p"
    assert refused(f"SELECT s.a FROM {ROWS} {pivot}").code == "unknown_alias"
    assert refused(f"SELECT p.b FROM {ROWS} {pivot}").code == "unknown_column"


def test_a_column_that_a_pivot_keeps_still_says_where_it_comes_from() -> None:
    decision = allowed(
        "SELECT p.Id, p.[1977] FROM (SELECT Id, Name, ReleaseYear FROM Movie) AS s "
        "PIVOT (COUNT(Name) FOR ReleaseYear IN ([1977])) AS p"
    )
    assert [(output.table, output.column) for output in decision.outputs] == [
        ("Movie", "Id"),
        (None, None),
    ]


def test_a_pivot_is_written_as_it_was_read() -> None:
    pivot = "PIVOT(SUM([c]) FOR [b] IN ([2], [Select])) AS [p]"
    rows = "(VALUES (1, 'k', 3)) AS [s]([a], [b], [c])"
    assert (
        allowed(f"SELECT p.a FROM {rows} {pivot}").sql
        == f"SELECT TOP 20 [p].[a] FROM {rows} {pivot}"
    )


def test_a_pivot_of_one_row_may_be_joined_with_a_table() -> None:
    source = "(SELECT ReleaseYear, Id FROM Movie) AS s"
    pivot = "PIVOT (COUNT(Id) FOR ReleaseYear IN ([1977])) AS p"
    allowed(f"SELECT m.Name, p.[1977] FROM Movie AS m, {source} {pivot}")
