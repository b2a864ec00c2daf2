"""Records of the data that examples for clients name: the load chooses and stores them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

PLAIN_NAME = re.compile(r"[^\W\d_][\w .,!?&-]{1,37}[\w.!?]")
"""A name that needs no quoting in an example, and is short enough for one."""

Record = tuple[int, str]  # id and name
ENDS = ("record", "end", "other")


@dataclass(frozen=True, slots=True)
class SampleLink:
    """Two nodes that an edge links, and another of the first one's kind that shares the second.

    Attributes:
        edge: The edge table.
        kind: The kind of `record` and `other`; the contract's first kind if the edge touches it.
        record: A node with many edges.
        end_kind: The kind of `end`.
        end: What the record is linked to.
        other: Another node that is linked to it; None if there is none.
    """

    edge: str
    kind: str
    record: Record
    end_kind: str
    end: Record
    other: Record | None = None


@dataclass(frozen=True, slots=True)
class Samples:
    """Nodes that examples name.

    Attributes:
        records: By kind up to two nodes, well-linked ones first.
        values: By kind and column the value, as text, of the first of them.
        links: For each pair of an edge table that has edges.
        has_vectors: Whether nodes have vectors, so that examples may search by meaning.
    """

    records: Mapping[str, tuple[Record, ...]] = field(default_factory=dict[str, tuple[Record, ...]])
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, dict[str, str]])
    links: tuple[SampleLink, ...] = ()
    has_vectors: bool = True

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Return the samples that `asdict` made, after JSON. Raises KeyError, TypeError."""
        records = {
            kind: tuple((key, name) for key, name in nodes)
            for kind, nodes in record["records"].items()
        }
        links: list[dict[str, Any]] = [
            {**link, **{end: link[end] and tuple(link[end]) for end in ENDS}}
            for link in record["links"]
        ]
        edges = tuple(SampleLink(**link) for link in links)
        return cls(records, record["values"], edges, record["has_vectors"])


NO_SAMPLES = Samples()
