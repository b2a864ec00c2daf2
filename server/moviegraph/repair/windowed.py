"""Window functions where a SELECT cannot filter by them: WHERE, QUALIFY, DISTINCT ON."""

from moviegraph.repair.around import Computed, around, head_of, order_terms
from moviegraph.repair.changes import Correction, correct
from moviegraph.repair.conjuncts import branches, has_or
from moviegraph.repair.outline import Select, TokenRange, listed, past_parenthesis
from moviegraph.repair.context import RefusedStatement
from moviegraph.sql.functions import FUNCTIONS

COMPARING = frozenset({"=", "<", "<=", ">", ">=", "<>", "!=", "BETWEEN", "IN"})
ENDS = ("GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "FETCH")


def window_filter(statement: RefusedStatement) -> Correction | None:
    """A window function in WHERE or QUALIFY is filtered in a SELECT around."""
    for select in statement.selects:
        for word in ("QUALIFY", "WHERE"):
            clause = select.clauses.get(word)
            parts = branches(statement, clause, "AND") if clause else []
            windows = [part for part in parts if _sign(statement, part)]
            if clause is None or not windows or has_or(statement, clause):
                continue
            kept = [part for part in parts if part not in windows]
            source = _source(statement, select, word, kept)
            computed = [_computed(statement, part) for part in windows]
            head = head_of(statement, select)
            edit = around(statement, select, computed, source, head) if source else None
            why = "T-SQL filters a window function in a SELECT around it."
            return correct([edit] if edit else [], why)
    return None


def _sign(statement: RefusedStatement, part: TokenRange) -> int:
    """Return the number of the sign in F(...) OVER (...) = 1, or 0."""
    if statement.upper(part.first) not in FUNCTIONS or statement.upper(part.first + 1) != "(":
        return 0
    index = past_parenthesis(statement.tokens, part.first + 1)
    if not statement.words(index, "OVER", "("):
        return 0
    index = past_parenthesis(statement.tokens, index + 1)
    return index if statement.upper(index) in COMPARING and index + 1 < part.last else 0


def _computed(statement: RefusedStatement, part: TokenRange) -> Computed:
    sign = _sign(statement, part)
    return Computed(
        statement.text(TokenRange(part.first, sign)), statement.text(TokenRange(sign, part.last))
    )


def _source(
    statement: RefusedStatement, select: Select, word: str, kept: list[TokenRange]
) -> str | None:
    """Return the inner SELECT from FROM on, without the windows; None where it is grouped."""
    rest = " AND ".join(statement.text(part) for part in kept)
    if "FROM" not in select.clauses or (word == "QUALIFY" and rest):
        return None
    grouped = {"GROUP", "HAVING"} & select.clauses.keys()
    if grouped and word == "WHERE":
        return None
    end = select.clauses[word].first - 1
    text = statement.text(TokenRange(select.clauses["FROM"].first - 1, end))
    return f"{text} WHERE {rest}" if rest else text


def distinct_on(statement: RefusedStatement) -> Correction | None:
    """DISTINCT ON (a) keeps the first row of each a: ROW_NUMBER says which is first."""
    for select in statement.selects:
        index = select.first + 1
        if not statement.words(index, "DISTINCT", "ON", "(") or "FROM" not in select.clauses:
            continue
        last = past_parenthesis(statement.tokens, index + 2)
        by = ", ".join(
            statement.text(e) for e in listed(statement.tokens, TokenRange(index + 3, last - 1))
        )
        terms = order_terms(statement, select)
        if len(terms) <= len(listed(statement.tokens, TokenRange(index + 3, last - 1))):
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
        source = TokenRange(select.clauses["FROM"].first - 1, end - words if end else select.last)
        edit = None if grouped else around(statement, select, [number], statement.text(source))
        return correct([edit] if edit else [], "T-SQL has no DISTINCT ON; it numbers rows.")
    return None


def _ends(select: Select) -> bool:
    return any(word in select.clauses for word in ENDS)
