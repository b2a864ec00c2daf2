"""How good the executions of one plan are: computed from their rows, never guessed.

    score = 0.60 * similarity + 0.25 * agreement + 0.15 * fill

`similarity` is the mean similarity of an execution's distinct nodes to the question, from 0 to 1:
1 minus the cosine distance between the question's embedding and the stored vector. `agreement` is
the share of its nodes that another execution found too, `novelty` the share that no other found.
`fill` is the number of rows over the number that a result lists. What cannot be had (no vectors,
rows that are no nodes) counts 0.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from moviegraph.engines.retrieval_primitives import GraphReader, Ids, node_ids
from moviegraph.errors import MoviegraphError
from moviegraph.query.name_resolver import node_names
from moviegraph.query.query_pipeline import query_vector
from moviegraph.query.query_pipeline import CallRecorder
from moviegraph.query.query_pipeline import Key
from moviegraph.query.query_pipeline import ToolOutput
from moviegraph.text import plural

SIMILARITY, AGREEMENT, FILL = 0.60, 0.25, 0.15


@dataclass(frozen=True, slots=True)
class Quality:
    """Facts about one execution, and the score that ranks it."""

    rows: int
    nodes: int
    similarity: float | None
    agreement: float
    novelty: float
    score: float

    def as_dict(self) -> dict[str, Any]:
        """Return the members as plain values."""
        return asdict(self)


def measure(
    rows: Sequence[int],
    node_sets: Sequence[frozenset[Key]],
    similarities: Mapping[Key, float],
    top: int,
) -> list[Quality]:
    """Return the quality of each execution of a plan.

    Args:
        rows: Number of rows of each.
        node_sets: Distinct nodes of each.
        similarities: Similarity of nodes to the question, as far as known.
        top: Number of rows that a result lists.
    """
    finders = Counter(key for nodes in node_sets for key in nodes)
    return [
        _quality(count, nodes, finders, similarities, top)
        for count, nodes in zip(rows, node_sets, strict=True)
    ]


def _quality(
    rows: int,
    nodes: frozenset[Key],
    finders: Counter[Key],
    similarities: Mapping[Key, float],
    top: int,
) -> Quality:
    similar = [max(0.0, similarities[key]) for key in nodes if key in similarities]
    mean = sum(similar) / len(similar) if similar else None
    shared = sum(finders[key] > 1 for key in nodes)
    agreement = shared / len(nodes) if nodes else 0.0
    fill = min(1.0, rows / top)
    score = SIMILARITY * (mean or 0.0) + AGREEMENT * agreement + FILL * fill
    return Quality(
        rows=rows,
        nodes=len(nodes),
        similarity=None if mean is None else round(mean, 4),
        agreement=round(agreement, 4),
        novelty=round(1 - agreement, 4) if nodes else 0.0,
        score=round(score, 4),
    )


@dataclass(frozen=True, slots=True)
class StrategyNode:
    """A node: its name, and its similarity to the question (None: it has no vector)."""

    name: str
    similarity: float | None


def gather(
    recording: CallRecorder, keys: Iterable[Key], names: Mapping[Key, str]
) -> Mapping[Key, StrategyNode]:
    """Return names and similarities of nodes; they are compared with the text of the recording.

    What makes this fail (no vectors, no time left) makes nothing else fail: without vectors there
    are only names, and what cannot be read is left out. `names` need not be read again.
    """
    nodes_by_key: dict[Key, StrategyNode] = {}
    try:
        with recording.reader() as graph:
            for kind, ids in _existing(graph, keys):
                similarities = _similarities(recording, graph, kind, ids, recording.query)
                for node_id, name in _names(recording, graph, kind, ids, names).items():
                    nodes_by_key[kind, node_id] = StrategyNode(name, similarities.get(node_id))
    except MoviegraphError:
        pass
    return nodes_by_key


def similarities_to(
    recording: CallRecorder, text: str | None, keys: Iterable[Key]
) -> Mapping[Key, float]:
    """Return the similarity to a text of each node that has a vector; none where that fails."""
    similarities: dict[Key, float] = {}
    with suppress(MoviegraphError), recording.reader() as graph:
        for kind, ids in _existing(graph, keys):
            by_id = _similarities(recording, graph, kind, ids, text)
            similarities |= {(kind, node_id): value for node_id, value in by_id.items()}
    return similarities


def _existing(graph: GraphReader, keys: Iterable[Key]) -> Iterator[tuple[str, Ids]]:
    """Yield the nodes that exist, kind by kind."""
    by_kind: dict[str, list[int]] = defaultdict(list)
    for kind, node_id in keys:
        by_kind[kind].append(node_id)
    for kind, numbers in by_kind.items():
        yield kind, graph.existing(kind, node_ids(numbers))


def _names(
    recording: CallRecorder, graph: GraphReader, kind: str, ids: Ids, names: Mapping[Key, str]
) -> dict[int, str]:
    known_names = {key: names[kind, key] for key in ids.tolist() if (kind, key) in names}
    missing = [key for key in ids.tolist() if key not in known_names]
    return known_names | node_names(graph, recording.session.contract, kind, missing)


def _similarities(
    recording: CallRecorder, graph: GraphReader, kind: str, ids: Ids, text: str | None
) -> dict[int, float]:
    if not len(ids):
        return {}
    try:
        vector = query_vector(recording.session, text)
    except MoviegraphError:
        return {}
    ranked = graph.nearest(kind, vector, len(ids), graph.only(ids))
    return dict(zip(ranked.ids.tolist(), (1 - ranked.values).tolist(), strict=True))


@dataclass(slots=True)
class Outcome:
    """One execution: what it found or why it failed; its nodes in order and names; its quality."""

    recording: CallRecorder
    output: ToolOutput | None = None
    error: Exception | None = None
    keys: list[Key] = field(default_factory=list[Key])
    names: dict[Key, str] = field(default_factory=dict[Key, str])
    quality: Quality | None = None

    @property
    def status(self) -> Literal["ok", "empty", "failed"]:
        """Whether it found rows, found none, or failed."""
        if self.output is None:
            return "failed"
        return "ok" if self.output.rows else "empty"

    @property
    def row_count(self) -> int:
        """How many rows it found."""
        return len(self.output.rows) if self.output is not None else 0

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the execution, each remark once."""
        notes = self.output.notes if self.output is not None else ()
        return tuple(dict.fromkeys((*self.recording.notes, *notes)))

    @property
    def summary(self) -> str:
        """One short phrase for progress."""
        if self.output is None:
            return "failed"
        repaired = " after a repair" if self.output.changes else ""
        return f"{plural(self.row_count, 'row')}{repaired}"
