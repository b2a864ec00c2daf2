"""What the executions of a plan found, node by node: names, and similarity to the question."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from moviegraph.engines.graph_reader import GraphReader, Ids, node_ids
from moviegraph.errors import MoviegraphError
from moviegraph.retrieval.recording import Key, Recording
from moviegraph.retrieval.road import query_vector


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
    are only names, and what cannot be read is left out. `names` need not be read again.
    """
    by_kind: dict[str, list[int]] = defaultdict(list)
    for kind, node_id in keys:
        by_kind[kind].append(node_id)
    known: dict[Key, Gathered] = {}
    try:
        with recording.reader() as graph:
            for kind, numbers in by_kind.items():
                ids = graph.existing(kind, node_ids(numbers))
                similarities = _similarities(recording, graph, kind, ids)
                for node_id, name in _names(recording, graph, kind, ids, names).items():
                    known[kind, node_id] = Gathered(name, similarities.get(node_id))
    except MoviegraphError:
        pass
    return known


def _names(
    recording: Recording, graph: GraphReader, kind: str, ids: Ids, names: Mapping[Key, str]
) -> dict[int, str]:
    known = {key: names[kind, key] for key in ids.tolist() if (kind, key) in names}
    missing = node_ids([key for key in ids.tolist() if key not in known])
    table = recording.session.contract.node(kind)
    assert table is not None
    rows = graph.fetch(kind, missing, (table.label,)) if len(missing) else []
    return known | {key: row[0] for key, row in zip(missing.tolist(), rows, strict=True)}


def _similarities(
    recording: Recording, graph: GraphReader, kind: str, ids: Ids
) -> dict[int, float]:
    if not len(ids):
        return {}
    try:
        vector = query_vector(recording.session, recording.query)
    except MoviegraphError:
        return {}
    ranked = graph.nearest(kind, vector, len(ids), graph.only(ids))
    return dict(zip(ranked.ids.tolist(), (1 - ranked.values).tolist(), strict=True))
