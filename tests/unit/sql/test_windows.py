"""T-SQL's requirements for windows: refused with a reason where they are not met."""

import pytest
from golden.decisions import refused

FIVE = "FROM (VALUES (1), (2), (3), (4), (5)) AS v(x)"
REFUSED = [
    pytest.param(
        f"SELECT ROW_NUMBER() OVER () AS r {FIVE}",
        id="a row number without an order is refused",
    ),
    pytest.param(
        f"SELECT ROW_NUMBER() OVER (ORDER BY 1) AS r {FIVE}",
        id="a number is no column in the order of a window",
    ),
    pytest.param(
        f"SELECT RANK() OVER (ORDER BY v.x ROWS UNBOUNDED PRECEDING) AS r {FIVE}",
        id="a ranking function takes no frame",
    ),
    pytest.param(
        f"SELECT SUM(v.x) OVER (ORDER BY v.x RANGE 1 PRECEDING) AS s {FIVE}",
        id="a range of n values is refused",
    ),
    pytest.param(
        f"SELECT SUM(v.x) OVER (ROWS UNBOUNDED PRECEDING) AS s {FIVE}",
        id="a frame without an order is refused",
    ),
    pytest.param(
        f"SELECT SUM(v.x) OVER (ORDER BY v.x ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) AS s {FIVE}",
        id="a frame that ends before it begins is refused",
    ),
    pytest.param(
        f"SELECT LAG(v.x) OVER () AS n {FIVE}",
        id="LAG needs an order",
    ),
    pytest.param(
        "SELECT SUM(v.x) IGNORE NULLS OVER (ORDER BY v.id) AS n FROM (VALUES (1, 5)) AS v(id, x)",
        id="an aggregate takes no null treatment",
    ),
    pytest.param(
        f"SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY v.x) AS p {FIVE}",
        id="a percentile needs its OVER",
    ),
    pytest.param(
        f"SELECT MAX(ROW_NUMBER() OVER (ORDER BY v.x)) AS m {FIVE}",
        id="a window inside an aggregate is refused",
    ),
    pytest.param(
        f"SELECT v.x {FIVE} WHERE ROW_NUMBER() OVER (ORDER BY v.x) = 1",
        id="windows stand in the select list and ORDER BY only",
    ),
]
MORE = [
    pytest.param("SUM(DISTINCT Id) OVER (PARTITION BY ReleaseYear)", id="distinct with over"),
    pytest.param("STRING_AGG(Name, ',') OVER (PARTITION BY ReleaseYear)", id="string_agg"),
    pytest.param("SUM(Id) OVER (ORDER BY Id ROWS 2 FOLLOWING)", id="short form that follows"),
    pytest.param("SUM(Id) OVER (ORDER BY 'x')", id="constant order"),
    pytest.param("SUM(Id) OVER (ORDER BY 1 + 1)", id="computed constant order"),
    pytest.param("LAG(Id IGNORE NULLS) OVER (ORDER BY Id)", id="null treatment inside"),
    pytest.param("UPPER(Name) OVER (ORDER BY Id)", id="over after a scalar function"),
    pytest.param("SUM(LAG(Id) OVER (ORDER BY Id)) OVER ()", id="window in a window"),
    pytest.param("RANK() OVER (ORDER BY RANK() OVER (ORDER BY Id))", id="window in an order"),
    pytest.param("SUM(Id) OVER (ORDER BY Id GROUPS 1 PRECEDING)", id="groups frame"),
    pytest.param("PERCENTILE_CONT(2) WITHIN GROUP (ORDER BY Id) OVER ()", id="more than a whole"),
    pytest.param("PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY Id, Name) OVER ()", id="two orders"),
    pytest.param(
        "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY Id) OVER (ORDER BY Id)", id="order in over"
    ),
    pytest.param("PERCENTILE_CONT(0.5) OVER ()", id="percentile of nothing"),
    pytest.param("APPROX_PERCENTILE_DISC(0.5)", id="approximate percentile of nothing"),
    pytest.param(
        "APPROX_PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY Id) OVER ()", id="approximate with over"
    ),
    pytest.param("APPROX_PERCENTILE_CONT(2) WITHIN GROUP (ORDER BY Id)", id="approximate of two"),
    pytest.param(
        "APPROX_PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY COUNT(*))", id="aggregate in an order"
    ),
    pytest.param(
        "APPROX_PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY (SELECT MAX(Id) FROM Genre))",
        id="subquery in an order",
    ),
]


@pytest.mark.parametrize("sql", REFUSED)
def test_a_window_that_sql_server_would_not_take_is_refused(sql: str) -> None:
    assert refused(sql).code == "syntax"


@pytest.mark.parametrize("expression", MORE)
def test_an_expression_with_a_wrong_window_is_refused(expression: str) -> None:
    decision = refused(f"SELECT {expression} AS x FROM Movie")
    assert decision.code in ("syntax", "wrong_arguments")


@pytest.mark.parametrize("over", ["w", "(w)", "(w ROWS 1 PRECEDING)"])
def test_a_window_with_a_name_is_refused_with_what_to_write(over: str) -> None:
    decision = refused(f"SELECT SUM(Id) OVER {over} AS s FROM Movie WINDOW w AS (ORDER BY Id)")
    assert decision.code == "not_allowed"
    assert "OVER (PARTITION BY y ORDER BY z)" in decision.message
