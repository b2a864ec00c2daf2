"""Words that stand where a call, a sign or TOP was meant."""

from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.repair.broken import Broken, CalledFunction
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.cypher import EDGE, NODE
from moviegraph.sql.repair.dialect import is_number
from moviegraph.sql.repair.outline import Range

AGGREGATES = frozenset({"COUNT", "SUM", "AVG", "MIN", "MAX"})
BEHIND = frozenset({"FROM", ",", "AS", "", "DESC", "ASC", "ORDER", ">", "<", "=", ">=", "<="})
WORDED = frozenset({"BETWEEN", "LIKE", "IN", "=", "<", ">", "<=", ">=", "<>", "!="})


def open_call(broken: Broken) -> Correction | None:
    """COUNT * and MAX ReleaseYear lack both of their parentheses."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces[:-1]):
        if piece.upper not in AGGREGATES or broken.upper(at - 1) in (".", "AS"):
            continue
        first = at + 1 + (broken.upper(at + 1) == "DISTINCT")
        past = first + 1
        while broken.upper(past) == ".":
            past += 2
        held = _is_column(broken, past - 1) or (
            broken.upper(first) == "*" and piece.upper == "COUNT"
        )
        if held and past <= len(broken.pieces) and broken.upper(past) in BEHIND:
            edits.append(Edit(piece.end, broken.start(at + 1), "("))
            end = broken.pieces[past - 1].end
            edits.append(Edit(end, end, ")"))
    return corrected(edits, "A function is called with parentheses.")


def _is_column(broken: Broken, at: int) -> bool:
    name = broken.pieces[at].name if at < len(broken.pieces) else ""
    return any(node.column(name) is not None for node in broken.contract.nodes)


def stray_is(broken: Broken) -> Correction | None:
    """IS before another comparison says nothing: x IS BETWEEN, x IS NOT LIKE, x = LIKE."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces[:-1]):
        behind = broken.upper(at + 1)
        if behind == "NOT":
            behind = broken.upper(at + 2)
        worded = behind in ("BETWEEN", "LIKE", "IN")
        if (piece.upper == "IS" and behind in WORDED) or (piece.upper == "=" and worded):
            edits.append(Edit(piece.start, broken.start(at + 1), ""))
    return corrected(edits, "One comparison stands between two values.")


def first_rows(broken: Broken) -> Correction | None:
    """SELECT FIRST 5 and SELECT LIMIT 5 are SELECT TOP 5."""
    edits = [
        Edit(piece.start, piece.end, "TOP")
        for at, piece in enumerate(broken.pieces[:-1])
        if piece.upper in ("FIRST", "LIMIT")
        and broken.upper(at - 1) in ("SELECT", "DISTINCT")
        and broken.pieces[at + 1].kind == "number"
    ]
    return corrected(edits, "T-SQL cuts rows with TOP.")


def late_from(broken: Broken) -> Correction | None:
    """SELECT ... WHERE ... FROM ... has its FROM behind WHERE, where it is read before."""
    edits: list[Edit] = []
    for select in broken.selects:
        words = list(select.clauses)
        if "FROM" not in words or words.index("FROM") != words.index("SELECT") + 2:
            continue
        if words[words.index("FROM") - 1] != "WHERE":
            continue
        where, table = select.clauses["WHERE"], select.clauses["FROM"]
        start = broken.start(where.first - 1)
        condition = broken.sql[start : broken.pieces[where.last - 1].end]
        named = broken.sql[broken.start(table.first - 1) : broken.pieces[table.last - 1].end]
        edits.append(Edit(start, broken.pieces[table.last - 1].end, f"{named} {condition}"))
    return corrected(edits, "FROM stands before WHERE.")


