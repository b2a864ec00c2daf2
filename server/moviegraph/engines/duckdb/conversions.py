"""Implicit and explicit conversions between the types of T-SQL."""

from collections.abc import Sequence

from sqlglot import exp

from moviegraph.engines.duckdb.expressions import (
    Node,
    binary,
    call,
    cast,
    error_call,
    macro,
    number,
    text,
    try_cast,
    unsupported,
)
from moviegraph.engines.duckdb.function_call import FunctionCall, Translation, translated_text
from moviegraph.engines.duckdb.refusals import DATE_STYLE, RARE_TYPE
from moviegraph.engines.duckdb.text_rules import trim_spaces
from moviegraph.engines.duckdb.text_values import (
    DAY,
    ORDERS,
    bit_in,
    date_text,
    day_of,
    float_text,
    moment_in,
    number_in,
    store_timestamp,
)
from moviegraph.errors import ExecutionError
from moviegraph.sql.syntax_tree import FLOATS, MONEY, TEXTS, SqlType
from moviegraph.sql.types import (
    EXACT,
    MAX,
    MAX_DIGITS,
    UNKNOWN,
    WHOLE,
    merge_types,
    sql_type,
    type_named,
)

TIMESTAMPS = ("DATETIME2", "DATETIME")
DATES = (*TIMESTAMPS, "DATE")
NUMBERS = (*EXACT, *FLOATS)
REFUSED_TYPES = ("DATETIMEOFFSET", "TIME", "SMALLDATETIME", *MONEY)
DUCKDB = {"BIT": "BOOLEAN", "TINYINT": "UTINYINT", "FLOAT": "DOUBLE", "REAL": "DOUBLE"}
PADDED = ("CHAR", "NCHAR")  # filled up with spaces
MAX_CHARS = 8000
MAX_FLOAT_PLACES = 17


def clash(left: SqlType, right: SqlType) -> ExecutionError:
    """Return the error of two types that T-SQL never converts into each other."""
    return ExecutionError(
        f"Operand type clash: {left.name.lower()} is incompatible with {right.name.lower()}.",
        code="conversion_failed",
        hint="CAST one side; days are added with DATEADD(day, n, x), parts read with YEAR(x).",
    )


def invalid(kind: SqlType, operand: str, hint: str | None = None) -> ExecutionError:
    """Return the error of a type that an operator or aggregate does not take."""
    return ExecutionError(
        f"Operand data type {kind.name.lower()} is invalid for {operand}.",
        code="conversion_failed",
        hint=hint or "CAST the operand to a number first.",
    )


def duckdb_type(kind: SqlType) -> tuple[str, *tuple[int, ...]]:
    """Return DuckDB's name and sizes of a number type."""
    if kind.name == "DECIMAL":
        return ("DECIMAL", kind.precision, kind.scale)
    return (DUCKDB.get(kind.name, kind.name),)


def convert_implicitly(node: Node, kind: SqlType, target: SqlType) -> Node:
    """Return a translated value in a different type, as T-SQL converts it implicitly.

    Raises:
        ExecutionError: T-SQL does not convert these types implicitly.
    """
    if "UNKNOWN" in (kind.name, target.name) or kind == target:
        return node
    if target.name in NUMBERS:
        return _to_number(node, kind, target)
    if target.name in TEXTS:
        return translated_text(node, kind)
    if target.name in DATES:
        return _to_moment(node, kind, target)
    if kind.name not in (*TEXTS, target.name):
        raise clash(kind, target)
    return node


def pad(node: Node, size: int) -> Node:
    """Return a text of at most so many characters with spaces up to them."""
    return call("rpad", node, number(size), text(" "))


def whole_argument(args: FunctionCall, at: int) -> Node:
    """Return an argument that is a length, a position or a count; its fraction is truncated."""
    return convert_implicitly(args[at], args.kind(at), type_named("BIGINT"))


def _to_number(node: Node, kind: SqlType, target: SqlType) -> Node:
    if kind.name not in (*TEXTS, *NUMBERS):
        raise clash(kind, target)
    if kind.name in FLOATS and target.name in FLOATS:
        return node
    if kind.name == "BIT":
        node, kind = cast(node, "INT"), type_named("INT")
    if kind.name in WHOLE and target.name in WHOLE[: WHOLE.index(kind.name) + 1]:
        return node
    return _cast_to_number(node, kind, target)


