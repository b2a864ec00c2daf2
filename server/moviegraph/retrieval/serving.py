"""The session that is served now, renewed between calls when its graph was replaced."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Generator, Hashable
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

from moviegraph.cache import Cache
from moviegraph.engines.base import SupportsReload
from moviegraph.errors import GraphError, MoviegraphError
from moviegraph.observability import count_reopening, operator_text
from moviegraph.retrieval.session import REMEMBERED_QUESTIONS, Session

if TYPE_CHECKING:
    from moviegraph.engines.base import Engine

LOG = logging.getLogger("moviegraph")
LOOK = 0.02  # seconds for which a look at files counts, where many calls are answered at once


class Serving:
    """Lends a session to calls; one that began on the old graph ends on it, whole.

    A graph that was replaced is opened by the call that notices, while others go on with the old
    one. Where the new one cannot be opened, the old one is served on, and the log says why.
    """

    def __init__(self, session: Session) -> None:
        self._current = session
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._loans = Counter[int]()
        self._retired: dict[int, Engine] = {}
        self._tried: Hashable = None
        self._doubted = False
        self._closed = False
        self._seen: Session | None = None
        self._look_again = 0.0

    @contextmanager
    def lent(self) -> Generator[Session]:
        """Lend the session to one call."""
        if self._turn.acquire(blocking=False):
            try:
                self._renew()
            finally:
                self._turn.release()
        with self._lock:
            session = self._current
            self._loans[id(session.engine)] += 1
        try:
            yield session
        except GraphError:
            self._doubted = True  # the next call opens it again: it may have been mended
            raise
        finally:
            self._given_back(session.engine)

    def at_hand(self) -> Session | None:
        """Return the session served now, unless one may have to be opened in its place."""
        session = self._current
        if self._closed or not (self._seen_lately(session) or self._seen_now(session)):
            return None
        return session

    def _seen_lately(self, session: Session) -> bool:
        return session is self._seen and not self._doubted and monotonic() < self._look_again

    def _seen_now(self, session: Session) -> bool:
        """Look whether the session's graph is still there, and note that it was."""
        engine = session.engine
        if isinstance(engine, SupportsReload) and self._is_new(engine, engine.current_state()):
            return False
        self._seen, self._look_again = session, monotonic() + LOOK
        return True

    def close(self) -> None:
        """Close what is served now; what calls still use is closed when they end."""
        with self._lock:
            self._closed = True
            unused = self._retired_now(self._current.engine)
        _close(unused)
        self._current.journal.close()

    def _given_back(self, engine: Engine) -> None:
        unused = None
        with self._lock:
            self._loans[id(engine)] -= 1
            if not self._loans[id(engine)]:
                del self._loans[id(engine)]
                unused = self._retired.pop(id(engine), None)
        _close(unused)

    def _retired_now(self, engine: Engine) -> Engine | None:
        """Retire an engine; return it where nobody uses it any more."""
        if id(engine) not in self._loans:
            return engine
        self._retired[id(engine)] = engine
        return None

    def _is_new(self, engine: SupportsReload, found: Hashable) -> bool:
        """Whether what was found where the engine's data were is to be opened."""
        return self._doubted or found not in (engine.opened_state, self._tried)

    def _renew(self) -> None:
        old = self._current.engine
        if self._closed or not isinstance(old, SupportsReload):
            return
        found = old.current_state()
        if not self._is_new(old, found):
            return
        self._doubted, self._tried = False, found
        try:
            engine = old.reload()
        except MoviegraphError as error:
            count_reopening("failed")
            text = "The graph was replaced or damaged; still serving the previous one: %s"
            LOG.error(text, operator_text(error), extra={"facts": {"event": "graph_kept"}})
            return
        count_reopening("opened")
        told = {"event": "graph_reopened", "content_hash": engine.describe().content_hash}
        LOG.warning("Graph replaced; serving the new one.", extra={"facts": told})
        with self._lock:
            if self._closed:  # meanwhile: nobody would close the new one
                unused = engine
            else:
                self._current = replace(
                    self._current,
                    engine=engine,
                    cache=Cache(),
                    questions=Cache(REMEMBERED_QUESTIONS),
                )
                unused = self._retired_now(old)
        _close(unused)


def _close(unused: Engine | None) -> None:
    """Close an engine; others need not wait for it."""
    if unused is not None:
        unused.close()
