"""Entity resolution: mentions become nodes and edges."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.embeddings.embedder import Embedder
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord, id_bits, stable_ids
from moviegraph.errors import EmbeddingError
from moviegraph.extraction.cluster_merging import (
    MergeQuestions,
    merge_by_model,
    merge_candidates,
)
from moviegraph.extraction.clusters import (
    Cluster,
    EntityIndex,
    Mention,
    NormalizedMention,
    Scope,
    cleaned,
    cluster_of_node,
    new_cluster,
    normal_form,
    singular_form,
    without_brackets,
)
from moviegraph.extraction.mentions import DroppedMention
from moviegraph.extraction.node_descriptions import Described, texts
from moviegraph.extraction.question_runner import QuestionPort
from moviegraph.text import plural


def unique_clusters(
    table: NodeTable, index: EntityIndex, names: Sequence[NormalizedMention]
) -> list[Cluster]:
    """Return the clusters of a kind in which one name means one node.

    A loaded node of that name comes first, then the glossary. In a kind of common nouns, singular
    and plural are one name.
    """
    form = singular_form if table.common_nouns else str
    loaded = {normal: nodes[0] for normal, nodes in index.by_name(table).items()}
    loaded_forms: dict[str, NodeRecord] = {}
    for normal, node in loaded.items():
        loaded_forms.setdefault(form(normal), node)
    aliases = {alias: normal_form(name) for alias, name in index.aliases(table).items()}
    alias_forms = {form(alias): name for alias, name in aliases.items()}
    spelling = {form(normal_form(name)): name for name in index.aliases(table).values()}

    def node_or_key(normal: str) -> NodeRecord | str:
        return loaded.get(normal) or loaded_forms.get(form(normal)) or form(normal)

    def meaning(normal: str) -> NodeRecord | str:
        if normal not in loaded and normal in aliases:
            return node_or_key(aliases[normal])
        result = node_or_key(normal)
        alias = alias_forms.get(result) if isinstance(result, str) else None
        return node_or_key(alias) if alias else result

    nodes: dict[int, tuple[NodeRecord, list[NormalizedMention]]] = {}
    new: dict[str, list[NormalizedMention]] = defaultdict(list)
    for mention in names:
        resolved = meaning(mention.normal)
        if isinstance(resolved, str):
            new[resolved].append(mention)
        else:
            nodes.setdefault(resolved.id, (resolved, []))[1].append(mention)
    return [
        *(cluster_of_node(node, mentions) for _, (node, mentions) in sorted(nodes.items())),
        *(new_cluster(key, group, name=spelling.get(key)) for key, group in sorted(new.items())),
    ]


class SharedNames:
    """Where a name means one node: in the node that names it, and in what the contract adds.

    A name that the glossary gives aliases to, and a loaded node that nothing is joined to, are
    meant wherever the name occurs. An alias counts only next to the name that it means.
    """

    def __init__(
        self, table: NodeTable, index: EntityIndex, names: Sequence[NormalizedMention]
    ) -> None:
        self._table = table
        self._index = index
        self._loaded = index.by_name(table)
        self._linked = index.linked(table)
        self._aliases = {alias: normal_form(name) for alias, name in index.aliases(table).items()}
        self._spelling = {normal_form(name): name for name in index.aliases(table).values()}
        self._names = names
        self._present = self._presence()

    def clusters(self) -> list[Cluster]:
        """Return the clusters of the kind."""
        by_name: dict[str, list[NormalizedMention]] = defaultdict(list)
        for mention in self._names:
            by_name[self._canonical_name(mention)].append(mention)
        return [
            cluster
            for normal, mentions in sorted(by_name.items())
            for cluster in self._of_name(normal, mentions)
        ]

    def _scopes(self, source: int) -> list[Scope]:
        return self._index.scopes(self._table, source)

    def _presence(self) -> Mapping[Scope, set[str]]:
        """Return the names in each scope."""
        present: dict[Scope, set[str]] = defaultdict(set)
        for spelling in self._names:
            for scope in self._scopes(spelling.mention.source):
                present[scope].add(spelling.normal)
        for normal, nodes in self._loaded.items():
            for source in {key for node in nodes for key in self._linked.get(node.id, ())}:
                for scope in self._scopes(source):
                    present[scope].add(normal)
        return present

    def _canonical_name(self, spelling: NormalizedMention) -> str:
        canonical = self._aliases.get(spelling.normal)
        scopes = self._scopes(spelling.mention.source) if canonical else ()
        if canonical and any(canonical in self._present[scope] for scope in scopes):
            return canonical
        return spelling.normal

    def _of_name(self, normal: str, names: list[NormalizedMention]) -> Iterator[Cluster]:
        nodes = {node.id: node for node in self._loaded.get(normal, ())}
        places = self._places(normal, nodes, {spelling.mention.source for spelling in names})
        by_node: dict[int, list[NormalizedMention]] = defaultdict(list)
        by_part: dict[int | None, list[NormalizedMention]] = defaultdict(list)
        for spelling in names:
            source = places[spelling.mention.source]
            if isinstance(source, NodeRecord):
                by_node[source.id].append(spelling)
            else:
                by_part[source].append(spelling)
        for key, members in sorted(by_node.items()):
            yield cluster_of_node(nodes[key], members)
        for part, members in by_part.items():
            yield self._new(normal, part, members)

    def _new(self, normal: str, part: int | None, names: list[NormalizedMention]) -> Cluster:
        name = self._spelling.get(normal)
        if part is None:
            return new_cluster(normal, names, name=name)
        kind, key, anchor = self._anchor(names)
        return new_cluster(f"{normal} ({kind} {key})", names, name=name, anchor=anchor)

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
        everywhere = nodes[min(nodes)] if normal in self._spelling and nodes else None
        everywhere = nodes[free[0]] if free else everywhere
        if everywhere is not None or normal in self._spelling:
            return {source: direct.get(source, everywhere) for source in sources}
        part = self._parts(sources | set(direct))
        node_of = {part[source]: direct[source] for source in sorted(direct, reverse=True)}
        return {
            source: direct.get(source) or node_of.get(part[source]) or part[source]
            for source in sources
        }

    def _parts(self, sources: Iterable[int]) -> dict[int, int]:
        """Return the lowest id that each node shares scopes with, over any number of steps."""
        lowest = {source: source for source in sources}
        by_scope: dict[Scope, list[int]] = defaultdict(list)
        for source in lowest:
            for scope in self._scopes(source):
                by_scope[scope].append(source)
        shared = [members for members in by_scope.values() if len(members) > 1]
        changed = True
        while changed:
            changed = False
            for members in shared:
                first = min(lowest[source] for source in members)
                changed |= any(lowest[source] != first for source in members)
                lowest.update(dict.fromkeys(members, first))
        return lowest

    def _anchor(self, names: Iterable[NormalizedMention]) -> tuple[str, int, str]:
        """Return kind, id and name of what distinguishes a node from others of its name."""
        sources = sorted({spelling.mention.source for spelling in names})
        common = set(self._scopes(sources[0])).intersection(*map(self._scopes, sources))
        edge, key = min((scope for scope in common if scope[0]), default=("", sources[0]))
        target = self._index.target(edge) if edge else self._index.table
        return target.name, key, self._index.nodes[target.name, key].name


@dataclass(frozen=True, slots=True)
class ResolvedName:
    """The node that a mention became."""

    kind: str
    id: int
    name: str


@dataclass(frozen=True, slots=True)
class ResolvedEntities:
    """What mentions became.

    Attributes:
        nodes: The new nodes, with their texts, by kind and id.
        edges: The new edges, by table, source and target.
        became: The node of each mention that has one.
        dropped: The other mentions, with reasons.
        merged: How many names the model merged into others, by kind.
        notes: Messages for the operator.
        open: How many questions were not answered, or not asked.
    """

    nodes: tuple[NodeRecord, ...]
    edges: tuple[EdgeRecord, ...]
    became: Mapping[Mention, ResolvedName]
    dropped: tuple[DroppedMention, ...]
    merged: Mapping[str, int]
    notes: tuple[str, ...]
    open: int = 0


def resolve_entities(
    mentions: Iterable[Mention],
    nodes: Iterable[NodeRecord],
    edges: Iterable[EdgeRecord],
    contract: Contract,
    *,
    table: NodeTable | None = None,
    embedder: Embedder | None = None,
    runner: QuestionPort | None = None,
) -> ResolvedEntities:
    """Merge mentions into the nodes and edges that a load adds to what it has read.

    First by the name only: case, spaces, accents, punctuation and articles do not count, nor do
    aliases of the glossary, nor singular and plural where the contract says `common_nouns`. A
    loaded node of the name is the node. Where the contract says `named_within`, equal names are
    one node only within one of the mentioning nodes, or within what the edges named there point
    to; brackets distinguish the names of others. Then the model compares names of similar spelling
    or meaning in small groups, each name once, so that merges do not chain. Last it writes the
    texts of the new nodes. What it does not answer stays as it was, with a plain text and a note.

    The result does not depend on the order of the input, and ids depend on the kind and the normal
    form of the name, so that a later load returns the same ones.

    Args:
        mentions: What the nodes of one kind name, along edges that start there, with evidence.
        nodes: All nodes that were read; ids are integers already.
        edges: All edges that were read.
        contract: The tables, and what their names mean.
        table: The kind that names; by default the first of the contract.
        embedder: Finds names of similar meaning; without it only similar spellings are found.
        runner: The language model; without it nothing is merged, and no text is written.

    Raises:
        ContractError: A prompt and its values do not match.
    """
    index = EntityIndex(table or contract.nodes[0], nodes, edges, contract)
    resolution = _Resolution(sorted(set(mentions), key=_place), index, embedder, runner)
    for target in resolution.tables():
        resolution.resolve_kind(target)
    return resolution.result()


class _Resolution:
    def __init__(
        self,
        mentions: Sequence[Mention],
        index: EntityIndex,
        embedder: Embedder | None,
        runner: QuestionPort | None,
    ) -> None:
        self._mentions = mentions
        self._index = index
        self._embedder = embedder
        self._runner = runner
        self._new: list[Described] = []
        self._edges: list[EdgeRecord] = []
        self._became: dict[Mention, ResolvedName] = {}
        self._dropped: list[DroppedMention] = []
        self._merged: Counter[str] = Counter()
        self._notes: list[str] = []
        self._open = 0

    def tables(self) -> list[NodeTable]:
        """Return the kinds that are named.

        Shared names come last, since they are distinguished by what nodes belong to.
        """
        targets = {self._index.target(mention.edge).name for mention in self._mentions}
        tables = [table for table in self._index.contract.nodes if table.name in targets]
        return sorted(tables, key=lambda table: table.named_within is not None)

    def resolve_kind(self, table: NodeTable) -> None:
        """Resolve the names of one kind."""
        names = self._normalized(table)
        if table.named_within is None:
            clusters = unique_clusters(table, self._index, names)
        else:
            clusters = SharedNames(table, self._index, names).clusters()
        clustered = {cluster.node.id for cluster in clusters if cluster.node is not None}
        loaded = self._index.of_kind(table)
        clusters += [cluster_of_node(node) for node in loaded if node.id not in clustered]
        if self._runner is not None:
            clusters = self._merge(table, clusters, self._runner)
        self._add(table, [cluster for cluster in clusters if cluster.mentions])

    def result(self) -> ResolvedEntities:
        """Return the result, once all kinds are resolved."""
        descriptions = texts(self._new, self._index, self._runner)
        nodes = [
            replace(new.node, content=text)
            for new, text in zip(self._new, descriptions.texts, strict=True)
        ]
        return ResolvedEntities(
            tuple(sorted(nodes, key=lambda node: (node.kind, node.id))),
            tuple(sorted(self._edges, key=lambda edge: (edge.kind, edge.source, edge.target))),
            self._became,
            tuple(self._dropped),
            self._merged,
            (*self._notes, *descriptions.notes),
            self._open + descriptions.open,
        )

    def _normalized(self, table: NodeTable) -> list[NormalizedMention]:
        limit, normalized = table.max_label_chars, list[NormalizedMention]()
        for mention in self._mentions:
            if self._index.target(mention.edge).name != table.name:
                continue
            name = cleaned(mention.name, limit)
            if name is None:
                self._drop(mention, "the name is empty, too long or not text")
                continue
            if table.named_within is not None:
                name = without_brackets(name)
            normalized.append(NormalizedMention(mention, name, normal_form(name)))
        return normalized

    def _merge(
        self, table: NodeTable, clusters: list[Cluster], runner: QuestionPort
    ) -> list[Cluster]:
        try:
            pairs = merge_candidates(table, self._index, clusters, self._embedder)
        except EmbeddingError as error:
            self._notes.append(
                f"Names of {table.name} were compared only by spelling: {error.message}"
            )
            pairs = merge_candidates(table, self._index, clusters, None)
        merges = merge_by_model(MergeQuestions(table, self._index, clusters), pairs, runner)
        self._open += merges.unasked
        if merges.unasked:
            self._notes.append(
                f"{plural(merges.unasked, 'group')} of similar names of {table.name} not "
                f"compared by the model, so their spellings stay separate: {merges.reason}"
            )
        self._merged[table.name] += merges.merged
        return merges.clusters

    def _add(self, table: NodeTable, clusters: Sequence[Cluster]) -> None:
        """Add the nodes of clusters, and the edges to them."""
        new = [cluster for cluster in clusters if cluster.node is None]
        if lacking := next((column.name for column in table.extra if not column.nullable), None):
            for mention in (spelling.mention for cluster in new for spelling in cluster.mentions):
                self._drop(mention, f"a new {table.name} requires a {lacking}")
            clusters = [cluster for cluster in clusters if cluster.node is not None]
            new = []
        stored_ids = [node.id for node in self._index.of_kind(table)]
        ids = stable_ids([*stored_ids, *(cluster.key for cluster in new)], id_bits(table))
        names = self._names(table, new)
        for cluster in clusters:
            node = cluster.node
            if node is None:
                values = {column.name: None for column in table.extra}
                node = NodeRecord(table.name, ids[cluster.key], names[cluster.key], "", values)
                self._new.append(Described(table, node, cluster))
            self._join(node, cluster)

    def _join(self, node: NodeRecord, cluster: Cluster) -> None:
        edges: dict[EdgeRecord, None] = {}
        for spelling in cluster.mentions:
            mention = spelling.mention
            self._became[mention] = ResolvedName(node.kind, node.id, node.name)
            edges[self._index.edge(mention.edge, mention.source, node.id)] = None
        self._edges += [edge for edge in edges if edge not in self._index.edges]
        self._index.add([node], edges)

    def _names(self, table: NodeTable, clusters: Sequence[Cluster]) -> dict[str, str]:
        """Return the names of new nodes, by key; one of multiple of a name has brackets."""
        limit = table.max_label_chars
        used = Counter(cluster.normal for cluster in clusters)
        for node in self._index.of_kind(table):
            used[normal_form(without_brackets(node.name))] += 1
        return {
            cluster.key: _with_anchor(cluster, limit) if used[cluster.normal] > 1 else cluster.name
            for cluster in clusters
        }

    def _drop(self, mention: Mention, reason: str) -> None:
        self._dropped.append(DroppedMention(mention, reason))


def _with_anchor(cluster: Cluster, limit: int) -> str:
    name = f"{cluster.name} ({cluster.anchor})"
    fits = cluster.anchor and len(name.encode("utf-16-le")) // 2 <= limit
    return name if fits else cluster.name


def _place(mention: Mention) -> tuple[int, str, str, str]:
    return mention.source, mention.edge, mention.name, mention.evidence
