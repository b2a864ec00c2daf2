"""Variables declared in front of a statement: the vector is @q, and values are written out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit
from moviegraph.sql.repair.outline import Range, past_parenthesis
from moviegraph.sql.repair.pieces import Piece

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
    literals: dict[str, Piece] = field(default_factory=dict[str, Piece])
    numbers: dict[str, str] = field(default_factory=dict[str, str])
    texts: set[str] = field(default_factory=set[str])
    spent: set[str] = field(default_factory=set[str])
    at: int = 0


def declaration(broken: Broken) -> Correction | None:
    """DECLARE and SET in front are dropped: @q is given by the server, a value is written out."""
    if broken.upper(0) not in ("DECLARE", "SET"):
        return None
    read = _Declared()
    while broken.upper(read.at) in ("DECLARE", "SET", ";", "GO"):
        if not _statement(broken, read):
            return None
    statement = broken.upper(read.at) in ("SELECT", "WITH", "(")
    if not statement or len(read.vectors) > 1 or len(read.texts) > 1 or not read.types:
        return None
    edits = _written_out(broken, read)
    used = {piece.text.lower() for piece in broken.pieces[read.at :]} | read.spent
    if edits is None or read.values.keys() - used:
        return None
    text = next(iter(read.texts), None)
    named = f" (pass {text!r})" if text else ""
    why = f"Variables cannot be declared: @q comes from `query`{named}; values are written out."
    return Correction((Edit(0, broken.start(read.at), ""), *edits), why, text)


def _written_out(broken: Broken, read: _Declared) -> list[Edit] | None:
    """Return the edits that put values for the variables; None where one has no known value."""
    edits: list[Edit] = []
    for at in range(read.at, len(broken.pieces)):
        piece = broken.pieces[at]
        name = piece.text.lower()
        if name in read.vectors and name != "@q":
            edits.append(Edit(piece.start, piece.end, "@q"))
        elif name in read.values:
            before = at - 1 - (broken.upper(at - 1) == "(")
            text = read.numbers.get(name) if broken.upper(before) in COUNTED else None
            edits.append(Edit(piece.start, piece.end, text or read.values[name]))
        elif name in read.types and name not in read.vectors:
            return None
    return edits


def _statement(broken: Broken, read: _Declared) -> bool:
    """Read one statement of the preamble; False where it does more than set a variable."""
    word = broken.upper(read.at)
    if word in (";", "GO"):
        read.at += 1
        return True
    if word == "SET" and broken.words(read.at + 1, "NOCOUNT", "ON"):
        read.at += 3
        return True
    read.at += 1
    while True:
        if not _variable(broken, read, typed=word == "DECLARE"):
            return False
        if broken.upper(read.at) != ",":
            return True
        read.at += 1


def _variable(broken: Broken, read: _Declared, *, typed: bool) -> bool:
    name = broken.pieces[read.at].text.lower() if read.at < len(broken.pieces) else ""
    if not name.startswith("@") or len(name) < 2:
        return False
    at = read.at + 1
    if typed:
        first = at + (broken.upper(at) == "AS")
        sized = broken.upper(first + 1) == "("
        at = past_parenthesis(broken.pieces, first + 1) if sized else first + 1
        read.types[name] = broken.text(Range(first, at)).upper()
    first = at + 1
    if broken.upper(at) == "=":
        at = _past_value(broken, first)
        _take(broken, read, name, broken.pieces[first:at])
    if _is_vector(read, name) and name not in read.values:
        read.vectors.add(name)
    read.at = at
    return name in read.types


def _is_vector(read: _Declared, name: str) -> bool:
    return read.types.get(name, "").split("(")[0].strip() == "VECTOR"


def _past_value(broken: Broken, at: int) -> int:
    while at < len(broken.pieces) and broken.upper(at) not in BEGINNINGS | {";", ","}:
        at = past_parenthesis(broken.pieces, at) if broken.upper(at) == "(" else at + 1
    return at


def _reads(broken: Broken, value: tuple[Piece, ...]) -> bool:
    """Whether a value comes from a table of the graph: such a vector is not that of the query."""
    tables = {table.lower() for table in broken.contract.table_names}
    return any(piece.is_name and piece.name.lower() in tables for piece in value)


def _take(broken: Broken, read: _Declared, name: str, value: tuple[Piece, ...]) -> None:
    """Keep a literal value, and forget the one before; a vector's value is the server's."""
    read.values.pop(name, None)
    texts = "".join(piece.text for piece in value)
    kind = read.types.get(name, "")
    if any(piece.upper == "SELECT" for piece in value) and _reads(broken, value):
        text = broken.sql[value[0].start : value[-1].end]
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


def _embedded(read: _Declared, value: tuple[Piece, ...]) -> Iterator[str]:
    """Yield the texts of a vector's value, also by variable; a list of numbers is none."""
    for piece in value:
        name = piece.text.lower()
        found = piece if piece.kind == "string" else read.literals.get(name)
        if found is not None and re.match(r"\s*[^\W_]", found.name):
            read.spent.add(name)
            yield found.name


def _written_text(piece: Piece, kind: str) -> str | None:
    """Return a text as its declared type holds it; None for one cut to a single character."""
    found = TEXT_TYPE.fullmatch(kind)
    if found is None:
        return f"CAST({piece.text} AS {kind})"
    size = found[1] or "1"
    if size == "MAX" or len(piece.name) <= int(size):
        return piece.text
    return f"CAST({piece.text} AS {kind})" if found[1] else None


def _written_number(text: str, kind: str) -> str:
    """Return a number of its declared type: a literal without a fraction is an INT already."""
    if kind not in ("INT", "INTEGER") or not text.lstrip("+-").isdigit():
        return f"CAST({text} AS {kind})"
    return f"({text})" if text[0] in "+-" else text
