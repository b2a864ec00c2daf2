"""CAST, CONVERT and their TRY_ forms: whole numbers are cut, text has a length."""

from sqlglot import exp

from moviegraph.engines.translation.calls import TEXT, as_moment, as_text
from moviegraph.engines.translation.formats import styled_moment, styled_text
from moviegraph.engines.translation.nodes import (
    Node,
    call,
    cast,
    number,
    text,
    try_cast,
    unsupported,
    whole_number,
)

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
        return _to_text(node, kind, name, _sizes(target), style)
    if style is not None and kind == TEXT and name.startswith("DATE"):
        node = styled_moment(node, style, safe=safe)
    make = try_cast if safe else cast
    if name in EXACT:
        given = _sizes(target)
        precision, scale = (*given, 0)[:2] if given else EXACT[name]
        return make(node, "DECIMAL", precision or 18, scale or 0)
    duckdb = TYPES.get(name)
    if duckdb is None:
        raise unsupported(f"type {name}")
    if duckdb in WHOLE and kind in FRACTIONAL:
        node = call("trunc", node)
    return make(node, duckdb)


def _sizes(target: exp.DataType) -> list[int | None]:
    """Return the sizes of a type; MAX is None."""
    return [whole_number(parameter.this) for parameter in target.expressions]


def _to_text(node: Node, kind: str, name: str, sizes: list[int | None], style: int | None) -> Node:
    moment = kind in ("DATE", "DATETIME")
    made = styled_text(as_moment(node, kind), style) if style and moment else as_text(node, kind)
    size = min(sizes[0] or LONGEST, LONGEST) if sizes else DEFAULT_LENGTH
    if sizes and sizes[0] is None:
        return made
    cut = call("left", made, number(size))
    return call("rpad", cut, number(size), text(" ")) if name in ("CHAR", "NCHAR") else cut
