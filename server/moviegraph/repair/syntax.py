"""Slips of writing: fences, prose, quotes, commas, parentheses."""

import re

from moviegraph.repair.changes import Correction, Edit, apply, correct
from moviegraph.repair.outline import TokenRange, past_parenthesis
from moviegraph.repair.context import RefusedStatement
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


def code_fence(statement: RefusedStatement) -> Correction | None:
    """The one fenced block among prose is the statement."""
    blocks = list(FENCED.finditer(statement.sql))
    if len(blocks) != 1 or not statement.sql.replace(blocks[0].group(), "").strip():
        return None
    start, end = blocks[0].span(1)
    edits = (Edit(0, start, ""), Edit(end, len(statement.sql), ""))
    return correct(edits, "Only the fenced block is the statement; the prose was dropped.")


def prose_before(statement: RefusedStatement) -> Correction | None:
    """A label such as "Here is the query:" is no part of the statement."""
    found = LABEL.match(statement.sql) or TAG.match(statement.sql)
    words = re.findall(r"\w+", found.group().upper()) if found else []
    if not found or (words and words[0] in STATEMENT_WORDS | {"SELECT", "WITH"}):
        return None
    return correct([Edit(0, found.end(), "")], "The label before the statement was dropped.")


def typographic_characters(statement: RefusedStatement) -> Correction | None:
    """Curly quotes, long dashes and invisible blanks outside strings become plain ones."""
    if statement.sql.isascii():
        return None
    spans = _code_spans(statement)
    edits = [
        Edit(index, index + 1, TYPOGRAPHY[char])
        for index, char in enumerate(statement.sql)
        if char in TYPOGRAPHY and any(start <= index < end for start, end in spans)
    ]
    return correct(edits, "T-SQL reads plain quotes, dashes and blanks only.")


def _code_spans(statement: RefusedStatement) -> list[tuple[int, int]]:
    """Return where code stands; between curly quotes a text is kept as it is."""
    if not statement.readable:
        return [(0, len(statement.sql))]
    code = [(r.start, r.end) for r in regions(statement.sql) if r.kind == "code"]
    quoted = [m.span() for m in re.finditer(r"\u2018[^\u2018]*?\u2019(?!\w)", statement.sql)]
    inner = [(start + 1, end - 1) for start, end in quoted]
    found: list[tuple[int, int]] = []
    for start, end in code:
        cuts = [each for each in inner if start <= each[0] and each[1] <= end]
        for cut in cuts:
            found.append((start, cut[0]))
            start = cut[1]
        found.append((start, end))
    return found


def apostrophe(statement: RefusedStatement) -> Correction | None:
    """In a text such as 'Schindler's List' the one apostrophe inside is doubled."""
    if statement.readable:
        return None
    found = [
        match
        for match in INNER_APOSTROPHE.finditer(statement.sql)
        if not statement.sql[: match.start()].endswith((" N", "(N", "=N", ",N"))
    ]
    if len(found) != 1:
        return None
    index = found[0].start()
    return correct([Edit(index, index + 1, "''")], "An apostrophe inside a text is doubled.")


def escaped_apostrophe(statement: RefusedStatement) -> Correction | None:
    r"""\' inside a text is a doubled apostrophe, where only so every text ends."""
    if statement.readable or "\\'" not in statement.sql:
        return None
    edits = [Edit(m.start(), m.end(), "''") for m in re.finditer(r"\\'", statement.sql)]
    mended = RefusedStatement(apply(statement.sql, tuple(edits)), statement.contract)
    why = "An apostrophe inside a text is doubled."
    return correct(edits, why) if mended.readable else None


