"""Parameters that a driver would fill in: $name and $1. What they stand for is not known here."""

from collections.abc import Iterator

from moviegraph.contract.model import EDGE_PSEUDO_COLUMNS, NODE_PSEUDO_COLUMNS
from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Edit
from moviegraph.sql.repair.pieces import Piece

PSEUDO = frozenset({*NODE_PSEUDO_COLUMNS, *EDGE_PSEUDO_COLUMNS})


def keeps_placeholders(broken: Broken, edits: tuple[Edit, ...], text: str) -> bool:
    """Whether every placeholder is still one, went with prose around it, or is the vector @q."""
    given = list(_placeholders(broken))
    if not given:
        return True
    dropped = [
        piece
        for piece in given
        if any(not e.text and e.start <= piece.start and piece.end <= e.end for e in edits)
    ]
    after = Broken(text, broken.contract)
    vectors = _vectors(after) - _vectors(broken)
    return len(given) <= len(dropped) + sum(1 for _ in _placeholders(after)) + vectors


def _placeholders(broken: Broken) -> Iterator[Piece]:
    """Yield each $name without a table before it that is no pseudo-column."""
    if "$" not in broken.sql:
        return
    for at, piece in enumerate(broken.pieces):
        lone = piece.text[0] == "$" and broken.upper(at - 1) != "."
        if lone and piece.kind == "word" and piece.text.lower() not in PSEUDO:
            yield piece


def _vectors(broken: Broken) -> int:
    return sum(piece.text.lower() == "@q" for piece in broken.pieces)
