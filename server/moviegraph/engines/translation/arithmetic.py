"""+ - * / % with the types and the scales that T-SQL gives their results."""

from sqlglot import exp

from moviegraph.engines.translation.conversions import (
    COUNTED,
    NUMBERS,
    clash,
    days,
    duckdb_type,
    implicit,
    invalid,
)
from moviegraph.engines.translation.moments import stored
from moviegraph.engines.translation.nodes import Node, binary, cast, number, unsupported
from moviegraph.sql.types import (
    FLOATS,
    MAX_DIGITS,
    TEXTS,
    Operator,
    SqlType,
    decimal_type,
    type_named,
)

NAMES = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "modulo"}
NODES: dict[Operator, type[exp.Binary]] = {
    "+": exp.Add,
    "-": exp.Sub,
    "*": exp.Mul,
    "/": exp.Div,
    "%": exp.Mod,
}
NARROW = ("BIT", "TINYINT", "SMALLINT")
FITTING = 18  # digits of a BIGINT
Side = tuple[Node, SqlType]


def arithmetic(operator: Operator, left: Side, right: Side, result: SqlType) -> Node:
    """Return an operation on two translated operands.

    Raises:
        ExecutionError: T-SQL has no such operation, or this engine cannot reproduce it.
    """
    kinds = left[1], right[1]
    names = [kind.name for kind in kinds if kind.name != "UNKNOWN"]
    if names and not all(name in (*NUMBERS, *TEXTS) for name in names):
        return _on_moments(operator, left, right)
    if names and set(names) <= {"BIT"}:
        raise invalid(kinds[0], f"the {NAMES[operator]} operator")
    if len(names) == 2 and all(name in TEXTS for name in names):
        raise invalid(kinds[0], f"the {NAMES[operator]} operator")
    if names and all(name in TEXTS for name in names):
        result = type_named("INT")  # of NULL
    if result.name in FLOATS:
        return _on_floats(operator, left, right, result)
    if result.family == "DECIMAL":
        return _on_decimals(operator, left, right, result)
    return _on_whole(operator, left, right, result)


def _on_moments(operator: Operator, left: Side, right: Side) -> Node:
    """Only DATETIME and SMALLDATETIME are counted in days."""
    moment = left[1] if left[1].name not in (*NUMBERS, *TEXTS, "UNKNOWN") else right[1]
    other = right[1] if moment is left[1] else left[1]
    if operator not in ("+", "-"):
        raise invalid(moment, f"the {NAMES[operator]} operator", "Compute with DATEDIFF.")
    if moment.name not in COUNTED:
        raise clash(other, moment)
    if other.name == "UNKNOWN":
        return exp.Null()
    if other.name not in NUMBERS or (operator == "-" and moment is right[1]):
        raise unsupported("sum or difference of two moments", "Use DATEADD or DATEDIFF.")
    sides = [node if kind is moment else days(node, kind) for node, kind in (left, right)]
    made = binary(NODES[operator], sides[0], sides[1])
    return stored(made, moment.name, failure=f"moved {moment.name.lower()}")


def _on_whole(operator: Operator, left: Side, right: Side, result: SqlType) -> Node:
    sides = [_whole(node, kind, result) for node, kind in (left, right)]
    made = binary(NODES[operator], sides[0], sides[1])
    known = all(_has_type(side, result) for side in sides) or result.name == "UNKNOWN"
    return made if known else cast(made, *duckdb_type(result))


def _whole(node: Node, kind: SqlType, result: SqlType) -> Node:
    if kind.name in NARROW and kind.name != result.name:
        return cast(node, "INT")
    return implicit(node, kind, result)


def _has_type(node: Node, result: SqlType) -> bool:
    """Whether DuckDB is sure to compute in the type of the result, which then cannot overflow."""
    if isinstance(node, exp.Literal):
        return result.name == "INT"
    kind = node.to.this if isinstance(node, exp.Cast) else None
    return kind is not None and kind == exp.DataType.Type[duckdb_type(result)[0]]


def _on_floats(operator: Operator, left: Side, right: Side, result: SqlType) -> Node:
    if operator == "%":
        raise invalid(result, "the modulo operator", "CAST both sides AS DECIMAL or INT.")
    sides = [implicit(node, kind, result) for node, kind in (left, right)]
    return binary(NODES[operator], sides[0], sides[1])


def _on_decimals(operator: Operator, left: Side, right: Side, result: SqlType) -> Node:
    first, second = _exact(left, right[1]), _exact(right, left[1])
    if operator == "/":
        return quotient(first, second, result)
    if operator == "*" and first[1].scale + second[1].scale > MAX_DIGITS:
        raise unsupported("product with so many places", "CAST a factor to fewer places.")
    made = binary(NODES[operator], first[0], second[0])
    return cast(made, *duckdb_type(result))


def _exact(side: Side, other: SqlType) -> Side:
    """Return an operand as an exact number; text becomes one as wide as the other operand."""
    node, kind = side
    if kind.name in TEXTS or kind.name == "UNKNOWN":
        return implicit(node, kind, other), other
    if kind.name == "BIT":
        return cast(node, "INT"), kind
    return node, kind


def quotient(left: Side, right: Side, result: SqlType) -> Node:
    """Return the quotient of two exact numbers, cut at the scale of the result.

    Whole numbers are divided, so that no digit is lost to floating point.
    """
    wide = "BIGINT" if result.precision <= FITTING else "INT128"
    shift = result.scale - left[1].scale + right[1].scale
    above, below = _unscaled(*left, wide), _unscaled(*right, wide)
    if shift > 0:
        above = binary(exp.Mul, above, cast(number(10**shift), wide))
    if shift < 0:
        below = binary(exp.Mul, below, cast(number(10**-shift), wide))
    whole = cast(binary(exp.Div, above, below), "DECIMAL", result.precision, 0)
    unit = cast(number(1), "DECIMAL", 1, 0) if not result.scale else _unit(result.scale)
    return cast(binary(exp.Mul, whole, unit), *duckdb_type(result))


def _unscaled(node: Node, kind: SqlType, wide: str) -> Node:
    if not kind.scale:
        return cast(node, wide)
    exact = cast(node, "DECIMAL", kind.precision, kind.scale)
    tens = cast(number(10**kind.scale), *duckdb_type(decimal_type(kind.scale + 1, 0)))
    return cast(binary(exp.Mul, exact, tens), wide)


def _unit(scale: int) -> Node:
    written = exp.Literal(this="0." + "0" * (scale - 1) + "1", is_string=False)
    return cast(written, "DECIMAL", scale, scale)
