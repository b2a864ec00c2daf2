"""A system that can start no more threads."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import anyio.to_thread
import pytest


@contextmanager
def no_threads(prefix: str) -> Generator[None]:
    """Refuse threads with this name prefix, and start others."""
    start = threading.Thread.start

    def refusing(thread: threading.Thread) -> None:
        if thread.name.startswith(prefix):
            raise RuntimeError("can't start new thread")
        start(thread)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threading.Thread, "start", refusing)
        yield


@contextmanager
def no_worker_threads() -> Generator[None]:
    """Refuse threads for the work of calls."""

    async def refusing(*_: Any, **__: Any) -> None:
        raise RuntimeError("can't start new thread")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anyio.to_thread, "run_sync", refusing)
        yield
