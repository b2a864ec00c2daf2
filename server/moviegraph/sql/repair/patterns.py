"""What stands in a MATCH, or beside it, and belongs elsewhere: tables, conditions, bounds."""

from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.conjuncts import branches, flat
from moviegraph.sql.repair.outline import Range

COMPARING = frozenset({"=", "<>", "!=", "<", ">", "<=", ">=", "LIKE", "IN", "IS", "BETWEEN"})


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


def filtered_match(broken: Broken) -> Correction | None:
    """MATCH(m-(e)->g AND g.Name = 'x') holds a condition, which stands behind it."""
    edits: list[Edit] = []
    for call in broken.calls("MATCH"):
        inner = Range(call.at + 2, call.last - 1)
        parts = branches(broken, inner, "AND")
        moved = [part for part in parts if _compares(broken, part)]
        if not moved or len(moved) == len(parts) or moved != parts[len(parts) - len(moved) :]:
            continue
        start = broken.pieces[moved[0].first - 2].end
        text = " AND ".join(broken.text(part) for part in moved)
        end = broken.pieces[call.last - 1].end
        edits.append(Edit(start, end, f") AND {text}"))
    return corrected(edits, "MATCH holds patterns only; conditions stand beside it.")


def _compares(broken: Broken, part: Range) -> bool:
    """Whether a part of a MATCH is a comparison without an arrow."""
    words = {broken.upper(at) for at in flat(broken, part)}
    return bool(words & COMPARING) and not words & {"->", "<-", "OR"}
