"""Routes: sequences of edge tables that the contract allows, walked both ways."""

from collections.abc import Iterator
from dataclasses import dataclass

from moviegraph.contract.model import Contract


@dataclass(frozen=True, slots=True)
class Hop:
    """One step: through an edge table, with or against its direction, to a kind of node."""

    edge: str
    forward: bool
    kind: str


@dataclass(frozen=True, slots=True)
class Route:
    """A kind of node to start from, and the hops away from it.

    In a statement the start is `s`, the end `n`, the nodes between are n1, n2, ... and the edges
    e1, e2, ...
    """

    start: str
    hops: tuple[Hop, ...]

    @property
    def end(self) -> str:
        """The kind of node that the route leads to."""
        return self.hops[-1].kind if self.hops else self.start

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kind of every node on the way, ends included."""
        return (self.start, *(hop.kind for hop in self.hops))

    @property
    def nodes(self) -> tuple[str, ...]:
        """The alias of every node on the way."""
        return ("s", *(f"n{i}" for i in range(1, len(self.hops))), "n")

    def then(self, hop: Hop) -> "Route":
        """Return the route with one more hop."""
        return Route(self.start, (*self.hops, hop))

    def source(self) -> str:
        """Return the FROM list; MATCH wants its tables between commas."""
        tables = [f"{self.start} AS s"]
        for number, (hop, alias) in enumerate(zip(self.hops, self.nodes[1:], strict=True), 1):
            tables += [f"{hop.edge} AS e{number}", f"{hop.kind} AS {alias}"]
        return ", ".join(tables)

    def pattern(self) -> str:
        """Return the MATCH predicate."""
        text = "s"
        for number, (hop, alias) in enumerate(zip(self.hops, self.nodes[1:], strict=True), 1):
            text += f"-(e{number})->{alias}" if hop.forward else f"<-(e{number})-{alias}"
        return f"MATCH({text})"


def hops_from(contract: Contract, kind: str, edge: str | None = None) -> tuple[Hop, ...]:
    """Return the hops that leave a kind of node, through one edge table or any."""
    found: list[Hop] = []
    for each in contract.connections_of(kind):
        if edge is not None and each.name != edge:
            continue
        if each.from_table == kind:
            found.append(Hop(each.name, forward=True, kind=each.to_table))
        if each.to_table == kind:
            found.append(Hop(each.name, forward=False, kind=each.from_table))
    return tuple(found)


def routes_through(contract: Contract, start: str, edges: tuple[str, ...]) -> tuple[Route, ...]:
    """Return the routes that take these edge tables in turn.

    There are none where an edge table does not touch the kind reached before it, and several where
    one joins nodes of the same kind and can be walked either way.
    """
    routes = [Route(start, ())]
    for edge in edges:
        routes = [r.then(hop) for r in routes for hop in hops_from(contract, r.end, edge)]
    return tuple(routes)


def routes_between(contract: Contract, start: str, end: str, length: int) -> Iterator[Route]:
    """Yield the routes of a length from one kind to another."""
    yield from _extended(contract, Route(start, ()), end, length)


def _extended(contract: Contract, route: Route, end: str, left: int) -> Iterator[Route]:
    if left == 0:
        if route.end == end:
            yield route
        return
    for hop in hops_from(contract, route.end):
        yield from _extended(contract, route.then(hop), end, left - 1)
