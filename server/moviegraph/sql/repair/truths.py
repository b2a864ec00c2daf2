"""Conditions compared with truth values, and values compared with NULL by a sign."""

from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.outline import past_parenthesis

EQUAL = frozenset({"=", "=="})
UNEQUAL = frozenset({"<>", "!="})
VALUES = {"TRUE": True, "1": True, "FALSE": False, "0": False}
BEFORE = frozenset({"WHERE", "AND", "OR", "ON", "HAVING", "WHEN"})
SIGNS = frozenset("= <> != < > <= >= LIKE IN IS BETWEEN EXISTS CONTAINS FREETEXT MATCH".split())
COMPARED = frozenset("= <> != < > <= >= LIKE".split())


def null_by_sign(broken: Broken) -> Correction | None:
    """A condition x = NULL, which is never true, asks for IS NULL, and <> for IS NOT NULL."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces[:-1]):
        if broken.upper(at + 1) != "NULL" or piece.upper not in EQUAL | UNEQUAL:
            continue
        if _in_condition(broken, at):
            said = "IS NULL" if piece.upper in EQUAL else "IS NOT NULL"
            edits.append(Edit(piece.start, broken.pieces[at + 1].end, said))
    return corrected(edits, "T-SQL asks for NULL by IS NULL and IS NOT NULL.")


def _in_condition(broken: Broken, at: int) -> bool:
    selects = broken.around(at)[:1]
    clauses = [
        s.clauses[word] for s in selects for word in ("WHERE", "HAVING") if word in s.clauses
    ]
    return any(at in clause for clause in clauses)


def compared_condition(broken: Broken) -> Correction | None:
    """(a > 1) = TRUE is (a > 1), and = FALSE its negation."""
    edits: list[Edit] = []
    for at in range(len(broken.pieces)):
        if broken.upper(at) != "(" or broken.upper(at - 1) not in BEFORE:
            continue
        past = past_parenthesis(broken.pieces, at)
        if past + 1 >= len(broken.pieces) or broken.upper(past) not in EQUAL | UNEQUAL:
            continue
        value = VALUES.get(broken.pieces[past + 1].text.upper())
        if value is None or not SIGNS & {broken.upper(n) for n in range(at, past)}:
            continue
        edits.append(Edit(broken.pieces[past - 1].end, broken.pieces[past + 1].end, ""))
        if value is (broken.upper(past) in UNEQUAL):
            edits.append(Edit(broken.start(at), broken.start(at), "NOT "))
    return corrected(edits, "A condition stands for itself in T-SQL.")


def bitwise_and(broken: Broken) -> Correction | None:
    """Between two comparisons & is AND, and a single | is OR."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        if piece.kind != "mark" or piece.text not in ("&", "|") or not _in_condition(broken, at):
            continue
        before, after = broken.operand_before(at) - 1, broken.operand_after(at)
        if broken.upper(before) in COMPARED and broken.upper(after) in COMPARED:
            edits.append(Edit(piece.start, piece.end, "AND" if piece.text == "&" else "OR"))
    return corrected(edits, "T-SQL joins conditions with AND and OR.")
