"""Folds the names of a kind in which different nodes may bear one name."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from moviegraph.contract.model import NodeTable
from moviegraph.engines.graph_records import NodeRecord
from moviegraph.loading.extraction.cluster import Cluster, Spelling, cluster_of_node, new_cluster
from moviegraph.loading.extraction.ground import Ground, Scope
from moviegraph.loading.extraction.names import normal_form


class SharedNames:
    """Where a name means one node: in the node that names it, and in what the contract adds.

    A name that the glossary gives aliases to, and a loaded node that nothing is joined to, are
    meant wherever the name occurs. An alias counts only beside the name that it stands for.
    """

    def __init__(self, table: NodeTable, ground: Ground, names: Sequence[Spelling]) -> None:
        self._table = table
        self._ground = ground
        self._loaded = ground.by_name(table)
        self._linked = ground.linked(table)
        self._aliases = {alias: normal_form(name) for alias, name in ground.aliases(table).items()}
        self._spelt = {normal_form(name): name for name in ground.aliases(table).values()}
        self._present = self._presence(names)

    def clusters(self, names: Iterable[Spelling]) -> Iterator[Cluster]:
        """Yield the clusters of the kind."""
        by_name: dict[str, list[Spelling]] = defaultdict(list)
        for spelling in names:
            by_name[self._meant(spelling)].append(spelling)
        for normal, found in sorted(by_name.items()):
            yield from self._of_name(normal, found)

    def _scopes(self, source: int) -> list[Scope]:
        return self._ground.scopes(self._table, source)

    def _presence(self, names: Iterable[Spelling]) -> Mapping[Scope, set[str]]:
        present: dict[Scope, set[str]] = defaultdict(set)
        for spelling in names:
            for scope in self._scopes(spelling.mention.source):
                present[scope].add(spelling.normal)
        for normal, nodes in self._loaded.items():
            for source in {each for node in nodes for each in self._linked.get(node.id, ())}:
                for scope in self._scopes(source):
                    present[scope].add(normal)
        return present

    def _meant(self, spelling: Spelling) -> str:
        canonical = self._aliases.get(spelling.normal)
        scopes = self._scopes(spelling.mention.source) if canonical else ()
        if canonical and any(canonical in self._present[scope] for scope in scopes):
            return canonical
        return spelling.normal

    def _of_name(self, normal: str, names: list[Spelling]) -> Iterator[Cluster]:
        nodes = {node.id: node for node in self._loaded.get(normal, ())}
        places = self._places(normal, nodes, {spelling.mention.source for spelling in names})
        by_node: dict[int, list[Spelling]] = defaultdict(list)
        by_part: dict[int | None, list[Spelling]] = defaultdict(list)
        for spelling in names:
            place = places[spelling.mention.source]
            if isinstance(place, NodeRecord):
                by_node[place.id].append(spelling)
            else:
                by_part[place].append(spelling)
        for key, each in sorted(by_node.items()):
            yield cluster_of_node(nodes[key], each)
        for part, each in by_part.items():
            yield self._new(normal, part, each)

    def _new(self, normal: str, part: int | None, names: list[Spelling]) -> Cluster:
        spelt = self._spelt.get(normal)
        if part is None:
            return new_cluster(normal, names, name=spelt)
        kind, key, anchor = self._anchor(names)
        return new_cluster(f"{normal} ({kind} {key})", names, name=spelt, anchor=anchor)

    def _places(
        self, normal: str, nodes: Mapping[int, NodeRecord], sources: set[int]
    ) -> dict[int, NodeRecord | int | None]:
        """Return for each node that names: the loaded node, or the part of the graph, or all."""
        direct = {
            source: nodes[key]
            for key in sorted(nodes, reverse=True)
            for source in self._linked.get(key, ())
        }
        free = [key for key in sorted(nodes) if not self._linked.get(key)]
        everywhere = nodes[min(nodes)] if normal in self._spelt and nodes else None
        everywhere = nodes[free[0]] if free else everywhere
        if everywhere is not None or normal in self._spelt:
            return {source: direct.get(source, everywhere) for source in sources}
        part = self._parts(sources | set(direct))
        node_of = {part[source]: direct[source] for source in sorted(direct, reverse=True)}
        return {
            source: direct.get(source) or node_of.get(part[source]) or part[source]
            for source in sources
        }

    def _parts(self, sources: Iterable[int]) -> dict[int, int]:
        """Return the lowest id of those that a node shares a scope with, over whatever steps."""
        lowest = {source: source for source in sources}
        by_scope: dict[Scope, list[int]] = defaultdict(list)
        for source in lowest:
            for scope in self._scopes(source):
                by_scope[scope].append(source)
        shared = [each for each in by_scope.values() if len(each) > 1]
        changed = True
        while changed:
            changed = False
            for each in shared:
                least = min(lowest[source] for source in each)
                changed |= any(lowest[source] != least for source in each)
                lowest.update(dict.fromkeys(each, least))
        return lowest

    def _anchor(self, names: Iterable[Spelling]) -> tuple[str, int, str]:
        """Return kind, id and name of what tells a node from others of its name."""
        sources = sorted({spelling.mention.source for spelling in names})
        common = set(self._scopes(sources[0])).intersection(*map(self._scopes, sources))
        edge, key = min((scope for scope in common if scope[0]), default=("", sources[0]))
        target = self._ground.target(edge) or self._ground.table
        return target.name, key, self._ground.nodes[target.name, key].name


def fold_shared(table: NodeTable, ground: Ground, names: Sequence[Spelling]) -> list[Cluster]:
    """Return the clusters of a kind in which different nodes may bear one name."""
    return list(SharedNames(table, ground, names).clusters(names))
