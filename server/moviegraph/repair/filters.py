"""Conditions in the wrong clause: aggregates in WHERE, plain ones in HAVING."""

from moviegraph.repair.aggregates import AGGREGATES
from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.conjuncts import branches, enclosing, flat, has_or, with_condition
from moviegraph.repair.outline import Select, TokenRange
from moviegraph.repair.context import RefusedStatement


def aggregate_in_where(statement: RefusedStatement) -> Correction | None:
    """A condition on an aggregate stands in HAVING."""
    edits: list[Edit] = []
    for select in statement.selects:
        where = select.clauses.get("WHERE")
        if where is None:
            continue
        parts = branches(statement, where, "AND")
        moved = [part for part in parts if _aggregates(statement, part)]
        kept = [part for part in parts if part not in moved]
        if moved and not has_or(statement, where):
            edits += _moved(statement, select, where, moved, kept)
    return correct(edits, "WHERE knows single rows; groups are filtered by HAVING.")


def _moved(
    statement: RefusedStatement,
    select: Select,
    where: TokenRange,
    moved: list[TokenRange],
    kept: list[TokenRange],
) -> list[Edit]:
    text = " AND ".join(statement.text(part) for part in moved)
    rest = " AND ".join(statement.text(part) for part in kept)
    start, end = statement.tokens[where.first - 2].end, statement.tokens[where.last - 1].end
    edits = [Edit(start, end, f" WHERE {rest}" if rest else "")]
    having, group = select.clauses.get("HAVING"), select.clauses.get("GROUP")
    if having is not None:
        return [*edits, *with_condition(statement, having, text)]
    if group is None:
        return [Edit(start, end, edits[0].text + f" HAVING {text}")]
    index = statement.tokens[group.last - 1].end
    return [*edits, Edit(index, index, f" HAVING {text}")]


def _aggregates(statement: RefusedStatement, within: TokenRange) -> bool:
    own = set(flat(statement, within))
    inner = any(statement.upper(index) == "SELECT" for index in range(within.first, within.last))
    return not inner and any(
        call.index in within
        and call.index in own
        and statement.upper(call.last) not in ("OVER", "WITHIN")
        for call in statement.calls(*AGGREGATES)
    )


def having_without_group(statement: RefusedStatement) -> Correction | None:
    """HAVING over single rows, with nothing grouped or aggregated, is WHERE."""
    edits: list[Edit] = []
    for select in statement.selects:
        having = select.clauses.get("HAVING")
        if having is None or "GROUP" in select.clauses:
            continue
        listed = select.clauses["SELECT"]
        if any(
            call.index in having or call.index in listed
            for call in statement.calls(*AGGREGATES)
            if statement.upper(call.last) != "OVER"
        ):
            continue
        word, where = statement.tokens[having.first - 1], select.clauses.get("WHERE")
        edits.append(Edit(word.start, word.end, "AND" if where else "WHERE"))
        if where is not None:
            edits += [*enclosing(statement, where), *enclosing(statement, having)]
    return correct(edits, "Nothing is grouped, so the condition is one on rows: WHERE.")
