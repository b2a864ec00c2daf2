"""Words and marks left out, doubled or mixed up: the one small edit that makes a text readable."""

from collections.abc import Iterator
from itertools import islice

from moviegraph.repair.context import Correction, Edit, RefusedStatement, apply, correct
from moviegraph.repair.tokens import past_parenthesis
from moviegraph.sql.decision import Allowed
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.lexer import RESERVED

MAX_CANDIDATES = 6
TOKENS_BEFORE, TOKENS_AFTER = 7, 6
UNREAD = frozenset(
    "syntax not_select multiple_statements not_allowed unsupported match_syntax recursive_cte "
    "wrong_arguments".split()
)
CONDITIONS = frozenset({"WHERE", "ON", "HAVING"})
CLAUSE_WORDS = frozenset({"SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER"})
LOGICAL = frozenset({"AND", "OR"})
REPLACED = {"WHERE": "AND", "&": "AND", "&&": " AND ", "==": "=", ";": ""}
FOREIGN_OPERATORS = frozenset(
    "DIV MOD XOR RLIKE REGEXP SIMILAR GLOB OVERLAPS INTERVAL NATURAL ASOF EXCLUDE".split()
)
ARITHMETIC = frozenset("+-*/%")
BEFORE_NOTHING = frozenset(
    "FROM WHERE GROUP ORDER HAVING UNION EXCEPT INTERSECT LIMIT OFFSET ) ; ,".split()
)
BEHIND_NOTHING = frozenset("SELECT DISTINCT FROM BY WHERE ON HAVING WHEN (".split())
ENDS_OPERAND = frozenset({")", "END", "NULL", "*"})
ENDS_CASE = frozenset({"AS", "FROM", "WHERE", "GROUP", "ORDER", ","})
BEGINS_OPERAND = frozenset(
    "CASE NOT EXISTS MATCH CONTAINS FREETEXT NULL LEFT RIGHT COALESCE".split()
)
WHY_SLIP = "A word or character was missing, doubled or misplaced; only so the statement parses."


def likely_slip(statement: RefusedStatement) -> Correction | None:
    """Near the place that the guard points at, the one edit with which the text can be read."""
    if any(token.upper in FOREIGN_OPERATORS for token in statement.tokens):
        return None
    readings = read_edits(statement, _candidates(statement))
    edit = next(iter(readings)) if len(readings) == 1 else None
    return correct(edit, WHY_SLIP) if edit else None


def has_alternatives(statement: RefusedStatement) -> bool:
    """Return whether a statement has an OR, so that a further AND could bind in two ways."""
    return any(token.upper == "OR" for token in statement.tokens)


def read_edits(
    statement: RefusedStatement, candidates: Iterator[tuple[Edit, ...]]
) -> list[tuple[Edit, ...]]:
    """Return the edits that give different statements that can be read, the allowed ones alone."""
    allowed: dict[str, tuple[Edit, ...]] = {}
    edits_by_name: dict[str, tuple[Edit, ...]] = {}
    distinct = dict.fromkeys(candidates)
    for edits in islice(distinct, MAX_CANDIDATES):
        text = apply(statement.sql, edits)
        decision = statement.decide(text)
        if isinstance(decision, Allowed):
            allowed.setdefault(_without_parentheses(decision.sql), edits)
        elif decision.code not in UNREAD and edits[0].text != ",":
            edits_by_name[text] = edits
    return list((allowed or edits_by_name).values())


def _without_parentheses(sql: str) -> str:
    """Return a statement without parentheses, where they bind nothing."""
    words = set(sql.upper().split())
    binds = words >= LOGICAL or words & ARITHMETIC
    return sql if binds else sql.replace("(", "").replace(")", "")


def _candidates(statement: RefusedStatement) -> Iterator[tuple[Edit, ...]]:
    yield from _parentheses(statement)
    refused_index = statement.refused_index()
    first = 1 if refused_index is None else max(1, refused_index - TOKENS_BEFORE)
    last = (
        len(statement.tokens)
        if refused_index is None
        else min(len(statement.tokens), refused_index + TOKENS_AFTER)
    )
    for index in range(last - 1, first - 1, -1):
        for edit in _insertions(statement, index):
            yield (edit,)
        for edit in _replacements(statement, index):
            yield (edit,)
        yield from _match_in_from(statement, index)


