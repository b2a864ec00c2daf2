"""Text around a statement, settings before it, and characters that no editor of SQL writes."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from moviegraph.repair.context import Correction, Edit, RefusedStatement, apply, correct
from moviegraph.repair.tokens import RawToken, TokenRange, past_parenthesis
from moviegraph.sql.lexer import STATEMENT_WORDS, regions

BEGINS = re.compile(r"\s*\(*\s*;?\s*(SELECT|WITH)\b", re.IGNORECASE)
HARMLESS = re.compile(
    r"\s*(?:GO\b|USE\s+(?:\w+|\[[^\]]+\])|SET\s+(?:NOCOUNT|ANSI_NULLS|ANSI_WARNINGS|XACT_ABORT|"
    r"QUOTED_IDENTIFIER|ARITHABORT)\s+\w+|"
    r"SET\s+LANGUAGE\s+(?:us_)?english|SET\s+DATEFORMAT\s+mdy|"
    r"SET\s+TRANSACTION\s+ISOLATION\s+LEVEL\s+(?:\w+\s+)??\w+(?=\s*[;\n]))[ \t]*(?:;|(?=\s))",
    re.IGNORECASE,
)
TAGGED = re.compile(r"<(\w+)>(.*?)</\1>", re.DOTALL)
BREAKS = re.compile(r"\\(?:r\\n|n|r|t)")
PARAGRAPH = re.compile(r";[ \t]*\r?\n\s*|\n[ \t]*\r?\n\s*|;[ \t]+(?=[A-Z][a-z]+ [a-z])")
TOLD = re.compile(
    r"(?:This|That|These|The|It|Its|Note|Notes|Explanation|Here|I|You|Please|Where|In|Let|If|"
    r"\*\*|#+|-|\d\.)[\s:*]",
)
GOES_ON = re.compile(r"(?:Where|In|\*\*|-|\d)(?![\w])")
WORDS = r"\b(?!(?:is|not|null|like|in|and|or|between|exists|by|asc|desc)\b)[a-z]+"
SENTENCE = re.compile(rf"[^\n=<>()]*{WORDS} {WORDS} {WORDS}\b[^\n=<>()]*(?:\n|\Z)")
FENCED = re.compile(r"```[A-Za-z-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)
LABEL = re.compile(r"\A[^\n;]{0,200}:[ \t]*\r?\n?\s*(?=(?:SELECT|WITH)\b)", re.IGNORECASE)
TAG = re.compile(r"\A\s*(?:sql|tsql|t-sql)[ \t]*\r?\n\s*(?=(?:SELECT|WITH)\b)", re.IGNORECASE)
TYPOGRAPHY = {
    "\u2018": "'",
    "\u2019": "'",
    "\u201a": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u201e": '"',
    "\u00a0": " ",
    "\u2007": " ",
    "\u202f": " ",
    "\u200b": "",
    "\ufeff": "",
    "\u2010": "-",
    "\u2011": "-",
    "\u2012": "-",
    "\u2013": "-",
    "\u2014": "-",
    "\u2212": "-",
    "\u2192": "->",
    "\u2190": "<-",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u2260": "<>",
    "\u00d7": "*",
}
INNER_APOSTROPHE = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])")
BEGINNINGS = frozenset({"DECLARE", "SET", "SELECT", "WITH", "GO"})
COUNTED = frozenset({"TOP", "OFFSET", "NEXT", "FIRST"})
NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:E[-+]?\d+)?", re.IGNORECASE)
TEXT_TYPE = re.compile(r"N?VARCHAR(?:\s*\(\s*(\d+|MAX)\s*\))?")


def json_wrapper(statement: RefusedStatement) -> Correction | None:
    """Of an object such as {"sql": "SELECT ..."} the one statement in it is meant."""
    if not statement.sql.lstrip().startswith(("{", '"', "[")):
        return None
    try:
        found = _statements(json.loads(statement.sql, strict=False))
    except (ValueError, RecursionError):
        return None
    if len(found) != 1:
        return None
    return correct(
        [Edit(0, len(statement.sql), found[0])], "The statement stood in JSON; it is sent alone."
    )


def quoted_whole(statement: RefusedStatement) -> Correction | None:
    """Backticks or tags around the whole statement, and what stands in other tags, are dropped."""
    text = statement.sql.strip()
    if text.startswith("`") and text.strip("`") and BEGINS.match(text.strip("`")):
        inner = text.strip("`")
    else:
        tagged = TAGGED.search(text)
        inner = TAGGED.sub("", text) if tagged else ""
        if tagged and not BEGINS.match(inner):
            inner = tagged[2] if not inner.strip() else ""
    if not BEGINS.match(inner) or inner.startswith("``") or "`" in inner:
        return None
    why = "Only the statement itself is sent, without what is wrapped around it."
    return correct([Edit(0, len(statement.sql), inner.strip())], why)


def _statements(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] if BEGINS.match(value) else []
    if isinstance(value, dict):
        held = cast("dict[str, Any]", value)
        return [text for each in held.values() for text in _statements(each)]
    return []


def escaped_breaks(statement: RefusedStatement) -> Correction | None:
    r"""A \n written out between words is a line break."""
    if "\\" not in statement.sql or not statement.readable:
        return None
    edits = [
        Edit(found.start(), found.end(), "\n" if "n" in found.group() else " ")
        for region in regions(statement.sql)
        if region.kind == "code"
        for found in BREAKS.finditer(statement.sql, region.start, region.end)
    ]
    return correct(edits, r"\n and \t stood for line breaks and blanks.")


def harmless_preamble(statement: RefusedStatement) -> Correction | None:
    """USE, GO and SET NOCOUNT ON in front read nothing and change nothing here."""
    index = 0
    while (found := HARMLESS.match(statement.sql, index)) is not None:
        index = found.end()
    if not index or not re.match(
        r"\s*(?:;\s*)?(?:SELECT|WITH|DECLARE)\b", statement.sql[index:], re.I
    ):
        return None
    why = "One statement is sent alone; the database and the settings are the server's."
    return correct([Edit(0, index, "")], why)


def prose_behind(statement: RefusedStatement) -> Correction | None:
    """Sentences below the statement are no part of it."""
    if not BEGINS.match(statement.sql):
        return None
    for found in PARAGRAPH.finditer(statement.sql):
        rest = statement.sql[found.end() :]
        ended = found.group().startswith(";")
        if not TOLD.match(rest) or _commands(rest) or not (ended or _is_told(rest)):
            continue
        keep = found.start() + ended
        why = "What is said about the statement is no part of it."
        return correct([Edit(keep, len(statement.sql), "")], why)
    return None


def _is_told(rest: str) -> bool:
    """Whether a text that no semicolon parts from the statement cannot be its next clause."""
    return not GOES_ON.match(rest) or SENTENCE.match(rest) is not None


def _commands(prose: str) -> bool:
    """Whether a line of a text begins like a statement, which nobody should overlook."""
    words = {
        line.split(maxsplit=1)[0].upper() for line in re.split(r"[;\n]", prose) if line.split()
    }
    return bool(words & (STATEMENT_WORDS | {"SELECT", "WITH"}))


def code_fence(statement: RefusedStatement) -> Correction | None:
    """The one fenced block among prose is the statement."""
    blocks = list(FENCED.finditer(statement.sql))
    if len(blocks) != 1 or not statement.sql.replace(blocks[0].group(), "").strip():
        return None
    start, end = blocks[0].span(1)
    edits = (Edit(0, start, ""), Edit(end, len(statement.sql), ""))
    return correct(edits, "Only the fenced block is the statement; the prose was dropped.")


def prose_before(statement: RefusedStatement) -> Correction | None:
    """A label such as "Here is the query:" is no part of the statement."""
    found = LABEL.match(statement.sql) or TAG.match(statement.sql)
    words = re.findall(r"\w+", found.group().upper()) if found else []
    if not found or (words and words[0] in STATEMENT_WORDS | {"SELECT", "WITH"}):
        return None
    return correct([Edit(0, found.end(), "")], "The label before the statement was dropped.")


def typographic_characters(statement: RefusedStatement) -> Correction | None:
    """Curly quotes, long dashes and invisible blanks outside strings become plain ones."""
    if statement.sql.isascii():
        return None
    spans = _code_spans(statement)
    edits = [
        Edit(index, index + 1, TYPOGRAPHY[char])
        for index, char in enumerate(statement.sql)
        if char in TYPOGRAPHY and any(start <= index < end for start, end in spans)
    ]
    return correct(edits, "T-SQL reads plain quotes, dashes and blanks only.")


def _code_spans(statement: RefusedStatement) -> list[tuple[int, int]]:
    """Return where code stands; between curly quotes a text is kept as it is."""
    if not statement.readable:
        return [(0, len(statement.sql))]
    code = [(r.start, r.end) for r in regions(statement.sql) if r.kind == "code"]
    quoted = [m.span() for m in re.finditer(r"\u2018[^\u2018]*?\u2019(?!\w)", statement.sql)]
    inner = [(start + 1, end - 1) for start, end in quoted]
    found: list[tuple[int, int]] = []
    for start, end in code:
        cuts = [each for each in inner if start <= each[0] and each[1] <= end]
        for cut in cuts:
            found.append((start, cut[0]))
            start = cut[1]
        found.append((start, end))
    return found


def apostrophe(statement: RefusedStatement) -> Correction | None:
    """In a text such as 'Schindler's List' the one apostrophe inside is doubled."""
    if statement.readable:
        return None
    found = [
        match
        for match in INNER_APOSTROPHE.finditer(statement.sql)
        if not statement.sql[: match.start()].endswith((" N", "(N", "=N", ",N"))
    ]
    if len(found) != 1:
        return None
    index = found[0].start()
    return correct([Edit(index, index + 1, "''")], "An apostrophe inside a text is doubled.")


