"""Lists and values that lack a comma, parentheses or a name."""

from collections.abc import Iterator

from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.outline import Range, Select, listed, past_parenthesis
from moviegraph.sql.repair.selected import items_of
from moviegraph.sql.reserved import RESERVED

LITERALS = ("number", "string")


def missing_comma(broken: Broken) -> Correction | None:
    """Two qualified columns in a row are two items of the list."""
    edits: list[Edit] = []
    for select in broken.selects:
        for word in ("SELECT", "GROUP", "ORDER"):
            clause = select.clauses.get(word)
            for at in range(clause.first, clause.last - 5) if clause else ():
                if _qualified(broken, at) and _qualified(broken, at + 3):
                    end = broken.pieces[at + 2].end
                    edits.append(Edit(end, end, ","))
    return corrected(edits, "The comma between two columns was missing.")


def _qualified(broken: Broken, at: int) -> bool:
    pieces = broken.pieces[at : at + 3]
    named = len(pieces) == 3 and pieces[0].is_name and pieces[2].is_name
    return named and pieces[1].text == "." and broken.upper(at - 1) != "."


def derived_alias(broken: Broken) -> Correction | None:
    """A subquery in FROM gets the alias that it needs."""
    edits: list[Edit] = []
    for source in broken.sources:
        first, last = source.range.first, source.range.last
        if source.alias or source.parts or broken.upper(first) != "(":
            continue
        if broken.upper(first + 1) != "SELECT" or broken.upper(last - 1) != ")":
            continue
        end = broken.pieces[last - 1].end
        edits.append(Edit(end, end, f" AS {_fresh(broken, len(edits) + 1)}"))
    return corrected(edits, "A subquery in FROM has an alias.")


def _fresh(broken: Broken, number: int) -> str:
    taken = {piece.name.lower() for piece in broken.pieces if piece.is_name}
    free = (f"d{n}" for n in range(1, len(taken) + number + 2) if f"d{n}" not in taken)
    return [name for name, _ in zip(free, range(number), strict=False)][-1]


def derived_name(broken: Broken) -> Correction | None:
    """A computed column of a CTE or subquery gets the name that it needs."""
    edits: list[Edit] = []
    taken = {piece.name.lower() for piece in broken.pieces if piece.is_name}
    for select in _inner(broken):
        for number, item in enumerate(items_of(broken, select), start=1):
            if item.alias or item.has_star or _is_named(broken, item.value):
                continue
            name = next(n for n in (f"v{number}", f"w{number}", f"v{number}_") if n not in taken)
            end = broken.pieces[item.value.last - 1].end
            edits.append(Edit(end, end, f" AS {name}"))
    return corrected(edits, "Each column of a CTE or subquery in FROM has a name.")


def _inner(broken: Broken) -> Iterator[Select]:
    """Yield the SELECTs of CTEs and of subqueries in FROM, first arms only."""
    opened = {source.range.first + 1 for source in broken.sources if not source.parts}
    for select in broken.selects:
        in_cte = broken.upper(select.first - 1) == "(" and broken.upper(select.first - 2) == "AS"
        named = broken.pieces[select.first - 3].is_name if in_cte and select.first > 2 else False
        if select.first in opened or (in_cte and named):
            yield select


def _is_named(broken: Broken, value: Range) -> bool:
    equals = value.last - value.first > 2 and broken.upper(value.first + 1) == "="
    plain = all(
        piece.is_name or piece.text == "." for piece in broken.pieces[value.first : value.last]
    )
    return equals or plain


def is_value(broken: Broken) -> Correction | None:
    """IS compares with NULL only: IS 1999 is = 1999."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces[:-1]):
        if piece.upper != "IS":
            continue
        negated = broken.upper(at + 1) == "NOT"
        value = broken.pieces[min(at + 1 + negated, len(broken.pieces) - 1)]
        if value.kind in LITERALS:
            sign = "<>" if negated else "="
            edits.append(Edit(piece.start, broken.pieces[at + negated].end, sign))
    return corrected(edits, "IS goes with NULL; values are compared by = and <>.")


def bare_list(broken: Broken) -> Correction | None:
    """IN 1, 2, 3 lacks its parentheses; so does IN 'a'."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces[:-1]):
        if piece.upper != "IN" or broken.pieces[at + 1].kind not in LITERALS:
            continue
        last = at + 2
        while broken.upper(last) == "," and last + 1 < len(broken.pieces):
            if broken.pieces[last + 1].kind not in LITERALS:
                break
            last += 2
        start, end = broken.start(at + 1), broken.pieces[last - 1].end
        edits += [Edit(start, start, "("), Edit(end, end, ")")]
    return corrected(edits, "The list behind IN stands in parentheses.")


