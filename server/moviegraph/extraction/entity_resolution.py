"""Entity resolution: mentions become nodes and edges."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.embeddings.embedder import Embedder
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord, id_bits, stable_ids
from moviegraph.errors import EmbeddingError
from moviegraph.extraction.cluster_merging import (
    NamesAsked,
    SimilarPair,
    candidates,
    merged_by_model,
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
    singular,
    without_brackets,
)
from moviegraph.extraction.mentions import UNUSABLE, DroppedMention
from moviegraph.extraction.node_descriptions import Described, texts
from moviegraph.extraction.question_runner import QuestionPort
from moviegraph.text import plural


class UniqueNames:
    """Which node a name means, where the name alone decides.

    A loaded node of that name comes first, then what the glossary says. Where a kind is of common
    nouns, the plural of a word is the word.
    """

    def __init__(self, table: NodeTable, index: EntityIndex) -> None:
        self._common = table.common_nouns
        self._loaded = {normal: nodes[0] for normal, nodes in index.by_name(table).items()}
        self._by_form: dict[str, NodeRecord] = {}
        for normal, node in self._loaded.items():
            self._by_form.setdefault(self._form(normal), node)
        self._aliases = index.aliases(table)
        self._by_number = {self._form(alias): name for alias, name in self._aliases.items()}
        self._canonical = {self._form(normal_form(name)): name for name in self._aliases.values()}

    def meant(self, normal: str) -> NodeRecord | str:
        """Return the loaded node that a name means, or the key of a new one."""
        if normal in self._loaded:
            return self._loaded[normal]
        form = self._form(normal)
        if normal in self._aliases:
            return self._canonical_of(self._aliases[normal])
        if form in self._by_form:
            return self._by_form[form]
        return self._canonical_of(self._by_number[form]) if form in self._by_number else form

    def name(self, key: str) -> str | None:
        """Return how the glossary spells a new node, if it does."""
        return self._canonical.get(key)

    def _canonical_of(self, name: str) -> NodeRecord | str:
        normal = normal_form(name)
        form = self._form(normal)
        return self._loaded.get(normal) or self._by_form.get(form) or form

    def _form(self, normal: str) -> str:
        return singular(normal) if self._common else normal


def unique_clusters(
    table: NodeTable, index: EntityIndex, names: Sequence[NormalizedMention]
) -> list[Cluster]:
    """Return the clusters of a kind in which one name stands for one node."""
    unique = UniqueNames(table, index)
    loaded: dict[int, tuple[NodeRecord, list[NormalizedMention]]] = {}
    new: dict[str, list[NormalizedMention]] = defaultdict(list)
    for spelling in names:
        meant = unique.meant(spelling.normal)
        if isinstance(meant, str):
            new[meant].append(spelling)
        else:
            loaded.setdefault(meant.id, (meant, []))[1].append(spelling)
    return [
        *(cluster_of_node(node, pair) for _, (node, pair) in sorted(loaded.items())),
        *(new_cluster(key, pair, name=unique.name(key)) for key, pair in sorted(new.items())),
    ]


class SharedNames:
    """Where a name means one node: in the node that names it, and in what the contract adds.

    A name that the glossary gives aliases to, and a loaded node that nothing is joined to, are
    meant wherever the name occurs. An alias counts only beside the name that it stands for.
    """

    def __init__(
        self, table: NodeTable, index: EntityIndex, names: Sequence[NormalizedMention]
    ) -> None:
        self._table = table
        self._index = index
        self._loaded = index.by_name(table)
        self._linked = index.linked(table)
        self._aliases = {alias: normal_form(name) for alias, name in index.aliases(table).items()}
        self._spelt = {normal_form(name): name for name in index.aliases(table).values()}
        self._present = self._presence(names)

    def clusters(self, names: Iterable[NormalizedMention]) -> Iterator[Cluster]:
        """Yield the clusters of the kind."""
        by_name: dict[str, list[NormalizedMention]] = defaultdict(list)
        for spelling in names:
            by_name[self._meant(spelling)].append(spelling)
        for normal, nodes_of_name in sorted(by_name.items()):
            yield from self._of_name(normal, nodes_of_name)

    def _scopes(self, source: int) -> list[Scope]:
        return self._index.scopes(self._table, source)

    def _presence(self, names: Iterable[NormalizedMention]) -> Mapping[Scope, set[str]]:
        present: dict[Scope, set[str]] = defaultdict(set)
        for spelling in names:
            for scope in self._scopes(spelling.mention.source):
                present[scope].add(spelling.normal)
        for normal, nodes in self._loaded.items():
            for source in {each for node in nodes for each in self._linked.get(node.id, ())}:
                for scope in self._scopes(source):
                    present[scope].add(normal)
        return present

    def _meant(self, spelling: NormalizedMention) -> str:
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
            place = places[spelling.mention.source]
            if isinstance(place, NodeRecord):
                by_node[place.id].append(spelling)
            else:
                by_part[place].append(spelling)
        for key, each in sorted(by_node.items()):
            yield cluster_of_node(nodes[key], each)
        for part, each in by_part.items():
            yield self._new(normal, part, each)

    def _new(self, normal: str, part: int | None, names: list[NormalizedMention]) -> Cluster:
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

    def _anchor(self, names: Iterable[NormalizedMention]) -> tuple[str, int, str]:
        """Return kind, id and name of what tells a node from others of its name."""
        sources = sorted({spelling.mention.source for spelling in names})
        common = set(self._scopes(sources[0])).intersection(*map(self._scopes, sources))
        edge, key = min((scope for scope in common if scope[0]), default=("", sources[0]))
        target = self._index.target(edge) or self._index.table
        return target.name, key, self._index.nodes[target.name, key].name


def shared_clusters(
    table: NodeTable, index: EntityIndex, names: Sequence[NormalizedMention]
) -> list[Cluster]:
    """Return the clusters of a kind in which different nodes may bear one name."""
    return list(SharedNames(table, index, names).clusters(names))


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
        nodes: The nodes that were made, texts and all, by kind and id; loaded ones are not here.
        edges: The edges that were not there, by table, source and target.
        became: The node of each mention that was taken over.
        dropped: The mentions that were not, and reason.
        merged: How many names were merged into others on the model's word, by kind.
        notes: What the operator should know, one sentence each.
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
    embedder: Embedder | None = None,
    runner: QuestionPort | None = None,
) -> ResolvedEntities:
    """Fold mentions into the nodes and edges that a load adds to what it has read.

    First by the name alone: case, blanks, accents, punctuation and articles, the aliases of the
    glossary, and singular and plural where the contract says `common_nouns`. A loaded node of the
    name is the node. Where it says `named_within`, equal names are one node only within one of the
    mentioning nodes, or within what the edges named there lead to; the names of others are told
    apart in brackets. Then names that are near in spelling or meaning are put to the model in
    small groups; those it says are one are merged, each name once, so that nothing chains. Last it
    writes the texts of the new nodes. Whatever it does not answer is left as the first step had it,
    with a plain text, and told in the notes.

    What comes back is in the same order whatever the order of what is given, and ids depend on
    the kind and the name in normal form, so that a later load gives the same ones.

    Args:
        mentions: What the nodes of one kind name, with the words that show it.
        nodes: All nodes that were read; ids are integers already.
        edges: All edges that were read.
        contract: The tables, and what their names mean.
        embedder: Finds names that mean alike; without it only those spelt alike are found.
        runner: The language model; without it nothing is merged, and no text is written.

    Raises:
        ContractError: A prompt and what is said in it do not agree.
    """
    folding = _Resolution(mentions, nodes, edges, contract, embedder, runner)
    for table in folding.tables():
        folding.resolve_kind(table)
    return folding.folded()


class _Resolution:
    def __init__(
        self,
        mentions: Iterable[Mention],
        nodes: Iterable[NodeRecord],
        edges: Iterable[EdgeRecord],
        contract: Contract,
        embedder: Embedder | None,
        runner: QuestionPort | None,
    ) -> None:
        self._mentions = sorted(set(mentions), key=_place)
        self._index = EntityIndex(_source_table(self._mentions, contract), nodes, edges, contract)
        self._embedder = embedder
        self._runner = runner
        self._made: list[Described] = []
        self._edges: list[EdgeRecord] = []
        self._became: dict[Mention, ResolvedName] = {}
        self._dropped: list[DroppedMention] = []
        self._merged: Counter[str] = Counter()
        self._notes: list[str] = []
        self._open = 0
        for mention in self._mentions:
            if self._index.target(mention.edge) is None:
                self._drop(
                    mention,
                    f"{mention.edge} does not connect {self._index.table.name} with anything",
                )

    def tables(self) -> list[NodeTable]:
        """Return the kinds that are named.

        Shared names come last, since they are told apart by what nodes belong to.
        """
        targets = [self._index.target(mention.edge) for mention in self._mentions]
        named = {table.name for table in targets if table is not None}
        tables = [table for table in self._index.contract.nodes if table.name in named]
        return sorted(tables, key=lambda table: table.named_within is not None)

    def resolve_kind(self, table: NodeTable) -> None:
        """Fold the names of one kind."""
        names = self._spellings(table)
        shared = table.named_within is not None
        clusters = (shared_clusters if shared else unique_clusters)(table, self._index, names)
        here = {each.node.id for each in clusters if each.node is not None}
        loaded = self._index.of_kind(table)
        clusters += [cluster_of_node(node) for node in loaded if node.id not in here]
        clusters = [each for each in self._merge(table, clusters) if each.mentions]
        self._take_over(table, clusters)

    def folded(self) -> ResolvedEntities:
        """Return the result, once all kinds are folded."""
        written = texts(self._made, self._index, self._runner)
        nodes = [
            replace(each.node, content=text)
            for each, text in zip(self._made, written.texts, strict=True)
        ]
        return ResolvedEntities(
            tuple(sorted(nodes, key=lambda node: (node.kind, node.id))),
            tuple(sorted(self._edges, key=lambda edge: (edge.kind, edge.source, edge.target))),
            self._became,
            tuple(self._dropped),
            self._merged,
            (*self._notes, *written.notes),
            self._open + written.open,
        )

    def _spellings(self, table: NodeTable) -> list[NormalizedMention]:
        label = table.column(table.label)
        assert label is not None, "the contract is checked when it is read"
        most, resolved_mentions = label.max_chars, list[NormalizedMention]()
        for mention in self._mentions:
            target = self._index.target(mention.edge)
            if target is None or target.name != table.name:
                continue
            name = cleaned(mention.name, most)
            if name is not None and table.named_within is not None:
                name = without_brackets(name)
            if self._index.source(mention.source) is None:
                self._drop(mention, "its source was not loaded")
            elif name is None:
                self._drop(mention, UNUSABLE)
            else:
                resolved_mentions.append(NormalizedMention(mention, name, normal_form(name)))
        return resolved_mentions

    def _merge(self, table: NodeTable, clusters: list[Cluster]) -> list[Cluster]:
        if self._runner is None:
            return clusters
        pairs = self._candidates(table, clusters)
        asked = NamesAsked(table, self._index, clusters)
        merges = merged_by_model(asked, pairs, self._runner)
        self._open += merges.unasked
        if merges.unasked:
            self._notes.append(
                f"{plural(merges.unasked, 'group')} of similar names of {table.name} not "
                f"compared by the model, so their spellings stay separate: {merges.reason}"
            )
        self._merged[table.name] += merges.merged
        return merges.clusters

    def _candidates(self, table: NodeTable, clusters: Sequence[Cluster]) -> list[SimilarPair]:
        try:
            return candidates(table, self._index, clusters, self._embedder)
        except EmbeddingError as error:
            self._notes.append(
                f"Names of {table.name} were compared only by spelling: {error.message}"
            )
            return candidates(table, self._index, clusters, None)

    def _take_over(self, table: NodeTable, clusters: Sequence[Cluster]) -> None:
        if lacking := next((column.name for column in table.extra if not column.nullable), None):
            reason = f"a new {table.name} requires a {lacking}"
            for spelling in (s for each in clusters if each.node is None for s in each.mentions):
                self._drop(spelling.mention, reason)
            clusters = [each for each in clusters if each.node is not None]
        new = [each for each in clusters if each.node is None]
        taken = [node.id for node in self._index.of_kind(table)]
        ids = stable_ids([*taken, *(each.key for each in new)], id_bits(table))
        names = self._names(table, new)
        for cluster in clusters:
            node = cluster.node
            if node is None:
                values = {column.name: None for column in table.extra}
                node = NodeRecord(table.name, ids[cluster.key], names[cluster.key], "", values)
                self._made.append(Described(table, node, cluster))
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
        """Return what new nodes are called, by key; one of several of a name has brackets."""
        label = table.column(table.label)
        assert label is not None, "the contract is checked when it is read"
        used = Counter(each.normal for each in clusters)
        for node in self._index.of_kind(table):
            used[normal_form(without_brackets(node.name))] += 1
        return {
            each.key: _told_apart(each, label.max_chars) if used[each.normal] > 1 else each.name
            for each in clusters
        }

    def _drop(self, mention: Mention, reason: str) -> None:
        self._dropped.append(
            DroppedMention(mention.source, mention.edge, mention.name, mention.evidence, reason)
        )


def _source_table(mentions: Sequence[Mention], contract: Contract) -> NodeTable:
    """Return the table that all edges leave, as far as those of the first mention allow."""
    edge = contract.edge(mentions[0].edge) if mentions else None
    if edge is None:
        return contract.nodes[0]
    named = {mention.edge for mention in mentions}
    starts = [pair.from_table for pair in edge.pairs]
    best = max(starts, key=lambda start: len(named & contract.targets_from(start).keys()))
    return contract.node(best) or contract.nodes[0]


def _told_apart(cluster: Cluster, most: int) -> str:
    name = f"{cluster.name} ({cluster.anchor})"
    fits = cluster.anchor and len(name.encode("utf-16-le")) // 2 <= most
    return name if fits else cluster.name


def _place(mention: Mention) -> tuple[int, str, str, str]:
    return mention.source, mention.edge, mention.name, mention.evidence
