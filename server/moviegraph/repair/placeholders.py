"""Parameters that a driver would fill in: $name and $1. What they stand for is not known here."""

from collections.abc import Iterator

from moviegraph.contract.model import EDGE_PSEUDO_COLUMNS, NODE_PSEUDO_COLUMNS
from moviegraph.repair.changes import Edit
from moviegraph.repair.context import RefusedStatement
from moviegraph.repair.tokens import RawToken

PSEUDO = frozenset({*NODE_PSEUDO_COLUMNS, *EDGE_PSEUDO_COLUMNS})


def keeps_placeholders(statement: RefusedStatement, edits: tuple[Edit, ...], text: str) -> bool:
    """Whether every placeholder is still one, went with prose around it, or is the vector @q."""
    given = list(_placeholders(statement))
    if not given:
        return True
    dropped = [
        token
        for token in given
        if any(not e.text and e.start <= token.start and token.end <= e.end for e in edits)
    ]
    after = RefusedStatement(text, statement.contract)
    vectors = _vectors(after) - _vectors(statement)
    return len(given) <= len(dropped) + sum(1 for _ in _placeholders(after)) + vectors


def _placeholders(statement: RefusedStatement) -> Iterator[RawToken]:
    """Yield each $name without a table before it that is no pseudo-column."""
    if "$" not in statement.sql:
        return
    for index, token in enumerate(statement.tokens):
        lone = token.text[0] == "$" and statement.upper(index - 1) != "."
        if lone and token.kind == "word" and token.text.lower() not in PSEUDO:
            yield token


def _vectors(statement: RefusedStatement) -> int:
    return sum(token.text.lower() == "@q" for token in statement.tokens)
