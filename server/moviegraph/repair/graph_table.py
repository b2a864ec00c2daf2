"""GRAPH_TABLE of SQL/PGQ."""

import re

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.conjuncts import flat
from moviegraph.repair.cypher import PatternGraph, read_patterns, where_of
from moviegraph.repair.outline import TokenRange, past_parenthesis
from moviegraph.repair.context import CalledFunction, RefusedStatement

LABELLED = re.compile(r"([\[(]\s*\w*)\s+IS\s+(\w+)", re.IGNORECASE)
WHY = "T-SQL has no GRAPH_TABLE; a SELECT with MATCH reads the same pattern."


def graph_table(statement: RefusedStatement) -> Correction | None:
    """GRAPH_TABLE (g MATCH ... WHERE ... COLUMNS (...)) is a SELECT with MATCH in FROM."""
    for call in statement.calls("GRAPH_TABLE"):
        text = _selected(statement, call)
        if text is not None:
            end = statement.tokens[call.last - 1].end
            return correct([Edit(statement.start(call.index), end, f"({text})")], WHY)
    return None


def _selected(statement: RefusedStatement, call: CalledFunction) -> str | None:
    """Return the SELECT that lists the columns of a GRAPH_TABLE, or None."""
    parts = _parts(statement, TokenRange(call.index + 2, call.last - 1))
    if not {"MATCH", "COLUMNS"} <= parts.keys():
        return None
    graph = PatternGraph(statement.contract, repeating=True)
    pattern = LABELLED.sub(r"\1:\2", statement.text(parts["MATCH"]))
    if not read_patterns(graph, pattern):
        return None
    columns = parts["COLUMNS"]
    enclosed = past_parenthesis(statement.tokens, columns.first) == columns.last
    items = TokenRange(columns.first + 1, columns.last - 1) if enclosed else columns
    where = where_of(statement.text(parts["WHERE"])) if "WHERE" in parts else None
    return graph.select(statement.text(items), where)


def _parts(statement: RefusedStatement, within: TokenRange) -> dict[str, TokenRange]:
    """Return what stands behind MATCH, WHERE and COLUMNS."""
    words = ("MATCH", "WHERE", "COLUMNS", "RETURN")
    places = [index for index in flat(statement, within) if statement.upper(index) in words]
    ends = [*places[1:], within.last]
    return {
        statement.upper(index).replace("RETURN", "COLUMNS"): TokenRange(index + 1, end)
        for index, end in zip(places, ends, strict=True)
    }
