"""Conversions that T-SQL makes on its own where two types meet, and those that it refuses."""

from sqlglot import exp

from moviegraph.engines.translation.calls import Call, Translation, as_text
from moviegraph.engines.translation.moments import moment_in, stored, time_stored
from moviegraph.engines.translation.nodes import Node, binary, call, cast, number, text
from moviegraph.engines.translation.readings import bit_in, money_in, number_in
from moviegraph.errors import ExecutionError
from moviegraph.sql.types import EXACT, FLOATS, MONEY, TEXTS, WHOLE, SqlType, type_named

EPOCH = "1900-01-01"
MOMENTS = ("DATETIME2", "DATETIME", "SMALLDATETIME", "DATE")
COUNTED = ("DATETIME", "SMALLDATETIME")
NUMBERS = (*EXACT, *FLOATS)
DUCKDB = {"BIT": "BOOLEAN", "TINYINT": "UTINYINT", "FLOAT": "DOUBLE", "REAL": "DOUBLE"}
PADDED = ("CHAR", "NCHAR")  # filled up with blanks
DAY = 86_400_000_000  # microseconds


def clash(left: SqlType, right: SqlType) -> ExecutionError:
    """Return the error of two types that T-SQL never converts into one another."""
    return ExecutionError(
        f"Operand type clash: {left.name.lower()} is incompatible with {right.name.lower()}.",
        code="conversion_failed",
        hint="CAST one side; days are added with DATEADD(day, n, x), parts read with YEAR(x).",
    )


def invalid(kind: SqlType, place: str, hint: str | None = None) -> ExecutionError:
    """Return the error of a type that an operator or aggregate does not take."""
    return ExecutionError(
        f"Operand data type {kind.name.lower()} is invalid for {place}.",
        code="conversion_failed",
        hint=hint or "CAST the operand to a number first.",
    )


def duckdb_type(kind: SqlType) -> tuple[str, *tuple[int, ...]]:
    """Return DuckDB's name and sizes of a number type."""
    if kind.name == "DECIMAL" or kind.name in MONEY:
        return ("DECIMAL", kind.precision, kind.scale)
    return (DUCKDB.get(kind.name, kind.name),)


def implicit(node: Node, kind: SqlType, target: SqlType) -> Node:
    """Return a translated value in another type, as T-SQL converts it unasked.

    Raises:
        ExecutionError: T-SQL does not convert these types unasked.
    """
    if "UNKNOWN" in (kind.name, target.name) or kind == target:
        return node
    if target.name in NUMBERS:
        return _to_number(node, kind, target)
    if target.name in TEXTS:
        return as_text(node, kind)
    if target.name in MOMENTS:
        return _to_moment(node, kind, target)
    if kind.name not in (*TEXTS, target.name):
        raise clash(kind, target)
    if target.name != "TIME":
        return node
    time = cast(moment_in(node) if kind.name in TEXTS else node, "TIME")
    return time_stored(time, target.scale) if _is_finer(kind, target) else time


def padded(node: Node, size: int) -> Node:
    """Return a text of at most so many characters with blanks up to them."""
    return call("rpad", node, number(size), text(" "))


def _is_finer(kind: SqlType, target: SqlType) -> bool:
    """Whether a value may have more digits of a fraction of a second than its new type."""
    return kind.name in TEXTS or kind.scale > target.scale


def whole(given: Call, at: int) -> Node:
    """Return an argument that is a length, a position or a count; its fraction is cut."""
    return implicit(given[at], given.kind(at), type_named("BIGINT"))


def _to_number(node: Node, kind: SqlType, target: SqlType) -> Node:
    if kind.name in TEXTS:
        return _number_in(node, target)
    if kind.name not in NUMBERS:
        raise clash(kind, target)
    if kind.name == "BIT":
        node = cast(node, "INT")
    if target.family in ("DECIMAL", "FLOAT", "BIT") and kind.name != target.name:
        return cast(node, *duckdb_type(target))
    if target.family == "DECIMAL":
        return cast(node, *duckdb_type(target))
    if kind.family in ("DECIMAL", "FLOAT") and target.family != kind.family:
        cut = "round" if kind.name in MONEY else "trunc"
        return cast(call(cut, node), *duckdb_type(target))
    narrower = WHOLE.index(target.name) > WHOLE.index(kind.name) if kind.name in WHOLE else False
    return cast(node, *duckdb_type(target)) if narrower else node


def _number_in(node: Node, target: SqlType) -> Node:
    if target.name == "BIT":
        return bit_in(node)
    duckdb, *sizes = duckdb_type(target)
    if target.name in MONEY:
        return money_in(node, target.name, *sizes)
    return number_in(node, duckdb, *sizes)


def _to_moment(node: Node, kind: SqlType, target: SqlType) -> Node:
    made = "DATE" if target.name == "DATE" else "TIMESTAMP"
    if kind.name in TEXTS:
        read = cast(moment_in(node, kind=target.name), made)
        return read if made == "DATE" else stored(read, target.name, target.scale)
    if kind.name in NUMBERS and target.name in COUNTED:
        return binary(exp.Add, cast(text(EPOCH), "TIMESTAMP"), days(node, kind))
    if kind.name not in MOMENTS:
        raise clash(kind, target)
    if kind.family != target.family:
        return cast(node, made)
    finer = MOMENTS.index(target.name) > MOMENTS.index(kind.name) or kind.scale > target.scale
    return stored(node, target.name, target.scale) if finer else node


def strictly(translate: Translation, *places: int) -> Translation:
    """Return a translation that refuses what is no whole number at some places."""

    def translated(given: Call) -> Node:
        for at in places:
            if at < len(given) and given.kind(at).family not in ("INT", "BIGINT", "UNKNOWN"):
                place = f"argument {at + 1} of {given.name}"
                raise invalid(given.kind(at), place, "CAST it AS INT.")
        return translate(given)

    return translated


def days(node: Node, kind: SqlType) -> Node:
    """Return a number as an interval of days."""
    if kind.name == "BIT" or kind.family == "INT":
        return call("to_days", cast(node, "INT"))
    micros = binary(exp.Mul, cast(node, "DOUBLE"), exp.Literal(this=str(DAY), is_string=False))
    return call("to_microseconds", cast(call("round", micros), "BIGINT"))
