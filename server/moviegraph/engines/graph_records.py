"""The records that a graph is built from, and the text of a node that is embedded."""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from itertools import count
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import (
    Column,
    Connection,
    Contract,
    EdgeTable,
    NodeTable,
    Pair,
)
from moviegraph.contract.samples import SampleLink
from moviegraph.embeddings.embedder import (
    MAX_EMBEDDED_CHARS,
    Embedder,
    Vectors,
    VectorSpace,
    embed_documents,
)
from moviegraph.engines.base import Description
from moviegraph.engines.load_facts import (
    NO_LOSSES,
    NO_STATISTICS,
    EdgeCounts,
    Losses,
    Statistics,
)
from moviegraph.engines.load_samples import sample_link, samples_of
from moviegraph.engines.retrieval_primitives import KIND_BITS, LOW
from moviegraph.errors import GraphError

MAX_ALIAS_CHARS = 200
ORDERS: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys(("DATE", "DATETIME2"), str),  # ISO texts sort as their dates
    **dict.fromkeys(("INT", "BIGINT"), int),
    "FLOAT": float,
    "DECIMAL": Decimal,
}
Ids = NDArray[np.int64]
Texts = NDArray[np.object_]
Key = int | str
FORMAT = 2
KIND_LABEL = re.compile(r"(?:(?<=\n)|; )(\w+): ")
FURTHER_WEIGHT = 0.15  # benchmarks.retrieval on 10,000 films: 0 and 0.3 find less, 1 loses plots
EMBEDDED = {
    "embedded": "name, then text; the text alone where it holds the name",
    "chunks": "a text longer than the model reads is the normalised mean of about equal chunks "
    f"of its first {MAX_EMBEDDED_CHARS:,} characters",
    "further names": FURTHER_WEIGHT,
}


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """One validated node; `values` contains the additional columns of its table by name."""

    kind: str
    id: int
    name: str
    content: str
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class EdgeRecord:
    """One validated edge between the ids of two nodes.

    `pair` is the place of the pair of node tables among those that the edge table connects;
    `values` are those of the table's columns in order, or empty where all are absent.
    """

    kind: str
    source: int
    target: int
    pair: int = 0
    values: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class AliasRecord:
    """An additional name of a node."""

    kind: str
    id: int
    alias: str


def embedded_text(name: str, content: str) -> str:
    """Return the text of a node that is embedded; its name comes first where the text lacks it."""
    name, content = name.rstrip(), content.rstrip()
    if not content or name.lower() in content.lower():
        return content or name
    return f"{name}. {content}"


