"""Clauses out of place, doubled, or without one of their words."""

from itertools import pairwise

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.conjuncts import enclosing, flat
from moviegraph.repair.outline import Select, TokenRange, past_parenthesis
from moviegraph.repair.context import RefusedStatement

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


def top_place(statement: RefusedStatement) -> Correction | None:
    """DISTINCT stands before TOP, and TOP behind SELECT."""
    edits: list[Edit] = []
    for select in statement.selects:
        index = select.first + 1
        if statement.upper(index) == "TOP":
            edits += _distinct_first(statement, index)
            continue
        last = select.last
        if last - select.first > 4 and statement.upper(last - 2) == "TOP":
            edits += _top_first(statement, select)
    return correct(edits, "Its form is SELECT DISTINCT TOP 10 ...")


def _distinct_first(statement: RefusedStatement, index: int) -> list[Edit]:
    past = (
        past_parenthesis(statement.tokens, index + 1)
        if statement.upper(index + 1) == "("
        else index + 2
    )
    if statement.upper(past) != "DISTINCT":
        return []
    word = statement.tokens[past]
    top = statement.start(index)
    return [Edit(top, top, "DISTINCT "), Edit(statement.tokens[past - 1].end, word.end, "")]


def _top_first(statement: RefusedStatement, select: Select) -> list[Edit]:
    number = statement.tokens[select.last - 1]
    if number.kind != "number" or {"TOP", "OFFSET"} & {statement.upper(select.first + 1)}:
        return []
    index = select.first + (statement.upper(select.first + 1) == "DISTINCT")
    end = statement.tokens[index].end
    return [
        Edit(end, end, f" TOP {number.text}"),
        Edit(statement.tokens[select.last - 3].end, number.end, ""),
    ]


def top_and_limit(statement: RefusedStatement) -> Correction | None:
    """Of TOP n and LIMIT m the smaller says how many rows come."""
    edits: list[Edit] = []
    for select in statement.selects:
        limit = select.clauses.get("LIMIT")
        index = select.first + 1 + (statement.upper(select.first + 1) == "DISTINCT")
        if limit is None or limit.last - limit.first != 1 or statement.upper(index) != "TOP":
            continue
        top, count = statement.tokens[index + 1], statement.tokens[limit.first]
        if not (top.text.isdigit() and count.text.isdigit()):
            continue
        fewest = str(min(int(top.text), int(count.text)))
        edits += [
            Edit(top.start, top.end, fewest),
            Edit(statement.tokens[limit.first - 2].end, count.end, ""),
        ]
    return correct(edits, "T-SQL has TOP and no LIMIT; the smaller of the two counts.")


def top_and_fetch(statement: RefusedStatement) -> Correction | None:
    """TOP n beside OFFSET is FETCH NEXT n, as other dialects read it; beside that, said twice."""
    edits: list[Edit] = []
    for select in statement.selects:
        index = select.first + 1 + (statement.upper(select.first + 1) == "DISTINCT")
        past = (
            past_parenthesis(statement.tokens, index + 1)
            if statement.upper(index + 1) == "("
            else index + 2
        )
        tops = [p.text for p in statement.tokens[index:past] if p.kind == "number"]
        if statement.upper(index) != "TOP" or statement.upper(past) in ("PERCENT", "WITH"):
            continue
        page = _page(statement, select, tops)
        if page is not None:
            top = Edit(statement.tokens[index - 1].end, statement.tokens[past - 1].end, "")
            edits += [top, *page]
    return correct(edits, "OFFSET goes with FETCH, not with TOP.")


def _page(statement: RefusedStatement, select: Select, tops: list[str]) -> list[Edit] | None:
    """Return what OFFSET lacks to say what TOP says, or None where it says something else."""
    offset, fetch = (select.clauses.get(word) for word in ("OFFSET", "FETCH"))
    if fetch is not None:
        counts = [p.text for p in statement.tokens[fetch.first : fetch.last] if p.kind == "number"]
        return [] if counts and tops == counts else None
    if offset is None or len(tops) != 1 or not tops[0].isdigit() or "ORDER" not in select.clauses:
        return None
    held = statement.tokens[offset.first : offset.last]
    bare = len(held) == 1
    rows = bare or (len(held) == 2 and held[1].upper in ("ROW", "ROWS"))
    if select.arm or not rows or not held[0].text.isdigit():
        return None
    return [Edit(held[-1].end, held[-1].end, f"{' ROWS' * bare} FETCH NEXT {tops[0]} ROWS ONLY")]


def missing_by(statement: RefusedStatement) -> Correction | None:
    """ORDER and GROUP are followed by BY."""
    edits = [
        Edit(token.end, token.end, " BY")
        for index, token in enumerate(statement.tokens)
        if token.upper in ("ORDER", "GROUP")
        and statement.upper(index - 1) not in (".", "AS", "WITHIN")
        and index + 1 < len(statement.tokens)
        and statement.tokens[index + 1].is_name
        and statement.upper(index + 1) != "BY"
    ]
    return correct(edits, "ORDER and GROUP are followed by BY.")


