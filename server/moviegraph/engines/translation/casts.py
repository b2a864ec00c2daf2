"""CAST, CONVERT and their TRY_ forms: whole numbers are cut, text has a length."""

from sqlglot import exp

from moviegraph.engines.translation.calls import TEXT, as_text, as_timestamp, is_number
from moviegraph.engines.translation.conversions import PADDED, clash, implicit, padded
from moviegraph.engines.translation.moments import (
    DAY,
    day_of,
    first_day,
    moment_in,
    stored,
    time_stored,
)
from moviegraph.engines.translation.nodes import (
    Node,
    binary,
    call,
    cast,
    number,
    raised,
    text,
    try_cast,
    unsupported,
    when,
    whole_number,
)
from moviegraph.engines.translation.number_texts import float_text, money_text
from moviegraph.engines.translation.readings import bit_in, money_in, number_in
from moviegraph.engines.translation.styles import READ, on_first_day, written
from moviegraph.errors import ExecutionError
from moviegraph.sql.types import MONEY, TEXTS, SqlType, cast_type, sql_type, type_family, type_name

DEFAULT_LENGTH = 30
LONGEST = 8000
TEXT_TYPES = ("CHAR", "VARCHAR", "NCHAR", "NVARCHAR")
MOMENTS = ("DATE", "DATETIME", "TIME")
TYPES = {
    "TINYINT": "UTINYINT",
    "UTINYINT": "UTINYINT",
    "SMALLINT": "SMALLINT",
    "INT": "INT",
    "BIGINT": "BIGINT",
    "BIT": "BOOLEAN",
    "BOOLEAN": "BOOLEAN",
    "FLOAT": "DOUBLE",
    "DOUBLE": "DOUBLE",
    "DATE": "DATE",
    "DATETIME": "TIMESTAMP",
    "DATETIME2": "TIMESTAMP",
    "SMALLDATETIME": "TIMESTAMP",
    "TIME": "TIME",
}
TIMED = ("DATE", "DATETIME", "DATETIME2", "SMALLDATETIME", "TIME")
COUNTED = ("DATETIME", "SMALLDATETIME")  # the types that count days from 1900 on
EXACT = {"DECIMAL": (18, 0), "MONEY": (19, 4), "SMALLMONEY": (10, 4)}
WHOLE = ("UTINYINT", "SMALLINT", "INT", "BIGINT")
FRACTIONAL = ("FLOAT", "DECIMAL")


def converted(
    node: Node, given: Node, target: exp.DataType, *, safe: bool, style: int | None = None
) -> Node:
    """Return a translated value, converted to a T-SQL type.

    Args:
        node: The translated value.
        given: The judged value.
        target: The type.
        safe: Whether a failure gives NULL.
        style: The style of CONVERT.
    """
    name, kind = type_name(target), type_family(given)
    if name == "TIMESTAMPTZ" or kind == "DATETIMEOFFSET":
        raise unsupported("DATETIMEOFFSET", "Use DATETIME2.")
    if name in TEXT_TYPES:
        return _to_text(node, given, name, _sizes(target), style=style, safe=safe)
    if name in TIMED:
        return _to_moment(node, given, target, style=style, safe=safe)
    if kind in MOMENTS:
        node, kind = _days(node, given), "FLOAT"
    return _to_number(node, kind, name, target, given, safe=safe)


def in_full(node: Node, given: Node, target: SqlType) -> Node:
    """Return a translated value as T-SQL converts it unasked to a type, also to its length.

    Args:
        node: The translated value.
        given: The judged value.
        target: The type.

    Raises:
        ExecutionError: T-SQL does not convert these types unasked.
    """
    kind = sql_type(given)
    if target.name not in TEXTS or target.size <= 0 or kind.name == "UNKNOWN":
        return implicit(node, kind, target)
    fits = kind.name in TEXTS and 0 < kind.size <= target.size
    if fits and (target.name not in PADDED or kind.size == target.size):
        return node
    return _to_text(node, given, target.name, [target.size], style=None, safe=False)


