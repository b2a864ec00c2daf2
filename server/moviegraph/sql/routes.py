"""Hops: single steps of a traversal along edge tables that the contract allows, both ways."""

from dataclasses import dataclass

from moviegraph.contract.model import Contract


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