def escaped_apostrophe(statement: RefusedStatement) -> Correction | None:
    r"""\' inside a text is a doubled apostrophe, where only so every text ends."""
    if statement.readable or "\\'" not in statement.sql:
        return None
    edits = [Edit(m.start(), m.end(), "''") for m in re.finditer(r"\\'", statement.sql)]
    mended = RefusedStatement(apply(statement.sql, tuple(edits)), statement.contract)
    why = "An apostrophe inside a text is doubled."
    return correct(edits, why) if mended.readable else None


@dataclass(slots=True)
class _Declared:
    """What was read: the variables of a vector, the values of others, and where it ends.

    `types` are as declared, `literals` and `numbers` as given; `texts` are those that a vector is
    made of, and `spent` the variables that gave them.
    """

    vectors: set[str] = field(default_factory=set[str])
    values: dict[str, str] = field(default_factory=dict[str, str])
    types: dict[str, str] = field(default_factory=dict[str, str])
    literals: dict[str, RawToken] = field(default_factory=dict[str, RawToken])
    numbers: dict[str, str] = field(default_factory=dict[str, str])
    texts: set[str] = field(default_factory=set[str])
    spent: set[str] = field(default_factory=set[str])
    index: int = 0


def declaration(statement: RefusedStatement) -> Correction | None:
    """DECLARE and SET in front are dropped: @q is given by the server, a value is written out."""
    if statement.upper(0) not in ("DECLARE", "SET"):
        return None
    read = _Declared()
    while statement.upper(read.index) in ("DECLARE", "SET", ";", "GO"):
        if not _statement(statement, read):
            return None
    selects = statement.upper(read.index) in ("SELECT", "WITH", "(")
    if not selects or len(read.vectors) > 1 or len(read.texts) > 1 or not read.types:
        return None
    edits = _written_out(statement, read)
    used = {token.text.lower() for token in statement.tokens[read.index :]} | read.spent
    if edits is None or read.values.keys() - used:
        return None
    text = next(iter(read.texts), None)
    named = f" (pass {text!r})" if text else ""
    why = f"Variables cannot be declared: @q comes from `query`{named}; values are written out."
    return Correction((Edit(0, statement.start(read.index), ""), *edits), why, text)


