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


@dataclass(frozen=True, slots=True, eq=False)
class _Names:
    """The hashes of the names of a table, in order, and the key of the node of each."""

    hashes: NDArray[np.int64]
    keys: NDArray[np.int64]


class KnownNames:
    """Reads the names of a table when they are first asked for; safe for threads."""

    def __init__(self, contract: Contract, database: Database) -> None:
        self._contract = contract
        self._database = database
        self._lock = threading.Lock()
        self._tables: dict[str, _Names] = {}

    def bearers(self, table: str, names: Sequence[str], stop: Stop) -> Mapping[str, list[int]]:
        """Return the keys of all nodes that bear each name, without regard to case."""
        with self._lock:
            known = self._tables.get(table)
            if known is None:
                known = self._tables[table] = self._read(table, stop)
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
