"""Comparisons as other dialects write them."""

import re

from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.like import liked, pattern_of
from moviegraph.sql.repair.nearness import meant
from moviegraph.sql.repair.outline import Range, listed, past_parenthesis
from moviegraph.sql.repair.pieces import split

OPPOSITE = {"=": "<>", "<>": "=", "!=": "=", "<": ">=", ">": "<=", "<=": ">", ">=": "<"}
SPLIT = frozenset({(">", "="), ("<", "="), ("<", ">"), ("!", "=")})
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
BEFORE_CONDITION = frozenset({"WHERE", "AND", "OR", "ON", "HAVING", "WHEN", "NOT", "("})
BEFORE_TEST = BEFORE_CONDITION - {"NOT", "("}
BEHIND_CONDITION = frozenset(
    {"", "AND", "OR", ")", ";", "GROUP", "ORDER", "HAVING", "THEN", "LIMIT"}
)
CASELESS = re.compile(r"nocase|[\w.]+_(?:ci|ai_ci|unicode_ci|general_ci)|unicode_nocase", re.I)


def between_to(broken: Broken) -> Correction | None:
    """BETWEEN a TO b is BETWEEN a AND b."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        end = broken.operand_after(at) if piece.upper == "BETWEEN" else 0
        if end and (broken.upper(end) == "TO" or broken.words(end, ",")):
            word = broken.pieces[end]
            edits.append(Edit(word.start, word.end, " AND" if word.text == "," else "AND"))
    return corrected(edits, "BETWEEN joins its bounds with AND.")


def negated_sign(broken: Broken) -> Correction | None:
    """X NOT = y is x <> y, and x NOT > y is x <= y."""
    edits = [
        Edit(piece.start, broken.pieces[at + 1].end, OPPOSITE[broken.upper(at + 1)])
        for at, piece in enumerate(broken.pieces[:-1])
        if piece.upper == "NOT" and broken.upper(at + 1) in OPPOSITE
    ]
    return corrected(edits, "T-SQL negates the sign itself.")


def worded_sign(broken: Broken) -> Correction | None:
    """IS EQUAL TO, EQUALS and IS NOT EQUAL are = and <>."""
    edits: list[Edit] = []
    for word, piece in enumerate(broken.pieces[:-1]):
        if piece.upper not in ("EQUAL", "EQUALS") or broken.upper(word + 1) in ("(", ".", ",", ")"):
            continue
        negated = broken.words(word - 2, "IS", "NOT")
        first = word - 2 if negated else word - (broken.upper(word - 1) == "IS")
        if first < 1 or broken.upper(first - 1) in BEFORE_CONDITION | {"AS", ".", ",", "SELECT"}:
            continue
        last = word + (broken.upper(word + 1) == "TO")
        sign = "<>" if negated else "="
        edits.append(Edit(broken.start(first), broken.pieces[last].end, sign))
    return corrected(edits, "T-SQL writes this comparison as a sign.")


def null_word(broken: Broken) -> Correction | None:
    """X NOTNULL, x NOT NULL and x ISNULL are x IS NOT NULL and x IS NULL."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        before = broken.pieces[at - 1] if at else None
        behind = at > 0 and broken.upper(at - 1) not in BEFORE_CONDITION | {"IS", "AS", ","}
        if before is None or not behind or (before.kind == "mark" and before.text != ")"):
            continue
        if piece.upper in ("NOTNULL", "ISNULL") and broken.upper(at + 1) in BEHIND_CONDITION:
            said = "IS NOT NULL" if piece.upper == "NOTNULL" else "IS NULL"
            edits.append(Edit(piece.start, piece.end, said))
        elif broken.words(at, "NOT", "NULL") and broken.upper(at + 2) in BEHIND_CONDITION:
            edits.append(Edit(piece.start, broken.pieces[at + 1].end, "IS NOT NULL"))
    return corrected(edits, "T-SQL asks for NULL by IS NULL and IS NOT NULL.")


