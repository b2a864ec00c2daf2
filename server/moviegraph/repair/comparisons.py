"""Comparisons as other dialects write them."""

import re

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.like import liked, pattern_of
from moviegraph.repair.nearness import closest_name
from moviegraph.repair.outline import TokenRange, listed, past_parenthesis
from moviegraph.repair.context import RefusedStatement
from moviegraph.repair.tokens import split

OPPOSITE = {"=": "<>", "<>": "=", "!=": "=", "<": ">=", ">": "<=", "<=": ">", ">=": "<"}
SPLIT = frozenset({(">", "="), ("<", "="), ("<", ">"), ("!", "=")})
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
BEFORE_CONDITION = frozenset({"WHERE", "AND", "OR", "ON", "HAVING", "WHEN", "NOT", "("})
BEFORE_TEST = BEFORE_CONDITION - {"NOT", "("}
BEHIND_CONDITION = frozenset(
    {"", "AND", "OR", ")", ";", "GROUP", "ORDER", "HAVING", "THEN", "LIMIT"}
)
CASELESS = re.compile(r"nocase|[\w.]+_(?:ci|ai_ci|unicode_ci|general_ci)|unicode_nocase", re.I)


def between_to(statement: RefusedStatement) -> Correction | None:
    """BETWEEN a TO b is BETWEEN a AND b."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        end = statement.operand_after(index) if token.upper == "BETWEEN" else 0
        if end and (statement.upper(end) == "TO" or statement.words(end, ",")):
            word = statement.tokens[end]
            edits.append(Edit(word.start, word.end, " AND" if word.text == "," else "AND"))
    return correct(edits, "BETWEEN joins its bounds with AND.")


def negated_sign(statement: RefusedStatement) -> Correction | None:
    """X NOT = y is x <> y, and x NOT > y is x <= y."""
    edits = [
        Edit(token.start, statement.tokens[index + 1].end, OPPOSITE[statement.upper(index + 1)])
        for index, token in enumerate(statement.tokens[:-1])
        if token.upper == "NOT" and statement.upper(index + 1) in OPPOSITE
    ]
    return correct(edits, "T-SQL negates the sign itself.")


def worded_sign(statement: RefusedStatement) -> Correction | None:
    """IS EQUAL TO, EQUALS and IS NOT EQUAL are = and <>."""
    edits: list[Edit] = []
    for word, token in enumerate(statement.tokens[:-1]):
        if token.upper not in ("EQUAL", "EQUALS") or statement.upper(word + 1) in (
            "(",
            ".",
            ",",
            ")",
        ):
            continue
        negated = statement.words(word - 2, "IS", "NOT")
        first = word - 2 if negated else word - (statement.upper(word - 1) == "IS")
        if first < 1 or statement.upper(first - 1) in BEFORE_CONDITION | {"AS", ".", ",", "SELECT"}:
            continue
        last = word + (statement.upper(word + 1) == "TO")
        sign = "<>" if negated else "="
        edits.append(Edit(statement.start(first), statement.tokens[last].end, sign))
    return correct(edits, "T-SQL writes this comparison as a sign.")


def null_word(statement: RefusedStatement) -> Correction | None:
    """X NOTNULL, x NOT NULL and x ISNULL are x IS NOT NULL and x IS NULL."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        before = statement.tokens[index - 1] if index else None
        behind = index > 0 and statement.upper(index - 1) not in BEFORE_CONDITION | {
            "IS",
            "AS",
            ",",
        }
        if before is None or not behind or (before.kind == "mark" and before.text != ")"):
            continue
        if token.upper in ("NOTNULL", "ISNULL") and statement.upper(index + 1) in BEHIND_CONDITION:
            said = "IS NOT NULL" if token.upper == "NOTNULL" else "IS NULL"
            edits.append(Edit(token.start, token.end, said))
        elif (
            statement.words(index, "NOT", "NULL") and statement.upper(index + 2) in BEHIND_CONDITION
        ):
            edits.append(Edit(token.start, statement.tokens[index + 1].end, "IS NOT NULL"))
    return correct(edits, "T-SQL asks for NULL by IS NULL and IS NOT NULL.")


