"""What T-SQL wants of windows: refused with a reason where it is not met."""

import pytest
from golden.decisions import allowed, refused

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
        f"SELECT SUM(v.x) OVER (w ORDER BY v.x) AS s {FIVE} WINDOW w AS (ORDER BY v.x)",
        id="a part of a named window is not said twice",
    ),
    pytest.param(
        f"SELECT SUM(v.x) OVER a AS s {FIVE} WINDOW a AS (b), b AS (a)",
        id="windows that refer to one another in a circle are refused",
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
    pytest.param("SUM(Id) OVER nowhere", id="unknown window"),
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


def test_two_windows_of_one_name_are_refused() -> None:
    windows = "WINDOW w AS (ORDER BY Id), W AS (ORDER BY Name)"
    assert refused(f"SELECT SUM(Id) OVER w AS s FROM Movie {windows}").code == "syntax"


def test_named_windows_are_kept_as_they_were_written() -> None:
    sql = "SELECT SUM(Id) OVER (w ROWS 1 PRECEDING) AS s FROM Movie WINDOW w AS (ORDER BY Id)"
    assert allowed(sql).sql == (
        "SELECT TOP 20 SUM([Id]) OVER ([w] ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS [s] "
        "FROM [dbo].[Movie] WINDOW [w] AS (ORDER BY [Id])"
    )


@pytest.mark.parametrize("named", ["w", "[w]", '"w"'])
def test_a_window_that_stands_alone_is_named_without_brackets(named: str) -> None:
    sql = f"SELECT SUM(Id) OVER {named} AS s FROM Movie WINDOW [w] AS (PARTITION BY Name)"
    assert allowed(sql).sql == (
        "SELECT TOP 20 SUM([Id]) OVER w AS [s] FROM [dbo].[Movie] "
        "WINDOW [w] AS (PARTITION BY [Name])"
    )


@pytest.mark.parametrize("named", ["[my window]", "[select]", "[1]", "[w$]"])
def test_a_window_whose_name_needs_brackets_cannot_stand_alone(named: str) -> None:
    sql = f"SELECT SUM(Id) OVER {named} AS s FROM Movie WINDOW {named} AS (PARTITION BY Name)"
    assert "call the window w" in refused(sql).message


@pytest.mark.parametrize("named", ["w", "[w]"])
def test_parentheses_around_the_name_of_a_window_alone_are_refused(named: str) -> None:
    sql = f"SELECT SUM(Id) OVER ({named}) AS s FROM Movie WINDOW w AS (PARTITION BY Name)"
    assert "OVER takes the name of a window without parentheses" in refused(sql).message


def test_a_window_clause_is_bounded() -> None:
    windows = ", ".join(f"w{n} AS (PARTITION BY Name)" for n in range(21))
    assert refused(f"SELECT SUM(Id) OVER w0 AS s FROM Movie WINDOW {windows}").code == "too_large"
