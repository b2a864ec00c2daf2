"""A deterministic embedder without a model: texts that share words are near each other."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from moviegraph.embeddings.embedder import Progress, Vectors, VectorSpace


def hashed_words(text: str, dimensions: int) -> list[float]:
    """Return a vector of length 1, the same in every process."""
    vector = np.zeros(dimensions)
    for word in re.findall(r"\w+", text.lower()):
        digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
        place = int.from_bytes(digest[:4], "little") % dimensions
        vector[place] += 1.0 if digest[4] & 1 else -1.0
    if not vector.any():
        vector[0] = 1.0
    return (vector / np.linalg.norm(vector)).tolist()


class HashedEmbedder:
    """Implements `Embedder`; `calls` holds the texts of each call."""

    def __init__(self, dimensions: int = 64) -> None:
        self.space = VectorSpace("test", "hashed-words", dimensions)
        self.calls: list[list[str]] = []

    def load(self) -> None:
        pass

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        self.calls.append(list(texts))
        vectors = np.empty((len(texts), self.space.dimensions), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = hashed_words(text, self.space.dimensions)
            if progress:
                progress(row + 1, len(texts))
        return vectors
