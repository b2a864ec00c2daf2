"""Patterns of LIKE as PostgreSQL writes them, where [ is a sign like any other."""

from moviegraph.repair.changes import Edit
from moviegraph.repair.context import RefusedStatement

SIGNS = ("[", "\\")


def pattern_of(literal: str, *, escaped: bool = False) -> str:
    """Return a literal as T-SQL reads it: [ begins no set, and a backslash is the escape.

    `escaped` says that the literal has an ESCAPE of its own.
    """
    ending = " ESCAPE '\\'" if "\\" in literal and not escaped else ""
    return literal.replace("[", "[[]") + ending


def liked(statement: RefusedStatement, word: Edit, index: int) -> list[Edit]:
    """Return the edits that put LIKE for an operator, and its pattern at `at` with it.

    There are none where the pattern is put together, and a sign in it would mean something else.
    """
    end = statement.operand_after(index - 1)
    while statement.upper(end) in ("||", "+"):
        end = statement.operand_after(end)
    held = [token for token in statement.tokens[index:end] if token.kind == "string"]
    if end == index + 1 and held:
        text = pattern_of(held[0].text, escaped=statement.upper(end) == "ESCAPE")
        pattern = Edit(held[0].start, held[0].end, text)
        return [word, pattern] if text != held[0].text else [word]
    return [] if any(sign in token.text for token in held for sign in SIGNS) else [word]
