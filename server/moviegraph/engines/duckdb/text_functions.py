"""Text functions of T-SQL: regardless of case, and limited where they can enlarge a value."""

from sqlglot import exp

from moviegraph.engines.duckdb.conversions import strictly, whole
from moviegraph.engines.duckdb.expressions import Node, call, macro, number, raised, text
from moviegraph.engines.duckdb.function_call import LONGEST_READ, Call, Translation, on_text
from moviegraph.engines.duckdb.patterns import bracket_regex
from moviegraph.engines.duckdb.refusals import COMPUTED, REPLICATED, TRIMMED
from moviegraph.engines.duckdb.text_rules import limited, made_length
from moviegraph.sql.types import MAX, max_characters, text_type

LARGEST_CODE = 0x10FFFF
LARGEST = 100_000  # characters of one value that REPLACE may make


def _len(given: Call) -> Node:
    return macro("len", given.text(0, LONGEST_READ))


def _length(given: Call, at: int) -> Node:
    """Return a length, which may not be negative, as in SQL Server."""
    return whole(given, at) if given.number(at) is not None else macro("length", whole(given, at))


def _end(name: str) -> Translation:
    def translate(given: Call) -> Node:
        return call(name, given.whole_text(0), _length(given, 1))

    return translate


def _substring(given: Call) -> Node:
    """A literal start from 1 on is that of DuckDB."""
    if given.number(1):
        lengths = [_length(given, 2)] if len(given) > 2 else []
        return call("substring", given.whole_text(0), given[1], *lengths)
    sizes = (whole(given, at) for at in range(1, len(given)))
    return macro("substring", given.whole_text(0), *sizes)


def _charindex(given: Call) -> Node:
    texts = (given.text(at, LONGEST_READ) for at in (0, 1))
    if given.literal(0) and len(given) == 2:
        needle, subject = (call("lower", each) for each in texts)
        return call("strpos", subject, needle)
    starts = [whole(given, 2)] if len(given) == 3 else []
    return macro("charindex", *texts, *starts)


def _patindex(given: Call) -> Node:
    pattern = given.literal(0)
    if pattern is None:
        raise COMPUTED.error("PATINDEX with a computed pattern")
    if not pattern.strip("%"):
        return number(1)
    before = "" if pattern.startswith("%") else "^"
    after = "" if pattern.endswith("%") else "$"
    regex = text(f"(?is:{before}{bracket_regex(pattern.strip('%'))}{after})")
    return macro("patindex", regex, given.text(1, LONGEST_READ), exp.Boolean(this=bool(after)))


def _replace(given: Call) -> Node:
    """Regardless of case, as the collation of the data is; an empty pattern changes nothing."""
    old, new = given.literal(1), given.literal(2)
    if old and new is not None and len(new) <= len(old):
        pattern = "".join(c if c.isalnum() or c.isspace() else "\\" + c for c in old)
        fresh = text(new.replace("\\", "\\\\"))
        subject = given.text(0, LONGEST_READ)
        return call("regexp_replace", subject, text(pattern), fresh, text("gi"))
    made = macro("replace", *(given.text(at) for at in range(3)), number(LARGEST))
    return _within_limit(given, made)


def _stuff(given: Call) -> Node:
    made = macro("stuff", given.text(0), whole(given, 1), whole(given, 2), given.text(3))
    return _within_limit(given, made, "stuff")


def _replicate(given: Call) -> Node:
    """T-SQL cuts at 8,000 bytes."""
    kind = given.kind(0)
    if kind.size == MAX:
        raise REPLICATED.error()
    return macro("replicate", given.text(0), whole(given, 1), number(max_characters(kind.name)))


def _space(given: Call) -> Node:
    return macro("space", whole(given, 0))


def _concat(given: Call) -> Node:
    return _within_limit(given, call("concat", *(given.text(at) for at in range(len(given)))))


def _concat_ws(given: Call) -> Node:
    separator = call("coalesce", given.text(0), text(""))
    texts = (given.text(at) for at in range(1, len(given)))
    return _within_limit(given, call("concat_ws", separator, *texts))


def _within_limit(given: Call, made: Node, failure: str = "long_text") -> Node:
    kind = text_type(given.name, given.given)
    return limited(made, kind, made_length(given.name, given.given), failure)


def _translate(given: Call) -> Node:
    old, new = given.literal(1), given.literal(2)
    if old is None or new is None:
        raise COMPUTED.error("TRANSLATE with computed characters")
    if len(old) != len(new):
        return raised("translate")
    pairs = [
        (form, fresh) for each, fresh in zip(old, new, strict=True) for form in sorted(_cases(each))
    ]
    olds, news = ("".join(column) for column in zip(*pairs, strict=True)) if pairs else ("", "")
    return call("translate", given.text(0, LONGEST_READ), text(olds), text(news))


def _cases(letter: str) -> set[str]:
    """Return a letter in both cases, where these are one character."""
    return {each for each in (letter, letter.lower(), letter.upper()) if len(each) == 1}


def _character(largest: int) -> Translation:
    """Return the translation of CHAR and NCHAR: NULL beyond the largest code."""

    def translate(given: Call) -> Node:
        return macro("char", whole(given, 0), number(largest))

    return translate


def _unicode(given: Call) -> Node:
    return call("nullif", call("unicode", given.whole_text(0)), number(-1))


def _trimmed(name: str) -> Translation:
    """Return the translation of LTRIM and RTRIM: of spaces, or of the characters given."""

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
        raise TRIMMED.error()
    return [text(characters)]


TEXT_FUNCTIONS: dict[str, Translation] = {
    "ASCII": _unicode,
    "CHAR": _character(255),
    "CHARINDEX": _charindex,
    "CONCAT": _concat,
    "CONCAT_WS": _concat_ws,
    "LEFT": _end("left"),
    "LEN": _len,
    "LOWER": on_text("lower"),
    "LTRIM": _trimmed("ltrim"),
    "NCHAR": _character(LARGEST_CODE),
    "PATINDEX": _patindex,
    "REPLACE": _replace,
    "REPLICATE": _replicate,
    "REVERSE": on_text("reverse"),
    "RIGHT": _end("right"),
    "RTRIM": _trimmed("rtrim"),
    "SPACE": _space,
    "STUFF": strictly(_stuff, 1, 2),
    "SUBSTRING": strictly(_substring, 1, 2),
    "TRANSLATE": _translate,
    "TRIM": _trim,
    "UNICODE": _unicode,
    "UPPER": on_text("upper"),
}
