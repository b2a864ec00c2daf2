"""The vectors of the node tables of a build: known ones, kept ones, and the rest computed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.embeddings.base import Embedder
from moviegraph.engines.base import Vector
from moviegraph.engines.columns import NodeColumns
from moviegraph.engines.known_vectors import EmbeddingStore, KnownVectors
from moviegraph.engines.records import embedded_text, text_digest
from moviegraph.engines.vectors import stored_type

Progress = Callable[[str, int, int], None]
BATCH = 64


@dataclass(frozen=True, slots=True, eq=False)
class TableVectors:
    """The vectors of one node table.

    Attributes:
        matrix: A row for each node, NaN where a node has none; it may be mapped.
        digests: The digest of the text behind each vector that is there.
        present: Whether each node has a vector.
    """

    matrix: NDArray[np.float16] | Vector
    digests: Sequence[bytes]
    present: NDArray[np.bool_]


def embed_tables(
    tables: list[NodeColumns],
    embedder: Embedder,
    store: EmbeddingStore,
    reusable: KnownVectors,
    progress: Progress,
) -> list[TableVectors]:
    """Return the vectors of each table; what is computed is kept in the store at once.

    Raises:
        EmbeddingError: The embedder failed; what it computed stays in the store.
    """
    digests = [_digests(table) for table in tables]
    by_digest = dict(chain.from_iterable(zip(*each, strict=True) for each in digests))
    by_digest.pop(b"", None)
    found = {each: reusable[each] for each in by_digest if each in reusable}
    found.update(store.read(each for each in by_digest if each not in found))
    missing = [each for each in by_digest if each not in found]
    done, total = len(found), len(by_digest)
    progress("Embedding", done, total)
    for start in range(0, len(missing), BATCH):
        part = missing[start : start + BATCH]
        made = embedder.embed([by_digest[each] for each in part]).astype(np.float16)
        fresh = dict(zip(part, made, strict=True))
        store.write(fresh)
        found.update(fresh)
        done += len(part)
        progress("Embedding", done, total)
    return [_vectors(each, found, embedder.space.dimensions) for each, _ in digests]


def _digests(table: NodeColumns) -> tuple[list[bytes], list[str]]:
    """Return digest and text of each node; without a text the digest is empty."""
    texts = [embedded_text(*pair) for pair in zip(table.names, table.contents, strict=True)]
    return [text_digest(text) if text else b"" for text in texts], texts


def _vectors(digests: list[bytes], found: KnownVectors, dimensions: int) -> TableVectors:
    kind = stored_type(len(digests), dimensions)
    matrix: NDArray[Any] = np.full((len(digests), dimensions), np.nan, dtype=kind)
    present = np.array([bool(digest) for digest in digests], dtype=bool)
    for row in np.flatnonzero(present):
        matrix[row] = found[digests[row]]
    return TableVectors(matrix, [digest for digest in digests if digest], present)
