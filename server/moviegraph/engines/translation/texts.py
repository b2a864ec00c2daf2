"""The text functions of T-SQL: case-insensitive, and bounded where they can grow a value."""

import re

from sqlglot import exp

from moviegraph.engines.translation.calls import TEXT, Call, Translation, is_number, on_text
from moviegraph.engines.translation.conversions import counted
from moviegraph.engines.translation.nodes import (
    Node,
    binary,
    call,
    cast,
    concatenated,
    let,
    number,
    raised,
    text,
    unsupported,
    when,
    whole_number,
)
from moviegraph.engines.translation.places import PLACES
from moviegraph.engines.translation.readings import is_numeric

LONGEST = 8000
BYTES = {"BIT": 1, "DATE": 3, "INT": 4, "BIGINT": 8, "FLOAT": 8, "DATETIME": 8}
LONGEST_NAME = 128
QUOTES = {
    **dict.fromkeys("[]", "[]"),
    **dict.fromkeys("()", "()"),
    **dict.fromkeys("{}", "{}"),
    **dict.fromkeys("<>", "<>"),
    '"': '""',
    "'": "''",
    "`": "``",
}
MOST_PLACES = 16
LARGEST_CODE = 0x10FFFF
ESCAPE = r"{0}\+([0-9A-F]{{6}})|{0}([0-9A-F]{{4}})"
LARGEST = 100_000  # characters of one value that REPLACE may make


def _length(node: Node) -> Node:
    return call("length", node)


def _len(given: Call) -> Node:
    return _length(call("rtrim", given.text(0), text(" ")))


def _datalength(given: Call) -> Node:
    """Bytes: two a character, but one in a CHAR, VARCHAR or literal without N."""
    kind = given.type(0)
    if kind in BYTES:
        missing = exp.Is(this=given[0], expression=exp.Null())
        return when(exp.Not(this=missing), number(BYTES[kind]))
    if kind not in (TEXT, "UNKNOWN"):
        raise unsupported(f"DATALENGTH of {kind}")
    width = 1 if given.kind(0).name in ("CHAR", "VARCHAR") else 2
    return binary(exp.Mul, number(width), _length(given.text(0)))


def _not_negative(node: Node) -> Node:
    if whole_number(node) is not None:
        return node
    return call("greatest", node, number(0))


def _valid_length(given: Call, at: int) -> Node:
    """A negative length is an error, as it is in SQL Server."""
    if given.number(at) is not None:
        return given[at]
    return when(binary(exp.LT, given[at], number(0)), raised("length"), given[at])


def _end(name: str) -> Translation:
    def translate(given: Call) -> Node:
        return call(name, given.text(0), _valid_length(given, 1))

    return translate


def _substring(given: Call) -> Node:
    start = given.number(1)
    if start:
        return call("substring", given.text(0), given[1], _valid_length(given, 2))
    first = call("greatest", given[1], number(1))
    length = binary(exp.Sub, binary(exp.Add, _valid_length(given, 2), given[1]), first.copy())
    return call("substring", given.text(0), first, _not_negative(length))


def _replace(given: Call) -> Node:
    """Case-insensitive, as the collation of the data is; an empty pattern changes nothing."""
    old, new = given.literal(1), given.literal(2)
    if old == "":
        return given.text(0)
    pattern = text(_escaped(old)) if old is not None else call("regexp_escape", given.text(1))
    fresh = text(new.replace("\\", "\\\\")) if new is not None else _backslashed(given.text(2))
    grows = old is None or new is None or len(new) > len(old)
    # Cut first, because DuckDB evaluates a constant branch even if its condition is false.
    subject = call("left", given.text(0), _longest(given)) if grows else given.text(0)
    replaced = call("regexp_replace", subject, pattern, fresh, text("gi"))
    if old is None:
        empty = binary(exp.EQ, given.text(1), text(""))
        replaced = when(empty, given.text(0), replaced)
    if not grows:
        return replaced
    too_long = binary(exp.GT, _length(given.text(0)), _longest(given))
    return when(too_long, raised("too_large"), replaced)


def _longest(given: Call) -> Node:
    """The longest text in which the replacement cannot make too large a value."""
    pattern = call("greatest", _length(given.text(1)), number(1))
    fresh = call("greatest", _length(given.text(2)), number(1))
    return binary(exp.Div, binary(exp.Mul, number(LARGEST), pattern), fresh)


