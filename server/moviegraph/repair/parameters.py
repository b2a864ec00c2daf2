"""Variables declared in front of a statement: the vector is @q, and values are written out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from moviegraph.repair.changes import Correction, Edit
from moviegraph.repair.outline import TokenRange, past_parenthesis
from moviegraph.repair.context import RefusedStatement
from moviegraph.repair.tokens import RawToken

BEGINNINGS = frozenset({"DECLARE", "SET", "SELECT", "WITH", "GO"})
COUNTED = frozenset({"TOP", "OFFSET", "NEXT", "FIRST"})
NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:E[-+]?\d+)?", re.IGNORECASE)
TEXT_TYPE = re.compile(r"N?VARCHAR(?:\s*\(\s*(\d+|MAX)\s*\))?")


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
    statement = statement.upper(read.index) in ("SELECT", "WITH", "(")
    if not statement or len(read.vectors) > 1 or len(read.texts) > 1 or not read.types:
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
