"""A caller's `where` argument: parsed alone as one condition, placed in the tree as a node."""

from dataclasses import dataclass

from sqlglot import exp

from moviegraph.contract.model import Contract
from moviegraph.sql.gate import admit
from moviegraph.sql.lowering import lower
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
    clause = select.args.get("from_")
    joins: list[exp.Join] = select.args.get("joins") or []
    items: list[exp.Expr] = [clause, *joins] if clause is not None else []
    return {item.this.alias_or_name.lower() for item in items}


def _condition(where: Where, contract: Contract) -> exp.Expr:
    """Parse `SELECT * FROM table WHERE (text)`, so that the text cannot reach outside."""
    text = where.text.strip()
    if not text or len(text) > MAX_LENGTH:
        raise _invalid(f"it is empty or longer than {MAX_LENGTH:,} characters")
    try:
        lowered = lower(admit(f"SELECT 1 FROM {where.table} WHERE (\n{text}\n)"))
        tree = parse(lowered)
    except RefusalError as error:
        raise _invalid(error.refused.message.rstrip(".")) from error
    if not isinstance(tree, exp.Select) or set(_set_arguments(tree)) != {
        "expressions",
        "from_",
        "where",
    }:
        raise _invalid("it is more than one condition")
    condition = tree.args["where"].this
    if not isinstance(condition, exp.Paren):
        raise _invalid("it closes a parenthesis that it did not open")
    _check(condition, where, contract)
    return condition


def _set_arguments(tree: exp.Expr) -> list[str]:
    return [name for name, value in tree.args.items() if value not in (None, [], False)]


def _check(condition: exp.Expr, where: Where, contract: Contract) -> None:
    for node in condition.walk():
        if isinstance(node, exp.Query | exp.Parameter):
            raise _invalid("subqueries and @q are not allowed in it")
        if isinstance(node, exp.Anonymous) and node.name == "__MATCH":
            raise _invalid("MATCH is not allowed in it; use graph_traverse")
        if isinstance(node, exp.Column):
            _qualify(node, where, contract)


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
        known = ", ".join(c.name for c in table.columns if c.type != "VECTOR")
        raise _invalid(f"{where.table} has no column {column.name}; it has {known}")
    column.set("table", exp.to_identifier(where.alias, quoted=True))


def _invalid(why: str) -> RefusalError:
    return RefusalError(
        "invalid_where",
        f"`where` cannot be used: {why}. It is one condition over the table's columns, such as "
        "ReleaseYear >= 1990 AND Name NOT LIKE '%Star%'.",
    )
