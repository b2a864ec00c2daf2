"""Says of the names that a statement without a finding asks for how they are called here."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.errors import ForModel
from moviegraph.retrieval.detail import shorten
from moviegraph.retrieval.names import equal_names, meanings, named_elsewhere, near_names
from moviegraph.retrieval.recording import Answer, Recording
from moviegraph.sql.walk import nodes

MOST_ASKED, MOST_NEAR = 3, 3
LONGEST_SHOWN = 60
CASED = frozenset({"__LOWER", "__UPPER"})


@dataclass(frozen=True, slots=True)
class Asked:
    """A name that a statement compares the label of a node table with."""

    node: NodeTable
    name: str


def unborne_names(recording: Recording, answer: Answer) -> tuple[str, ...]:
    """Return a note on each name asked for that no node bears, where nothing was found.

    The names are looked up with the same rights as the statement ran with, and once for a result.
    """
    if not _found_nothing(answer):
        return ()
    try:
        return answer.result.once("unborne names", lambda: _looked_up(recording, answer))
    except ForModel:  # the rows are an answer without them
        return ()


def _found_nothing(answer: Answer) -> bool:
    """Whether there are no rows, or a single one of nothing but zeros and NULLs."""
    rows = answer.result.rows
    return not rows or (len(rows) == 1 and all(cell is None or cell == 0 for cell in rows[0]))


def _looked_up(recording: Recording, answer: Answer) -> tuple[str, ...]:
    asked = dict.fromkeys(_asked(answer.allowed.tree, recording.session.contract))
    said = (_said(recording, each) for each in list(asked)[:MOST_ASKED])
    return tuple(note for note in said if note)


def _asked(tree: exp.Expr, contract: Contract) -> Iterator[Asked]:
    for node in nodes(tree):
        if isinstance(node, exp.EQ):
            yield from _compared(contract, node.this, [node.expression])
            yield from _compared(contract, node.expression, [node.this])
        elif isinstance(node, exp.In):
            yield from _compared(contract, node.this, node.expressions)


def _compared(contract: Contract, column: exp.Expr, values: list[exp.Expr]) -> Iterator[Asked]:
    """Yield the texts that a label is compared with, if it is one."""
    if isinstance(column, exp.Anonymous) and column.name in CASED and column.expressions:
        column = column.expressions[0]
    table, name = column.meta.get("lineage") or (None, None)
    node = contract.node(table) if table else None
    if node is None or name != node.label:
        return
    for value in values:
        text = value.name if isinstance(value, exp.Literal | exp.National) else ""
        if text.strip() and not (isinstance(value, exp.Literal) and not value.is_string):
            yield Asked(node, text.strip())


def _said(recording: Recording, asked: Asked) -> str | None:
    node, name = asked.node, asked.name
    if equal_names(recording, node, [name]):
        return None
    unknown = f"No {node.name} is named {shorten(name, LONGEST_SHOWN)!r}"
    found = equal_names(recording, node, meanings(recording.session.contract, name))
    meant = dict.fromkeys(each.name for several in found.values() for each in several)
    if meant:
        return f"{unknown}; it is another name of {_listed(meant)}."
    near = dict.fromkeys(each.name for each in near_names(recording, node, name, MOST_NEAR))
    elsewhere = named_elsewhere(recording, node, name)
    hints = [*([elsewhere] if elsewhere else []), *([f"Nearest: {_listed(near)}."] if near else [])]
    return f"{unknown}. {' '.join(hints) or 'Look it up with a search before you rely on it.'}"


def _listed(names: dict[str, None]) -> str:
    return " or ".join(repr(shorten(each, LONGEST_SHOWN)) for each in list(names)[:MOST_NEAR])
