"""Words that mean one thing in one place, and elsewhere another, or a second statement."""

from collections.abc import Callable

from sqlglot.tokenizer_core import TokenType

from moviegraph.sql.gate import BRACES, QUOTED
from moviegraph.sql.reader import Reader
from moviegraph.sql.refusal import RefusalError

HINTS = frozenset(
    """
    FORCESCAN FORCESEEK HOLDLOCK INDEX NOEXPAND NOLOCK NOWAIT PAGLOCK READCOMMITTED
    READCOMMITTEDLOCK READPAST READUNCOMMITTED REPEATABLEREAD ROWLOCK SERIALIZABLE SNAPSHOT TABLOCK
    TABLOCKX UPDLOCK XLOCK
    """.split()
)
BEFORE_DISTINCT = frozenset({"SELECT", "(", "IS", "NOT"})
BEFORE_LIST = frozenset({"SELECT", "FROM", "GROUP BY", "ORDER BY", "PARTITION BY", "("})
NO_NAME = frozenset({"FROM", "WHERE", "GROUP BY", "ORDER BY", "UNION", "FOR", "TOP", "HAVING"})
AFTER_WITH = frozenset({"(", "TIES", "ROLLUP", "CUBE"})


def check_place(reader: Reader, word: str, depth: int) -> None:
    """Refuse the current word where it stands. Raises RefusalError."""
    if word == "SELECT":
        _check_select(reader, depth)
    elif word in CHECKS:
        CHECKS[word](reader)


def _check_with(reader: Reader) -> None:
    if reader.word(1) in ("APPROX", "APPROXIMATE"):
        raise RefusalError(
            "syntax",
            "WITH APPROXIMATE follows TOP and a plain number: SELECT TOP (10) WITH APPROXIMATE ...",
            reader.span(),
        )
    if reader.word(1) == "ARRAY":
        raise RefusalError(
            "syntax",
            "WITH ARRAY WRAPPER needs a value of type json, and JSON is text here: unfold the "
            "array with OPENJSON.",
            reader.span(),
        )
    if reader.at and reader.word(1) not in AFTER_WITH:
        raise RefusalError(
            "syntax",
            "CTEs stand once, at the very beginning: WITH a AS (...), b AS (...) SELECT ...",
            reader.span(),
        )


def _check_all(reader: Reader) -> None:
    if reader.word(-1) in ("EXCEPT", "INTERSECT"):
        raise RefusalError(
            "syntax", "T-SQL has EXCEPT and INTERSECT without ALL; drop it.", reader.span()
        )


def _check_distinct(reader: Reader) -> None:
    if reader.word(-1) not in BEFORE_DISTINCT:
        raise RefusalError(
            "syntax", "DISTINCT stands right after SELECT: SELECT DISTINCT TOP 5 ...", reader.span()
        )


def _check_arrow(reader: Reader) -> None:
    raise RefusalError(
        "syntax",
        "An arrow stands in MATCH only: MATCH(m-(e)->t). JSON is read with JSON_VALUE.",
        reader.span(),
    )


def _check_for(reader: Reader) -> None:
    if reader.word(1) in ("SYSTEM", "TIMESTAMP", "VERSION"):
        raise RefusalError(
            "syntax",
            "FOR is followed by JSON at the end of a SELECT, or by PATH behind a table of "
            "SHORTEST_PATH.",
            reader.span(),
        )


def _check_brace(reader: Reader) -> None:
    raise RefusalError("syntax", BRACES, reader.span())


def _check_bang(reader: Reader) -> None:
    raise RefusalError("syntax", "T-SQL negates with NOT, and compares with <>.", reader.span())


def _check_opening(reader: Reader) -> None:
    if reader.word(-1) == "OVER" and reader.word(2) == ")" and reader.word(1) != "(":
        raise RefusalError(
            "syntax",
            "OVER takes the name of a window without parentheses: SUM(x) OVER w. Inside them more "
            "follows the name: OVER (w ORDER BY x).",
            reader.span(),
        )
    if reader.word(1) in HINTS and reader.word(2) in (")", ",", "("):
        raise RefusalError("not_allowed", "Table hints are not allowed. Drop them.", reader.span())


def _check_top(reader: Reader) -> None:
    after = reader.token(1)
    if after is None or (after.token_type is not TokenType.NUMBER and after.text != "("):
        raise RefusalError(
            "not_allowed", "TOP takes a plain number: SELECT TOP 20 ...", reader.span()
        )


def _check_select(reader: Reader, depth: int) -> None:
    """SELECT may only stand where one statement continues, else it begins another."""
    before = reader.word(-1)
    if reader.at == 0 or before in ("(", "UNION", "ALL", "EXCEPT", "INTERSECT"):
        return
    after_ctes = before == ")" and depth == 0 and reader.tokens[0].text.upper() == "WITH"
    if after_ctes and not _queries_before(reader):
        return
    raise RefusalError(
        "multiple_statements",
        "A second SELECT begins here. Join the two with UNION ALL, or send them one at a time.",
        reader.span(),
    )


def _queries_before(reader: Reader) -> bool:
    """Whether a query has already begun outside all parentheses."""
    depth = 0
    for back in range(-reader.at, 0):
        text = reader.word(back)
        depth += (text == "(") - (text == ")")
        if depth == 0 and text in ("SELECT", "UNION", "EXCEPT", "INTERSECT"):
            return True
    return False


def _check_direction(reader: Reader) -> None:
    if reader.word(1) in ("ASC", "DESC"):
        raise RefusalError("syntax", "One of ASC and DESC stands here too much.", reader.span())


def _check_as(reader: Reader) -> None:
    """AS follows a value, a table or a name, and a name, type or CTE follows it."""
    after = reader.token(1)
    quoted = after is not None and after.token_type in QUOTED
    named = quoted or reader.word(1)[:1].isalpha() or reader.word(1)[:1] in ("(", "_")
    if not named or reader.word(1) in NO_NAME or reader.word(-1) in BEFORE_LIST | {","}:
        raise RefusalError(
            "syntax", "AS stands here without a name; write: expression AS x.", reader.span()
        )


def _check_comma(reader: Reader) -> None:
    before, after = reader.word(-1), reader.word(1)
    if before in BEFORE_LIST or after in (",", ")"):
        raise RefusalError(
            "syntax", "A comma stands here with nothing beside it; drop it.", reader.span()
        )


def _check_by(reader: Reader) -> None:
    word = reader.word()
    if not (word == "GROUP" and reader.word(-1) == "WITHIN") and reader.word(-1) != ".":
        raise RefusalError(
            "syntax",
            f"{word} is followed by BY: {word} BY x. As a name, bracket it.",
            reader.span(),
        )


CHECKS: dict[str, Callable[[Reader], None]] = {
    "AS": _check_as,
    "ASC": _check_direction,
    "GROUP": _check_by,
    "ORDER": _check_by,
    "DESC": _check_direction,
    "WITH": _check_with,
    "ALL": _check_all,
    "DISTINCT": _check_distinct,
    "TOP": _check_top,
    "->": _check_arrow,
    "!": _check_bang,
    "FOR": _check_for,
    "{": _check_brace,
    "(": _check_opening,
    ",": _check_comma,
}
