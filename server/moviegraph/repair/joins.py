"""MATCH among JOINs: SQL Server wants the tables of a MATCH between commas."""

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.conjuncts import enclosed, with_condition
from moviegraph.repair.outline import Select
from moviegraph.repair.context import RefusedStatement

INNER = frozenset({"", ",", "JOIN", "INNER JOIN", "CROSS JOIN"})
TRIVIAL = frozenset({"1 = 1", "1=1", "TRUE", "(1=1)", "(1 = 1)"})


def match_with_join(statement: RefusedStatement) -> Correction | None:
    """Inner joins become commas, and their conditions go into WHERE."""
    edits: list[Edit] = []
    for select in statement.selects:
        if _mixes(statement, select):
            edits += _comma_list(statement, select)
    why = "Tables of a MATCH stand between commas; inner join conditions belong in WHERE."
    return correct(edits, why)


def _mixes(statement: RefusedStatement, select: Select) -> bool:
    """Whether a SELECT of its own has MATCH and JOIN, and no outer join or APPLY."""
    joined = {source.joined for source in select.sources}
    matches = any(statement.around(call.index)[:1] == [select] for call in statement.calls("MATCH"))
    return matches and joined <= INNER and bool(joined - {"", ","})


def _comma_list(statement: RefusedStatement, select: Select) -> list[Edit]:
    edits: list[Edit] = []
    conditions: list[str] = []
    for source in select.sources:
        if source.joined not in ("", ","):
            start = statement.tokens[source.joined_at - 1].end
            edits.append(Edit(start, statement.start(source.range.first), ", "))
        if source.on is not None:
            conditions.append(enclosed(statement, source.on))
            start = statement.tokens[source.range.last - 1].end
            edits.append(Edit(start, statement.tokens[source.on.last - 1].end, ""))
    kept = [each for each in conditions if each.upper() not in TRIVIAL]
    return [*edits, *_placed(statement, select, kept)] if kept else edits


def _placed(statement: RefusedStatement, select: Select, conditions: list[str]) -> list[Edit]:
    joined = " AND ".join(conditions)
    where = select.clauses.get("WHERE")
    if where is None:
        end = statement.tokens[select.clauses["FROM"].last - 1].end
        return [Edit(end, end, f" WHERE {joined}")]
    return with_condition(statement, where, joined)


def join_without_on(statement: RefusedStatement) -> Correction | None:
    """A JOIN b WHERE a.x = b.x, with no ON anywhere, is a list of tables: a, b WHERE a.x = b.x."""
    edits: list[Edit] = []
    for select in statement.selects:
        joined = [source for source in select.sources if source.joined not in ("", ",")]
        inner = all(source.joined in ("JOIN", "INNER JOIN") for source in joined)
        if not inner or "WHERE" not in select.clauses or any(s.on is not None for s in joined):
            continue
        for source in joined:
            before = statement.tokens[source.joined_at - 1].end
            edits.append(Edit(before, statement.start(source.range.first), ", "))
    return correct(edits, "What an inner JOIN compares may stand in WHERE.")
