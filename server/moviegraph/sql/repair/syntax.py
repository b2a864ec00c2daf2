"""Slips of writing: fences, prose, quotes, commas, parentheses."""

import re

from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.outline import Range
from moviegraph.sql.reserved import STATEMENT_WORDS
from moviegraph.sql.scan import regions

FENCED = re.compile(r"```[A-Za-z-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)
LABEL = re.compile(r"\A[^\n;]{0,200}:[ \t]*\r?\n?\s*(?=(?:SELECT|WITH)\b)", re.IGNORECASE)
TAG = re.compile(r"\A\s*(?:sql|tsql|t-sql)[ \t]*\r?\n\s*(?=(?:SELECT|WITH)\b)", re.IGNORECASE)
TYPOGRAPHY = {
    "\u2018": "'",
    "\u2019": "'",
    "\u201a": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u201e": '"',
    "\u00a0": " ",
    "\u2007": " ",
    "\u202f": " ",
    "\u200b": "",
    "\ufeff": "",
    "\u2010": "-",
    "\u2011": "-",
    "\u2012": "-",
    "\u2013": "-",
    "\u2014": "-",
    "\u2212": "-",
    "\u2192": "->",
    "\u2190": "<-",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u2260": "<>",
    "\u00d7": "*",
}
INNER_APOSTROPHE = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])")
CLAUSE_WORDS = frozenset({"FROM", "WHERE", "GROUP", "ORDER", "HAVING", "UNION", "EXCEPT", ")"})


def code_fence(broken: Broken) -> Correction | None:
    """The one fenced block among prose is the statement."""
    blocks = list(FENCED.finditer(broken.sql))
    if len(blocks) != 1 or not broken.sql.replace(blocks[0].group(), "").strip():
        return None
    start, end = blocks[0].span(1)
    edits = (Edit(0, start, ""), Edit(end, len(broken.sql), ""))
    return corrected(edits, "Only the fenced block is the statement; the prose was dropped.")


def prose_before(broken: Broken) -> Correction | None:
    """A label such as "Here is the query:" is no part of the statement."""
    found = LABEL.match(broken.sql) or TAG.match(broken.sql)
    words = re.findall(r"\w+", found.group().upper()) if found else []
    if not found or (words and words[0] in STATEMENT_WORDS | {"SELECT", "WITH"}):
        return None
    return corrected([Edit(0, found.end(), "")], "The label before the statement was dropped.")


def typographic_characters(broken: Broken) -> Correction | None:
    """Curly quotes, long dashes and invisible blanks outside strings become plain ones."""
    if broken.sql.isascii():
        return None
    spans = _code_spans(broken)
    edits = [
        Edit(at, at + 1, TYPOGRAPHY[char])
        for at, char in enumerate(broken.sql)
        if char in TYPOGRAPHY and any(start <= at < end for start, end in spans)
    ]
    return corrected(edits, "T-SQL reads plain quotes, dashes and blanks only.")


def _code_spans(broken: Broken) -> list[tuple[int, int]]:
    """Return where code stands; between curly quotes a text is kept as it is."""
    if not broken.readable:
        return [(0, len(broken.sql))]
    code = [(r.start, r.end) for r in regions(broken.sql) if r.kind == "code"]
    quoted = [m.span() for m in re.finditer(r"\u2018[^\u2018]*?\u2019(?!\w)", broken.sql)]
    inner = [(start + 1, end - 1) for start, end in quoted]
    found: list[tuple[int, int]] = []
    for start, end in code:
        cuts = [each for each in inner if start <= each[0] and each[1] <= end]
        for cut in cuts:
            found.append((start, cut[0]))
            start = cut[1]
        found.append((start, end))
    return found


def apostrophe(broken: Broken) -> Correction | None:
    """In a text such as 'Schindler's List' the one apostrophe inside is doubled."""
    if broken.readable:
        return None
    found = [
        match
        for match in INNER_APOSTROPHE.finditer(broken.sql)
        if not broken.sql[: match.start()].endswith((" N", "(N", "=N", ",N"))
    ]
    if len(found) != 1:
        return None
    at = found[0].start()
    return corrected([Edit(at, at + 1, "''")], "An apostrophe inside a text is doubled.")


