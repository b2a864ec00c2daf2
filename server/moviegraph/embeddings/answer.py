"""Reads the answer of an embeddings endpoint, trusting nothing in it."""

from typing import Any

import numpy as np

from moviegraph.contract.space import VectorSpace
from moviegraph.embeddings.base import Vectors
from moviegraph.errors import EmbeddingError, VectorSpaceError
from moviegraph.text import plural


def read_vectors(response: Any, count: int, space: VectorSpace) -> Vectors:
    """Return the vectors in the order of the request, of length 1.

    Raises:
        EmbeddingError: The answer is not one usable vector a text.
        VectorSpaceError: The vectors have another width than the space.
    """
    try:
        items = sorted(response.data, key=lambda item: item.index)
        order = [item.index for item in items]
        rows = [np.asarray(item.embedding, np.float32) for item in items]
    except (AttributeError, TypeError, ValueError):
        raise EmbeddingError(f"{space.model} did not return a list of embeddings.") from None
    if order != list(range(count)):
        raise EmbeddingError(
            f"{space.model} did not return exactly one vector for each of {plural(count, 'text')}."
        )
    return _unit_rows(rows, space)


def reported_tokens(response: Any) -> int | None:
    """Return the tokens the endpoint says it counted; some servers do not say."""
    tokens = getattr(getattr(response, "usage", None), "total_tokens", None)
    return tokens if isinstance(tokens, int) and tokens > 0 else None


def _unit_rows(rows: list[Vectors], space: VectorSpace) -> Vectors:
    for row in rows:
        if row.shape != (space.dimensions,):
            raise VectorSpaceError(
                f"{space.model} returned vectors of {row.size} dimensions instead of "
                f"{space.dimensions}.",
                hint="Set MOVIEGRAPH_EMBEDDER_DIMENSIONS to the dimensions that the model returns.",
            )
    vectors = np.stack(rows)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not (np.isfinite(norms).all() and norms.all()):
        raise EmbeddingError(f"{space.model} returned a vector that is zero or not finite.")
    return vectors / norms
