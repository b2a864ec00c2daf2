"""Remembers the vectors of recent queries, and lets equal concurrent ones share one computation."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future

from moviegraph.embeddings.base import Vector


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
