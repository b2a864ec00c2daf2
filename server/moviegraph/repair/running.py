"""Failures while a statement runs: texts that are no numbers, divisors of 0, too many rows."""

import re

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.dialect import is_number
from moviegraph.repair.outline import TokenRange
from moviegraph.repair.context import RefusedStatement

CONVERSION = re.compile(r"conver(?:t|sion)|could not cast|arithmetic overflow", re.IGNORECASE)
DIVISION = re.compile(r"divi(?:de|sion)[ _]by[ _]zero", re.IGNORECASE)
SEVERAL = re.compile(r"more than (?:1|one) (?:value|row)", re.IGNORECASE)
TEXTS = frozenset({"NVARCHAR", "VARCHAR", "NCHAR", "CHAR", "TEXT", "VECTOR"})


def joined_number(statement: RefusedStatement) -> Correction | None:
    """A number beside a text is cast: + would make a number of the text."""
    edits: list[Edit] = []
    for index in _signs(statement, "+") if CONVERSION.search(statement.message) else ():
        sides = (
            TokenRange(statement.operand_before(index), index),
            TokenRange(index + 1, statement.operand_after(index)),
        )
        for side, other in (sides, sides[::-1]):
            joined = _in_text(statement, index) or _is_text(statement, other)
            if joined and is_number(statement, side):
                start, end = statement.start(side.first), statement.tokens[side.last - 1].end
                edits.append(Edit(start, end, f"CAST({statement.text(side)} AS NVARCHAR(30))"))
    return correct(edits, "+ adds where a number is beside it; CAST makes a text of the number.")


def _signs(statement: RefusedStatement, sign: str) -> list[int]:
    last = len(statement.tokens) - 1
    return [index for index in range(1, last) if statement.upper(index) == sign]


def _in_text(statement: RefusedStatement, index: int) -> bool:
    """Whether a text stands one further along a chain of +."""
    before, behind = statement.operand_before(index), statement.operand_after(index)
    chained = (
        before > 1
        and statement.upper(before - 1) == "+"
        and statement.tokens[before - 2].kind == "string"
    )
    return chained or (
        statement.upper(behind) == "+"
        and behind + 1 < len(statement.tokens)
        and statement.tokens[behind + 1].kind == "string"
    )


def _is_text(statement: RefusedStatement, operand: TokenRange) -> bool:
    """Whether an operand is a literal text, or a text column of the contract."""
    last = statement.tokens[operand.last - 1]
    if last.kind == "string":
        return True
    columns = [node.column(last.name) for node in statement.contract.nodes] if last.is_name else []
    return any(column is not None and "NVARCHAR" in column.type for column in columns)


def tried_cast(statement: RefusedStatement) -> Correction | None:
    """A CAST that fails for some row is a TRY_CAST, which is NULL there."""
    edits: list[Edit] = []
    for call in statement.calls("CAST", "CONVERT") if CONVERSION.search(statement.message) else ():
        words = {statement.upper(index) for index in range(call.index + 2, call.last - 1)}
        if not words & TEXTS:
            token = statement.tokens[call.index]
            edits.append(Edit(token.start, token.end, f"TRY_{token.upper}"))
    return correct(edits, "A value that cannot be converted is NULL, and fits no condition.")


def guarded_division(statement: RefusedStatement) -> Correction | None:
    """A divisor that is 0 for some row is NULLIF(x, 0), and the quotient NULL there."""
    edits: list[Edit] = []
    for sign in ("/", "%"):
        for index in _signs(statement, sign) if DIVISION.search(statement.message) else ():
            divisor = TokenRange(index + 1, statement.operand_after(index))
            first = statement.tokens[divisor.first]
            if first.kind == "number" or first.upper == "NULLIF" or divisor.last <= divisor.first:
                continue
            start, end = first.start, statement.tokens[divisor.last - 1].end
            edits.append(Edit(start, end, f"NULLIF({statement.text(divisor)}, 0)"))
    return correct(edits, "What is divided by 0 has no value: NULL.")


def several_values(statement: RefusedStatement) -> Correction | None:
    """An = (SELECT ...) that finds several rows means one of them: IN."""
    edits: list[Edit] = []
    for index in _signs(statement, "=") if SEVERAL.search(statement.message) else ():
        if statement.words(index + 1, "(", "SELECT") and statement.upper(index + 3) != "TOP":
            token = statement.tokens[index]
            edits.append(Edit(token.start, token.end, "IN"))
    return correct(edits, "Where several rows are found, one of them is meant: IN.")