def tested_condition(broken: Broken) -> Correction | None:
    """(a > 1) IS TRUE is a > 1, and IS FALSE its negation."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        if piece.upper != "IS" or broken.upper(at - 1) != ")" or not at:
            continue
        value = broken.upper(at + 1)
        first = broken.operand_before(at)
        if value not in ("TRUE", "FALSE") or broken.upper(first - 1) not in BEFORE_TEST:
            continue
        edits.append(Edit(broken.pieces[at - 1].end, broken.pieces[at + 1].end, ""))
        if value == "FALSE":
            edits.append(Edit(broken.start(first), broken.start(first), "NOT "))
    return corrected(edits, "A condition stands for itself in T-SQL.")


def null_safe_equality(broken: Broken) -> Correction | None:
    """MySQL's <=> is IS NULL beside NULL, = beside a literal, and else IS NOT DISTINCT FROM."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces[:-1]):
        if piece.text != "<=>":
            continue
        value = broken.pieces[at + 1]
        if value.upper == "NULL":
            edits.append(Edit(piece.start, value.end, "IS NULL"))
        elif value.kind == "number":
            edits.append(Edit(piece.start, piece.end, "="))
        elif _plain(broken, at - 1) and _plain(broken, broken.operand_after(at) - 1):
            edits.append(Edit(piece.start, piece.end, "IS NOT DISTINCT FROM"))
    return corrected(edits, "T-SQL compares values that may be NULL by IS NOT DISTINCT FROM.")


def _plain(broken: Broken, at: int) -> bool:
    """Whether a piece names a column of the contract that is no vector, or is a text."""
    piece = broken.pieces[at]
    if piece.kind == "string":
        return not piece.name.lstrip().startswith("[")
    held = [node.column(piece.name) for node in broken.contract.nodes] if piece.is_name else []
    return any(held) and all(column is None or column.type != "VECTOR" for column in held)


def case_free_collation(broken: Broken) -> Correction | None:
    """COLLATE NOCASE asks for what holds anyway: texts compare without regard to case."""
    edits = [
        Edit(broken.pieces[at - 1].end, broken.pieces[at + 1].end, "")
        for at, piece in enumerate(broken.pieces[:-1])
        if piece.upper == "COLLATE" and at and CASELESS.fullmatch(broken.pieces[at + 1].name)
    ]
    return corrected(edits, "Texts compare without regard to case here.")


def listed_any(broken: Broken) -> Correction | None:
    """= ANY(ARRAY[1, 2]) is IN (1, 2), <> ALL is NOT IN, LIKE ANY is LIKE 'a' OR LIKE 'b'."""
    edits: list[Edit] = []
    for call in broken.calls("ANY", "SOME", "ALL"):
        values = _array(broken, Range(call.at + 2, call.last - 1))
        sign = broken.upper(call.at - 1)
        negated = broken.upper(call.at - 2) == "NOT"
        operand = Range(broken.operand_before(call.at - 1 - negated), call.at - 1 - negated)
        text = None
        if values is not None:
            text = _said(broken.text(operand), sign, values, broken.upper(call.at), negated=negated)
        if text is not None:
            end = broken.pieces[call.last - 1].end
            edits.append(Edit(broken.start(operand.first), end, text))
    return corrected(edits, "T-SQL has no arrays; IN and OR list values.")


def _said(operand: str, sign: str, values: list[str], word: str, *, negated: bool) -> str | None:
    """Return the condition on a list of values, or None where the sign goes with no list."""
    some = word != "ALL"
    if sign == "=" and some and not negated:
        return f"{operand} IN ({', '.join(values)})"
    if sign in ("<>", "!=") and not some:
        return f"{operand} NOT IN ({', '.join(values)})"
    if sign not in ("LIKE", "ILIKE") or (negated and some):
        return None
    each = "NOT LIKE" if negated else "LIKE"
    patterns = [pattern_of(value) for value in values]
    return f"({(' OR ' if some else ' AND ').join(f'{operand} {each} {p}' for p in patterns)})"


