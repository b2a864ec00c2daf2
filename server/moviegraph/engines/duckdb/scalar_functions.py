"""The scalar functions that the embedded engine translates: mathematical and conditional."""

from sqlglot import exp

from moviegraph.engines.duckdb.conversions import (
    comparison_sides,
    convert_fully,
    convert_implicitly,
    invalid,
    merge_results,
)
from moviegraph.engines.duckdb.date_functions import DATE_FUNCTIONS
from moviegraph.engines.duckdb.expressions import (
    Node,
    binary,
    call,
    cast,
    is_null,
    macro,
    number,
    when,
)
from moviegraph.engines.duckdb.function_call import (
    MOMENTS,
    TEXT,
    FunctionCall,
    Translation,
)
from moviegraph.engines.duckdb.json_text import JSON_FUNCTIONS
from moviegraph.engines.duckdb.refusals import ROUNDED
from moviegraph.engines.duckdb.text_functions import TEXT_FUNCTIONS
from moviegraph.engines.duckdb.text_patterns import REGEX_FUNCTIONS
from moviegraph.engines.duckdb.text_rules import sort_value
from moviegraph.engines.duckdb.text_values import number_in
from moviegraph.sql.syntax_tree import TEXTS
from moviegraph.sql.types import MAX_DIGITS, merge_types, type_named

WHOLE = ("INT", "BIGINT", "BIT")


def _floating(args: FunctionCall, at: int = 0) -> Node:
    """Return an argument as FLOAT. Raises ExecutionError."""
    kind = args.kind(at)
    if kind.family in MOMENTS:
        raise invalid(kind, args.name)
    return number_in(args[at], "DOUBLE") if kind.name in TEXTS else cast(args[at], "DOUBLE")


def _of_float(name: str) -> Translation:
    """Return the translation of a function of a FLOAT."""

    def translate(args: FunctionCall) -> Node:
        return macro("finite", call(name, *(_floating(args, at) for at in range(len(args)))))

    return translate


def _log(args: FunctionCall) -> Node:
    logarithms = [macro("finite", call("ln", _floating(args, at))) for at in range(len(args))]
    if len(args) == 1:
        return logarithms[0]
    return macro("finite", binary(exp.Div, *logarithms))


def _typed(translated: Node, args: FunctionCall) -> Node:
    """Return a result in the type of the first argument, its fraction truncated."""
    kind = args.type(0)
    if kind in WHOLE:
        return cast(call("trunc", translated), "BIGINT" if kind == "BIGINT" else "INT")
    return translated


def _power(args: FunctionCall) -> Node:
    """The result has the type of the base: POWER(2, 0.5) is 1."""
    power = macro("finite", call("pow", _floating(args), _floating(args, 1)))
    if args.type(0) == "DECIMAL":
        return cast(power, "DECIMAL", MAX_DIGITS, args.kind(0).scale)
    return _typed(power, args)


def _round(args: FunctionCall) -> Node:
    rounded = _rounded("round", args)
    if len(args) < 3:
        return rounded
    return when(binary(exp.EQ, args[2], number(0)), rounded, _rounded("trunc", args))


def _rounded(name: str, args: FunctionCall) -> Node:
    if args.kind(0).name == "BIT":
        raise invalid(args.kind(0), "ROUND")
    if args.type(0) == "DECIMAL" and not _is_literal(args.judged[1]):
        raise ROUNDED.error()
    rounded = call(name, _value(args), _digits(args))
    return _typed(rounded, args) if args.type(0) in WHOLE else rounded


def _digits(args: FunctionCall) -> Node:
    """Return to how many digits ROUND rounds. Raises ExecutionError."""
    kind = args.kind(1)
    if kind.family not in (*WHOLE, "UNKNOWN"):
        raise invalid(kind, "the digits of ROUND", "CAST them AS INT.")
    return args[1] if _is_literal(args.judged[1]) else cast(args[1], "INT")


def _is_literal(node: Node) -> bool:
    plain = node.unnest()
    plain = plain.this.unnest() if isinstance(plain, exp.Neg) else plain
    return isinstance(plain, exp.Literal | exp.Null)


def _value(args: FunctionCall) -> Node:
    """Return the number that a function takes: of a text the FLOAT in it. Raises ExecutionError."""
    kind = args.kind(0)
    if kind.family in MOMENTS:
        raise invalid(kind, args.name)
    if kind.name == "BIT":
        return cast(cast(args[0], "INT"), "DOUBLE")
    return number_in(args[0], "DOUBLE") if kind.name in TEXTS else args[0]


def _whole(name: str) -> Translation:
    """CEILING and FLOOR of a whole number are the number."""

    def translate(args: FunctionCall) -> Node:
        return args[0] if args.type(0) in ("INT", "BIGINT") else call(name, _value(args))

    return translate


def _sign(args: FunctionCall) -> Node:
    translated = call("sign", _value(args))
    return cast(translated, "DOUBLE") if args.type(0) in ("FLOAT", TEXT) else translated


MATH_FUNCTIONS: dict[str, Translation] = {
    "ABS": lambda args: call("abs", _value(args)),
    "CEILING": _whole("ceil"),
    "EXP": _of_float("exp"),
    "FLOOR": _whole("floor"),
    "LOG": _log,
    "LOG10": _of_float("log10"),
    "PI": lambda _: call("pi"),
    "POWER": _power,
    "ROUND": _round,
    "SIGN": _sign,
    "SQRT": _of_float("sqrt"),
    "SQUARE": lambda args: macro("finite", call("pow", _floating(args), number(2))),
}


def _all(args: FunctionCall, first: int) -> list[Node]:
    """Return the arguments from one on in the type that they share."""
    places = range(first, len(args))
    return merge_results([args.judged[at] for at in places], [args[at] for at in places])


def _choose(args: FunctionCall) -> Node:
    branches = [
        exp.If(this=number(at), true=argument) for at, argument in enumerate(_all(args, 1), 1)
    ]
    return exp.Case(this=convert_implicitly(args[0], args.kind(0), type_named("INT")), ifs=branches)


def _extreme(name: str, better: type[exp.Binary]) -> Translation:
    """GREATEST and LEAST; of texts by comparison, which knows the collation."""

    def translate(args: FunctionCall) -> Node:
        if merge_types([args.kind(at) for at in range(len(args))]).name not in TEXTS:
            return call(name, *_all(args, 0))
        best = args.text(0)
        for at in range(1, len(args)):
            missing = is_null(args.text(at))
            better_so_far = binary(better, sort_value(args.judged[at], best.copy()), args.text(at))
            holds = exp.Or(this=missing, expression=better_so_far)
            best = when(holds, best, args.text(at))
        return best

    return translate


def _nullif(args: FunctionCall) -> Node:
    left, right = comparison_sides(args.judged, args.arguments)
    return when(binary(exp.EQ, left.copy(), right.copy()), exp.Null(), args[0])


CONDITIONAL_FUNCTIONS: dict[str, Translation] = {
    "CHOOSE": _choose,
    "COALESCE": lambda args: call("coalesce", *_all(args, 0)),
    "GREATEST": _extreme("greatest", exp.GTE),
    "IIF": lambda args: when(args[0], *_all(args, 1)),
    # The result has the type of the first argument, also its length.
    "ISNULL": lambda args: call(
        "coalesce", args[0], convert_fully(args[1], args.judged[1], args.kind(0))
    ),
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


def translate_scalar(args: FunctionCall) -> Node:
    """Translate the call of a scalar function; every one that the guard allows has a translation.

    Raises:
        ExecutionError: The engine cannot reproduce this form of it.
    """
    return SCALARS[args.name](args)