def tested_condition(statement: RefusedStatement) -> Correction | None:
    """(a > 1) IS TRUE is a > 1, and IS FALSE its negation."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        if token.upper != "IS" or statement.upper(index - 1) != ")" or not index:
            continue
        value = statement.upper(index + 1)
        first = statement.operand_before(index)
        if value not in ("TRUE", "FALSE") or statement.upper(first - 1) not in BEFORE_TEST:
            continue
        edits.append(Edit(statement.tokens[index - 1].end, statement.tokens[index + 1].end, ""))
        if value == "FALSE":
            edits.append(Edit(statement.start(first), statement.start(first), "NOT "))
    return correct(edits, "A condition stands for itself in T-SQL.")


def null_safe_equality(statement: RefusedStatement) -> Correction | None:
    """MySQL's <=> is IS NULL beside NULL, = beside a literal, and else IS NOT DISTINCT FROM."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens[:-1]):
        if token.text != "<=>":
            continue
        value = statement.tokens[index + 1]
        if value.upper == "NULL":
            edits.append(Edit(token.start, value.end, "IS NULL"))
        elif value.kind == "number":
            edits.append(Edit(token.start, token.end, "="))
        elif _plain(statement, index - 1) and _plain(statement, statement.operand_after(index) - 1):
            edits.append(Edit(token.start, token.end, "IS NOT DISTINCT FROM"))
    return correct(edits, "T-SQL compares values that may be NULL by IS NOT DISTINCT FROM.")


def _plain(statement: RefusedStatement, index: int) -> bool:
    """Whether a piece names a column of the contract that is no vector, or is a text."""
    token = statement.tokens[index]
    if token.kind == "string":
        return not token.name.lstrip().startswith("[")
    held = [node.column(token.name) for node in statement.contract.nodes] if token.is_name else []
    return any(held) and all(column is None or column.type != "VECTOR" for column in held)


def case_free_collation(statement: RefusedStatement) -> Correction | None:
    """COLLATE NOCASE asks for what holds anyway: texts compare without regard to case."""
    edits = [
        Edit(statement.tokens[index - 1].end, statement.tokens[index + 1].end, "")
        for index, token in enumerate(statement.tokens[:-1])
        if token.upper == "COLLATE"
        and index
        and CASELESS.fullmatch(statement.tokens[index + 1].name)
    ]
    return correct(edits, "Texts compare without regard to case here.")


def listed_any(statement: RefusedStatement) -> Correction | None:
    """= ANY(ARRAY[1, 2]) is IN (1, 2), <> ALL is NOT IN, LIKE ANY is LIKE 'a' OR LIKE 'b'."""
    edits: list[Edit] = []
    for call in statement.calls("ANY", "SOME", "ALL"):
        values = _array(statement, TokenRange(call.index + 2, call.last - 1))
        sign = statement.upper(call.index - 1)
        negated = statement.upper(call.index - 2) == "NOT"
        operand = TokenRange(
            statement.operand_before(call.index - 1 - negated), call.index - 1 - negated
        )
        text = None
        if values is not None:
            text = _said(
                statement.text(operand), sign, values, statement.upper(call.index), negated=negated
            )
        if text is not None:
            end = statement.tokens[call.last - 1].end
            edits.append(Edit(statement.start(operand.first), end, text))
    return correct(edits, "T-SQL has no arrays; IN and OR list values.")


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


