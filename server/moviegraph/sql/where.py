"""A caller's `where` argument: parsed alone as one condition, placed in the tree as a node."""

import re
from dataclasses import dataclass

from sqlglot import exp

from moviegraph.contract.model import Contract, nearest
from moviegraph.errors import Span
from moviegraph.sql.columns import span
from moviegraph.sql.faithful import check_faithful
from moviegraph.sql.froms import items_of
from moviegraph.sql.gate import admit
from moviegraph.sql.grammar import check_grammar
from moviegraph.sql.lowering import lower
from moviegraph.sql.names import Resolver
from moviegraph.sql.patterns import bracket
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.syntax import parse
from moviegraph.sql.vector_search import is_search

MAX_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class Where:
    """A condition over the columns of one table, for the FROM sources with one alias."""

    text: str
    table: str
    alias: str


def place(tree: exp.Expr, where: Where, contract: Contract) -> None:
    """AND the condition into every SELECT that has a source with the alias.

    Raises RefusalError (code invalid_where).
    """
    selects = [each for each in tree.find_all(exp.Select) if where.alias.lower() in _aliases(each)]
    assert selects, "a condition without a place would be lost"
    for select in selects:
        select.where(_condition(where, contract), copy=False)


def _aliases(select: exp.Select) -> set[str]:
    """Return the aliases of a FROM, and that of a table which VECTOR_SEARCH searches."""
    items = items_of(select)
    searched = [item.this.expressions[1] for item in items if is_search(item.this)]
    return {each.alias_or_name.lower() for each in (*items, *searched)}


def _condition(where: Where, contract: Contract) -> exp.Expr:
    """Parse and judge `SELECT 1 FROM table WHERE (text)`: the text cannot reach outside."""
    text = where.text.strip()
    if not text or len(text) > MAX_LENGTH:
        raise _invalid(f"it is empty or longer than {MAX_LENGTH:,} characters")
    head = f"SELECT 1 FROM {where.table} AS {bracket(where.alias)} WHERE ( "
    try:
        lowered = lower(admit(f"{head}{text}\n)"))
        tree = parse(lowered)
        condition = _only_condition(tree)
        check_faithful(lowered, tree)
        _check(condition, where, contract)
        check_grammar(tree)
        Resolver(contract, lowered.matches).resolve(tree.copy())
    except RefusalError as error:
        refused = error.refused
        shift = len(head) - (len(where.text) - len(where.text.lstrip()))
        found = _moved(refused.span, shift, len(where.text))
        message = _numbered(refused.message, shift, text)
        if refused.code == "invalid_where":
            raise RefusalError(refused.code, message, found, refused.suggestions) from error
        raise _invalid(message.rstrip("."), refused.suggestions, found) from error
    return condition


def _moved(span: Span | None, shift: int, length: int) -> Span | None:
    """Return a place in the composed text as one in the text of the caller."""
    if span is None:
        return None
    start, end = max(0, span[0] - shift), min(length, span[1] - shift)
    return (start, end) if start < end else None


def _numbered(message: str, head: int, text: str) -> str:
    """Count lines, columns and characters of a message from where the caller's text begins."""

    def line(found: re.Match[str]) -> str:
        number, column = int(found[1]), int(found[2]) - (head if found[1] == "1" else 0)
        return f" (line {number}, column {column})" if number <= text.count("\n") + 1 else ""

    message = re.sub(r" \(line (\d+), column (\d+)\)", line, message)
    return re.sub(
        r"(?<=at character )\d+|(?<= at )\d+(?= stands)",
        lambda found: str(max(1, int(found[0]) - head)),
        message,
    )


def _only_condition(tree: exp.Expr) -> exp.Paren:
    names = {"expressions", "from_", "where"}
    if isinstance(tree, exp.Select) and set(_set_arguments(tree)) == names:
        condition = tree.args["where"].this
        if isinstance(condition, exp.Paren):
            return condition
    raise _invalid("it is not one condition by itself, with balanced parentheses")


def _set_arguments(tree: exp.Expr) -> list[str]:
    return [name for name, value in tree.args.items() if value not in (None, [], False)]


def _check(condition: exp.Expr, where: Where, contract: Contract) -> None:
    for node in condition.walk():
        if isinstance(node, exp.Query | exp.Parameter):
            raise _invalid("subqueries and @q are not allowed in it")
        if isinstance(node, exp.Anonymous) and node.name == "__MATCH":
            raise _invalid("MATCH is not allowed in it; use graph_traverse")
        if isinstance(node, exp.Anonymous) and node.name in ("__CONTAINS", "__FREETEXT"):
            _qualify_star(node, where)
        if isinstance(node, exp.Column):
            _qualify(node, where, contract)


def _qualify_star(call: exp.Anonymous, where: Where) -> None:
    if call.expressions and isinstance(call.expressions[0], exp.Star):
        alias = exp.to_identifier(where.alias, quoted=True)
        call.expressions[0].replace(exp.Column(this=exp.Star(), table=alias))


def _qualify(column: exp.Column, where: Where, contract: Contract) -> None:
    given = column.table.lower()
    table = contract.node(where.table)
    if given and given not in (where.alias.lower(), where.table.lower()):
        raise _invalid(f"{column.table} is unknown; columns stand alone, such as Name")
    if column.name.startswith("$"):
        raise _invalid("pseudo-columns are not allowed in it")
    if isinstance(column.this, exp.Star):
        return
    if table is not None and table.column(column.name) is None:
        known = tuple(c.name for c in table.columns if c.type != "VECTOR")
        raise _invalid(
            f"{where.table} has no column {column.name}; it has {', '.join(known)}",
            nearest(column.name, known) or known,
            span(column),
        )
    column.set("table", exp.to_identifier(where.alias, quoted=True))


def _invalid(
    why: str, suggestions: tuple[str, ...] = (), place: Span | None = None
) -> RefusalError:
    return RefusalError(
        "invalid_where",
        f"`where` cannot be used: {why}. It is one condition over the table's columns, such as "
        "Id > 10 AND Name NOT LIKE '%Star%'.",
        place,
        suggestions,
    )
