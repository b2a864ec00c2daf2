"""Clauses out of place, doubled, or without one of their words."""

from itertools import pairwise

from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.conjuncts import enclosing, flat
from moviegraph.sql.repair.outline import Range, Select, past_parenthesis

LOGICAL = frozenset({"AND", "OR"})
OPENERS = frozenset({"WHERE", "ON", "HAVING", "WHEN"})
ENDERS = frozenset({")", ";", "GROUP", "ORDER", "HAVING", "LIMIT", "UNION", "OFFSET", "FOR"})
SINGLE = (
    LOGICAL
    | OPENERS
    | frozenset(
        "SELECT FROM BY IN LIKE AS = IS BETWEEN GROUP ORDER JOIN THEN ELSE END DISTINCT".split()
    )
    | frozenset("INNER LEFT RIGHT FULL CROSS OUTER UNION DESC ASC NULL EXISTS".split())
)


def top_place(broken: Broken) -> Correction | None:
    """DISTINCT stands before TOP, and TOP behind SELECT."""
    edits: list[Edit] = []
    for select in broken.selects:
        at = select.first + 1
        if broken.upper(at) == "TOP":
            edits += _distinct_first(broken, at)
            continue
        last = select.last
        if last - select.first > 4 and broken.upper(last - 2) == "TOP":
            edits += _top_first(broken, select)
    return corrected(edits, "Its form is SELECT DISTINCT TOP 10 ...")


def _distinct_first(broken: Broken, at: int) -> list[Edit]:
    past = past_parenthesis(broken.pieces, at + 1) if broken.upper(at + 1) == "(" else at + 2
    if broken.upper(past) != "DISTINCT":
        return []
    word = broken.pieces[past]
    top = broken.start(at)
    return [Edit(top, top, "DISTINCT "), Edit(broken.pieces[past - 1].end, word.end, "")]


def _top_first(broken: Broken, select: Select) -> list[Edit]:
    number = broken.pieces[select.last - 1]
    if number.kind != "number" or {"TOP", "OFFSET"} & {broken.upper(select.first + 1)}:
        return []
    at = select.first + (broken.upper(select.first + 1) == "DISTINCT")
    end = broken.pieces[at].end
    return [
        Edit(end, end, f" TOP {number.text}"),
        Edit(broken.pieces[select.last - 3].end, number.end, ""),
    ]


def top_and_limit(broken: Broken) -> Correction | None:
    """Of TOP n and LIMIT m the smaller says how many rows come."""
    edits: list[Edit] = []
    for select in broken.selects:
        limit = select.clauses.get("LIMIT")
        at = select.first + 1 + (broken.upper(select.first + 1) == "DISTINCT")
        if limit is None or limit.last - limit.first != 1 or broken.upper(at) != "TOP":
            continue
        top, count = broken.pieces[at + 1], broken.pieces[limit.first]
        if not (top.text.isdigit() and count.text.isdigit()):
            continue
        fewest = str(min(int(top.text), int(count.text)))
        edits += [
            Edit(top.start, top.end, fewest),
            Edit(broken.pieces[limit.first - 2].end, count.end, ""),
        ]
    return corrected(edits, "T-SQL has TOP and no LIMIT; the smaller of the two counts.")


def top_and_fetch(broken: Broken) -> Correction | None:
    """TOP n beside OFFSET is FETCH NEXT n, as other dialects read it; beside that, said twice."""
    edits: list[Edit] = []
    for select in broken.selects:
        at = select.first + 1 + (broken.upper(select.first + 1) == "DISTINCT")
        past = past_parenthesis(broken.pieces, at + 1) if broken.upper(at + 1) == "(" else at + 2
        tops = [p.text for p in broken.pieces[at:past] if p.kind == "number"]
        if broken.upper(at) != "TOP" or broken.upper(past) in ("PERCENT", "WITH"):
            continue
        page = _page(broken, select, tops)
        if page is not None:
            top = Edit(broken.pieces[at - 1].end, broken.pieces[past - 1].end, "")
            edits += [top, *page]
    return corrected(edits, "OFFSET goes with FETCH, not with TOP.")


def _page(broken: Broken, select: Select, tops: list[str]) -> list[Edit] | None:
    """Return what OFFSET lacks to say what TOP says, or None where it says something else."""
    offset, fetch = (select.clauses.get(word) for word in ("OFFSET", "FETCH"))
    if fetch is not None:
        counts = [p.text for p in broken.pieces[fetch.first : fetch.last] if p.kind == "number"]
        return [] if counts and tops == counts else None
    if offset is None or len(tops) != 1 or not tops[0].isdigit() or "ORDER" not in select.clauses:
        return None
    held = broken.pieces[offset.first : offset.last]
    bare = len(held) == 1
    rows = bare or (len(held) == 2 and held[1].upper in ("ROW", "ROWS"))
    if select.arm or not rows or not held[0].text.isdigit():
        return None
    return [Edit(held[-1].end, held[-1].end, f"{' ROWS' * bare} FETCH NEXT {tops[0]} ROWS ONLY")]


