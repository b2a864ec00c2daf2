"""What a process needs to know to open the files of a graph: plain data, without a contract."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MANIFEST = "manifest.json"
DATABASE = "graph.duckdb"
FULLTEXT = "fulltext.sqlite"
ENGLISH_STEMS = "english"  # of an index whose manifest names none
REBUILD = "Load the data again: moviegraph load SOURCE --into FOLDER."
State = tuple[tuple[int, int, int] | None, ...]


@dataclass(frozen=True, slots=True)
class StoredNodes:
    """A node table of a graph: its name, key, rows, and the columns that full text searches.

    `has_small_key` is whether keys are of type INT, `vectors` the length of its vectors (0: none).
    """

    name: str
    has_small_key: bool
    label: str
    searchable: tuple[str, ...]
    rows: int
    vectors: int


@dataclass(frozen=True, slots=True)
class GraphFiles:
    """A graph folder and its tables, in the order of the contract.

    `edges` has for each edge table how many pairs of node tables it joins, `stems` names those of
    the full-text index.
    """

    folder: str
    nodes: tuple[StoredNodes, ...]
    edges: tuple[tuple[str, int], ...]
    stems: str = ENGLISH_STEMS

    def node(self, name: str) -> StoredNodes:
        """Return a node table."""
        return next(node for node in self.nodes if node.name == name)

    def number(self, name: str) -> int:
        """Return the place of a node table."""
        return [node.name for node in self.nodes].index(name)

    def pairs(self, edge: str) -> int:
        """Return how many pairs of node tables an edge table joins."""
        return dict(self.edges)[edge]

    @property
    def rows(self) -> int:
        """How many nodes there are."""
        return sum(node.rows for node in self.nodes)

    @property
    def dimensions(self) -> int:
        """The length of the vectors; 1 without any."""
        return max((node.vectors for node in self.nodes), default=0) or 1

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that identify the graph, for `folder_state`."""
        folder = Path(self.folder)
        matrices = (vector_files(folder, node.name)[0] for node in self.nodes)
        return tuple(map(str, (folder / MANIFEST, folder / DATABASE, folder / FULLTEXT, *matrices)))


def vector_files(folder: Path, table: str) -> tuple[Path, Path, Path]:
    """Return the files of a table's vectors: matrix, node ids, digests of the texts."""
    vectors = folder / "vectors"
    return (
        vectors / f"{table}.npy",
        vectors / f"{table}.ids.npy",
        vectors / f"{table}.texts.npy",
    )


def folder_state(files: Sequence[str]) -> State:
    """Return the fingerprint of each file of a graph, None for a missing one."""
    return tuple(map(_fingerprint, files))


def _fingerprint(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - a few microseconds faster, before each call
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
