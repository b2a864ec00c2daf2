"""Nodes that a caller refers to: examples to be like, nodes to exclude, starts and ends.

A name that no kind has is tried as a misspelled one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.base import Vector
from moviegraph.engines.retrieval_primitives import GraphReader, Ids, Selection, node_ids
from moviegraph.errors import ArgumentError, ExecutionError, NotFoundError
from moviegraph.query.name_resolver import (
    Item,
    NamedNode,
    NameResolver,
    node_names,
    unmatched_name_notes,
)
from moviegraph.query.query_pipeline import CallRecorder
from moviegraph.sql.decision import Allowed
from moviegraph.sql.match_patterns import Hop
from moviegraph.text import plural

QUERY_WEIGHT = 1.5
"""What a query counts beside the mean of the nodes in `like`."""

MAX_MENTIONED = 3  # nodes that are suggested beside those that a name means
MAX_LISTED = 10
MAX_QUERY_NAME_CHARS = 200
NO_IDS: Ids = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class ResolvedNodes:
    """Nodes of one kind in the order given, with their names by id, and notes on the reading."""

    ids: Ids
    names: dict[int, str]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exclusion:
    """The nodes that leave the result, ascending, and a note for each name given."""

    ids: Ids
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Unknown:
    """An item that means no node, what may help, and the nearest names."""

    problem: str
    hints: tuple[str, ...]
    names: tuple[str, ...] = ()


@dataclass(slots=True)
class _Meaning:
    """A node that a name in `exclude` means, and the nodes of the result's kind that it removes."""

    node: NamedNode
    removed: set[int] = field(default_factory=set[int])