def _array(broken: Broken, within: Range) -> list[str] | None:
    """Return the literals of ARRAY['a', 'b'], of '{a,b}', or of a bare list of literals."""
    last = within.last
    colons = next((at for at in range(within.first, last) if broken.upper(at) == "::"), last)
    pieces = broken.pieces[within.first : colons]
    if len(pieces) == 1 and pieces[0].text.startswith("["):
        pieces = split(pieces[0].text[1:-1]) if pieces[0].text.count("'") % 2 == 0 else ()
    elif len(pieces) == 2 and pieces[0].upper == "ARRAY" and pieces[1].text.startswith("["):
        pieces = split(pieces[1].text[1:-1]) if pieces[1].text.count("'") % 2 == 0 else ()
    elif len(pieces) == 1 and re.fullmatch(r"\{[^{}\"\\]+\}", pieces[0].name):
        return [_quoted(each) for each in pieces[0].name[1:-1].split(",")]
    plain = all(p.kind in ("string", "number") or p.text == "," for p in pieces)
    return [p.text for p in pieces if p.text != ","] if pieces and plain else None


def _quoted(text: str) -> str:
    text = text.strip()
    if re.fullmatch(r"-?\d+(\.\d+)?", text):
        return text
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


def chained(broken: Broken) -> Correction | None:
    """1970 <= x <= 1980 compares x twice: x >= 1970 AND x <= 1980."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        first = at + 1
        middle = broken.operand_after(at)
        if piece.text not in TURNED or broken.upper(middle) not in TURNED:
            continue
        same = piece.text[0] == broken.upper(middle)[0]
        numbers = all(
            0 <= here < len(broken.pieces) and broken.pieces[here].kind == "number"
            for here in (at - 1, middle + 1)
        )
        if same and numbers:
            operand, low = broken.text(Range(first, middle)), broken.pieces[at - 1]
            text = f"{operand} {TURNED[piece.text]} {low.text} AND {operand}"
            edits.append(Edit(low.start, broken.pieces[middle - 1].end, text))
    return corrected(edits, "Each comparison has two sides.")


def similar_to(broken: Broken) -> Correction | None:
    """X SIMILAR TO '%(a|b)%' is x LIKE '%a%' OR x LIKE '%b%'."""
    edits: list[Edit] = []
    for at in range(1, len(broken.pieces) - 2):
        if not broken.words(at, "SIMILAR", "TO") or broken.pieces[at + 2].kind != "string":
            continue
        negated = broken.upper(at - 1) == "NOT"
        operand = Range(broken.operand_before(at - negated), at - negated)
        found = re.fullmatch(r"([\w %]*)\(?([\w %|]+)\)?([\w %]*)", broken.pieces[at + 2].name)
        if found is None:
            continue
        texts = [f"'{found[1]}{part}{found[3]}'" for part in found[2].split("|")]
        text = _said(
            broken.text(operand), "LIKE", texts, "ALL" if negated else "ANY", negated=negated
        )
        edits.append(Edit(broken.start(operand.first), broken.pieces[at + 2].end, text or ""))
    return corrected(edits, "T-SQL has no SIMILAR TO; LIKE finds the same texts.")


def row_values(broken: Broken) -> Correction | None:
    """(a, b) IN ((1, 2), (3, 4)) and (a, b) = (1, 2) compare each value."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        if (
            piece.upper not in ("IN", "=")
            or not broken.words(at - 1, ")")
            or not broken.words(at + 1, "(")
        ):
            continue
        left = broken.operand_before(at)
        last = past_parenthesis(broken.pieces, at + 1)
        names = listed(broken.pieces, Range(left + 1, at - 1))
        within = Range(at + 2, last - 1)
        rows = listed(broken.pieces, within) if piece.upper == "IN" else [Range(at + 1, last)]
        said = [_row(broken, names, row) for row in rows]
        if len(names) > 1 and broken.upper(left) == "(" and all(said):
            text = " OR ".join(f"({each})" for each in said)
            edits.append(Edit(broken.start(left), broken.pieces[last - 1].end, f"({text})"))
    return corrected(edits, "T-SQL compares one value at a time.")