def _written_out(statement: RefusedStatement, read: _Declared) -> list[Edit] | None:
    """Return the edits that put values for the variables; None where one has no known value."""
    edits: list[Edit] = []
    for index in range(read.index, len(statement.tokens)):
        token = statement.tokens[index]
        name = token.text.lower()
        if name in read.vectors and name != "@q":
            edits.append(Edit(token.start, token.end, "@q"))
        elif name in read.values:
            before = index - 1 - (statement.upper(index - 1) == "(")
            text = read.numbers.get(name) if statement.upper(before) in COUNTED else None
            edits.append(Edit(token.start, token.end, text or read.values[name]))
        elif name in read.types and name not in read.vectors:
            return None
    return edits


def _statement(statement: RefusedStatement, read: _Declared) -> bool:
    """Read one statement of the preamble; False where it does more than set a variable."""
    word = statement.upper(read.index)
    if word in (";", "GO"):
        read.index += 1
        return True
    if word == "SET" and statement.words(read.index + 1, "NOCOUNT", "ON"):
        read.index += 3
        return True
    read.index += 1
    while True:
        if not _variable(statement, read, typed=word == "DECLARE"):
            return False
        if statement.upper(read.index) != ",":
            return True
        read.index += 1


def _variable(statement: RefusedStatement, read: _Declared, *, typed: bool) -> bool:
    name = statement.tokens[read.index].text.lower() if read.index < len(statement.tokens) else ""
    if not name.startswith("@") or len(name) < 2:
        return False
    index = read.index + 1
    if typed:
        first = index + (statement.upper(index) == "AS")
        sized = statement.upper(first + 1) == "("
        index = past_parenthesis(statement.tokens, first + 1) if sized else first + 1
        read.types[name] = statement.text(TokenRange(first, index)).upper()
    first = index + 1
    if statement.upper(index) == "=":
        index = _past_value(statement, first)
        _take(statement, read, name, statement.tokens[first:index])
    if _is_vector(read, name) and name not in read.values:
        read.vectors.add(name)
    read.index = index
    return name in read.types


