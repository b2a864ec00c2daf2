"""Failures while a statement runs: texts that are no numbers, divisors of 0, too many rows."""

import re

from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.dialect import is_number
from moviegraph.sql.repair.outline import Range

CONVERSION = re.compile(r"conver(?:t|sion)|could not cast|arithmetic overflow", re.IGNORECASE)
DIVISION = re.compile(r"divi(?:de|sion)[ _]by[ _]zero", re.IGNORECASE)
SEVERAL = re.compile(r"more than (?:1|one) (?:value|row)", re.IGNORECASE)
TEXTS = frozenset({"NVARCHAR", "VARCHAR", "NCHAR", "CHAR", "TEXT", "VECTOR"})


def joined_number(broken: Broken) -> Correction | None:
    """A number beside a text is cast: + would make a number of the text."""
    edits: list[Edit] = []
    for at in _signs(broken, "+") if CONVERSION.search(broken.message) else ():
        sides = Range(broken.operand_before(at), at), Range(at + 1, broken.operand_after(at))
        for side, other in (sides, sides[::-1]):
            joined = _in_text(broken, at) or _is_text(broken, other)
            if joined and is_number(broken, side):
                start, end = broken.start(side.first), broken.pieces[side.last - 1].end
                edits.append(Edit(start, end, f"CAST({broken.text(side)} AS NVARCHAR(30))"))
    return corrected(edits, "+ adds where a number is beside it; CAST makes a text of the number.")


def _signs(broken: Broken, sign: str) -> list[int]:
    last = len(broken.pieces) - 1
    return [at for at in range(1, last) if broken.upper(at) == sign]


def _in_text(broken: Broken, at: int) -> bool:
    """Whether a text stands one further along a chain of +."""
    before, behind = broken.operand_before(at), broken.operand_after(at)
    chained = (
        before > 1
        and broken.upper(before - 1) == "+"
        and broken.pieces[before - 2].kind == "string"
    )
    return chained or (
        broken.upper(behind) == "+"
        and behind + 1 < len(broken.pieces)
        and broken.pieces[behind + 1].kind == "string"
    )


def _is_text(broken: Broken, operand: Range) -> bool:
    """Whether an operand is a literal text, or a text column of the contract."""
    last = broken.pieces[operand.last - 1]
    if last.kind == "string":
        return True
    columns = [node.column(last.name) for node in broken.contract.nodes] if last.is_name else []
    return any(column is not None and "NVARCHAR" in column.type for column in columns)


def tried_cast(broken: Broken) -> Correction | None:
    """A CAST that fails for some row is a TRY_CAST, which is NULL there."""
    edits: list[Edit] = []
    for call in broken.calls("CAST", "CONVERT") if CONVERSION.search(broken.message) else ():
        words = {broken.upper(at) for at in range(call.at + 2, call.last - 1)}
        if not words & TEXTS:
            piece = broken.pieces[call.at]
            edits.append(Edit(piece.start, piece.end, f"TRY_{piece.upper}"))
    return corrected(edits, "A value that cannot be converted is NULL, and fits no condition.")


def guarded_division(broken: Broken) -> Correction | None:
    """A divisor that is 0 for some row is NULLIF(x, 0), and the quotient NULL there."""
    edits: list[Edit] = []
    for sign in ("/", "%"):
        for at in _signs(broken, sign) if DIVISION.search(broken.message) else ():
            divisor = Range(at + 1, broken.operand_after(at))
            first = broken.pieces[divisor.first]
            if first.kind == "number" or first.upper == "NULLIF" or divisor.last <= divisor.first:
                continue
            start, end = first.start, broken.pieces[divisor.last - 1].end
            edits.append(Edit(start, end, f"NULLIF({broken.text(divisor)}, 0)"))
    return corrected(edits, "What is divided by 0 has no value: NULL.")


def several_values(broken: Broken) -> Correction | None:
    """An = (SELECT ...) that finds several rows means one of them: IN."""
    edits: list[Edit] = []
    for at in _signs(broken, "=") if SEVERAL.search(broken.message) else ():
        if broken.words(at + 1, "(", "SELECT") and broken.upper(at + 3) != "TOP":
            piece = broken.pieces[at]
            edits.append(Edit(piece.start, piece.end, "IN"))
    return corrected(edits, "Where several rows are found, one of them is meant: IN.")