def _array(statement: RefusedStatement, within: TokenRange) -> list[str] | None:
    """Return the literals of ARRAY['a', 'b'], of '{a,b}', or of a bare list of literals."""
    last = within.last
    colons = next(
        (index for index in range(within.first, last) if statement.upper(index) == "::"), last
    )
    tokens = statement.tokens[within.first : colons]
    if len(tokens) == 1 and tokens[0].text.startswith("["):
        tokens = split(tokens[0].text[1:-1]) if tokens[0].text.count("'") % 2 == 0 else ()
    elif len(tokens) == 2 and tokens[0].upper == "ARRAY" and tokens[1].text.startswith("["):
        tokens = split(tokens[1].text[1:-1]) if tokens[1].text.count("'") % 2 == 0 else ()
    elif len(tokens) == 1 and re.fullmatch(r"\{[^{}\"\\]+\}", tokens[0].name):
        return [_quoted(each) for each in tokens[0].name[1:-1].split(",")]
    plain = all(p.kind in ("string", "number") or p.text == "," for p in tokens)
    return [p.text for p in tokens if p.text != ","] if tokens and plain else None


def _quoted(text: str) -> str:
    text = text.strip()
    if re.fullmatch(r"-?\d+(\.\d+)?", text):
        return text
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


def chained(statement: RefusedStatement) -> Correction | None:
    """1970 <= x <= 1980 compares x twice: x >= 1970 AND x <= 1980."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        first = index + 1
        middle = statement.operand_after(index)
        if token.text not in TURNED or statement.upper(middle) not in TURNED:
            continue
        same = token.text[0] == statement.upper(middle)[0]
        numbers = all(
            0 <= current < len(statement.tokens) and statement.tokens[current].kind == "number"
            for current in (index - 1, middle + 1)
        )
        if same and numbers:
            operand, low = statement.text(TokenRange(first, middle)), statement.tokens[index - 1]
            text = f"{operand} {TURNED[token.text]} {low.text} AND {operand}"
            edits.append(Edit(low.start, statement.tokens[middle - 1].end, text))
    return correct(edits, "Each comparison has two sides.")


def similar_to(statement: RefusedStatement) -> Correction | None:
    """X SIMILAR TO '%(a|b)%' is x LIKE '%a%' OR x LIKE '%b%'."""
    edits: list[Edit] = []
    for index in range(1, len(statement.tokens) - 2):
        if (
            not statement.words(index, "SIMILAR", "TO")
            or statement.tokens[index + 2].kind != "string"
        ):
            continue
        negated = statement.upper(index - 1) == "NOT"
        operand = TokenRange(statement.operand_before(index - negated), index - negated)
        found = re.fullmatch(
            r"([\w %]*)\(?([\w %|]+)\)?([\w %]*)", statement.tokens[index + 2].name
        )
        if found is None:
            continue
        texts = [f"'{found[1]}{part}{found[3]}'" for part in found[2].split("|")]
        text = _said(
            statement.text(operand), "LIKE", texts, "ALL" if negated else "ANY", negated=negated
        )
        edits.append(
            Edit(statement.start(operand.first), statement.tokens[index + 2].end, text or "")
        )
    return correct(edits, "T-SQL has no SIMILAR TO; LIKE finds the same texts.")


def row_values(statement: RefusedStatement) -> Correction | None:
    """(a, b) IN ((1, 2), (3, 4)) and (a, b) = (1, 2) compare each value."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        if (
            token.upper not in ("IN", "=")
            or not statement.words(index - 1, ")")
            or not statement.words(index + 1, "(")
        ):
            continue
        left = statement.operand_before(index)
        last = past_parenthesis(statement.tokens, index + 1)
        names = listed(statement.tokens, TokenRange(left + 1, index - 1))
        within = TokenRange(index + 2, last - 1)
        rows = (
            listed(statement.tokens, within)
            if token.upper == "IN"
            else [TokenRange(index + 1, last)]
        )
        said = [_row(statement, names, row) for row in rows]
        if len(names) > 1 and statement.upper(left) == "(" and all(said):
            text = " OR ".join(f"({each})" for each in said)
            edits.append(Edit(statement.start(left), statement.tokens[last - 1].end, f"({text})"))
    return correct(edits, "T-SQL compares one value at a time.")


def _row(statement: RefusedStatement, names: list[TokenRange], row: TokenRange) -> str:
    """Return the comparisons of one row of literals, or '' where it is none."""
    values = listed(statement.tokens, TokenRange(row.first + 1, row.last - 1))
    plain = all(statement.tokens[v.first].kind in ("string", "number") for v in values)
    if statement.upper(row.first) != "(" or len(values) != len(names) or not plain:
        return ""
    pairs = zip(names, values, strict=True)
    return " AND ".join(
        f"{statement.text(name)} = {statement.text(value)}" for name, value in pairs
    )


