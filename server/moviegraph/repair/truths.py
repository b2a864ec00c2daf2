"""Conditions compared with truth values, and values compared with NULL by a sign."""

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.outline import past_parenthesis
from moviegraph.repair.context import RefusedStatement

EQUAL = frozenset({"=", "=="})
UNEQUAL = frozenset({"<>", "!="})
VALUES = {"TRUE": True, "1": True, "FALSE": False, "0": False}
BEFORE = frozenset({"WHERE", "AND", "OR", "ON", "HAVING", "WHEN"})
SIGNS = frozenset("= <> != < > <= >= LIKE IN IS BETWEEN EXISTS CONTAINS FREETEXT MATCH".split())
COMPARED = frozenset("= <> != < > <= >= LIKE".split())


def null_by_sign(statement: RefusedStatement) -> Correction | None:
    """A condition x = NULL, which is never true, asks for IS NULL, and <> for IS NOT NULL."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens[:-1]):
        if statement.upper(index + 1) != "NULL" or token.upper not in EQUAL | UNEQUAL:
            continue
        if _in_condition(statement, index):
            said = "IS NULL" if token.upper in EQUAL else "IS NOT NULL"
            edits.append(Edit(token.start, statement.tokens[index + 1].end, said))
    return correct(edits, "T-SQL asks for NULL by IS NULL and IS NOT NULL.")


def _in_condition(statement: RefusedStatement, index: int) -> bool:
    selects = statement.around(index)[:1]
    clauses = [
        s.clauses[word] for s in selects for word in ("WHERE", "HAVING") if word in s.clauses
    ]
    return any(index in clause for clause in clauses)


def compared_condition(statement: RefusedStatement) -> Correction | None:
    """(a > 1) = TRUE is (a > 1), and = FALSE its negation."""
    edits: list[Edit] = []
    for index in range(len(statement.tokens)):
        if statement.upper(index) != "(" or statement.upper(index - 1) not in BEFORE:
            continue
        past = past_parenthesis(statement.tokens, index)
        if past + 1 >= len(statement.tokens) or statement.upper(past) not in EQUAL | UNEQUAL:
            continue
        value = VALUES.get(statement.tokens[past + 1].text.upper())
        if value is None or not SIGNS & {statement.upper(n) for n in range(index, past)}:
            continue
        edits.append(Edit(statement.tokens[past - 1].end, statement.tokens[past + 1].end, ""))
        if value is (statement.upper(past) in UNEQUAL):
            edits.append(Edit(statement.start(index), statement.start(index), "NOT "))
    return correct(edits, "A condition stands for itself in T-SQL.")


def bitwise_and(statement: RefusedStatement) -> Correction | None:
    """Between two comparisons & is AND, and a single | is OR."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        if (
            token.kind != "mark"
            or token.text not in ("&", "|")
            or not _in_condition(statement, index)
        ):
            continue
        before, after = statement.operand_before(index) - 1, statement.operand_after(index)
        if statement.upper(before) in COMPARED and statement.upper(after) in COMPARED:
            edits.append(Edit(token.start, token.end, "AND" if token.text == "&" else "OR"))
    return correct(edits, "T-SQL joins conditions with AND and OR.")