def _match_in_from(statement: RefusedStatement, index: int) -> Iterator[tuple[Edit, ...]]:
    """Yield the WHERE that a MATCH after the tables of FROM lacks; a WHERE after it is AND."""
    if statement.upper(index) != "MATCH" or _clause(statement, index) != "FROM":
        return
    where = _later_clause(statement, index, "WHERE")
    if where is not None and has_alternatives(statement):
        return
    if statement.upper(index - 1) not in ("AND", "ON", ","):
        start = statement.start(index)
        second = statement.tokens[where] if where else None
        conjunction = (Edit(second.start, second.end, "AND"),) if second else ()
        yield (Edit(start, start, "WHERE "), *conjunction)


def _clause(statement: RefusedStatement, index: int) -> str:
    """Return the keyword of the clause that a token is in, or ''."""
    depth = 0
    for current in range(index - 1, -1, -1):
        word = statement.upper(current)
        depth = max(0, depth + (word == ")") - (word == "("))
        if depth == 0 and word in CLAUSE_WORDS:
            return word
    return ""


def _later_clause(statement: RefusedStatement, index: int, keyword: str) -> int | None:
    """Return the index of a keyword after a token in the same SELECT, or None."""
    depth = 0
    for current in range(index, len(statement.tokens)):
        word = statement.upper(current)
        depth += (word == "(") - (word == ")")
        if depth < 0 or (depth == 0 and word in ("UNION", "EXCEPT", "INTERSECT", "SELECT", ";")):
            return None
        if depth == 0 and word == keyword:
            return current
    return None


def _insertions(statement: RefusedStatement, index: int) -> Iterator[Edit]:
    """Yield the words that may be missing between two operands side by side."""
    if not _ends_operand(statement, index - 1) or not _begins_operand(statement, index):
        return
    position = statement.tokens[index - 1].end
    for word in _words_between(statement, index):
        yield Edit(position, position, word if word == "," else f" {word}")


def _ends_operand(statement: RefusedStatement, index: int) -> bool:
    token, word = statement.tokens[index], statement.upper(index)
    if token.kind in ("string", "number", "name") or word in ENDS_OPERAND:
        return True
    return token.kind == "word" and (word not in RESERVED or statement.upper(index - 1) == ".")


def _begins_operand(statement: RefusedStatement, index: int) -> bool:
    token, word = statement.tokens[index], statement.upper(index)
    if token.kind in ("string", "number", "name") or word in BEGINS_OPERAND:
        return True
    if word == "(":
        return statement.tokens[index - 1].end < token.start
    return token.kind == "word" and word not in RESERVED


def _words_between(statement: RefusedStatement, index: int) -> tuple[str, ...]:
    """Return the words that can precede a token in its clause."""
    clause = _clause(statement, index)
    if not clause:
        return (",",) if statement.words(index + 1, "AS", "(") else ()
    if _in_case(statement, 0, index):
        return ("THEN", "ELSE", "END")
    if clause == "SELECT":
        return (",",) if _later_clause(statement, index, "FROM") else ("FROM", ",")
    if clause == "FROM":
        has_where = _later_clause(statement, index, "WHERE") is not None
        return (",", "ON") if has_where else (",", "ON", "WHERE")
    if clause in CONDITIONS:
        token = statement.tokens[index]
        if token.text == "(":
            return ("IN", "AND")
        if token.kind == "string":
            return ("LIKE" if "%" in token.name else "=",)
        return () if has_alternatives(statement) else ("AND",)
    return (",",) if clause in ("GROUP", "ORDER") else ()


def _in_case(statement: RefusedStatement, first: int, index: int) -> bool:
    words = [statement.upper(at) for at in range(first, index)]
    return words.count("CASE") > words.count("END")