def _is_vector(read: _Declared, name: str) -> bool:
    return read.types.get(name, "").split("(")[0].strip() == "VECTOR"


def _past_value(statement: RefusedStatement, index: int) -> int:
    while index < len(statement.tokens) and statement.upper(index) not in BEGINNINGS | {";", ","}:
        index = (
            past_parenthesis(statement.tokens, index)
            if statement.upper(index) == "("
            else index + 1
        )
    return index


def _reads(statement: RefusedStatement, value: tuple[RawToken, ...]) -> bool:
    """Whether a value comes from a table of the graph: such a vector is not that of the query."""
    tables = {table.lower() for table in statement.contract.table_names}
    return any(token.is_name and token.name.lower() in tables for token in value)


def _take(
    statement: RefusedStatement, read: _Declared, name: str, value: tuple[RawToken, ...]
) -> None:
    """Keep a literal value, and forget the one before; a vector's value is the server's."""
    read.values.pop(name, None)
    texts = "".join(token.text for token in value)
    kind = read.types.get(name, "")
    if any(token.upper == "SELECT" for token in value) and _reads(statement, value):
        text = statement.sql[value[0].start : value[-1].end]
        read.values[name] = text if _is_vector(read, name) else f"CAST({text} AS {kind})"
        return
    is_list = len(value) == 1 and value[0].kind == "string" and value[0].name.startswith("[")
    if (
        (is_list and any(word in kind for word in ("CHAR", "JSON")))
        or _is_vector(read, name)
        or any("EMBEDDING" in p.text.upper() for p in value if p.kind != "string")
    ):
        read.vectors.add(name)
        read.texts |= set(_embedded(read, value))
    elif len(value) == 1 and value[0].kind == "string":
        read.literals[name] = value[0]
        written = _written_text(value[0], kind)
        read.values |= {name: written} if written else {}
    elif NUMBER.fullmatch(texts):
        read.numbers[name], read.values[name] = texts, _written_number(texts, kind)


def _embedded(read: _Declared, value: tuple[RawToken, ...]) -> Iterator[str]:
    """Yield the texts of a vector's value, also by variable; a list of numbers is none."""
    for token in value:
        name = token.text.lower()
        found = token if token.kind == "string" else read.literals.get(name)
        if found is not None and re.match(r"\s*[^\W_]", found.name):
            read.spent.add(name)
            yield found.name


def _written_text(token: RawToken, kind: str) -> str | None:
    """Return a text as its declared type holds it; None for one cut to a single character."""
    found = TEXT_TYPE.fullmatch(kind)
    if found is None:
        return f"CAST({token.text} AS {kind})"
    size = found[1] or "1"
    if size == "MAX" or len(token.name) <= int(size):
        return token.text
    return f"CAST({token.text} AS {kind})" if found[1] else None


def _written_number(text: str, kind: str) -> str:
    """Return a number of its declared type: a literal without a fraction is an INT already."""
    if kind not in ("INT", "INTEGER") or not text.lstrip("+-").isdigit():
        return f"CAST({text} AS {kind})"
    return f"({text})" if text[0] in "+-" else text


def doubled_quotes(statement: RefusedStatement) -> Correction | None:
    """CONTAINS(a, ''two words'') is a text in its own quotes: '"two words"'."""
    form = re.compile(
        r"\b(?:CONTAINS|FREETEXT)(?:TABLE)?\s*\([^']*?,\s*(''\s*([^'\"]+?)\s*'')\s*[,)]", re.I
    )
    edits = [
        Edit(found.start(1), found.end(1), f"'\"{found[2]}\"'")
        for found in form.finditer(statement.sql)
    ]
    return correct(edits, "A text has one pair of quotes; a phrase in it double ones.")
