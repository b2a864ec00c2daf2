"""Slips of the hand: words left out, and parentheses and quotes that do not pair."""

import re
from collections.abc import Iterator

from moviegraph.sql.foreign_functions import FOREIGN
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, apply, corrected
from moviegraph.sql.repair.gaps import Reader
from moviegraph.sql.repair.outline import past_parenthesis
from moviegraph.sql.repair.pieces import Piece
from moviegraph.sql.repair.readings import first_reading, only_reading
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


def missing_word(broken: Broken) -> Correction | None:
    """Two operands side by side lack the one word or mark that can stand between them."""
    gaps = Reader(broken).read()
    if not 0 < len(gaps) <= MOST_GAPS:
        return None
    edits: list[Edit] = []
    for gap in gaps:
        start = broken.pieces[gap.at - 1].end
        blank = "" if gap.word == "," else " "
        edits.append(Edit(start, start, f"{blank}{gap.word}"))
    words = " and ".join(dict.fromkeys("a comma" if g.word == "," else g.word for g in gaps))
    return corrected(edits, f"Between two operands {words} was missing.")


def unopened_parenthesis(broken: Broken) -> Correction | None:
    """COUNT *) lacks its parenthesis behind the one word before that needs one."""
    closing = _unpaired(broken)[1]
    if len(closing) != 1:
        return None
    first = max((s.first for s in broken.selects if s.first < closing[0]), default=0)
    sites = [at for at in range(first, closing[0] - 1) if _needs_opening(broken, at)]
    if len(sites) != 1:
        return None
    end = broken.pieces[sites[0]].end
    start = broken.start(sites[0] + 1)
    why = "The parenthesis was closed and not opened."
    return corrected([Edit(end, start, " (" if broken.upper(sites[0]) == "IN" else "(")], why)


def _needs_opening(broken: Broken, at: int) -> bool:
    word, behind = broken.upper(at), broken.upper(at + 1)
    if behind == "(" or broken.upper(at - 1) == "." or broken.pieces[at].kind != "word":
        return False
    if word in ENCLOSING or (behind == "SELECT" and word in ("AS", "FROM", "JOIN")):
        return True
    called = word in FUNCTIONS or word in FOREIGN
    follows = behind not in RESERVED | CLOSERS or behind in ("*", "DISTINCT", "CASE")
    return called and follows and behind not in (".", "(") and broken.upper(at - 1) != "AS"


def doubled_parenthesis(broken: Broken) -> Correction | None:
    """Of two parentheses in a row the one without a counterpart is dropped."""
    opened, closed = _unpaired(broken)
    if len(opened) + len(closed) != 1 or _has_either(broken):
        return None
    for at in opened:
        if broken.upper(at + 1) == "(":
            piece = broken.pieces[at]
            return corrected([Edit(piece.start, piece.end, "")], "The parenthesis stood twice.")
    for at in closed:
        if broken.upper(at - 1) == ")" and broken.upper(at + 1) in CLOSERS - set("*/+-") | {""}:
            piece = broken.pieces[at]
            return corrected([Edit(piece.start, piece.end, "")], "The parenthesis stood twice.")
    return None


def _has_either(broken: Broken) -> bool:
    return any(piece.upper == "OR" for piece in broken.pieces)


def unclosed_parenthesis(broken: Broken) -> Correction | None:
    """A parenthesis is closed at the one place with which the text can be read."""
    opened, closed = _unpaired(broken)
    if len(opened) != 1 or closed:
        return None
    edit = only_reading(broken, _closings(broken, opened[0]))
    return corrected([edit] if edit else (), "The parenthesis can be closed there only.")


def _closings(broken: Broken, opened: int) -> Iterator[Edit]:
    at, depth = opened + 1, 0
    while at <= len(broken.pieces) and depth >= 0:
        before = broken.pieces[at - 1]
        ends = before.upper == ")" or before.upper not in RESERVED | CLOSERS
        behind = broken.upper(at) in CLOSERS | {"SELECT"} or at == len(broken.pieces)
        if at > opened + 1 and ends and behind:
            yield Edit(before.end, before.end, ")")
        depth -= broken.upper(at) == ")"
        at = past_parenthesis(broken.pieces, at) if broken.upper(at) == "(" else at + 1


def _unpaired(broken: Broken) -> tuple[list[int], list[int]]:
    """Return the parentheses that nothing closes, and those that nothing opens."""
    opened, closed = list[int](), list[int]()
    for at in range(len(broken.pieces)):
        if broken.upper(at) == "(":
            opened.append(at)
        elif broken.upper(at) == ")" and opened:
            opened.pop()
        elif broken.upper(at) == ")":
            closed.append(at)
    return opened, closed


def unpaired_quote(broken: Broken) -> Correction | None:
    """A quote left out is put where every text stands in its place, and the text can be read."""
    if broken.readable or broken.sql.count("'") % 2 == 0:
        return None
    places = {match.start() for match in ENDED.finditer(broken.sql)}
    places |= {match.end() for match in BEGUN.finditer(broken.sql)}
    near = sorted(at for at in places if _is_free(broken.sql, at))[:MOST_QUOTES]
    fitting = [(size, at) for at in near if (size := _length(broken, at)) is not None]
    edits = [Edit(at, at, "'") for _, at in sorted(fitting)]
    edit = first_reading(broken, edits)
    return corrected([edit] if edit else (), "A quote of a text was missing.")


def _is_free(sql: str, at: int) -> bool:
    """Whether no quote is there, and no blank that belongs to a text such as ', '."""
    own = sql[at : at + 1].isspace() and sql[at - 1 : at] in ",;:|/-&>("
    return sql[at - 1 : at] != "'" and sql[at : at + 1] != "'" and not own


def _length(broken: Broken, at: int) -> int | None:
    """Return how long all texts are with a quote there; None where one stands in no place."""
    again = Broken(apply(broken.sql, (Edit(at, at, "'"),)), broken.contract)
    texts = [n for n, piece in enumerate(again.pieces) if piece.kind == "string"]
    if any(CODE.search(again.pieces[n].text) for n in texts):
        return None
    if not again.readable or not all(_is_placed(again, n) for n in texts):
        return None
    return sum(again.pieces[n].end - again.pieces[n].start for n in texts)


def _is_placed(broken: Broken, at: int) -> bool:
    behind: Piece | None = broken.pieces[at + 1] if at + 1 < len(broken.pieces) else None
    follows = behind is None or behind.kind == "mark" or behind.upper in RESERVED | {"LIMIT"}
    return broken.upper(at - 1) in BEFORE_TEXT and follows


def edge_parenthesis(broken: Broken) -> Correction | None:
    """In a pattern -(e-> and -e)-> lack one parenthesis around the edge."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        before, behind = broken.upper(at - 1), broken.upper(at + 1)
        if piece.kind != "word" or not {before, behind} & {"-", "<-", "->"}:
            continue
        if before == "(" and broken.upper(at - 2) in ("-", "<-") and behind in ("->", "-"):
            edits.append(Edit(piece.end, piece.end, ")"))
        elif before in ("-", "<-") and behind == ")" and broken.upper(at + 2) in ("->", "-"):
            edits.append(Edit(piece.start, piece.start, "("))
    return corrected(edits, "An edge of a pattern stands in parentheses.")
