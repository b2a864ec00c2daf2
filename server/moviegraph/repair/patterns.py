"""What stands in a MATCH, or beside it, and belongs elsewhere: tables, conditions, bounds."""

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.conjuncts import branches, flat
from moviegraph.repair.outline import TokenRange
from moviegraph.repair.context import RefusedStatement

COMPARING = frozenset({"=", "<>", "!=", "<", ">", "<=", ">=", "LIKE", "IN", "IS", "BETWEEN"})


def named_in_match(statement: RefusedStatement) -> Correction | None:
    """MATCH(m-(IN_GENRE e)->(Genre g)) names tables; they are listed in FROM."""
    edits: list[Edit] = []
    for call in statement.calls("MATCH"):
        select = next(iter(statement.around(call.index)), None)
        if select is None or "FROM" not in select.clauses:
            continue
        known = {source.alias.lower() for source in select.sources}
        place = statement.start(select.clauses["FROM"].first)
        for index in range(call.index + 2, call.last - 2):
            table, alias = statement.tokens[index], statement.tokens[index + 1]
            node = statement.contract.node(table.name)
            named = (
                table.is_name and alias.is_name and (node or statement.contract.edge(table.name))
            )
            if not named:
                continue
            if alias.name.lower() not in known:
                known.add(alias.name.lower())
                edits.append(Edit(place, place, f"{table.text} AS {alias.text}, "))
            enclosed = (
                node is not None
                and statement.words(index - 1, "(")
                and statement.words(index + 2, ")")
            )
            start = statement.start(index - 1) if enclosed else table.start
            end = statement.tokens[index + 2].end if enclosed else alias.end
            edits.append(Edit(start, end, alias.text))
    return correct(_joined(edits), "Tables are listed in FROM; in MATCH their aliases stand alone.")


def _joined(edits: list[Edit]) -> list[Edit]:
    """Return the edits with those at one place made one."""
    texts: dict[tuple[int, int], str] = {}
    for edit in edits:
        texts[edit.start, edit.end] = texts.get((edit.start, edit.end), "") + edit.text
    return [Edit(*place, text) for place, text in texts.items()]


def loose_match(statement: RefusedStatement) -> Correction | None:
    """MATCH behind the tables of FROM is a condition of WHERE."""
    for call in statement.calls("MATCH"):
        select = next(iter(statement.around(call.index)), None)
        source = select.clauses.get("FROM") if select else None
        if select is None or source is None or call.index not in source or call.last != source.last:
            continue
        before = statement.tokens[call.index - 1]
        if before.upper in ("AND", "ON", "OR", "NOT", "(", ",", "WHERE"):
            continue
        where = select.clauses.get("WHERE")
        word = Edit(statement.start(call.index), statement.start(call.index), "WHERE ")
        if where is None:
            return correct([word], "MATCH is a condition of WHERE.")
        second = statement.tokens[where.first - 1]
        edits = [word, Edit(second.start, second.end, "AND")]
        if any(statement.upper(index) == "OR" for index in flat(statement, where)):
            start, end = statement.start(where.first), statement.tokens[where.last - 1].end
            edits += [Edit(start, start, "("), Edit(end, end, ")")]
        return correct(edits, "MATCH is a condition of WHERE.")
    return None


def dotted_range(statement: RefusedStatement) -> Correction | None:
    """A pattern that repeats {1..3} times repeats {1,3} times."""
    edits = [
        Edit(statement.tokens[index - 1].end, statement.start(index + 2), ",")
        for index in range(2, len(statement.tokens) - 3)
        if statement.words(index, ".", ".")
        and statement.upper(index - 2) == "{"
        and statement.upper(index + 3) == "}"
    ]
    return correct(edits, "The bounds of a repetition stand between a comma: {1,3}.")


def filtered_match(statement: RefusedStatement) -> Correction | None:
    """MATCH(m-(e)->g AND g.Name = 'x') holds a condition, which stands behind it."""
    edits: list[Edit] = []
    for call in statement.calls("MATCH"):
        inner = TokenRange(call.index + 2, call.last - 1)
        parts = branches(statement, inner, "AND")
        moved = [part for part in parts if _compares(statement, part)]
        if not moved or len(moved) == len(parts) or moved != parts[len(parts) - len(moved) :]:
            continue
        start = statement.tokens[moved[0].first - 2].end
        text = " AND ".join(statement.text(part) for part in moved)
        end = statement.tokens[call.last - 1].end
        edits.append(Edit(start, end, f") AND {text}"))
    return correct(edits, "MATCH holds patterns only; conditions stand beside it.")


def _compares(statement: RefusedStatement, part: TokenRange) -> bool:
    """Whether a part of a MATCH is a comparison without an arrow."""
    words = {statement.upper(index) for index in flat(statement, part)}
    return bool(words & COMPARING) and not words & {"->", "<-", "OR"}
