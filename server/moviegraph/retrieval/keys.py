"""Which rows of a result are nodes: by key, or else by a name or text that only one node has."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.base import Naming
from moviegraph.errors import ForModel
from moviegraph.retrieval.recording import Answer, Key, Recording
from moviegraph.sql.decision import Output
from moviegraph.sql.statements import nodes_beginning, nodes_named

Role = Literal["key", "label", "text"]
ROLES: tuple[Role, ...] = ("key", "label", "text")
BEGINNING = 100
MOST_CHARACTERS = 5_000
MOST_NODES = 1_000


@dataclass(frozen=True, slots=True)
class Carrier:
    """The column of a result that says which node each row is."""

    index: int
    node: NodeTable
    role: Role


def carrier(contract: Contract, outputs: Sequence[Output]) -> Carrier | None:
    """Return the first key column, or else the first label, or else the first text."""
    for role in ROLES:
        for index, output in enumerate(outputs):
            node = contract.node(output.table) if output.table else None
            if node is not None and output.column == getattr(node, role):
                return Carrier(index, node, role)
    return None


def nodes_of(recording: Recording, answer: Answer) -> list[Key | None]:
    """Return the node that each row of an answer is, or None; looked up once for each result."""
    try:
        return answer.result.once("nodes", partial(_looked_up, recording, answer))
    except ForModel:  # without them the rows are still an answer
        return [None] * len(answer.result.rows)


def _looked_up(recording: Recording, answer: Answer) -> list[Key | None]:
    """Return the node of each row; names and texts are looked up in the graph."""
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


def _lookup(recording: Recording, found: Carrier, texts: list[str]) -> dict[str, int]:
    """Return the id of each text that belongs to exactly one node."""
    ids: dict[str, set[int]] = defaultdict(set)
    node, engine = found.node, recording.session.engine
    if found.role == "label" and isinstance(engine, Naming):
        known = engine.bearers(node.name, texts)
        if known is not None:
            for text, keys in known.items():
                ids[_folded(text)].update(keys)
            return _single(ids)
    for batch in _batches(texts, found.role):
        if found.role == "label":
            sql = nodes_named(node, batch, MOST_NODES)
        else:
            sql = nodes_beginning(node, batch, BEGINNING, MOST_NODES)
        for key, text in recording.read(sql):
            ids[_folded(text)].add(key)
    return _single(ids)


def _single(ids: dict[str, set[int]]) -> dict[str, int]:
    return {text: next(iter(each)) for text, each in ids.items() if len(each) == 1}


def _batches(texts: list[str], role: Role) -> Iterator[list[str]]:
    """Yield the texts (of long ones only the beginnings) in lists that fit into a statement."""
    batch: list[str] = []
    size = 0
    for text in texts:
        piece = text if role == "label" else text[:BEGINNING]
        if batch and (size + len(piece) > MOST_CHARACTERS or len(batch) >= 150):
            yield batch
            batch, size = [], 0
        batch.append(piece)
        size += 2 * len(piece) + 5
    if batch:
        yield batch


def _folded(text: object) -> str:
    return text.casefold() if isinstance(text, str) else ""
