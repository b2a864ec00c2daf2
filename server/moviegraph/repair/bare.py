"""Words that stand where a call, a sign or TOP was meant."""

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.cypher import EDGE, NODE
from moviegraph.repair.dialect import is_number
from moviegraph.repair.outline import TokenRange
from moviegraph.repair.context import CalledFunction, RefusedStatement
from moviegraph.sql.functions import FUNCTIONS

AGGREGATES = frozenset({"COUNT", "SUM", "AVG", "MIN", "MAX"})
BEHIND = frozenset({"FROM", ",", "AS", "", "DESC", "ASC", "ORDER", ">", "<", "=", ">=", "<="})
WORDED = frozenset({"BETWEEN", "LIKE", "IN", "=", "<", ">", "<=", ">=", "<>", "!="})


def open_call(statement: RefusedStatement) -> Correction | None:
    """COUNT * and MAX ReleaseYear lack both of their parentheses."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens[:-1]):
        if token.upper not in AGGREGATES or statement.upper(index - 1) in (".", "AS"):
            continue
        first = index + 1 + (statement.upper(index + 1) == "DISTINCT")
        past = first + 1
        while statement.upper(past) == ".":
            past += 2
        held = _is_column(statement, past - 1) or (
            statement.upper(first) == "*" and token.upper == "COUNT"
        )
        if held and past <= len(statement.tokens) and statement.upper(past) in BEHIND:
            edits.append(Edit(token.end, statement.start(index + 1), "("))
            end = statement.tokens[past - 1].end
            edits.append(Edit(end, end, ")"))
    return correct(edits, "A function is called with parentheses.")


def _is_column(statement: RefusedStatement, index: int) -> bool:
    name = statement.tokens[index].name if index < len(statement.tokens) else ""
    return any(node.column(name) is not None for node in statement.contract.nodes)


def stray_is(statement: RefusedStatement) -> Correction | None:
    """IS before another comparison says nothing: x IS BETWEEN, x IS NOT LIKE, x = LIKE."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens[:-1]):
        behind = statement.upper(index + 1)
        if behind == "NOT":
            behind = statement.upper(index + 2)
        worded = behind in ("BETWEEN", "LIKE", "IN")
        if (token.upper == "IS" and behind in WORDED) or (token.upper == "=" and worded):
            edits.append(Edit(token.start, statement.start(index + 1), ""))
    return correct(edits, "One comparison stands between two values.")


def first_rows(statement: RefusedStatement) -> Correction | None:
    """SELECT FIRST 5 and SELECT LIMIT 5 are SELECT TOP 5."""
    edits = [
        Edit(token.start, token.end, "TOP")
        for index, token in enumerate(statement.tokens[:-1])
        if token.upper in ("FIRST", "LIMIT")
        and statement.upper(index - 1) in ("SELECT", "DISTINCT")
        and statement.tokens[index + 1].kind == "number"
    ]
    return correct(edits, "T-SQL cuts rows with TOP.")


def late_from(statement: RefusedStatement) -> Correction | None:
    """SELECT ... WHERE ... FROM ... has its FROM behind WHERE, where it is read before."""
    edits: list[Edit] = []
    for select in statement.selects:
        words = list(select.clauses)
        if "FROM" not in words or words.index("FROM") != words.index("SELECT") + 2:
            continue
        if words[words.index("FROM") - 1] != "WHERE":
            continue
        where, table = select.clauses["WHERE"], select.clauses["FROM"]
        start = statement.start(where.first - 1)
        condition = statement.sql[start : statement.tokens[where.last - 1].end]
        named = statement.sql[
            statement.start(table.first - 1) : statement.tokens[table.last - 1].end
        ]
        edits.append(Edit(start, statement.tokens[table.last - 1].end, f"{named} {condition}"))
    return correct(edits, "FROM stands before WHERE.")


