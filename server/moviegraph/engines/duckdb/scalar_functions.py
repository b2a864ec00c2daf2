"""The scalar functions that the embedded engine translates: mathematical and conditional."""

from collections.abc import Callable

from sqlglot import exp

from moviegraph.engines.duckdb.collations import sortable
from moviegraph.engines.duckdb.conversions import implicit, in_full, invalid, merged, sides
from moviegraph.engines.duckdb.date_functions import DATE_FUNCTIONS
from moviegraph.engines.duckdb.expressions import (
    Node,
    binary,
    call,
    cast,
    concatenated,
    joined,
    let,
    number,
    raised,
    text,
    unsupported,
    when,
)
from moviegraph.engines.duckdb.function_call import TEXT, Call, Translation, renamed
from moviegraph.engines.duckdb.json_text import JSON_FUNCTIONS
from moviegraph.engines.duckdb.patterns import REGEX_FUNCTIONS
from moviegraph.engines.duckdb.text_functions import TEXT_FUNCTIONS
from moviegraph.engines.duckdb.text_values import number_in
from moviegraph.sql.types import TEXTS, merge_types, type_named

WHOLE = ("INT", "BIGINT", "BIT")
MOMENTS = ("DATE", "DATETIME", "TIME")
LARGEST = 38  # digits of a DECIMAL
ANGLE_PLACES = 18  # places of a DECIMAL that DEGREES and RADIANS return


def _floating(given: Call, at: int = 0) -> Node:
    """Return an argument as FLOAT. Raises ExecutionError."""
    kind = given.kind(at)
    if kind.family in MOMENTS:
        raise invalid(kind, given.name)
    return number_in(given[at], "DOUBLE") if kind.name in TEXTS else cast(given[at], "DOUBLE")


def _finite(made: Node) -> Node:
    """Fail where a FLOAT has no value: beyond its range, or outside the domain."""

    def checked(it: Node) -> Node:
        missing = exp.Is(this=it.copy(), expression=exp.Null())
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


def _inverse(name: str) -> Translation:
    """Return the translation of a function of values from -1 to 1."""

    def translate(given: Call) -> Node:
        return _guarded(
            name, _floating(given), lambda it: binary(exp.GT, call("abs", it), number(1))
        )

    return translate


def _cot(given: Call) -> Node:
    return _guarded("cot", _floating(given), lambda it: binary(exp.EQ, it, number(0)))


def _square(given: Call) -> Node:
    return _finite(call("pow", _floating(given), number(2)))


def _typed(made: Node, given: Call) -> Node:
    """Return a result in the type of the first argument, its fraction cut."""
    kind = given.type(0)
    if kind in WHOLE:
        return cast(call("trunc", made), "BIGINT" if kind == "BIGINT" else "INT")
    if kind != "DECIMAL":
        return made
    # By way of text, because DuckDB's cast loses the last digits.
    shown = call("format", text(f"{{:.{ANGLE_PLACES}f}}"), made)
    return cast(shown, "DECIMAL", LARGEST, ANGLE_PLACES)


def _angle(name: str) -> Translation:
    def translate(given: Call) -> Node:
        return _typed(call(name, _floating(given)), given)

    return translate


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
        return _rounded_to_computed(name, given)
    rounded = call(name, _value(given), _digits(given))
    return _typed(rounded, given) if given.type(0) in WHOLE else rounded


def _rounded_to_computed(name: str, given: Call) -> Node:
    """DuckDB rounds a decimal to literal digits only: one branch for each that it has."""
    kind = given.kind(0)
    sizes = kind.precision, kind.scale

    def chosen(it: Node) -> Node:
        value, digits = (call("struct_extract", it.copy(), number(at)) for at in (1, 2))
        branches = [
            exp.If(
                this=binary(exp.EQ, digits.copy(), number(places)),
                true=cast(call(name, value.copy(), number(places)), "DECIMAL", *sizes),
            )
            for places in range(-kind.whole_digits, kind.scale)
        ]
        fine = exp.If(this=binary(exp.GTE, digits, number(kind.scale)), true=value.copy())
        coarse = when(exp.Not(this=exp.Is(this=digits.copy(), expression=exp.Null())), zero)
        return exp.Case(ifs=[fine, *branches], default=coarse)

    zero = cast(number(0), "DECIMAL", *sizes)
    return let(call("row", given[0], _digits(given)), chosen)


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
    "ACOS": _inverse("acos"),
    "ASIN": _inverse("asin"),
    "ATAN": _of_float("atan"),
    "ATN2": _of_float("atan2"),
    "CEILING": _whole("ceil"),
    "COS": _of_float("cos"),
    "COT": _cot,
    "DEGREES": _angle("degrees"),
    "EXP": _of_float("exp"),
    "FLOOR": _whole("floor"),
    "LOG": _log,
    "LOG10": _log10,
    "PI": renamed("pi"),
    "POWER": _power,
    "RADIANS": _angle("radians"),
    "ROUND": _round,
    "SIGN": _sign,
    "SIN": _of_float("sin"),
    "SQRT": _sqrt,
    "SQUARE": _square,
    "TAN": _of_float("tan"),
}


WIDTHS = {"INT": 32, "BIGINT": 64}


def _width(given: Call) -> int:
    kind = given.type(0)
    if kind not in WIDTHS:
        raise unsupported(f"{given.name} of {kind}", "CAST the value to INT or BIGINT.")
    return WIDTHS[kind]


