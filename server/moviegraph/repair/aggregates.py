"""GROUP BY, ORDER BY, and names of the select list where T-SQL does not know them."""

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.outline import Select, TokenRange, listed
from moviegraph.repair.selected import items_of
from moviegraph.repair.context import RefusedStatement
from moviegraph.sql.functions import FUNCTIONS

AGGREGATES = frozenset(name for name, f in FUNCTIONS.items() if f.kind == "aggregate")


def aggregates_in(statement: RefusedStatement, value: TokenRange) -> bool:
    """Whether a value holds an aggregate that is no window and no aggregate along a path."""
    return any(
        call.index in value and statement.upper(call.last) not in ("OVER",)
        for call in statement.calls(*AGGREGATES)
        if not _is_window(statement, call.last) and not _is_along_path(statement, call.last)
    )


def _is_along_path(statement: RefusedStatement, last: int) -> bool:
    return statement.words(last, "WITHIN", "GROUP", "(", "GRAPH")


def _is_window(statement: RefusedStatement, last: int) -> bool:
    return statement.upper(last) == "OVER"


def select_alias(statement: RefusedStatement) -> Correction | None:
    """WHERE, GROUP BY and HAVING know no name of the select list: the value stands there."""
    edits: list[Edit] = []
    for select in statement.selects:
        values = {i.alias.lower(): i.value for i in items_of(statement, select) if i.alias}
        for word in ("SELECT", "WHERE", "GROUP", "HAVING", "QUALIFY"):
            clause = select.clauses.get(word)
            if clause is None:
                continue
            for index in range(clause.first, clause.last):
                value = values.get(statement.tokens[index].name.lower())
                if value is None or (
                    word == "SELECT" and not _is_used(statement, select, index, value)
                ):
                    continue
                if _stands_for(statement, select, index, value, word):
                    text = statement.text(value) if word == "GROUP" else _enclosed(statement, value)
                    edits.append(Edit(statement.start(index), statement.tokens[index].end, text))
    return correct(edits, "Only ORDER BY knows the names of the select list.")


def _is_used(statement: RefusedStatement, select: Select, index: int, value: TokenRange) -> bool:
    """Whether a name in the select list is used by another item, not given there."""
    given = [item for item in items_of(statement, select) if index in item.value]
    alone = bool(given) and given[0].value.last - given[0].value.first == 1
    return bool(given) and not alone and index not in value


def _stands_for(
    statement: RefusedStatement, select: Select, index: int, value: TokenRange, word: str
) -> bool:
    token = statement.tokens[index]
    if (
        not token.is_name
        or statement.upper(index - 1) == "."
        or statement.upper(index + 1) in (".", "(")
    ):
        return False
    if statement.around(index)[0] is not select or _is_real(statement, select, token.name):
        return False
    windowed = any(statement.upper(each) == "OVER" for each in range(value.first, value.last))
    later = windowed or aggregates_in(statement, value)
    if word == "SELECT":
        return not windowed
    return not later or word in ("WHERE", "QUALIFY") or (word == "HAVING" and not windowed)


def _is_real(statement: RefusedStatement, select: Select, name: str) -> bool:
    """Whether a source of the SELECT has, or may have, a column of that name."""
    for source in select.sources:
        node = statement.node_of(source)
        if node is None and statement.edge_of(source) is None:
            return True
        if node is not None and node.column(name) is not None:
            return True
    return False


def _enclosed(statement: RefusedStatement, value: TokenRange) -> str:
    text = statement.text(value)
    windowed = statement.upper(value.first + 1) == "(" and "OVER" in {
        statement.upper(index) for index in range(value.first, value.last)
    }
    if windowed:
        return text
    last = statement.operand_after(value.first - 1)
    return text if last >= value.last else f"({text})"


def group_position(statement: RefusedStatement) -> Correction | None:
    """GROUP BY 1 means the first item of the select list, which T-SQL does not read so."""
    edits: list[Edit] = []
    for select in statement.selects:
        group = select.clauses.get("GROUP")
        items = items_of(statement, select) if group else []
        for each in listed(statement.tokens, group) if group else []:
            token = statement.tokens[each.first]
            if each.last - each.first == 1 and token.kind == "number" and token.text.isdigit():
                number = int(token.text)
                if 1 <= number <= len(items):
                    text = statement.text(items[number - 1].value)
                    edits.append(Edit(token.start, token.end, text))
    return correct(edits, "GROUP BY takes the value itself, not its position.")