def _row(broken: Broken, names: list[Range], row: Range) -> str:
    """Return the comparisons of one row of literals, or '' where it is none."""
    values = listed(broken.pieces, Range(row.first + 1, row.last - 1))
    plain = all(broken.pieces[v.first].kind in ("string", "number") for v in values)
    if broken.upper(row.first) != "(" or len(values) != len(names) or not plain:
        return ""
    pairs = zip(names, values, strict=True)
    return " AND ".join(f"{broken.text(name)} = {broken.text(value)}" for name, value in pairs)


def unnested(broken: Broken) -> Correction | None:
    """IN (SELECT UNNEST(ARRAY[1, 2])) and IN UNNEST([1, 2]) are IN (1, 2)."""
    edits: list[Edit] = []
    for call in broken.calls("UNNEST"):
        values = _array(broken, Range(call.at + 2, call.last - 1))
        inner = broken.words(call.at - 3, "IN", "(", "SELECT") and broken.upper(call.last) == ")"
        if values is None or not (inner or broken.upper(call.at - 1) == "IN"):
            continue
        start, last = (call.at - 2, call.last) if inner else (call.at, call.last - 1)
        edits.append(Edit(broken.start(start), broken.pieces[last].end, f"({', '.join(values)})"))
    return corrected(edits, "T-SQL has no arrays; IN lists values.")


def tilde_like(broken: Broken) -> Correction | None:
    """~~ and ~~* of PostgreSQL are LIKE, and !~~ is NOT LIKE."""
    edits: list[Edit] = []
    for at in range(1, len(broken.pieces) - 2):
        if not broken.words(at, "~", "~"):
            continue
        negated = broken.upper(at - 1) == "!"
        last = at + 1 + (broken.upper(at + 2) == "*")
        word = "NOT LIKE" if negated else "LIKE"
        edit = Edit(broken.start(at - negated), broken.pieces[last].end, word)
        edits += liked(broken, edit, last + 1)
    return corrected(edits, "T-SQL writes this operator LIKE.")


def split_sign(broken: Broken) -> Correction | None:
    """> = and < > with a blank between are >= and <>."""
    edits = [
        Edit(piece.end, broken.start(at + 1), "")
        for at, piece in enumerate(broken.pieces[:-1])
        if (piece.text, broken.upper(at + 1)) in SPLIT and broken.start(at + 1) > piece.end
    ]
    return corrected(edits, "The two characters of a sign stand together.")


def bare_pattern(broken: Broken) -> Correction | None:
    """LIKE %star% lacks the quotes around its pattern."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces[:-1]):
        last = at + 1
        while last + 1 < len(broken.pieces) and broken.start(last + 1) == broken.pieces[last].end:
            last += 1
        held = broken.pieces[at + 1 : last + 1]
        plain = all(p.kind in ("word", "number") or p.text == "%" for p in held)
        text = broken.sql[held[0].start : held[-1].end]
        if piece.upper == "LIKE" and plain and "%" in text and text not in ("%s", "%d"):
            edits.append(Edit(held[0].start, held[-1].end, f"'{text}'"))
    return corrected(edits, "A pattern is a text in single quotes.")


def bare_text(broken: Broken) -> Correction | None:
    """m.Name = Dune compares a text column with a word that is no column: 'Dune'."""
    at = broken.at_span()
    if at is None or broken.pieces[at].kind != "word" or broken.upper(at - 1) not in ("=", "<>"):
        return None
    word, text = broken.pieces[at], _is_text_column(broken, at - 2)
    ends = broken.upper(at + 1) in BEHIND_CONDITION and broken.upper(at + 1) != "("
    known = [c.name for node in broken.contract.nodes for c in node.columns]
    if not text or not ends or word.name.lower() in broken.aliases or meant(word.name, known):
        return None
    return corrected([Edit(word.start, word.end, f"'{word.text}'")], "A text stands in quotes.")


def _is_text_column(broken: Broken, at: int) -> bool:
    name = broken.pieces[at].name if at >= 0 else ""
    columns = [node.column(name) for node in broken.contract.nodes]
    return any(column is not None and column.type.startswith("NVARCHAR") for column in columns)
