"""Walks: where ways begin and end, and one route of a walk as FROM and WHERE; the end is `n`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.sql.routes import Hop, Route
from moviegraph.sql.statements import edge_ends, id_list, literal


@dataclass(frozen=True, slots=True)
class Hubs:
    """The nodes that no way may pass, by kind; None stands for too many to list.

    `first` holds those next to a start, `later` all.
    """

    first: Mapping[str, tuple[int, ...] | None] = field(
        default_factory=dict[str, tuple[int, ...] | None]
    )
    later: Mapping[str, tuple[int, ...] | None] = field(
        default_factory=dict[str, tuple[int, ...] | None]
    )


@dataclass(frozen=True, slots=True)
class Walk:
    """Where ways begin, what they may not pass, and (where given) where they must end."""

    contract: Contract
    starts: tuple[int, ...]
    hubs: Hubs = field(default_factory=Hubs)
    ends: tuple[int, ...] | None = None

    def node(self, kind: str) -> NodeTable:
        """Return the node table of a kind that a route names."""
        found = self.contract.node(kind)
        assert found is not None
        return found

    def key(self, kind: str, alias: str) -> str:
        """Return the key column of a kind, as alias.column."""
        return f"{alias}.{self.node(kind).key}"

    def label(self, kind: str, alias: str) -> str:
        """Return the name column of a kind, as alias.column."""
        return f"{alias}.{self.node(kind).label}"


@dataclass(frozen=True, slots=True)
class Branch:
    """One route of a walk, as the parts of a SELECT."""

    walk: Walk
    route: Route

    @property
    def last(self) -> int:
        """The number of the last node on the way."""
        return len(self.route.hops)

    @property
    def keys(self) -> list[str]:
        """The key of every node on the way."""
        pairs = zip(self.route.kinds, self.route.nodes, strict=True)
        return [self.walk.key(kind, alias) for kind, alias in pairs]

    @property
    def end(self) -> str:
        """The key of the last node."""
        return self.keys[-1]

    @property
    def via(self) -> str:
        """The way as text: names, joined by the edges that were walked."""
        parts = [self.walk.label(self.route.start, "s")]
        for hop, alias in zip(self.route.hops, self.route.nodes[1:], strict=True):
            parts += [literal(_arrow(hop)), self.walk.label(hop.kind, alias)]
        return f"CONCAT({', '.join(parts)})"

    def clauses(self) -> str:
        """Return FROM and WHERE: no node twice, no start at the end, no hub between."""
        conditions = [self.route.pattern(), *self._at_the_ends(), *self._apart(), *self._hubless()]
        return f"FROM {self.route.source()}\n  WHERE {' AND '.join(conditions)}"

    def _at_the_ends(self) -> Iterator[str]:
        yield f"{self.keys[0]} IN {id_list(self.walk.starts)}"
        if self.walk.ends is not None:
            yield f"{self.end} IN {id_list(self.walk.ends)}"
        if self.route.start == self.route.end:
            yield f"{self.end} NOT IN {id_list(self.walk.starts)}"

    def _apart(self) -> Iterator[str]:
        """Yield that nodes of one kind differ; that the end is no start is said already."""
        keys, kinds = self.keys, self.route.kinds
        for i in range(len(keys)):
            for j in range(i + 1, len(keys)):
                if kinds[i] == kinds[j] and (i, j) != (0, self.last):
                    yield f"{keys[i]} <> {keys[j]}"

    def _hubless(self) -> Iterator[str]:
        """Yield that no node between start and end is a hub."""
        walk, keys = self.walk, self.keys
        for i in range(1, self.last):
            kind = self.route.kinds[i]
            hubs = (walk.hubs.first if i == 1 else walk.hubs.later).get(kind, ())
            if hubs is None:
                yield f"{keys[i]} NOT IN ({hub_keys(walk.contract, walk.node(kind))})"
            elif hubs:
                yield f"{keys[i]} NOT IN {id_list(hubs)}"


def hub_keys(contract: Contract, node: NodeTable) -> str:
    """Return the keys of the hubs of a kind, as a subquery."""
    return (
        f"SELECT c.Id FROM ({touching(contract, node)}) AS c GROUP BY c.Id "
        f"HAVING COUNT(*) > {contract.limits.hub_cut}"
    )


def touching(contract: Contract, node: NodeTable) -> str:
    """Return the key of a node once for each of its edges."""
    return " UNION ALL ".join(
        f"SELECT x.{node.key} AS Id FROM {node.name} AS x JOIN {edge} AS y ON y.{end} = x.$node_id"
        for edge, end in edge_ends(contract, node)
    )


def _arrow(hop: Hop) -> str:
    return f" -[{hop.edge}]-> " if hop.forward else f" <-[{hop.edge}]- "
