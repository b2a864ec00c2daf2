"""Window functions where a SELECT cannot filter by them: WHERE, QUALIFY, DISTINCT ON."""

from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.repair.around import Computed, around, head_of, order_terms
from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, corrected
from moviegraph.sql.repair.conjuncts import branches, has_or
from moviegraph.sql.repair.outline import Range, Select, listed, past_parenthesis

COMPARING = frozenset({"=", "<", "<=", ">", ">=", "<>", "!=", "BETWEEN", "IN"})
ENDS = ("GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "FETCH")


def window_filter(broken: Broken) -> Correction | None:
    """A window function in WHERE or QUALIFY is filtered in a SELECT around."""
    for select in broken.selects:
        for word in ("QUALIFY", "WHERE"):
            clause = select.clauses.get(word)
            parts = branches(broken, clause, "AND") if clause else []
            windows = [part for part in parts if _sign(broken, part)]
            if clause is None or not windows or has_or(broken, clause):
                continue
            kept = [part for part in parts if part not in windows]
            source = _source(broken, select, word, kept)
            computed = [_computed(broken, part) for part in windows]
            head = head_of(broken, select)
            edit = around(broken, select, computed, source, head) if source else None
            why = "T-SQL filters a window function in a SELECT around it."
            return corrected([edit] if edit else [], why)
    return None


def _sign(broken: Broken, part: Range) -> int:
    """Return the number of the sign in F(...) OVER (...) = 1, or 0."""
    if broken.upper(part.first) not in FUNCTIONS or broken.upper(part.first + 1) != "(":
        return 0
    at = past_parenthesis(broken.pieces, part.first + 1)
    if not broken.words(at, "OVER", "("):
        return 0
    at = past_parenthesis(broken.pieces, at + 1)
    return at if broken.upper(at) in COMPARING and at + 1 < part.last else 0


def _computed(broken: Broken, part: Range) -> Computed:
    sign = _sign(broken, part)
    return Computed(broken.text(Range(part.first, sign)), broken.text(Range(sign, part.last)))


def _source(broken: Broken, select: Select, word: str, kept: list[Range]) -> str | None:
    """Return the inner SELECT from FROM on, without the windows; None where it is grouped."""
    rest = " AND ".join(broken.text(part) for part in kept)
    if "FROM" not in select.clauses or (word == "QUALIFY" and rest):
        return None
    grouped = {"GROUP", "HAVING"} & select.clauses.keys()
    if grouped and word == "WHERE":
        return None
    end = select.clauses[word].first - 1
    text = broken.text(Range(select.clauses["FROM"].first - 1, end))
    return f"{text} WHERE {rest}" if rest else text


def distinct_on(broken: Broken) -> Correction | None:
    """DISTINCT ON (a) keeps the first row of each a: ROW_NUMBER says which is first."""
    for select in broken.selects:
        at = select.first + 1
        if not broken.words(at, "DISTINCT", "ON", "(") or "FROM" not in select.clauses:
            continue
        last = past_parenthesis(broken.pieces, at + 2)
        by = ", ".join(broken.text(e) for e in listed(broken.pieces, Range(at + 3, last - 1)))
        terms = order_terms(broken, select)
        if len(terms) <= len(listed(broken.pieces, Range(at + 3, last - 1))):
            continue
        order = ", ".join(value + way for value, way in terms)
        number = Computed(f"ROW_NUMBER() OVER (PARTITION BY {by} ORDER BY {order})", "= 1")
        end = (
            min(select.clauses[w].first for w in ENDS if w in select.clauses)
            if _ends(select)
            else 0
        )
        grouped = {"GROUP", "HAVING"} & select.clauses.keys()
        words = 2 if "ORDER" in select.clauses else 1
        source = Range(select.clauses["FROM"].first - 1, end - words if end else select.last)
        edit = None if grouped else around(broken, select, [number], broken.text(source))
        return corrected([edit] if edit else [], "T-SQL has no DISTINCT ON; it numbers rows.")
    return None


def _ends(select: Select) -> bool:
    return any(word in select.clauses for word in ENDS)
