"""The names of a node table as one text in memory, in which pieces of a name are found at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import NodeTable
from moviegraph.engines.connections import Database
from moviegraph.engines.duckdb.expressions import CATALOG
from moviegraph.engines.duckdb.plan import NodesNeed
from moviegraph.engines.small_letters import small
from moviegraph.engines.stopping import Stop

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class NamePieces:
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
        found = [self._with(small(piece).encode()) for piece in pieces]
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


def name_pieces(database: Database, node: NodeTable, stop: Stop) -> NamePieces:
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
    return NamePieces(keys, characters, ends, (small or "").encode(), (names or "").encode())


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
