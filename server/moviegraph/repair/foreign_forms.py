"""Forms of other dialects that need no syntax tree."""

import re

from moviegraph.repair.comparison import known_names
from moviegraph.repair.context import Correction, Edit, RefusedStatement, apply, correct

COMPARING = frozenset({"=", "<>", "!=", "==", "<", ">", "<=", ">="})
BEFORE_TEXT = COMPARING | frozenset("LIKE ILIKE ( , THEN ELSE BETWEEN AND + || ESCAPE WHEN".split())


def double_quoted_text(statement: RefusedStatement) -> Correction | None:
    """A value in double quotes that names nothing is a text, as in MySQL.

    SELECT Id FROM Movie WHERE Name = "Alien" -> SELECT Id FROM Movie WHERE Name = 'Alien'
    """
    edits = [
        Edit(token.start, token.end, "'" + token.name.replace("'", "''") + "'")
        for index, token in enumerate(statement.tokens)
        if token.kind == "name" and token.text[0] == '"' and _is_value(statement, index)
    ]
    return correct(edits, "Strings are in single quotes; double quotes delimit names.")


def _is_value(statement: RefusedStatement, index: int) -> bool:
    """Return whether a delimited name is where a value is expected, and names nothing."""
    if statement.upper(index - 1) not in BEFORE_TEXT or statement.upper(index + 1) == ".":
        return False
    name = statement.tokens[index].name.lower()
    return name not in known_names(statement.contract) | statement.aliases


def escaped_apostrophe(statement: RefusedStatement) -> Correction | None:
    r"""A backslash before an apostrophe is a doubled one, if only so every text ends.

    SELECT Id FROM Movie WHERE Name = 'Schindler\\'s List'
    -> SELECT Id FROM Movie WHERE Name = 'Schindler''s List'
    """
    if statement.readable or "\\'" not in statement.sql:
        return None
    edits = [Edit(m.start(), m.end(), "''") for m in re.finditer(r"\\'", statement.sql)]
    repaired = RefusedStatement(apply(statement.sql, tuple(edits)), statement.contract)
    reason = "An apostrophe inside a string is doubled."
    return correct(edits, reason) if repaired.readable else None
