"""Where a parameter of a published statement may stand, and as what it is judged."""

import pytest
from fakes.toy_graph import toy_contract

from moviegraph.sql.decision import Allowed, Refused
from moviegraph.sql.guard import judge

CONTRACT = toy_contract()
TYPES = {"id": "int", "big": "bigint", "name": "text", "day": "date", "price": "float"}


def decision(sql: str) -> Allowed | Refused:
    return judge(sql, CONTRACT, parameters=TYPES)


@pytest.mark.parametrize(
    ("condition", "declared"),
    [
        pytest.param("Number = @id", {"id": "INT"}, id="equal"),
        pytest.param("@BIG <> Number", {"big": "BIGINT"}, id="another case"),
        pytest.param("Title = @name", {"name": "NVARCHAR(200)"}, id="text"),
        pytest.param("Added BETWEEN @day AND '2024-01-01'", {"day": "DATE"}, id="between"),
        pytest.param("Number IN (1, @id)", {"id": "INT"}, id="in"),
        pytest.param("Price < (@price * 2) + -@id", {"price": "FLOAT", "id": "INT"}, id="sum"),
        pytest.param("ABS(Minutes - @id) < 5", {"id": "INT"}, id="function"),
        pytest.param("Number = (SELECT MAX(Number) FROM Recipe WHERE Number < @id)",
                     {"id": "INT"}, id="subquery"),
        pytest.param("CASE WHEN Minutes > @id THEN 1 ELSE 0 END = 1", {"id": "INT"}, id="case"),
    ],
)  # fmt: skip
def test_a_parameter_is_compared(condition: str, declared: dict[str, str]) -> None:
    allowed = decision(f"SELECT Title FROM Recipe WHERE {condition}")
    assert isinstance(allowed, Allowed), allowed
    assert allowed.parameters == declared
    assert not allowed.uses_query
    assert all(f"@{name}" in allowed.sql for name in declared)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT @name AS Title FROM Recipe",
        "SELECT Title + N', ' + @name FROM Recipe UNION ALL SELECT @name FROM Recipe",
        "SELECT IIF(Minutes > 9, @id, 0), COALESCE(Price, @price) FROM Recipe",
        "SELECT CAST(@day AS DATETIME2) FROM Recipe",
        "SELECT CASE WHEN Minutes > 9 THEN @name ELSE UPPER(@name) END FROM Recipe",
        "SELECT SUM(Price * @price), MAX(Minutes) - @id FROM Recipe",
        "SELECT Number FROM Recipe ORDER BY ABS(Number - @id)",
    ],
)
def test_a_parameter_is_a_column(sql: str) -> None:
    allowed = decision(sql)
    assert isinstance(allowed, Allowed), allowed
    assert allowed.parameters


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("SELECT TOP (@id) Title FROM Recipe", id="top"),
        pytest.param("SELECT TOP @id Title FROM Recipe", id="bare top"),
        pytest.param("SELECT Title FROM Recipe ORDER BY Title OFFSET @id ROWS", id="offset"),
        pytest.param("SELECT Title FROM Recipe WHERE Title LIKE @name", id="like"),
        pytest.param("SELECT Title FROM Recipe WHERE Title LIKE '%' + @name", id="in a pattern"),
        pytest.param("SELECT Title FROM Recipe WHERE Title LIKE UPPER(@name)", id="made pattern"),
        pytest.param("SELECT Title FROM Recipe WHERE Title LIKE CASE WHEN 1 = 1 THEN @name END",
                     id="case of a pattern"),
        pytest.param("SELECT Title FROM Recipe WHERE Title LIKE (SELECT @name)", id="subquery"),
        pytest.param("WITH c AS (SELECT @name AS v) SELECT Title FROM Recipe, c WHERE Title LIKE v",
                     id="column of a pattern"),
        pytest.param("SELECT Title FROM Recipe WHERE CONTAINS(Title, @name)", id="contains"),
        pytest.param("SELECT Title FROM Recipe WHERE FREETEXT(Title, @name)", id="freetext"),
        pytest.param("SELECT JSON_VALUE(Tip, @name) FROM Recipe", id="json path"),
        pytest.param("SELECT REPLICATE('x', @id) FROM Recipe", id="replicate"),
        pytest.param("SELECT REPLICATE('x', @id + 1) FROM Recipe", id="sum in replicate"),
        pytest.param("SELECT Title FROM Recipe WHERE Title = REPLICATE('x', @id)", id="compared"),
        pytest.param("SELECT Title FROM Recipe WHERE REGEXP_LIKE(Title, @name)", id="regular"),
        pytest.param("SELECT Title FROM Recipe ORDER BY @id", id="position"),
        pytest.param("SELECT x.v FROM (SELECT CONCAT(Title, @name) AS v FROM Recipe) AS x",
                     id="text of a subquery"),
        pytest.param("SELECT Title FROM Recipe WHERE Title LIKE (SELECT CAST(@id AS NVARCHAR(9)))",
                     id="number as a pattern"),
        pytest.param("SELECT Title FROM Recipe CROSS APPLY (SELECT @id AS v) AS x "
                     "WHERE Title LIKE CONCAT(NCHAR(x.v), '%')", id="number as a character"),
        pytest.param("SELECT x.v FROM (SELECT Price * @price AS v FROM Recipe) AS x",
                     id="number of a subquery"),
        pytest.param("SELECT Title FROM Recipe ORDER BY ABS(@id)", id="computed position"),
        pytest.param("SELECT NTILE(@id) OVER (ORDER BY Number) FROM Recipe", id="tiles"),
        pytest.param("SELECT ROUND(Price, @id) FROM Recipe", id="digits"),
        pytest.param("SELECT FORMAT(Added, @name) FROM Recipe", id="picture"),
        pytest.param("SELECT Title FROM Recipe WHERE Title LIKE CONCAT('%', @name)", id="concat"),
        pytest.param("SELECT Title FROM @name", id="table"),
        pytest.param("SELECT COUNT(*) FROM Recipe GROUP BY @id", id="group"),
        pytest.param("SELECT r.Title FROM Recipe AS r, NEEDS AS n, Ingredient AS i "
                     "WHERE MATCH(r-(@name)->i)", id="match"),
        pytest.param("SELECT Title FROM Recipe WHERE VECTOR_DISTANCE('cosine', Meaning, @id) < 1",
                     id="vector"),
        pytest.param("SELECT Title FROM Recipe WHERE Number = @other", id="unknown"),
        pytest.param("SELECT Title FROM Recipe WHERE Number = @@VERSION", id="global"),
        pytest.param("DECLARE @id INT = 1; SELECT Title FROM Recipe", id="declared"),
    ],
)  # fmt: skip
def test_a_parameter_stands_nowhere_else(sql: str) -> None:
    assert isinstance(decision(sql), Refused)


def test_without_types_there_is_no_parameter_but_the_text() -> None:
    refused = judge("SELECT Title FROM Recipe WHERE Number = @id", CONTRACT)
    assert isinstance(refused, Refused)
    assert refused.code == "unknown_variable"
