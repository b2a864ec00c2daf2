"""Generated movie graphs: texts by Zipf's law, edges by a power law, clustered vectors."""

import resource
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
from moviegraph.embeddings.embedder import Progress, Vector, Vectors, VectorSpace
from moviegraph.engines.embedded.embedding_store import TableVectors
from moviegraph.engines.embedded.graph_builder import write_files
from moviegraph.engines.embedded.graph_folder import (
    building,
    write_aliases,
    write_contract,
    write_manifest,
)
from moviegraph.engines.embedded.stemmer import stems_of_language
from moviegraph.engines.graph_records import (
    KIND_BITS,
    EdgeColumns,
    NodeColumns,
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
    return [*sorted(STOP_WORDS)[:60], *(inflected[index] for index in order.tolist())]


class TextGenerator:
    """Random texts in which the n-th word is n times rarer than the first."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self.words = vocabulary(rng)
        shares = 1.0 / np.arange(1, len(self.words) + 1)
        self._bounds = np.cumsum(shares) / shares.sum()

    def texts(self, count: int, words: int) -> list[str]:
        """Return sentences with a number of words."""
        return [" ".join(text) + "." for text in self._word_lists(count, words, 0)]

    def names(self, count: int, words: int) -> list[str]:
        """Return capitalized names without stop words."""
        return [" ".join(text).title() for text in self._word_lists(count, words, 60)]

    def _word_lists(self, count: int, words: int, first: int) -> Iterator[list[str]]:
        """Yield lists of words, without the first ones of the vocabulary."""
        low = self._bounds[first - 1] if first else 0.0
        for start in range(0, count, TEXT_CHUNK):
            size = (min(TEXT_CHUNK, count - start), words)
            indexes = np.searchsorted(self._bounds, self._rng.uniform(low, 1.0, size))
            indexes = np.clip(indexes, first, len(self.words) - 1)
            yield from ([self.words[index] for index in row] for row in indexes.tolist())


DIMENSIONS = 384
CLUSTERS = 512
SPREAD = 0.6
VECTOR_CHUNK = 8192
VECTOR_SEED = 7
SPACE = VectorSpace("benchmark", "seeded clusters", DIMENSIONS)


def cluster_centers() -> Vectors:
    """Return the unit vector of each cluster."""
    rng = np.random.default_rng(VECTOR_SEED)
    vectors = rng.standard_normal((CLUSTERS, DIMENSIONS), dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def vectors_near(centers: Vectors, rng: np.random.Generator) -> Vectors:
    """Return a unit vector near each center."""
    noise = rng.standard_normal(centers.shape, dtype=np.float32)
    vectors = centers + SPREAD * noise / np.float32(np.sqrt(DIMENSIONS)) * np.float32(2)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def write_vectors(path: Path, rows: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Write a matrix to a file in chunks; return it mapped."""
    centers = cluster_centers()
    matrix = open_memmap(path, mode="w+", dtype=np.float32, shape=(rows, DIMENSIONS))
    for start in range(0, rows, VECTOR_CHUNK):
        count = min(VECTOR_CHUNK, rows - start)
        matrix[start : start + count] = vectors_near(centers[rng.integers(0, CLUSTERS, count)], rng)
    return matrix


class SeededEmbedder:
    """Deterministic embedder: a vector near the center of a cluster for each text."""

    def __init__(self) -> None:
        self._centers = cluster_centers()

    @property
    def space(self) -> VectorSpace:
        """Identity of the vectors."""
        return SPACE

    def load(self) -> None:
        """Do nothing, because nothing is loaded lazily."""

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return a vector for each text."""
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Vector:
        rng = np.random.default_rng(crc32(text.encode()))
        return vectors_near(self._centers[rng.integers(0, CLUSTERS, 1)], rng)[0]


SEED = 20
FILM = "Movie"
OTHERS_PER_FILM = 5
GENRES = 20
SHARES = {"Character": 0.6, "Setting": 0.2, "Theme": 0.14, "Series": 0.06}
FIRST_YEAR, LAST_YEAR = 1920, 2025
FILM_WORDS, OTHER_WORDS = 60, 10
EXPONENT = 0.8  # of the share of a node by its rank
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Degree:
    """Number of edges of a kind per film: a minimum, and the mean above it."""

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
    """Return the number of nodes of each kind by number of films."""
    others = OTHERS_PER_FILM * films - GENRES
    counts = {kind: int(others * share) for kind, share in SHARES.items()}
    return {FILM: films, **counts, "Genre": GENRES}


def nodes(contract: Contract, films: int) -> list[NodeColumns]:
    """Return the nodes of every table in id order, ids from 1."""
    rng = np.random.default_rng(SEED)
    generator, counts = TextGenerator(rng), sizes(films)
    tables: list[NodeColumns] = []
    for table in contract.nodes:
        count = counts[table.name]
        ids = np.arange(1, count + 1, dtype=np.int64)
        film = table.name == FILM
        years = rng.integers(FIRST_YEAR, LAST_YEAR + 1, count).tolist() if film else []
        tables.append(
            NodeColumns.of(
                contract,
                table,
                ids,
                generator.names(count, 3 if film else 2),
                generator.texts(count, FILM_WORDS if film else OTHER_WORDS),
                {column.name: years for column in table.extra},
            )
        )
    return tables


def edges(contract: Contract, node_tables: list[NodeColumns]) -> list[EdgeColumns]:
    """Return the edges of every table, without duplicates, sorted by from and to."""
    rng = np.random.default_rng(SEED + 1)
    by_name = {nodes.table.name: nodes for nodes in node_tables}
    return [_edges(table, index, by_name, rng) for index, table in enumerate(contract.edges)]


def _edges(
    table: EdgeTable, index: int, by_name: dict[str, NodeColumns], rng: np.random.Generator
) -> EdgeColumns:
    (pair,) = table.pairs
    start, end = by_name[pair.from_table].node_ids, by_name[pair.to_table].node_ids
    degree = DEGREES[table.name]
    counts = degree.least + rng.poisson(degree.more, len(start))
    sources = np.repeat(np.arange(len(start)), counts)
    targets = rng.permutation(len(end))[_ranks(len(end), len(sources), rng)]
    pairs = np.unique(sources * len(end) + targets)
    sources, targets = np.divmod(pairs, len(end))
    edge_ids = np.arange(len(pairs), dtype=np.int64) + (index << KIND_BITS)
    return EdgeColumns(table, edge_ids, start[sources], end[targets])


def _ranks(nodes: int, count: int, rng: np.random.Generator) -> Numbers:
    """Draw ranks whose frequency falls with a power of the rank."""
    power = 1.0 - EXPONENT
    ranks = (rng.random(count) * ((nodes + 1) ** power - 1) + 1) ** (1 / power)
    return np.minimum(ranks.astype(np.int64), nodes) - 1


MAX_FILMS_WITH_ALL_VECTORS = 999_999  # of larger graphs only films have vectors


@dataclass(frozen=True, slots=True)
class BuildCost:
    """Cost of a build."""

    generate_s: float
    write_s: float
    write_cpu_s: float
    peak_mb: float


def build(folder: Path, films: int, contract: Contract) -> BuildCost:
    """Generate a graph and write it as a graph folder."""
    start = time.perf_counter()
    tables = nodes(contract, films)
    links = edges(contract, tables)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        vectors = {t.table.name: _vectors(t, Path(scratch), films) for t in tables}
        generated, cpu = time.perf_counter(), time.process_time()
        manifest = manifest_of(contract, tables, links, SPACE, {}, f"{films} generated films")
        counts = {name: len(stored.digests) for name, stored in vectors.items()}
        with building(folder) as target:
            stems = stems_of_language(contract.language)
            write_files(target, tables, links, vectors, SPACE, stems, _print_progress)
            write_aliases(target, ())
            write_contract(target, contract)
            write_manifest(replace(manifest, vectors=counts), target)
        written = time.perf_counter()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return BuildCost(generated - start, written - generated, time.process_time() - cpu, peak)


def _vectors(table: NodeColumns, scratch: Path, films: int) -> TableVectors:
    rng = np.random.default_rng([SEED, *table.table.name.encode()])
    count = len(table.ids)
    if films > MAX_FILMS_WITH_ALL_VECTORS and table.table.name != FILM:
        missing = np.broadcast_to(np.float32(np.nan), (count, DIMENSIONS))
        return TableVectors(missing, [], np.zeros(count, dtype=bool))
    matrix = write_vectors(scratch / f"{table.table.name}.npy", count, rng)
    return TableVectors(matrix, _digests(table), np.ones(count, dtype=bool))


def _digests(table: NodeColumns) -> Sequence[bytes]:
    return [text_digest(text) for text in table.embedded_texts()]


def disk(folder: Path) -> dict[str, float]:
    """Return the size of each file of a graph folder in MB, with all vectors as one."""
    files = {path.name: path.stat().st_size / 1e6 for path in folder.iterdir() if path.is_file()}
    vectors = sum(path.stat().st_size for path in (folder / "vectors").iterdir()) / 1e6
    return {**files, "vectors": vectors}


def _print_progress(stage: str, done: int, total: int) -> None:
    sys.stderr.write(f"{stage}: {done} of {total}\n")
