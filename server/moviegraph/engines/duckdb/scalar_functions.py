"""The scalar functions that the embedded engine translates: mathematical and conditional."""

from collections.abc import Callable

from sqlglot import exp

from moviegraph.engines.duckdb.conversions import implicit, in_full, invalid, merged, sides
from moviegraph.engines.duckdb.date_functions import DATE_FUNCTIONS
from moviegraph.engines.duckdb.expressions import (
    Node,
    binary,
    call,
    cast,
    is_null,
    let,
    number,
    raised,
    when,
)
from moviegraph.engines.duckdb.function_call import TEXT, Call, Translation, renamed
from moviegraph.engines.duckdb.json_text import JSON_FUNCTIONS
from moviegraph.engines.duckdb.patterns import REGEX_FUNCTIONS
from moviegraph.engines.duckdb.refusals import ROUNDED, refused_function
from moviegraph.engines.duckdb.text_functions import TEXT_FUNCTIONS
from moviegraph.engines.duckdb.text_rules import sortable
from moviegraph.engines.duckdb.text_values import number_in
from moviegraph.sql.types import TEXTS, merge_types, type_named

WHOLE = ("INT", "BIGINT", "BIT")
MOMENTS = ("DATE", "DATETIME")
LARGEST = 38  # digits of a DECIMAL


def _floating(given: Call, at: int = 0) -> Node:
    """Return an argument as FLOAT. Raises ExecutionError."""
    kind = given.kind(at)
    if kind.family in MOMENTS:
        raise invalid(kind, given.name)
    return number_in(given[at], "DOUBLE") if kind.name in TEXTS else cast(given[at], "DOUBLE")


def _finite(made: Node) -> Node:
    """Fail where a FLOAT has no value: beyond its range, or outside the domain."""

    def checked(it: Node) -> Node:
        missing = is_null(it.copy())
        fine = exp.Or(this=missing, expression=call("isfinite", it.copy()))
        return when(fine, it.copy(), raised("domain"))

    return let(made, checked)


def _of_float(name: str) -> Translation:
    """Return the translation of a function of a FLOAT."""

    def translate(given: Call) -> Node:
        return _finite(call(name, *(_floating(given, at) for at in range(len(given)))))

    return translate


def _log(given: Call) -> Node:
    natural = _guarded_log("ln", given, 0)
    if len(given) == 1:
        return natural
    return _finite(binary(exp.Div, natural, _guarded_log("ln", given, 1)))


def _log10(given: Call) -> Node:
    return _guarded_log("log10", given, 0)


def _guarded_log(name: str, given: Call, at: int) -> Node:
    return _guarded(name, _floating(given, at), lambda it: binary(exp.LTE, it, number(0)))


def _guarded(name: str, value: Node, is_outside: Callable[[Node], Node]) -> Node:
    """Return a function of a FLOAT that fails outside its domain."""
    return let(
        value, lambda it: when(is_outside(it.copy()), raised("domain"), call(name, it.copy()))
    )


def _sqrt(given: Call) -> Node:
    return _guarded("sqrt", _floating(given), lambda it: binary(exp.LT, it, number(0)))


def _square(given: Call) -> Node:
    return _finite(call("pow", _floating(given), number(2)))


def _typed(made: Node, given: Call) -> Node:
    """Return a result in the type of the first argument, its fraction cut."""
    kind = given.type(0)
    if kind in WHOLE:
        return cast(call("trunc", made), "BIGINT" if kind == "BIGINT" else "INT")
    return made


def _power(given: Call) -> Node:
    """The result has the type of the base: POWER(2, 0.5) is 1."""
    raised_ = _finite(call("pow", _floating(given), _floating(given, 1)))
    if given.type(0) == "DECIMAL":
        return cast(raised_, "DECIMAL", LARGEST, given.kind(0).scale)
    return _typed(raised_, given)


def _round(given: Call) -> Node:
    rounded = _rounded("round", given)
    if len(given) < 3:
        return rounded
    return when(binary(exp.EQ, given[2], number(0)), rounded, _rounded("trunc", given))


def _rounded(name: str, given: Call) -> Node:
    if given.kind(0).name == "BIT":
        raise invalid(given.kind(0), "ROUND")
    if given.type(0) == "DECIMAL" and not _is_literal(given.given[1]):
        raise ROUNDED.error()
    rounded = call(name, _value(given), _digits(given))
    return _typed(rounded, given) if given.type(0) in WHOLE else rounded


