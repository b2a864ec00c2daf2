"""Paths as a result shows them: their names, the column Via, and their steps for the view."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from moviegraph.contract.model import Contract
from moviegraph.engines.graph_reader import GraphReader, node_ids
from moviegraph.query.session import Step
from moviegraph.search.walks import Path

Names = Mapping[tuple[str, int], str]


def names_along(graph: GraphReader, contract: Contract, paths: Iterable[Path]) -> Names:
    """Return the name of every node on some paths, by kind and id."""
    wanted: dict[str, set[int]] = defaultdict(set)
    for path in paths:
        for kind, node_id in zip(path.route.kinds, path.ids, strict=True):
            wanted[kind].add(node_id)
    names: dict[tuple[str, int], str] = {}
    for kind, numbers in wanted.items():
        node = contract.node(kind)
        assert node is not None
        ids = node_ids(list(numbers))
        rows = graph.fetch(kind, ids, (node.label,))
        for node_id, (name,) in zip(ids.tolist(), rows, strict=True):
            names[kind, node_id] = name or ""
    return names


def steps_of(path: Path, names: Names) -> tuple[Step, ...]:
    """Return the nodes that a path passes, each with the edge that leads to it."""
    kinds = path.route.kinds
    start = Step(kinds[0], path.ids[0], names[kinds[0], path.ids[0]], None, None)
    following = (
        Step(hop.kind, node_id, names[hop.kind, node_id], hop.edge, hop.forward)
        for hop, node_id in zip(path.route.hops, path.ids[1:], strict=True)
    )
    return (start, *following)


def via(paths: Sequence[Path], names: Names, shared: Mapping[str, int]) -> str:
    """Return the paths to one node as text.

    Paths of two hops back to the kind of the start are told by what is shared, with its kind;
    `shared` counts it where more is shared than the paths show. All other paths are written out.
    """
    between: dict[str, list[str]] = {}
    named: set[tuple[str, int]] = set()
    written: list[str] = []
    for path in paths:
        middle = (path.route.kinds[1], path.ids[1])
        if not path.route.returns:
            written.append(_with_arrows(path, names))
        elif middle not in named:
            named.add(middle)
            between.setdefault(middle[0], []).append(names[middle])
    for kind in shared:
        between.setdefault(kind, [])
    groups = [_group(kind, listed, shared.get(kind, 0)) for kind, listed in between.items()]
    return "; ".join([*groups, *written])


def _group(kind: str, names: Sequence[str], count: int) -> str:
    """Return what of one kind is shared, with the number of those that are not named."""
    more = [f"(+{count - len(names)})"] if count > len(names) else []
    return f"{kind}: {' '.join([', '.join(names), *more]).strip()}"


def _with_arrows(path: Path, names: Names) -> str:
    text = names[path.route.start, path.ids[0]]
    for hop, node_id in zip(path.route.hops, path.ids[1:], strict=True):
        arrow = f" -[{hop.edge}]-> " if hop.forward else f" <-[{hop.edge}]- "
        text += arrow + names[hop.kind, node_id]
    return text
