"""Which call the work at hand belongs to, so that every line of the log can say it."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

NOTHING: Mapping[str, Any] = MappingProxyType({})
CURRENT: ContextVar[Mapping[str, Any]] = ContextVar("moviegraph_call", default=NOTHING)


@contextmanager
def correlated(**facts: Any) -> Generator[None]:
    """Let what is logged inside the block, also in threads that carry it, say these facts."""
    token = CURRENT.set({**CURRENT.get(), **facts})
    try:
        yield
    finally:
        CURRENT.reset(token)


def correlation() -> Mapping[str, Any]:
    """Return the facts of the call at hand; none outside of a call."""
    return CURRENT.get()
