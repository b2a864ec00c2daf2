"""Which rows of a result are nodes: by key, or else by a name that only one node has."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.graph_reader import node_ids
from moviegraph.errors import ForModel
from moviegraph.retrieval.recording import Answer, Key, Recording
from moviegraph.sql.decision import Output

Role = Literal["key", "label"]
ROLES: tuple[Role, ...] = ("key", "label")


@dataclass(frozen=True, slots=True)
class Carrier:
    """The column of a result that says which node each row is."""

    index: int
    node: NodeTable
    role: Role


def carrier(contract: Contract, outputs: Sequence[Output]) -> Carrier | None:
    """Return the first key column, or else the first label."""
    for role in ROLES:
        for index, output in enumerate(outputs):
            node = contract.node(output.table) if output.table else None
            if node is not None and output.column == getattr(node, role):
                return Carrier(index, node, role)
    return None


def nodes_of(recording: Recording, answer: Answer) -> list[Key | None]:
    """Return the node that each row of an answer is, or None; looked up once for each result."""
    try:
        return answer.result.memoize("nodes", partial(_looked_up, recording, answer))
    except ForModel:  # without them the rows are still an answer
        return [None] * len(answer.result.rows)


def _looked_up(recording: Recording, answer: Answer) -> list[Key | None]:
    """Return the node of each row; names are looked up in the graph."""
    rows = answer.result.rows
    found = carrier(recording.session.contract, answer.allowed.outputs)
    if found is None or not rows:
        return [None] * len(rows)
    cells = [row[found.index] for row in rows]
    if found.role == "key":
        return [_key(found.node, cell) for cell in cells]
    texts = [cell for cell in dict.fromkeys(cells) if isinstance(cell, str) and cell]
    known = _lookup(recording, found, texts)
    keys = {text: _key(found.node, known.get(_folded(text))) for text in texts}
    return [keys.get(cell) for cell in cells]


def row_names(
    contract: Contract, outputs: Sequence[Output], rows: Sequence[Sequence[Any]]
) -> dict[Key, str]:
    """Return the names of the nodes of the rows, where key and label of one source are listed."""
    found = carrier(contract, outputs)
    if found is None or found.role != "key":
        return {}
    label = (found.node.name, found.node.label, outputs[found.index].alias)
    places = [at for at, o in enumerate(outputs) if (o.table, o.column, o.alias) == label]
    pairs = ((_key(found.node, row[found.index]), row[at]) for at in places[:1] for row in rows)
    return {key: name for key, name in pairs if key is not None and isinstance(name, str)}


def _key(node: NodeTable, cell: object) -> Key | None:
    return (node.name, cell) if isinstance(cell, int) and not isinstance(cell, bool) else None


def _lookup(recording: Recording, found: Carrier, names: list[str]) -> dict[str, int]:
    """Return the id of each name that exactly one node has."""
    node = found.node
    with recording.reader() as graph:
        matches = graph.named(node.name, names)
        ids = node_ids([node_id for _, node_id, _ in matches])
        labels = graph.fetch(node.name, ids, (node.label,)) if len(ids) else []
    by_name: dict[str, list[int]] = defaultdict(list)
    for node_id, (label,) in zip(ids.tolist(), labels, strict=True):
        by_name[_folded(label)].append(node_id)
    return {name: numbers[0] for name, numbers in by_name.items() if len(numbers) == 1}


def _folded(text: object) -> str:
    """Return a name as the database compares it: case and trailing spaces do not count."""
    return text.rstrip(" ").casefold() if isinstance(text, str) else ""