def _digits(given: Call) -> Node:
    """Return to how many digits ROUND rounds. Raises ExecutionError."""
    kind = given.kind(1)
    if kind.family not in (*WHOLE, "UNKNOWN"):
        raise invalid(kind, "the digits of ROUND", "CAST them AS INT.")
    return given[1] if _is_literal(given.given[1]) else cast(given[1], "INT")


def _is_literal(node: Node) -> bool:
    plain = node.unnest()
    plain = plain.this.unnest() if isinstance(plain, exp.Neg) else plain
    return isinstance(plain, exp.Literal | exp.Null)


def _value(given: Call) -> Node:
    """Return the number that a function takes: of a text the FLOAT in it. Raises ExecutionError."""
    kind = given.kind(0)
    if kind.family in MOMENTS:
        raise invalid(kind, given.name)
    if kind.name == "BIT":
        return cast(cast(given[0], "INT"), "DOUBLE")
    return number_in(given[0], "DOUBLE") if kind.name in TEXTS else given[0]


def _of_number(name: str) -> Translation:
    """Return the translation of a function that keeps the type of its number."""

    def translate(given: Call) -> Node:
        return call(name, _value(given))

    return translate


def _whole(name: str) -> Translation:
    """CEILING and FLOOR of a whole number are the number."""

    def translate(given: Call) -> Node:
        return given[0] if given.type(0) in ("INT", "BIGINT") else call(name, _value(given))

    return translate


def _sign(given: Call) -> Node:
    made = call("sign", _value(given))
    return cast(made, "DOUBLE") if given.type(0) in ("FLOAT", TEXT) else made


MATH_FUNCTIONS: dict[str, Translation] = {
    "ABS": _of_number("abs"),
    "CEILING": _whole("ceil"),
    "EXP": _of_float("exp"),
    "FLOOR": _whole("floor"),
    "LOG": _log,
    "LOG10": _log10,
    "PI": renamed("pi"),
    "POWER": _power,
    "ROUND": _round,
    "SIGN": _sign,
    "SQRT": _sqrt,
    "SQUARE": _square,
}


def _all(given: Call, first: int) -> list[Node]:
    """Return the arguments from one on in the type that they share."""
    places = range(first, len(given))
    return merged([given.given[at] for at in places], [given[at] for at in places])


def _coalesce(given: Call) -> Node:
    return call("coalesce", *_all(given, 0))


def _isnull(given: Call) -> Node:
    """The result has the type of the first argument, also its length."""
    return call("coalesce", given[0], in_full(given[1], given.given[1], given.kind(0)))


def _iif(given: Call) -> Node:
    return when(given[0], *_all(given, 1))


def _choose(given: Call) -> Node:
    branches = [exp.If(this=number(at), true=each) for at, each in enumerate(_all(given, 1), 1)]
    return exp.Case(this=implicit(given[0], given.kind(0), type_named("INT")), ifs=branches)


def _extreme(name: str, better: type[exp.Binary]) -> Translation:
    """GREATEST and LEAST; of texts by comparison, which knows the collation."""

    def translate(given: Call) -> Node:
        if merge_types([given.kind(at) for at in range(len(given))]).name not in TEXTS:
            return call(name, *_all(given, 0))
        best = given.text(0)
        for at in range(1, len(given)):
            missing = is_null(given.text(at))
            better_so_far = binary(better, sortable(given.given[at], best.copy()), given.text(at))
            holds = exp.Or(this=missing, expression=better_so_far)
            best = when(holds, best, given.text(at))
        return best

    return translate


def _nullif(given: Call) -> Node:
    left, right = sides(given.given, given.arguments)
    return when(binary(exp.EQ, left.copy(), right.copy()), exp.Null(), given[0])


CONDITIONAL_FUNCTIONS: dict[str, Translation] = {
    "CHOOSE": _choose,
    "COALESCE": _coalesce,
    "GREATEST": _extreme("greatest", exp.GTE),
    "IIF": _iif,
    "ISNULL": _isnull,
    "LEAST": _extreme("least", exp.LTE),
    "NULLIF": _nullif,
}


SCALARS: dict[str, Translation] = {
    **TEXT_FUNCTIONS,
    **REGEX_FUNCTIONS,
    **MATH_FUNCTIONS,
    **CONDITIONAL_FUNCTIONS,
    **DATE_FUNCTIONS,
    **JSON_FUNCTIONS,
}


def translate_scalar(given: Call) -> Node:
    """Translate the call of a scalar function.

    Raises:
        ExecutionError: The engine has no such function.
    """
    translation = SCALARS.get(given.name)
    if translation is None:
        raise refused_function(given.name)
    return translation(given)