def embed_texts(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Return the vectors of embedded texts; the further names of a last line weigh less.

    They are those after a kind that the line names again. In the mean of chunks of equal weight,
    dozens of names outweigh the prose. Raises EmbeddingError, VectorSpaceError.
    """
    parts = [_parted(text) for text in texts]
    vectors = embed_documents(embedder, [first for first, _ in parts])
    rows = [row for row, (_, further) in enumerate(parts) if further]
    if rows:
        further = embed_documents(embedder, [parts[row][1] for row in rows])
        mixed = vectors[rows] + FURTHER_WEIGHT * further
        vectors[rows] = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
    return vectors


def _parted(text: str) -> tuple[str, str]:
    """Return a text without the further names of its last line, and these, if there are any."""
    start, kinds = text.rfind("\n") + 1, set[str]()
    for label in KIND_LABEL.finditer(text, start) if start else ():
        if label[1] in kinds:
            return f"{text[: label.start()]}.", text[label.start(1) :]
        kinds.add(label[1])
    return text, ""


def text_digest(text: str) -> bytes:
    """Return the 16 bytes by which a text's vector is found again."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


@dataclass(frozen=True, slots=True, eq=False)
class NodeColumns:
    """The nodes of one table, those of a graph in the order of their ids.

    Attributes:
        table: The table.
        ids: The keys.
        node_ids: Unique over all node tables.
        names: The labels.
        contents: The texts; empty where the table has no text.
        extras: The other columns, as texts that the database casts; None where absent.
    """

    table: NodeTable
    ids: Ids
    node_ids: Ids
    names: Texts
    contents: Texts
    extras: dict[str, Texts]

    @classmethod
    def of(
        cls,
        contract: Contract,
        table: NodeTable,
        ids: Ids,
        names: Iterable[Any],
        contents: Iterable[Any],
        extras: Mapping[str, Iterable[Any]],
    ) -> Self:
        """Return nodes whose values are of whatever type."""
        node_ids = ids + (contract.nodes.index(table) << KIND_BITS)
        columns = {name: _texts(values) for name, values in extras.items()}
        return cls(table, ids, node_ids, _texts(names), _texts(contents), columns)

    def records(self) -> Iterator[NodeRecord]:
        """Yield each node as a record."""
        for key, name, content, *values in zip(
            self.ids.tolist(), self.names, self.contents, *self.extras.values(), strict=True
        ):
            columns = dict(zip(self.extras, values, strict=True))
            yield NodeRecord(self.table.name, key, name, content, columns)

    def places(self, ids: Ids) -> Ids:
        """Return where nodes with these ids are."""
        order = np.argsort(self.ids)
        return order[np.searchsorted(self.ids, ids, sorter=order)]

    def embedded_texts(self) -> list[str]:
        """Return the text of each node that is embedded."""
        return [embedded_text(*pair) for pair in zip(self.names, self.contents, strict=True)]

    def in_order(self) -> "NodeColumns":
        """Return the nodes in the order of their ids.

        Raises:
            GraphError: An id is out of range, or two nodes have the same.
        """
        order = np.argsort(self.ids, kind="stable")
        ids = self.ids[order]
        if len(ids) and (ids[0] < 0 or ids[-1] >= 1 << KIND_BITS):
            raise GraphError(f"An id of {self.table.name} is outside 0 to 2^{KIND_BITS} - 1.")
        doubles = ids[1:][ids[1:] == ids[:-1]]
        if len(doubles):
            raise GraphError(f"{self.table.name} has two nodes with the id {doubles[0]}.")
        extras = {name: texts[order] for name, texts in self.extras.items()}
        node_ids, names = self.node_ids[order], self.names[order]
        return NodeColumns(self.table, ids, node_ids, names, self.contents[order], extras)


@dataclass(frozen=True, slots=True, eq=False)
class PairEdges:
    """Edges of a table between one of its pairs of node tables, in the order of the source.

    Attributes:
        table: The table.
        pair: The place of the pair among those that the table connects.
        sources: The keys at their start.
        targets: The keys at their end.
        extras: The columns as texts; None where absent.
    """

    table: EdgeTable
    pair: int
    sources: Ids
    targets: Ids
    extras: dict[str, Texts]

    @classmethod
    def of(cls, table: EdgeTable, pair: int, rows: Iterable[tuple[Any, ...]]) -> Self:
        """Return the edges of rows of both keys, and the values of the columns, if any."""
        names = [column.name for column in table.columns]
        sources, targets, *values = [list(column) for column in zip(*rows, strict=True)] or ([], [])
        ends = np.array(sources, dtype=np.int64), np.array(targets, dtype=np.int64)
        columns = values or [[None] * len(sources)] * len(names)
        return cls(table, pair, *ends, dict(zip(names, map(_texts, columns), strict=True)))

    def records(self) -> Iterator[EdgeRecord]:
        """Yield each edge as a record."""
        for source, target, *values in zip(
            self.sources.tolist(), self.targets.tolist(), *self.extras.values(), strict=True
        ):
            yield EdgeRecord(self.table.name, source, target, self.pair, tuple(values))


@dataclass(frozen=True, slots=True, eq=False)
class EdgeColumns:
    """The edges of one table, without doubles, sorted by from, to and the values of columns."""

    table: EdgeTable
    edge_ids: Ids
    from_ids: Ids
    to_ids: Ids
    extras: dict[str, Texts] = field(default_factory=dict[str, Texts])


def node_columns(contract: Contract, nodes: Iterable[NodeRecord]) -> list[NodeColumns]:
    """Return records as the columns of each table of a contract, in their order.

    Raises:
        GraphError: The contract has no such kind.
    """
    rows: dict[str, list[NodeRecord]] = {node.name: [] for node in contract.nodes}
    for node in nodes:
        if node.kind not in rows:
            raise GraphError(f"The contract has no node table {node.kind!r}.")
        rows[node.kind].append(node)
    return [
        NodeColumns.of(
            contract,
            table,
            np.array([node.id for node in rows[table.name]], dtype=np.int64),
            [node.name for node in rows[table.name]],
            [node.content for node in rows[table.name]],
            {c.name: [node.values.get(c.name) for node in rows[table.name]] for c in table.extra},
        )
        for table in contract.nodes
    ]


def pair_edges(contract: Contract, edges: Iterable[EdgeRecord]) -> list[PairEdges]:
    """Return records by table and pair, in their order.

    Raises:
        GraphError: The contract has no such table.
    """
    tables = {table.name: table for table in contract.edges}
    rows: dict[tuple[str, int], list[tuple[Any, ...]]] = {}
    for edge in edges:
        if edge.kind not in tables:
            raise GraphError(f"The contract has no edge table {edge.kind!r}.")
        values = edge.values or (None,) * len(tables[edge.kind].columns)
        rows.setdefault((edge.kind, edge.pair), []).append((edge.source, edge.target, *values))
    return [PairEdges.of(tables[kind], pair, found) for (kind, pair), found in rows.items()]


def objects(values: Collection[Any]) -> Texts:
    """Return an array of values as they are."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _texts(values: Iterable[Any]) -> Texts:
    return objects([None if value is None else str(value).rstrip() for value in values])


def edge_columns(
    contract: Contract, nodes: list[NodeColumns], edges: Iterable[PairEdges]
) -> list[EdgeColumns]:
    """Return the edge tables of a graph.

    Args:
        contract: The contract.
        nodes: Its node tables, in the order of their ids.
        edges: The edges; doubles are folded.

    Raises:
        GraphError: An end is no node.
    """
    by_name = {columns.table.name.lower(): columns for columns in nodes}
    found: dict[str, list[PairEdges]] = {table.name: [] for table in contract.edges}
    for part in edges:
        found[part.table.name].append(part)
    return [
        _edges(table, at, by_name, found[table.name]) for at, table in enumerate(contract.edges)
    ]


def between(edges: EdgeColumns, contract: Contract, pair: Pair) -> Ids:
    """Return the places of the edges of a table that connect one pair of tables."""
    numbers = {node.name.lower(): number for number, node in enumerate(contract.nodes)}
    start, end = numbers[pair.from_table.lower()], numbers[pair.to_table.lower()]
    return np.flatnonzero(
        (edges.from_ids >> KIND_BITS == start) & (edges.to_ids >> KIND_BITS == end)
    )


def keys_between(edges: EdgeColumns, contract: Contract, pair: Pair) -> list[tuple[int, int]]:
    """Return the keys of both ends of the edges of a table that connect one pair of tables."""
    of_pair = between(edges, contract, pair)
    sources, targets = edges.from_ids[of_pair] & LOW, edges.to_ids[of_pair] & LOW
    return list(zip(sources.tolist(), targets.tolist(), strict=True))


def _edges(
    table: EdgeTable, at: int, nodes: dict[str, NodeColumns], parts: list[PairEdges]
) -> EdgeColumns:
    starts, targets = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for part in parts:
        pair = table.pairs[part.pair]
        starts.append(_node_ids(table, "from", nodes[pair.from_table.lower()], part.sources))
        targets.append(_node_ids(table, "to", nodes[pair.to_table.lower()], part.targets))
    names = [column.name for column in table.columns]
    extras = {name: objects([v for part in parts for v in part.extras[name]]) for name in names}
    from_ids, to_ids = np.concatenate(starts), np.concatenate(targets)
    ranks = _ranks(list(zip(*extras.values(), strict=True))) if names else np.zeros_like(to_ids)
    keys = np.stack((from_ids, to_ids, ranks))
    order = np.lexsort(keys[::-1])
    keys = keys[:, order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
    (from_ids, to_ids, _), order = keys[:, new], order[new]
    edge_ids = np.arange(len(from_ids), dtype=np.int64) + (at << KIND_BITS)
    columns = {name: texts[order] for name, texts in extras.items()}
    return EdgeColumns(table, edge_ids, from_ids, to_ids, columns)


def _ranks(rows: list[tuple[str | None, ...]]) -> Ids:
    """Return the place of each row among the different ones; an absent value comes first."""
    different = sorted(set(rows), key=lambda row: [(text is not None, text or "") for text in row])
    places = {row: place for place, row in enumerate(different)}
    return np.array([places[row] for row in rows], dtype=np.int64)


def _node_ids(table: EdgeTable, end: str, nodes: NodeColumns, ids: Ids) -> Ids:
    positions = np.searchsorted(nodes.ids, ids)
    inside = positions < len(nodes.ids)
    is_node = np.zeros(len(ids), dtype=bool)
    is_node[inside] = nodes.ids[positions[inside]] == ids[inside]
    if not is_node.all():
        raise GraphError(
            f"An edge of {table.name} has {end} {ids[~is_node][0]}, which is no {nodes.table.name}."
        )
    return nodes.node_ids[positions]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of a graph folder or database.

    Attributes:
        format: Version of the folder layout.
        contract_hash: Hash of the contract that the graph was built for.
        content_hash: Digest of the data and of how they were prepared.
        space: Vector space of the stored vectors, or None without vectors.
        counts: Rows of each table.
        vectors: Stored vectors of each node table.
        recipe: How texts were prepared.
        source: Where the data came from.
        contract: Name of the contract that the graph was built for.
        losses: What of the source is not in the graph.
        statistics: Counts and ranges of the data.
    """

    format: int
    contract_hash: str
    content_hash: str
    space: VectorSpace | None
    counts: Mapping[str, int]
    vectors: Mapping[str, int]
    recipe: Mapping[str, Any]
    source: str
    contract: str
    losses: Losses = NO_LOSSES
    statistics: Statistics = NO_STATISTICS

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Return the manifest that `asdict` made, after JSON.

        Raises:
            KeyError, TypeError, ValueError: It is no such record.
        """
        members = dict(record)
        space = members["space"]
        members["space"] = VectorSpace.from_record(space) if space is not None else None
        members["losses"] = Losses(**members["losses"])
        members["statistics"] = Statistics.from_record(members["statistics"])
        return cls(**members)

    def description(self, engine: str, capabilities: frozenset[str]) -> Description:
        """Return the description of an engine over this graph."""
        return Description(
            engine=engine,
            contract_hash=self.contract_hash,
            content_hash=self.content_hash,
            space=self.space,
            counts=self.counts,
            capabilities=capabilities,
            recipe=self.recipe,
            source=self.source,
            losses=self.losses,
            statistics=self.statistics,
        )


def manifest_of(
    contract: Contract,
    nodes: list[NodeColumns],
    edges: list[EdgeColumns],
    space: VectorSpace | None,
    recipe: Mapping[str, Any],
    source: str,
    aliases: Sequence[AliasRecord] = (),
    losses: Losses | None = None,
) -> Manifest:
    """Return the manifest of a graph of these rows.

    Args:
        contract: The contract that the graph is built for.
        nodes: The nodes.
        edges: The edges.
        space: The space of their vectors, or None without.
        recipe: How the texts were prepared.
        source: Where the data come from, in the operator's words.
        aliases: The other names of nodes.
        losses: What of the source is not in the graph.
    """
    counts = {node.table.name: len(node.ids) for node in nodes}
    counts |= {edge.table.name: len(edge.edge_ids) for edge in edges}
    vectors = dict[str, int]()
    for item in nodes if space else ():
        if item.table.vector:
            pairs = zip(item.names, item.contents, strict=True)
            vectors[item.table.name] = sum(1 for name, text in pairs if name or text)
    return Manifest(
        format=FORMAT,
        contract_hash=contract.hash,
        content_hash=_content_hash(nodes, edges, space, recipe, aliases),
        space=space,
        counts=counts,
        vectors=vectors,
        recipe=recipe,
        source=source,
        contract=contract.name,
        losses=losses or NO_LOSSES,
        statistics=statistics_of(contract, nodes, edges, has_vectors=bool(vectors)),
    )


def statistics_of(
    contract: Contract, nodes: list[NodeColumns], edges: list[EdgeColumns], *, has_vectors: bool
) -> Statistics:
    """Return the counts and ranges of a graph of these rows."""
    by_kind = {columns.table.name.lower(): columns for columns in nodes}
    counts: list[EdgeCounts] = []
    links: list[SampleLink | None] = []
    for columns in edges:
        for pair in columns.table.connections:
            of_pair = between(columns, contract, pair)
            rows = np.stack((columns.from_ids[of_pair], columns.to_ids[of_pair]), axis=1) & LOW
            pairs: Ids = np.unique(rows, axis=0)
            starts, ends = by_kind[pair.from_table.lower()], by_kind[pair.to_table.lower()]
            links.append(sample_link(contract, pair, starts, ends, pairs))
            for at, table in enumerate((starts, ends)):
                places = np.searchsorted(table.ids, pairs[:, at])
                numbers = np.bincount(places, minlength=len(table.ids))
                counts.append(_edge_counts(pair, at, numbers))
    ranges = {
        columns.table.name: {
            column.name: found
            for column in columns.table.extra
            if (found := _range(column, columns.extras[column.name]))
        }
        for columns in nodes
    }
    found_ranges = {kind: found for kind, found in ranges.items() if found}
    samples = samples_of(nodes, links, has_vectors=has_vectors)
    return Statistics(tuple(counts), found_ranges, samples)


def _edge_counts(pair: Connection, at: int, numbers: Ids) -> EdgeCounts:
    return EdgeCounts(
        edge=pair.name,
        from_table=pair.from_table,
        to_table=pair.to_table,
        of=("from", "to")[at],
        least=int(numbers.min(initial=0) if len(numbers) else 0),
        most=int(numbers.max(initial=0)),
        mean=round(float(numbers.mean()), 2) if len(numbers) else 0.0,
        without=int((numbers == 0).sum()),
    )


def _range(column: Column, values: Iterable[str | None]) -> tuple[str, str] | None:
    """Return the least and the greatest value of a column of dates or numbers."""
    present = [value for value in values if value is not None]
    order = ORDERS.get(column.column_type.name)
    if not present or order is None:
        return None
    try:
        ordered = list(map(order, present))
        ends = min(ordered), max(ordered)
        return present[ordered.index(ends[0])], present[ordered.index(ends[1])]
    except (ValueError, ArithmeticError):  # a value that does not fit; writing says so
        return None


def _content_hash(
    nodes: list[NodeColumns],
    edges: list[EdgeColumns],
    space: VectorSpace | None,
    recipe: Mapping[str, Any],
    aliases: Sequence[AliasRecord],
) -> str:
    digest = hashlib.sha256()
    about = {"space": asdict(space) if space else None, "recipe": dict(recipe)}
    digest.update(json.dumps(about, sort_keys=True, default=str).encode())
    for table in nodes:
        digest.update(f"\0{table.table.name}\0".encode() + table.ids.tobytes())
        for texts in (table.names, table.contents, *table.extras.values()):
            digest.update(_joined(texts))
    for table in edges:
        ends = table.from_ids.tobytes() + table.to_ids.tobytes()
        digest.update(f"\0{table.table.name}\0".encode() + ends)
        for texts in table.extras.values():
            digest.update(_joined(texts))
    for alias in aliases:
        digest.update(f"\0{alias.kind}\0{alias.id}\0{alias.alias}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]


def _joined(texts: Iterable[str | None]) -> bytes:
    content = "\0".join(["\1" if text is None else text for text in texts])
    return content.encode("utf-8", "surrogatepass")


def id_bits(table: NodeTable) -> int:
    """Return how many bits the ids of a table have."""
    column = table.column(table.key)
    return 31 if column is not None and column.type == "INT" else KIND_BITS


def stable_ids(keys: Collection[Key], bits: int) -> dict[str, int]:
    """Return an integer for each text among the ids, or source keys, of one table.

    It depends on the text only, unless two texts get one number, or a text gets a number that
    is in the source: then the next digest decides, in the order of the texts.
    """
    used_ids = {key for key in keys if isinstance(key, int)}
    mapped = {key: _digest(key, 0, bits) for key in keys if isinstance(key, str)}
    if len(used_ids.union(mapped.values())) == len(keys):
        return mapped
    for text in sorted(key for key in keys if isinstance(key, str)):
        mapped[text] = next(
            number for salt in count() if (number := _digest(text, salt, bits)) not in used_ids
        )
        used_ids.add(mapped[text])
    return mapped


def _digest(text: str, salt: int, bits: int) -> int:
    digest = hashlib.blake2b(text.encode(), digest_size=8, salt=salt.to_bytes(4, "big")).digest()
    return int.from_bytes(digest, "big") & ((1 << bits) - 1)
