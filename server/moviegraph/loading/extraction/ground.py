"""What folding stands on: the loaded nodes and edges, by what they are looked up with."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.loading.extraction.names import normal_form, without_brackets

Key = tuple[str, int]
Scope = tuple[str, int]


class Ground:
    """The loaded graph, seen from the nodes whose texts name others; it may grow.

    Args:
        table: The kind of what names.
        nodes: All loaded nodes.
        edges: All loaded edges.
        contract: The tables.
    """

    def __init__(
        self,
        table: NodeTable,
        nodes: Iterable[NodeRecord],
        edges: Iterable[EdgeRecord],
        contract: Contract,
    ) -> None:
        self.table = table
        self.contract = contract
        self.nodes: dict[Key, NodeRecord] = {}
        self.edges: dict[EdgeRecord, None] = {}
        leading = contract.targets_from(table.name)
        self._pairs = {name: place for name, (place, _) in leading.items()}
        self._targets = {
            name: target
            for name, (_, edge) in leading.items()
            if (target := contract.node(edge.to_table)) is not None
        }
        self._reached: dict[Key, set[int]] = defaultdict(set)
        self.add(nodes, edges)

    def add(self, nodes: Iterable[NodeRecord], edges: Iterable[EdgeRecord]) -> None:
        """Take nodes and edges up."""
        self.nodes.update({(node.kind, node.id): node for node in nodes})
        for edge in edges:
            if edge.kind in self._targets and edge.pair == self._pairs[edge.kind]:
                self.edges[edge] = None
                self._reached[edge.kind, edge.source].add(edge.target)

    def source(self, key: int) -> NodeRecord | None:
        """Return a node that names others."""
        return self.nodes.get((self.table.name, key))

    def target(self, edge: str) -> NodeTable | None:
        """Return the kind that an edge leads to from what names, if it does."""
        return self._targets.get(edge)

    def edge(self, edge: str, source: int, target: int) -> EdgeRecord:
        """Return an edge from what names to what is named."""
        return EdgeRecord(edge, source, target, self._pairs.get(edge, 0))

    def reached(self, edge: str, source: int) -> frozenset[int]:
        """Return the ids that an edge table leads to from a node."""
        return frozenset(self._reached.get((edge, source), ()))

    def scopes(self, table: NodeTable, source: int) -> list[Scope]:
        """Return where the names of a kind hold for a node: in itself, and in what it belongs to.

        A scope is an edge table and the id that it leads to; for the node itself the edge is "".
        """
        return [
            ("", source),
            *(
                (edge, target)
                for edge in table.named_within or ()
                for target in sorted(self.reached(edge, source))
            ),
        ]

    def linked(self, table: NodeTable) -> Mapping[int, set[int]]:
        """Return what names the nodes of a kind, by the id of the node."""
        found: dict[int, set[int]] = defaultdict(set)
        for (edge, source), targets in self._reached.items():
            if self._targets[edge].name == table.name:
                for target in targets:
                    found[target].add(source)
        return found

    def of_kind(self, table: NodeTable) -> list[NodeRecord]:
        """Return the nodes of a kind, by id."""
        return sorted(
            (node for (kind, _), node in self.nodes.items() if kind == table.name),
            key=lambda node: node.id,
        )

    def by_name(self, table: NodeTable) -> dict[str, list[NodeRecord]]:
        """Return the nodes of a kind by normal form.

        Where names are shared, what stands in brackets behind one is no part of it.
        """
        found: dict[str, list[NodeRecord]] = defaultdict(list)
        for node in self.of_kind(table):
            shared = table.named_within is not None
            found[normal_form(without_brackets(node.name) if shared else node.name)].append(node)
        return found

    def aliases(self, table: NodeTable) -> dict[str, str]:
        """Return the names that the glossary gives to nodes of a kind, by other name."""
        return {
            normal_form(each.alias): each.name
            for each in self.contract.glossary.aliases
            if each.kind.lower() == table.name.lower()
        }
