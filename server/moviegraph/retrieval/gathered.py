"""What the executions of a plan found, node by node: names, and similarity to the question."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from moviegraph.contract.model import NodeTable
from moviegraph.engines.base import Measuring
from moviegraph.errors import MoviegraphError
from moviegraph.retrieval.recording import Key, Recording
from moviegraph.retrieval.road import query_vector
from moviegraph.sql.statements import similarity

IDS_A_STATEMENT = 500


@dataclass(frozen=True, slots=True)
class Gathered:
    """A node: its name, and its similarity to the question (None: it has no vector)."""

    name: str
    similarity: float | None


def gather(
    recording: Recording, keys: Iterable[Key], names: Mapping[Key, str]
) -> Mapping[Key, Gathered]:
    """Return what is known of nodes; the text of the recording is what they are compared with.

    What makes this fail (no vectors, no time left) makes nothing else fail: without vectors there
    are names alone, and what cannot be read is left out. `names` need not be read again.
    """
    engine = recording.session.engine
    if not isinstance(engine, Measuring):
        return dict(_read(recording, keys))
    known = {key: names[key] for key in keys if key in names}
    unknown = [key for key in keys if key not in names]
    known |= {key: each.name for key, each in _read(recording, unknown, compared=False)}
    near = dict(_measured(recording, engine, known))
    return {key: Gathered(name, near.get(key)) for key, name in known.items()}


def _measured(
    recording: Recording, engine: Measuring, keys: Iterable[Key]
) -> Iterator[tuple[Key, float]]:
    try:
        vector = query_vector(recording.session, recording.query)
    except MoviegraphError:
        return
    for node, ids in _by_kind(recording, keys):
        for key, near in engine.similarities(node.name, ids, vector).items():
            yield (node.name, key), near


def _read(
    recording: Recording, keys: Iterable[Key], *, compared: bool = True
) -> Iterator[tuple[Key, Gathered]]:
    for node, ids in _by_kind(recording, keys):
        columns = ("NULL AS Similarity",)
        for wanted in (f"{similarity(node)} AS Similarity", *columns) if compared else columns:
            try:
                rows = recording.read(_statement(node, ids, wanted))
            except MoviegraphError:
                continue
            for key, name, near in rows:
                yield (node.name, key), Gathered(name, None if near is None else float(near))
            break


def _by_kind(
    recording: Recording, keys: Iterable[Key]
) -> Iterator[tuple[NodeTable, Sequence[int]]]:
    """Yield node tables with their ids, in lists that fit into a statement."""
    ids: dict[str, list[int]] = {}
    for kind, key in dict.fromkeys(keys):
        ids.setdefault(kind, []).append(key)
    for kind, listed in ids.items():
        node = recording.session.contract.node(kind)
        assert node is not None
        for start in range(0, len(listed), IDS_A_STATEMENT):
            yield node, listed[start : start + IDS_A_STATEMENT]


def _statement(node: NodeTable, ids: Sequence[int], wanted: str) -> str:
    """Return a statement that holds the ids as one text: judging a long list takes far longer."""
    listed = ",".join(str(int(each)) for each in ids)
    return (
        f"SELECT TOP ({len(ids)}) n.{node.key}, n.{node.label}, {wanted}\n"
        f"FROM {node.name} AS n WHERE n.{node.key} IN "
        f"(SELECT CAST(s.value AS INT) FROM STRING_SPLIT('{listed}', ',') AS s)"
    )
