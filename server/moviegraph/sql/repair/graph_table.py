"""GRAPH_TABLE of SQL/PGQ, and tables that a pattern names itself."""

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
    graph = PatternGraph(broken.contract)
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


def named_in_match(broken: Broken) -> Correction | None:
    """MATCH(m-(IN_GENRE e)->(Genre g)) names tables; they are listed in FROM."""
    edits: list[Edit] = []
    for call in broken.calls("MATCH"):
        select = next(iter(broken.around(call.at)), None)
        if select is None or "FROM" not in select.clauses:
            continue
        known = {source.alias.lower() for source in select.sources}
        place = broken.start(select.clauses["FROM"].first)
        for at in range(call.at + 2, call.last - 2):
            table, alias = broken.pieces[at], broken.pieces[at + 1]
            node = broken.contract.node(table.name)
            named = table.is_name and alias.is_name and (node or broken.contract.edge(table.name))
            if not named:
                continue
            if alias.name.lower() not in known:
                known.add(alias.name.lower())
                edits.append(Edit(place, place, f"{table.text} AS {alias.text}, "))
            enclosed = node is not None and broken.words(at - 1, "(") and broken.words(at + 2, ")")
            start = broken.start(at - 1) if enclosed else table.start
            end = broken.pieces[at + 2].end if enclosed else alias.end
            edits.append(Edit(start, end, alias.text))
    return corrected(
        _joined(edits), "Tables are listed in FROM; in MATCH their aliases stand alone."
    )


def _joined(edits: list[Edit]) -> list[Edit]:
    """Return the edits with those at one place made one."""
    texts: dict[tuple[int, int], str] = {}
    for edit in edits:
        texts[edit.start, edit.end] = texts.get((edit.start, edit.end), "") + edit.text
    return [Edit(*place, text) for place, text in texts.items()]


def loose_match(broken: Broken) -> Correction | None:
    """MATCH behind the tables of FROM is a condition of WHERE."""
    for call in broken.calls("MATCH"):
        select = next(iter(broken.around(call.at)), None)
        source = select.clauses.get("FROM") if select else None
        if select is None or source is None or call.at not in source or call.last != source.last:
            continue
        before = broken.pieces[call.at - 1]
        if before.upper in ("AND", "ON", "OR", "NOT", "(", ",", "WHERE"):
            continue
        where = select.clauses.get("WHERE")
        word = Edit(broken.start(call.at), broken.start(call.at), "WHERE ")
        if where is None:
            return corrected([word], "MATCH is a condition of WHERE.")
        second = broken.pieces[where.first - 1]
        edits = [word, Edit(second.start, second.end, "AND")]
        if any(broken.upper(at) == "OR" for at in flat(broken, where)):
            start, end = broken.start(where.first), broken.pieces[where.last - 1].end
            edits += [Edit(start, start, "("), Edit(end, end, ")")]
        return corrected(edits, "MATCH is a condition of WHERE.")
    return None


def dotted_range(broken: Broken) -> Correction | None:
    """A pattern that repeats {1..3} times repeats {1,3} times."""
    edits = [
        Edit(broken.pieces[at - 1].end, broken.start(at + 2), ",")
        for at in range(2, len(broken.pieces) - 3)
        if broken.words(at, ".", ".")
        and broken.upper(at - 2) == "{"
        and broken.upper(at + 3) == "}"
    ]
    return corrected(edits, "The bounds of a repetition stand between a comma: {1,3}.")
