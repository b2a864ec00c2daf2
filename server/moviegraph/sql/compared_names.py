"""The names of nodes that a statement compares a column with."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from moviegraph.contract.model import Contract
from moviegraph.sql.walk import nodes

MAX_COMPARED = 8
MAX_NAME_CHARS = 400
CASE_FUNCTIONS = frozenset({"__LOWER", "__UPPER"})


@dataclass(frozen=True, slots=True)
class ComparedName:
    """A literal that a statement compares the name column of a node table with.

    `pattern` is the condition over the alias n where the literal is a LIKE pattern.
    """

    table: str
    text: str
    pattern: str | None = None


def compared_names(tree: exp.Expr, contract: Contract) -> tuple[ComparedName, ...]:
    """Return the literals that name columns are compared with: =, <>, IN, LIKE, negated or not."""
    names: dict[ComparedName, None] = {}
    for node in nodes(tree):
        names.update(dict.fromkeys(_compared(node, contract)))
    return tuple(names)[:MAX_COMPARED]


def _compared(node: exp.Expr, contract: Contract) -> Iterator[ComparedName]:
    if isinstance(node, exp.EQ | exp.NEQ):
        yield from _literals(contract, node.this, [node.expression])
        yield from _literals(contract, node.expression, [node.this])
    elif isinstance(node, exp.In):
        yield from _literals(contract, node.this, node.expressions)
    elif isinstance(node, exp.Like):
        yield from _patterns(contract, node, None)
    elif isinstance(node, exp.Escape) and isinstance(node.this, exp.Like):
        yield from _patterns(contract, node.this, _text(node.expression))


def _patterns(contract: Contract, like: exp.Like, escape: str | None) -> Iterator[ComparedName]:
    if escape is None and isinstance(like.parent, exp.Escape):
        return
    for name in _literals(contract, like.this, [like.expression]):
        ending = f" ESCAPE {_quoted(escape)}" if escape else ""
        condition = f"n.{_label(contract, name)} LIKE {_quoted(name.text)}{ending}"
        yield ComparedName(name.table, name.text, condition)


def _literals(
    contract: Contract, column: exp.Expr, values: list[exp.Expr]
) -> Iterator[ComparedName]:
    """Yield the texts that a name column is compared with, if the column is one."""
    if isinstance(column, exp.Anonymous) and column.name in CASE_FUNCTIONS and column.expressions:
        column = column.expressions[0]
    table, name = column.meta.get("lineage") or (None, None)
    node = contract.node(table) if table else None
    if node is None or name != node.label:
        return
    for value in values:
        text = _text(value)
        if text and text.strip() and len(text) <= MAX_NAME_CHARS:
            yield ComparedName(node.name, text.strip())


def _text(value: exp.Expr) -> str | None:
    if isinstance(value, exp.National) or (isinstance(value, exp.Literal) and value.is_string):
        return value.name
    return None


def _quoted(text: str) -> str:
    return "N'" + text.replace("'", "''") + "'"


def _label(contract: Contract, name: ComparedName) -> str:
    node = contract.node(name.table)
    assert node is not None
    return node.label
