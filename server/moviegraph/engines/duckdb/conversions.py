"""Implicit and explicit conversions between the types of T-SQL."""

from collections.abc import Sequence

from sqlglot import exp

from moviegraph.engines.duckdb.expressions import (
    Node,
    binary,
    call,
    cast,
    macro,
    number,
    raised,
    text,
    try_cast,
    unsupported,
    whole_number,
)
from moviegraph.engines.duckdb.function_call import (
    TEXT,
    Call,
    Translation,
    as_text,
    as_timestamp,
    is_number,
)
from moviegraph.engines.duckdb.refusals import DATE_STYLE, OFFSET_TYPE
from moviegraph.engines.duckdb.text_rules import trimmed
from moviegraph.engines.duckdb.text_values import (
    DAY,
    ORDERS,
    bit_in,
    day_of,
    first_day,
    float_text,
    moment_in,
    money_in,
    money_text,
    number_in,
    on_first_day,
    stored,
    time_stored,
    written,
)
from moviegraph.errors import ExecutionError
from moviegraph.sql.types import (
    EXACT,
    FLOATS,
    MONEY,
    TEXTS,
    UNKNOWN,
    WHOLE,
    SqlType,
    cast_type,
    merge_types,
    sql_type,
    type_family,
    type_name,
    type_named,
)

EPOCH = "1900-01-01"
MOMENTS = ("DATETIME2", "DATETIME", "SMALLDATETIME", "DATE")
COUNTED = ("DATETIME", "SMALLDATETIME")
NUMBERS = (*EXACT, *FLOATS)
DUCKDB = {"BIT": "BOOLEAN", "TINYINT": "UTINYINT", "FLOAT": "DOUBLE", "REAL": "DOUBLE"}
PADDED = ("CHAR", "NCHAR")  # filled up with blanks


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


DEFAULT_LENGTH = 30
LONGEST = 8000
TEXT_TYPES = ("CHAR", "VARCHAR", "NCHAR", "NVARCHAR")
DATE_AND_TIME_FAMILIES = ("DATE", "DATETIME", "TIME")
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
DECIMAL_SIZES = {"DECIMAL": (18, 0), "MONEY": (19, 4), "SMALLMONEY": (10, 4)}
WHOLE_TYPES = ("UTINYINT", "SMALLINT", "INT", "BIGINT")
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
        raise OFFSET_TYPE.error()
    if name in TEXT_TYPES:
        return _to_text(node, given, name, _sizes(target), style=style, safe=safe)
    if name in TIMED:
        return _cast_to_moment(node, given, target, style=style, safe=safe)
    if kind in DATE_AND_TIME_FAMILIES:
        node, kind = _days(node, given), "FLOAT"
    return _cast_to_number(node, kind, name, target, given, safe=safe)


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


def _cast_to_number(
    node: Node, kind: str, name: str, target: exp.DataType, given: Node, *, safe: bool
) -> Node:
    duckdb, sizes = _duckdb_type(name, target)
    if kind == TEXT and duckdb == "BOOLEAN":
        return bit_in(node, safe=safe)
    if kind == TEXT:
        if name in MONEY:
            return money_in(node, name, *sizes, safe=safe)
        return number_in(node, duckdb, *sizes, safe=safe)
    if duckdb in WHOLE_TYPES and kind in FRACTIONAL:
        rounds = sql_type(given).name in MONEY or type_family(given) in DATE_AND_TIME_FAMILIES
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


def _cast_to_moment(
    node: Node, given: Node, target: exp.DataType, *, style: int | None, safe: bool
) -> Node:
    name, kind = type_name(target), type_family(given)
    if {name, kind} == {"DATE", "TIME"}:
        raise clash(sql_type(given), cast_type(target))
    if kind == TEXT:
        if style is not None and style not in ORDERS:
            raise DATE_STYLE.error(f"CONVERT of a text with style {style}")
        node = moment_in(node, "mdy" if style is None else ORDERS[style], safe=safe, kind=name)
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
    elif kind in (*DATE_AND_TIME_FAMILIES, "UNKNOWN") and name not in ("DATE", "TIME"):
        node = cast(node, "TIMESTAMP")
    digits = cast_type(target).scale
    if name not in ("DATE", "TIME"):
        return node if name == kind else stored(node, name, digits, safe=safe)
    node = node if name == kind else (try_cast if safe else cast)(node, name)
    return time_stored(node, digits) if name == "TIME" else node


