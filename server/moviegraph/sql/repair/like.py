"""Patterns of LIKE as PostgreSQL writes them, where [ is a sign like any other."""

from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Edit

SIGNS = ("[", "\\")


def pattern_of(literal: str, *, escaped: bool = False) -> str:
    """Return a literal as T-SQL reads it: [ begins no set, and a backslash is the escape.

    `escaped` says that the literal has an ESCAPE of its own.
    """
    ending = " ESCAPE '\\'" if "\\" in literal and not escaped else ""
    return literal.replace("[", "[[]") + ending


def liked(broken: Broken, word: Edit, at: int) -> list[Edit]:
    """Return the edits that put LIKE for an operator, and its pattern at `at` with it.

    There are none where the pattern is put together, and a sign in it would mean something else.
    """
    end = broken.operand_after(at - 1)
    while broken.upper(end) in ("||", "+"):
        end = broken.operand_after(end)
    held = [piece for piece in broken.pieces[at:end] if piece.kind == "string"]
    if end == at + 1 and held:
        text = pattern_of(held[0].text, escaped=broken.upper(end) == "ESCAPE")
        pattern = Edit(held[0].start, held[0].end, text)
        return [word, pattern] if text != held[0].text else [word]
    return [] if any(sign in piece.text for piece in held for sign in SIGNS) else [word]
