"""The embedder port, the cache of query vectors, and how long texts are split."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

from moviegraph.contract.vector_space import MOST_CHARACTERS, VectorSpace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    Vectors = NDArray[np.float32]
else:  # numpy is slow to import, and start-up needs only the names
    Vector = Vectors = Any

Progress = Callable[[int, int], None]


class Embedder(Protocol):
    """Turns texts into normalised float32 vectors; safe to call from several threads."""

    @property
    def space(self) -> VectorSpace:
        """Identity of the vectors; known without loading the model."""
        ...

    def load(self) -> None:
        """Load what is loaded lazily, now. Raises EmbeddingError."""
        ...

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return an array of shape (len(texts), space.dimensions), rows of length 1.

        A text over the model's length is the normalised mean of its chunks; of a very long one
        only the beginning is read. `progress(done, total)` is called as texts are finished.
        Raises EmbeddingError, VectorSpaceError.
        """
        ...


class QueryCache:
    """The least recently used vectors go first; texts are kept as digests only."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._entries: OrderedDict[bytes, Future[Vector]] = OrderedDict()

    def vector(self, text: str, compute: Callable[[str], Vector]) -> Vector:
        """Return the vector of the text, computing it unless it is known or under way."""
        key = _digest(text)
        with self._lock:
            entry = self._entries.get(key)
            mine = entry is None
            if entry is None:
                entry = self._entries[key] = Future()
                if len(self._entries) > self._size:
                    self._entries.popitem(last=False)
            self._entries.move_to_end(key)
        if mine:
            self._fill(key, entry, lambda: compute(text))
        return entry.result()

    def _fill(self, key: bytes, entry: Future[Vector], compute: Callable[[], Vector]) -> None:
        try:
            vector = compute()
        except BaseException as error:
            with self._lock:
                if self._entries.get(key) is entry:
                    del self._entries[key]
            entry.set_exception(error)
            raise
        vector.flags.writeable = False
        entry.set_result(vector)


def _digest(text: str) -> bytes:
    """Blanks do not count: no model here tells one from two."""
    folded = " ".join(text.split())
    return hashlib.sha256(folded.encode("utf-8", "surrogatepass")).digest()


def part_read(text: str) -> str:
    """Return the beginning of a text that a vector stands for: no more is paid for, or run."""
    return text.strip()[:MOST_CHARACTERS]


def token_chunks(words: Sequence[Sequence[int]], most: int) -> list[list[int]]:
    """Pack words into as few chunks of at most `most` ids as fit, never cutting inside a word."""
    total = sum(map(len, words))
    if total <= most:
        return [list(chain.from_iterable(words))]
    longest = max(map(len, words))
    count = -(-total // (most - longest + 1))
    chunks: list[list[int]] = [[]]
    taken = 0
    for word in words:
        if taken * count >= total * len(chunks):
            chunks.append([])
        chunks[-1].extend(word)
        taken += len(word)
    return chunks


def text_chunks(text: str, most: int) -> list[str]:
    """Cut a text into about equal chunks of at most `most` characters, at blanks where it can."""
    if len(text) <= most:
        return [text]
    middle = len(text) // 2
    cut = text.rfind(" ", middle // 2, middle + 1)
    cut = middle if cut < 0 else cut
    halves = text[:cut].strip(), text[cut:].strip()
    return [chunk for half in halves if half for chunk in text_chunks(half, most)]


def normalised_mean(vectors: Vectors) -> Vector:
    """Return the mean of the rows, scaled to length 1."""
    import numpy as np

    mean = vectors.mean(axis=0)
    return mean / np.linalg.norm(mean)
