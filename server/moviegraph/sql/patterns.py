"""Graph patterns of MATCH as records."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """One hop of a chain: through an edge alias to a node alias.

    `forward` is node-(edge)->next; otherwise node<-(edge)-next.
    """

    edge: str
    node: str
    forward: bool


@dataclass(frozen=True, slots=True)
class Chain:
    """A node alias and the hops from it: `m-(e)->t<-(f)-n`."""

    start: str
    steps: tuple[Step, ...]

    def hops(self) -> tuple[tuple[str, str, str], ...]:
        """Return each hop as (edge, from node, to node), along the edge's own direction."""
        found: list[tuple[str, str, str]] = []
        here = self.start
        for step in self.steps:
            ends = (here, step.node) if step.forward else (step.node, here)
            found.append((step.edge, *ends))
            here = step.node
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Match:
    """The chains of one MATCH predicate, joined by AND."""

    chains: tuple[Chain, ...]

    def sql(self) -> str:
        """Render as T-SQL, every alias bracketed."""
        return f"MATCH({' AND '.join(_chain_sql(chain) for chain in self.chains)})"


def bracket(name: str) -> str:
    """Return a T-SQL delimited identifier."""
    return "[" + name.replace("]", "]]") + "]"


def _chain_sql(chain: Chain) -> str:
    text = bracket(chain.start)
    for step in chain.steps:
        edge = bracket(step.edge)
        arrow = f"-({edge})->" if step.forward else f"<-({edge})-"
        text += arrow + bracket(step.node)
    return text
