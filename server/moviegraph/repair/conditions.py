"""Conditions and literals that lack a quote, a sign or a side."""

from moviegraph.repair.clauses import items_of
from moviegraph.repair.context import Correction, Edit, RefusedStatement, correct
from moviegraph.repair.names import closest_name
from moviegraph.repair.tokens import TokenRange, past_parenthesis

COMPARING = frozenset({"=", "<>", "!=", "==", "<", ">", "<=", ">="})
BEFORE_TEXT = COMPARING | frozenset("LIKE ILIKE ( , THEN ELSE BETWEEN AND + || ESCAPE WHEN".split())
TRUTH = {"TRUE": "1", "FALSE": "0"}
BEHIND_CONDITION = frozenset(
    {"", "AND", "OR", ")", ";", "GROUP", "ORDER", "HAVING", "THEN", "LIMIT"}
)
COMPARING_CONDITIONAL = frozenset({"=", "<>", "!=", "<", ">", "<=", ">=", "LIKE", "IS", "BETWEEN"})
HALVES = frozenset({"=", "<>", "<", ">", "<=", ">=", "LIKE"})
LITERALS = ("number", "string")
ENDERS = frozenset({"", "AND", "OR", ")", ";", "ORDER", "GROUP", "HAVING"})
LITERALS_LISTS = ("number", "string")


def compared_predicate(statement: RefusedStatement) -> Correction | None:
    """CONTAINS(...) = 1 is CONTAINS(...), and = 0 its negation."""
    edits: list[Edit] = []
    for call in statement.calls("CONTAINS", "FREETEXT", "EXISTS"):
        if statement.upper(call.last) not in ("=", "==") or call.last + 1 >= len(statement.tokens):
            continue
        value = statement.tokens[call.last + 1]
        wanted = TRUTH.get(value.upper, value.text)
        if wanted not in ("0", "1"):
            continue
        end = statement.tokens[call.last - 1].end
        edits.append(Edit(end, value.end, ""))
        if wanted == "0":
            start = statement.start(call.index)
            edits.append(Edit(start, start, "NOT "))
    return correct(edits, "CONTAINS, FREETEXT and EXISTS are conditions, not values.")


def double_quoted_text(statement: RefusedStatement) -> Correction | None:
    """What stands in double quotes where a value belongs, and names nothing, is a text."""
    edits = [
        Edit(token.start, token.end, "'" + token.name.replace("'", "''") + "'")
        for index, token in enumerate(statement.tokens)
        if token.kind == "name" and token.text[0] == '"' and _is_text(statement, index)
    ]
    return correct(edits, "Text stands in single quotes; double quotes delimit names.")


def _is_text(statement: RefusedStatement, index: int) -> bool:
    if statement.upper(index - 1) not in BEFORE_TEXT or statement.upper(index + 1) == ".":
        return False
    return not _is_known(statement, statement.tokens[index].name.lower())


def _is_known(statement: RefusedStatement, name: str) -> bool:
    columns = {c.name.lower() for node in statement.contract.nodes for c in node.columns}
    tables = {table.lower() for table in statement.contract.table_names}
    return name in columns | tables | statement.aliases


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


def _is_condition(statement: RefusedStatement, value: TokenRange) -> bool:
    index, last = value.first, value.last
    if statement.upper(index) == "SELECT":
        return False
    if statement.upper(index) == "(" and past_parenthesis(statement.tokens, index) == last:
        return _is_condition(statement, TokenRange(index + 1, last - 1))
    if statement.upper(index) in ("EXISTS", "CONTAINS", "FREETEXT"):
        return (
            statement.upper(index + 1) == "("
            and past_parenthesis(statement.tokens, index + 1) == last
        )
    while index < last:
        if statement.upper(index) in COMPARING_CONDITIONAL:
            return True
        if statement.upper(index) == "CASE":
            return False
        index = (
            past_parenthesis(statement.tokens, index)
            if statement.upper(index) == "("
            else index + 1
        )
    return False


def listed_condition(statement: RefusedStatement) -> Correction | None:
    """A comparison in the select list gives 1 or 0 by a CASE, and NULL where it is unknown."""
    edits: list[Edit] = []
    for select in statement.selects:
        for item in items_of(statement, select):
            value = item.value
            by_name = statement.upper(value.first + 1) == "="
            inverted = statement.upper(value.first) == "NOT"
            if by_name or inverted or not _is_condition(statement, value):
                continue
            text = statement.text(value)
            case = f"CASE WHEN {text} THEN 1 WHEN NOT ({text}) THEN 0 END"
            edits.append(
                Edit(statement.start(value.first), statement.tokens[value.last - 1].end, case)
            )
    return correct(edits, "Conditions are no values in T-SQL; CASE makes 1 and 0 of them.")


def half_comparison(statement: RefusedStatement) -> Correction | None:
    """An x >= 1 AND <= 9 compares x twice; so does LIKE 'a' OR LIKE 'b', and = 'a' OR 'b'."""
    edits: list[Edit] = []
    for index in range(3, len(statement.tokens) - 1):
        if statement.upper(index) not in ("AND", "OR"):
            continue
        following = index + 1 + (statement.upper(index + 1) == "NOT")
        bare = statement.tokens[index + 1].kind in LITERALS and statement.upper(index + 2) in ENDERS
        read = _compared(statement, index)
        if read is None or not (bare or statement.upper(following) in HALVES):
            continue
        operand, sign = read
        place = statement.start(index + 1)
        if not bare:
            edits.append(Edit(place, place, f"{operand} "))
        elif statement.upper(index) == "OR" and sign in ("=", "LIKE"):
            edits.append(Edit(place, place, f"{operand} {sign} "))
    return correct(edits, "Each comparison names both of its sides.")


def _compared(statement: RefusedStatement, index: int) -> tuple[str, str] | None:
    """Return the operand and the sign of the comparison with a literal that ends before `at`."""
    sign = index - 2
    if statement.tokens[index - 1].kind not in LITERALS or statement.upper(sign) not in HALVES:
        return None
    last = sign - (statement.upper(sign - 1) == "NOT")
    first = statement.operand_before(last)
    before = statement.upper(first - 1)
    known = statement.tokens[first].is_name and before in ("WHERE", "AND", "OR", "ON", "(", "NOT")
    return (statement.text(TokenRange(first, last)), statement.upper(sign)) if known else None


def bare_list(statement: RefusedStatement) -> Correction | None:
    """IN 1, 2, 3 lacks its parentheses; so does IN 'a'."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens[:-1]):
        if token.upper != "IN" or statement.tokens[index + 1].kind not in LITERALS_LISTS:
            continue
        last = index + 2
        while statement.upper(last) == "," and last + 1 < len(statement.tokens):
            if statement.tokens[last + 1].kind not in LITERALS_LISTS:
                break
            last += 2
        start, end = statement.start(index + 1), statement.tokens[last - 1].end
        edits += [Edit(start, start, "("), Edit(end, end, ")")]
    return correct(edits, "The list behind IN stands in parentheses.")


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
