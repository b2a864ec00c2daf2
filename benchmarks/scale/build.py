"""Builds a generated graph, in little memory: vectors go through files."""

import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.scale.graph import FILM, SEED, edges, nodes
from benchmarks.scale.space import DIMENSIONS, SPACE, stored
from moviegraph.contract.model import Contract
from moviegraph.engines.embedded.embedding_store import TableVectors
from moviegraph.engines.embedded.graph_builder import write_files
from moviegraph.engines.embedded.graph_folder import building, write_manifest
from moviegraph.engines.graph_records import NodeColumns, embedded_text, manifest_of, text_digest

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