def _bits(value: Node, width: int) -> Node:
    """Return a whole number as one that is not negative and has the same bits."""
    wide = cast(value, "INT128")
    return exp.Case(
        ifs=[exp.If(this=binary(exp.LT, wide, number(0)), true=_plus(wide, width))],
        default=wide.copy(),
    )


def _plus(wide: Node, width: int) -> Node:
    return binary(exp.Add, wide.copy(), cast(number(1 << width), "INT128"))


def _signed(bits: Node, width: int) -> Node:
    """Return bits as the whole number of that width, its first bit the sign."""
    kind = "INT" if width == WIDTHS["INT"] else "BIGINT"

    def read(it: Node) -> Node:
        low = binary(exp.Mod, it, cast(number(1 << width), "INT128"))
        high = binary(exp.GTE, low, cast(number(1 << (width - 1)), "INT128"))
        below = binary(exp.Sub, low.copy(), cast(number(1 << width), "INT128"))
        return cast(when(high, below, low.copy()), kind)

    return let(bits, read)


def _count(given: Call) -> Node:
    _width(given)
    return cast(call("bit_count", given[0]), "BIGINT")


def _shift(sign: int) -> Translation:
    def translate(given: Call) -> Node:
        """Bits that leave are lost, and zeros come in; a negative count goes the other way."""
        width, count = _width(given), given.number(1)
        if count is None and isinstance(given.given[1], exp.Neg):
            inner = given.given[1].this.unnest()
            count = -int(inner.name) if inner.name.isdigit() else None
        if count is None:
            raise unsupported(f"{given.name} by a computed count")
        power = min(abs(count), width)
        bits = _bits(given[0], width)
        operation = exp.Mul if count * sign > 0 else exp.Div
        if operation is exp.Mul:
            bits = binary(exp.Mod, bits, cast(number(1 << (width - power)), "INT128"))
        factor = cast(number(1 << power), "INT128")
        return _signed(binary(operation, bits, factor), width)

    return translate


def _bit(given: Call) -> Node:
    """Return the value of a bit as 0 or 1, or fail where the type has no such bit."""
    width, at = _width(given), given.number(1)
    if at is None or at >= width:
        raise unsupported(f"{given.name} of a computed bit or beyond the last")
    shifted = binary(exp.Div, _bits(given[0], width), cast(number(1 << at), "INT128"))
    return binary(exp.Mod, shifted, cast(number(2), "INT128"))


def _get_bit(given: Call) -> Node:
    return binary(exp.EQ, _bit(given), number(1))


def _set_bit(given: Call) -> Node:
    width, at = _width(given), given.number(1) or 0
    wanted = given.number(2) if len(given) > 2 else 1
    if wanted not in (0, 1):
        return raised("domain")
    change = binary(exp.Sub, number(wanted), _bit(given))
    moved = binary(exp.Mul, change, cast(number(1 << at), "INT128"))
    return _signed(binary(exp.Add, _bits(given[0], width), moved), width)


BIT_FUNCTIONS: dict[str, Translation] = {
    "BIT_COUNT": _count,
    "GET_BIT": _get_bit,
    "LEFT_SHIFT": _shift(1),
    "RIGHT_SHIFT": _shift(-1),
    "SET_BIT": _set_bit,
}


WORD = "^[A-Za-z]+"
# H and W are dropped, so that equal codes beside them fall together; a vowel keeps them apart.
LETTERS = "BFPVCGJKQSXZDTLMNRAEIOUYHW"
CODES = "111122222222334556000000"
LENGTH = 4


def _soundex(given: Call) -> Node:
    return let(
        given.text(0), lambda it: _coded(call("upper", call("regexp_extract", it, text(WORD))))
    )


def _coded(word: Node) -> Node:
    first = call("left", word, number(1))
    codes = call("translate", call("substring", word.copy(), number(2)), text(LETTERS), text(CODES))
    codes = joined(call("translate", first.copy(), text(LETTERS), text(CODES + "00")), codes)
    for digit in "123456":
        codes = call("regexp_replace", codes, text(f"{digit}+"), text(digit), text("g"))
    codes = call("replace", call("substring", codes, number(2)), text("0"), text(""))
    made = concatenated(first.copy(), call("rpad", codes, number(LENGTH - 1), text("0")))
    return when(binary(exp.EQ, word.copy(), text("")), text("0" * LENGTH), made)


def _difference(given: Call) -> Node:
    """Count the places at which the two codes agree."""
    second = Call(given.name, given.given[1:], given.arguments[1:])
    return let(concatenated(_soundex(given), _soundex(second)), _agreeing)


def _agreeing(codes: Node) -> Node:
    def letter(at: int) -> Node:
        return call("substring", codes.copy(), number(at), number(1))

    found: Node = number(0)
    for at in range(1, LENGTH + 1):
        same = exp.EQ(this=letter(at), expression=letter(at + LENGTH))
        found = binary(exp.Add, found, cast(same, "INT"))
    return found


PHONETIC_FUNCTIONS: dict[str, Translation] = {"SOUNDEX": _soundex, "DIFFERENCE": _difference}


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
            missing = exp.Is(this=given.text(at), expression=exp.Null())
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
    **PHONETIC_FUNCTIONS,
    **REGEX_FUNCTIONS,
    **MATH_FUNCTIONS,
    **BIT_FUNCTIONS,
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
        raise unsupported(f"function {given.name}")
    return translation(given)