def _escaped(literal: str) -> str:
    return "".join(c if c.isalnum() or c.isspace() else "\\" + c for c in literal)


def _backslashed(node: Node) -> Node:
    return call("replace", node, text("\\"), text("\\\\"))


def _stuff(given: Call) -> Node:
    inserted = call("coalesce", given.text(3), text(""))
    head = call("left", given.text(0), binary(exp.Sub, given[1], number(1)))
    tail = call("substring", given.text(0), binary(exp.Add, given[1], given[2]))
    start = binary(exp.GTE, given[1], number(1))
    inside = binary(exp.LTE, given[1], _length(given.text(0)))
    positive = binary(exp.GTE, given[2], number(0))
    valid = exp.And(this=exp.And(this=start, expression=inside), expression=positive)
    return when(valid, concatenated(concatenated(head, inserted), tail))


def _replicate(given: Call) -> Node:
    """T-SQL cuts at 8,000 bytes itself; the count is bounded so that no larger value is made."""
    fits = call("greatest", _length(given.text(0)), number(1))
    most = binary(exp.Add, binary(exp.Div, number(LONGEST), fits), number(1))
    count = call("least", given[1], most)
    repeated = call("repeat", given.text(0), _not_negative(count))
    made = call("left", repeated, number(LONGEST))
    return when(binary(exp.LT, given[1], number(0)), exp.Null(), made)


def _space(given: Call) -> Node:
    count = call("least", given[0], number(LONGEST))
    return when(
        binary(exp.GTE, given[0], number(0)), call("repeat", text(" "), _not_negative(count))
    )


def _concat(given: Call) -> Node:
    return call("concat", *(given.text(at) for at in range(len(given))))


def _concat_ws(given: Call) -> Node:
    separator = call("coalesce", given.text(0), text(""))
    return call("concat_ws", separator, *(given.text(at) for at in range(1, len(given))))


def _quotename(given: Call) -> Node:
    """NULL for more than 128 characters, and for a sign that quotes nothing."""
    quote = given.literal(1) if len(given) > 1 else "["
    if quote is None:
        raise unsupported("QUOTENAME with a computed quote")
    if quote not in QUOTES:
        return cast(exp.Null(), "VARCHAR")
    opening, closing = QUOTES[quote]
    inner = call("replace", given.text(0), text(closing), text(closing * 2))
    quoted = concatenated(concatenated(text(opening), inner), text(closing))
    return when(binary(exp.LTE, _length(given.text(0)), number(LONGEST_NAME)), quoted)


def _translate(given: Call) -> Node:
    old, new = given.literal(1), given.literal(2)
    if old is None or new is None:
        triple = call("list_value", *(given.text(at) for at in range(3)))
        return let(triple, _translated)
    if len(old) != len(new):
        return raised("translate")
    pairs = [
        (form, fresh) for each, fresh in zip(old, new, strict=True) for form in sorted(_cases(each))
    ]
    olds, news = ("".join(column) for column in zip(*pairs, strict=True)) if pairs else ("", "")
    return call("translate", given.text(0), text(olds), text(news))


def _translated(triple: Node) -> Node:
    """Both cases of each letter become the same one."""
    subject, old, new = (call("list_extract", triple.copy(), number(at)) for at in (1, 2, 3))
    cases = concatenated(call("lower", old), call("upper", old.copy()))
    made = call("translate", subject, cases, concatenated(new, new.copy()))
    unequal = binary(exp.NEQ, _length(old.copy()), _length(new.copy()))
    return when(unequal, raised("translate"), made)


def _cases(letter: str) -> set[str]:
    """Return a letter in both cases, where these are one character."""
    return {each for each in (letter, letter.lower(), letter.upper()) if len(each) == 1}