def missing_end(broken: Broken) -> Correction | None:
    """A CASE that lacks its END gets it behind its last value."""
    opened: list[int] = []
    for at, piece in enumerate(broken.pieces):
        if piece.upper == "CASE":
            opened.append(at)
        elif piece.upper == "END" and opened:
            opened.pop()
    if len(opened) != 1:
        return None
    for at in range(opened[0] + 1, len(broken.pieces)):
        if broken.upper(at) == "ELSE":
            last = broken.operand_after(at)
            if last < len(broken.pieces) and broken.upper(last) in ("AS", ",", "FROM", ")"):
                end = broken.pieces[last - 1].end
                return corrected([Edit(end, end, " END")], "A CASE ends with END.")
    return None


def bracketed_list(broken: Broken) -> Correction | None:
    """IN [1, 2] and IN ['a', 'b'] take round brackets."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces[:-1]):
        held = broken.pieces[at + 1]
        if piece.upper == "IN" and held.kind == "name" and held.text.startswith("["):
            inner = held.text[1:-1]
            if inner and not any(char in inner for char in "[](){};"):
                edits.append(Edit(held.start, held.end, f"({inner})"))
    return corrected(edits, "The list behind IN stands in round brackets.")


def else_when(broken: Broken) -> Correction | None:
    """ELSE WHEN, ELSE IF and ELSEIF before a condition are a further WHEN of the CASE."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces[:-1]):
        if piece.upper == "ELSE" and broken.upper(at + 1) in ("WHEN", "IF"):
            called = broken.upper(at + 1) == "IF" and broken.upper(at + 2) == "("
            if not called or broken.upper(broken.operand_after(at + 1)) == "THEN":
                edits.append(Edit(piece.start, broken.pieces[at + 1].end, "WHEN"))
        elif piece.upper in ("ELSEIF", "ELSIF"):
            edits.append(Edit(piece.start, piece.end, "WHEN"))
    return corrected(edits, "A CASE has WHEN for each of its conditions.")


def listed_and(broken: Broken) -> Correction | None:
    """SELECT a.X AND b.Y lists two columns: neither is a condition."""
    edits: list[Edit] = []
    for select in broken.selects:
        clause = select.clauses["SELECT"]
        for at in range(clause.first + 3, clause.last - 3):
            if (
                broken.upper(at) == "AND"
                and _qualified(broken, at - 3)
                and _qualified(broken, at + 1)
            ):
                before, behind = broken.upper(at - 4), broken.upper(at + 4)
                if before in ("SELECT", ",", "DISTINCT", "AND") and behind in (
                    "FROM",
                    ",",
                    "AND",
                    "AS",
                ):
                    edits.append(Edit(broken.pieces[at - 1].end, broken.pieces[at].end, ","))
    return corrected(edits, "Commas separate what is listed.")


def blank_alias(broken: Broken) -> Correction | None:
    """AS Film Title, two words up to a comma or FROM, is a name in brackets."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        last = at + 1
        while last < len(broken.pieces) and broken.pieces[last].kind == "word":
            if broken.upper(last) in RESERVED:
                break
            last += 1
        listed = any(at in s.clauses.get("SELECT", Range(0, 0)) for s in broken.around(at))
        if piece.upper == "AS" and last - at > 2 and broken.upper(last) in (",", "FROM") and listed:
            start, end = broken.start(at + 1), broken.pieces[last - 1].end
            edits.append(Edit(start, end, f"[{broken.sql[start:end]}]"))
    return corrected(edits, "A name with a blank stands in brackets.")


def value_names(broken: Broken) -> Correction | None:
    """(VALUES (1), (2)) AS v has the columns column1, column2 only where they are named."""
    edits: list[Edit] = []
    for source in broken.sources:
        first, alias = source.range.first, source.alias_at
        if alias is None or not broken.words(first, "(", "VALUES", "("):
            continue
        if broken.upper(alias + 1) == "(":
            continue
        count = len(
            listed(broken.pieces, Range(first + 3, past_parenthesis(broken.pieces, first + 2) - 1))
        )
        names = [f"column{n}" for n in range(1, count + 1)]
        used = {piece.name.lower() for piece in broken.pieces if piece.is_name}
        if used & set(names):
            end = broken.pieces[alias].end
            edits.append(Edit(end, end, f"({', '.join(names)})"))
    return corrected(edits, "The columns of VALUES are named behind its alias.")
