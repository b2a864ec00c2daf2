"""Conditions in the wrong clause: aggregates in WHERE, plain ones in HAVING, windows in either."""

from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.repair.aggregates import AGGREGATES
from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.conjuncts import branches, flat
from moviegraph.sql.repair.outline import Range, Select, past_parenthesis
from moviegraph.sql.repair.selected import Item, items_of

COMPARING = frozenset({"=", "<", "<=", ">", ">=", "<>", "!="})
WINDOWED = "T-SQL filters a window function in a SELECT around it."


def aggregate_in_where(broken: Broken) -> Correction | None:
    """A condition on an aggregate stands in HAVING."""
    edits: list[Edit] = []
    for select in broken.selects:
        where = select.clauses.get("WHERE")
        if where is None:
            continue
        parts = branches(broken, where, "AND")
        moved = [part for part in parts if _aggregates(broken, part)]
        kept = [part for part in parts if part not in moved]
        if moved and len(branches(broken, where, "OR")) == 1:
            edits += _moved(broken, select, where, moved, kept)
    return corrected(edits, "WHERE knows single rows; groups are filtered by HAVING.")


def _moved(
    broken: Broken, select: Select, where: Range, moved: list[Range], kept: list[Range]
) -> list[Edit]:
    text = " AND ".join(broken.text(part) for part in moved)
    rest = " AND ".join(broken.text(part) for part in kept)
    start, end = broken.pieces[where.first - 2].end, broken.pieces[where.last - 1].end
    edits = [Edit(start, end, f" WHERE {rest}" if rest else "")]
    having, group = select.clauses.get("HAVING"), select.clauses.get("GROUP")
    if having is not None:
        at = broken.start(having.first)
        return [*edits, Edit(at, at, f"{text} AND ")]
    if group is None:
        return [Edit(start, end, edits[0].text + f" HAVING {text}")]
    at = broken.pieces[group.last - 1].end
    return [*edits, Edit(at, at, f" HAVING {text}")]


def _aggregates(broken: Broken, within: Range) -> bool:
    own = set(flat(broken, within))
    inner = any(broken.upper(at) == "SELECT" for at in range(within.first, within.last))
    return not inner and any(
        call.at in within and call.at in own and broken.upper(call.last) not in ("OVER", "WITHIN")
        for call in broken.calls(*AGGREGATES)
    )


def having_without_group(broken: Broken) -> Correction | None:
    """HAVING over single rows, with nothing grouped or aggregated, is WHERE."""
    edits: list[Edit] = []
    for select in broken.selects:
        having = select.clauses.get("HAVING")
        if having is None or "GROUP" in select.clauses:
            continue
        listed = select.clauses["SELECT"]
        if any(
            call.at in having or call.at in listed
            for call in broken.calls(*AGGREGATES)
            if broken.upper(call.last) != "OVER"
        ):
            continue
        word = broken.pieces[having.first - 1]
        edits.append(Edit(word.start, word.end, "AND" if "WHERE" in select.clauses else "WHERE"))
    return corrected(edits, "Nothing is grouped, so the condition is one on rows: WHERE.")


def window_filter(broken: Broken) -> Correction | None:
    """A window function in WHERE or QUALIFY is filtered in a SELECT around."""
    for select in broken.selects:
        found = _windowed(broken, select)
        if found is None:
            continue
        names = _outputs(broken, items_of(broken, select))
        ordered = select.clauses.keys() & {"ORDER", "LIMIT", "OFFSET", "FETCH", "GROUP", "HAVING"}
        if names is None or ordered or broken.upper(select.first + 1) in ("TOP", "DISTINCT"):
            return None
        return corrected([_wrapped(broken, select, names, found)], WINDOWED)
    return None


def _windowed(broken: Broken, select: Select) -> tuple[Range, list[Range], Range] | None:
    """Return the range of the filter clause, its other conditions, and the window's comparison."""
    for word in ("QUALIFY", "WHERE"):
        clause = _clause(broken, select, word)
        if clause is None:
            continue
        parts = branches(broken, clause, "AND")
        windows = [part for part in parts if _compares_window(broken, part)]
        if len(windows) == 1 and len(branches(broken, clause, "OR")) == 1:
            return clause, [part for part in parts if part is not windows[0]], windows[0]
    return None


def _clause(broken: Broken, select: Select, word: str) -> Range | None:
    if word == "WHERE":
        return select.clauses.get("WHERE")
    own = flat(broken, Range(select.first, select.last))
    at = next((at for at in own if broken.upper(at) == word), None)
    return Range(at + 1, select.last) if at is not None else None


def _compares_window(broken: Broken, part: Range) -> bool:
    """Whether a condition is F(...) OVER (...) = number."""
    if broken.upper(part.first) not in FUNCTIONS or broken.upper(part.first + 1) != "(":
        return False
    at = past_parenthesis(broken.pieces, part.first + 1)
    if not broken.words(at, "OVER", "("):
        return False
    at = past_parenthesis(broken.pieces, at + 1)
    return broken.upper(at) in COMPARING and broken.pieces[part.last - 1].kind == "number"


def _outputs(broken: Broken, items: list[Item]) -> list[str] | None:
    """Return the names of the items; None where one has none or two share one."""
    names: list[str] = []
    for item in items:
        last = broken.pieces[item.value.last - 1]
        plain = item.value.last - item.value.first in (1, 3) and last.is_name
        if item.has_star or not (item.alias or plain):
            return None
        names.append(item.alias or last.name)
    return names if len({name.lower() for name in names}) == len(names) else None


def _wrapped(
    broken: Broken, select: Select, names: list[str], found: tuple[Range, list[Range], Range]
) -> Edit:
    clause, others, window = found
    taken = {piece.name.lower() for piece in broken.pieces if piece.is_name}
    alias = next(f"w{n}" for n in range(1, len(taken) + 2) if f"w{n}" not in taken)
    sign = next(
        at for at in range(window.last - 1, window.first, -1) if broken.upper(at) in COMPARING
    )
    head = broken.text(Range(select.first, select.clauses["SELECT"].last))
    value = broken.text(Range(window.first, sign))
    source = broken.text(Range(select.clauses["FROM"].first - 1, clause.first - 1))
    rest = " AND ".join(broken.text(part) for part in others)
    inner = f"{head}, {value} AS place {source}" + (f" WHERE {rest}" if rest else "")
    outer = ", ".join(f"{alias}.[{name}]" for name in names)
    condition = f"{alias}.place {broken.text(Range(sign, window.last))}"
    text = f"SELECT {outer} FROM ({inner}) AS {alias} WHERE {condition}"
    return Edit(broken.start(select.first), broken.pieces[select.last - 1].end, text)
