"""Mentions that mean one node, and what such a node is called."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from moviegraph.engines.graph_records import NodeRecord
from moviegraph.loading.extraction.mention import Mention
from moviegraph.loading.extraction.names import commonest, normal_form


@dataclass(frozen=True, slots=True)
class Spelling:
    """A mention with its name cleaned, and in normal form."""

    mention: Mention
    name: str
    normal: str


@dataclass(frozen=True, slots=True)
class Cluster:
    """Mentions that mean one node.

    Attributes:
        key: A text that stays the same between loads; the id of a new node comes from it.
        name: What the node is called.
        mentions: In the order of source, edge and name.
        node: The loaded node that it is, if it is one.
        anchor: The name of what tells it from another of its name, where names are shared.
    """

    key: str
    name: str
    mentions: tuple[Spelling, ...] = ()
    node: NodeRecord | None = None
    anchor: str = ""

    @property
    def normal(self) -> str:
        """The name in normal form."""
        return normal_form(self.name)

    @property
    def sources(self) -> tuple[int, ...]:
        """Ids of the nodes that name it, in order."""
        return tuple(sorted({each.mention.source for each in self.mentions}))


def cluster_of_node(node: NodeRecord, mentions: Iterable[Spelling] = ()) -> Cluster:
    """Return a loaded node with what means it."""
    return Cluster(f"#{node.id}", node.name, in_order(mentions), node)


def new_cluster(
    key: str, mentions: Iterable[Spelling], *, name: str | None = None, anchor: str = ""
) -> Cluster:
    """Return a node to be made, by default with the commonest spelling."""
    ordered = in_order(mentions)
    name = name or commonest(Counter(each.name for each in ordered))
    return Cluster(key, name, ordered, anchor=anchor)


def merged(canonical: Cluster, others: Iterable[Cluster]) -> Cluster:
    """Return one cluster in the place of several; key, name and node are the first one's."""
    mentions = [*canonical.mentions, *(spelling for other in others for spelling in other.mentions)]
    return Cluster(
        canonical.key, canonical.name, in_order(mentions), canonical.node, canonical.anchor
    )


def in_order(mentions: Iterable[Spelling]) -> tuple[Spelling, ...]:
    """Return mentions in the order of source, edge, name and evidence."""
    return tuple(sorted(mentions, key=_place))


def _place(spelling: Spelling) -> tuple[int, str, str, str]:
    mention = spelling.mention
    return mention.source, mention.edge, mention.name, mention.evidence
