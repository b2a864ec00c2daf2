"""The type of an operation on two types: precision, scale and length (Transact-SQL)."""

import pytest

from moviegraph.sql.syntax_tree import SqlType
from moviegraph.sql.types import (
    MAX,
    UNKNOWN,
    Operator,
    arithmetic_type,
    decimal_type,
    merge_types,
    type_named,
)

INT = type_named("INT")
MONEY = type_named("MONEY")
SHORT = SqlType("VARCHAR", size=3)
LONG = SqlType("NVARCHAR", size=MAX)

OPERATIONS = [
    pytest.param("+", decimal_type(5, 2), decimal_type(4, 3), decimal_type(7, 3), id="sum"),
    pytest.param("-", decimal_type(5, 2), INT, decimal_type(13, 2), id="difference with INT"),
    pytest.param("*", decimal_type(5, 2), decimal_type(4, 3), decimal_type(10, 5), id="product"),
    pytest.param("/", decimal_type(5, 2), decimal_type(4, 3), decimal_type(13, 7), id="quotient"),
    pytest.param(
        "/", decimal_type(2, 1), SqlType("INT", 1), decimal_type(7, 6), id="quotient by a literal"
    ),
    pytest.param("%", decimal_type(5, 2), decimal_type(4, 3), decimal_type(4, 3), id="remainder"),
    pytest.param(
        "+", decimal_type(38, 10), decimal_type(38, 0), decimal_type(38, 0), id="sum too wide"
    ),
    pytest.param(
        "*",
        decimal_type(30, 20),
        decimal_type(30, 20),
        decimal_type(38, 17),
        id="product, 21 whole",
    ),
    pytest.param(
        "*", decimal_type(30, 10), decimal_type(30, 10), decimal_type(38, 6), id="product, 41 whole"
    ),
    pytest.param(
        "*",
        decimal_type(38, 2),
        decimal_type(38, 2),
        decimal_type(38, 4),
        id="product of few places",
    ),
    pytest.param(
        "/", decimal_type(38, 10), decimal_type(38, 10), decimal_type(38, 6), id="quotient too wide"
    ),
    pytest.param("/", MONEY, INT, MONEY, id="money by INT"),
    pytest.param("*", MONEY, decimal_type(3, 1), decimal_type(23, 5), id="money beside a decimal"),
    pytest.param(
        "+",
        type_named("FLOAT"),
        decimal_type(3, 1),
        type_named("FLOAT"),
        id="float beside a decimal",
    ),
    pytest.param("+", SqlType("INT", 1), SqlType("INT", 2), INT, id="INT literals"),
    pytest.param(
        "+", type_named("TINYINT"), type_named("TINYINT"), type_named("TINYINT"), id="TINYINT"
    ),
    pytest.param("+", SHORT, SHORT, SqlType("VARCHAR", size=6), id="texts"),
    pytest.param("+", SHORT, LONG, LONG, id="text and NVARCHAR(MAX)"),
    pytest.param("*", SHORT, decimal_type(3, 2), decimal_type(7, 4), id="text beside a decimal"),
    pytest.param("+", UNKNOWN, INT, INT, id="NULL"),
]
MERGES = [
    pytest.param([decimal_type(3, 2), decimal_type(5, 1)], decimal_type(6, 2), id="decimals"),
    pytest.param(
        [SqlType("INT", 1), decimal_type(3, 2)], decimal_type(12, 2), id="literal and decimal"
    ),
    pytest.param(
        [type_named("BIGINT"), decimal_type(3, 2)], decimal_type(21, 2), id="BIGINT and decimal"
    ),
    pytest.param([UNKNOWN, SqlType("INT", 1)], INT, id="NULL and literal"),
    pytest.param([SHORT, INT], INT, id="text and INT"),
    pytest.param([SHORT, SqlType("VARCHAR", size=9)], SqlType("VARCHAR", size=9), id="longer text"),
    pytest.param([SHORT, LONG], LONG, id="NVARCHAR(MAX)"),
    pytest.param([type_named("DATE"), SHORT], type_named("DATE"), id="date and text"),
    pytest.param(
        [type_named("DATETIME"), type_named("DATETIME2")], type_named("DATETIME2"), id="moments"
    ),
    pytest.param([UNKNOWN, SHORT], SHORT, id="NULL and text"),
    pytest.param([UNKNOWN, UNKNOWN], UNKNOWN, id="NULLs"),
]


@pytest.mark.parametrize(("operator", "left_type", "right", "expected"), OPERATIONS)
def test_an_operation_has_the_type_of_its_operands(
    operator: Operator, left_type: SqlType, right: SqlType, expected: SqlType
) -> None:
    assert arithmetic_type(operator, left_type, right) == expected


@pytest.mark.parametrize(("kinds", "expected"), MERGES)
def test_values_that_merge_have_the_type_of_highest_precedence(
    kinds: list[SqlType], expected: SqlType
) -> None:
    assert merge_types(kinds) == expected
