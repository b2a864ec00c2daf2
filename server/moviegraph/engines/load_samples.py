"""The choice of the records that examples for clients name: linked ones, with plain names."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Connection, Contract
from moviegraph.contract.samples import PLAIN_NAME, Record, SampleLink, Samples

if TYPE_CHECKING:
    from moviegraph.engines.graph_records import NodeColumns

MAX_TRIED = 2_000  # nodes whose name is looked at, those with most edges first
MAX_VALUE_CHARS = 40
Places = NDArray[np.int64]


def sample_link(
    contract: Contract, pair: Connection, starts: "NodeColumns", ends: "NodeColumns", edges: Places
) -> SampleLink | None:
    """Return an edge of a pair of node tables between nodes with plain names, if there is one.

    Args:
        contract: The contract.
        pair: The pair.
        starts: The nodes of the table that the edges leave.
        ends: The nodes of the other table.
        edges: The ids of both ends, a row each.
    """
    if not len(edges):
        return None
    if pair.from_table != contract.nodes[0].name == pair.to_table:
        starts, ends, edges = ends, starts, edges[:, ::-1]
    of, to = (np.searchsorted(n.ids, edges[:, at]) for at, n in enumerate((starts, ends)))
    degrees, shared = np.bincount(of), np.bincount(to)
    linked = np.unique(of[shared[to] > 1]) if (shared > 1).any() else np.unique(of)
    record = _plain(starts, linked[np.argsort(-degrees[linked], kind="stable")])
    targets = np.unique(to[of == record])
    end = _plain(ends, targets[np.argsort(-shared[targets], kind="stable")])
    others = np.unique(of[(to == end) & (of != record)])
    others = others[np.argsort(-degrees[others], kind="stable")]
    return SampleLink(
        pair.name,
        starts.table.name,
        _record(starts, record),
        ends.table.name,
        _record(ends, end),
        _record(starts, _plain(starts, others)) if len(others) else None,
    )


def samples_of(
    nodes: Sequence["NodeColumns"], links: Iterable[SampleLink | None], *, has_vectors: bool
) -> Samples:
    """Return the samples of a graph: those of links first, for a kind without one its first."""
    found = [link for link in links if link is not None]
    records: dict[str, tuple[Record, ...]] = {}
    values: dict[str, dict[str, str]] = {}
    for columns in nodes:
        kind = columns.table.name
        chosen = [*dict.fromkeys(_of_kind(kind, found))]
        for place in range(min(len(columns.ids), MAX_TRIED)):
            if len(chosen) < 2 and PLAIN_NAME.fullmatch(columns.names[place]):
                chosen = [*dict.fromkeys((*chosen, _record(columns, place)))]
        if not chosen and len(columns.ids):
            chosen = [_record(columns, 0)]
        if chosen:
            place = int(np.searchsorted(columns.ids, chosen[0][0]))
            cells = ((name, texts[place]) for name, texts in columns.extras.items())
            records[kind] = tuple(chosen[:2])
            values[kind] = {n: text for n, text in cells if text and len(text) <= MAX_VALUE_CHARS}
    return Samples(records, values, tuple(found), has_vectors)


def _of_kind(kind: str, links: Iterable[SampleLink]) -> Iterator[Record]:
    for link in links:
        if link.kind == kind:
            yield link.record
            if link.other:
                yield link.other
        if link.end_kind == kind:
            yield link.end


def _plain(columns: "NodeColumns", places: Places) -> int:
    """Return the first of some places whose name is plain, else the first one."""
    tried: list[int] = places[:MAX_TRIED].tolist()
    return next((at for at in tried if PLAIN_NAME.fullmatch(columns.names[at])), tried[0])


def _record(columns: "NodeColumns", place: int) -> Record:
    return int(columns.ids[place]), columns.names[place]
