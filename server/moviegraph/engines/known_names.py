"""Which nodes bear a name, from arrays: no statement has to be planned for it."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract
from moviegraph.engines.connections import Database
from moviegraph.engines.small_letters import small
from moviegraph.engines.stopping import Stop
from moviegraph.engines.translation.nodes import CATALOG
from moviegraph.engines.translation.plan import NodesNeed

MOST_NAMES = 200_000  # nodes of a table whose names are kept as 16 bytes each


@dataclass(frozen=True, slots=True, eq=False)
class _Names:
    """The hashes of the names of a table, in order, and the key of the node of each."""

    hashes: NDArray[np.int64]
    keys: NDArray[np.int64]


class KnownNames:
    """Reads the names of a table when they are first asked for; safe for threads."""

    def __init__(self, contract: Contract, database: Database, counts: Mapping[str, int]) -> None:
        self._contract = contract
        self._database = database
        self._counts = counts
        self._lock = threading.Lock()
        self._tables: dict[str, _Names] = {}

    def is_large(self, table: str) -> bool:
        """Whether a table has so many nodes that statements must tell."""
        return self._counts[table] > MOST_NAMES

    def at_hand(self, table: str) -> bool:
        """Whether the names of a table have been read."""
        return table in self._tables

    def read(self, table: str, stop: Stop) -> None:
        """Read the names of a table, unless that has been done. Raises QueryTimeoutError."""
        with self._lock:
            if table not in self._tables:
                self._tables[table] = self._read(table, stop)

    def found(self, table: str, names: Sequence[str]) -> Mapping[str, list[int]]:
        """Return the keys of all nodes that bear each name, case aside; the table was read."""
        known = self._tables[table]
        wanted = np.array([_hash(name) for name in names], dtype=np.int64)
        begin = np.searchsorted(known.hashes, wanted)
        end = np.searchsorted(known.hashes, wanted, side="right")
        return {
            name: known.keys[first:last].tolist()
            for name, first, last in zip(names, begin, end, strict=True)
        }

    def _read(self, table: str, stop: Stop) -> _Names:
        node = self._contract.node(table)
        assert node is not None
        sql = f'SELECT "{node.key}", "{node.label}" FROM {CATALOG}.main."{table}"'  # noqa: S608
        query = NodesNeed(sql, vector=False, paired=False)
        columns = self._database.arrays(query, {}, {}, stop)
        names: NDArray[Any] = columns[node.label]
        hashes = np.fromiter(map(_hash, names), dtype=np.int64, count=len(names))
        order = np.argsort(hashes, kind="stable")
        return _Names(hashes[order], columns[node.key].astype(np.int64)[order])


def _hash(name: object) -> int:
    """Return 64 bits of a name, without case and last blanks: no two of a table share them."""
    return hash(small(name.rstrip(" "))) if isinstance(name, str) else 0
