"""What a statement compares each of its texts with: the table, the column and the sign."""

from collections.abc import Iterator
from dataclasses import dataclass

from moviegraph.contract.model import Contract
from moviegraph.repair.tokens import RawToken

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


def compared_alike(
    old: tuple[RawToken, ...], new: tuple[RawToken, ...], contract: Contract
) -> bool:
    """Whether texts are compared with what they were, wherever both statements tell it."""
    before, after = set(_compared(old, contract)), set(_compared(new, contract))
    shared = {each.text.strip("%") for each in before} & {each.text.strip("%") for each in after}
    before = {each for each in before if each.text.strip("%") in shared}
    after = {each for each in after if each.text.strip("%") in shared}
    return all(any(one.agrees(it) for it in after) for one in before) and all(
        any(one.agrees(it) for it in before) for one in after
    )


def _compared(tokens: tuple[RawToken, ...], contract: Contract) -> Iterator[ComparedText]:
    tables = {name.lower() for name in contract.table_names}
    columns = {column.name.lower() for node in contract.nodes for column in node.columns}
    aliases = dict(_aliases(tokens, tables))
    for index, token in enumerate(tokens):
        sign_at = _sign_at(tokens, index) if token.kind == "string" else None
        if sign_at is None:
            continue
        sign = SPELT.get(tokens[sign_at].upper, tokens[sign_at].upper)
        name_at = sign_at - 2 if _upper(tokens, sign_at - 1) == "NOT" else sign_at - 1
        column = tokens[name_at].name.lower() if name_at >= 0 else ""
        table = tokens[name_at - 2].name.lower() if _upper(tokens, name_at - 1) == "." else ""
        yield ComparedText(
            token.name.lower(),
            aliases.get(table),
            column if column in columns else None,
            _plain(sign, token.name),
        )


def _plain(sign: str, text: str) -> str:
    """Return the sign, an equation where IN lists, and LIKE where an equation has a pattern."""
    sign = "=" if sign == "IN" else sign
    return "LIKE" if sign == "=" and "%" in text else sign


def _aliases(tokens: tuple[RawToken, ...], tables: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the names that tables go by, with the table."""
    for index, token in enumerate(tokens):
        table = token.name.lower()
        if not token.is_name or table not in tables:
            continue
        yield table, table
        alias = index + 2 if _upper(tokens, index + 1) == "AS" else index + 1
        if alias < len(tokens) and tokens[alias].is_name:
            yield tokens[alias].name.lower(), table


def _sign_at(tokens: tuple[RawToken, ...], index: int) -> int | None:
    """Return the place of the sign before a text, or before the list that it stands in."""
    before = index - 1
    while before >= 0 and (tokens[before].kind == "string" or tokens[before].text == ","):
        before -= 1
    if _upper(tokens, before) == "(":
        return before - 1 if _upper(tokens, before - 1) == "IN" else None
    sign = SPELT.get(_upper(tokens, index - 1), _upper(tokens, index - 1))
    return index - 1 if sign in SIGNS else None


def _upper(tokens: tuple[RawToken, ...], index: int) -> str:
    return tokens[index].upper if 0 <= index < len(tokens) else ""
