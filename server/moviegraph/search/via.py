"""Paths of a traversal as text, with what a caller needs to cite their nodes, and as steps."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from moviegraph.contract.model import Contract
from moviegraph.engines.retrieval_primitives import GraphReader, node_ids
from moviegraph.query.names import node_table
from moviegraph.query.rows import PathStep
from moviegraph.search.edge_conditions import Step, StepEdges
from moviegraph.search.walks import Path


@dataclass(frozen=True, slots=True)
class PathNode:
    """A node on a path: its name, and the text that identifies it.

    Name, what tells it apart, and its source key or id: Dune (1984) #12. Where no text shows it,
    name and id.
    """

    name: str
    label: str


Nodes = Mapping[tuple[str, int], PathNode]


def nodes_along(
    graph: GraphReader, contract: Contract, paths: Iterable[Path], *, by_start: bool
) -> Nodes:
    """Return every node on some paths, by kind and id; what tells them apart if `via` shows it."""
    ids_by_kind: dict[str, set[int]] = defaultdict(set)
    shown: set[str] = set()
    for path in paths:
        kinds = path.route.kinds
        shown.update(kinds if by_start or not path.route.returns else kinds[1:2])
        for kind, node_id in zip(kinds, path.ids, strict=True):
            ids_by_kind[kind].add(node_id)
    nodes: dict[tuple[str, int], PathNode] = {}
    for kind, ids in ids_by_kind.items():
        node, ascending = node_table(contract, kind), node_ids(list(ids))
        columns = {"name": node.label}
        if kind in shown:
            columns |= {"year": node.disambiguated_by, "key": node.source_key}
        fetched = {role: name for role, name in columns.items() if name}
        rows = graph.fetch(kind, ascending, tuple(fetched.values()))
        for node_id, row in zip(ascending.tolist(), rows, strict=True):
            values = dict(zip(fetched, row, strict=True))
            name = values["name"] or ""
            year = f" ({values['year']})" if values.get("year") is not None else ""
            label = f"{name}{year} #{values.get('key') or node_id}"
            nodes[kind, node_id] = PathNode(name, label)
    return nodes


def steps_of(path: Path, nodes: Nodes) -> tuple[PathStep, ...]:
    """Return the nodes that a path passes, each with the edge that leads to it."""
    kinds = path.route.kinds
    start = PathStep(kinds[0], path.ids[0], nodes[kinds[0], path.ids[0]].name, None, None)
    following = (
        PathStep(hop.kind, node_id, nodes[hop.kind, node_id].name, hop.edge, hop.forward)
        for hop, node_id in zip(path.route.hops, path.ids[1:], strict=True)
    )
    return (start, *following)


def via(
    paths: Sequence[Path],
    nodes: Nodes,
    shared: Mapping[str, int],
    edges: Mapping[Step, StepEdges],
    *,
    by_start: bool,
) -> str:
    """Return the paths to one node as text.

    Paths of two hops back to the kind of the start are described by what is shared, with its kind;
    `shared` counts it where more is shared than the paths show. All other paths are written out.

    Args:
        paths: The paths.
        nodes: Their nodes.
        shared: How many nodes of each kind are shared.
        edges: The edges of their steps, where they have values.
        by_start: Whether what is shared is stated for each start: some starts have one name.
    """
    between: dict[tuple[str, str], dict[tuple[str, int], str]] = {}
    texts: list[str] = []
    for path in paths:
        if not path.route.returns:
            texts.append(_with_arrows(path, nodes, edges))
            continue
        middle = (path.route.kinds[1], path.ids[1])
        start = f"{nodes[path.route.start, path.ids[0]].label}: " if by_start else ""
        of_group = between.setdefault((start, middle[0]), {})
        of_group.setdefault(middle, nodes[middle].label + _values_around(path, edges))
    groups = [
        start + _group(kind, list(labels.values()), 0 if by_start else shared.get(kind, 0))
        for (start, kind), labels in between.items()
    ]
    return "; ".join([*groups, *texts])


def _group(kind: str, labels: Sequence[str], count: int) -> str:
    """Return what of one kind is shared, with the number of those that are not named."""
    more = [f"(+{count - len(labels)})"] if count > len(labels) else []
    return f"{kind}: {' '.join([', '.join(labels), *more]).strip()}"


def _values_around(path: Path, edges: Mapping[Step, StepEdges]) -> str:
    """Return the values of both edges of a path of two hops: [Amount 2; Amount 5]."""
    texts = [str(found).strip(": ") for step in _steps(path) if (found := edges.get(step))]
    return f" [{'; '.join(texts)}]" if any(texts) else ""


def _with_arrows(path: Path, nodes: Nodes, edges: Mapping[Step, StepEdges]) -> str:
    text = nodes[path.route.start, path.ids[0]].label
    for step in _steps(path):
        _, hop, _, node_id = step
        edge = f"{hop.edge}{edges.get(step, '')}"
        arrow = f" -[{edge}]-> " if hop.forward else f" <-[{edge}]- "
        text += arrow + nodes[hop.kind, node_id].label
    return text


def _steps(path: Path) -> list[Step]:
    route = path.route
    return list(zip(route.kinds, route.hops, path.ids, path.ids[1:], strict=False))
