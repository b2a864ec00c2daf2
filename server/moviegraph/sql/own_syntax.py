"""Calls with a syntax of their own (TRIM, JSON_OBJECT, JSON_ARRAY, ISJSON) as plain calls.

`TRIM(LEADING c FROM x)` becomes `__TRIM(__SIDE(0), c, x)`, `JSON_OBJECT('a': 1 ABSENT ON NULL)`
becomes `__JSON_OBJECT('a', 1, __ON_NULL(0))`, `ISJSON(x, ARRAY)` `__ISJSON(x, __JSON_KIND(1))`;
rendering writes them back.
"""

from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from moviegraph.sql.gate import COLON
from moviegraph.sql.reader import Parts, Reader, numbered
from moviegraph.sql.refusal import RefusalError

SIDES = ("LEADING", "TRAILING", "BOTH")
JSON_KINDS = ("VALUE", "ARRAY", "OBJECT", "SCALAR")
NULL_WORDS = ("ABSENT", "NULL")
NAMES = frozenset({"TRIM", "JSON_OBJECT", "JSON_ARRAY", "ISJSON"})
MARKS = frozenset({"__SIDE", "__ON_NULL", "__JSON_KIND"})
TRIM_FORM = "TRIM(x), TRIM('chars' FROM x) or TRIM(LEADING 'chars' FROM x)"
OBJECT_FORM = "JSON_OBJECT('key': value, 'other': value)"
COMMA: Parts = ((TokenType.COMMA, ","),)


@dataclass(frozen=True, slots=True)
class Emitted:
    """What stands for the current token, and for how many tokens after it."""

    parts: Parts
    skip: int = 0


@dataclass(slots=True)
class _Open:
    """A call whose parentheses are open: what of its own syntax was seen."""

    name: str
    depth: int
    marks: int = 0
    commas: int = 0
    empty: bool = False


@dataclass(slots=True)
class OwnSyntax:
    """The open calls of one statement."""

    calls: list[_Open] = field(default_factory=list[_Open])

    def read(self, reader: Reader, word: str, depth: int) -> Emitted | None:
        """Return what stands for the current token, or None where it stays as it is."""
        if word == "(" and reader.word(-1) in NAMES and reader.word(-2) != ".":
            self.calls.append(_Open(reader.word(-1), depth + 1))
            return None
        here = self.calls[-1] if self.calls and self.calls[-1].depth == depth else None
        if here is None or here.name == "ISJSON":
            if word == ":":
                raise RefusalError("syntax", COLON, reader.span())
            if here is None:
                return None
        made = _inside(here, reader, word)
        if word == ")":
            self.calls.pop()
        return made


def _inside(here: _Open, reader: Reader, word: str) -> Emitted | None:
    if here.name == "TRIM":
        return _trim(here, reader, word)
    if here.name == "ISJSON":
        return _kind(reader, word)
    if word in NULL_WORDS and reader.word(1) == "ON" and reader.word(2) == "NULL":
        return _null_clause(here, reader, word)
    if here.name == "JSON_OBJECT":
        return _object(here, reader, word)
    if word == ":":
        raise RefusalError("syntax", "JSON_ARRAY takes values, no keys.", reader.span())
    return None


def _trim(here: _Open, reader: Reader, word: str) -> Emitted | None:
    side = word in SIDES and reader.word(-1) == "(" and reader.word(1) != "."
    if side and reader.word(1) not in (")", "FROM"):
        here.empty = True
        return Emitted((*numbered("__SIDE", str(SIDES.index(word))), *COMMA))
    if word == "FROM" and not here.marks and reader.word(-1) != "(":
        here.marks += 1
        return Emitted(COMMA)
    if word == "," or word == "FROM" or (word == ")" and here.empty and not here.marks):
        raise RefusalError("syntax", f"TRIM is written {TRIM_FORM}.", reader.span())
    return None


def _kind(reader: Reader, word: str) -> Emitted | None:
    if word in JSON_KINDS and reader.word(-1) == "," and reader.word(1) == ")":
        return Emitted(numbered("__JSON_KIND", str(JSON_KINDS.index(word))))
    return None


def _null_clause(here: _Open, reader: Reader, word: str) -> Emitted:
    if reader.word(3) != ")":
        raise RefusalError(
            "syntax", f"{word} ON NULL is the last thing in {here.name}(...).", reader.span()
        )
    here.empty = reader.word(-1) == "("
    clause = numbered("__ON_NULL", str(NULL_WORDS.index(word)))
    return Emitted(clause if here.empty else (*COMMA, *clause), skip=2)


def _object(here: _Open, reader: Reader, word: str) -> Emitted | None:
    if word == ":" and here.marks == here.commas:
        here.marks += 1
        return Emitted(COMMA)
    if word == "," and here.marks == here.commas + 1:
        here.commas += 1
        return None
    empty = word == ")" and not here.marks and (here.empty or reader.word(-1) == "(")
    ends = word == ")" and here.marks == here.commas + 1
    if word in (":", ",", ")") and not (empty or ends):
        raise RefusalError("syntax", f"JSON_OBJECT is written {OBJECT_FORM}.", reader.span())
    return None


def check_mark(node: exp.Anonymous) -> None:
    """Refuse a mark that stands where its call does not put it."""
    parent = node.parent
    name = parent.name if isinstance(parent, exp.Anonymous) else ""
    at = parent.expressions.index(node) if parent is not None and name else -1
    last = parent is not None and at == len(parent.expressions) - 1
    fits = {
        "__SIDE": name == "__TRIM" and at == 0,
        "__JSON_KIND": name == "__ISJSON" and at == 1,
        "__ON_NULL": name in ("__JSON_OBJECT", "__JSON_ARRAY") and last,
    }
    if not fits[node.name]:
        raise RefusalError("syntax", f"{node.name[2:]} stands where it means nothing.")


def parted(call: exp.Anonymous) -> tuple[list[exp.Expr], str | None]:
    """Return the values of a call, and the word of its mark if it has one."""
    values = [e for e in call.expressions if not _is_mark(e)]
    marks = [e for e in call.expressions if _is_mark(e)]
    return values, _word(marks[0]) if marks else None


def _is_mark(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name in MARKS


def _word(mark: exp.Expr) -> str:
    words = {"__SIDE": SIDES, "__ON_NULL": NULL_WORDS, "__JSON_KIND": JSON_KINDS}
    return words[mark.name][int(mark.expressions[0].name)]


def own_text(name: str, values: list[str], word: str | None) -> str:
    """Return a call in T-SQL, from the texts of its values."""
    if name == "TRIM":
        inner = " FROM ".join(values)
        return f"TRIM({word} {inner})" if word else f"TRIM({inner})"
    if name == "ISJSON":
        return f"ISJSON({values[0]}, {word})" if word else f"ISJSON({values[0]})"
    if name == "JSON_OBJECT":
        pairs = zip(values[::2], values[1::2], strict=True)
        values = [f"{key}: {value}" for key, value in pairs]
    clause = f"{word} ON NULL" if word else ""
    return f"{name}({' '.join(part for part in (', '.join(values), clause) if part)})"