def _to_number(
    node: Node, kind: str, name: str, target: exp.DataType, given: Node, *, safe: bool
) -> Node:
    duckdb, sizes = _duckdb_type(name, target)
    if kind == TEXT and duckdb == "BOOLEAN":
        return bit_in(node, safe=safe)
    if kind == TEXT:
        if name in MONEY:
            return money_in(node, name, *sizes, safe=safe)
        return number_in(node, duckdb, *sizes, safe=safe)
    if duckdb in WHOLE and kind in FRACTIONAL:
        rounds = sql_type(given).name in MONEY or type_family(given) in MOMENTS
        node = call("round" if rounds else "trunc", node)
    return (try_cast if safe else cast)(node, duckdb, *sizes)


def _days(node: Node, given: Node) -> Node:
    """Return DATETIME as the days since 1900, a FLOAT."""
    if sql_type(given).name not in COUNTED:
        raise unsupported(
            f"conversion of {type_family(given)} to a number", "Use DATEDIFF(day, '19000101', x)."
        )
    since = binary(exp.Sub, call("epoch_us", node), call("epoch_us", first_day()))
    return exp.Div(this=cast(since, "DOUBLE"), expression=cast(number(DAY), "DOUBLE"))


def _to_moment(
    node: Node, given: Node, target: exp.DataType, *, style: int | None, safe: bool
) -> Node:
    name, kind = type_name(target), type_family(given)
    if {name, kind} == {"DATE", "TIME"}:
        raise clash(sql_type(given), cast_type(target))
    if kind == TEXT:
        if style is not None and style not in READ:
            raise unsupported(f"CONVERT of a text with style {style}")
        node = moment_in(node, "mdy" if style is None else READ[style], safe=safe, kind=name)
    elif is_number(kind):
        if name not in COUNTED:
            raise ExecutionError(
                f"A number was given where a date is meant: {name} has no days to count.",
                code="conversion_failed",
                hint="A date of a year is DATEFROMPARTS(x, 1, 1).",
            )
        node = day_of(node)
    elif kind == "TIME" and name != "TIME":
        node = on_first_day(node)
    elif kind in (*MOMENTS, "UNKNOWN") and name not in ("DATE", "TIME"):
        node = cast(node, "TIMESTAMP")
    digits = cast_type(target).scale
    if name not in ("DATE", "TIME"):
        return node if name == kind else stored(node, name, digits, safe=safe)
    node = node if name == kind else (try_cast if safe else cast)(node, name)
    return time_stored(node, digits) if name == "TIME" else node


def _duckdb_type(name: str, target: exp.DataType) -> tuple[str, tuple[int, ...]]:
    if name in EXACT:
        given = _sizes(target)
        precision, scale = (*given, 0)[:2] if given else EXACT[name]
        return "DECIMAL", (precision or 18, scale or 0)
    if name not in TYPES:
        raise unsupported(f"type {name}")
    return TYPES[name], ()


def _sizes(target: exp.DataType) -> list[int | None]:
    """Return the sizes of a type; MAX is None."""
    return [whole_number(parameter.this) for parameter in target.expressions]


def _to_text(
    node: Node, given: Node, name: str, sizes: list[int | None], *, style: int | None, safe: bool
) -> Node:
    kind = type_family(given)
    made = _shown(node, given, style)
    size = min(sizes[0] or LONGEST, LONGEST) if sizes else DEFAULT_LENGTH
    if sizes and sizes[0] is None:
        return made
    if is_number(kind):
        cut: Node = _fitting(made, size, _too_long(kind, name, safe=safe))
    else:
        cut = call("left", made, number(size))
    return padded(cut, size) if name in PADDED else cut


def _shown(node: Node, given: Node, style: int | None) -> Node:
    kind = type_family(given)
    if kind in MOMENTS and style is not None:
        moment = as_timestamp(node, kind)
        return written(moment, sql_type(given).name, style, sql_type(given).scale)
    if kind == "FLOAT":
        return float_text(node, style or 0)
    if sql_type(given).name in MONEY:
        return money_text(node, style or 0)
    return as_text(node, sql_type(given))


def _fitting(made: Node, size: int, otherwise: Node) -> Node:
    """A number is never cut, for that would make another one of it."""
    needed = call("length", made.copy())
    missing = exp.Is(this=made.copy(), expression=exp.Null())
    fits = exp.Or(this=missing, expression=binary(exp.LTE, needed, number(size)))
    return when(fits, made, otherwise)


def _too_long(kind: str, name: str, *, safe: bool) -> Node:
    if kind == "INT" and name in ("CHAR", "VARCHAR"):
        return text("*")
    return exp.Null() if safe else raised("overflow")
