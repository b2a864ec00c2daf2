"""Spares the log what anybody who can connect could repeat without end."""

import logging
import time
from collections import Counter
from collections.abc import Callable

from moviegraph.http.http_limits import TokenBuckets

LIBRARY = "uvicorn.error"
A_MINUTE = 1


class Sparing(logging.Filter):
    """Lets each warning of the HTTP library through once a minute; `left_out` counts the rest.

    They tell of what is no request that could be counted or refused: bytes that are no HTTP,
    upgrades, connections beyond the bound. Their texts are constants, so few that all are kept.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._buckets = TokenBuckets(A_MINUTE, 1, clock)
        self._left_out = Counter[str]()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is written."""
        if record.name != LIBRARY or record.levelno != logging.WARNING:
            return True
        if self._buckets.take(record.msg):
            self._left_out[record.msg] += 1
            return False
        if left_out := self._left_out.pop(record.msg, 0):
            vars(record)["facts"] = {"left_out": left_out}
        return True
