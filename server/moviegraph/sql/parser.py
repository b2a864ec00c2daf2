"""Parser: lowered tokens to one tree, or a refusal with the position where reading stopped."""

import itertools
from collections.abc import Iterator

from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from moviegraph.sql.decision import DialectError, RefusalError
from moviegraph.sql.functions import DATEPART_FIRST, DATEPARTS
from moviegraph.sql.lexer import DIALECT
from moviegraph.sql.lowering import Lowered
from moviegraph.sql.syntax_tree import annotations, children, nodes, nodes_of
from moviegraph.sql.types import type_family

TOP_AND_OFFSET = (
    "TOP (or LIMIT) and OFFSET exclude each other in one SELECT; write ORDER BY x OFFSET n ROWS "
    "FETCH NEXT m ROWS ONLY, without TOP."
)
MISPLACED = (
    "ORDER BY is allowed once, after the last query of a UNION, EXCEPT or INTERSECT; to sort one "
    "query alone, put it into a derived table: SELECT * FROM (SELECT TOP 5 ... ORDER BY x) AS a."
)
MOVED = (
    "A query with ORDER BY inside a UNION, EXCEPT or INTERSECT was put into a derived table, "
    "because T-SQL takes it there only."
)
TEXTS_ONLY = (
    "|| joins texts; CAST what is no text: CAST(x AS NVARCHAR(30)) || y. A condition is joined by "
    "OR."
)
MAX_EXPANDED_TABLES = 256


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
        raise DialectError("The statement cannot be read as T-SQL.") from error
    if len(trees) != 1:
        raise RefusalError("multiple_statements", "One call runs one statement.")
    tree = trees[0]
    if not isinstance(tree, exp.Select | exp.SetOperation | exp.Subquery):
        raise RefusalError("not_select", "Only one SELECT (or WITH ... SELECT) is run.")
    _mark_intersects(tree, lowered)
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
        operand = node.expression
        if isinstance(operand, exp.Subquery) and isinstance(operand.this, exp.Intersect):
            annotations(operand).added_parentheses = True


def _spell_out(node: exp.Expr) -> None:
    """Give what can be written in two ways the one form that rendering keeps."""
    if isinstance(node, exp.WindowSpec):
        if node.args.get("start") and not node.args.get("end"):
            node.set("end", "CURRENT ROW")
            annotations(node).short_frame = True
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
    highlight = str(first.get("highlight") or "")
    start = len(str(first.get("start_context") or ""))
    at = lowered.sql.find(highlight, max(0, start)) if highlight else -1
    if highlight.upper() == "FETCH" and any(t.text.upper() == "TOP" for t in lowered.tokens):
        return DialectError(TOP_AND_OFFSET, (at, at + len(highlight)))
    line, column = first.get("line"), first.get("col")
    where = f" near {highlight.strip()!r}" if highlight.strip() else ""
    location = f" (line {line}, column {column})" if line and where else ""
    return DialectError(
        f"The statement cannot be read{where}{location}. Check commas, parentheses, keywords and "
        "aliases there; the dialect is T-SQL.",
        (at, at + len(highlight)) if at >= 0 else None,
    )


def wrap_sorted(tree: exp.Expr, notes: list[str]) -> bool:
    """Put each sorted operand of a set operation into a derived table; return whether any was."""
    count = 0
    for operation in nodes_of(tree, exp.SetOperation):
        for side in ("this", "expression"):
            operand = operation.args[side]
            if isinstance(operand, exp.Select) and operand.args.get("order") is not None:
                raise DialectError(MISPLACED)
            inner = operand.unnest() if isinstance(operand, exp.Subquery) else None
            if inner is None or inner.args.get("order") is None:
                continue
            count += 1
            operation.set(side, _derived(inner, f"operand{count}"))
    if count:
        notes.append(MOVED)
    return bool(count)


def _derived(query: exp.Expr, name: str) -> exp.Select:
    alias = exp.TableAlias(this=exp.Identifier(this=name, quoted=True))
    source = exp.Subquery(this=query, alias=alias)
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=source))


def replace_concat_operator(tree: exp.Query) -> None:
    """Put + in the place of ||, marked, and read from left to right as T-SQL reads both.

    sqlglot lets + bind closer, `a || (b + c)`; between texts that is the same.
    """
    for node in reversed(nodes(tree)):
        if isinstance(node, exp.DPipe):
            node.replace(_as_addition(node.this, node.expression))


def _as_addition(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    if isinstance(right, exp.Collate):
        right.set("this", _as_addition(left, right.this))
        return right
    if type(right) is not exp.Add:
        return _mark(exp.Add(this=left, expression=right))
    first = right
    while type(first.this) is exp.Add:
        first = _mark(first).this
    _mark(first).set("this", _as_addition(left, first.this))
    return right


def _mark(node: exp.Add) -> exp.Add:
    annotations(node).is_concat = True
    return node


def check_concat(tree: exp.Query) -> None:
    """Refuse || of anything but texts and NULL, once types are known. Raises RefusalError."""
    for node in nodes(tree):
        if type(node) is not exp.Add or not annotations(node).is_concat:
            continue
        operands = [side.unnest() for side in (node.this, node.expression)]
        texts = [side for side in operands if type_family(side) == "NVARCHAR"]
        if not texts or any(
            side not in texts and not isinstance(side, exp.Null) for side in operands
        ):
            raise DialectError(TEXTS_ONLY)


def check_expansion(tree: exp.Query) -> None:
    """Refuse common table expressions that read each other too often.

    A database writes one out wherever it is read, so a chain in which each reads the one before it
    twice doubles with every link; planning one of 12 links takes minutes.

    Raises RefusalError.
    """
    clause = tree.args.get("with_")
    if clause is None:
        return
    sizes: dict[str, int] = {}
    for argument in clause.expressions:
        sizes[argument.alias.lower()] = max(1, _size(argument.this, sizes))
    read = sum(_size(part, sizes) for part in children(tree) if part is not clause)
    max_size = max(read, *sizes.values())
    if max_size > MAX_EXPANDED_TABLES:
        raise RefusalError(
            "too_large",
            "A database writes a common table expression out wherever it is read, and these come "
            f"to {max_size:,} tables so; {MAX_EXPANDED_TABLES} are the most. Let each read the "
            "one before it once: aggregate it, or use window functions, instead of joining it "
            "to itself.",
        )


def _size(query: exp.Expr, sizes: dict[str, int]) -> int:
    return sum(sizes.get(name, 1) for name in _tables(query))


def _tables(query: exp.Expr) -> Iterator[str]:
    """Yield the names in FROM; a name with a schema is no CTE."""
    for node in nodes(query):
        if isinstance(node, exp.Table):
            yield "" if node.args.get("db") else node.name.lower()
