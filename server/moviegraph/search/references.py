"""Nodes that a caller refers to: examples to be like, nodes to exclude, starts and ends."""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.base import Vector
from moviegraph.engines.retrieval_primitives import (
    GraphReader,
    Ids,
    Linked,
    Selection,
    node_ids,
)
from moviegraph.errors import ArgumentError, ExecutionError, NotFoundError
from moviegraph.query.names import (
    Item,
    NamedNode,
    NameResolver,
    node_names,
    node_table,
    unmatched_name_notes,
    without_suffix,
)
from moviegraph.query.query_pipeline import CallRecorder
from moviegraph.sql.contains import indexed_words
from moviegraph.sql.decision import Allowed
from moviegraph.sql.match_patterns import hops_from
from moviegraph.text import plural

QUERY_WEIGHT = 1.5
"""What a query counts beside the mean of the nodes in `like`."""

MAX_MENTIONED = 3  # nodes that are suggested beside those that a name means
MAX_LISTED = 10
MAX_QUERY_NAME_CHARS = 200
NO_IDS: Ids = np.zeros(0, dtype=np.int64)
QUALIFIER = re.compile(r"\s*[(:]")
Meaning = tuple[NamedNode, int]  # of a name in `exclude` or `only`, and how many it is linked to


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
            links = {
                node: {node.id} if node.kind == self._node.name else self._linked_to(node)
                for node in nodes
            }
            hub_cut = self._contract.limits.hub_cut
            small = [node for node in nodes if len(links[node]) <= hub_cut]
            used = small or nodes
            removed.update(*(links[node] for node in used))
            meanings = [(node, len(links[node])) for node in used]
            skipped = [(node, len(links[node])) for node in nodes if node not in used]
            left_out = {(self._node.name, node_id) for node in used for node_id in links[node]}
            notes.append(self._exclusion_note(item, meanings, skipped, left_out))
        return node_ids(list(removed)), notes

    def restriction(self, items: Sequence[Item]) -> tuple[list[Linked], list[str]]:
        """Return what the nodes of a result must be linked to, an entry for each item, and notes.

        An item means all nodes that it names, of all kinds that an edge joins with that of the
        result; where it names none, nothing is linked to it. A near spelling is only suggested.

        Raises:
            ArgumentError: An item means nodes of other kinds only.
        """
        joined = {hop.kind for hop in hops_from(self._contract, self._node.name)}
        linked: list[Linked] = []
        notes: list[str] = []
        for item in items:
            parts = self.names.alternatives(item)
            ends: dict[str, list[int]] = {}
            for part, nodes in self.names.resolve(parts, self._node, self._kinds).items():
                used = [node for node in nodes if node.kind in joined]
                kind = self.names.kind_before(part) if isinstance(part, str) else self._node
                kinds = [node.kind for node in nodes] or [kind.name if kind else ""]
                if not used and kinds[0] and joined.isdisjoint(kinds):
                    raise self._not_joined(part, kinds[0], joined)
                for node in used:
                    ends.setdefault(node.kind, []).append(node.id)
                notes.append(self._restriction_note(part, used, joined))
            linked.append({kind: node_ids(ids) for kind, ids in ends.items()})
        return linked, notes

    def _not_joined(self, item: Item, kind: str, joined: set[str]) -> ArgumentError:
        kinds = [node.name for node in self._kinds if node.name in joined]
        return ArgumentError(
            f"{item!r} in `only` is a {kind}; no edge joins {self._node.name} and {kind}.",
            hint=f"Use names of {', '.join(kinds)}, as {kinds[0]}:Name." if kinds else None,
        )

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
            other = other_nodes[0]
            hints.append(f"It is {other.described}. Use its kind, as in '{other.reference}'.")
        similar = self.names.nearest(item, kinds, MAX_MENTIONED)
        if similar:
            hints.append(f"Nearest: {', '.join(node.described for node in similar)}.")
        is_named = "has the name or the id" if item.isdigit() else "is named"
        problem = f"No {kind} {is_named} {item!r}."
        return problem, hints, [node.name for node in similar]

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
        self,
        item: Item,
        used: Sequence[Meaning],
        skipped: Sequence[Meaning],
        left_out: Container[tuple[str, int]],
    ) -> str:
        if not used:
            return f"Nothing is excluded by {self._unknown_item(item, self._kinds)}"
        removals = "; ".join(f"{node.described} removes {n}" for node, n in used[:MAX_LISTED])
        parts = [f"Excluded by {item!r}: {removals}."]
        if len(used) > MAX_LISTED:
            parts.append(f"{len(used) - MAX_LISTED} more nodes with that name are excluded.")
        if len(used) > 1:
            parts.append(f"Use {used[0][0].reference!r} to exclude only one.")
        if skipped:
            hubs = ", ".join(f"{node.described} ({n})" for node, n in skipped[:MAX_MENTIONED])
            parts.append(f"Not excluded, because of too many links: {hubs}.")
        kin = [
            node
            for node in self._kin(item, used, self._kinds)
            if (node.kind, node.id) not in left_out
        ]
        parts += _mentioned("Not excluded, though the name contains it", kin)
        return " ".join(parts)

    def _restriction_note(
        self, item: Item, nodes: Sequence[NamedNode], joined: Container[str]
    ) -> str:
        kinds = [kind for kind in self._kinds if kind.name in joined]
        if not nodes:
            return f"Nothing is kept by {self._unknown_item(item, kinds)}"
        used = [(node, self._edges_to(node)) for node in nodes]
        ends = "; ".join(f"{node.described} with {n} edges" for node, n in used[:MAX_LISTED])
        parts = [f"Kept by {item!r}: {ends}."]
        if len(used) > MAX_LISTED:
            parts.append(f"{len(used) - MAX_LISTED} more nodes with that name keep what they link.")
        if len(used) > 1:
            parts.append(f"Use {used[0][0].reference!r} to keep by only one.")
        kin = self._kin(item, used, kinds)
        parts += _mentioned("Not kept by, though the name contains it", kin)
        return " ".join(parts)

    def _edges_to(self, node: NamedNode) -> int:
        """Return how many edges a node has in the tables that join its kind with the result's."""
        tables = {
            hop.edge for hop in hops_from(self._contract, node.kind) if hop.kind == self._node.name
        }
        degrees = self._graph.degrees(node.kind, node_ids([node.id]))
        return sum(int(degrees[table][0]) for table in tables)

    def _kin(
        self, item: Item, used: Sequence[Meaning], kinds: Sequence[NodeTable]
    ) -> list[NamedNode]:
        """Return other nodes whose name contains the given one.

        Of a kind with suffixes the stem counts, which is the name without suffix, brackets, and
        what follows a colon; where no name contains it, the few of the kind that begin alike.
        """
        first = used[0][0]
        kind = node_table(self._contract, first.kind)
        is_key = isinstance(item, int) or first.found_by in ("id", "source key")
        if is_key and not kind.name_suffixes:
            return []
        text = first.name if is_key else str(item)
        if not is_key and self.names.kind_before(text):
            text = text.partition(":")[2].strip()
        text = without_suffix(kind, text)
        if kind.name_suffixes:
            text = QUALIFIER.split(text)[0] or text
        named = {(node.kind, node.id) for node, _ in used}
        found = self.names.containing(text, kinds, MAX_LISTED)
        kin = [node for node in found if (node.kind, node.id) not in named]
        beginning = text.rpartition(" ")[0]
        if kin or not kind.name_suffixes or not any(indexed_words(beginning)):
            return kin
        alike = [
            node
            for node in self.names.containing(beginning, [kind], MAX_LISTED)
            if node.name.startswith(beginning) and (node.kind, node.id) not in named
        ]
        return alike if len(alike) <= MAX_MENTIONED else []

    def _unknown_item(self, item: Item, kinds: Sequence[NodeTable]) -> str:
        if isinstance(item, int):
            return f"{item}: no {self._node.name} has that id."
        similar = self.names.nearest(item, kinds, MAX_MENTIONED)
        hint = f" Nearest: {', '.join(node.described for node in similar)}." if similar else ""
        return f"{item!r}: no node has that name.{hint}"


