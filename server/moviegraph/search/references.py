"""Nodes that a caller refers to: examples to be like, nodes to exclude, starts and ends."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.base import Vector
from moviegraph.engines.retrieval_primitives import GraphReader, Ids, Selection, node_ids
from moviegraph.errors import ArgumentError, ExecutionError, NotFoundError
from moviegraph.query.names import (
    Item,
    NamedNode,
    NameResolver,
    node_names,
    unmatched_name_notes,
)
from moviegraph.query.query_pipeline import CallRecorder
from moviegraph.sql.decision import Allowed
from moviegraph.sql.match_patterns import hops_from
from moviegraph.text import plural

QUERY_WEIGHT = 1.5
"""What a query counts beside the mean of the nodes in `like`."""

MAX_MENTIONED = 3  # nodes that are suggested beside those that a name means
MAX_LISTED = 10
MAX_QUERY_NAME_CHARS = 200
NO_IDS: Ids = np.zeros(0, dtype=np.int64)
Meaning = tuple[NamedNode, set[int]]  # of a name in `exclude`, and the nodes that it removes


@dataclass(frozen=True, slots=True)
class ResolvedNodes:
    """Nodes of one kind in the order given, with their names by id, and notes on the reading."""

    ids: Ids
    names: dict[int, str]
    notes: tuple[str, ...] = ()


class References:
    """Resolves the references of one call to nodes of one kind, the kind of its result."""

    def __init__(self, graph: GraphReader, contract: Contract, node: NodeTable) -> None:
        self._graph = graph
        self._contract = contract
        self._node = node
        self._others = [kind for kind in contract.nodes if kind.name != node.name]
        self._kinds = [node, *self._others]
        self.names = NameResolver(graph, contract)

    def nodes(self, items: Sequence[Item], argument: str) -> ResolvedNodes:
        """Return the nodes of the kind that ids and names mean.

        A name that no kind has is tried as a misspelled one, in `like` of any kind. An item without
        a node is noted, with the nearest names. In `like`, a name that only another kind has means
        the nodes linked to it by one edge.

        Raises:
            ArgumentError: An item means nodes of another kind only.
            NotFoundError: No item means a node.
        """
        is_like = argument == "like"
        kinds = self._kinds if is_like else [self._node]
        notes: list[str] = []
        names: dict[int, str] = {}
        for item, meanings in self.names.resolve(items, self._node, kinds).items():
            nodes = meanings
            if not nodes and isinstance(item, str) and not self._others_named(item):
                nodes = self._misspelled(item, is_like=is_like)
            same_kind = [node for node in nodes if node.kind == self._node.name]
            if same_kind or not nodes:
                notes += self._notes_on(item, same_kind, kinds)
                names |= {node.id: node.name for node in same_kind}
            elif is_like:
                linked, note = self._linked_examples(item, nodes)
                notes.append(note)
                names |= linked
            else:
                raise ArgumentError(
                    f"{item!r} in `{argument}` is a {nodes[0].kind}, not a {self._node.name}.",
                    hint=f"Use nodes of kind {self._node.name}, or set the kind.",
                )
        if not names:
            raise self._not_found(items, kinds)
        return ResolvedNodes(np.array(list(names), dtype=np.int64), names, tuple(notes))

    def exclusion(self, items: Sequence[Item]) -> tuple[Ids, list[str]]:
        """Return what leaves the result, ascending, and a note for each item.

        Removed are the named nodes, and those linked to a named node; but for a meaning with more
        links than the hub cut where a smaller one exists. A near spelling is only suggested.
        """
        notes: list[str] = []
        removed: set[int] = set()
        for item, nodes in self.names.resolve(items, self._node, self._kinds).items():
            meanings = [
                (node, {node.id} if node.kind == self._node.name else self._linked_to(node))
                for node in nodes
            ]
            hub_cut = self._contract.limits.hub_cut
            small = [meaning for meaning in meanings if len(meaning[1]) <= hub_cut]
            used = small or meanings
            skipped = [meaning for meaning in meanings if meaning not in used]
            removed.update(*(links for _, links in used))
            notes.append(self._exclusion_note(item, used, skipped))
        return node_ids(list(removed)), notes

    def _others_named(self, name: str) -> list[NamedNode]:
        """Return the nodes of other kinds that have a name."""
        return self.names.named([name], self._others)[name]

    def _misspelled(self, name: str, *, is_like: bool) -> list[NamedNode]:
        """Return the nodes that a misspelled name means, those of the own kind before others."""
        nodes = self.names.misspelled(name, [self._node])
        return nodes or (self.names.misspelled(name, self._others) if is_like else [])

    def _notes_on(
        self, item: Item, nodes: Sequence[NamedNode], kinds: Sequence[NodeTable]
    ) -> Iterator[str]:
        """Yield how an item was read, where that is not obvious."""
        if not nodes:
            problem, hints, _ = self._unknown(item, kinds)
            yield " ".join([problem, *hints])
        elif len(nodes) > 1:
            references = ", ".join(node.reference for node in nodes[:MAX_LISTED])
            yield (
                f"{item!r} matches {len(nodes)} nodes: {references}. All of them are used; pass "
                "an id to use one."
            )
        elif nodes[0].found_by in ("alias", "suffix", "spelling"):
            yield f"{item!r} was interpreted as {nodes[0].described}."

    def _not_found(self, items: Sequence[Item], kinds: Sequence[NodeTable]) -> NotFoundError:
        """Return the error of a list in which nothing means a node."""
        unknown = [self._unknown(item, kinds) for item in items[:MAX_LISTED]]
        hints = dict.fromkeys(hint for _, hints, _ in unknown for hint in hints)
        return NotFoundError(
            " ".join(problem for problem, _, _ in unknown),
            hint=" ".join(hints) or "Search for it first, or use ids from an earlier result.",
            suggestions=tuple(dict.fromkeys(name for _, _, names in unknown for name in names)),
        )

    def _unknown(self, item: Item, kinds: Sequence[NodeTable]) -> tuple[str, list[str], list[str]]:
        """Return that an item means no node, what may help, and the nearest names."""
        kind = self._node.name
        if isinstance(item, int):
            return f"No {kind} has the id {item}.", [], []
        hints: list[str] = []
        if other_nodes := self._others_named(item):
            hints.append(f"It is {other_nodes[0].described}.")
        similar = self.names.nearest(item, kinds, MAX_MENTIONED)
        if similar:
            hints.append(f"Nearest: {', '.join(node.described for node in similar)}.")
        if item.isdigit():
            hints.append("Pass an id as a number, not as a string.")
        return f"No {kind} is named {item!r}.", hints, [node.name for node in similar]

    def _linked_examples(
        self, item: Item, nodes: Sequence[NamedNode]
    ) -> tuple[dict[int, str], str]:
        """Return the nodes of the kind that are linked to the first meaning that has any."""
        for node in nodes:
            linked = self._linked_to(node)
            if linked:
                names = node_names(self._graph, self._contract, self._node.name, linked)
                count = plural(len(linked), f"{self._node.name} node")
                return names, f"{item!r} is {node.described}: its {count} are used instead."
        raise ArgumentError(
            f"{item!r} in `like` is {nodes[0].described}; no {self._node.name} is linked to it.",
            hint=f"Use a {self._node.name}, or set `kind` to {nodes[0].kind}.",
        )

    def _linked_to(self, node: NamedNode) -> set[int]:
        """Return the nodes of the kind that one edge, in either direction, links to a node."""
        linked: set[int] = set()
        for hop in hops_from(self._contract, node.kind):
            if hop.kind == self._node.name:
                pairs = self._graph.neighbors(node.kind, hop, node_ids([node.id]))
                linked.update(pairs.targets.tolist())
        return linked

    def _exclusion_note(
        self, item: Item, used: Sequence[Meaning], skipped: Sequence[Meaning]
    ) -> str:
        if not used:
            return self._nothing_excluded(item)
        removals = "; ".join(
            f"{node.described} removes {len(links)}" for node, links in used[:MAX_LISTED]
        )
        parts = [f"Excluded by {item!r}: {removals}."]
        if len(used) > MAX_LISTED:
            parts.append(f"{len(used) - MAX_LISTED} more nodes with that name are excluded.")
        if len(used) > 1:
            parts.append(f"Use {used[0][0].reference!r} to exclude only one.")
        if skipped:
            hubs = ", ".join(
                f"{node.described} ({len(links)})" for node, links in skipped[:MAX_MENTIONED]
            )
            parts.append(f"Not excluded, because of too many links: {hubs}.")
        if isinstance(item, str) and used[0][0].found_by != "id":
            parts += self._not_excluded(item.rpartition(":")[2].strip(), used)
        return " ".join(parts)

    def _not_excluded(self, text: str, used: Sequence[Meaning]) -> Iterator[str]:
        """Mention nodes whose name contains the given one and that stay in the result."""
        left_out = {(node.kind, node.id) for node, _ in used}
        left_out |= {(self._node.name, node_id) for _, links in used for node_id in links}
        remaining = [
            node.described
            for node in self.names.containing(text, self._kinds, MAX_LISTED)
            if (node.kind, node.id) not in left_out
        ]
        if remaining:
            listed = ", ".join(remaining[:MAX_MENTIONED])
            yield f"Not excluded, though the name contains it: {listed}."

    def _nothing_excluded(self, item: Item) -> str:
        if isinstance(item, int):
            return f"Nothing is excluded by {item}: no {self._node.name} has that id."
        similar = self.names.nearest(item, self._kinds, MAX_MENTIONED)
        hint = f" Nearest: {', '.join(node.described for node in similar)}." if similar else ""
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
        resolved = references.nodes(like, "like")
        examples = resolved.ids
        recording.notes += resolved.notes
    removed, notes = references.exclusion(exclude) if exclude else (NO_IDS, [])
    recording.notes += notes
    excluded = np.union1d(removed, examples)
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
        f"{text!r} was interpreted as {named.described}."
        for named in nodes
        if named.found_by in ("alias", "suffix")
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
