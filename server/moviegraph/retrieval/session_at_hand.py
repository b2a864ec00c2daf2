"""A session as far as everything is at hand: what is known is given, and nothing is worked out.

Where something would have to be computed, asked for or waited for, it raises NotAtHand; nothing has
been recorded then, and the call can be done anew with the session itself.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from moviegraph.at_hand import NotAtHand
from moviegraph.cache import Cache
from moviegraph.contract.vector_space import VectorSpace
from moviegraph.embeddings.embedder import Progress, SupportsCachedQuery, Vectors
from moviegraph.engines.base import SupportsNonblocking
from moviegraph.journal.execution_records import BestExecution, Execution, SupportsNonblockingAppend
from moviegraph.retrieval.session import Session
from moviegraph.sql.decision import Refused

Value = TypeVar("Value")


def at_hand(session: Session) -> Session | None:
    """Return the session as far as everything is at hand; None where nothing can be."""
    engine, embedder, journal = session.engine, session.embedder, session.journal
    if not isinstance(engine, SupportsNonblocking) or not isinstance(
        journal, SupportsNonblockingAppend
    ):
        return None
    return replace(
        session,
        engine=engine.nonblocking(),
        embedder=_EmbedderAtHand(embedder.space, embedder),
        journal=_JournalAtHand(journal),
        cache=_CacheAtHand(session.cache),
        questions=_CacheAtHand(session.questions),
        results=_CacheAtHand(session.results),
        model=None,
        told=False,  # what is traced is not done at hand
    )


class _CacheAtHand(Cache):
    """A cache that makes nothing. A refusal counts as unknown: mending it takes its time."""

    def __init__(self, known: Cache) -> None:
        self._known = known

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        found: Any = self._known.get(key, _nothing)
        if isinstance(found, Refused):
            raise NotAtHand
        return cast("Value", _CacheAtHand(found)) if isinstance(found, Cache) else found


@dataclass(frozen=True, slots=True)
class _EmbedderAtHand:
    """Gives the vector of a query that is remembered."""

    space: VectorSpace
    embedder: object

    def load(self) -> None:
        raise NotAtHand

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        if len(texts) != 1 or not isinstance(self.embedder, SupportsCachedQuery):
            raise NotAtHand
        vector = self.embedder.known(texts[0])
        if vector is None:
            raise NotAtHand
        return vector[None]


@dataclass(frozen=True, slots=True)
class _JournalAtHand:
    """Appends where that is done at once; nothing is read, for that takes its time."""

    journal: SupportsNonblockingAppend

    def record(self, execution: Execution) -> None:
        if not self.journal.record_at_once(execution):
            raise NotAtHand

    def find(self, owner: str, execution_id: str) -> Execution | None:
        raise NotAtHand

    def recent(self, owner: str, limit: int = 50, question: str | None = None) -> list[Execution]:
        raise NotAtHand

    def winners(self, owner: str, content_hash: str, limit: int = 500) -> list[BestExecution]:
        raise NotAtHand

    def close(self) -> None:
        pass


def _nothing() -> None:
    raise NotAtHand
