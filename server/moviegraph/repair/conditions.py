"""Conditions and literals that lack a quote, a sign or a side."""

from moviegraph.repair.clauses import items_of
from moviegraph.repair.context import Correction, Edit, RefusedStatement, correct
from moviegraph.repair.tokens import TokenRange, past_parenthesis

COMPARING = frozenset({"=", "<>", "!=", "==", "<", ">", "<=", ">="})
BEFORE_TEXT = COMPARING | frozenset("LIKE ILIKE ( , THEN ELSE BETWEEN AND + || ESCAPE WHEN".split())
COMPARING_CONDITIONAL = frozenset({"=", "<>", "!=", "<", ">", "<=", ">=", "LIKE", "IS", "BETWEEN"})


def double_quoted_text(statement: RefusedStatement) -> Correction | None:
    """What stands in double quotes where a value belongs, and names nothing, is a text."""
    edits = [
        Edit(token.start, token.end, "'" + token.name.replace("'", "''") + "'")
        for index, token in enumerate(statement.tokens)
        if token.kind == "name" and token.text[0] == '"' and _is_text(statement, index)
    ]
    return correct(edits, "Text stands in single quotes; double quotes delimit names.")


def _is_text(statement: RefusedStatement, index: int) -> bool:
    if statement.upper(index - 1) not in BEFORE_TEXT or statement.upper(index + 1) == ".":
        return False
    return not _is_known(statement, statement.tokens[index].name.lower())


def _is_known(statement: RefusedStatement, name: str) -> bool:
    columns = {c.name.lower() for node in statement.contract.nodes for c in node.columns}
    tables = {table.lower() for table in statement.contract.table_names}
    return name in columns | tables | statement.aliases


def _is_condition(statement: RefusedStatement, value: TokenRange) -> bool:
    index, last = value.first, value.last
    if statement.upper(index) == "SELECT":
        return False
    if statement.upper(index) == "(" and past_parenthesis(statement.tokens, index) == last:
        return _is_condition(statement, TokenRange(index + 1, last - 1))
    if statement.upper(index) in ("EXISTS", "CONTAINS", "FREETEXT"):
        return (
            statement.upper(index + 1) == "("
            and past_parenthesis(statement.tokens, index + 1) == last
        )
    while index < last:
        if statement.upper(index) in COMPARING_CONDITIONAL:
            return True
        if statement.upper(index) == "CASE":
            return False
        index = (
            past_parenthesis(statement.tokens, index)
            if statement.upper(index) == "("
            else index + 1
        )
    return False


def listed_condition(statement: RefusedStatement) -> Correction | None:
    """A comparison in the select list gives 1 or 0 by a CASE, and NULL where it is unknown."""
    edits: list[Edit] = []
    for select in statement.selects:
        for item in items_of(statement, select):
            value = item.value
            by_name = statement.upper(value.first + 1) == "="
            inverted = statement.upper(value.first) == "NOT"
            if by_name or inverted or not _is_condition(statement, value):
                continue
            text = statement.text(value)
            case = f"CASE WHEN {text} THEN 1 WHEN NOT ({text}) THEN 0 END"
            edits.append(
                Edit(statement.start(value.first), statement.tokens[value.last - 1].end, case)
            )
    return correct(edits, "Conditions are no values in T-SQL; CASE makes 1 and 0 of them.")
