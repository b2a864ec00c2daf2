"""Caches of the most recently used values."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Value = TypeVar("Value")


class Cache:
    """The most recently used values by key; safe to use from several threads."""

    def __init__(self, size: int = 256) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, Any] = OrderedDict()

    def peek(self, key: Hashable) -> Any:
        """Return the value of a key, or None where it is not cached."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made if it is not cached; two threads may both make it."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        self._store(key, value)
        return value

    def _store(self, key: Hashable, value: Any) -> None:
        with self._lock:
            self._values[key] = value
            if len(self._values) > self._size:
                self._values.popitem(last=False)


class ByteCache(Cache):
    """The most recently used values within a number of bytes; one takes an eighth at most.

    Args:
        max_bytes: Room for all values; 0 caches nothing.
        size_of: Returns about how many bytes a value takes.
    """

    def __init__(self, max_bytes: int, size_of: Callable[[Any], int]) -> None:
        super().__init__()
        self._max_bytes = max_bytes
        self._size_of = size_of
        self._sizes: dict[Hashable, int] = {}
        self._used = 0

    def _store(self, key: Hashable, value: Any) -> None:
        size = self._size_of(value)
        if size > self._max_bytes // 8:
            return
        with self._lock:
            self._used += size - self._sizes.get(key, 0)
            self._values[key], self._sizes[key] = value, size
            while self._used > self._max_bytes:
                oldest, _ = self._values.popitem(last=False)
                self._used -= self._sizes.pop(oldest)
