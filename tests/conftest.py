"""What holds for every test, wherever it lies."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def interrupts_heeded() -> Iterator[None]:
    """Give children SIGINT as a terminal would: a shell's background job inherits it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
