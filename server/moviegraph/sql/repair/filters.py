"""Conditions in the wrong clause: aggregates in WHERE, plain ones in HAVING."""

from moviegraph.sql.repair.aggregates import AGGREGATES
from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.conjuncts import branches, enclosing, flat, has_or, with_condition
from moviegraph.sql.repair.outline import Range, Select


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
        if moved and not has_or(broken, where):
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
        return [*edits, *with_condition(broken, having, text)]
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
        word, where = broken.pieces[having.first - 1], select.clauses.get("WHERE")
        edits.append(Edit(word.start, word.end, "AND" if where else "WHERE"))
        if where is not None:
            edits += [*enclosing(broken, where), *enclosing(broken, having)]
    return corrected(edits, "Nothing is grouped, so the condition is one on rows: WHERE.")
