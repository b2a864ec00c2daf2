"""Names and aliases of nodes in memory: equal names by hash, parts of names by search."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.duckdb.expressions import CATALOG
from moviegraph.engines.duckdb.plan import NodesNeed
from moviegraph.engines.embedded.duckdb_database import Database
from moviegraph.engines.embedded.interrupts import StopSignal
from moviegraph.engines.graph_reader import Ids, Step
from moviegraph.text import fold_name

NO_NAME = 0
CAPITAL_I_WITH_DOT, CAPITAL_SIGMA, SIGMA = "\u0130", "\u03a3", "\u03c3"


Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SubstringIndex:
    """Names by key.

    Attributes:
        keys: The keys, ascending.
        sizes: The characters of each name, without blanks at its end.
        ends: Where each name ends in `folded`, and in `names`.
        folded: The names in small letters, a line each.
        names: The names as they are, a line each.
    """

    keys: Numbers
    sizes: Numbers
    ends: tuple[Numbers, Numbers]
    folded: bytes
    names: bytes

    def holding(self, pieces: Sequence[str], count: int) -> list[tuple[int, str]]:
        """Return key and name of those that hold most of the pieces; short ones first, then by key.

        A piece counts once, in whatever case.
        """
        found = [self._with(lowercase(piece).encode()) for piece in pieces]
        at, held = np.unique(np.concatenate(found), return_counts=True)
        order = np.lexsort((at, self.sizes[at], -held))[:count]
        return [(int(self.keys[each]), self._name(int(each))) for each in at[order]]

    def names_of(self, keys: Numbers) -> list[str | None]:
        """Return the name of each key; None where it has none."""
        places = np.searchsorted(self.keys, keys)
        known = places < len(self.keys)
        known[known] = self.keys[places[known]] == keys[known]
        return [
            self._name(int(at)) if has_name else None
            for at, has_name in zip(places, known, strict=True)
        ]

    def _with(self, piece: bytes) -> Numbers:
        """Return the places of the names that hold a piece."""
        places = np.fromiter(_places(self.folded, piece), dtype=np.int64)
        return np.unique(np.searchsorted(self.ends[0], places))

    def _name(self, at: int) -> str:
        start = int(self.ends[1][at - 1]) + 1 if at else 0
        return self.names[start : int(self.ends[1][at])].decode()


def name_pieces(database: Database, node: NodeTable, stop: StopSignal) -> SubstringIndex:
    """Read the names of a node table. Raises as statements do."""
    key, label = f'"{node.key}"', f'"{node.label}"'
    source = f'{CATALOG}.main."{node.name}" WHERE {label} IS NOT NULL'
    rows = f"SELECT {key} AS k, {label} AS l FROM {source}"  # noqa: S608
    joined = "string_agg({0}, chr(10) ORDER BY k)"
    sizes = "k, length(rtrim(l, ' ')) AS c, strlen(lower(l)) AS f, strlen(l) AS n"
    columns = database.arrays(_query(f"{sizes} FROM ({rows}) ORDER BY k"), {}, {}, stop)
    texts = _query(f"{joined.format('lower(l)')}, {joined.format('l')} FROM ({rows})")
    ((small, names),) = database.run(texts, {}, {}, stop, 1)
    keys, characters, folded, plain = (columns[name].astype(np.int64) for name in "kcfn")
    ends = (_ends(folded), _ends(plain))
    return SubstringIndex(keys, characters, ends, (small or "").encode(), (names or "").encode())


def _query(columns: str) -> NodesNeed:
    return NodesNeed(f"SELECT {columns}", vector=False, paired=False)


def _ends(sizes: Numbers) -> Numbers:
    """Return where names of so many bytes end, each but the first behind a line break."""
    return np.cumsum(sizes + 1) - 1


def _places(text: bytes, piece: bytes) -> Iterator[int]:
    at = text.find(piece)
    while at >= 0:
        yield at
        at = text.find(piece, at + 1)


def lowercase(text: str) -> str:
    """Return a text in small letters, each by itself.

    Python makes two of one letter, and another of one at the end of a word; DuckDB does neither.
    """
    plain = text.replace(CAPITAL_I_WITH_DOT, "i").replace(CAPITAL_SIGMA, SIGMA)
    return plain.lower()


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
        wanted = _hash(name)
        if wanted == NO_NAME:
            return []
        first, last = np.searchsorted(self.hashes, [wanted, wanted + 1])
        return self.ids[first:last].tolist()


class NameIndex:
    """The names of a graph, read table by table when first needed; safe for threads."""

    def __init__(
        self,
        contract: Contract,
        database: Database,
        read_aliases: Callable[[], Sequence[tuple[str, int, str]]],
    ) -> None:
        """Take what reads the aliases, as (kind, id, alias)."""
        self._contract = contract
        self._database = database
        self._read_aliases = read_aliases
        self._lock = threading.Lock()
        self._tables: dict[str, tuple[HashedNames, HashedNames]] = {}
        self._parts: dict[str, SubstringIndex] = {}

    def named(
        self, kind: str, names: Sequence[str], stop: StopSignal
    ) -> list[tuple[str, int, Step]]:
        """Return (name, id, step) for each node that has one of the names, or an alias of it."""
        with self._lock:
            if kind not in self._tables:
                self._tables[kind] = self._read(self._node(kind), stop)
        equal, aliases = self._tables[kind]
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
        for alias, key in self._aliases_of(node, HashedNames.of(labels, keys)):
            names.append((key, alias, "alias"))
        return names

    def parts(self, kind: str, stop: StopSignal) -> SubstringIndex:
        """Return the names of a kind as text that is searched for parts of them."""
        with self._lock:
            if kind not in self._parts:
                self._parts[kind] = name_pieces(self._database, self._node(kind), stop)
        return self._parts[kind]

    def _node(self, kind: str) -> NodeTable:
        node = self._contract.node(kind)
        assert node is not None
        return node

    def _read(self, node: NodeTable, stop: StopSignal) -> tuple[HashedNames, HashedNames]:
        keys, labels = self._labels(node, stop)
        equal = HashedNames.of(labels, keys)
        aliases = sorted({(fold_name(alias), key) for alias, key in self._aliases_of(node, equal)})
        ids = np.array([key for _, key in aliases], dtype=np.int64)
        return equal, HashedNames.of([alias for alias, _ in aliases], ids)

    def _labels(self, node: NodeTable, stop: StopSignal) -> tuple[Ids, Sequence[Any]]:
        sql = f'SELECT "{node.key}", "{node.label}" FROM {CATALOG}.main."{node.name}"'  # noqa: S608
        columns = self._database.arrays(NodesNeed(sql, vector=False, paired=False), {}, {}, stop)
        return columns[node.key].astype(np.int64), columns[node.label].tolist()

    def _aliases_of(self, node: NodeTable, equal: HashedNames) -> list[tuple[str, int]]:
        """Return (alias, id), also those that an older contract still contains."""
        pairs = [(alias, key) for kind, key, alias in self._read_aliases() if kind == node.name]
        glossary = self._contract.glossary
        named = [(each.alias, each.name) for each in glossary.aliases if each.kind == node.name]
        named += glossary.abbreviations.items()
        return pairs + [(alias, key) for alias, name in named for key in equal.ids_of(name)]


def _hash(name: object) -> int:
    folded = fold_name(name) if isinstance(name, str) else ""
    return hash(folded) if folded else NO_NAME
