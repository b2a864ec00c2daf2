"""Comments of other languages, whose signs are operators in others."""

import re

from moviegraph.contract.model import nearest
from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.context import RefusedStatement
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.reserved import RESERVED
from moviegraph.sql.scan import regions

COMMENT = re.compile(r"#[ \t#!]|//")
CODE = re.compile(r"\b(?:FROM|JOIN|WHERE|HAVING|UNION|(?:GROUP|ORDER)\s+BY)\b|[=<>]", re.IGNORECASE)
VALUES = frozenset({"CASE", "NULL", "END", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"})
SIGNS = frozenset("+-~.")
FOLLOWING = frozenset(
    """
    AS FROM WHERE GROUP HAVING ORDER UNION EXCEPT INTERSECT AND OR NOT IS IN LIKE ILIKE BETWEEN THEN
    WHEN ELSE END ASC DESC JOIN INNER LEFT RIGHT FULL CROSS OUTER ON OFFSET FETCH LIMIT FOR COLLATE
    DIV MOD QUALIFY WINDOW NULLS
    """.split()
)
DECLARING = frozenset({"AS", "(", ","})


def foreign_comment(statement: RefusedStatement) -> Correction | None:
    """# and // begin comments in other languages, unless a value stands on either side."""
    if not statement.readable:
        return None
    held = list(regions(statement.sql))
    edits: list[Edit] = []
    for region in held:
        if region.kind != "code":
            continue
        for found in COMMENT.finditer(statement.sql, region.start, region.end):
            end = _line_end(statement.sql, found.end())
            whole = all(r.kind == "code" or not r.start < end < r.end for r in held)
            if whole and _is_comment(statement, found.start(), end):
                edits.append(Edit(found.start(), end, ""))
    return correct(edits, "T-SQL comments begin with --.")


def _line_end(sql: str, index: int) -> int:
    found = sql.find("\n", index)
    return len(sql) if found < 0 else found


def _is_comment(statement: RefusedStatement, start: int, end: int) -> bool:
    """Whether the rest of a line can be nothing but a comment."""
    index = next(
        (n for n, p in enumerate(statement.tokens) if p.end > start), len(statement.tokens)
    )
    if not _ends_value(statement, index - 1):
        return True
    one_line = "\n" not in statement.sql.strip()
    if one_line and CODE.search(statement.sql, start, end):
        return False
    return not _is_operand(statement, index + 1)


def _ends_value(statement: RefusedStatement, index: int) -> bool:
    if index < 0:
        return False
    token = statement.tokens[index]
    if token.kind == "mark":
        return token.text == ")"
    return token.upper not in RESERVED or token.upper in VALUES


def _is_operand(statement: RefusedStatement, index: int) -> bool:
    """Whether a value may stand here: a word that names nothing known is one of a comment."""
    if index >= len(statement.tokens):
        return False
    token, after = statement.tokens[index], statement.upper(index + 1)
    if token.text in SIGNS:
        return _is_operand(statement, index + 1)
    if token.upper in VALUES:
        return True
    past = statement.operand_after(index - 1)
    if token.kind != "word":
        value = token.kind != "mark" or token.text == "("
    elif (
        after in (".", "(") and past > index + 1 and statement.tokens[index + 1].start == token.end
    ):
        value = after == "(" or statement.tokens[index + 2].start == statement.tokens[index + 1].end
    else:
        called = after == "(" and token.upper in FUNCTIONS
        value = token.upper not in RESERVED and (called or _is_name(statement, index))
    return value and (
        _ends(statement, past) or (_is_alias(statement, past) and _ends(statement, past + 1))
    )


def _ends(statement: RefusedStatement, index: int) -> bool:
    """Whether what stands here can follow an expression."""
    upper = statement.upper(index)
    marked = index < len(statement.tokens) and statement.tokens[index].kind == "mark"
    return index >= len(statement.tokens) or marked or upper in FOLLOWING


def _is_alias(statement: RefusedStatement, index: int) -> bool:
    return statement.tokens[index].kind != "number" and statement.upper(index) not in RESERVED


def _is_name(statement: RefusedStatement, index: int) -> bool:
    """Whether a word is, or may be a slip of, a column or a name that the statement gives."""
    name = statement.tokens[index].name
    columns = {column.name for node in statement.contract.nodes for column in node.columns}
    if name.startswith(("@", "$")) or nearest(name, tuple(columns), cutoff=0.75):
        return True
    return any(
        token.is_name
        and token.name.lower() == name.lower()
        and (statement.upper(n - 1) in DECLARING or _ends_value(statement, n - 1))
        for n, token in enumerate(statement.tokens)
        if n != index
    )
