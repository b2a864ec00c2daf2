"""Lowered text to one tree, or a refusal that says where reading stopped."""

import itertools
import re

from sqlglot import exp
from sqlglot.dialects.tsql import TSQL
from sqlglot.errors import ParseError, SqlglotError

from moviegraph.sql.functions import DATEPART_FIRST, DATEPARTS
from moviegraph.sql.lowering import Lowered
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.walk import nodes

DIALECT = TSQL()
ADDED = "added by the parser"
TOP_AND_OFFSET = (
    "TOP (or LIMIT) and OFFSET exclude each other in one SELECT; write ORDER BY x OFFSET n ROWS "
    "FETCH NEXT m ROWS ONLY, without TOP."
)
TWO_SPELLINGS = re.compile(r"\b(ROWS|RANGE|DATE\w+|(UN)?PIVOT|VALUES)\b", re.IGNORECASE)


def parse(lowered: Lowered) -> exp.Query:
    """Parse exactly one query. Raises RefusalError."""
    try:
        trees = [
            tree for tree in DIALECT.parser().parse(lowered.tokens, lowered.sql) if tree is not None
        ]
    except ParseError as error:
        raise _refusal(error, lowered) from error
    except RecursionError as error:
        raise RefusalError("too_large", "The statement nests too deeply.") from error
    except (SqlglotError, AttributeError, TypeError, ValueError, IndexError, KeyError) as error:
        raise RefusalError("syntax", "The statement cannot be read as T-SQL.") from error
    if len(trees) != 1:
        raise RefusalError("multiple_statements", "One call runs one statement.")
    tree = trees[0]
    if not isinstance(tree, exp.Select | exp.SetOperation | exp.Subquery):
        raise RefusalError("not_select", "Only one SELECT (or WITH ... SELECT) is run.")
    if "INTERSECT" in lowered.sql.upper():
        _mark_intersects(tree, lowered)
    if TWO_SPELLINGS.search(lowered.sql):
        for node in nodes(tree):
            _spell_out(node)
    return tree


def _mark_intersects(tree: exp.Expr, lowered: Lowered) -> None:
    """Mark the parentheses that sqlglot adds around INTERSECT, so that none are rendered."""
    words = [token.text.upper() for token in lowered.tokens]
    before = ("UNION", "ALL", "EXCEPT")
    if any(b == "(" and a in before for a, b in itertools.pairwise(words)):
        return
    for node in tree.find_all(exp.SetOperation):
        arm = node.expression
        if isinstance(arm, exp.Subquery) and isinstance(arm.this, exp.Intersect):
            arm.meta[ADDED] = True


def _spell_out(node: exp.Expr) -> None:
    """Give what can be written in two ways the one form that rendering keeps."""
    if isinstance(node, exp.WindowSpec):
        if node.args.get("start") and not node.args.get("end"):
            node.set("end", "CURRENT ROW")
            node.meta["short"] = True
    elif isinstance(node, exp.Table) and isinstance(node.this, exp.Values):
        _enclose(node)
    elif isinstance(node, exp.Pivot):
        node.set("columns", None)  # derived by sqlglot from the IN list
    elif isinstance(node, exp.Anonymous) and node.name[2:] in DATEPART_FIRST and node.expressions:
        part = node.expressions[0]
        if isinstance(part, exp.Column) and not part.table and part.name.lower() in DATEPARTS:
            part.replace(exp.Var(this=part.name.lower()))


def _enclose(node: exp.Table) -> None:
    """Give VALUES that begins a join in parentheses the form it has elsewhere."""
    parts = {name: node.args.get(name) for name in ("alias", "joins", "pivots")}
    node.replace(exp.Subquery(this=node.this, **parts))


def _refusal(error: ParseError, lowered: Lowered) -> RefusalError:
    first = error.errors[0] if error.errors else {}
    near = str(first.get("highlight") or "")
    start = len(str(first.get("start_context") or ""))
    at = lowered.sql.find(near, max(0, start)) if near else -1
    if near.upper() == "FETCH" and any(t.text.upper() == "TOP" for t in lowered.tokens):
        return RefusalError("syntax", TOP_AND_OFFSET, (at, at + len(near)))
    line, column = first.get("line"), first.get("col")
    where = f" near {near.strip()!r}" if near.strip() else ""
    place = f" (line {line}, column {column})" if line and where else ""
    return RefusalError(
        "syntax",
        f"The statement cannot be read{where}{place}. Check commas, parentheses, keywords and "
        "aliases there; the dialect is T-SQL.",
        (at, at + len(near)) if at >= 0 else None,
    )
