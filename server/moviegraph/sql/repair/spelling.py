"""Misspelt keywords and functions."""

from moviegraph.sql.foreign_functions import FOREIGN, LEFT_OUT
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.nearness import one_slip
from moviegraph.sql.reserved import RESERVED

KEYWORDS = (
    *("SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "JOIN", "INNER", "UNION", "WITH"),
    *("DISTINCT", "MATCH", "BETWEEN", "EXISTS", "LIKE"),
)
KNOWN = (RESERVED, FUNCTIONS, FOREIGN)
GLUED = ("FROM", "WHERE", "ORDER", "GROUP", "HAVING", "AND")
SHORTEST_FUNCTION = 5


def misspelt_keyword(broken: Broken) -> Correction | None:
    """FORM is FROM, and SELCT is SELECT, where nothing has that name."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        word = piece.upper
        if piece.kind != "word" or len(word) < 3 or any(word in known for known in KNOWN):
            continue
        if "." in (broken.upper(at - 1), broken.upper(at + 1)) or broken.upper(at - 1) == "AS":
            continue
        near = [each for each in KEYWORDS if one_slip(word, each)]
        if len(near) == 1 and word not in KEYWORDS and not _is_name(broken, word):
            edits.append(Edit(piece.start, piece.end, near[0]))
    return corrected(edits, "The keyword was misspelt.")


def _is_name(broken: Broken, word: str) -> bool:
    contract = broken.contract
    columns = {column.name.upper() for node in contract.nodes for column in node.columns}
    return word in columns or word in {name.upper() for name in contract.table_names}


def misspelt_function(broken: Broken) -> Correction | None:
    """COUTN is COUNT: one letter wrong, and only one function that near."""
    edits: list[Edit] = []
    for call in broken.calls():
        word, piece = broken.upper(call.at), broken.pieces[call.at]
        if len(word) < SHORTEST_FUNCTION or word in FUNCTIONS or word in RESERVED:
            continue
        near = [name for name in FUNCTIONS if one_slip(word, name)]
        if len(near) == 1 and word not in FOREIGN and word not in LEFT_OUT:
            edits.append(Edit(piece.start, piece.end, near[0]))
    return corrected(edits, "The function was misspelt.")


def glued_keyword(broken: Broken) -> Correction | None:
    """In m.ReleaseYearFROM a column and the keyword behind it have grown together."""
    edits: list[Edit] = []
    columns = {column.name.upper() for node in broken.contract.nodes for column in node.columns}
    for piece in broken.pieces:
        word = piece.upper if piece.kind == "word" else ""
        found = [k for k in GLUED if word.endswith(k) and word.removesuffix(k) in columns]
        if found:
            at = piece.end - len(found[0])
            edits.append(Edit(at, at, " "))
    return corrected(edits, "A blank was missing before the keyword.")
