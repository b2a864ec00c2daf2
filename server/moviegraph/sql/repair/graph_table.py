"""GRAPH_TABLE of SQL/PGQ."""

import re

from moviegraph.sql.repair.broken import Broken, CalledFunction
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.conjuncts import flat
from moviegraph.sql.repair.cypher import PatternGraph, read_patterns, where_of
from moviegraph.sql.repair.outline import Range, past_parenthesis

LABELLED = re.compile(r"([\[(]\s*\w*)\s+IS\s+(\w+)", re.IGNORECASE)
WHY = "T-SQL has no GRAPH_TABLE; a SELECT with MATCH reads the same pattern."


def graph_table(broken: Broken) -> Correction | None:
    """GRAPH_TABLE (g MATCH ... WHERE ... COLUMNS (...)) is a SELECT with MATCH in FROM."""
    for call in broken.calls("GRAPH_TABLE"):
        text = _selected(broken, call)
        if text is not None:
            end = broken.pieces[call.last - 1].end
            return corrected([Edit(broken.start(call.at), end, f"({text})")], WHY)
    return None


def _selected(broken: Broken, call: CalledFunction) -> str | None:
    """Return the SELECT that lists the columns of a GRAPH_TABLE, or None."""
    parts = _parts(broken, Range(call.at + 2, call.last - 1))
    if not {"MATCH", "COLUMNS"} <= parts.keys():
        return None
    graph = PatternGraph(broken.contract, repeating=True)
    pattern = LABELLED.sub(r"\1:\2", broken.text(parts["MATCH"]))
    if not read_patterns(graph, pattern):
        return None
    columns = parts["COLUMNS"]
    enclosed = past_parenthesis(broken.pieces, columns.first) == columns.last
    items = Range(columns.first + 1, columns.last - 1) if enclosed else columns
    where = where_of(broken.text(parts["WHERE"])) if "WHERE" in parts else None
    return graph.select(broken.text(items), where)


def _parts(broken: Broken, within: Range) -> dict[str, Range]:
    """Return what stands behind MATCH, WHERE and COLUMNS."""
    words = ("MATCH", "WHERE", "COLUMNS", "RETURN")
    places = [at for at in flat(broken, within) if broken.upper(at) in words]
    ends = [*places[1:], within.last]
    return {
        broken.upper(at).replace("RETURN", "COLUMNS"): Range(at + 1, end)
        for at, end in zip(places, ends, strict=True)
    }