class References:
    """Resolves the references of one call to nodes of one kind, the kind of its result."""

    def __init__(self, graph: GraphReader, contract: Contract, node: NodeTable) -> None:
        self._graph = graph
        self._contract = contract
        self._node = node
        self.names = NameResolver(graph, contract)

    def nodes(self, items: Sequence[Item], argument: str) -> ResolvedNodes:
        """Return the nodes of the kind that ids and names mean.

        An item without a node is noted, with the nearest names.

        Raises:
            ArgumentError: An item means nodes of another kind only.
            NotFoundError: No item means a node.
        """

        def refuse(item: Item, other_nodes: Sequence[NamedNode]) -> tuple[dict[int, str], str]:
            raise ArgumentError(
                f"{item!r} in `{argument}` is a {other_nodes[0].kind}, not a {self._node.name}.",
                hint=f"Use nodes of kind {self._node.name}, or set the kind.",
            )

        return self._resolve(items, [self._node], refuse)

    def examples(self, items: Sequence[Item]) -> ResolvedNodes:
        """Return the nodes of the kind that `like` means.

        A name that only another kind has means the nodes linked to it by one edge.

        Raises:
            ArgumentError: A name means nodes without a linked node of the kind.
            NotFoundError: No item means a node.
        """
        return self._resolve(items, self._kinds(), self._linked_examples)

    def _resolve(
        self,
        items: Sequence[Item],
        kinds: Sequence[NodeTable],
        use_others: Callable[[Item, Sequence[NamedNode]], tuple[dict[int, str], str]],
    ) -> ResolvedNodes:
        """Return the nodes that items mean; a name that no kind has is tried as a misspelled one.

        `use_others` returns the nodes to use, and a note, where an item means nodes of other kinds.
        """
        notes: list[str] = []
        names: dict[int, str] = {}
        for item, meanings in self.names.resolve(items, self._node, kinds).items():
            nodes = meanings
            if not nodes and isinstance(item, str) and not self._others_named(item):
                nodes = self.names.misspelled(item, self._node)
            same_kind = [node for node in nodes if node.kind == self._node.name]
            if nodes and not same_kind:
                linked, note = use_others(item, nodes)
                notes.append(note)
                names |= linked
            else:
                notes += self._notes_on(item, same_kind)
                names |= {node.id: node.name for node in same_kind}
        if not names:
            raise self._not_found(list(items))
        return ResolvedNodes(np.array(list(names), dtype=np.int64), names, tuple(notes))

    def exclusion(self, items: Sequence[Item]) -> Exclusion:
        """Return what leaves the result: the named nodes, and those linked to a named node.

        A near spelling is only suggested, and nothing is excluded without a note.
        """
        if not items:
            return Exclusion(NO_IDS)
        kinds = self._kinds()
        meanings = self.names.resolve(items, self._node, kinds)
        notes: list[str] = []
        removed: set[int] = set()
        for item, nodes in meanings.items():
            used, skipped = self._weigh(self._with_links(nodes))
            removed |= {node_id for meaning in used for node_id in meaning.removed}
            notes.append(self._exclusion_note(item, used, skipped))
        return Exclusion(node_ids(list(removed)), tuple(notes))

    def _kinds(self) -> list[NodeTable]:
        others = [kind for kind in self._contract.nodes if kind.name != self._node.name]
        return [self._node, *others]

    def _others_named(self, name: str) -> list[NamedNode]:
        """Return the nodes of other kinds that have a name."""
        return self.names.named([name], self._kinds()[1:])[name]

    def _notes_on(self, item: Item, nodes: Sequence[NamedNode]) -> Iterator[str]:
        """Yield how an item was read, where that is not obvious."""
        if not nodes:
            unknown = self._unknown(item)
            yield " ".join([unknown.problem, *unknown.hints])
        elif len(nodes) > 1:
            references = ", ".join(node.reference for node in nodes[:MAX_LISTED])
            yield (
                f"{item!r} matches {len(nodes)} nodes: {references}. All of them are used; pass "
                "an id to use one."
            )
        elif nodes[0].found_by in ("alias", "suffix", "spelling"):
            yield f"{item!r} was interpreted as {nodes[0].described}."

    def _not_found(self, items: Sequence[Item]) -> NotFoundError:
        """Return the error of a list in which nothing means a node."""
        unknown = [self._unknown(item) for item in items[:MAX_LISTED]]
        hints = dict.fromkeys(hint for entry in unknown for hint in entry.hints)
        return NotFoundError(
            " ".join(entry.problem for entry in unknown),
            hint=" ".join(hints) or "Search for it first, or use ids from an earlier result.",
            suggestions=tuple(dict.fromkeys(name for entry in unknown for name in entry.names)),
        )

    def _unknown(self, item: Item) -> _Unknown:
        kind = self._node.name
        if isinstance(item, int):
            return _Unknown(f"No {kind} has the id {item}.", ())
        hints: list[str] = []
        if other_nodes := self._others_named(item):
            hints.append(f"It is {other_nodes[0].described}.")
        similar = self.names.similar(item, self._node, MAX_MENTIONED)
        if similar:
            hints.append(f"Nearest: {', '.join(node.described for node in similar)}.")
        if item.isdigit():
            hints.append("Pass an id as a number, not as a string.")
        names = tuple(node.name for node in similar)
        return _Unknown(f"No {kind} is named {item!r}.", tuple(hints), names)

    def _linked_examples(
        self, item: Item, nodes: Sequence[NamedNode]
    ) -> tuple[dict[int, str], str]:
        """Return the nodes of the kind that are linked to the first meaning that has any."""
        for node in nodes:
            ids = node_ids(list(self._linked_to(node)))
            if len(ids):
                names = node_names(self._graph, self._contract, self._node.name, ids.tolist())
                linked = plural(len(ids), f"{self._node.name} node")
                return names, f"{item!r} is {node.described}: its {linked} are used instead."
        raise ArgumentError(
            f"{item!r} in `like` is {nodes[0].described}; no {self._node.name} is linked to it.",
            hint=f"Use a {self._node.name}, or set `kind` to {nodes[0].kind}.",
        )

    def _linked_to(self, node: NamedNode) -> set[int]:
        """Return the nodes of the kind that one edge, in either direction, links to a node."""
        linked: set[int] = set()
        for edge in self._contract.between(self._node.name, node.kind):
            if edge.from_table == node.kind:
                linked.update(self._follow(node, Hop(edge.name, True, self._node.name)))
            if edge.to_table == node.kind:
                linked.update(self._follow(node, Hop(edge.name, False, self._node.name)))
        return linked

    def _follow(self, node: NamedNode, hop: Hop) -> list[int]:
        return self._graph.neighbors(node.kind, hop, node_ids([node.id])).targets.tolist()

    def _with_links(self, nodes: Iterable[NamedNode]) -> list[_Meaning]:
        return [
            _Meaning(node, {node.id} if node.kind == self._node.name else self._linked_to(node))
            for node in nodes
        ]

    def _weigh(self, meanings: list[_Meaning]) -> tuple[list[_Meaning], list[_Meaning]]:
        """Return the meanings that are used, and those with too many links beside a smaller one."""
        hub_cut = self._contract.limits.hub_cut
        small = [meaning for meaning in meanings if len(meaning.removed) <= hub_cut]
        if not small:
            return meanings, []
        return small, [meaning for meaning in meanings if len(meaning.removed) > hub_cut]

    def _exclusion_note(
        self, item: Item, used: Sequence[_Meaning], skipped: Sequence[_Meaning]
    ) -> str:
        if not used:
            return self._nothing_excluded(item)
        removals = "; ".join(
            f"{meaning.node.described} removes {len(meaning.removed)}"
            for meaning in used[:MAX_LISTED]
        )
        parts = [f"Excluded by {item!r}: {removals}."]
        if len(used) > MAX_LISTED:
            parts.append(f"{len(used) - MAX_LISTED} more nodes with that name are excluded.")
        if len(used) > 1:
            parts.append(f"Use {used[0].node.reference!r} to exclude only one.")
        if skipped:
            hubs = ", ".join(
                f"{meaning.node.described} ({len(meaning.removed)})"
                for meaning in skipped[:MAX_MENTIONED]
            )
            parts.append(f"Not excluded, because of too many links: {hubs}.")
        parts += self._not_excluded(item, used)
        return " ".join(parts)

    def _not_excluded(self, item: Item, used: Sequence[_Meaning]) -> list[str]:
        """Mention nodes whose name contains the given one and that stay in the result."""
        if not isinstance(item, str):
            return []
        removed = {node_id for meaning in used for node_id in meaning.removed}
        used_nodes = {(meaning.node.kind, meaning.node.id) for meaning in used}
        name = used[0].node.name if used[0].node.found_by != "id" else ""
        if not name:
            return []
        text = item.rpartition(":")[2].strip()
        remaining: list[str] = []
        for node in self.names.containing(text, self._kinds(), MAX_LISTED):
            is_removed = node.kind == self._node.name and node.id in removed
            if not is_removed and (node.kind, node.id) not in used_nodes:
                remaining.append(node.described)
        if not remaining:
            return []
        return [
            f"Not excluded, though the name contains it: {', '.join(remaining[:MAX_MENTIONED])}."
        ]

    def _nothing_excluded(self, item: Item) -> str:
        if isinstance(item, int):
            return f"Nothing is excluded by {item}: no {self._node.name} has that id."
        suggestions = self.names.nearest_names(item, self._kinds())
        hint = f" Nearest: {', '.join(suggestions)}." if suggestions else ""
        return f"Nothing is excluded by {item!r}: no node has that name.{hint}"


