"""GROUP BY, ORDER BY, and names of the select list where T-SQL does not know them."""

from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.outline import Range, Select, listed
from moviegraph.sql.repair.selected import items_of

AGGREGATES = frozenset(name for name, f in FUNCTIONS.items() if f.kind == "aggregate")


def aggregates_in(broken: Broken, value: Range) -> bool:
    """Whether a value holds an aggregate that is no window and no aggregate along a path."""
    return any(
        call.at in value and broken.upper(call.last) not in ("OVER",)
        for call in broken.calls(*AGGREGATES)
        if not _is_window(broken, call.last) and not _is_along_path(broken, call.last)
    )


def _is_along_path(broken: Broken, last: int) -> bool:
    return broken.words(last, "WITHIN", "GROUP", "(", "GRAPH")


def _is_window(broken: Broken, last: int) -> bool:
    return broken.upper(last) == "OVER"


def select_alias(broken: Broken) -> Correction | None:
    """WHERE, GROUP BY and HAVING know no name of the select list: the value stands there."""
    edits: list[Edit] = []
    for select in broken.selects:
        values = {i.alias.lower(): i.value for i in items_of(broken, select) if i.alias}
        for word in ("SELECT", "WHERE", "GROUP", "HAVING", "QUALIFY"):
            clause = select.clauses.get(word)
            if clause is None:
                continue
            for at in range(clause.first, clause.last):
                value = values.get(broken.pieces[at].name.lower())
                if value is None or (word == "SELECT" and not _is_used(broken, select, at, value)):
                    continue
                if _stands_for(broken, select, at, value, word):
                    text = broken.text(value) if word == "GROUP" else _enclosed(broken, value)
                    edits.append(Edit(broken.start(at), broken.pieces[at].end, text))
    return corrected(edits, "Only ORDER BY knows the names of the select list.")


def _is_used(broken: Broken, select: Select, at: int, value: Range) -> bool:
    """Whether a name in the select list is used by another item, not given there."""
    given = [item for item in items_of(broken, select) if at in item.value]
    alone = bool(given) and given[0].value.last - given[0].value.first == 1
    return bool(given) and not alone and at not in value


def _stands_for(broken: Broken, select: Select, at: int, value: Range, word: str) -> bool:
    piece = broken.pieces[at]
    if not piece.is_name or broken.upper(at - 1) == "." or broken.upper(at + 1) in (".", "("):
        return False
    if broken.around(at)[0] is not select or _is_real(broken, select, piece.name):
        return False
    windowed = any(broken.upper(each) == "OVER" for each in range(value.first, value.last))
    later = windowed or aggregates_in(broken, value)
    if word == "SELECT":
        return not windowed
    return not later or word in ("WHERE", "QUALIFY") or (word == "HAVING" and not windowed)


def _is_real(broken: Broken, select: Select, name: str) -> bool:
    """Whether a source of the SELECT has, or may have, a column of that name."""
    for source in select.sources:
        node = broken.node_of(source)
        if node is None and broken.edge_of(source) is None:
            return True
        if node is not None and node.column(name) is not None:
            return True
    return False


def _enclosed(broken: Broken, value: Range) -> str:
    text = broken.text(value)
    windowed = broken.upper(value.first + 1) == "(" and "OVER" in {
        broken.upper(at) for at in range(value.first, value.last)
    }
    if windowed:
        return text
    last = broken.operand_after(value.first - 1)
    return text if last >= value.last else f"({text})"


def group_position(broken: Broken) -> Correction | None:
    """GROUP BY 1 means the first item of the select list, which T-SQL does not read so."""
    edits: list[Edit] = []
    for select in broken.selects:
        group = select.clauses.get("GROUP")
        items = items_of(broken, select) if group else []
        for each in listed(broken.pieces, group) if group else []:
            piece = broken.pieces[each.first]
            if each.last - each.first == 1 and piece.kind == "number" and piece.text.isdigit():
                number = int(piece.text)
                if 1 <= number <= len(items):
                    text = broken.text(items[number - 1].value)
                    edits.append(Edit(piece.start, piece.end, text))
    return corrected(edits, "GROUP BY takes the value itself, not its position.")
