"""Slips of the hand: words left out, and parentheses and quotes that do not pair."""

import re
from collections.abc import Iterator

from moviegraph.repair.changes import Correction, Edit, apply, correct
from moviegraph.repair.gaps import Reader
from moviegraph.repair.outline import past_parenthesis
from moviegraph.repair.readings import first_reading, only_reading
from moviegraph.repair.context import RefusedStatement
from moviegraph.repair.tokens import RawToken
from moviegraph.sql.foreign_functions import FOREIGN
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.reserved import RESERVED

MOST_GAPS = 3
MOST_QUOTES = 24
ENCLOSING = frozenset({"IN", "EXISTS", "OVER", "MATCH", "COALESCE", "NULLIF", "CONVERT"})
CLOSERS = frozenset(
    """
    AS FROM WHERE GROUP ORDER HAVING UNION AND OR ) , ; = < > <= >= <> LIKE IN IS THEN ELSE END ASC
    DESC WITHIN OVER LIMIT * / + -
    """.split()
)
ENDED = re.compile(
    r"(?=\s*(?:$|[),;]|\s(?:AND|OR|ORDER|GROUP|HAVING|THEN|ELSE|END|FROM|AS|LIMIT|UNION)\b))",
    re.IGNORECASE,
)
CODE = re.compile(r"\b(?:AS|FROM|WHERE|ORDER BY|GROUP BY)\b|^[^\"]*\"[^\"]*$")
BEGUN = re.compile(r"(?:[=<>(,+]|\b(?:LIKE|THEN|ELSE|BETWEEN|AND|IN))\s*(?=[\w%])", re.IGNORECASE)
BEFORE_TEXT = frozenset("= <> != < > <= >= ( , + || LIKE IN THEN ELSE BETWEEN AND SELECT".split())


def missing_word(statement: RefusedStatement) -> Correction | None:
    """Two operands side by side lack the one word or mark that can stand between them."""
    gaps = Reader(statement).read()
    if not 0 < len(gaps) <= MOST_GAPS:
        return None
    edits: list[Edit] = []
    for gap in gaps:
        start = statement.tokens[gap.index - 1].end
        blank = "" if gap.word == "," else " "
        edits.append(Edit(start, start, f"{blank}{gap.word}"))
    words = " and ".join(dict.fromkeys("a comma" if g.word == "," else g.word for g in gaps))
    return correct(edits, f"Between two operands {words} was missing.")


def unopened_parenthesis(statement: RefusedStatement) -> Correction | None:
    """COUNT *) lacks its parenthesis behind the one word before that needs one."""
    closing = _unpaired(statement)[1]
    if len(closing) != 1:
        return None
    first = max((s.first for s in statement.selects if s.first < closing[0]), default=0)
    sites = [index for index in range(first, closing[0] - 1) if _needs_opening(statement, index)]
    if len(sites) != 1:
        return None
    end = statement.tokens[sites[0]].end
    start = statement.start(sites[0] + 1)
    why = "The parenthesis was closed and not opened."
    return correct([Edit(end, start, " (" if statement.upper(sites[0]) == "IN" else "(")], why)


def _needs_opening(statement: RefusedStatement, index: int) -> bool:
    word, behind = statement.upper(index), statement.upper(index + 1)
    if behind == "(" or statement.upper(index - 1) == "." or statement.tokens[index].kind != "word":
        return False
    if word in ENCLOSING or (behind == "SELECT" and word in ("AS", "FROM", "JOIN")):
        return True
    called = word in FUNCTIONS or word in FOREIGN
    follows = behind not in RESERVED | CLOSERS or behind in ("*", "DISTINCT", "CASE")
    return called and follows and behind not in (".", "(") and statement.upper(index - 1) != "AS"


def doubled_parenthesis(statement: RefusedStatement) -> Correction | None:
    """Of two parentheses in a row the one without a counterpart is dropped."""
    opened, closed = _unpaired(statement)
    if len(opened) + len(closed) != 1 or _has_either(statement):
        return None
    for index in opened:
        if statement.upper(index + 1) == "(":
            token = statement.tokens[index]
            return correct([Edit(token.start, token.end, "")], "The parenthesis stood twice.")
    for index in closed:
        if statement.upper(index - 1) == ")" and statement.upper(index + 1) in CLOSERS - set(
            "*/+-"
        ) | {""}:
            token = statement.tokens[index]
            return correct([Edit(token.start, token.end, "")], "The parenthesis stood twice.")
    return None


