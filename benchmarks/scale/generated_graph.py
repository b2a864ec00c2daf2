"""Generated movie graphs: texts by Zipf's law, edges by a power law, clustered vectors."""

import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from moviegraph.contract.model import Contract, EdgeTable
from moviegraph.contract.vector_space import VectorSpace
from moviegraph.embeddings.embedder import Progress, Vector, Vectors
from moviegraph.engines.embedded.embedding_store import TableVectors
from moviegraph.engines.embedded.graph_builder import write_files
from moviegraph.engines.embedded.graph_folder import building, write_manifest
from moviegraph.engines.graph_records import (
    KIND_BITS,
    EdgeColumns,
    NodeColumns,
    embedded_text,
    manifest_of,
    text_digest,
)
from moviegraph.sql.contains import STOP_WORDS

STEMS = 20_000
ENDINGS = ("", "s", "ed", "ing")
ONSETS = (
    "b",
    "br",
    "c",
    "d",
    "dr",
    "f",
    "g",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "st",
    "t",
    "v",
)
VOWELS = ("a", "e", "i", "o", "u", "ai", "ou")
CODAS = ("", "", "l", "m", "n", "r", "rk", "t", "nd")
TEXT_CHUNK = 20_000


def vocabulary(rng: np.random.Generator) -> list[str]:
    """Return words from the most to the least frequent: stop words, then inflected stems."""
    stems: dict[str, None] = {}
    while len(stems) < STEMS:
        parts = rng.integers(0, [len(ONSETS), len(VOWELS), len(CODAS)], size=(3, 3))
        count = int(rng.integers(2, 4))
        word = "".join(ONSETS[a] + VOWELS[b] + CODAS[c] for a, b, c in parts[:count].tolist())
        stems[word] = None
    inflected = [stem + ending for stem in stems for ending in ENDINGS]
    order = rng.permutation(len(inflected))
    return [*sorted(STOP_WORDS)[:60], *(inflected[at] for at in order.tolist())]


class Writer:
    """Writes texts: the n-th word of the vocabulary comes n times more seldom than the first."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self.words = vocabulary(rng)
        shares = 1.0 / np.arange(1, len(self.words) + 1)
        self._bounds = np.cumsum(shares) / shares.sum()

    def texts(self, count: int, words: int) -> list[str]:
        """Return sentences of so many words."""
        return [" ".join(text) + "." for text in self._drawn(count, words, 0)]

    def names(self, count: int, words: int) -> list[str]:
        """Return names of so many words that are no stop words, each with a capital."""
        return [" ".join(text).title() for text in self._drawn(count, words, 60)]

    def _drawn(self, count: int, words: int, first: int) -> Iterator[list[str]]:
        """Yield lists of words; the first ones of the vocabulary can be left out."""
        low = self._bounds[first - 1] if first else 0.0
        for start in range(0, count, TEXT_CHUNK):
            size = (min(TEXT_CHUNK, count - start), words)
            places = np.searchsorted(self._bounds, self._rng.uniform(low, 1.0, size))
            places = np.clip(places, first, len(self.words) - 1)
            yield from ([self.words[at] for at in row] for row in places.tolist())


DIMENSIONS = 384
CLUSTERS = 512
SPREAD = 0.6
VECTOR_CHUNK = 8192
VECTOR_SEED = 7
SPACE = VectorSpace("benchmark", "seeded clusters", DIMENSIONS)


def centres() -> Vectors:
    """Return the middle of each cluster."""
    rng = np.random.default_rng(VECTOR_SEED)
    standard_normal = rng.standard_normal((CLUSTERS, DIMENSIONS), dtype=np.float32)
    return standard_normal / np.linalg.norm(standard_normal, axis=1, keepdims=True)


def around(middle: Vectors, rng: np.random.Generator) -> Vectors:
    """Return a unit vector near each middle."""
    noise = rng.standard_normal(middle.shape, dtype=np.float32)
    created = middle + SPREAD * noise / np.float32(np.sqrt(DIMENSIONS)) * np.float32(2)
    return created / np.linalg.norm(created, axis=1, keepdims=True)


def stored(path: Path, rows: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Write a matrix to a file, a chunk at a time, and return it mapped."""
    middles = centres()
    matrix = open_memmap(path, mode="w+", dtype=np.float32, shape=(rows, DIMENSIONS))
    for start in range(0, rows, VECTOR_CHUNK):
        count = min(VECTOR_CHUNK, rows - start)
        matrix[start : start + count] = around(middles[rng.integers(0, CLUSTERS, count)], rng)
    return matrix


