"""Variables declared in front of a statement: the vector is @q, and values are written out."""

from dataclasses import dataclass, field

from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit
from moviegraph.sql.repair.outline import past_parenthesis
from moviegraph.sql.repair.pieces import Piece

BEGINNINGS = frozenset({"DECLARE", "SET", "SELECT", "WITH", "GO"})


@dataclass(slots=True)
class _Declared:
    """What was read: the variables of a vector, the values of others, and where it ends."""

    vectors: set[str] = field(default_factory=set[str])
    values: dict[str, str] = field(default_factory=dict[str, str])
    types: dict[str, str] = field(default_factory=dict[str, str])
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
    if not statement or len(read.vectors) > 1 or not read.types:
        return None
    edits = [Edit(0, broken.start(read.at), "")]
    for piece in broken.pieces[read.at :]:
        name = piece.text.lower()
        if name in read.vectors and name != "@q":
            edits.append(Edit(piece.start, piece.end, "@q"))
        elif name in read.values:
            edits.append(Edit(piece.start, piece.end, read.values[name]))
        elif name in read.types and name not in read.vectors:
            return None
    used = {piece.text.lower() for piece in broken.pieces[read.at :]}
    if read.values.keys() - used:
        return None
    why = "Variables cannot be declared: @q comes from `query`, other values are written out."
    return Correction(tuple(edits), why)


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
        at += broken.upper(at) == "AS"
        read.types[name] = broken.upper(at)
        at = past_parenthesis(broken.pieces, at + 1) if broken.upper(at + 1) == "(" else at + 1
    first = at + 1
    if broken.upper(at) == "=":
        at = _past_value(broken, first)
        _take(broken, read, name, broken.pieces[first:at])
    if read.types.get(name) == "VECTOR" and name not in read.values:
        read.vectors.add(name)
    read.at = at
    return name in read.types


def _past_value(broken: Broken, at: int) -> int:
    while at < len(broken.pieces) and broken.upper(at) not in BEGINNINGS | {";", ","}:
        at = past_parenthesis(broken.pieces, at) if broken.upper(at) == "(" else at + 1
    return at


def _reads(broken: Broken, value: tuple[Piece, ...]) -> bool:
    """Whether a value comes from a table of the graph: such a vector is not that of the query."""
    tables = {table.lower() for table in broken.contract.table_names}
    return any(piece.is_name and piece.name.lower() in tables for piece in value)


def _take(broken: Broken, read: _Declared, name: str, value: tuple[Piece, ...]) -> None:
    """Keep a literal value; a vector's value is the server's."""
    texts = "".join(piece.text for piece in value)
    if any(piece.upper == "SELECT" for piece in value) and _reads(broken, value):
        start, end = value[0].start, value[-1].end
        read.values[name] = broken.sql[start:end]
        return
    is_list = len(value) == 1 and value[0].kind == "string" and value[0].name.startswith("[")
    if (
        (is_list and any(word in read.types.get(name, "").lower() for word in ("char", "json")))
        or read.types.get(name) == "VECTOR"
        or "EMBEDDING" in texts.upper()
    ):
        read.vectors.add(name)
    elif (
        (len(value) == 1 and value[0].kind in ("number", "string"))
        or (len(value) == 2 and value[0].text == "-" and value[1].kind == "number")
        or (len(value) == 3 and value[1].text == "." and value[0].kind == "number")
    ):
        read.values[name] = texts