def stray_comma(statement: RefusedStatement) -> Correction | None:
    """A comma before a clause, a closing parenthesis, another comma or the end is dropped."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        if token.upper != ",":
            continue
        following = statement.upper(index + 1)
        ends = index + 1 == len(statement.tokens) or following in (",", ";", ")")
        clause = following in CLAUSE_WORDS and not statement.words(index + 1, "ORDER", ")")
        after_ctes = following == "SELECT" and statement.upper(index - 1) == ")"
        after_select = statement.upper(index - 1) in ("SELECT", "DISTINCT", "FROM", "BY")
        if ends or clause or after_ctes or after_select:
            edits.append(Edit(token.start, token.end, ""))
    return correct(edits, "A comma that lists nothing was dropped.")


def closing_parenthesis(statement: RefusedStatement) -> Correction | None:
    """A parenthesis that closes nothing is dropped: at the end, or where none can be missing."""
    depth = 0
    for index, token in enumerate(statement.tokens):
        depth += (token.upper == "(") - (token.upper == ")")
        if depth < 0:
            rest = {statement.upper(current) for current in range(index, len(statement.tokens))}
            closing = [each for each in statement.tokens[index:] if each.upper == ")"]
            whole = rest <= {")", ";"} and statement.tokens[-1].kind == "mark"
            if not whole:
                closing = [token] if _is_extra(statement, index) else []
            edits = [Edit(each.start, each.end, "") for each in closing]
            return correct(edits, "The parenthesis closed nothing.")
    return None


def _is_extra(statement: RefusedStatement, index: int) -> bool:
    """Whether a `)` stands behind another one, and no OR before it could have been enclosed."""
    select = next((s for s in reversed(statement.selects) if s.first < index), None)
    clause = statement.upper(index + 1) in CLAUSE_WORDS | EXTRA_BEFORE
    if select is None or statement.upper(index - 1) != ")" or not clause:
        return False
    return "OR" not in _own_words(statement, TokenRange(select.first, index))


def missing_parenthesis(statement: RefusedStatement) -> Correction | None:
    """A parenthesis left open up to the end is closed there, where it can close nowhere else."""
    opened: list[int] = []
    for index, token in enumerate(statement.tokens):
        if token.upper == "(":
            opened.append(index)
        elif token.upper == ")":
            if not opened:
                return None
            opened.pop()
    if len(opened) == 1 and statement.upper(opened[0] - 1) == "MATCH":
        return _closed_match(statement, opened[0])
    if len(opened) == 1 and statement.upper(opened[0] - 1) in ("CONTAINS", "FREETEXT"):
        return _closed_search(statement, opened[0])
    if len(opened) == 1 and (edit := _closed_list(statement, opened[0])) is not None:
        return correct([edit], "The list left open was closed where the next clause begins.")
    if not opened or not all(_ends_last(statement, index) for index in opened):
        return None
    last = len(statement.tokens)
    while last and statement.upper(last - 1) == ";":
        last -= 1
    end = statement.tokens[last - 1].end
    why = "The parenthesis left open was closed at the end."
    return correct([Edit(end, end, ")" * len(opened))], why)


def _closed_search(statement: RefusedStatement, opened: int) -> Correction | None:
    """Close CONTAINS or FREETEXT behind the text that it looks for."""
    texts = [
        index
        for index in range(opened, len(statement.tokens))
        if statement.tokens[index].kind == "string"
    ]
    if not texts or statement.upper(texts[0] - 1) != "," or texts[0] - opened > LONGEST_COLUMNS:
        return None
    end = statement.tokens[texts[0]].end
    return correct([Edit(end, end, ")")], "The search was not closed behind its text.")


def _closed_list(statement: RefusedStatement, opened: int) -> Edit | None:
    """Close a list of IN, or the arguments of a function, before the clause that follows."""
    called = statement.tokens[opened - 1] if opened else None
    if called is None or called.kind != "word" or called.upper in OWN_WORDS:
        return None
    if called.upper in RESERVED - {"IN", "LEFT", "RIGHT", "COALESCE", "NULLIF"}:
        return None
    index = opened + 1
    while index < len(statement.tokens) and statement.upper(index) not in LIST_ENDS:
        if statement.upper(index) in (
            "SELECT",
            "AND",
            "OR",
            "=",
            "<",
            ">",
            "<=",
            ">=",
            "<>",
            "OVER",
        ):
            return None
        index = (
            past_parenthesis(statement.tokens, index)
            if statement.upper(index) == "("
            else index + 1
        )
    end = statement.tokens[index - 1].end
    return Edit(end, end, ")") if opened + 1 < index < len(statement.tokens) else None


def _closed_match(statement: RefusedStatement, opened: int) -> Correction | None:
    """Close the pattern of a MATCH where it ends: before what is no node and no arrow."""
    index = opened + 1
    while index < len(statement.tokens):
        word = statement.upper(index)
        if word == "AND" and statement.upper(index + 2) not in ("-", "<-", "<", "("):
            break
        if word in PATTERN_ENDS:
            break
        index = past_parenthesis(statement.tokens, index) if word == "(" else index + 1
    end = statement.tokens[index - 1].end
    return correct([Edit(end, end, ")")], "The pattern of MATCH was not closed.")


def _ends_last(statement: RefusedStatement, index: int) -> bool:
    """Whether what is open from `at` can only end with the statement."""
    own = _own_words(statement, TokenRange(index + 1, len(statement.tokens)))
    words = set(own)
    if own.count("SELECT") > 1 + sum(own.count(word) for word in ("UNION", "EXCEPT", "INTERSECT")):
        return False
    if words & {"ORDER", "GROUP", "HAVING"} and statement.upper(index - 1) != "OVER":
        return False
    if statement.upper(index - 1) in ("MATCH", "CONTAINS", "FREETEXT"):
        return not words & {"=", "<", ">", "LIKE"}
    if statement.upper(index + 1) == "SELECT":
        # A condition at the end could stand in the subquery or behind it.
        return "AND" not in words and "OR" not in words
    return not words & {"AND", "OR", "FROM", "WHERE"} or words & {"AND", "OR"} in (
        {"AND"},
        {"OR"},
    )


def _own_words(statement: RefusedStatement, within: TokenRange) -> list[str]:
    depth, found = 0, list[str]()
    for index in range(within.first, within.last):
        depth += (statement.upper(index) == "(") - (statement.upper(index) == ")")
        if depth == 0:
            found.append(statement.upper(index))
    return found


def recursive_word(statement: RefusedStatement) -> Correction | None:
    """WITH RECURSIVE is WITH; a CTE that does read itself is still refused."""
    edits = [
        Edit(statement.tokens[index].start, statement.start(index + 1), "")
        for index in range(1, len(statement.tokens) - 1)
        if statement.words(index - 1, "WITH", "RECURSIVE") and statement.tokens[index + 1].is_name
    ]
    for index, token in enumerate(statement.tokens):
        negated = statement.upper(index - 1) == "NOT"
        before = index - 1 - negated
        if token.upper == "MATERIALIZED" and statement.upper(before) == "AS":
            edits.append(Edit(statement.tokens[before].end, token.end, ""))
    return correct(edits, "T-SQL has no such word before a CTE.")


def second_with(statement: RefusedStatement) -> Correction | None:
    """WITH is said once, before the first CTE; commas separate them."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        if token.upper != "WITH" or not statement.words(index + 2, "AS", "("):
            continue
        if statement.words(index - 2, ")", ","):
            edits.append(Edit(token.start, statement.start(index + 1), ""))
        elif (
            statement.upper(index - 1) in (")", ";")
            and statement.upper(index - 1 - (statement.upper(index - 1) == ";")) == ")"
        ):
            edits.append(
                Edit(
                    statement.tokens[index - 1 - (statement.upper(index - 1) == ";")].end,
                    token.end,
                    ",",
                )
            )
    return correct(edits, "WITH is said once; commas separate the CTEs.")
