"""The items of a select list: their values, aliases and columns."""

from collections.abc import Iterator
from dataclasses import dataclass

from moviegraph.repair.outline import Select, TokenRange, listed, past_parenthesis
from moviegraph.repair.context import CalledFunction, RefusedStatement
from moviegraph.sql.reserved import RESERVED


@dataclass(frozen=True, slots=True)
class Item:
    """One item: the range of its value, its alias or '', and whether it names columns."""

    value: TokenRange
    alias: str
    columns: bool
    has_star: bool


def items_of(statement: RefusedStatement, select: Select) -> list[Item]:
    """Return the items of a select list, TOP and DISTINCT left out."""
    clause = select.clauses.get("SELECT")
    if clause is None or clause.first >= clause.last:
        return []
    first = _head(statement, clause)
    return [
        _item(statement, each) for each in listed(statement.tokens, TokenRange(first, clause.last))
    ]


def _head(statement: RefusedStatement, clause: TokenRange) -> int:
    index = clause.first
    if statement.upper(index) in ("DISTINCT", "ALL"):
        index += 1
    if statement.words(index, "ON", "("):
        index = past_parenthesis(statement.tokens, index + 1)
    if statement.upper(index) == "TOP":
        index = statement.operand_after(index) if statement.upper(index + 1) == "(" else index + 2
    return index


def _item(statement: RefusedStatement, item: TokenRange) -> Item:
    value, alias = item, ""
    if item.last - item.first > 2 and statement.upper(item.last - 2) == "AS":
        value = TokenRange(item.first, item.last - 2)
        alias = statement.tokens[item.last - 1].name
    elif _ends_in_alias(statement, item):
        value = TokenRange(item.first, item.last - 1)
        alias = statement.tokens[item.last - 1].name
    star = any(statement.tokens[index].text == "*" for index in (value.first, value.last - 1))
    return Item(value, alias, _names_column(statement, value), star)


def _ends_in_alias(statement: RefusedStatement, item: TokenRange) -> bool:
    if item.last - item.first < 2:
        return False
    last, before = statement.tokens[item.last - 1], statement.tokens[item.last - 2]
    named = last.is_name and last.upper not in RESERVED
    return named and (before.is_name or before.text == ")" or before.kind in ("number", "string"))


def _names_column(statement: RefusedStatement, value: TokenRange) -> bool:
    """Whether a value holds a bare or qualified name that is no function, outside subqueries."""
    if any(statement.upper(index) == "SELECT" for index in range(value.first, value.last)):
        return False
    return any(
        statement.tokens[index].is_name
        and statement.upper(index) not in RESERVED
        and statement.upper(index + 1) != "("
        and not statement.tokens[index].text.startswith("@")
        for index in range(value.first, value.last)
    )


def sole_distinct_calls(
    statement: RefusedStatement, name: str
) -> Iterator[tuple[Select, CalledFunction, str]]:
    """Yield each F(DISTINCT ...) that is all a plain SELECT ... FROM lists, with its alias."""
    for select in statement.selects:
        items = items_of(statement, select)
        extra = select.clauses.keys() & {"GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "FETCH"}
        if len(items) != 1 or extra or "FROM" not in select.clauses or select.arm:
            continue
        for call in statement.calls(name):
            whole = call.index == items[0].value.first and call.last == items[0].value.last
            if whole and statement.upper(call.index + 2) == "DISTINCT":
                yield select, call, items[0].alias