def function_as_column(statement: RefusedStatement) -> Correction | None:
    """ORDER BY count means the one COUNT of the select list, which has no other name."""
    index = statement.refused_index()
    name = statement.upper(index) if index is not None else ""
    if index is None or name not in AGGREGATES or not statement.around(index):
        return None
    select = statement.around(index)[0]
    items = select.clauses["SELECT"]
    calls = [call for call in statement.calls_in(select, name) if call.index in items]
    texts = {statement.text(TokenRange(call.index, call.last)) for call in calls}
    if len(texts) != 1:
        return None
    token = statement.tokens[index]
    return correct([Edit(token.start, token.end, texts.pop())], f"{name} has no name of its own.")


def embedded_query(statement: RefusedStatement) -> Correction | None:
    """EMBED(@q), or any function that is not known, of @q alone is @q: it is a vector already."""
    edits = [
        statement.over(call, "@q")
        for call in statement.calls()
        if statement.upper(call.index) not in FUNCTIONS and _is_query(statement, call)
    ]
    return correct(edits, "@q is the embedding of the query text.")


def _is_query(statement: RefusedStatement, call: CalledFunction) -> bool:
    inside = any(
        outer.index < call.index < outer.last
        for outer in statement.calls("VECTOR_DISTANCE", "VECTOR_SEARCH")
    )
    return inside and [statement.text(each).lower() for each in call.arguments] == ["@q"]


def open_pattern(statement: RefusedStatement) -> Correction | None:
    """MATCH(m)-(e)->(g) closes too early: the whole pattern stands in its parentheses."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens[:-1]):
        if token.upper != "MATCH" or statement.upper(index + 1) != "(":
            continue
        found = _chain(statement.sql, statement.start(index + 1))
        if found is not None:
            edits.append(Edit(statement.start(index + 1), found[1], f"({found[0]})"))
    return correct(edits, "MATCH holds the whole pattern, and nodes stand in it by alias.")


def _chain(sql: str, index: int) -> tuple[str, int] | None:
    """Return a path of nodes in parentheses as MATCH takes it, and where it ends."""
    text, end = "", index
    while (node := NODE.match(sql, index)) is not None and node[1] and not node[2] and not node[3]:
        text, end = text + node[1], node.end()
        edge = EDGE.match(sql, end)
        if edge is None or not edge[2] or (edge[1] and edge[4]):
            break
        text += f"<-({edge[2]})-" if edge[1] else f"-({edge[2]})->"
        index = edge.end()
    return (text, end) if ")" in text and not text.endswith(("-", ">")) else None


def columns_by_or(statement: RefusedStatement) -> Correction | None:
    """CONTAINS(m.Name OR m.Content, 'x') searches both columns: (m.Name, m.Content)."""
    edits: list[Edit] = []
    for call in statement.calls("CONTAINS", "FREETEXT"):
        first = call.arguments[0] if len(call.arguments) == 2 else TokenRange(0, 0)
        words = [
            index for index in range(first.first, first.last) if statement.upper(index) == "OR"
        ]
        rest = [
            statement.upper(index) in ("OR", ".") or statement.tokens[index].is_name
            for index in _all(first)
        ]
        if words and all(rest):
            edits += [
                Edit(statement.tokens[index - 1].end, statement.tokens[index].end, ",")
                for index in words
            ]
            start, end = statement.start(first.first), statement.tokens[first.last - 1].end
            edits += [Edit(start, start, "("), Edit(end, end, ")")]
    return correct(edits, "Several columns stand in one list.")


def _all(within: TokenRange) -> range:
    return range(within.first, within.last)


def mixed_default(statement: RefusedStatement) -> Correction | None:
    """A number whose default is a text, COALESCE(m.ReleaseYear, 'unknown'), is shown as a text."""
    edits: list[Edit] = []
    for call in statement.calls("COALESCE", "ISNULL", "IFNULL", "NVL"):
        if len(call.arguments) != 2 or not is_number(statement, call.arguments[0]):
            continue
        default = statement.tokens[call.arguments[1].last - 1]
        if default.kind == "string" and not default.name.strip().isdigit():
            first = call.arguments[0]
            start, end = statement.start(first.first), statement.tokens[first.last - 1].end
            edits.append(Edit(start, end, f"CAST({statement.text(first)} AS NVARCHAR(30))"))
    return correct(edits, "The number is cast, because its default is a text.")
