from collections.abc import Callable

import pytest

from moviegraph.repair.driver import Repaired
from moviegraph.repair.full_text import repair_condition


@pytest.mark.parametrize(
    ("condition", "repaired_sql"),
    [
        pytest.param("space pirates", '"space pirates"', id="phrase"),
        pytest.param("space pirates OR ninja", '"space pirates" OR ninja', id="phrase in a list"),
        pytest.param("robot*", '"robot*"', id="prefix"),
        pytest.param("robot* AND love", '"robot*" AND love', id="prefix and word"),
        pytest.param("robot NOT love", "robot AND NOT love", id="NOT without AND"),
        pytest.param("'space pirates' OR x", '"space pirates" OR x', id="single quotes inside"),
        pytest.param("(space pirates) AND ship", '("space pirates") AND ship', id="parentheses"),
    ],
)
def test_a_condition_gets_its_quotes_and_operators(condition: str, repaired_sql: str) -> None:
    assert repair_condition(condition) == repaired_sql


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param("pirates", id="word"),
        pytest.param('"space pirates"', id="phrase"),
        pytest.param('"a b" AND ("c*" OR d) AND NOT "e"', id="logic"),
        pytest.param("a & b | c", id="marks"),
        pytest.param("NEAR((pirate, ship), 5)", id="NEAR"),
        pytest.param("FORMSOF(INFLECTIONAL, run)", id="FORMSOF"),
        pytest.param('"open" "', id="an open quote among others"),
        pytest.param("AND robot", id="half an operator"),
        pytest.param("robot OR NOT love", id="OR NOT"),
        pytest.param("space pirates, ninja", id="all of the terms, or any"),
        pytest.param('"space pirates" "ninja"', id="terms side by side"),
        pytest.param("space -pirates", id="a sign before a word"),
        pytest.param("", id="nothing"),
    ],
)
def test_a_condition_that_is_right_or_hopeless_is_left(condition: str) -> None:
    assert repair_condition(condition) is None


CASES = [
    pytest.param(
        "CONTAINS(m.Content, 'space pirates')",
        "CONTAINS(m.Content, '\"space pirates\"')",
        id="text",
    ),
    pytest.param(
        'CONTAINS(m.Content, "space pirates")',
        "CONTAINS(m.Content, '\"space pirates\"')",
        id="double quotes only",
    ),
]


@pytest.mark.parametrize(("statement", "repaired_sql"), CASES)
def test_a_full_text_predicate_is_repaired(
    statement: str, repaired_sql: str, repair_sql: Callable[[str], Repaired]
) -> None:
    assert (
        repair_sql(f"SELECT m.Name FROM Movie AS m WHERE {statement}").sql
        == f"SELECT m.Name FROM Movie AS m WHERE {repaired_sql}"
    )
