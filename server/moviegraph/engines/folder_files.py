"""Writes the files of a graph folder from sorted columns, a few rows at a time."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap

from moviegraph.contract.space import VectorSpace
from moviegraph.engines.columns import EdgeColumns, NodeColumns
from moviegraph.engines.database_file import DatabaseFile
from moviegraph.engines.fulltext_file import write_fulltext
from moviegraph.engines.graph_folder import DATABASE, FULLTEXT, vector_files
from moviegraph.engines.known_vectors import digest_array
from moviegraph.engines.table_vectors import TableVectors
from moviegraph.engines.vectors import stored_type, unit

Progress = Callable[[str, int, int], None]
CHUNK = 8192


def write_files(
    place: Path,
    nodes: Sequence[NodeColumns],
    edges: Sequence[EdgeColumns],
    vectors: Sequence[TableVectors],
    space: VectorSpace | None,
    progress: Progress,
) -> None:
    """Write tables, vectors and full text; `vectors` has an entry for each node table, or none."""
    total = len(nodes) + len(edges)
    with DatabaseFile(place / DATABASE) as database:
        for at, columns in enumerate(nodes):
            matrix = vectors[at].matrix if vectors and vectors[at].present.any() else None
            database.write_nodes(columns, matrix, space.dimensions if space else 1)
            progress("Writing tables", at + 1, total)
        for at, columns in enumerate(edges):
            database.write_edges(columns)
            progress("Writing tables", len(nodes) + at + 1, total)
    (place / "vectors").mkdir()
    for columns, table in zip(nodes, vectors, strict=bool(vectors)):
        _write_vectors(place, columns, table)
    write_fulltext(place / FULLTEXT, nodes, progress)


def _write_vectors(place: Path, columns: NodeColumns, table: TableVectors) -> None:
    matrix, ids, texts = vector_files(place, columns.table.name)
    rows = np.flatnonzero(table.present)
    dimensions = table.matrix.shape[1]
    kind = stored_type(len(rows), dimensions)
    if len(rows):  # nothing of no length can be mapped
        stored = open_memmap(matrix, mode="w+", dtype=kind, shape=(len(rows), dimensions))
        for start in range(0, len(rows), CHUNK):
            part = table.matrix[rows[start : start + CHUNK]]
            stored[start : start + CHUNK] = unit(part) if kind is np.float32 else part
        stored.flush()
    else:
        np.save(matrix, np.zeros((0, dimensions), dtype=kind))
    np.save(ids, columns.ids[table.present])
    np.save(texts, digest_array(table.digests))