def doubled_word(statement: RefusedStatement) -> Correction | None:
    """A word that stands twice in a row where it can stand once is said once."""
    edits = [
        Edit(statement.tokens[index - 1].end, token.end, "")
        for index, token in enumerate(statement.tokens)
        if index and token.upper in SINGLE and statement.upper(index - 1) == token.upper
    ] + [
        Edit(statement.tokens[index - 1].end, statement.tokens[index + 1].end, "")
        for index in range(2, len(statement.tokens) - 1)
        if statement.upper(index) in ("GROUP", "ORDER")
        and statement.upper(index + 1) == "BY"
        and statement.words(index - 2, statement.upper(index), "BY")
    ]
    return correct(edits, "The word stood there twice.")


def dangling_operator(statement: RefusedStatement) -> Correction | None:
    """An AND or OR that joins nothing, at the head or the end of a condition, is dropped."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        if token.upper not in LOGICAL or not index:
            continue
        if statement.upper(index + 1) in ENDERS or statement.upper(index - 1) in OPENERS:
            edits.append(Edit(statement.tokens[index - 1].end, token.end, ""))
        elif statement.upper(index - 1) == "(" and index > 1:
            edits.append(Edit(token.start, statement.start(index + 1), ""))
    return correct(edits, "An operator that joins nothing was dropped.")


def second_where(statement: RefusedStatement) -> Correction | None:
    """A second WHERE of the same SELECT goes on with the first: AND, or as it is joined already."""
    edits: list[Edit] = []
    for select in statement.selects:
        places = _own(statement, select, "WHERE")
        if len(places) != 2 or any(_has(statement, select, index, "GROUP") for index in places[:1]):
            continue
        first, second = places
        joined = statement.upper(second - 1) in LOGICAL
        if statement.upper(second - 1) != "OR":
            end = _clause_end(statement, select, second + 1)
            edits += enclosing(statement, TokenRange(first + 1, second - joined))
            edits += enclosing(statement, TokenRange(second + 1, end))
        edits.append(
            Edit(statement.start(second), statement.start(second + 1), "" if joined else "AND ")
        )
    return correct(edits, "A SELECT has one WHERE; both conditions hold.")


def _has(statement: RefusedStatement, select: Select, before: int, word: str) -> bool:
    return any(index < before for index in _own(statement, select, word))


def _own(statement: RefusedStatement, select: Select, word: str) -> list[int]:
    inside = TokenRange(select.first + 1, select.last)
    return [index for index in flat(statement, inside) if statement.upper(index) == word]


def _clause_end(statement: RefusedStatement, select: Select, index: int) -> int:
    own = flat(statement, TokenRange(index, select.last))
    return next(
        (current for current in own if statement.upper(current) in ENDERS - {")"}), select.last
    )


def query_hint(statement: RefusedStatement) -> Correction | None:
    """Hints to the optimizer ask nothing: OPTION (...) and WITH (NOLOCK) are dropped."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        hint = token.upper == "OPTION" or (
            token.upper == "WITH"
            and statement.upper(index + 2) in ("NOLOCK", "READUNCOMMITTED", "INDEX")
        )
        if hint and index and statement.upper(index + 1) == "(":
            last = past_parenthesis(statement.tokens, index + 1)
            edits.append(Edit(statement.tokens[index - 1].end, statement.tokens[last - 1].end, ""))
    return correct(edits, "Hints change how a statement runs, not what it asks.")


def direction_word(statement: RefusedStatement) -> Correction | None:
    """DESCENDING and ASCENDING are DESC and ASC."""
    words = {"DESCENDING": "DESC", "ASCENDING": "ASC"}
    edits = [
        Edit(token.start, token.end, words[token.upper])
        for index, token in enumerate(statement.tokens)
        if token.upper in words
        and any(index in s.clauses.get("ORDER", TokenRange(0, 0)) for s in statement.around(index))
    ]
    return correct(edits, "T-SQL sorts ASC or DESC.")


def comma_for_and(statement: RefusedStatement) -> Correction | None:
    """Conditions of WHERE listed by commas must all hold: AND."""
    edits: list[Edit] = []
    for select in statement.selects:
        where = select.clauses.get("WHERE", TokenRange(0, 0))
        own = flat(statement, where)
        commas = [index for index in own if statement.upper(index) == ","]
        parts = [TokenRange(index + 1, end) for index, end in pairwise([*commas, where.last])]
        plain = not any(statement.upper(index) == "OR" for index in own)
        if plain and all(_is_condition(statement, part) for part in parts):
            edits += [
                Edit(statement.tokens[index - 1].end, statement.tokens[index].end, " AND")
                for index in commas
            ]
    return correct(edits, "AND joins conditions.")


def _is_condition(statement: RefusedStatement, part: TokenRange) -> bool:
    words = {statement.upper(index) for index in flat(statement, part)}
    searches = statement.upper(part.first) in ("MATCH", "CONTAINS", "FREETEXT", "EXISTS", "NOT")
    return searches or bool(words & {"=", "<", ">", "<=", ">=", "<>", "!=", "LIKE", "IN", "IS"})