class SeededEmbedder:
    """Gives each text a vector near the middle of some cluster, the same every time."""

    def __init__(self) -> None:
        self._middles = centres()

    @property
    def space(self) -> VectorSpace:
        """Identity of the vectors."""
        return SPACE

    def load(self) -> None:
        """Do nothing: nothing is loaded lazily."""

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return a vector for each text."""
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Vector:
        rng = np.random.default_rng(crc32(text.encode()))
        return around(self._middles[rng.integers(0, CLUSTERS, 1)], rng)[0]


SEED = 20
FILM = "Movie"
OTHERS_A_FILM = 5
GENRES = 20
SHARES = {"Character": 0.6, "Setting": 0.2, "Theme": 0.14, "Series": 0.06}
FIRST_YEAR, LAST_YEAR = 1920, 2025
FILM_WORDS, OTHER_WORDS = 60, 10
EXPONENT = 0.8  # of the share of a node by its rank
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Degree:
    """How many edges of a kind a film has: at least so many, and so many more on average."""

    least: int
    more: float


DEGREES = {
    "INCLUDES_THEME": Degree(1, 3.0),
    "FEATURES_CHARACTER": Degree(1, 2.5),
    "SET_IN": Degree(1, 1.0),
    "IN_GENRE": Degree(1, 1.0),
    "PART_OF_SERIES": Degree(0, 0.15),
}


def sizes(films: int) -> dict[str, int]:
    """Return how many nodes of each kind a graph of so many films has."""
    others = OTHERS_A_FILM * films - GENRES
    counts = {kind: int(others * share) for kind, share in SHARES.items()}
    return {FILM: films, **counts, "Genre": GENRES}


def nodes(contract: Contract, films: int) -> list[NodeColumns]:
    """Return the nodes of every table in id order, ids from 1."""
    rng = np.random.default_rng(SEED)
    writer, counts = Writer(rng), sizes(films)
    columnses: list[NodeColumns] = []
    for at, table in enumerate(contract.nodes):
        count = counts[table.name]
        ids = np.arange(1, count + 1, dtype=np.int64)
        film = table.name == FILM
        years = rng.integers(FIRST_YEAR, LAST_YEAR + 1, count).tolist() if film else []
        columnses.append(
            NodeColumns(
                table,
                ids,
                ids + (at << KIND_BITS),
                writer.names(count, 3 if film else 2),
                writer.texts(count, FILM_WORDS if film else OTHER_WORDS),
                {column.name: list(map(str, years)) for column in table.extra},
            )
        )
    return columnses


def edges(contract: Contract, items: list[NodeColumns]) -> list[EdgeColumns]:
    """Return the edges of every table, without doubles, sorted by from and to."""
    rng = np.random.default_rng(SEED + 1)
    by_name = {each.table.name: each for each in items}
    return [_edges(table, at, by_name, rng) for at, table in enumerate(contract.edges)]


def _edges(
    table: EdgeTable, at: int, by_name: dict[str, NodeColumns], rng: np.random.Generator
) -> EdgeColumns:
    (pair,) = table.pairs
    start, end = by_name[pair.from_table].node_ids, by_name[pair.to_table].node_ids
    degree = DEGREES[table.name]
    counts = degree.least + rng.poisson(degree.more, len(start))
    sources = np.repeat(np.arange(len(start)), counts)
    targets = rng.permutation(len(end))[_ranks(len(end), len(sources), rng)]
    both = np.unique(sources * len(end) + targets)
    sources, targets = np.divmod(both, len(end))
    edge_ids = np.arange(len(both), dtype=np.int64) + (at << KIND_BITS)
    return EdgeColumns(table, edge_ids, start[sources], end[targets])


def _ranks(nodes: int, count: int, rng: np.random.Generator) -> Numbers:
    """Draw ranks whose frequency falls with a power of the rank."""
    left = 1.0 - EXPONENT
    drawn = (rng.random(count) * ((nodes + 1) ** left - 1) + 1) ** (1 / left)
    return np.minimum(drawn.astype(np.int64), nodes) - 1


FILMS_ONLY = 1_000_000  # from so many films on, only they have vectors


@dataclass(frozen=True, slots=True)
class Built:
    """What building took."""

    generate_s: float
    write_s: float
    write_cpu_s: float
    peak_mb: float


def build(folder: Path, films: int, contract: Contract) -> Built:
    """Generate a graph of so many films and write it as a graph folder."""
    start = time.perf_counter()
    tables = nodes(contract, films)
    links = edges(contract, tables)
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        vectors = [_vectors(each, Path(place), films) for each in tables]
        generated, cpu = time.perf_counter(), time.process_time()
        manifest = manifest_of(contract, tables, links, SPACE, {}, f"{films} generated films")
        counts = {t.table.name: len(v.digests) for t, v in zip(tables, vectors, strict=True)}
        with building(folder) as target:
            write_files(target, tables, links, vectors, SPACE, _tell)
            write_manifest(replace(manifest, vectors=counts), target)
        written = time.perf_counter()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Built(generated - start, written - generated, time.process_time() - cpu, peak)


def _vectors(table: NodeColumns, place: Path, films: int) -> TableVectors:
    rng = np.random.default_rng([SEED, *table.table.name.encode()])
    count = len(table.ids)
    if films >= FILMS_ONLY and table.table.name != FILM:
        nothing = np.broadcast_to(np.float32(np.nan), (count, DIMENSIONS))
        return TableVectors(nothing, [], np.zeros(count, dtype=bool))
    matrix = stored(place / f"{table.table.name}.npy", count, rng)
    return TableVectors(matrix, _digests(table), np.ones(count, dtype=bool))


def _digests(table: NodeColumns) -> Sequence[bytes]:
    pairs = zip(table.names, table.contents, strict=True)
    return [text_digest(embedded_text(*pair)) for pair in pairs]


def disk(folder: Path) -> dict[str, float]:
    """Return the size of each file of a graph folder in MB, vectors together."""
    files = {each.name: each.stat().st_size / 1e6 for each in folder.iterdir() if each.is_file()}
    vectors = sum(each.stat().st_size for each in (folder / "vectors").iterdir()) / 1e6
    return {**files, "vectors": vectors}


def _tell(stage: str, done: int, total: int) -> None:
    sys.stderr.write(f"{stage}: {done} of {total}\n")


def remove(folder: Path) -> None:
    """Remove a graph that was built to be measured."""
    shutil.rmtree(folder, ignore_errors=True)
