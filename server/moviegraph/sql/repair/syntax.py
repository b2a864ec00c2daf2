"""Slips of writing: fences, prose, quotes, commas, parentheses."""

import re

from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, apply, corrected
from moviegraph.sql.repair.outline import Range, past_parenthesis
from moviegraph.sql.reserved import RESERVED, STATEMENT_WORDS
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
PATTERN_ENDS = frozenset({"OR", "GROUP", "ORDER", "HAVING", "UNION", "LIMIT", ";", ")", "="})
LIST_ENDS = frozenset(
    {"AS", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "UNION", "LIMIT", ")", ";"}
)
OWN_WORDS = frozenset({"CAST", "TRY_CAST", "CONVERT", "EXTRACT", "TRIM", "SUBSTRING", "POSITION"})
EXTRA_BEFORE = frozenset(
    {"AND", "AS", ",", "DESC", "ASC", "LIMIT", "=", "<", ">", "<=", ">=", "<>"}
)
LONGEST_COLUMNS = 12
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


def escaped_apostrophe(broken: Broken) -> Correction | None:
    r"""\' inside a text is a doubled apostrophe, where only so every text ends."""
    if broken.readable or "\\'" not in broken.sql:
        return None
    edits = [Edit(m.start(), m.end(), "''") for m in re.finditer(r"\\'", broken.sql)]
    mended = Broken(apply(broken.sql, tuple(edits)), broken.contract)
    why = "An apostrophe inside a text is doubled."
    return corrected(edits, why) if mended.readable else None


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
    """A parenthesis that closes nothing is dropped: at the end, or where none can be missing."""
    depth = 0
    for at, piece in enumerate(broken.pieces):
        depth += (piece.upper == "(") - (piece.upper == ")")
        if depth < 0:
            rest = {broken.upper(here) for here in range(at, len(broken.pieces))}
            closing = [each for each in broken.pieces[at:] if each.upper == ")"]
            whole = rest <= {")", ";"} and broken.pieces[-1].kind == "mark"
            if not whole:
                closing = [piece] if _is_extra(broken, at) else []
            edits = [Edit(each.start, each.end, "") for each in closing]
            return corrected(edits, "The parenthesis closed nothing.")
    return None


def _is_extra(broken: Broken, at: int) -> bool:
    """Whether a `)` stands behind another one, and no OR before it could have been enclosed."""
    select = next((s for s in reversed(broken.selects) if s.first < at), None)
    clause = broken.upper(at + 1) in CLAUSE_WORDS | EXTRA_BEFORE
    if select is None or broken.upper(at - 1) != ")" or not clause:
        return False
    return "OR" not in _own_words(broken, Range(select.first, at))


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
    if len(opened) == 1 and broken.upper(opened[0] - 1) == "MATCH":
        return _closed_match(broken, opened[0])
    if len(opened) == 1 and broken.upper(opened[0] - 1) in ("CONTAINS", "FREETEXT"):
        return _closed_search(broken, opened[0])
    if len(opened) == 1 and (edit := _closed_list(broken, opened[0])) is not None:
        return corrected([edit], "The list left open was closed where the next clause begins.")
    if not opened or not all(_ends_last(broken, at) for at in opened):
        return None
    last = len(broken.pieces)
    while last and broken.upper(last - 1) == ";":
        last -= 1
    end = broken.pieces[last - 1].end
    why = "The parenthesis left open was closed at the end."
    return corrected([Edit(end, end, ")" * len(opened))], why)


def _closed_search(broken: Broken, opened: int) -> Correction | None:
    """Close CONTAINS or FREETEXT behind the text that it looks for."""
    texts = [at for at in range(opened, len(broken.pieces)) if broken.pieces[at].kind == "string"]
    if not texts or broken.upper(texts[0] - 1) != "," or texts[0] - opened > LONGEST_COLUMNS:
        return None
    end = broken.pieces[texts[0]].end
    return corrected([Edit(end, end, ")")], "The search was not closed behind its text.")


def _closed_list(broken: Broken, opened: int) -> Edit | None:
    """Close a list of IN, or the arguments of a function, before the clause that follows."""
    called = broken.pieces[opened - 1] if opened else None
    if called is None or called.kind != "word" or called.upper in OWN_WORDS:
        return None
    if called.upper in RESERVED - {"IN", "LEFT", "RIGHT", "COALESCE", "NULLIF"}:
        return None
    at = opened + 1
    while at < len(broken.pieces) and broken.upper(at) not in LIST_ENDS:
        if broken.upper(at) in ("SELECT", "AND", "OR", "=", "<", ">", "<=", ">=", "<>", "OVER"):
            return None
        at = past_parenthesis(broken.pieces, at) if broken.upper(at) == "(" else at + 1
    end = broken.pieces[at - 1].end
    return Edit(end, end, ")") if opened + 1 < at < len(broken.pieces) else None


def _closed_match(broken: Broken, opened: int) -> Correction | None:
    """Close the pattern of a MATCH where it ends: before what is no node and no arrow."""
    at = opened + 1
    while at < len(broken.pieces):
        word = broken.upper(at)
        if word == "AND" and broken.upper(at + 2) not in ("-", "<-", "<", "("):
            break
        if word in PATTERN_ENDS:
            break
        at = past_parenthesis(broken.pieces, at) if word == "(" else at + 1
    end = broken.pieces[at - 1].end
    return corrected([Edit(end, end, ")")], "The pattern of MATCH was not closed.")


def _ends_last(broken: Broken, at: int) -> bool:
    """Whether what is open from `at` can only end with the statement."""
    own = _own_words(broken, Range(at + 1, len(broken.pieces)))
    words = set(own)
    if own.count("SELECT") > 1 + sum(own.count(word) for word in ("UNION", "EXCEPT", "INTERSECT")):
        return False
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
    for at, piece in enumerate(broken.pieces):
        negated = broken.upper(at - 1) == "NOT"
        before = at - 1 - negated
        if piece.upper == "MATERIALIZED" and broken.upper(before) == "AS":
            edits.append(Edit(broken.pieces[before].end, piece.end, ""))
    return corrected(edits, "T-SQL has no such word before a CTE.")


def second_with(broken: Broken) -> Correction | None:
    """WITH is said once, before the first CTE; commas separate them."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        if piece.upper != "WITH" or not broken.words(at + 2, "AS", "("):
            continue
        if broken.words(at - 2, ")", ","):
            edits.append(Edit(piece.start, broken.start(at + 1), ""))
        elif (
            broken.upper(at - 1) in (")", ";")
            and broken.upper(at - 1 - (broken.upper(at - 1) == ";")) == ")"
        ):
            edits.append(
                Edit(broken.pieces[at - 1 - (broken.upper(at - 1) == ";")].end, piece.end, ",")
            )
    return corrected(edits, "WITH is said once; commas separate the CTEs.")
