"""Misspelt keywords and functions."""

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.nearness import is_one_edit
from moviegraph.repair.context import RefusedStatement
from moviegraph.sql.foreign_functions import FOREIGN, LEFT_OUT
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.reserved import RESERVED

KEYWORDS = (
    *("SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "JOIN", "INNER", "UNION", "WITH"),
    *("DISTINCT", "MATCH", "BETWEEN", "EXISTS", "LIKE"),
)
KNOWN = (RESERVED, FUNCTIONS, FOREIGN)
GLUED = ("FROM", "WHERE", "ORDER", "GROUP", "HAVING", "AND")
SHORTEST_FUNCTION = 5


def misspelt_keyword(statement: RefusedStatement) -> Correction | None:
    """FORM is FROM, and SELCT is SELECT, where nothing has that name."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        word = token.upper
        if token.kind != "word" or len(word) < 3 or any(word in known for known in KNOWN):
            continue
        if (
            "." in (statement.upper(index - 1), statement.upper(index + 1))
            or statement.upper(index - 1) == "AS"
        ):
            continue
        near = [each for each in KEYWORDS if is_one_edit(word, each)]
        if len(near) == 1 and word not in KEYWORDS and not _is_name(statement, word):
            edits.append(Edit(token.start, token.end, near[0]))
    return correct(edits, "The keyword was misspelt.")


def _is_name(statement: RefusedStatement, word: str) -> bool:
    contract = statement.contract
    columns = {column.name.upper() for node in contract.nodes for column in node.columns}
    return word in columns or word in {name.upper() for name in contract.table_names}


def misspelt_function(statement: RefusedStatement) -> Correction | None:
    """COUTN is COUNT: one letter wrong, and only one function that near."""
    edits: list[Edit] = []
    for call in statement.calls():
        word, token = statement.upper(call.index), statement.tokens[call.index]
        if len(word) < SHORTEST_FUNCTION or word in FUNCTIONS or word in RESERVED:
            continue
        near = [name for name in FUNCTIONS if is_one_edit(word, name)]
        if len(near) == 1 and word not in FOREIGN and word not in LEFT_OUT:
            edits.append(Edit(token.start, token.end, near[0]))
    return correct(edits, "The function was misspelt.")


def glued_keyword(statement: RefusedStatement) -> Correction | None:
    """In m.ReleaseYearFROM a column and the keyword behind it have grown together."""
    edits: list[Edit] = []
    columns = {column.name.upper() for node in statement.contract.nodes for column in node.columns}
    for token in statement.tokens:
        word = token.upper if token.kind == "word" else ""
        found = [k for k in GLUED if word.endswith(k) and word.removesuffix(k) in columns]
        if found:
            index = token.end - len(found[0])
            edits.append(Edit(index, index, " "))
    return correct(edits, "A blank was missing before the keyword.")