def function_as_column(broken: Broken) -> Correction | None:
    """ORDER BY count means the one COUNT of the select list, which has no other name."""
    at = broken.at_span()
    name = broken.upper(at) if at is not None else ""
    if at is None or name not in AGGREGATES or not broken.around(at):
        return None
    select = broken.around(at)[0]
    items = select.clauses["SELECT"]
    calls = [call for call in broken.calls_in(select, name) if call.at in items]
    texts = {broken.text(Range(call.at, call.last)) for call in calls}
    if len(texts) != 1:
        return None
    piece = broken.pieces[at]
    return corrected([Edit(piece.start, piece.end, texts.pop())], f"{name} has no name of its own.")


def embedded_query(broken: Broken) -> Correction | None:
    """EMBED(@q), or any function that is not known, of @q alone is @q: it is a vector already."""
    edits = [
        broken.over(call, "@q")
        for call in broken.calls()
        if broken.upper(call.at) not in FUNCTIONS and _is_query(broken, call)
    ]
    return corrected(edits, "@q is the embedding of the query text.")


def _is_query(broken: Broken, call: CalledFunction) -> bool:
    inside = any(
        outer.at < call.at < outer.last
        for outer in broken.calls("VECTOR_DISTANCE", "VECTOR_SEARCH")
    )
    return inside and [broken.text(each).lower() for each in call.arguments] == ["@q"]


def open_pattern(broken: Broken) -> Correction | None:
    """MATCH(m)-(e)->(g) closes too early: the whole pattern stands in its parentheses."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces[:-1]):
        if piece.upper != "MATCH" or broken.upper(at + 1) != "(":
            continue
        found = _chain(broken.sql, broken.start(at + 1))
        if found is not None:
            edits.append(Edit(broken.start(at + 1), found[1], f"({found[0]})"))
    return corrected(edits, "MATCH holds the whole pattern, and nodes stand in it by alias.")


def _chain(sql: str, at: int) -> tuple[str, int] | None:
    """Return a path of nodes in parentheses as MATCH takes it, and where it ends."""
    text, end = "", at
    while (node := NODE.match(sql, at)) is not None and node[1] and not node[2] and not node[3]:
        text, end = text + node[1], node.end()
        edge = EDGE.match(sql, end)
        if edge is None or not edge[2] or (edge[1] and edge[4]):
            break
        text += f"<-({edge[2]})-" if edge[1] else f"-({edge[2]})->"
        at = edge.end()
    return (text, end) if ")" in text and not text.endswith(("-", ">")) else None


def columns_by_or(broken: Broken) -> Correction | None:
    """CONTAINS(m.Name OR m.Content, 'x') searches both columns: (m.Name, m.Content)."""
    edits: list[Edit] = []
    for call in broken.calls("CONTAINS", "FREETEXT"):
        first = call.arguments[0] if len(call.arguments) == 2 else Range(0, 0)
        words = [at for at in range(first.first, first.last) if broken.upper(at) == "OR"]
        rest = [broken.upper(at) in ("OR", ".") or broken.pieces[at].is_name for at in _all(first)]
        if words and all(rest):
            edits += [Edit(broken.pieces[at - 1].end, broken.pieces[at].end, ",") for at in words]
            start, end = broken.start(first.first), broken.pieces[first.last - 1].end
            edits += [Edit(start, start, "("), Edit(end, end, ")")]
    return corrected(edits, "Several columns stand in one list.")


def _all(within: Range) -> range:
    return range(within.first, within.last)


def mixed_default(broken: Broken) -> Correction | None:
    """A number whose default is a text, COALESCE(m.ReleaseYear, 'unknown'), is shown as a text."""
    edits: list[Edit] = []
    for call in broken.calls("COALESCE", "ISNULL", "IFNULL", "NVL"):
        if len(call.arguments) != 2 or not is_number(broken, call.arguments[0]):
            continue
        default = broken.pieces[call.arguments[1].last - 1]
        if default.kind == "string" and not default.name.strip().isdigit():
            first = call.arguments[0]
            start, end = broken.start(first.first), broken.pieces[first.last - 1].end
            edits.append(Edit(start, end, f"CAST({broken.text(first)} AS NVARCHAR(30))"))
    return corrected(edits, "The number is cast, because its default is a text.")
