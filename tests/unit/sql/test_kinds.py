"""The type of an operation on two types: precision, scale and length (Transact-SQL)."""

import pytest

from moviegraph.sql.kinds import MAX, UNKNOWN, Kind, Operator, decimal, merged_kind, operated, plain

INT = plain("INT")
MONEY = plain("MONEY")
SHORT = Kind("VARCHAR", size=3)
LONG = Kind("NVARCHAR", size=MAX)

OPERATIONS = [
    pytest.param("+", decimal(5, 2), decimal(4, 3), decimal(7, 3), id="sum"),
    pytest.param("-", decimal(5, 2), INT, decimal(13, 2), id="difference with INT"),
    pytest.param("*", decimal(5, 2), decimal(4, 3), decimal(10, 5), id="product"),
    pytest.param("/", decimal(5, 2), decimal(4, 3), decimal(13, 7), id="quotient"),
    pytest.param("/", decimal(2, 1), Kind("INT", 1), decimal(7, 6), id="quotient by a literal"),
    pytest.param("%", decimal(5, 2), decimal(4, 3), decimal(4, 3), id="remainder"),
    pytest.param("+", decimal(38, 10), decimal(38, 0), decimal(38, 0), id="sum too wide"),
    pytest.param("*", decimal(30, 20), decimal(30, 20), decimal(38, 17), id="product, 21 whole"),
    pytest.param("*", decimal(30, 10), decimal(30, 10), decimal(38, 6), id="product, 41 whole"),
    pytest.param("*", decimal(38, 2), decimal(38, 2), decimal(38, 4), id="product of few places"),
    pytest.param("/", decimal(38, 10), decimal(38, 10), decimal(38, 6), id="quotient too wide"),
    pytest.param("/", MONEY, INT, MONEY, id="money by INT"),
    pytest.param("*", MONEY, decimal(3, 1), decimal(23, 5), id="money beside a decimal"),
    pytest.param("+", plain("FLOAT"), decimal(3, 1), plain("FLOAT"), id="float beside a decimal"),
    pytest.param("+", Kind("INT", 1), Kind("INT", 2), INT, id="INT literals"),
    pytest.param("+", plain("TINYINT"), plain("TINYINT"), plain("TINYINT"), id="TINYINT"),
    pytest.param("+", SHORT, SHORT, Kind("VARCHAR", size=6), id="texts"),
    pytest.param("+", SHORT, LONG, LONG, id="text and NVARCHAR(MAX)"),
    pytest.param("*", SHORT, decimal(3, 2), decimal(7, 4), id="text beside a decimal"),
    pytest.param("+", UNKNOWN, INT, INT, id="NULL"),
]
MERGES = [
    pytest.param([decimal(3, 2), decimal(5, 1)], decimal(6, 2), id="decimals"),
    pytest.param([Kind("INT", 1), decimal(3, 2)], decimal(12, 2), id="literal and decimal"),
    pytest.param([plain("BIGINT"), decimal(3, 2)], decimal(21, 2), id="BIGINT and decimal"),
    pytest.param([UNKNOWN, Kind("INT", 1)], INT, id="NULL and literal"),
    pytest.param([SHORT, INT], INT, id="text and INT"),
    pytest.param([SHORT, Kind("VARCHAR", size=9)], Kind("VARCHAR", size=9), id="longer text"),
    pytest.param([SHORT, LONG], LONG, id="NVARCHAR(MAX)"),
    pytest.param([plain("DATE"), SHORT], plain("DATE"), id="date and text"),
    pytest.param([plain("DATETIME"), plain("DATETIME2")], plain("DATETIME2"), id="moments"),
    pytest.param([UNKNOWN, SHORT], SHORT, id="NULL and text"),
    pytest.param([UNKNOWN, UNKNOWN], UNKNOWN, id="NULLs"),
]


@pytest.mark.parametrize(("operator", "left", "right", "expected"), OPERATIONS)
def test_an_operation_has_the_type_of_its_operands(
    operator: Operator, left: Kind, right: Kind, expected: Kind
) -> None:
    assert operated(operator, left, right) == expected


@pytest.mark.parametrize(("kinds", "expected"), MERGES)
def test_values_that_merge_have_the_type_of_highest_precedence(
    kinds: list[Kind], expected: Kind
) -> None:
    assert merged_kind(kinds) == expected
