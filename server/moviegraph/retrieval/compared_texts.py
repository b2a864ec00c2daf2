"""What a statement compares each of its texts with: the table, the column and the sign."""

from collections.abc import Iterator
from dataclasses import dataclass

from moviegraph.contract.model import Contract
from moviegraph.sql.repair.pieces import Piece

__all__ = ["ComparedText", "compared_alike"]
SPELT = {"!=": "<>", "==": "=", "^=": "<>", "ILIKE": "LIKE"}
SIGNS = frozenset({"=", "<>", "<", ">", "<=", ">=", "LIKE", "IN"})
PATTERN = frozenset("%_[")


@dataclass(frozen=True, slots=True)
class ComparedText:
    """A text with what it is compared with, in lower case; None where that cannot be read."""

    text: str
    table: str | None
    column: str | None
    sign: str

    def agrees(self, other: "ComparedText") -> bool:
        """Whether another one may ask the same: what both tell is the same."""
        return (
            self.text == other.text
            and self._same_column(other)
            and (self.sign == other.sign or self._means_equal(other))
        )

    def _same_column(self, other: "ComparedText") -> bool:
        if self.column is None or other.column is None:
            return True
        tables = {self.table, other.table} - {None}
        return self.column == other.column and len(tables) < 2

    def _means_equal(self, other: "ComparedText") -> bool:
        """Whether LIKE without a pattern stands for an equation, or the other way round."""
        return {self.sign, other.sign} == {"=", "LIKE"} and not PATTERN & set(self.text)


def compared_alike(old: tuple[Piece, ...], new: tuple[Piece, ...], contract: Contract) -> bool:
    """Whether texts are compared with what they were, wherever both statements tell it."""
    before, after = set(_compared(old, contract)), set(_compared(new, contract))
    shared = {each.text.strip("%") for each in before} & {each.text.strip("%") for each in after}
    before = {each for each in before if each.text.strip("%") in shared}
    after = {each for each in after if each.text.strip("%") in shared}
    return all(any(one.agrees(it) for it in after) for one in before) and all(
        any(one.agrees(it) for it in before) for one in after
    )


def _compared(pieces: tuple[Piece, ...], contract: Contract) -> Iterator[ComparedText]:
    tables = {name.lower() for name in contract.table_names}
    columns = {column.name.lower() for node in contract.nodes for column in node.columns}
    aliases = dict(_aliases(pieces, tables))
    for at, piece in enumerate(pieces):
        sign_at = _sign_at(pieces, at) if piece.kind == "string" else None
        if sign_at is None:
            continue
        sign = SPELT.get(pieces[sign_at].upper, pieces[sign_at].upper)
        name_at = sign_at - 2 if _upper(pieces, sign_at - 1) == "NOT" else sign_at - 1
        column = pieces[name_at].name.lower() if name_at >= 0 else ""
        table = pieces[name_at - 2].name.lower() if _upper(pieces, name_at - 1) == "." else ""
        yield ComparedText(
            piece.name.lower(),
            aliases.get(table),
            column if column in columns else None,
            _plain(sign, piece.name),
        )


def _plain(sign: str, text: str) -> str:
    """Return the sign, an equation where IN lists, and LIKE where an equation has a pattern."""
    sign = "=" if sign == "IN" else sign
    return "LIKE" if sign == "=" and "%" in text else sign


def _aliases(pieces: tuple[Piece, ...], tables: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the names that tables go by, with the table."""
    for at, piece in enumerate(pieces):
        table = piece.name.lower()
        if not piece.is_name or table not in tables:
            continue
        yield table, table
        alias = at + 2 if _upper(pieces, at + 1) == "AS" else at + 1
        if alias < len(pieces) and pieces[alias].is_name:
            yield pieces[alias].name.lower(), table


def _sign_at(pieces: tuple[Piece, ...], at: int) -> int | None:
    """Return the place of the sign before a text, or before the list that it stands in."""
    before = at - 1
    while before >= 0 and (pieces[before].kind == "string" or pieces[before].text == ","):
        before -= 1
    if _upper(pieces, before) == "(":
        return before - 1 if _upper(pieces, before - 1) == "IN" else None
    sign = SPELT.get(_upper(pieces, at - 1), _upper(pieces, at - 1))
    return at - 1 if sign in SIGNS else None


def _upper(pieces: tuple[Piece, ...], at: int) -> str:
    return pieces[at].upper if 0 <= at < len(pieces) else ""