def _has_either(statement: RefusedStatement) -> bool:
    return any(token.upper == "OR" for token in statement.tokens)


def unclosed_parenthesis(statement: RefusedStatement) -> Correction | None:
    """A parenthesis is closed at the one place with which the text can be read."""
    opened, closed = _unpaired(statement)
    if len(opened) != 1 or closed:
        return None
    edit = only_reading(statement, _closings(statement, opened[0]))
    return correct([edit] if edit else (), "The parenthesis can be closed there only.")


def _closings(statement: RefusedStatement, opened: int) -> Iterator[Edit]:
    index, depth = opened + 1, 0
    while index <= len(statement.tokens) and depth >= 0:
        before = statement.tokens[index - 1]
        ends = before.upper == ")" or before.upper not in RESERVED | CLOSERS
        behind = statement.upper(index) in CLOSERS | {"SELECT"} or index == len(statement.tokens)
        if index > opened + 1 and ends and behind:
            yield Edit(before.end, before.end, ")")
        depth -= statement.upper(index) == ")"
        index = (
            past_parenthesis(statement.tokens, index)
            if statement.upper(index) == "("
            else index + 1
        )


def _unpaired(statement: RefusedStatement) -> tuple[list[int], list[int]]:
    """Return the parentheses that nothing closes, and those that nothing opens."""
    opened, closed = list[int](), list[int]()
    for index in range(len(statement.tokens)):
        if statement.upper(index) == "(":
            opened.append(index)
        elif statement.upper(index) == ")" and opened:
            opened.pop()
        elif statement.upper(index) == ")":
            closed.append(index)
    return opened, closed


def unpaired_quote(statement: RefusedStatement) -> Correction | None:
    """A quote left out is put where every text stands in its place, and the text can be read."""
    if statement.readable or statement.sql.count("'") % 2 == 0:
        return None
    places = {match.start() for match in ENDED.finditer(statement.sql)}
    places |= {match.end() for match in BEGUN.finditer(statement.sql)}
    near = sorted(index for index in places if _is_free(statement.sql, index))[:MOST_QUOTES]
    fitting = [(size, index) for index in near if (size := _length(statement, index)) is not None]
    edits = [Edit(index, index, "'") for _, index in sorted(fitting)]
    edit = first_reading(statement, edits)
    return correct([edit] if edit else (), "A quote of a text was missing.")


def _is_free(sql: str, index: int) -> bool:
    """Whether no quote is there, and no blank that belongs to a text such as ', '."""
    own = sql[index : index + 1].isspace() and sql[index - 1 : index] in ",;:|/-&>("
    return sql[index - 1 : index] != "'" and sql[index : index + 1] != "'" and not own


def _length(statement: RefusedStatement, index: int) -> int | None:
    """Return how long all texts are with a quote there; None where one stands in no place."""
    again = RefusedStatement(apply(statement.sql, (Edit(index, index, "'"),)), statement.contract)
    texts = [n for n, token in enumerate(again.tokens) if token.kind == "string"]
    if any(CODE.search(again.tokens[n].text) for n in texts):
        return None
    if not again.readable or not all(_is_placed(again, n) for n in texts):
        return None
    return sum(again.tokens[n].end - again.tokens[n].start for n in texts)


def _is_placed(statement: RefusedStatement, index: int) -> bool:
    behind: RawToken | None = (
        statement.tokens[index + 1] if index + 1 < len(statement.tokens) else None
    )
    follows = behind is None or behind.kind == "mark" or behind.upper in RESERVED | {"LIMIT"}
    return statement.upper(index - 1) in BEFORE_TEXT and follows


def edge_parenthesis(statement: RefusedStatement) -> Correction | None:
    """In a pattern -(e-> and -e)-> lack one parenthesis around the edge."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        before, behind = statement.upper(index - 1), statement.upper(index + 1)
        if token.kind != "word" or not {before, behind} & {"-", "<-", "->"}:
            continue
        if before == "(" and statement.upper(index - 2) in ("-", "<-") and behind in ("->", "-"):
            edits.append(Edit(token.end, token.end, ")"))
        elif before in ("-", "<-") and behind == ")" and statement.upper(index + 2) in ("->", "-"):
            edits.append(Edit(token.start, token.start, "("))
    return correct(edits, "An edge of a pattern stands in parentheses.")
