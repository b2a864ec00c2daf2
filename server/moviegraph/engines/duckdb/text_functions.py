"""Text functions of T-SQL, limited where they can enlarge a value."""

import re

from sqlglot import exp

from moviegraph.engines.duckdb.conversions import strictly, whole
from moviegraph.engines.duckdb.expressions import (
    Node,
    binary,
    call,
    cast,
    concatenated,
    let,
    number,
    present,
    raised,
    text,
    unsupported,
    when,
)
from moviegraph.engines.duckdb.function_call import (
    LONGEST_READ,
    TEXT,
    Call,
    Translation,
    is_number,
    on_text,
)
from moviegraph.engines.duckdb.patterns import bracket_regex, wildcard_regex, within_steps
from moviegraph.engines.duckdb.text_limits import cut, exceeds, made_length
from moviegraph.engines.duckdb.text_values import is_numeric
from moviegraph.sql.types import MAX, MAX_TEXT_BYTES, SqlType, max_characters, text_type


def _charindex(given: Call) -> Node:
    needle, text_ = (
        call("lower", given.text(0, LONGEST_READ)),
        call("lower", given.text(1, LONGEST_READ)),
    )
    found = call("strpos", text_, needle)
    if len(given) == 3:
        start = call("greatest", whole(given, 2), number(1))
        later = call("strpos", call("substring", text_, start), needle)
        place = binary(exp.Sub, binary(exp.Add, later.copy(), start.copy()), number(1))
        found = when(binary(exp.EQ, later, number(0)), number(0), place)
    if not given.literal(0):
        found = when(binary(exp.EQ, needle.copy(), text("")), number(0), found)
    return present(given[2], found) if len(given) == 3 and given.number(2) is None else found


def _patindex(given: Call) -> Node:
    pattern = given.literal(0)
    if pattern is None:
        return _computed_patindex(given)
    if not pattern.strip("%"):
        return number(1)
    before = "" if pattern.startswith("%") else "^"
    after = "" if pattern.endswith("%") else "$"
    regex = text(f"(?is:{before}{bracket_regex(pattern.strip('%'))}{after})")
    return _place(given.text(1, LONGEST_READ), regex, at_end=bool(after))


def _place(subject: Node, regex: Node, *, at_end: bool) -> Node:
    """Return where a regular expression first matches; 0 where it does not."""
    matches = call("regexp_matches", subject, regex)
    found = call("regexp_extract", subject.copy(), regex.copy())
    place = call("strpos", subject.copy(), found)
    if at_end:  # what was found stands at the end, and perhaps before it, too
        before_it = binary(exp.Sub, call("length", subject.copy()), call("length", found))
        place = binary(exp.Add, before_it, number(1))
    branches = [exp.If(this=matches, true=place)]
    branches.append(exp.If(this=exp.Not(this=matches.copy()), true=number(0)))
    return exp.Case(ifs=branches)


def _computed_patindex(given: Call) -> Node:
    """The pattern becomes a regular expression as it comes; brackets are not read then."""
    pair = call("list_value", given.text(0), given.text(1))
    return let(pair, _place_of_pattern)


def _place_of_pattern(pair: Node) -> Node:
    pattern, subject = (call("list_extract", pair.copy(), number(at)) for at in (1, 2))
    inner = wildcard_regex(call("trim", pattern.copy(), text("%")))
    starts = _fixed(pattern, "%", "left", "^")
    ends = _fixed(pattern, "%", "right", "$")
    regex = concatenated(concatenated(concatenated(text("(?is:"), starts), inner), ends)
    bracketed = call("contains", pattern.copy(), text("["))
    free = binary(exp.EQ, call("trim", pattern.copy(), text("%")), text(""))
    ended = binary(exp.EQ, call("right", pattern.copy(), number(1)), text("%"))
    place = when(
        ended,
        _place(subject, concatenated(regex, text(")")), at_end=False),
        _place(subject.copy(), concatenated(regex.copy(), text(")")), at_end=True),
    )
    place = within_steps(subject.copy(), pattern.copy(), place)
    return when(bracketed, raised("pattern"), when(free, number(1), place))


def _fixed(pattern: Node, sign: str, side: str, anchor: str) -> Node:
    """Return an anchor where a pattern is not open on a side."""
    is_open = binary(exp.EQ, call(side, pattern.copy(), number(1)), text(sign))
    return when(is_open, text(""), text(anchor))


POSITION_FUNCTIONS: dict[str, Translation] = {
    "CHARINDEX": _charindex,
    "PATINDEX": _patindex,
}


