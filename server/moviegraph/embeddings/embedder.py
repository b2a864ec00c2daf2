"""The embedder port, vector spaces, and the splitting of long texts."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

from moviegraph.errors import VectorSpaceError

PREFIX = "MOVIEGRAPH_EMBEDDER"
DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
MAX_EMBEDDED_CHARS = 64_000
"""Of one text, about 60 chunks of the built-in model; the rest does not change its vector."""


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """Family, model, dimensions, variant and prefixes; not the endpoint, deployment or key.

    Attributes:
        family: Who trained the weights: "local", "openai" (Azure serves the same weights).
        model: The model, never the name of a deployment.
        dimensions: Length of a vector.
        variant: Digest of local weights, quantisation: whatever else moves vectors.
        query_prefix: What the model expects before a query, such as "query: ".
        document_prefix: What it expects before a stored text, such as "passage: ".
    """

    family: str
    model: str
    dimensions: int
    variant: str = ""
    query_prefix: str = ""
    document_prefix: str = ""

    @property
    def id(self) -> str:
        """Short digest that names the space in manifests and caches."""
        record = asdict(self)
        for name in ("query_prefix", "document_prefix"):
            if not record[name]:
                del record[name]
        return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:16]

    def chunks(self, text: str, limit: int) -> list[str]:
        """Split a text into chunks of at most `limit` characters, each with the prefix it has."""
        prefixes = (self.query_prefix, self.document_prefix)
        prefix = next((one for one in prefixes if one and text.startswith(one)), "")
        return [prefix + chunk for chunk in text_chunks(text.removeprefix(prefix), limit)]

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "VectorSpace":
        """Read what `asdict` wrote."""
        return cls(
            str(record["family"]),
            str(record["model"]),
            int(record["dimensions"]),
            *(str(record.get(key, "")) for key in ("variant", "query_prefix", "document_prefix")),
        )


def require_same_space(stored: VectorSpace, query: VectorSpace) -> None:
    """Raise VectorSpaceError, with each difference and both fixes, unless they agree."""
    stored_keys, query_keys = asdict(stored), asdict(query)
    differing = [
        f"{name}: stored {stored_keys[name]!r}, query {query_keys[name]!r}"
        for name in stored_keys
        if stored_keys[name] != query_keys[name]
    ]
    if differing:
        raise VectorSpaceError(
            f"The stored vectors and the query model are not comparable ({'; '.join(differing)}).",
            hint=(
                f"Set MOVIEGRAPH_EMBEDDER to the model {stored.model} ({stored.family}, "
                f"{stored.dimensions} dimensions) and its prefixes to the stored ones, or load "
                "the graph again with the new settings."
            ),
        )


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    Vectors = NDArray[np.float32]
else:  # numpy is slow to import, and start-up needs only the names
    Vector = Vectors = Any

Progress = Callable[[int, int], None]


class Embedder(Protocol):
    """Turns texts into normalized float32 vectors; safe to call from multiple threads."""

    @property
    def space(self) -> VectorSpace:
        """Identity of the vectors; known without loading the model."""
        ...

    def load(self) -> None:
        """Load what is loaded lazily, now. Raises EmbeddingError."""
        ...

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return an array of shape (len(texts), space.dimensions), rows of length 1.

        The texts have their prefixes: `embed_queries` and `embed_documents` put them there.
        A text over the model's length is the normalised mean of its chunks; of a very long one
        only the beginning is read. `progress(done, total)` is called as texts are finished.
        Raises EmbeddingError, VectorSpaceError.
        """
        ...


CACHED_QUERIES = 512


def embed_queries(embedder: Embedder, queries: Sequence[str]) -> Vectors:
    """Return the vectors of queries; a single one is cached, whatever its spaces.

    Raises EmbeddingError, VectorSpaceError.
    """
    prefix = embedder.space.query_prefix
    return embedder.embed([prefix + " ".join(query.split()) for query in queries])


def embed_documents(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Return the vectors of texts to store. Raises EmbeddingError, VectorSpaceError."""
    return embedder.embed([embedder.space.document_prefix + text for text in texts])


def part_read(text: str) -> str:
    """Return the start of a text that its vector represents; the rest is not sent."""
    return text.strip()[:MAX_EMBEDDED_CHARS]


def token_chunks(words: Sequence[Sequence[int]], limit: int) -> list[list[int]]:
    """Pack words into as few chunks of at most `limit` ids as possible, never splitting a word."""
    total = sum(map(len, words))
    if total <= limit:
        return [list(chain.from_iterable(words))]
    longest = max(map(len, words))
    count = -(-total // (limit - longest + 1))
    chunks: list[list[int]] = [[]]
    token_count = 0
    for word in words:
        if token_count * count >= total * len(chunks):
            chunks.append([])
        chunks[-1].extend(word)
        token_count += len(word)
    return chunks


def text_chunks(text: str, limit: int) -> list[str]:
    """Split a text into chunks of at most `limit` characters, after a sentence or at a space."""
    if len(text) <= limit:
        return [text]
    middle = len(text) // 2
    ends = (text.rfind(mark, middle // 2, middle + 1) + 1 for mark in (". ", " "))
    split = next(filter(None, ends), middle)
    halves = text[:split].strip(), text[split:].strip()
    return [chunk for half in halves if half for chunk in text_chunks(half, limit)]


def normalized_mean(vectors: "Sequence[Vector] | Vectors") -> Vector:
    """Return the mean of vectors, scaled to length 1."""
    import numpy as np

    mean = np.mean(vectors, axis=0)
    return mean / np.linalg.norm(mean)
