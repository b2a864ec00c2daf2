"""Notes on the names that a statement compares with and that no node has."""

from collections.abc import Iterator, Sequence

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.graph_reader import GraphReader
from moviegraph.query.names import NameResolver
from moviegraph.sql.decision import Allowed, ComparedName
from moviegraph.sql.guard import RowLimits, judge
from moviegraph.text import shorten

MAX_NEAREST = 3
MAX_SHOWN_CHARS = 60
EVERY_ROW = RowLimits(2**31 - 1, 1000)


def unmatched_name_notes(
    graph: GraphReader, contract: Contract, names: Sequence[ComparedName]
) -> tuple[str, ...]:
    """Return a note for each literal that no node of its table has, with the nearest names."""
    resolver = NameResolver(graph, contract)
    notes = (_note(graph, resolver, contract, name) for name in names)
    return tuple(note for note in notes if note)


def _note(
    graph: GraphReader, resolver: NameResolver, contract: Contract, compared: ComparedName
) -> str | None:
    table = contract.node(compared.table)
    assert table is not None
    shown = repr(shorten(compared.text, MAX_SHOWN_CHARS))
    if compared.pattern is not None:
        if _matches(graph, contract, table, compared.pattern):
            return None
        text = compared.text.strip("%").strip()
        problem = f"No {table.name} has a name like {shown}."
    else:
        text = compared.text
        own = resolver.named([text], [table])[text]
        if any(_is_equal(node.name, text) for node in own):
            return None
        problem = f"No {table.name} has the name {shown}."
        if own:
            listed = ", ".join(node.described for node in own[:MAX_NEAREST])
            return f"{problem} It may mean {listed}."
    return " ".join([problem, *_hints(resolver, contract, table, text)])


def _hints(resolver: NameResolver, contract: Contract, node: NodeTable, text: str) -> Iterator[str]:
    """Yield what else the text names, and the nearest names."""
    if not text:
        return
    others = [kind for kind in contract.nodes if kind.name != node.name]
    elsewhere = resolver.named([text], others)[text]
    if elsewhere:
        listed = ", ".join(each.described for each in elsewhere[:MAX_NEAREST])
        yield f"Nodes with that name: {listed}."
    near = resolver.nearest_names(text, [node], MAX_NEAREST)
    if near:
        yield f"Nearest: {', '.join(near)}."
    elif not elsewhere:
        yield "Search for it before you rely on it."


def _is_equal(name: str, text: str) -> bool:
    """Whether the database compares two names as equal: accents count, case does not."""
    return name.rstrip().casefold() == text.rstrip().casefold()


def _matches(graph: GraphReader, contract: Contract, node: NodeTable, pattern: str) -> bool:
    """Whether a node of the table satisfies a condition; true where that cannot be told."""
    sql = f"SELECT n.{node.key} FROM {node.name} AS n WHERE {pattern}"  # noqa: S608
    decision = judge(sql, contract, EVERY_ROW)
    if not isinstance(decision, Allowed):
        return True
    return graph.has_any(node.name, graph.select(node.name, decision))
