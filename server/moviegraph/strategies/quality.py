"""How good the executions of one plan are: computed from their rows, never guessed.

    score = 0.60 * similarity + 0.25 * agreement + 0.15 * fill

`similarity` is the mean similarity of an execution's distinct nodes to the question, from 0 to 1:
1 minus the cosine distance between the question's embedding and the stored vector. `agreement` is
the share of its nodes that another execution found too, `novelty` the share that no other found.
`fill` is the number of rows over the number that a result lists. What cannot be had (no vectors,
rows that are no nodes) counts 0.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from moviegraph.retrieval.recording import Key

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
    found: Sequence[frozenset[Key]],
    similarities: Mapping[Key, float],
    top: int,
) -> list[Quality]:
    """Return the quality of each execution of a plan.

    Args:
        rows: Number of rows of each.
        found: Distinct nodes of each.
        similarities: Similarity of nodes to the question, as far as known.
        top: Number of rows that a result lists.
    """
    finders = Counter(key for nodes in found for key in nodes)
    return [
        _quality(count, nodes, finders, similarities, top)
        for count, nodes in zip(rows, found, strict=True)
    ]


def _quality(
    rows: int,
    nodes: frozenset[Key],
    finders: Counter[Key],
    similarities: Mapping[Key, float],
    top: int,
) -> Quality:
    known = [max(0.0, similarities[key]) for key in nodes if key in similarities]
    mean = sum(known) / len(known) if known else None
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
