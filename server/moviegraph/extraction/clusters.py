"""Clusters: mentions that mean one node, and the normal form of their names."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.names import fold_mention
from moviegraph.text import sanitize

ENDS = ' \t"“”„«»`*_,;:'
NUMBER = re.compile(r"\d\w*|[ivx]{2,}")
BRACKETS = re.compile(r" \(.*\)$")


def cleaned(name: str, limit: int) -> str | None:
    """Return a name as a node can have it; None without letter or digit, or with too many.

    The limit is in UTF-16 units.
    """
    text = " ".join(sanitize(unicodedata.normalize("NFC", name)).split()).strip(ENDS)
    is_too_long = len(text.encode("utf-16-le")) // 2 > limit
    return None if is_too_long or not any(map(str.isalnum, fold_mention(text))) else text


def name_numbers(normal: str) -> tuple[str, ...]:
    """Return the numbers in a normal form: names that differ in them are different."""
    return tuple(word for word in normal.split() if NUMBER.fullmatch(word))


def without_brackets(name: str) -> str:
    """Return a name without the brackets that distinguish it from others of the same name."""
    return BRACKETS.sub("", name)


def commonest(names: Iterable[str]) -> str:
    """Return the most frequent spelling; among equals one as a name is written, then any."""
    counts = Counter(names)
    return min(
        counts,
        key=lambda name: (-counts[name], not name[:1].isupper(), name.isupper(), name),
    )


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """One name that a node's title or text gives rise to.

    Attributes:
        source: Id of the node, as loaded.
        edge: The edge table that would join it to what is named.
        name: The name as the model gave it, with single spaces.
        evidence: A span of the node's title or text, verbatim.
    """

    source: int
    edge: str
    name: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Cluster:
    """Mentions that mean one node.

    Attributes:
        key: A text that stays the same between loads; the id of a new node comes from it.
        name: What the node is called.
        mentions: In the order of source, edge and name.
        node: The loaded node that it is, if it is one.
        anchor: The name that distinguishes it from others of its name, where names are shared.
    """

    key: str
    name: str
    mentions: tuple[Mention, ...] = ()
    node: NodeRecord | None = None
    anchor: str = ""

    @property
    def normal(self) -> str:
        """The name in normal form."""
        return fold_mention(self.name)

    @property
    def sources(self) -> tuple[int, ...]:
        """Ids of the nodes that name it, in order."""
        return tuple(sorted({mention.source for mention in self.mentions}))

    def merged_with(self, others: Iterable["Cluster"]) -> "Cluster":
        """Return the cluster with the mentions of others; key, name and node stay."""
        mentions = [*self.mentions, *(mention for other in others for mention in other.mentions)]
        return replace(self, mentions=tuple(sorted(mentions)))


def cluster_of_node(node: NodeRecord) -> Cluster:
    """Return the cluster of a loaded node, yet without mentions."""
    return Cluster(f"={node.id}", node.name, node=node)  # no normal form has this character


def chosen_sources(cluster: Cluster, limit: int) -> list[tuple[int, str]]:
    """Return the lowest ids of nodes that name a cluster, up to a limit, with their words.

    One more node that names it seldom changes the choice, and so seldom asks the model again.
    """
    words: dict[int, str] = {}
    for mention in cluster.mentions:
        words.setdefault(mention.source, mention.evidence)
    return sorted(words.items())[:limit]


def purpose(description: str) -> str:
    """Return what a description says before a semicolon; advice for queries may follow it."""
    return f"{description.partition(';')[0].strip().rstrip('.')}."


SENTENCE_END = re.compile(
    "(?<=[.!?\u2026])[\"'\u201d\u2019»)]*\\s+|(?<=[\u3002\uff01\uff1f\u0964])"
)


def passage(text: str, words: str, limit: int) -> str:
    """Return the sentences around words of a text, in one line; its beginning without the words.

    The limit is in characters. A sentence that is longer is cut between words on both sides.
    """
    line = " ".join(text.split())
    begin = line.find(words)
    if begin < 0:
        return shortened(line, limit)
    end = begin + len(words)
    cuts = [0, *(match.end() for match in SENTENCE_END.finditer(line)), len(line)]
    first, last = max(c for c in cuts if c <= begin), min(c for c in cuts if c >= end)
    before = max((cut for cut in cuts if cut < first), default=first)
    after = min((cut for cut in cuts if cut > last), default=last)
    for start, stop in ((before, after), (before, last), (first, after), (first, last)):
        if stop - start <= limit:
            return line[start:stop].strip()
    start = max(first, begin - max(limit - len(words), 0) // 2)
    stop = min(last, max(start + limit, end))
    start = begin if start == begin else line.find(" ", start, begin) + 1 or begin
    stop = stop if stop == last else max(line.rfind(" ", end, stop), end)
    return f"{'…' * (start > first)}{line[start:stop].strip()}{'…' * (stop < last)}"


def shortened(text: str, limit: int) -> str:
    """Return the beginning of a text in one line, truncated between words."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1].rsplit(' ', 1)[0]}…"


