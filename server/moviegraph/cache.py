"""A cache of the most recently used values."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Value = TypeVar("Value")


class Cache:
    """The most recently used values by key; safe to use from several threads.

    Args:
        capacity: Room for all values, of which one takes an eighth at most; 0 caches nothing.
        size_of: Returns how much room a value takes, such as bytes; by default each takes 1.
    """

    def __init__(self, capacity: int = 256, size_of: Callable[[Any], int] = lambda _: 1) -> None:
        self._capacity = capacity
        self._size_of = size_of
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._used = 0

    def peek(self, key: Hashable) -> Any:
        """Return the value of a key, or None where it is not cached."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made if it is not cached; two threads may both make it."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
        value = make()
        size = self._size_of(value)
        if size <= self._capacity // 8:
            with self._lock:
                self._used += size - self._values.get(key, (None, 0))[1]
                self._values[key] = value, size
                while self._used > self._capacity:
                    self._used -= self._values.popitem(last=False)[1][1]
        return value