BYTES = {
    "BIT": 1,
    "TINYINT": 1,
    "SMALLINT": 2,
    "INT": 4,
    "BIGINT": 8,
    "FLOAT": 8,
    "SMALLMONEY": 4,
    "MONEY": 8,
    "DATE": 3,
    "SMALLDATETIME": 4,
    "DATETIME": 8,
}
CLOCKS = {"TIME": 3, "DATETIME2": 6}  # bytes of those with at most two digits of a second
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
SURROGATES = (0xD800, 0xDFFF)
BASIC = r"[\x{0}-\x{FFFF}]+"
ESCAPE = r"{0}\+([0-9A-F]{{6}})|{0}([0-9A-F]{{4}})"
LARGEST = 100_000  # characters of one value that REPLACE may make


def _length(node: Node) -> Node:
    return call("length", node)


def _len(given: Call) -> Node:
    return _length(call("rtrim", given.text(0, LONGEST_READ), text(" ")))


def _datalength(given: Call) -> Node:
    """Bytes: a text has one for each unit of UTF-16, or two where its type is Unicode."""
    kind = given.kind(0)
    if kind.name in BYTES:
        return present(given[0], number(BYTES[kind.name]))
    if kind.name in CLOCKS:
        size = CLOCKS[kind.name] + (kind.scale > 2) + (kind.scale > 4)
        return present(given[0], number(size))
    if kind.family not in (TEXT, "UNKNOWN"):
        raise unsupported(f"DATALENGTH of {kind.family}")
    pairs = _length(
        call("regexp_replace", given.text(0, LONGEST_READ), text(BASIC), text(""), text("g"))
    )
    units = binary(exp.Add, _length(given.text(0, LONGEST_READ)), pairs)
    return binary(exp.Mul, number(_width(kind)), units)


def _width(kind: SqlType) -> int:
    return 2 if kind.is_unicode else 1


def _valid_length(given: Call, at: int) -> Node:
    """A negative length is an error, as it is in SQL Server."""
    length = whole(given, at)
    if given.number(at) is not None:
        return length
    return when(binary(exp.LT, length, number(0)), raised("length"), length.copy())


def _end(name: str) -> Translation:
    def translate(given: Call) -> Node:
        return call(name, given.whole_text(0), _valid_length(given, 1))

    return translate


def _substring(given: Call) -> Node:
    """What lies before the first character counts, too: a start of -1 takes two from the length."""
    if given.number(1):
        lengths = [_valid_length(given, 2)] if len(given) > 2 else []
        return call("substring", given.whole_text(0), given[1], *lengths)
    start = whole(given, 1)
    before = call("greatest", binary(exp.Sub, number(1), start), number(0))
    first = binary(exp.Add, start.copy(), before)
    if len(given) == 2:
        return call("substring", given.whole_text(0), first)
    length = whole(given, 2)
    left = call("greatest", binary(exp.Sub, length, before.copy()), number(0))
    made = call("substring", given.whole_text(0), first, left)
    if given.number(2) is not None:
        return made
    negative = exp.If(this=binary(exp.LT, length.copy(), number(0)), true=raised("length"))
    valid = exp.If(this=binary(exp.GTE, length.copy(), number(0)), true=made)
    return exp.Case(ifs=[negative, valid])


def _replace(given: Call) -> Node:
    """Case-insensitive, as the collation of the data is; an empty pattern changes nothing."""
    old, new = given.literal(1), given.literal(2)
    if old == "":
        return given.text(0)
    pattern = text(_escaped(old)) if old is not None else call("regexp_escape", given.text(1))
    fresh = text(new.replace("\\", "\\\\")) if new is not None else _backslashed(given.text(2))
    grows = old is None or new is None or len(new) > len(old)
    # Cut first, because DuckDB evaluates a constant branch even if its condition is false.
    subject = call("left", given.text(0), _longest(given)) if grows else given.text(0, LONGEST_READ)
    replaced = call("regexp_replace", subject, pattern, fresh, text("gi"))
    if old is None:
        empty = binary(exp.EQ, given.text(1), text(""))
        replaced = when(empty, given.text(0), replaced)
    if not grows:
        return replaced
    too_long = binary(exp.GT, _length(given.text(0)), _longest(given))
    return when(too_long, raised("too_large"), _within_limit(given, replaced))


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
    start, length = whole(given, 1), whole(given, 2)
    inserted = call("coalesce", given.text(3), text(""))
    head = call("left", given.text(0), binary(exp.Sub, start, number(1)))
    tail = call("substring", given.text(0), binary(exp.Add, start.copy(), length))
    begins = binary(exp.GTE, start.copy(), number(1))
    inside = binary(exp.LTE, start.copy(), _length(given.text(0)))
    positive = binary(exp.GTE, length.copy(), number(0))
    valid = exp.And(this=exp.And(this=begins, expression=inside), expression=positive)
    made: Node = concatenated(concatenated(head, inserted), tail)
    kind = text_type("STUFF", given.given)
    if exceeds(kind, made_length("STUFF", given.given)):
        most = number(max_characters(kind.name))
        made = let(made, lambda it: _unless_longer(it, most))
    return when(valid, made)