def _cast_to_number(node: Node, kind: SqlType, target: SqlType, *, safe: bool = False) -> Node:
    """Return a text or number as a number; the fraction of an integer is truncated."""
    duckdb, *sizes = duckdb_type(target)
    if kind.name in TEXTS and target.name == "BIT":
        return bit_in(node, safe=safe)
    if kind.name in TEXTS:
        return number_in(node, duckdb, *sizes, safe=safe)
    if kind.family in ("DECIMAL", "FLOAT") and target.family in ("INT", "BIGINT"):
        node = call("trunc", node)
    if kind.family == "FLOAT" and target.scale > MAX_FLOAT_PLACES:
        # 17 digits are all that a FLOAT has, and as many places as a DECIMAL takes of it.
        digits = call("printf", text("%.17g"), node)
        node = (try_cast if safe else cast)(digits, "DECIMAL", MAX_DIGITS, MAX_FLOAT_PLACES)
    return (try_cast if safe else cast)(node, duckdb, *sizes)


def _to_moment(node: Node, kind: SqlType, target: SqlType) -> Node:
    is_days = kind.name in NUMBERS and target.name == "DATETIME"
    if kind.name not in (*TEXTS, *DATES) and not is_days:
        raise clash(kind, target)
    return _cast_to_moment(node, kind, target)


def require_whole(translate: Translation, *places: int) -> Translation:
    """Return a translation that refuses arguments at some positions that are no whole numbers."""

    def translated(args: FunctionCall) -> Node:
        for at in places:
            if at < len(args) and args.kind(at).family not in ("INT", "BIGINT", "UNKNOWN"):
                operand = f"argument {at + 1} of {args.name}"
                raise invalid(args.kind(at), operand, "CAST it AS INT.")
        return translate(args)

    return translated


def days(node: Node, kind: SqlType) -> Node:
    """Return a number as an interval of days."""
    if kind.name == "BIT" or kind.family == "INT":
        return call("to_days", cast(node, "INT"))
    micros = binary(exp.Mul, cast(node, "DOUBLE"), exp.Literal(this=str(DAY), is_string=False))
    return call("to_microseconds", cast(call("round", micros), "BIGINT"))


def convert(
    node: Node, judged: Node, target: SqlType, *, safe: bool = False, style: int | None = None
) -> Node:
    """Return a translated value, converted to a T-SQL type.

    Args:
        node: The translated value.
        judged: The validated value.
        target: The type.
        safe: Whether a failure returns NULL.
        style: The style of CONVERT.

    Raises:
        ExecutionError: T-SQL has no such conversion, or this engine cannot reproduce it.
    """
    kind = sql_type(judged)
    if target.name in REFUSED_TYPES:
        raise RARE_TYPE.error(f"type {target.name}")
    if target.name in TEXTS:
        return _to_text(node, kind, target, style=style, safe=safe)
    if target.name in DATES:
        return _cast_to_moment(node, kind, target, style=style, safe=safe)
    if kind.name in DATES:
        raise unsupported(
            f"conversion of {kind.name} to a number", "Use DATEDIFF(day, '19000101', x)."
        )
    return _cast_to_number(node, kind, target, safe=safe)


def convert_fully(node: Node, judged: Node, target: SqlType) -> Node:
    """Return a translated value as T-SQL converts it implicitly to a type, also to its length.

    Args:
        node: The translated value.
        judged: The validated value.
        target: The type.

    Raises:
        ExecutionError: T-SQL does not convert these types implicitly.
    """
    kind = sql_type(judged)
    if target.name not in TEXTS or target.size <= 0 or kind.name == "UNKNOWN":
        return convert_implicitly(node, kind, target)
    fits = kind.name in TEXTS and 0 < kind.size <= target.size
    if fits and (target.name not in PADDED or kind.size == target.size):
        return node
    return _to_text(node, kind, target)


def _cast_to_moment(
    node: Node, kind: SqlType, target: SqlType, *, style: int | None = None, safe: bool = False
) -> Node:
    if kind.name in TEXTS:
        if style is not None and style not in ORDERS:
            raise DATE_STYLE.error(f"CONVERT of a text with style {style}")
        order = "mdy" if style is None else ORDERS[style]
        node = moment_in(node, order, safe=safe, kind=target.name)
    elif kind.name in NUMBERS:
        if target.name != "DATETIME":
            raise ExecutionError(
                f"A number was given where a date is meant: {target.name} has no days to count.",
                code="conversion_failed",
                hint="A date of a year is DATEFROMPARTS(x, 1, 1).",
            )
        node = day_of(node)
    if target.name == "DATE":
        return node if kind == target else (try_cast if safe else cast)(node, "DATE")
    if kind == target:
        return node
    failure = "before_1753" if kind.name in DATES else "moment"
    timestamp = cast(node, "TIMESTAMP")
    return store_timestamp(timestamp, target.name, target.scale, safe=safe, failure=failure)


