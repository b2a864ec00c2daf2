"""Text functions of T-SQL: regardless of case, and limited where they can enlarge a value."""

from sqlglot import exp

from moviegraph.engines.duckdb.conversions import require_whole, whole_argument
from moviegraph.engines.duckdb.expressions import Node, call, error_call, macro, number, text
from moviegraph.engines.duckdb.function_call import (
    FunctionCall,
    Translation,
    on_text,
)
from moviegraph.engines.duckdb.refusals import COMPUTED, REPLICATED, TRIMMED
from moviegraph.engines.duckdb.text_patterns import bracket_regex
from moviegraph.engines.duckdb.text_rules import function_length, limit_length
from moviegraph.sql.types import MAX, max_characters, text_type

LARGEST_CODE = 0x10FFFF


def _length(args: FunctionCall, at: int) -> Node:
    """Return a length, which may not be negative, as in SQL Server."""
    return (
        whole_argument(args, at)
        if args.number(at) is not None
        else macro("length", whole_argument(args, at))
    )


def _end(name: str) -> Translation:
    def translate(args: FunctionCall) -> Node:
        return call(name, args.text(0), _length(args, 1))

    return translate


def _substring(args: FunctionCall) -> Node:
    """A literal start from 1 on is that of DuckDB."""
    if args.number(1):
        lengths = [_length(args, 2)] if len(args) > 2 else []
        return call("substring", args.text(0), args[1], *lengths)
    sizes = (whole_argument(args, at) for at in range(1, len(args)))
    return macro("substring", args.text(0), *sizes)


def _charindex(args: FunctionCall) -> Node:
    texts = (args.text(at) for at in (0, 1))
    starts = [whole_argument(args, 2)] if len(args) == 3 else []
    return macro("charindex", *texts, *starts)


def _patindex(args: FunctionCall) -> Node:
    pattern = args.literal(0)
    if pattern is None:
        raise COMPUTED.error("PATINDEX with a computed pattern")
    if not pattern.strip("%"):
        return number(1)
    before = "" if pattern.startswith("%") else "^"
    after = "" if pattern.endswith("%") else "$"
    regex = text(f"(?is:{before}{bracket_regex(pattern.strip('%'))}{after})")
    return macro("patindex", regex, args.text(1), exp.Boolean(this=bool(after)))


def _replace(args: FunctionCall) -> Node:
    """Regardless of case, as the collation of the data is; an empty pattern changes nothing."""
    old, new = args.literal(1), args.literal(2)
    if old and new is not None and len(new) <= len(old):
        pattern = "".join(c if c.isalnum() or c.isspace() else "\\" + c for c in old)
        fresh = text(new.replace("\\", "\\\\"))
        subject = args.text(0)
        return call("regexp_replace", subject, text(pattern), fresh, text("gi"))
    translated = macro("replace", *(args.text(at) for at in range(3)))
    return _within_limit(args, translated)


def _stuff(args: FunctionCall) -> Node:
    translated = macro(
        "stuff", args.text(0), whole_argument(args, 1), whole_argument(args, 2), args.text(3)
    )
    return _within_limit(args, translated, "stuff")


def _replicate(args: FunctionCall) -> Node:
    """T-SQL cuts at 8,000 bytes."""
    kind = args.kind(0)
    if kind.size == MAX:
        raise REPLICATED.error()
    return macro(
        "replicate", args.text(0), whole_argument(args, 1), number(max_characters(kind.name))
    )


def _concat_ws(args: FunctionCall) -> Node:
    separator = call("coalesce", args.text(0), text(""))
    texts = (args.text(at) for at in range(1, len(args)))
    return _within_limit(args, call("concat_ws", separator, *texts))


def _within_limit(args: FunctionCall, translated: Node, failure: str = "long_text") -> Node:
    kind = text_type(args.name, args.judged)
    return limit_length(translated, kind, function_length(args.name, args.judged), failure)


def _translate(args: FunctionCall) -> Node:
    old, new = args.literal(1), args.literal(2)
    if old is None or new is None:
        raise COMPUTED.error("TRANSLATE with computed characters")
    if len(old) != len(new):
        return error_call("translate")
    pairs = [
        (form, fresh)
        for item, fresh in zip(old, new, strict=True)
        for form in sorted({item, item.lower(), item.upper()})
        if len(form) == 1  # the other case of some letters is two
    ]
    olds, news = ("".join(column) for column in zip(*pairs, strict=True)) if pairs else ("", "")
    return call("translate", args.text(0), text(olds), text(news))


def _character(largest: int) -> Translation:
    """Return the translation of CHAR and NCHAR: NULL beyond the largest code."""

    def translate(args: FunctionCall) -> Node:
        return macro("char", whole_argument(args, 0), number(largest))

    return translate


def _unicode(args: FunctionCall) -> Node:
    return call("nullif", call("unicode", args.text(0)), number(-1))


def _trimmed(name: str) -> Translation:
    """Return the translation of LTRIM and RTRIM: of spaces, or of some characters."""

    def translate(args: FunctionCall) -> Node:
        return call(name, args.text(0), *_characters(args, 1))

    return translate


def _trim(args: FunctionCall) -> Node:
    """TRIM(chars FROM x): the characters come first."""
    if len(args) == 1:
        return call("trim", args.text(0))
    return call("trim", args.text(1), *_characters(args, 0))


def _characters(args: FunctionCall, at: int) -> list[Node]:
    """Return the characters to trim; whether a letter includes its other case is not documented."""
    if at >= len(args):
        return []
    characters = args.literal(at)
    if characters is None or characters.lower() != characters.upper():
        raise TRIMMED.error()
    return [text(characters)]


TEXT_FUNCTIONS: dict[str, Translation] = {
    "ASCII": _unicode,
    "CHAR": _character(255),
    "CHARINDEX": _charindex,
    "CONCAT": lambda args: _within_limit(
        args, call("concat", *(args.text(at) for at in range(len(args))))
    ),
    "CONCAT_WS": _concat_ws,
    "LEFT": _end("left"),
    "LEN": lambda args: macro("len", args.text(0)),
    "LOWER": on_text("lower"),
    "LTRIM": _trimmed("ltrim"),
    "NCHAR": _character(LARGEST_CODE),
    "PATINDEX": _patindex,
    "REPLACE": _replace,
    "REPLICATE": _replicate,
    "REVERSE": on_text("reverse"),
    "RIGHT": _end("right"),
    "RTRIM": _trimmed("rtrim"),
    "SPACE": lambda args: macro("space", whole_argument(args, 0)),
    "STUFF": require_whole(_stuff, 1, 2),
    "SUBSTRING": require_whole(_substring, 1, 2),
    "TRANSLATE": _translate,
    "TRIM": _trim,
    "UNICODE": _unicode,
    "UPPER": on_text("upper"),
}