def stray_comma(broken: Broken) -> Correction | None:
    """A comma before a clause, a closing parenthesis, another comma or the end is dropped."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        if piece.upper != ",":
            continue
        following = broken.upper(at + 1)
        ends = at + 1 == len(broken.pieces) or following in (",", ";", ")")
        clause = following in CLAUSE_WORDS and not broken.words(at + 1, "ORDER", ")")
        after_ctes = following == "SELECT" and broken.upper(at - 1) == ")"
        after_select = broken.upper(at - 1) in ("SELECT", "DISTINCT", "FROM", "BY")
        if ends or clause or after_ctes or after_select:
            edits.append(Edit(piece.start, piece.end, ""))
    return corrected(edits, "A comma that lists nothing was dropped.")


def closing_parenthesis(broken: Broken) -> Correction | None:
    """A parenthesis at the end that closes nothing is dropped."""
    depth = 0
    for at, piece in enumerate(broken.pieces):
        depth += (piece.upper == "(") - (piece.upper == ")")
        if depth < 0:
            rest = {broken.upper(here) for here in range(at, len(broken.pieces))}
            edits = [
                Edit(each.start, each.end, "") for each in broken.pieces[at:] if each.upper == ")"
            ]
            whole = rest <= {")", ";"} and broken.pieces[-1].kind == "mark"
            why = "The parenthesis at the end closed nothing."
            return corrected(edits, why) if whole else None
    return None


def missing_parenthesis(broken: Broken) -> Correction | None:
    """A parenthesis left open up to the end is closed there, where it can close nowhere else."""
    opened: list[int] = []
    for at, piece in enumerate(broken.pieces):
        if piece.upper == "(":
            opened.append(at)
        elif piece.upper == ")":
            if not opened:
                return None
            opened.pop()
    if not opened or not all(_ends_last(broken, at) for at in opened):
        return None
    last = len(broken.pieces)
    while last and broken.upper(last - 1) == ";":
        last -= 1
    end = broken.pieces[last - 1].end
    why = "The parenthesis left open was closed at the end."
    return corrected([Edit(end, end, ")" * len(opened))], why)


def _ends_last(broken: Broken, at: int) -> bool:
    """Whether what is open from `at` can only end with the statement."""
    words = set(_own_words(broken, Range(at + 1, len(broken.pieces))))
    if words & {"ORDER", "GROUP", "HAVING"} and broken.upper(at - 1) != "OVER":
        return False
    if broken.upper(at - 1) in ("MATCH", "CONTAINS", "FREETEXT"):
        return not words & {"=", "<", ">", "LIKE"}
    if broken.upper(at + 1) == "SELECT":
        # A condition at the end could stand in the subquery or behind it.
        return "AND" not in words and "OR" not in words
    return not words & {"AND", "OR", "FROM", "WHERE"} or words & {"AND", "OR"} in (
        {"AND"},
        {"OR"},
    )


def _own_words(broken: Broken, within: Range) -> list[str]:
    depth, found = 0, list[str]()
    for at in range(within.first, within.last):
        depth += (broken.upper(at) == "(") - (broken.upper(at) == ")")
        if depth == 0:
            found.append(broken.upper(at))
    return found


def recursive_word(broken: Broken) -> Correction | None:
    """WITH RECURSIVE is WITH; a CTE that does read itself is still refused."""
    edits = [
        Edit(broken.pieces[at].start, broken.start(at + 1), "")
        for at in range(1, len(broken.pieces) - 1)
        if broken.words(at - 1, "WITH", "RECURSIVE") and broken.pieces[at + 1].is_name
    ]
    return corrected(edits, "T-SQL has no word RECURSIVE.")


def second_with(broken: Broken) -> Correction | None:
    """WITH is said once, before the first CTE."""
    edits = [
        Edit(piece.start, broken.start(at + 1), "")
        for at, piece in enumerate(broken.pieces)
        if piece.upper == "WITH"
        and broken.words(at - 2, ")", ",")
        and broken.words(at + 2, "AS", "(")
    ]
    return corrected(edits, "WITH is said once; commas separate the CTEs.")