def _to_text(
    node: Node, kind: SqlType, target: SqlType, *, style: int | None = None, safe: bool = False
) -> Node:
    rendered = _shown(node, kind, style)
    if target.size == MAX:
        return rendered
    size = min(target.size or MAX_CHARS, MAX_CHARS)
    truncated: Node
    if kind.name in NUMBERS:  # never truncated, for that would change the number
        truncated = macro(
            "fitting", rendered, number(size), _too_long(kind, target.name, safe=safe)
        )
    else:
        truncated = call("left", rendered, number(size))
    return pad(truncated, size) if target.name in PADDED else truncated


def _shown(node: Node, kind: SqlType, style: int | None) -> Node:
    if kind.name in DATES and style is not None:
        return date_text(cast(node, "TIMESTAMP"), kind.name, style, kind.scale)
    if kind.name in FLOATS:
        return float_text(node, style or 0)
    return translated_text(node, kind)


def _too_long(kind: SqlType, name: str, *, safe: bool) -> Node:
    if kind.family == "INT" and name in ("CHAR", "VARCHAR"):
        return text("*")
    return cast(exp.Null(), "VARCHAR") if safe else error_call("overflow")


QUANTIFIED = (exp.Any, exp.All)


def comparison_sides(judged: Sequence[Node], translated: Sequence[Node]) -> list[Node]:
    """Return the translated sides of a comparison in one type, without trailing spaces."""
    target = merge_types([sql_type(argument) for argument in judged])
    return [
        comparison_side(source, other, target)
        for source, other in zip(judged, translated, strict=True)
    ]


def comparison_side(judged: Node, translated: Node, target: SqlType) -> Node:
    """Return one translated side of a comparison; numbers DuckDB compares itself, but no BIT."""
    if isinstance(judged, QUANTIFIED):
        return translated
    if target.name in TEXTS:
        return trim_spaces(judged, translated)
    kind = sql_type(judged)
    numbers = kind.name in NUMBERS and target.name in NUMBERS
    if numbers and (kind.name != "BIT" or target.name == "BIT"):
        return translated
    return convert_implicitly(translated, kind, target)


def merge_results(judged: Sequence[Node], translated: Sequence[Node]) -> list[Node]:
    """Return translated values that end in one column or result, in the type of that."""
    kinds = [sql_type(argument) for argument in judged]
    target = merge_types(kinds)
    return [_as_result(node, kind, target) for node, kind in zip(translated, kinds, strict=True)]


def _as_result(node: Node, kind: SqlType, target: SqlType) -> Node:
    converted = convert_implicitly(node, kind, target)
    filled = target.name in PADDED and target.size > 0 and kind not in (target, UNKNOWN)
    return pad(converted, target.size) if filled else converted


class Outputs:
    """The types that the select lists of one statement must have."""

    def __init__(self) -> None:
        self._requested: dict[int, tuple[Sequence[SqlType], bool]] = {}

    def want(self, query: Node, kinds: Sequence[SqlType], *, trim: bool) -> None:
        """Demand types of the columns of a query, in all arms of a set operation.

        The demands of the outer query stay.
        """
        stack = [query]
        while stack:
            current = stack.pop()
            if isinstance(current, exp.SetOperation):
                stack += [current.expression, current.this]
            elif isinstance(current, exp.Subquery):
                stack.append(current.this)
            else:
                requested, already = self._requested.get(id(current), (kinds, False))
                self._requested[id(current)] = (requested, trim or already)

    def shape(self, judged: exp.Select, translated: exp.Select) -> None:
        """Convert a translated select list to the demanded types, under its names."""
        kinds, trim = self._requested.get(id(judged), ((), False))
        items = list(translated.expressions)
        for at, kind in enumerate(kinds):
            items[at] = _delivered(judged.expressions[at], items[at], kind, trim=trim)
        for at, item in enumerate(judged.expressions):
            if isinstance(item, exp.Column) and not isinstance(items[at], exp.Column):
                items[at] = exp.alias_(items[at], item.name, quoted=True, copy=False)
        translated.set("expressions", items)


def _delivered(judged: Node, translated: Node, kind: SqlType, *, trim: bool) -> Node:
    inner = translated.this if isinstance(translated, exp.Alias) else translated
    inner = convert_implicitly(inner, sql_type(judged), kind)
    if trim and kind.name in TEXTS:
        inner = trim_spaces(judged, inner)
    if isinstance(translated, exp.Alias):
        return exp.Alias(this=inner, alias=translated.args["alias"])
    return inner
