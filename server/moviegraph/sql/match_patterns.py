"""Graph patterns of MATCH as records, and the hops that a contract allows."""

from collections.abc import Iterable
from dataclasses import dataclass

from moviegraph.contract.model import Contract

GRAPH_PATH = "__GRAPH_PATH"


@dataclass(frozen=True, slots=True)
class Step:
    """One hop: through an edge alias to a node alias.

    `forward` is node-(edge)->next; otherwise node<-(edge)-next. `last` is LAST_NODE(node).
    """

    edge: str
    node: str
    forward: bool
    last: bool = False


@dataclass(frozen=True, slots=True)
class Chain:
    """A node alias and the hops from it: `m-(e)->t<-(f)-n`; `last` is LAST_NODE(start)."""

    start: str
    steps: tuple[Step, ...]
    last: bool = False

    def hops(self) -> tuple[tuple[str, str, str], ...]:
        """Return each hop as (edge, from node, to node), along the edge's own direction."""
        return _hops(self.start, self.steps)

    def sql(self) -> str:
        """Render as T-SQL."""
        return _node_sql(self.start, last=self.last) + _steps_sql(self.steps)


@dataclass(frozen=True, slots=True)
class ShortestPath:
    """Repetitions of one unit of steps from an anchor: `SHORTEST_PATH(a(-(e)->t<-(f)-b)+)`.

    The steps go away from the anchor, which is also the order of the path.

    Attributes:
        start: The alias of the anchor; it is no part of what is repeated.
        steps: The hops of one repetition; the last step's node is the last node of the path.
        most: The n of {1,n}, or None for +.
        last: Whether the anchor is LAST_NODE(start).
    """

    start: str
    steps: tuple[Step, ...]
    most: int | None = None
    last: bool = False

    @property
    def end(self) -> str:
        """The alias whose last node is where the path ends."""
        return self.steps[-1].node

    def hops(self) -> tuple[tuple[str, str, str], ...]:
        """Return the hops of the first repetition, along the direction of each edge."""
        return _hops(self.start, self.steps)

    def sql(self) -> str:
        """Render as T-SQL."""
        times = "+" if self.most is None else f"{{1,{self.most}}}"
        anchor = _node_sql(self.start, last=self.last)
        return f"SHORTEST_PATH({anchor}({_steps_sql(self.steps)}){times})"


@dataclass(frozen=True, slots=True)
class SameLast:
    """LAST_NODE(left) = LAST_NODE(right): two paths that end at the same node."""

    left: str
    right: str

    def sql(self) -> str:
        """Render as T-SQL."""
        return f"{_node_sql(self.left, last=True)} = {_node_sql(self.right, last=True)}"


Pattern = Chain | ShortestPath | SameLast


@dataclass(frozen=True, slots=True)
class Match:
    """The patterns of one MATCH predicate, joined by AND, in the order written."""

    patterns: tuple[Pattern, ...]

    @property
    def chains(self) -> tuple[Chain, ...]:
        """The plain chains."""
        return tuple(pattern for pattern in self.patterns if isinstance(pattern, Chain))

    @property
    def paths(self) -> tuple[ShortestPath, ...]:
        """The shortest paths."""
        return tuple(pattern for pattern in self.patterns if isinstance(pattern, ShortestPath))

    @property
    def meetings(self) -> tuple[SameLast, ...]:
        """The pairs of paths that end at one node."""
        return tuple(pattern for pattern in self.patterns if isinstance(pattern, SameLast))

    def sql(self) -> str:
        """Render as T-SQL, every alias bracketed."""
        return f"MATCH({' AND '.join(pattern.sql() for pattern in self.patterns)})"


def paths_in_order(paths: Iterable[ShortestPath]) -> list[ShortestPath]:
    """Return paths so that each comes after the one whose last node it starts from.

    Those that would start where they end themselves are omitted.
    """
    visited: set[str] = set()
    waiting, ordered = list(paths), list[ShortestPath]()
    while ready := [p for p in waiting if not p.last or p.start.lower() in visited]:
        visited |= {path.end.lower() for path in ready}
        waiting = [path for path in waiting if path not in ready]
        ordered += ready
    return ordered


def bracket(name: str) -> str:
    """Return a T-SQL delimited identifier."""
    return "[" + name.replace("]", "]]") + "]"


def _hops(start: str, steps: tuple[Step, ...]) -> tuple[tuple[str, str, str], ...]:
    hops: list[tuple[str, str, str]] = []
    node = start
    for step in steps:
        ends = (node, step.node) if step.forward else (step.node, node)
        hops.append((step.edge, *ends))
        node = step.node
    return tuple(hops)


def _node_sql(name: str, *, last: bool = False) -> str:
    return f"LAST_NODE({bracket(name)})" if last else bracket(name)


def _arrow_sql(edge: str, *, forward: bool) -> str:
    return f"-({bracket(edge)})->" if forward else f"<-({bracket(edge)})-"


def _steps_sql(steps: tuple[Step, ...]) -> str:
    return "".join(
        _arrow_sql(step.edge, forward=step.forward) + _node_sql(step.node, last=step.last)
        for step in steps
    )


@dataclass(frozen=True, slots=True)
class Hop:
    """One step: through an edge table, with or against its direction, to a kind of node."""

    edge: str
    forward: bool
    kind: str


def hops_from(contract: Contract, kind: str, edge: str | None = None) -> tuple[Hop, ...]:
    """Return the hops that leave a kind of node, through one edge table or any."""
    hops: list[Hop] = []
    for connection in contract.connections_of(kind):
        if edge is not None and connection.name != edge:
            continue
        if connection.from_table == kind:
            hops.append(Hop(connection.name, forward=True, kind=connection.to_table))
        if connection.to_table == kind:
            hops.append(Hop(connection.name, forward=False, kind=connection.from_table))
    return tuple(hops)