def _unless_longer(made: Node, most: Node) -> Node:
    return when(binary(exp.GT, _length(made.copy()), most), raised("stuff"), made.copy())


def _replicate(given: Call) -> Node:
    """T-SQL cuts at 8,000 bytes, unless the text is of a large type: that has a bound of ours.

    DuckDB makes 2,048 of them at once, and its memory limit does not see it. The count is bounded,
    too, so that no larger value is made.
    """
    kind, count = given.kind(0), whole(given, 1)
    endless = kind.size == MAX
    bound = number(MAX_TEXT_BYTES if endless else MAX_TEXT_BYTES // _width(kind))
    fits = binary(exp.Div, bound, call("greatest", _length(given.text(0)), number(1)))
    most = binary(exp.Add, fits, number(1))
    repeated = call("repeat", given.text(0), call("least", count, most))
    made: Node = call("left", repeated, bound.copy())
    if endless:
        made = when(binary(exp.GT, count.copy(), fits.copy()), raised("too_long"), made)
    return when(binary(exp.GTE, count.copy(), number(0)), made)


def _space(given: Call) -> Node:
    count = whole(given, 0)
    made = call("repeat", text(" "), call("least", count, number(MAX_TEXT_BYTES)))
    return when(binary(exp.GTE, count.copy(), number(0)), made)


def _concat(given: Call) -> Node:
    return _within_limit(given, call("concat", *(given.text(at) for at in range(len(given)))))


def _concat_ws(given: Call) -> Node:
    separator = call("coalesce", given.text(0), text(""))
    texts = (given.text(at) for at in range(1, len(given)))
    return _within_limit(given, call("concat_ws", separator, *texts))


def _within_limit(given: Call, made: Node) -> Node:
    kind = text_type(given.name, given.given)
    return cut(made, kind, made_length(given.name, given.given))


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
    return call("translate", given.text(0, LONGEST_READ), text(olds), text(news))


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
    if width is None or places is None or width > MAX_TEXT_BYTES:
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


def _character(largest: int) -> Translation:
    """Return the translation of CHAR and NCHAR: NULL beyond the largest code.

    A text with NUL or with half of a surrogate pair would compare otherwise than on SQL Server.
    """

    def translate(given: Call) -> Node:
        code = exp.Paren(this=whole(given, 0))
        half = exp.Between(this=code, low=number(SURROGATES[0]), high=number(SURROGATES[1]))
        lacking = exp.Or(this=binary(exp.EQ, code.copy(), number(0)), expression=half)
        valid = exp.Between(this=code.copy(), low=number(0), high=number(largest))
        made = call("chr", cast(code.copy(), "INT"))
        return when(valid, when(lacking, raised("character"), made))

    return translate


def _unicode(given: Call) -> Node:
    return call("nullif", call("unicode", given.whole_text(0)), number(-1))


def _isnumeric(given: Call) -> Node:
    kind = given.type(0)
    if kind not in (TEXT, "UNKNOWN"):
        return number(1 if is_number(kind) else 0)
    return when(is_numeric(given.text(0, LONGEST_READ)), number(1), number(0))


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
        return call(name, given.text(0, LONGEST_READ), *_characters(given, 1))

    return translate


def _trim(given: Call) -> Node:
    """TRIM(LEADING chars FROM x): the characters come first."""
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(given.word or "", "trim")
    if len(given) == 1:
        return call(name, given.text(0, LONGEST_READ))
    return call(name, given.text(1, LONGEST_READ), *_characters(given, 0))


def _characters(given: Call, at: int) -> list[Node]:
    """Return the characters to trim; whether a letter stands for its other case is not known."""
    if at >= len(given):
        return []
    characters = given.literal(at)
    if characters is None or characters.lower() != characters.upper():
        raise unsupported("trimming of letters or of computed characters")
    return [text(characters)]


TEXT_FUNCTIONS: dict[str, Translation] = {
    **POSITION_FUNCTIONS,
    "LEN": _len,
    "DATALENGTH": _datalength,
    "LEFT": _end("left"),
    "RIGHT": _end("right"),
    "SUBSTRING": strictly(_substring, 1, 2),
    "REPLACE": _replace,
    "STUFF": strictly(_stuff, 1, 2),
    "REPLICATE": _replicate,
    "SPACE": _space,
    "CONCAT": _concat,
    "CONCAT_WS": _concat_ws,
    "QUOTENAME": _quotename,
    "TRANSLATE": _translate,
    "STR": _str,
    "CHAR": _character(255),
    "NCHAR": _character(LARGEST_CODE),
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