def _duckdb_type(name: str, target: exp.DataType) -> tuple[str, tuple[int, ...]]:
    if name in DECIMAL_SIZES:
        given = _sizes(target)
        precision, scale = (*given, 0)[:2] if given else DECIMAL_SIZES[name]
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
    cut: Node
    if is_number(kind):  # never cut, for that would make another number of it
        cut = macro("fitting", made, number(size), _too_long(kind, name, safe=safe))
    else:
        cut = call("left", made, number(size))
    return padded(cut, size) if name in PADDED else cut


def _shown(node: Node, given: Node, style: int | None) -> Node:
    kind = type_family(given)
    if kind in DATE_AND_TIME_FAMILIES and style is not None:
        moment = as_timestamp(node, kind)
        return written(moment, sql_type(given).name, style, sql_type(given).scale)
    if kind == "FLOAT":
        return float_text(node, style or 0)
    if sql_type(given).name in MONEY:
        return money_text(node, style or 0)
    return as_text(node, sql_type(given))


def _too_long(kind: str, name: str, *, safe: bool) -> Node:
    if kind == "INT" and name in ("CHAR", "VARCHAR"):
        return text("*")
    return cast(exp.Null(), "VARCHAR") if safe else raised("overflow")


QUANTIFIED = (exp.Any, exp.All)


def sides(given: Sequence[Node], made: Sequence[Node]) -> list[Node]:
    """Return the translated sides of a comparison in one type, without trailing blanks."""
    target = merge_types([sql_type(each) for each in given])
    return [compared(one, other, target) for one, other in zip(given, made, strict=True)]


def compared(given: Node, made: Node, target: SqlType) -> Node:
    """Return one translated side of a comparison; numbers DuckDB compares itself, but no BIT."""
    if isinstance(given, QUANTIFIED):
        return made
    if target.name in TEXTS:
        return trimmed(given, made)
    kind = sql_type(given)
    numbers = kind.name in NUMBERS and target.name in NUMBERS
    if numbers and (kind.name != "BIT" or target.name == "BIT"):
        return made
    return implicit(made, kind, target)


def merged(given: Sequence[Node], made: Sequence[Node]) -> list[Node]:
    """Return translated values that end in one column or result, in the type of that."""
    kinds = [sql_type(each) for each in given]
    target = merge_types(kinds)
    return [_as_result(node, kind, target) for node, kind in zip(made, kinds, strict=True)]


def _as_result(node: Node, kind: SqlType, target: SqlType) -> Node:
    made = implicit(node, kind, target)
    filled = target.name in PADDED and target.size > 0 and kind not in (target, UNKNOWN)
    return padded(made, target.size) if filled else made


class Outputs:
    """The demands on the select lists of one statement."""

    def __init__(self) -> None:
        self._wanted: dict[int, tuple[Sequence[SqlType], bool]] = {}

    def want(self, query: Node, kinds: Sequence[SqlType], *, trim: bool) -> None:
        """Demand types of the columns of a query, in all arms of a set operation.

        What the query around it has demanded stays.
        """
        stack = [query]
        while stack:
            here = stack.pop()
            if isinstance(here, exp.SetOperation):
                stack += [here.expression, here.this]
            elif isinstance(here, exp.Subquery):
                stack.append(here.this)
            else:
                known, already = self._wanted.get(id(here), (kinds, False))
                self._wanted[id(here)] = (known, trim or already)

    def shape(self, given: exp.Select, made: exp.Select) -> None:
        """Make a translated select list deliver what is demanded of it, under its names."""
        kinds, trim = self._wanted.get(id(given), ((), False))
        items = list(made.expressions)
        for at, kind in enumerate(kinds):
            items[at] = _delivered(given.expressions[at], items[at], kind, trim=trim)
        for at, item in enumerate(given.expressions):
            if isinstance(item, exp.Column) and not isinstance(items[at], exp.Column):
                items[at] = exp.alias_(items[at], item.name, quoted=True, copy=False)
        made.set("expressions", items)


def _delivered(given: Node, made: Node, kind: SqlType, *, trim: bool) -> Node:
    inner = made.this if isinstance(made, exp.Alias) else made
    inner = implicit(inner, sql_type(given), kind)
    if trim and kind.name in TEXTS:
        inner = trimmed(given, inner)
    if isinstance(made, exp.Alias):
        return exp.Alias(this=inner, alias=made.args["alias"])
    return inner
