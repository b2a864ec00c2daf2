"""The last look at a resolved tree: no name may have been passed over."""

from sqlglot import exp

from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.walk import nodes

NAMING = ("__CONTAINSTABLE", "__FREETEXTTABLE", "__VECTOR_SEARCH")


def check_complete(tree: exp.Expr) -> None:
    """Refuse a tree of which some table or column was never looked up: a fault of ours."""
    for node in nodes(tree):
        seen = True
        if isinstance(node, exp.Table):
            seen = "source" in node.meta
        elif isinstance(node, exp.Column):
            named = isinstance(node.parent, exp.Anonymous) and node.parent.name in NAMING
            seen = named or "type" in node.meta or isinstance(node.this, exp.Star)
        if not seen:
            raise RefusalError(
                "syntax", "A name stands where none is read; write the statement more simply."
            )
