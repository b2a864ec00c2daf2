"""Text around a statement, settings before it, and characters that no editor of SQL writes."""

import json
import re
from typing import Any, cast

from moviegraph.repair.context import (
    Correction,
    Edit,
    RefusedStatement,
    apply,
    correct,
)
from moviegraph.repair.rewrites import PARENTHESES, TEXT
from moviegraph.sql.lexer import STATEMENT_WORDS, regions

BEGINS = re.compile(r"\s*\(*\s*;?\s*(SELECT|WITH)\b", re.IGNORECASE)
HARMLESS = re.compile(
    r"\s*(?:GO\b|EXPLAIN\b|USE\s+(?:\w+|\[[^\]]+\])|SET\s+(?:NOCOUNT|ANSI_NULLS|ANSI_WARNINGS|XACT_ABORT|"
    r"QUOTED_IDENTIFIER|ARITHABORT)\s+\w+|"
    r"SET\s+LANGUAGE\s+(?:us_)?english|SET\s+DATEFORMAT\s+mdy|"
    r"SET\s+TRANSACTION\s+ISOLATION\s+LEVEL\s+(?:\w+\s+)??\w+(?=\s*[;\n]))[ \t]*(?:;|(?=\s))",
    re.IGNORECASE,
)
TAGGED = re.compile(r"<(\w+)>(.*?)</\1>", re.DOTALL)
FENCED = re.compile(r"```[A-Za-z-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)
LABEL = re.compile(r"\A[^\n;]{0,200}:[ \t]*\r?\n?\s*(?=(?:SELECT|WITH)\b)", re.IGNORECASE)
TAG = re.compile(
    r"\A\s*(?:(?:(?:#|//)[^\n]*\n\s*)+|(?:sql|tsql|t-sql)[ \t]*\r?\n\s*)(?=(?:SELECT|WITH)\b)",
    re.IGNORECASE,
)
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

VALUE = rf"[-+]?\d[\d.]*(?:E[-+]?\d+)?|{TEXT}|\w+\s*{PARENTHESES}|{PARENTHESES}"
DECLARED = re.compile(
    r"\s*(?:GO\b|;|SET\s+NOCOUNT\s+ON\b|(?:DECLARE\s+|SET\s+|,\s*)@(?P<name>\w+)\s*"
    rf"(?:AS\s+)?(?P<type>[A-Z]\w*(?:\s*\([^()]*\))?)?(?:\s*=\s*(?P<value>{VALUE}))?(?=\s*[;,\s]))"
)
TEXT_TYPE = re.compile(r"N?VARCHAR(?:\((\d+|MAX)\))?")


def json_wrapper(statement: RefusedStatement) -> Correction | None:
    """Of an object such as {"sql": "SELECT ..."} the one statement in it is meant."""
    if not statement.sql.lstrip().startswith(("{", '"', "[")):
        return None
    try:
        statements = _statements(json.loads(statement.sql, strict=False))
    except (ValueError, RecursionError):
        return None
    if len(statements) != 1:
        return None
    return correct(
        [Edit(0, len(statement.sql), statements[0])],
        "The statement was inside JSON; only the statement is run.",
    )


def quoted_whole(statement: RefusedStatement) -> Correction | None:
    """Backticks or tags around the whole statement, and the content of other tags, are dropped."""
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
    reason = "Only the statement is run, without what is wrapped around it."
    return correct([Edit(0, len(statement.sql), inner.strip())], reason)


def _statements(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] if BEGINS.match(value) else []
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return [text for member in members.values() for text in _statements(member)]
    return []


def harmless_preamble(statement: RefusedStatement) -> Correction | None:
    """USE, GO and SET NOCOUNT ON in front read nothing and change nothing here."""
    index = 0
    while (match := HARMLESS.match(statement.sql, index)) is not None:
        index = match.end()
    if not index or not re.match(
        r"\s*(?:;\s*)?(?:SELECT|WITH|DECLARE)\b", statement.sql[index:], re.I
    ):
        return None
    reason = "Only the statement is run; the server chooses database and settings."
    return correct([Edit(0, index, "")], reason)


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
    match = LABEL.match(statement.sql) or TAG.match(statement.sql)
    words = re.findall(r"\w+", match.group().upper()) if match else []
    if not match or (words and words[0] in STATEMENT_WORDS | {"SELECT", "WITH"}):
        return None
    return correct([Edit(0, match.end(), "")], "The label before the statement was dropped.")


def typographic_characters(statement: RefusedStatement) -> Correction | None:
    """Curly quotes, long dashes and invisible spaces outside strings become plain ones."""
    if statement.sql.isascii():
        return None
    code = _code_positions(statement)
    edits = [
        Edit(index, index + 1, TYPOGRAPHY[char])
        for index, char in enumerate(statement.sql)
        if char in TYPOGRAPHY and index in code
    ]
    return correct(edits, "T-SQL accepts only ASCII quotes, dashes and spaces.")


def _code_positions(statement: RefusedStatement) -> set[int]:
    """Return where code is; a string between curly quotes stays as it is."""
    if not statement.readable:
        return set(range(len(statement.sql)))
    parts = [part for part in regions(statement.sql) if part.kind == "code"]
    code = {position for part in parts for position in range(part.start, part.end)}
    for quoted in re.finditer(r"\u2018([^\u2018]*?)\u2019(?!\w)", statement.sql):
        inner = set(range(*quoted.span(1)))
        code -= inner if inner <= code else set()
    return code


def apostrophe(statement: RefusedStatement) -> Correction | None:
    """In a text such as 'Schindler's List' the one apostrophe inside is doubled."""
    if statement.readable:
        return None
    matches = [
        match
        for match in INNER_APOSTROPHE.finditer(statement.sql)
        if not statement.sql[: match.start()].endswith((" N", "(N", "=N", ",N"))
    ]
    if len(matches) != 1:
        return None
    index = matches[0].start()
    return correct([Edit(index, index + 1, "''")], "An apostrophe inside a string is doubled.")


def escaped_apostrophe(statement: RefusedStatement) -> Correction | None:
    r"""\' inside a text is a doubled apostrophe, where only so every text ends."""
    if statement.readable or "\\'" not in statement.sql:
        return None
    edits = [Edit(m.start(), m.end(), "''") for m in re.finditer(r"\\'", statement.sql)]
    repaired = RefusedStatement(apply(statement.sql, tuple(edits)), statement.contract)
    reason = "An apostrophe inside a string is doubled."
    return correct(edits, reason) if repaired.readable else None


def declaration(statement: RefusedStatement) -> Correction | None:
    """DECLARE and SET in front are dropped: @q is given by the server, a literal is written out."""
    types, values, end = dict[str, str](), dict[str, str](), 0
    while match := DECLARED.match(statement.masked, end):
        end, name = match.end(), match["name"]
        if name and match["type"]:
            types[name] = "".join(match["type"].split())
        if name and match["value"]:
            values[name] = statement.sql[slice(*match.span("value"))]
    body = re.match(r"\s*(?=SELECT|WITH|\()", statement.masked[end:])
    if not types or body is None or values.keys() - types.keys():
        return None
    embedded = {name for name in types if _is_vector(types[name], values.get(name, ""))}
    stored = {name for name in embedded if _reads_graph(statement, values.get(name, ""))}
    vectors = embedded - stored
    start = end + body.end()
    used = [token for token in statement.tokens if token.start >= start and token.text[0] == "@"]
    edits = [Edit(0, start, "")]
    for token in used:
        name = token.text[1:].upper()
        literal = _literal(types.get(name, ""), values.get(name, ""))
        literal = values[name] if name in stored else literal
        text = "@q" if name in vectors else literal if name in types else token.text
        if text is None:
            return None
        edits.append(Edit(token.start, token.end, text))
    texts = {text for name in vectors for text in _embedded_texts(values.get(name, ""), values)}
    spent = {token.text[1:].upper() for token in used} | vectors
    spent |= {name for value in values.values() for name in _variable_names(value)}
    if len(vectors) > 1 or len(texts) > 1 or types.keys() - spent:
        return None
    text = next(iter(texts), None)
    instruction = f" (pass {text!r})" if text else ""
    reason = (
        f"Variables cannot be declared: @q comes from `query`{instruction}; values are written out."
    )
    return Correction(tuple(edits), reason, text)


def _is_vector(declared: str, value: str) -> bool:
    """Return whether a variable is the embedding of a text, or a list of numbers."""
    is_list = "CHAR" in declared and value.removeprefix("N").startswith("'[")
    return declared.startswith("VECTOR") or is_list or "EMBEDDING" in value.upper()


def _literal(declared: str, value: str) -> str | None:
    """Return a value that fits its declared type as written, or None."""
    sized = TEXT_TYPE.fullmatch(declared)
    if sized and value.endswith("'"):
        is_held = sized[1] == "MAX" or len(value) <= int(sized[1] or 0)
        return value if is_held else None
    return value if declared in ("INT", "INTEGER") and value.isdigit() else None


def _variable_names(text: str) -> set[str]:
    return set(re.findall(r"@(\w+)", text.upper()))


def _embedded_texts(value: str, values: dict[str, str]) -> set[str]:
    """Return the texts in a value, also by variable; a list of numbers is none."""
    parts = [value, *(values[name] for name in _variable_names(value) & values.keys())]
    texts = re.findall(r"'((?:[^']|'')*)'", " ".join(parts))
    return {text.replace("''", "'") for text in texts if re.match(r"\s*[^\W_]", text)}


def _reads_graph(statement: RefusedStatement, value: str) -> bool:
    """Return whether a value comes from a table, so that its vector is not the query's."""
    names = {name.lower() for name in re.findall(r"\w+", value)}
    return bool(names & {table.lower() for table in statement.contract.table_names})


def doubled_quotes(statement: RefusedStatement) -> Correction | None:
    """CONTAINS(a, ''two words'') is a text in its own quotes: '"two words"'."""
    form = re.compile(
        r"\b(?:CONTAINS|FREETEXT)(?:TABLE)?\s*\([^']*?,\s*(''\s*([^'\"]+?)\s*'')\s*[,)]", re.I
    )
    edits = [
        Edit(match.start(1), match.end(1), f"'\"{match[2]}\"'")
        for match in form.finditer(statement.sql)
    ]
    return correct(
        edits, "A string has one pair of single quotes; a phrase in it has double quotes."
    )
