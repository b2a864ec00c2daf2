"""The nodes that lists name: each is the node of that name in the source, or a new one."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from unicodedata import normalize

from moviegraph.loading.ids import Key
from moviegraph.loading.rows import End, Node

NamedEdge = tuple[str, End, End]


def folded(name: str) -> str:
    """Return a name as it is compared: without regard to case, spaces and composed signs."""
    return " ".join(normalize("NFC", name).split()).casefold()


class Concepts:
    """Names and the edges to them, until all nodes of the source are known."""

    def __init__(self) -> None:
        self._named: dict[tuple[str, str], Node] = {}
        self._edges: dict[tuple[str, End, tuple[str, str], bool], None] = {}

    def add(self, edge: str, row: End, node: Node, *, outgoing: bool) -> None:
        """Keep what a row names.

        Args:
            edge: The edge table.
            row: Kind and id of the row.
            node: What is named, as it is where the source has no node of that name.
            outgoing: Whether the edge leads from the row.
        """
        name = node.table.name, folded(node.name)
        self._named.setdefault(name, node)
        self._edges[edge, row, name, outgoing] = None

    def settle(self, nodes: Mapping[str, dict[Key, Node]]) -> Iterator[NamedEdge]:
        """Add the nodes that the source lacks, and yield the edges to all."""
        ends = self._ends(nodes)
        for edge, row, name, outgoing in self._edges:
            yield (edge, row, ends[name]) if outgoing else (edge, ends[name], row)

    def _ends(self, nodes: Mapping[str, dict[Key, Node]]) -> dict[tuple[str, str], End]:
        known: dict[tuple[str, str], Key] = {}
        for kind in {kind for kind, _ in self._named}:
            for node in nodes[kind].values():
                known.setdefault((kind, folded(node.name)), node.key)
        found: dict[tuple[str, str], End] = {}
        for name, node in self._named.items():
            of_kind = nodes[name[0]]
            if name not in known:
                known[name] = _free(node.key, of_kind)
                of_kind[known[name]] = replace(node, key=known[name])
            found[name] = name[0], known[name]
        return found


def _free(key: Key, nodes: Mapping[Key, Node]) -> Key:
    """Return an id that no node of another name has."""
    while key in nodes:
        key = f"name {key}"
    return key
