"""Comments of other languages, whose signs are operators in others."""

import re

from moviegraph.contract.model import nearest
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
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


def foreign_comment(broken: Broken) -> Correction | None:
    """# and // begin comments in other languages, unless a value stands on either side."""
    if not broken.readable:
        return None
    held = list(regions(broken.sql))
    edits: list[Edit] = []
    for region in held:
        if region.kind != "code":
            continue
        for found in COMMENT.finditer(broken.sql, region.start, region.end):
            end = _line_end(broken.sql, found.end())
            whole = all(r.kind == "code" or not r.start < end < r.end for r in held)
            if whole and _is_comment(broken, found.start(), end):
                edits.append(Edit(found.start(), end, ""))
    return corrected(edits, "T-SQL comments begin with --.")


def _line_end(sql: str, at: int) -> int:
    found = sql.find("\n", at)
    return len(sql) if found < 0 else found


def _is_comment(broken: Broken, start: int, end: int) -> bool:
    """Whether the rest of a line can be nothing but a comment."""
    at = next((n for n, p in enumerate(broken.pieces) if p.end > start), len(broken.pieces))
    if not _ends_value(broken, at - 1):
        return True
    one_line = "\n" not in broken.sql.strip()
    if one_line and CODE.search(broken.sql, start, end):
        return False
    return not _is_operand(broken, at + 1)


def _ends_value(broken: Broken, at: int) -> bool:
    if at < 0:
        return False
    piece = broken.pieces[at]
    if piece.kind == "mark":
        return piece.text == ")"
    return piece.upper not in RESERVED or piece.upper in VALUES


def _is_operand(broken: Broken, at: int) -> bool:
    """Whether a value may stand here: a word that names nothing known is one of a comment."""
    if at >= len(broken.pieces):
        return False
    piece, after = broken.pieces[at], broken.upper(at + 1)
    if piece.text in SIGNS:
        return _is_operand(broken, at + 1)
    if piece.upper in VALUES:
        return True
    past = broken.operand_after(at - 1)
    if piece.kind != "word":
        value = piece.kind != "mark" or piece.text == "("
    elif after in (".", "(") and past > at + 1 and broken.pieces[at + 1].start == piece.end:
        value = after == "(" or broken.pieces[at + 2].start == broken.pieces[at + 1].end
    else:
        called = after == "(" and piece.upper in FUNCTIONS
        value = piece.upper not in RESERVED and (called or _is_name(broken, at))
    return value and (_ends(broken, past) or (_is_alias(broken, past) and _ends(broken, past + 1)))


def _ends(broken: Broken, at: int) -> bool:
    """Whether what stands here can follow an expression."""
    upper = broken.upper(at)
    marked = at < len(broken.pieces) and broken.pieces[at].kind == "mark"
    return at >= len(broken.pieces) or marked or upper in FOLLOWING


def _is_alias(broken: Broken, at: int) -> bool:
    return broken.pieces[at].kind != "number" and broken.upper(at) not in RESERVED


def _is_name(broken: Broken, at: int) -> bool:
    """Whether a word is, or may be a slip of, a column or a name that the statement gives."""
    name = broken.pieces[at].name
    columns = {column.name for node in broken.contract.nodes for column in node.columns}
    if name.startswith(("@", "$")) or nearest(name, tuple(columns), cutoff=0.75):
        return True
    return any(
        piece.is_name
        and piece.name.lower() == name.lower()
        and (broken.upper(n - 1) in DECLARING or _ends_value(broken, n - 1))
        for n, piece in enumerate(broken.pieces)
        if n != at
    )
