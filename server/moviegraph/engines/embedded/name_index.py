"""Names and aliases of nodes in memory: equal names by hash, parts of names by search."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.duckdb.plan import CATALOG, NodesNeed
from moviegraph.engines.embedded.duckdb_database import Database
from moviegraph.engines.embedded.interrupts import StopSignal
from moviegraph.engines.retrieval_primitives import Ids, Step
from moviegraph.names import fold_name, lowercase

NO_NAME = 0
MAX_NAMES_IN_MEMORY = 500_000  # of one kind; more names are searched by a statement


Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SubstringIndex:
    """The names of one kind as lines of one text, which is searched for parts of them.

    Attributes:
        keys: The keys, ascending.
        names: The name of each key.
        ends: Where the line of each name ends in `text`.
        text: The names in lowercase, a line each.
    """

    keys: Numbers
    names: Sequence[str]
    ends: Numbers
    text: str

    @classmethod
    def of(cls, keys: Ids, labels: Sequence[Any]) -> "SubstringIndex":
        """Return the index of names, one for each key; a name that is NULL has none."""
        pairs = [pair for pair in zip(keys.tolist(), labels, strict=True) if pair[1] is not None]
        pairs.sort()
        lines = [lowercase(name) for _, name in pairs]
        ends = np.cumsum([len(line) + 1 for line in lines], dtype=np.int64) - 1
        sorted_keys = np.array([key for key, _ in pairs], dtype=np.int64)
        return cls(sorted_keys, [name for _, name in pairs], ends, "\n".join(lines))

    def containing(self, parts: Sequence[str], limit: int) -> list[tuple[int, str]]:
        """Return key and name of the names that contain most of the parts, in whatever case.

        Short names come first, then lower keys.
        """
        matches = [self._with(lowercase(part)) for part in parts]
        positions, counts = np.unique(np.concatenate(matches), return_counts=True)
        sizes = np.array([len(self._name(position).rstrip(" ")) for position in positions])
        order = np.lexsort((positions, sizes, -counts))[:limit]
        return [(int(self.keys[at]), self._name(at)) for at in positions[order]]

    def names_of(self, keys: Numbers) -> list[str | None]:
        """Return the name of each key; None where it has none."""
        positions = np.searchsorted(self.keys, keys)
        is_inside = positions < len(self.keys)
        is_inside[is_inside] = self.keys[positions[is_inside]] == keys[is_inside]
        return [
            self._name(position) if has_name else None
            for position, has_name in zip(positions, is_inside, strict=True)
        ]

    def _name(self, position: np.intp | np.int64) -> str:
        return self.names[int(position)]

    def _with(self, part: str) -> Numbers:
        """Return the positions of the names that contain a part."""
        offsets = np.fromiter(_offsets(self.text, part), dtype=np.int64)
        return np.unique(np.searchsorted(self.ends, offsets))


def _containing_query(node: NodeTable, parts: Sequence[str]) -> tuple[NodesNeed, dict[str, str]]:
    """Return the statement that does what `SubstringIndex.containing` does, best names first."""
    key, label = f'"{node.key}"', f'"{node.label}"'
    names = f'SELECT {key} AS k, {label} AS l FROM {CATALOG}.main."{node.name}"'  # noqa: S608
    count = " + ".join(f"contains(lower(l), $p{index})::INT" for index in range(len(parts)))
    counted = f"SELECT k, l, {count} AS n FROM ({names})"  # noqa: S608
    order = "ORDER BY n DESC, length(rtrim(l, ' ')), k"
    query = f"SELECT k, l FROM ({counted}) WHERE n > 0 {order}"  # noqa: S608
    return NodesNeed(query, vector=False), {
        f"p{index}": lowercase(part) for index, part in enumerate(parts)
    }


def _offsets(text: str, part: str) -> Iterator[int]:
    offset = text.find(part)
    while offset >= 0:
        yield offset
        offset = text.find(part, offset + 1)


@dataclass(frozen=True, slots=True, eq=False)
class HashedNames:
    """The hashes of folded names, ascending, and the node of each: 16 bytes per name."""

    hashes: NDArray[np.int64]
    ids: Ids

    @classmethod
    def of(cls, names: Iterable[Any], ids: Ids) -> "HashedNames":
        """Return the index of names, one for each id; a name that is NULL has none."""
        hashes = np.fromiter(map(_hash, names), dtype=np.int64, count=len(ids))
        hashes, ids = hashes[hashes != NO_NAME], ids[hashes != NO_NAME]
        order = np.argsort(hashes, kind="stable")
        return cls(hashes[order], ids[order])

    def ids_of(self, name: str) -> list[int]:
        """Return the nodes whose folded name is that of a name. 64 bits are taken for equality."""
        name_hash = _hash(name)
        if name_hash == NO_NAME:
            return []
        first, last = np.searchsorted(self.hashes, [name_hash, name_hash + 1])
        return self.ids[first:last].tolist()


class NameIndex:
    """The names of a graph, read table by table when first needed; safe for threads."""

    def __init__(
        self,
        contract: Contract,
        database: Database,
        counts: Mapping[str, int],
        aliases: Sequence[tuple[str, int, str]],
    ) -> None:
        self._contract = contract
        self._database = database
        self._counts = counts
        self._aliases = aliases
        self._lock = threading.Lock()
        self._tables: dict[str, tuple[HashedNames, HashedNames]] = {}
        self._parts: dict[str, SubstringIndex] = {}

    def named(
        self, kind: str, names: Sequence[str], stop: StopSignal
    ) -> list[tuple[str, int, Step]]:
        """Return (name, id, step) for each node that has one of the names, or an alias of it."""
        equal, aliases = self._hashed(kind, stop)
        matches: list[tuple[str, int, Step]] = []
        for name in names:
            if ids := equal.ids_of(name):
                matches.extend((name, node_id, "equal") for node_id in ids)
            else:
                matches.extend((name, node_id, "alias") for node_id in aliases.ids_of(name))
        return matches

    def all_names(self, kind: str, stop: StopSignal) -> list[tuple[int, str, Step]]:
        """Return the name of each node that has one, and the aliases of each."""
        node = self._node(kind)
        keys, labels = self._labels(node, stop)
        names: list[tuple[int, str, Step]] = []
        for key, name in zip(keys.tolist(), labels, strict=True):
            if name is not None:
                names.append((key, name, "equal"))
        names.extend((key, alias, "alias") for key, alias in self.aliases(kind))
        return names

    def aliases(self, kind: str) -> list[tuple[int, str]]:
        """Return (id, alias) for each alias of the nodes of a kind."""
        return [(key, alias) for of_kind, key, alias in self._aliases if of_kind == kind]

    def fits(self, kind: str) -> bool:
        """Return whether the names of a kind are few enough to be held in memory."""
        return self._counts[kind] <= MAX_NAMES_IN_MEMORY

    def containing(
        self, kind: str, parts: Sequence[str], limit: int, stop: StopSignal
    ) -> list[tuple[int, str]]:
        """Return key and name of the names that contain most of some parts, ignoring case."""
        parts = [part for part in parts if part]
        if not parts:
            return []
        if self.fits(kind):
            return self.parts(kind, stop).containing(parts, limit)
        query, parameters = _containing_query(self._node(kind), parts)
        return self._database.run(query, parameters, {}, stop, limit)

    def parts(self, kind: str, stop: StopSignal) -> SubstringIndex:
        """Return the names of a kind as text that is searched for parts of them."""
        with self._lock:
            if kind not in self._parts:
                self._parts[kind] = SubstringIndex.of(*self._labels(self._node(kind), stop))
        return self._parts[kind]

    def _hashed(self, kind: str, stop: StopSignal) -> tuple[HashedNames, HashedNames]:
        with self._lock:
            if kind not in self._tables:
                self._tables[kind] = self._read(self._node(kind), stop)
        return self._tables[kind]

    def _node(self, kind: str) -> NodeTable:
        node = self._contract.node(kind)
        assert node is not None
        return node

    def _read(self, node: NodeTable, stop: StopSignal) -> tuple[HashedNames, HashedNames]:
        keys, labels = self._labels(node, stop)
        equal = HashedNames.of(labels, keys)
        aliases = sorted({(fold_name(alias), key) for key, alias in self.aliases(node.name)})
        ids = np.array([key for _, key in aliases], dtype=np.int64)
        return equal, HashedNames.of([alias for alias, _ in aliases], ids)

    def _labels(self, node: NodeTable, stop: StopSignal) -> tuple[Ids, Sequence[Any]]:
        sql = f'SELECT "{node.key}", "{node.label}" FROM {CATALOG}.main."{node.name}"'  # noqa: S608
        columns = self._database.arrays(NodesNeed(sql, vector=False), {}, {}, stop)
        return columns[node.key].astype(np.int64), columns[node.label].tolist()


def _hash(name: object) -> int:
    normalized = fold_name(name) if isinstance(name, str) else ""
    return hash(normalized) if normalized else NO_NAME
