"""Where conditions are split, and when a part of one needs parentheses."""

import pytest

from moviegraph.contract.loader import load_contract
from moviegraph.repair.context import RefusedStatement, branches, enclosed
from moviegraph.repair.tokens import TokenRange

CONTRACT = load_contract()


def _read(condition: str) -> tuple[RefusedStatement, TokenRange]:
    statement = RefusedStatement(condition, CONTRACT)
    return statement, TokenRange(0, len(statement.tokens))


@pytest.mark.parametrize(
    ("condition", "word", "parts"),
    [
        pytest.param("a = 1", "AND", ["a = 1"], id="one"),
        pytest.param("a AND b and c", "AND", ["a", "b", "c"], id="three"),
        pytest.param("a AND b OR c", "OR", ["a AND b", "c"], id="the other word"),
        pytest.param("(a AND b) AND f(c AND d)", "AND", ["(a AND b)", "f(c AND d)"], id="deeper"),
        pytest.param("a BETWEEN 1 AND 2 AND b", "AND", ["a BETWEEN 1 AND 2", "b"], id="between"),
        pytest.param(
            "a AND b NOT BETWEEN 1 AND 2 AND c BETWEEN 3 AND 4",
            "AND",
            ["a", "b NOT BETWEEN 1 AND 2", "c BETWEEN 3 AND 4"],
            id="two betweens",
        ),
        pytest.param(
            "a BETWEEN (SELECT 1 WHERE b AND c) AND 2 AND d",
            "AND",
            ["a BETWEEN (SELECT 1 WHERE b AND c) AND 2", "d"],
            id="a between around a subquery",
        ),
        pytest.param(
            "CASE WHEN a AND b THEN CASE WHEN c AND d THEN 1 END END = 1 AND e",
            "AND",
            ["CASE WHEN a AND b THEN CASE WHEN c AND d THEN 1 END END = 1", "e"],
            id="case in case",
        ),
        pytest.param(
            "CASE WHEN a OR b THEN 1 END = 1 OR c",
            "OR",
            ["CASE WHEN a OR b THEN 1 END = 1", "c"],
            id="case with or",
        ),
        pytest.param(
            "a BETWEEN CASE WHEN b AND c THEN 1 END AND 2 AND d",
            "AND",
            ["a BETWEEN CASE WHEN b AND c THEN 1 END AND 2", "d"],
            id="case in between",
        ),
    ],
)
def test_a_condition_is_split_where_its_parts_are_joined(
    condition: str, word: str, parts: list[str]
) -> None:
    statement, whole = _read(condition)

    assert [statement.text(part) for part in branches(statement, whole, word)] == parts


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        pytest.param("a OR b", "(a OR b)", id="or"),
        pytest.param("a AND b", "a AND b", id="and"),
        pytest.param("(a OR b) AND c", "(a OR b) AND c", id="or in parentheses"),
        pytest.param(
            "CASE WHEN a OR b THEN 1 END = 1", "CASE WHEN a OR b THEN 1 END = 1", id="or in case"
        ),
    ],
)
def test_a_condition_with_or_stands_in_parentheses_under_and(condition: str, said: str) -> None:
    assert enclosed(*_read(condition)) == said
