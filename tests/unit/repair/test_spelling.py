from collections.abc import Callable

import pytest

from moviegraph.repair.driver import Repaired

RIGHT = "SELECT m.Name, COUNT(*) AS n FROM Movie m WHERE m.Id > 3 GROUP BY m.Name ORDER BY n"


@pytest.mark.parametrize(
    ("word", "slip"),
    [
        pytest.param("FROM", "FORM", id="FORM"),
        pytest.param("SELECT", "SELCT", id="SELCT"),
        pytest.param("WHERE", "WEHRE", id="WEHRE"),
        pytest.param("GROUP", "GRUOP", id="GRUOP"),
        pytest.param("ORDER", "ODER", id="ODER"),
    ],
)
def test_a_misspelled_word_of_the_language_is_repaired(
    word: str, slip: str, repair_sql: Callable[[str], Repaired]
) -> None:
    assert repair_sql(RIGHT.replace(word, slip)).sql == RIGHT


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("SELECT COUNTIF(m.Id) AS n FROM Movie m", id="another function"),
        pytest.param("SELECT m.Name FROM Movie m ORDER BY RAND()", id="too short to guess"),
        pytest.param("UPDATE Movie SET Name = 'x'", id="another statement"),
    ],
)
def test_another_word_is_left(sql: str, repair_sql: Callable[[str], Repaired]) -> None:
    assert repair_sql(sql).changes == ()