@dataclass(frozen=True, slots=True)
class NodeSelection:
    """The nodes that a search may return, and those that it may not.

    `left_out` are the nodes of `like` (the examples) and of `exclude`, ascending.
    """

    names: NameResolver
    examples: Ids
    left_out: Ids
    among: Selection | None


def select_nodes(
    recording: CallRecorder,
    graph: GraphReader,
    node: NodeTable,
    condition: Allowed | None,
    like: Sequence[Item],
    exclude: Sequence[Item],
) -> NodeSelection:
    """Return what `where`, `like` and `exclude` select, and note how they were read."""
    contract = recording.session.contract
    if condition is not None and condition.compared_names:
        recording.notes += unmatched_name_notes(graph, contract, condition.compared_names)
    references = References(graph, contract, node)
    examples = NO_IDS
    if like:
        resolved = references.examples(like)
        examples = resolved.ids
        recording.notes += resolved.notes
    exclusion = references.exclusion(exclude)
    recording.notes += exclusion.notes
    excluded = node_ids([*exclusion.ids.tolist(), *examples.tolist()])
    among = graph.select(node.name, condition, excluded)
    return NodeSelection(references.names, examples, excluded, among)


def nodes_named_by_query(
    recording: CallRecorder, names: NameResolver, node: NodeTable, limit: int
) -> list[NamedNode]:
    """Return the nodes that the whole query names, and note how it was read."""
    text = recording.query or ""
    if len(text) > MAX_QUERY_NAME_CHARS:
        return []
    nodes = names.named([text], [node])[text][:limit]
    recording.notes += [
        f"{text!r} was interpreted as {node_id.described}."
        for node_id in nodes
        if node_id.found_by in ("alias", "suffix")
    ]
    return nodes


def mean_vector(graph: GraphReader, node: NodeTable, ids: Ids) -> Vector | None:
    """Return the mean of the unit vectors of nodes, of unit length; None if there are none."""
    matrix = graph.vectors(node.name, node_ids(ids.tolist()))
    mean = matrix.mean(axis=0) if len(matrix) else np.zeros(1, dtype=np.float32)
    length = float(np.linalg.norm(mean))
    return (mean / length).astype(np.float32) if length else None


def combined_vector(
    graph: GraphReader, node: NodeTable, examples: Ids, query: Vector | None
) -> Vector:
    """Return the vector to search by: unit(mean of the examples) + 1.5 query, of unit length.

    Raises:
        ExecutionError: The examples have no vectors (code no_vectors).
    """
    if not len(examples):
        assert query is not None
        return query
    vector = mean_vector(graph, node, examples)
    if vector is None:
        raise ExecutionError(
            "The nodes in `like` have no vectors to compare with.",
            code="no_vectors",
            hint="Use fulltext_search, or graph_traverse from these nodes.",
        )
    if query is not None:
        vector = vector + QUERY_WEIGHT * query
    return (vector / np.linalg.norm(vector)).astype(np.float32)
