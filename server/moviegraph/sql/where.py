"""A caller's `where` argument: parsed alone as one condition, placed in the tree as a node."""

from dataclasses import dataclass

from sqlglot import exp

from moviegraph.contract.model import Contract, nearest
from moviegraph.sql.froms import items_of
from moviegraph.sql.gate import admit
from moviegraph.sql.grammar import check_grammar
from moviegraph.sql.lowering import lower
from moviegraph.sql.names import Resolver
from moviegraph.sql.patterns import bracket
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.syntax import parse

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
    for select in list(tree.find_all(exp.Select)):
        if where.alias.lower() in _aliases(select):
            select.where(_condition(where, contract), copy=False)


def _aliases(select: exp.Select) -> set[str]:
    return {item.alias_or_name.lower() for item in items_of(select)}


def _condition(where: Where, contract: Contract) -> exp.Expr:
    """Parse and judge `SELECT 1 FROM table WHERE (text)`: the text cannot reach outside."""
    text = where.text.strip()
    if not text or len(text) > MAX_LENGTH:
        raise _invalid(f"it is empty or longer than {MAX_LENGTH:,} characters")
    alias = bracket(where.alias)
    try:
        lowered = lower(admit(f"SELECT 1 FROM {where.table} AS {alias} WHERE (\n{text}\n)"))
        tree = parse(lowered)
        condition = _only_condition(tree)
        _check(condition, where, contract)
        check_grammar(tree)
        Resolver(contract, lowered.matches).resolve(tree.copy())
    except RefusalError as error:
        refused = error.refused
        if refused.code == "invalid_where":
            raise
        raise _invalid(refused.message.rstrip("."), refused.suggestions) from error
    return condition


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
            nearest(column.name, known),
        )
    column.set("table", exp.to_identifier(where.alias, quoted=True))


def _invalid(why: str, suggestions: tuple[str, ...] = ()) -> RefusalError:
    return RefusalError(
        "invalid_where",
        f"`where` cannot be used: {why}. It is one condition over the table's columns, such as "
        "Id > 10 AND Name NOT LIKE '%Star%'.",
        suggestions=suggestions,
    )