def _replacements(statement: RefusedStatement, index: int) -> Iterator[Edit]:
    """Yield words that may stand for others, and words too many."""
    token, word = statement.tokens[index], statement.upper(index)
    previous, following = statement.upper(index - 1), statement.upper(index + 1)
    instead = REPLACED.get(word)
    if instead is not None and not (instead and has_alternatives(statement)):
        yield Edit(token.start, token.end, instead)
    if word == "," and following not in BEFORE_NOTHING:
        yield Edit(token.start, token.end, " AND")
    if word == "AND" and previous not in BEHIND_NOTHING:
        yield Edit(statement.tokens[index - 1].end, token.end, ",")
    if word in ("IS", "=") and following in ("BETWEEN", "LIKE", "IN", "=", "<", ">", "NOT"):
        yield Edit(token.start, statement.start(index + 1), "")
    if word == "ELSE" and following in ("WHEN", "IF"):
        yield Edit(token.start, statement.tokens[index + 1].end, "WHEN")
    yield from _second_with(statement, index)
    if word in ENDS_CASE and _in_case(statement, 0, index):
        end = statement.tokens[index - 1].end
        yield Edit(end, end, " END")


def _second_with(statement: RefusedStatement, index: int) -> Iterator[Edit]:
    """Yield the comma for a WITH that is said for each CTE."""
    if statement.upper(index) == "WITH" and statement.words(index + 2, "AS", "("):
        separated = statement.upper(index - 1) in (",", ";")
        yield Edit(statement.start(index - separated), statement.tokens[index].end, ",")


def _parentheses(statement: RefusedStatement) -> Iterator[tuple[Edit, ...]]:
    """Yield where a parenthesis without a counterpart may be closed, opened or dropped."""
    opened, closed = unpaired(statement)
    if len(opened) + len(closed) != 1:
        return
    for index in opened:
        at, end = index + 1, len(statement.tokens)
        while at < end and statement.upper(at) != ")":
            at = past_parenthesis(statement.tokens, at) if statement.upper(at) == "(" else at + 1
            if _ends_operand(statement, min(at, end) - 1) and not (
                at < end and _is_inside_name(statement, at)
            ):
                position = statement.tokens[at - 1].end
                yield (Edit(position, position, ")"),)
    twice = [index for index in opened if statement.upper(index + 1) == "("]
    twice += [index for index in closed if statement.upper(index - 1) == ")"]
    for index in () if has_alternatives(statement) else twice:
        token = statement.tokens[index]
        yield (Edit(token.start, token.end, ""),)
    for index in closed:
        for at in range(max(0, index - TOKENS_BEFORE), index):
            called = statement.upper(at) in FUNCTIONS or statement.upper(at) in ("IN", "EXISTS")
            if called and statement.upper(at + 1) not in ("(", "."):
                yield (Edit(statement.tokens[at].end, statement.tokens[at].end, "("),)


def _is_inside_name(statement: RefusedStatement, index: int) -> bool:
    return (
        "." in (statement.upper(index), statement.upper(index - 1)) or statement.upper(index) == "("
    )


def unpaired(statement: RefusedStatement) -> tuple[list[int], list[int]]:
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


COMPARING = frozenset({"=", "<>", "!=", "==", "<", ">", "<=", ">="})
BEFORE_TEXT = COMPARING | frozenset("LIKE ILIKE ( , THEN ELSE BETWEEN AND + || ESCAPE WHEN".split())


def double_quoted_text(statement: RefusedStatement) -> Correction | None:
    """A value in double quotes that names nothing is a text."""
    edits = [
        Edit(token.start, token.end, "'" + token.name.replace("'", "''") + "'")
        for index, token in enumerate(statement.tokens)
        if token.kind == "name" and token.text[0] == '"' and _is_text(statement, index)
    ]
    return correct(edits, "Strings are in single quotes; double quotes delimit names.")


def _is_text(statement: RefusedStatement, index: int) -> bool:
    if statement.upper(index - 1) not in BEFORE_TEXT or statement.upper(index + 1) == ".":
        return False
    return not _is_known(statement, statement.tokens[index].name.lower())


def _is_known(statement: RefusedStatement, name: str) -> bool:
    columns = {c.name.lower() for node in statement.contract.nodes for c in node.columns}
    tables = {table.lower() for table in statement.contract.table_names}
    return name in columns | tables | statement.aliases