Key = tuple[str, int]
Scope = tuple[str, int]
"""An edge table and the id that it leads to; for the node that names, the edge is ""."""


class EntityIndex:
    """The loaded graph, seen from the nodes whose texts name others; it may grow.

    Args:
        table: The kind of what names.
        nodes: All loaded nodes.
        edges: All loaded edges.
        contract: The tables.
        aliases: Kind -> alias -> name.
    """

    def __init__(
        self,
        table: NodeTable,
        nodes: Iterable[NodeRecord],
        edges: Iterable[EdgeRecord],
        contract: Contract,
        aliases: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    ) -> None:
        self.table = table
        self.contract = contract
        self._aliases = aliases
        self.nodes: dict[Key, NodeRecord] = {}
        targets = contract.targets_from(table.name)
        self._pairs = {name: position for name, (position, _) in targets.items()}
        self._targets = {
            name: target
            for name, (_, edge) in targets.items()
            if (target := contract.node(edge.to_table)) is not None
        }
        self._reached: dict[Key, set[int]] = defaultdict(set)
        self.add(nodes, edges)

    def add(self, nodes: Iterable[NodeRecord], edges: Iterable[EdgeRecord]) -> None:
        """Add nodes and edges."""
        self.nodes.update({(node.kind, node.id): node for node in nodes})
        for edge in edges:
            if edge.kind in self._targets and edge.pair == self._pairs[edge.kind]:
                self._reached[edge.kind, edge.source].add(edge.target)

    def source(self, key: int) -> NodeRecord:
        """Return a node that names others."""
        return self.nodes[self.table.name, key]

    def passage(self, key: int, words: str, limit: int) -> str:
        """Return what surrounds words in the text of a node that names others."""
        return passage(self.source(key).content, words, limit)

    def target(self, edge: str) -> NodeTable:
        """Return the kind that an edge points to from the table."""
        return self._targets[edge]

    def join(self, edge: str, source: int, node: NodeRecord) -> EdgeRecord | None:
        """Add an edge from what names to what is named, and return it; None if there was one."""
        if node.id in self._reached.get((edge, source), ()):
            return None
        record = EdgeRecord(edge, source, node.id, self._pairs[edge])
        self.add([node], [record])
        return record

    def home(self, table: NodeTable, source: int) -> Scope:
        """Return where the names of a kind hold for a node: what it belongs to, or only itself.

        That is an edge of `named_within` and the lowest id that it leads to; "" is the node itself.
        """
        return min(
            (
                (edge, target)
                for edge in table.named_within or ()
                for target in self._reached.get((edge, source), ())
            ),
            default=("", source),
        )

    def home_node(self, home: Scope) -> NodeRecord:
        """Return the node of a scope."""
        edge, key = home
        return self.nodes[(self.target(edge) if edge else self.table).name, key]

    def linked(self, table: NodeTable) -> Mapping[int, set[int]]:
        """Return what names the nodes of a kind, by the id of the node."""
        sources: dict[int, set[int]] = defaultdict(set)
        for (edge, source), targets in self._reached.items():
            if self._targets[edge].name == table.name:
                for target in targets:
                    sources[target].add(source)
        return sources

    def of_kind(self, table: NodeTable) -> list[NodeRecord]:
        """Return the nodes of a kind, by id."""
        return sorted(
            (node for (kind, _), node in self.nodes.items() if kind == table.name),
            key=lambda node: node.id,
        )

    def by_name(self, table: NodeTable) -> dict[str, list[NodeRecord]]:
        """Return the nodes of a kind by normal form.

        Where names are shared, text in brackets at its end is not part of it.
        """
        nodes_by_name: dict[str, list[NodeRecord]] = defaultdict(list)
        for node in self.of_kind(table):
            is_shared = table.named_within is not None
            name = without_brackets(node.name) if is_shared else node.name
            nodes_by_name[fold_mention(name)].append(node)
        return nodes_by_name

    def aliases(self, table: NodeTable) -> dict[str, str]:
        """Return the names of nodes of a kind by the normal form of an alias."""
        names = self._aliases.get(table.name, {})
        return {fold_mention(alias): name for alias, name in names.items()}