def unnested(statement: RefusedStatement) -> Correction | None:
    """IN (SELECT UNNEST(ARRAY[1, 2])) and IN UNNEST([1, 2]) are IN (1, 2)."""
    edits: list[Edit] = []
    for call in statement.calls("UNNEST"):
        values = _array(statement, TokenRange(call.index + 2, call.last - 1))
        inner = (
            statement.words(call.index - 3, "IN", "(", "SELECT")
            and statement.upper(call.last) == ")"
        )
        if values is None or not (inner or statement.upper(call.index - 1) == "IN"):
            continue
        start, last = (call.index - 2, call.last) if inner else (call.index, call.last - 1)
        edits.append(
            Edit(statement.start(start), statement.tokens[last].end, f"({', '.join(values)})")
        )
    return correct(edits, "T-SQL has no arrays; IN lists values.")


def tilde_like(statement: RefusedStatement) -> Correction | None:
    """~~ and ~~* of PostgreSQL are LIKE, and !~~ is NOT LIKE."""
    edits: list[Edit] = []
    for index in range(1, len(statement.tokens) - 2):
        if not statement.words(index, "~", "~"):
            continue
        negated = statement.upper(index - 1) == "!"
        last = index + 1 + (statement.upper(index + 2) == "*")
        word = "NOT LIKE" if negated else "LIKE"
        edit = Edit(statement.start(index - negated), statement.tokens[last].end, word)
        edits += liked(statement, edit, last + 1)
    return correct(edits, "T-SQL writes this operator LIKE.")


def split_sign(statement: RefusedStatement) -> Correction | None:
    """> = and < > with a blank between are >= and <>."""
    edits = [
        Edit(token.end, statement.start(index + 1), "")
        for index, token in enumerate(statement.tokens[:-1])
        if (token.text, statement.upper(index + 1)) in SPLIT
        and statement.start(index + 1) > token.end
    ]
    return correct(edits, "The two characters of a sign stand together.")


def bare_pattern(statement: RefusedStatement) -> Correction | None:
    """LIKE %star% lacks the quotes around its pattern."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens[:-1]):
        last = index + 1
        while (
            last + 1 < len(statement.tokens)
            and statement.start(last + 1) == statement.tokens[last].end
        ):
            last += 1
        held = statement.tokens[index + 1 : last + 1]
        plain = all(p.kind in ("word", "number") or p.text == "%" for p in held)
        text = statement.sql[held[0].start : held[-1].end]
        if token.upper == "LIKE" and plain and "%" in text and text not in ("%s", "%d"):
            edits.append(Edit(held[0].start, held[-1].end, f"'{text}'"))
    return correct(edits, "A pattern is a text in single quotes.")


def bare_text(statement: RefusedStatement) -> Correction | None:
    """m.Name = Dune compares a text column with a word that is no column: 'Dune'."""
    index = statement.refused_index()
    if (
        index is None
        or statement.tokens[index].kind != "word"
        or statement.upper(index - 1) not in ("=", "<>")
    ):
        return None
    word, text = statement.tokens[index], _is_text_column(statement, index - 2)
    ends = statement.upper(index + 1) in BEHIND_CONDITION and statement.upper(index + 1) != "("
    known = [c.name for node in statement.contract.nodes for c in node.columns]
    if (
        not text
        or not ends
        or word.name.lower() in statement.aliases
        or closest_name(word.name, known)
    ):
        return None
    return correct([Edit(word.start, word.end, f"'{word.text}'")], "A text stands in quotes.")


def _is_text_column(statement: RefusedStatement, index: int) -> bool:
    name = statement.tokens[index].name if index >= 0 else ""
    columns = [node.column(name) for node in statement.contract.nodes]
    return any(column is not None and column.type.startswith("NVARCHAR") for column in columns)