def _str(given: Call) -> Node:
    """As many places as fit; stars where not even the whole number does."""
    width = given.number(1) if len(given) > 1 else 10
    places = given.number(2) if len(given) > 2 else 0
    if width is None or places is None or width > LONGEST:
        raise unsupported("STR with a computed width")
    count = min(places, MOST_PLACES)

    def shown(value: Node) -> Node:
        branches: list[exp.If] = []
        for at in range(count, -1, -1):
            rounded = call("round", value.copy(), number(at))
            made = call("printf", text(f"%{width}.{at}f"), rounded)
            fits = binary(exp.LTE, _length(made), number(width))
            branches.append(exp.If(this=fits, true=made.copy()))
        branches.append(
            exp.If(this=exp.Is(this=value.copy(), expression=exp.Null()), true=exp.Null())
        )
        return exp.Case(ifs=branches, default=text("*" * width))

    return let(cast(given[0], "DOUBLE"), shown)


def _char(given: Call) -> Node:
    valid = exp.Between(this=given[0], low=number(1), high=number(255))
    return when(valid, call("chr", cast(given[0], "INT")))


def _nchar(given: Call) -> Node:
    valid = exp.Between(this=given[0], low=number(1), high=number(55295))
    return when(valid, call("chr", cast(given[0], "INT")))


def _unicode(given: Call) -> Node:
    return call("nullif", call("unicode", given.text(0)), number(-1))


def _isnumeric(given: Call) -> Node:
    kind = given.type(0)
    if kind not in (TEXT, "UNKNOWN"):
        return number(1 if is_number(kind) else 0)
    return when(is_numeric(given.text(0)), number(1), number(0))


def _string_escape(given: Call) -> Node:
    if (given.literal(1) or "").lower() != "json":
        raise unsupported("STRING_ESCAPE of another kind than 'json'")
    quoted = call("__json_text", given.text(0))
    inner = binary(exp.Sub, _length(quoted.copy()), number(2))
    return call("substring", quoted, number(2), inner)


def _unistr(given: Call) -> Node:
    """Only a literal is read; two halves of a pair make one character."""
    written = given.literal(0)
    escape = given.literal(1) if len(given) > 1 else "\\"
    if written is None or escape is None or len(escape) != 1:
        raise unsupported("UNISTR of anything but literals")
    units = re.sub(ESCAPE.format(re.escape(escape)), _unit, written, flags=re.IGNORECASE)
    return text(units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))


def _unit(found: re.Match[str]) -> str:
    code = int(found[1] or found[2], 16)
    return chr(code) if code <= LARGEST_CODE else found[0]


def _trimmed(name: str) -> Translation:
    """Return the translation of LTRIM and RTRIM: of blanks, or of the characters given."""

    def translate(given: Call) -> Node:
        return call(name, given.text(0), *_characters(given, 1))

    return translate


def _trim(given: Call) -> Node:
    """TRIM(LEADING chars FROM x): the characters come first."""
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(given.word or "", "trim")
    if len(given) == 1:
        return call(name, given.text(0))
    return call(name, given.text(1), *_characters(given, 0))


def _characters(given: Call, at: int) -> list[Node]:
    """Return the characters to trim; whether a letter stands for its other case is not known."""
    if at >= len(given):
        return []
    characters = given.literal(at)
    if characters is None or characters.lower() != characters.upper():
        raise unsupported("trimming of letters or of computed characters")
    return [text(characters)]


TEXTS: dict[str, Translation] = {
    **PLACES,
    "LEN": _len,
    "DATALENGTH": _datalength,
    "LEFT": counted(_end("left"), 1),
    "RIGHT": counted(_end("right"), 1),
    "SUBSTRING": counted(_substring, 1, 2, strict=True),
    "REPLACE": _replace,
    "STUFF": counted(_stuff, 1, 2, strict=True),
    "REPLICATE": counted(_replicate, 1),
    "SPACE": counted(_space, 0),
    "CONCAT": _concat,
    "CONCAT_WS": _concat_ws,
    "QUOTENAME": _quotename,
    "TRANSLATE": _translate,
    "STR": _str,
    "CHAR": _char,
    "NCHAR": _nchar,
    "ASCII": _unicode,
    "UNICODE": _unicode,
    "ISNUMERIC": _isnumeric,
    "STRING_ESCAPE": _string_escape,
    "UNISTR": _unistr,
    "UPPER": on_text("upper"),
    "LOWER": on_text("lower"),
    "LTRIM": _trimmed("ltrim"),
    "RTRIM": _trimmed("rtrim"),
    "TRIM": _trim,
    "REVERSE": on_text("reverse"),
}
