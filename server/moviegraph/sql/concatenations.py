"""|| of SQL Server 2025: the + of two texts, which is how it is rendered."""

from sqlglot import exp

from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.types import type_of
from moviegraph.sql.walk import nodes

JOINED = "joined"
TEXTS_ONLY = (
    "|| joins texts; CAST what is no text: CAST(x AS NVARCHAR(30)) || y. A condition is joined by "
    "OR."
)


def as_plus(tree: exp.Query) -> None:
    """Put + in the place of ||, marked, and read from left to right as T-SQL reads both.

    sqlglot lets + bind closer, `a || (b + c)`; between texts that is the same.
    """
    for node in reversed(nodes(tree)):
        if isinstance(node, exp.DPipe):
            node.replace(_plus(node.this, node.expression))


def _plus(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    if isinstance(right, exp.Collate):
        right.set("this", _plus(left, right.this))
        return right
    if type(right) is not exp.Add:
        return _marked(exp.Add(this=left, expression=right))
    first = right
    while type(first.this) is exp.Add:
        first = _marked(first).this
    _marked(first).set("this", _plus(left, first.this))
    return right


def _marked(node: exp.Add) -> exp.Add:
    node.meta[JOINED] = True
    return node


def check_joined(tree: exp.Query) -> None:
    """Refuse || of anything but texts and NULL, once types are known. Raises RefusalError."""
    for node in nodes(tree):
        if type(node) is not exp.Add or not node.meta.get(JOINED):
            continue
        sides = [side.unnest() for side in (node.this, node.expression)]
        texts = [side for side in sides if type_of(side) == "NVARCHAR"]
        if not texts or any(each not in texts and not isinstance(each, exp.Null) for each in sides):
            raise RefusalError("syntax", TEXTS_ONLY)
