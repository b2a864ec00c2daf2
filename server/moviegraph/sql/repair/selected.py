"""The items of a select list: their values, aliases and columns."""

from collections.abc import Iterator
from dataclasses import dataclass

from moviegraph.sql.repair.broken import Broken, CalledFunction
from moviegraph.sql.repair.outline import Range, Select, listed, past_parenthesis
from moviegraph.sql.reserved import RESERVED


@dataclass(frozen=True, slots=True)
class Item:
    """One item: the range of its value, its alias or '', and whether it names columns."""

    value: Range
    alias: str
    columns: bool
    has_star: bool


def items_of(broken: Broken, select: Select) -> list[Item]:
    """Return the items of a select list, TOP and DISTINCT left out."""
    clause = select.clauses.get("SELECT")
    if clause is None or clause.first >= clause.last:
        return []
    first = _head(broken, clause)
    return [_item(broken, each) for each in listed(broken.pieces, Range(first, clause.last))]


def _head(broken: Broken, clause: Range) -> int:
    at = clause.first
    if broken.upper(at) in ("DISTINCT", "ALL"):
        at += 1
    if broken.words(at, "ON", "("):
        at = past_parenthesis(broken.pieces, at + 1)
    if broken.upper(at) == "TOP":
        at = broken.operand_after(at) if broken.upper(at + 1) == "(" else at + 2
    return at


def _item(broken: Broken, item: Range) -> Item:
    value, alias = item, ""
    if item.last - item.first > 2 and broken.upper(item.last - 2) == "AS":
        value = Range(item.first, item.last - 2)
        alias = broken.pieces[item.last - 1].name
    elif _ends_in_alias(broken, item):
        value = Range(item.first, item.last - 1)
        alias = broken.pieces[item.last - 1].name
    star = any(broken.pieces[at].text == "*" for at in (value.first, value.last - 1))
    return Item(value, alias, _names_column(broken, value), star)


def _ends_in_alias(broken: Broken, item: Range) -> bool:
    if item.last - item.first < 2:
        return False
    last, before = broken.pieces[item.last - 1], broken.pieces[item.last - 2]
    named = last.is_name and last.upper not in RESERVED
    return named and (before.is_name or before.text == ")" or before.kind in ("number", "string"))


def _names_column(broken: Broken, value: Range) -> bool:
    """Whether a value holds a bare or qualified name that is no function, outside subqueries."""
    if any(broken.upper(at) == "SELECT" for at in range(value.first, value.last)):
        return False
    return any(
        broken.pieces[at].is_name
        and broken.upper(at) not in RESERVED
        and broken.upper(at + 1) != "("
        and not broken.pieces[at].text.startswith("@")
        for at in range(value.first, value.last)
    )


def sole_distinct_calls(broken: Broken, name: str) -> Iterator[tuple[Select, CalledFunction, str]]:
    """Yield each F(DISTINCT ...) that is all a plain SELECT ... FROM lists, with its alias."""
    for select in broken.selects:
        items = items_of(broken, select)
        extra = select.clauses.keys() & {"GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "FETCH"}
        if len(items) != 1 or extra or "FROM" not in select.clauses or select.arm:
            continue
        for call in broken.calls(name):
            whole = call.at == items[0].value.first and call.last == items[0].value.last
            if whole and broken.upper(call.at + 2) == "DISTINCT":
                yield select, call, items[0].alias
