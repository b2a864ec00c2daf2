"""The retrieval primitives of an engine, over which the fixed tools are written.

They work on arrays of node ids: keys of the contract's node tables, unique within a kind. Each
engine implements distances, full text, edges and conditions natively; ranking, fusion and evidence
are computed above, the same for every engine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.column_types import MAX_ID
from moviegraph.embeddings.embedder import Vector

if TYPE_CHECKING:  # sqlglot is slow to import
    from moviegraph.sql.decision import Allowed
    from moviegraph.sql.match_patterns import Hop

KIND_BITS = (
    MAX_ID.bit_length()
)  # the lower bits of a $node_id are the key; above is the number of its table
LOW = (1 << KIND_BITS) - 1
Ids = NDArray[np.int64]
Step = Literal["equal", "alias"]
SearchFunction = Literal["CONTAINS", "FREETEXT"]
FULLTEXT = get_args(SearchFunction)
Linked = Mapping[str, Ids]
"""Ends of edges: by kind some of its nodes, ascending, of which a node is linked to one or more."""


def node_ids(ids: Sequence[int]) -> Ids:
    """Return ids as an array, ascending and without duplicates."""
    return np.unique(np.array(ids, dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Nodes with a value each, best first; ties by id.

    `is_exact` is false where a vector index, which may miss a node, found them.
    """

    ids: Ids
    values: NDArray[np.float64]
    is_exact: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of nodes that edges join: those they were followed from, ascending, and those reached.

    A pair occurs once, however many edges of a table join it.
    """

    sources: Ids
    targets: Ids


@dataclass(frozen=True, slots=True, eq=False)
class SelectedIds:
    """A selection as ascending ids."""

    ids: Ids


@dataclass(frozen=True, slots=True, eq=False)
class SelectedRows:
    """A selection that the database computes: a validated SELECT of ids, and further conditions.

    Ids that are excluded are not in it, nor nodes without an edge to each entry of `linked`.
    """

    condition: str = ""
    excluded: Ids | None = None
    linked: tuple[Linked, ...] = ()

    @property
    def is_fulltext(self) -> bool:
        """Return whether full-text search is part of the condition."""
        return any(word in self.condition.upper() for word in FULLTEXT)


Selection = SelectedIds | SelectedRows
"""The nodes of one kind that a search may return, in the form that its engine prefers."""


class GraphReader(Protocol):
    """Reads one graph within one budget, in one snapshot.

    `among` restricts a search to a selection; None means all nodes.

    Every method may raise ExecutionError (the request cannot be answered; the message is fit for
    the model), QueryTimeoutError (out of time, or cancelled) and UnavailableError.
    """

    def select(
        self,
        kind: str,
        condition: "Allowed | None" = None,
        excluded: Ids | None = None,
        linked: Sequence[Linked] = (),
    ) -> Selection | None:
        """Return the nodes of a kind that satisfy all conditions; None for all nodes.

        Args:
            kind: A node table.
            condition: The guard's decision about `SELECT n.Key FROM kind AS n WHERE condition`.
            excluded: Ids that are omitted.
            linked: Entries, to each of which one edge, in either direction, must link a node.
        """
        ...

    def existing(self, kind: str, ids: Ids) -> Ids:
        """Return those of the ids that are nodes of a kind, in their order."""
        ...

    def only(self, ids: Ids) -> Selection:
        """Return the selection of these nodes."""
        ...

    def has_any(self, kind: str, among: Selection | None) -> bool:
        """Return whether any node is in a selection."""
        ...

    def keep(self, kind: str, ids: Ids, among: Selection | None) -> Ids:
        """Return those of the ids that are in the selection, in their order."""
        ...

    def nearest(self, kind: str, vector: Vector, k: int, among: Selection | None = None) -> Ranked:
        """Return the k nodes nearest to a vector by cosine distance, the nearest first.

        Exact, or by the database's vector index where it has one.
        """
        ...

    def matching(
        self,
        kind: str,
        text: str,
        k: int,
        among: Selection | None = None,
        *,
        function: SearchFunction = "CONTAINS",
    ) -> Ranked:
        """Return the k nodes whose searchable columns match, by rank from 1000 down to 0.

        `text` is a condition in the CONTAINS grammar, or words for FREETEXT.
        """
        ...

    def document_counts(self, kind: str, words: Sequence[str]) -> Mapping[str, int]:
        """Return for each word, in lower case, how many nodes of a kind contain it."""
        ...

    def named(self, kind: str, names: Sequence[str]) -> list[tuple[str, int, Step]]:
        """Return (requested name, id, step) of each node that has one of the names.

        "equal" without regard to case, accents, punctuation and spaces (`names.fold_name`), "alias"
        where an alias of the node is equal. A name that is equal is not looked up as an alias.
        """
        ...

    def names(self, kind: str) -> list[tuple[int, str, Step]]:
        """Return (id, name, "equal") of each node that has a name, and (id, alias, "alias").

        For kinds whose names fit in memory.
        """
        ...

    def keyed(self, kind: str, keys: Sequence[str]) -> list[tuple[str, int]]:
        """Return (source key, id) of each node whose source key is one of the texts.

        Without regard to case, so that several nodes may fit one text; none for a kind without
        source keys.
        """
        ...

    def aliases(self, kind: str) -> list[tuple[int, str]]:
        """Return (id, alias) for each alias of the nodes of a kind."""
        ...

    def names_with(self, kind: str, parts: Sequence[str], k: int) -> list[tuple[int, str]]:
        """Return id and name of the k nodes whose name contains most of the parts.

        Case is ignored; shorter names come first, then lower ids.
        """
        ...

    def neighbors(self, kind: str, hop: "Hop", ids: Ids, where: "Allowed | None" = None) -> Pairs:
        """Return the pairs that edges join from some nodes (ascending ids of a kind) along one hop.

        Args:
            kind: The kind of the nodes.
            hop: Edge table, direction and kind reached.
            ids: The nodes.
            where: The guard's decision about `SELECT s.Key AS Source, t.Key AS Target FROM kind
                AS s, edge AS e, hop.kind AS t WHERE MATCH(s-(e)->t) AND condition`, which one of
                the edges of a pair satisfies.
        """
        ...

    def spread(
        self,
        kind: str,
        hop: "Hop",
        ids: Ids,
        weights: NDArray[np.float64],
        k: int,
        among: Selection | None = None,
        where: "Allowed | None" = None,
    ) -> Ranked:
        """Return the k nodes reached along one hop with the largest sums of their weights.

        A pair of nodes counts once; `where` is as for `neighbors`.
        """
        ...

    def degrees(self, kind: str, ids: Ids) -> dict[str, NDArray[np.int64]]:
        """Return by edge table how many pairs each node is in; one of its own kind counts twice."""
        ...

    def rows(self, statement: "Allowed", limit: int) -> list[tuple[Any, ...]]:
        """Return at most so many rows of a statement of a tool that holds a caller's condition."""
        ...

    def fetch(self, kind: str, ids: Ids, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """Return columns of existing nodes, in the order of the ids."""
        ...

    def vectors(self, kind: str, ids: Ids) -> Vector:
        """Return the unit vectors of those of the nodes that have one: a matrix, a row each."""
        ...
