"""CAST, CONVERT and their TRY_ forms: whole numbers are cut, text has a length."""

from sqlglot import exp

from moviegraph.engines.translation.calls import MOMENTS, TEXT, as_text, is_number
from moviegraph.engines.translation.formats import styled_moment, styled_text
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
from moviegraph.engines.translation.readings import number_in, separated

DEFAULT_LENGTH = 30
LONGEST = 8000
TEXT_TYPES = ("CHAR", "VARCHAR", "NCHAR", "NVARCHAR")
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
    "TIMESTAMPTZ": "TIMESTAMP",
    "TIME": "TIME",
}
EXACT = {"DECIMAL": (18, 0), "MONEY": (19, 4), "SMALLMONEY": (10, 4)}
WHOLE = ("UTINYINT", "SMALLINT", "INT", "BIGINT")
FRACTIONAL = ("FLOAT", "DECIMAL")


def converted(
    node: Node, kind: str, target: exp.DataType, *, safe: bool, style: int | None = None
) -> Node:
    """Return a translated value of a T-SQL type, converted to a T-SQL type."""
    name = str(target.this.value if isinstance(target.this, exp.DataType.Type) else target.this)
    if name in TEXT_TYPES:
        return _to_text(node, kind, name, _sizes(target), style=style, safe=safe)
    if kind == TEXT and name.startswith(("DATE", "SMALLDATE")):
        node = separated(node) if style is None else styled_moment(node, style, safe=safe)
    duckdb, sizes = _duckdb_type(name, target)
    if kind == TEXT:
        return number_in(node, duckdb, *sizes, safe=safe)
    if duckdb in WHOLE and kind in FRACTIONAL:
        node = call("trunc", node)
    make = try_cast if safe else cast
    return make(node, duckdb, *sizes)


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
    node: Node, kind: str, name: str, sizes: list[int | None], *, style: int | None, safe: bool
) -> Node:
    made = styled_text(node, style) if style and kind in MOMENTS else as_text(node, kind)
    size = min(sizes[0] or LONGEST, LONGEST) if sizes else DEFAULT_LENGTH
    if sizes and sizes[0] is None:
        return made
    if is_number(kind):
        return _fitting(made, kind, size, _too_long(kind, name, safe=safe))
    cut = call("left", made, number(size))
    return call("rpad", cut, number(size), text(" ")) if name in ("CHAR", "NCHAR") else cut


def _fitting(made: Node, kind: str, size: int, otherwise: Node) -> Node:
    """A number is never cut, for that would make another one of it."""
    needed = call("length", made.copy())
    missing = exp.Is(this=made.copy(), expression=exp.Null())
    fits = exp.Or(this=missing, expression=binary(exp.LTE, needed, number(size)))
    return when(fits, made, otherwise)


def _too_long(kind: str, name: str, *, safe: bool) -> Node:
    if kind == "INT" and name in ("CHAR", "VARCHAR"):
        return text("*")
    return exp.Null() if safe else raised("overflow")
