"""Threads in which calls do their work; where the system gives none, that work is refused."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from moviegraph.errors import UnavailableError
from moviegraph_tools.places import AGAIN

LOG = logging.getLogger("moviegraph")
Done = TypeVar("Done")


class Threads:
    """As many threads as there are calls at work, started when they are needed."""

    def __init__(self, most: int) -> None:
        self._pool = ThreadPoolExecutor(most, thread_name_prefix="call")

    def begin(self, work: Callable[[], Done], future: Future[Done]) -> None:
        """Do work in a thread, and tell a future how it ended.

        Raises:
            UnavailableError: No thread can be started (code busy); the future is cancelled then.
        """
        try:
            self._pool.submit(_fulfil, work, future)
        except RuntimeError as error:
            # The pool queues work before it starts a thread: another one may be at it already.
            if future.cancel():
                LOG.error(
                    "No thread could be started for a call: %s.",
                    error,
                    extra={"facts": {"event": "thread_refused"}},
                )
                raise UnavailableError(
                    "The server is busy: the system provides no more threads. The call did "
                    "not run.",
                    code="busy",
                    hint=AGAIN,
                ) from error

    def close(self) -> None:
        """Take on no more work; nobody waits for that which runs."""
        self._pool.shutdown(wait=False)


def _fulfil(work: Callable[[], Done], future: Future[Done]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001 (raised again by who waits for it)
        future.set_exception(error)
    finally:
        del future  # its error's trace leads here: a cycle, which would hold both