def _mentioned(introduction: str, nodes: Sequence[NamedNode]) -> Iterator[str]:
    if nodes:
        listed = ", ".join(node.described for node in nodes[:MAX_MENTIONED])
        yield f"{introduction}: {listed}."


@dataclass(frozen=True, slots=True)
class NodeSelection:
    """The nodes that a search may return, and those that it may not.

    `left_out` are the nodes of `like` (the examples) and of `exclude`, ascending; `linked` is what
    `only` names.
    """

    names: NameResolver
    examples: Ids
    left_out: Ids
    linked: tuple[Linked, ...]
    among: Selection | None


def select_nodes(
    recording: CallRecorder,
    graph: GraphReader,
    node: NodeTable,
    condition: Allowed | None,
    like: Sequence[Item],
    only: Sequence[Item],
    exclude: Sequence[Item],
) -> NodeSelection:
    """Return what `where`, `like`, `only` and `exclude` select, and note how they were read."""
    contract = recording.session.contract
    if condition is not None and condition.compared_names:
        recording.notes += unmatched_name_notes(graph, contract, condition.compared_names)
    references = References(graph, contract, node)
    examples = NO_IDS
    if like:
        resolved = references.nodes(like, "like")
        examples = resolved.ids
        recording.notes += resolved.notes
    linked, notes = references.restriction(only)
    recording.notes += notes
    removed, notes = references.exclusion(exclude) if exclude else (NO_IDS, [])
    recording.notes += notes
    excluded = np.union1d(removed, examples)
    among = graph.select(node.name, condition, excluded, linked)
    return NodeSelection(references.names, examples, excluded, tuple(linked), among)


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