def missing_by(broken: Broken) -> Correction | None:
    """ORDER and GROUP are followed by BY."""
    edits = [
        Edit(piece.end, piece.end, " BY")
        for at, piece in enumerate(broken.pieces)
        if piece.upper in ("ORDER", "GROUP")
        and broken.upper(at - 1) not in (".", "AS", "WITHIN")
        and at + 1 < len(broken.pieces)
        and broken.pieces[at + 1].is_name
        and broken.upper(at + 1) != "BY"
    ]
    return corrected(edits, "ORDER and GROUP are followed by BY.")


def doubled_word(broken: Broken) -> Correction | None:
    """A word that stands twice in a row where it can stand once is said once."""
    edits = [
        Edit(broken.pieces[at - 1].end, piece.end, "")
        for at, piece in enumerate(broken.pieces)
        if at and piece.upper in SINGLE and broken.upper(at - 1) == piece.upper
    ] + [
        Edit(broken.pieces[at - 1].end, broken.pieces[at + 1].end, "")
        for at in range(2, len(broken.pieces) - 1)
        if broken.upper(at) in ("GROUP", "ORDER")
        and broken.upper(at + 1) == "BY"
        and broken.words(at - 2, broken.upper(at), "BY")
    ]
    return corrected(edits, "The word stood there twice.")


def dangling_operator(broken: Broken) -> Correction | None:
    """An AND or OR that joins nothing, at the head or the end of a condition, is dropped."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        if piece.upper not in LOGICAL or not at:
            continue
        if broken.upper(at + 1) in ENDERS or broken.upper(at - 1) in OPENERS:
            edits.append(Edit(broken.pieces[at - 1].end, piece.end, ""))
        elif broken.upper(at - 1) == "(" and at > 1:
            edits.append(Edit(piece.start, broken.start(at + 1), ""))
    return corrected(edits, "An operator that joins nothing was dropped.")


def second_where(broken: Broken) -> Correction | None:
    """A second WHERE of the same SELECT goes on with the first: AND, or as it is joined already."""
    edits: list[Edit] = []
    for select in broken.selects:
        places = _own(broken, select, "WHERE")
        if len(places) != 2 or any(_has(broken, select, at, "GROUP") for at in places[:1]):
            continue
        first, second = places
        joined = broken.upper(second - 1) in LOGICAL
        if broken.upper(second - 1) != "OR":
            end = _clause_end(broken, select, second + 1)
            edits += enclosing(broken, Range(first + 1, second - joined))
            edits += enclosing(broken, Range(second + 1, end))
        edits.append(Edit(broken.start(second), broken.start(second + 1), "" if joined else "AND "))
    return corrected(edits, "A SELECT has one WHERE; both conditions hold.")


def _has(broken: Broken, select: Select, before: int, word: str) -> bool:
    return any(at < before for at in _own(broken, select, word))


def _own(broken: Broken, select: Select, word: str) -> list[int]:
    inside = Range(select.first + 1, select.last)
    return [at for at in flat(broken, inside) if broken.upper(at) == word]


def _clause_end(broken: Broken, select: Select, at: int) -> int:
    own = flat(broken, Range(at, select.last))
    return next((here for here in own if broken.upper(here) in ENDERS - {")"}), select.last)


def query_hint(broken: Broken) -> Correction | None:
    """Hints to the optimizer ask nothing: OPTION (...) and WITH (NOLOCK) are dropped."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        hint = piece.upper == "OPTION" or (
            piece.upper == "WITH" and broken.upper(at + 2) in ("NOLOCK", "READUNCOMMITTED", "INDEX")
        )
        if hint and at and broken.upper(at + 1) == "(":
            last = past_parenthesis(broken.pieces, at + 1)
            edits.append(Edit(broken.pieces[at - 1].end, broken.pieces[last - 1].end, ""))
    return corrected(edits, "Hints change how a statement runs, not what it asks.")


def direction_word(broken: Broken) -> Correction | None:
    """DESCENDING and ASCENDING are DESC and ASC."""
    words = {"DESCENDING": "DESC", "ASCENDING": "ASC"}
    edits = [
        Edit(piece.start, piece.end, words[piece.upper])
        for at, piece in enumerate(broken.pieces)
        if piece.upper in words
        and any(at in s.clauses.get("ORDER", Range(0, 0)) for s in broken.around(at))
    ]
    return corrected(edits, "T-SQL sorts ASC or DESC.")


def comma_for_and(broken: Broken) -> Correction | None:
    """Conditions of WHERE listed by commas must all hold: AND."""
    edits: list[Edit] = []
    for select in broken.selects:
        where = select.clauses.get("WHERE", Range(0, 0))
        own = flat(broken, where)
        commas = [at for at in own if broken.upper(at) == ","]
        parts = [Range(at + 1, end) for at, end in pairwise([*commas, where.last])]
        plain = not any(broken.upper(at) == "OR" for at in own)
        if plain and all(_is_condition(broken, part) for part in parts):
            edits += [
                Edit(broken.pieces[at - 1].end, broken.pieces[at].end, " AND") for at in commas
            ]
    return corrected(edits, "AND joins conditions.")


def _is_condition(broken: Broken, part: Range) -> bool:
    words = {broken.upper(at) for at in flat(broken, part)}
    searches = broken.upper(part.first) in ("MATCH", "CONTAINS", "FREETEXT", "EXISTS", "NOT")
    return searches or bool(words & {"=", "<", ">", "<=", ">=", "<>", "!=", "LIKE", "IN", "IS"})
