"""Text around a statement, settings before it, and characters that no editor of SQL writes."""

import json
import re
from dataclasses import dataclass
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
    r"\s*(?:GO\b|USE\s+(?:\w+|\[[^\]]+\])|SET\s+(?:NOCOUNT|ANSI_NULLS|ANSI_WARNINGS|XACT_ABORT|"
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
COUNT = re.compile(r"\b(?:TOP|OFFSET|NEXT|FIRST)\s*\(?\s*\Z")
NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:E[-+]?\d+)?", re.IGNORECASE)
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
    why = "Only the statement is run, without what is wrapped around it."
    return correct([Edit(0, len(statement.sql), inner.strip())], why)


def _statements(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] if BEGINS.match(value) else []
    if isinstance(value, dict):
        held = cast("dict[str, Any]", value)
        return [text for member in held.values() for text in _statements(member)]
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
    why = "Only the statement is run; the server chooses database and settings."
    return correct([Edit(0, index, "")], why)


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
    mended = RefusedStatement(apply(statement.sql, tuple(edits)), statement.contract)
    why = "An apostrophe inside a string is doubled."
    return correct(edits, why) if mended.readable else None


@dataclass(slots=True)
class _Variable:
    """A declared variable: its type, its value as written, and the texts in that value."""

    type: str
    value: str = ""
    texts: frozenset[str] = frozenset()

    @property
    def is_vector(self) -> bool:
        """Return whether it is the embedding of a text, or a list of numbers."""
        is_list = "CHAR" in self.type and self.value.removeprefix("N").startswith("'[")
        return self.type.startswith("VECTOR") or is_list or "EMBEDDING" in self.value.upper()

    def literal(self, *, is_count: bool) -> str | None:
        """Return the value as its declared type holds it, or None for one that is not known."""
        sized = TEXT_TYPE.fullmatch(self.type)
        if NUMBER.fullmatch(self.value):
            is_int = self.type in ("INT", "INTEGER") and self.value.lstrip("+-").isdigit()
            if is_count or (is_int and self.value.isdigit()):
                return self.value
            return f"({self.value})" if is_int else f"CAST({self.value} AS {self.type})"
        if sized and self.value.endswith("'"):
            if sized[1] == "MAX" or len(self.value) <= int(sized[1] or 0):
                return self.value
            return f"CAST({self.value} AS {self.type})" if sized[1] else None
        is_known = self.value.endswith("'") or self.value.startswith("(")
        return f"CAST({self.value} AS {self.type})" if is_known else None


def declaration(statement: RefusedStatement) -> Correction | None:
    """DECLARE and SET in front are dropped: @q is given by the server, a value is written out."""
    variables: dict[str, _Variable] = {}
    end = 0
    while match := DECLARED.match(statement.masked, end):
        end = match.end()
        if not match["name"]:
            continue
        name, value = match["name"], statement.sql[slice(*match.span("value"))]
        if match["type"]:
            variables[name] = _Variable("".join(match["type"].split()))
        if name not in variables or name in _variable_names(value):
            return None
        if value:
            variables[name].value = value
            variables[name].texts = _embedded_texts(value, variables)
    body = re.match(r"\s*(?=SELECT|WITH|\()", statement.masked[end:])
    if not variables or body is None:
        return None
    return _without_declarations(statement, end + body.end(), variables)


def _variable_names(text: str) -> set[str]:
    return set(re.findall(r"@(\w+)", text.upper()))


def _embedded_texts(value: str, variables: dict[str, _Variable]) -> frozenset[str]:
    """Return the texts in a value, also by variable; a list of numbers is none."""
    held = [variables[name].value for name in _variable_names(value) & variables.keys()]
    texts = re.findall(r"'((?:[^']|'')*)'", " ".join([value, *held]))
    return frozenset(text.replace("''", "'") for text in texts if re.match(r"\s*[^\W_]", text))


def _without_declarations(
    statement: RefusedStatement, start: int, variables: dict[str, _Variable]
) -> Correction | None:
    """Drop what stands before `start`, and write values for the variables used after it."""
    of_graph = {
        name for name, declared in variables.items() if _reads_graph(statement, declared.value)
    }
    vectors = {name for name, declared in variables.items() if declared.is_vector} - of_graph
    texts = {text for name in vectors for text in variables[name].texts}
    used = [token for token in statement.tokens if token.start >= start and token.text[0] == "@"]
    names = {token.text[1:].upper() for token in used}
    spent = {name for declared in variables.values() for name in _variable_names(declared.value)}
    if len(vectors) > 1 or len(texts) > 1 or variables.keys() - vectors - names - spent:
        return None
    edits = [Edit(0, start, "")]
    for token in used:
        name = token.text[1:].upper()
        variable = variables.get(name)
        if variable is None or name in vectors:
            text: str | None = "@q" if variable else token.text
        elif variable.is_vector:
            text = variable.value
        else:
            is_count = COUNT.search(statement.masked[: token.start]) is not None
            text = variable.literal(is_count=is_count)
        if text is None:
            return None
        edits.append(Edit(token.start, token.end, text))
    text = next(iter(texts), None)
    passed = f" (pass {text!r})" if text else ""
    why = f"Variables cannot be declared: @q comes from `query`{passed}; values are written out."
    return Correction(tuple(edits), why, text)


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
