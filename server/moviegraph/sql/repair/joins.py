"""MATCH among JOINs: SQL Server wants the tables of a MATCH between commas."""

from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.conjuncts import enclosed, with_condition
from moviegraph.sql.repair.outline import Select

INNER = frozenset({"", ",", "JOIN", "INNER JOIN", "CROSS JOIN"})
TRIVIAL = frozenset({"1 = 1", "1=1", "TRUE", "(1=1)", "(1 = 1)"})


def match_with_join(broken: Broken) -> Correction | None:
    """Inner joins become commas, and their conditions go into WHERE."""
    edits: list[Edit] = []
    for select in broken.selects:
        if _mixes(broken, select):
            edits += _comma_list(broken, select)
    why = "Tables of a MATCH stand between commas; inner join conditions belong in WHERE."
    return corrected(edits, why)


def _mixes(broken: Broken, select: Select) -> bool:
    """Whether a SELECT of its own has MATCH and JOIN, and no outer join or APPLY."""
    joined = {source.joined for source in select.sources}
    matches = any(broken.around(call.at)[:1] == [select] for call in broken.calls("MATCH"))
    return matches and joined <= INNER and bool(joined - {"", ","})


def _comma_list(broken: Broken, select: Select) -> list[Edit]:
    edits: list[Edit] = []
    conditions: list[str] = []
    for source in select.sources:
        if source.joined not in ("", ","):
            start = broken.pieces[source.joined_at - 1].end
            edits.append(Edit(start, broken.start(source.range.first), ", "))
        if source.on is not None:
            conditions.append(enclosed(broken, source.on))
            start = broken.pieces[source.range.last - 1].end
            edits.append(Edit(start, broken.pieces[source.on.last - 1].end, ""))
    kept = [each for each in conditions if each.upper() not in TRIVIAL]
    return [*edits, *_placed(broken, select, kept)] if kept else edits


def _placed(broken: Broken, select: Select, conditions: list[str]) -> list[Edit]:
    joined = " AND ".join(conditions)
    where = select.clauses.get("WHERE")
    if where is None:
        end = broken.pieces[select.clauses["FROM"].last - 1].end
        return [Edit(end, end, f" WHERE {joined}")]
    return with_condition(broken, where, joined)


def join_without_on(broken: Broken) -> Correction | None:
    """A JOIN b WHERE a.x = b.x, with no ON anywhere, is a list of tables: a, b WHERE a.x = b.x."""
    edits: list[Edit] = []
    for select in broken.selects:
        joined = [source for source in select.sources if source.joined not in ("", ",")]
        inner = all(source.joined in ("JOIN", "INNER JOIN") for source in joined)
        if not inner or "WHERE" not in select.clauses or any(s.on is not None for s in joined):
            continue
        for source in joined:
            before = broken.pieces[source.joined_at - 1].end
            edits.append(Edit(before, broken.start(source.range.first), ", "))
    return corrected(edits, "What an inner JOIN compares may stand in WHERE.")
