"""What a rewrite has that the statement before it gives no reason for: tables, measures, limits."""

from collections.abc import Iterator

from moviegraph.contract.model import Contract, nearest
from moviegraph.sql.repair.pieces import Piece

__all__ = ["adds_nothing"]
MEASURES = frozenset(
    "COUNT COUNT_BIG SUM AVG MIN MAX STDEV STDEVP VAR VARP DISTINCT INTERSECT PIVOT UNPIVOT".split()
)
SAID = {
    "COUNT_BIG": ("count",),
    "AVG": ("avg", "average", "mean"),
    "DISTINCT": ("dist", "uniq", "dcount"),
}
ONE_OF_GROUP = frozenset({"MIN", "MAX", "DISTINCT"})
UNEQUAL = frozenset({"<", ">", "<=", ">="})
USUAL_TOP = 20


def adds_nothing(old: tuple[Piece, ...], new: tuple[Piece, ...], contract: Contract) -> bool:
    """Whether all that narrows or measures in a rewrite has its reason in the statement before."""
    said = [piece.name.lower() for piece in old if piece.is_name]
    gone = set(said) - {piece.name.lower() for piece in new}
    return (
        all(_is_meant(table, said, gone, contract) for table in _nodes(new, contract))
        and all(_is_measured(word, said) for word in _words(new) & MEASURES)
        and _limits(new) <= {piece.text for piece in old if piece.kind == "number"}
        and _nulls(new, contract) <= sum("null" in name for name in said)
        and _unequal(new) <= _unequal(old) + 2 * said.count("between")
    )


def _nodes(pieces: tuple[Piece, ...], contract: Contract) -> set[str]:
    names = {piece.name.lower() for piece in pieces if piece.is_name}
    return {node.name for node in contract.nodes if node.name.lower() in names}


def _is_meant(table: str, said: list[str], gone: set[str], contract: Contract) -> bool:
    """Whether the names of a statement, misspelt or not, lead to a table, or to no table at all."""
    if not any(node.name.lower() in said for node in contract.nodes):
        return True
    edges = contract.edges_of(table)
    keywords = (each.word for each in contract.glossary.keywords if each.table == table)
    reasons = {name.lower() for name in (table, *(edge.name for edge in edges), *keywords)}
    if any(name in reasons or table.lower() in name for name in said):
        return True
    return any(nearest(name, (table.lower(),)) for name in gone)


def _words(pieces: tuple[Piece, ...]) -> set[str]:
    return {piece.upper for piece in pieces if piece.kind == "word"}


def _is_measured(word: str, said: list[str]) -> bool:
    if word in ONE_OF_GROUP and ("group" in said or "distinct" in said):
        return True
    return any(each in name for name in said for each in SAID.get(word, (word.lower(),)))


def _limits(pieces: tuple[Piece, ...]) -> set[str]:
    """Return the numbers of rows, but for those that the server would set."""
    found = {piece.text for piece in _numbers_of_rows(pieces)}
    return {text for text in found if text.isdigit() and 0 < int(text) < USUAL_TOP}


def _numbers_of_rows(pieces: tuple[Piece, ...]) -> Iterator[Piece]:
    for at, piece in enumerate(pieces):
        before = [each for each in pieces[max(0, at - 2) : at] if each.text != "("]
        if piece.kind == "number" and before and before[-1].upper in ("TOP", "NEXT", "OFFSET"):
            yield piece


def _nulls(pieces: tuple[Piece, ...], contract: Contract) -> int:
    """Return how often a column is asked whether it is NULL; vectors are asked to be there."""
    vectors = {node.vector.lower() for node in contract.nodes if node.vector}
    found = 0
    for at, piece in enumerate(pieces):
        if piece.upper == "IS" and at and pieces[at - 1].name.lower() not in vectors:
            found += "NULL" in {each.upper for each in pieces[at + 1 : at + 3]}
    return found


def _unequal(pieces: tuple[Piece, ...]) -> int:
    return sum(piece.upper in UNEQUAL for piece in pieces)
