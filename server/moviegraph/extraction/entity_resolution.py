"""Entity resolution: mentions become nodes and edges."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.embeddings.embedder import Embedder
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord, id_bits, stable_ids
from moviegraph.errors import EmbeddingError
from moviegraph.extraction.cluster_merging import MergeQuestions
from moviegraph.extraction.clusters import (
    Cluster,
    EntityIndex,
    Mention,
    Scope,
    cleaned,
    cluster_of_node,
    commonest,
    without_brackets,
)
from moviegraph.extraction.merge_candidates import merge_candidates
from moviegraph.extraction.node_descriptions import describe_nodes
from moviegraph.extraction.question_runner import QuestionRunner
from moviegraph.names import fold_mention, singular

Meaning = Callable[[str, int], Cluster]
"""From a name in normal form and the node that it stands in, to its cluster without mentions."""


def cluster_mentions(
    table: NodeTable, index: EntityIndex, mentions: Iterable[tuple[Mention, str]]
) -> list[Cluster]:
    """Return the clusters of the mentions of a kind, whose names are cleaned, by name only.

    Case, spaces, accents, punctuation and articles do not count. New nodes have the most frequent
    spelling.
    """
    has_shared_names = table.named_within is not None
    meaning = _shared_names(table, index) if has_shared_names else _unique_names(table, index)
    clusters: dict[str, Cluster] = {}
    members = defaultdict[str, list[tuple[Mention, str]]](list)
    for mention, name in mentions:
        cluster = meaning(fold_mention(name), mention.source)
        clusters.setdefault(cluster.key, cluster)
        members[cluster.key].append((mention, name))
    return [
        replace(
            cluster,
            name=cluster.name or commonest(name for _, name in members[key]),
            mentions=tuple(mention for mention, _ in members[key]),
        )
        for key, cluster in sorted(clusters.items())
    ]


def _unique_names(table: NodeTable, index: EntityIndex) -> Meaning:
    """Return the meaning of names in a kind in which one name means one node.

    A loaded node of that name comes first, then the glossary. In a kind of common nouns, singular
    and plural are one name.
    """
    form = singular if table.common_nouns else str
    loaded = {normal: nodes[0] for normal, nodes in index.by_name(table).items()}
    loaded_forms: dict[str, NodeRecord] = {}
    for normal, node in loaded.items():
        loaded_forms.setdefault(form(normal), node)
    aliases = index.aliases(table)
    normal_by_alias = {form(alias): fold_mention(name) for alias, name in aliases.items()}
    spellings = {form(fold_mention(name)): name for name in aliases.values()}

    def meaning(normal: str, _source: int) -> Cluster:
        if normal not in loaded:
            normal = normal_by_alias.get(form(normal), normal)
        key = form(normal)
        node = loaded.get(normal) or loaded_forms.get(key)
        return cluster_of_node(node) if node else Cluster(key, spellings.get(key, ""))

    return meaning


def _shared_names(table: NodeTable, index: EntityIndex) -> Meaning:
    """Return the meaning of names where different nodes may have one name.

    That is a loaded node of that name that the mentioning node is joined to, else one of its
    home, else one that nothing is joined to. New nodes of one name are one only in one home.
    """
    node_at: dict[tuple[str, Scope | None], NodeRecord] = {}
    linked = index.linked(table)
    for normal, namesakes in index.by_name(table).items():
        for node in reversed(namesakes):  # the lowest id counts
            sources = linked.get(node.id, ())
            scopes: set[Scope | None] = {("", source) for source in sources}
            scopes |= {index.home(table, source) for source in sources}
            node_at.update({(normal, scope): node for scope in scopes or {None}})

    def meaning(normal: str, source: int) -> Cluster:
        home = index.home(table, source)
        for scope in (("", source), home, None):
            if node := node_at.get((normal, scope)):
                return cluster_of_node(node)
        anchor = index.home_node(home)
        return Cluster(f"{normal} ({anchor.kind} {anchor.id})", "", anchor=anchor.name)

    return meaning


@dataclass(frozen=True, slots=True)
class ResolvedEntities:
    """What mentions became.

    Attributes:
        nodes: The new nodes, with their texts, by kind and id.
        edges: The new edges, by table, source and target.
        became: The node of each mention that has one.
        dropped: The other mentions, with reasons.
        merged: How many names the model merged into others, by kind.
    """

    nodes: tuple[NodeRecord, ...]
    edges: tuple[EdgeRecord, ...]
    became: Mapping[Mention, NodeRecord]
    dropped: Mapping[Mention, str]
    merged: Mapping[str, int]


def resolve_entities(
    mentions: Iterable[Mention],
    nodes: Iterable[NodeRecord],
    edges: Iterable[EdgeRecord],
    contract: Contract,
    *,
    table: NodeTable | None = None,
    aliases: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    embedder: Embedder | None = None,
    runner: QuestionRunner | None = None,
    describe_all: bool = False,
) -> ResolvedEntities:
    """Merge mentions into the nodes and edges that a load adds to what it has read.

    First by the name only (`cluster_mentions`); brackets distinguish new nodes of one name. Then
    the model compares names of similar spelling or meaning in small groups, each name once, so
    that merges do not chain. Last it writes the texts of the new nodes. What it does not answer
    stays as it was, and the runner has a note.

    The result does not depend on the order of the input, and ids depend on the kind and the normal
    form of the name, so that a later load returns the same ones.

    Args:
        mentions: What the nodes of one kind name, along edges that start there, with evidence.
        nodes: All nodes that were read; ids are integers already.
        edges: All edges that were read.
        contract: The tables, and what their names mean.
        table: The kind that names; by default the first of the contract.
        aliases: Kind -> alias -> name of the node.
        embedder: Finds names of similar meaning; without it only similar spellings are found.
        runner: The language model; without it nothing is merged, and no text is written.
        describe_all: It also writes texts on nodes that one record names.
    """
    index = EntityIndex(table or contract.nodes[0], nodes, edges, contract, aliases)
    return _Resolution(sorted(set(mentions)), index, embedder, runner).resolve(describe_all)


class _Resolution:
    def __init__(
        self,
        mentions: Sequence[Mention],
        index: EntityIndex,
        embedder: Embedder | None,
        runner: QuestionRunner | None,
    ) -> None:
        self._mentions = mentions
        self._index = index
        self._embedder = embedder
        self._runner = runner
        self._new: list[tuple[NodeRecord, Cluster]] = []
        self._edges: list[EdgeRecord] = []
        self._became: dict[Mention, NodeRecord] = {}
        self._dropped: dict[Mention, str] = {}
        self._merged: Counter[str] = Counter()

    def resolve(self, describe_all: bool) -> ResolvedEntities:
        """Return the result.

        Kinds with shared names come last, since they are distinguished by what nodes belong to.
        """
        targets = {self._index.target(mention.edge).name for mention in self._mentions}
        tables = [table for table in self._index.contract.nodes if table.name in targets]
        for table in sorted(tables, key=lambda table: table.named_within is not None):
            self._resolve_kind(table)
        clusters = [cluster for _, cluster in self._new]
        texts = describe_nodes(clusters, self._index, self._runner, every=describe_all)
        nodes = [
            replace(node, content=text) for (node, _), text in zip(self._new, texts, strict=True)
        ]
        return ResolvedEntities(
            tuple(sorted(nodes, key=lambda node: (node.kind, node.id))),
            tuple(sorted(self._edges, key=lambda edge: (edge.kind, edge.source, edge.target))),
            self._became,
            self._dropped,
            self._merged,
        )

    def _resolve_kind(self, table: NodeTable) -> None:
        clusters = cluster_mentions(table, self._index, self._named(table))
        clustered = {cluster.node.id for cluster in clusters if cluster.node is not None}
        loaded = self._index.of_kind(table)
        clusters += [cluster_of_node(node) for node in loaded if node.id not in clustered]
        if self._runner is not None:
            clusters = self._merge(table, clusters, self._runner)
        self._add(table, [cluster for cluster in clusters if cluster.mentions])

    def _named(self, table: NodeTable) -> Iterator[tuple[Mention, str]]:
        """Yield the mentions of a kind with their cleaned names; drop those without."""
        for mention in self._mentions:
            if self._index.target(mention.edge).name != table.name:
                continue
            name = cleaned(mention.name, table.max_label_chars)
            if name is None:
                self._dropped[mention] = "the name is empty, too long or not text"
            else:
                is_shared = table.named_within is not None
                yield mention, without_brackets(name) if is_shared else name

    def _merge(
        self, table: NodeTable, clusters: list[Cluster], runner: QuestionRunner
    ) -> list[Cluster]:
        try:
            pairs = merge_candidates(table, self._index, clusters, self._embedder)
        except EmbeddingError as error:
            runner.notes.append(
                f"Names of {table.name} were compared only by spelling: {error.message}"
            )
            pairs = merge_candidates(table, self._index, clusters, None)
        remaining = MergeQuestions(table, self._index, clusters).ask(pairs, runner)
        self._merged[table.name] += len(clusters) - len(remaining)
        return remaining

    def _add(self, table: NodeTable, clusters: Sequence[Cluster]) -> None:
        """Add the nodes of clusters, and the edges to them."""
        new = [cluster for cluster in clusters if cluster.node is None]
        if lacking := next((column.name for column in table.extra if not column.nullable), None):
            for mention in (mention for cluster in new for mention in cluster.mentions):
                self._dropped[mention] = f"a new {table.name} requires a {lacking}"
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
                self._new.append((node, replace(cluster, name=node.name)))
            for mention in cluster.mentions:
                self._became[mention] = node
                if edge := self._index.join(mention.edge, mention.source, node):
                    self._edges.append(edge)

    def _names(self, table: NodeTable, clusters: Sequence[Cluster]) -> dict[str, str]:
        """Return the names of new nodes, by key; a name that others have too gets brackets."""
        used = Counter(cluster.normal for cluster in clusters)
        for node in self._index.of_kind(table):
            used[fold_mention(without_brackets(node.name))] += 1
        names: dict[str, str] = {}
        for cluster in clusters:
            longer = f"{cluster.name} ({cluster.anchor})"
            fits = len(longer.encode("utf-16-le")) // 2 <= table.max_label_chars
            needs_anchor = used[cluster.normal] > 1 and cluster.anchor and fits
            names[cluster.key] = longer if needs_anchor else cluster.name
        return names
