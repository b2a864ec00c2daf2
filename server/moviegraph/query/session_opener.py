"""The session that is served: opened once, in the background, and renewed with its graph."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Generator, Hashable
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from moviegraph.cache import Cache
from moviegraph.engines.base import SupportsReload
from moviegraph.errors import GraphError, MoviegraphError, QueryTimeoutError
from moviegraph.observability import count_reopening, operator_text
from moviegraph.query.session import REMEMBERED_QUESTIONS, Session

if TYPE_CHECKING:
    from moviegraph.engines.base import Engine
    from moviegraph.query.session import Call, Progress, Session

LOG = logging.getLogger("moviegraph")
MAX_CLOSE_SECONDS = 10.0


class OpeningClosed(Exception):
    """Ends an opening whose server has ended."""


class SessionOpener:
    """A session that is opened when first needed; a failed opening is tried again by the next call.

    Importing this module is cheap; what `open_session` imports is loaded in its own thread.
    """

    def __init__(self, open_session: Callable[[Progress], Session]) -> None:
        self._open = open_session
        self._lock = threading.Lock()
        self._future: Future[Session] | None = None
        self._thread: threading.Thread | None = None
        self._listeners: list[Progress] = []
        self._users = 0
        self._closed = False
        self._serving: RenewableSession | None = None

    @property
    def ready(self) -> bool:
        """Whether the session is open."""
        future = self._future
        return future is not None and future.done() and future.exception() is None

    def enter(self) -> None:
        """Count one more server run that needs the session."""
        with self._lock:
            self._users += 1
            self._closed = False

    def leave(self) -> None:
        """Count one less, and close the session after the last."""
        with self._lock:
            self._users -= 1
            if self._users > 0:
                return
            self._closed = True
            future, thread, self._future = self._future, self._thread, None
            serving, self._serving = self._serving, None
        if thread is not None:
            thread.join(MAX_CLOSE_SECONDS)
        if serving is not None:
            serving.close()
        elif future is not None:
            future.add_done_callback(_release)

    def begin(self) -> None:
        """Begin to open for a server that runs; without one there is nothing to open for."""
        if self._users > 0 and self._future is None:
            self.start()

    def start(self) -> Future[Session]:
        """Begin to open, unless that is done or under way."""
        with self._lock:
            future: Future[Session] | None = self._future
            if future is None or (future.done() and future.exception() is not None):
                future = Future()
                thread = threading.Thread(
                    target=self._run, args=(future,), name="opening", daemon=True
                )
                thread.start()
                self._future, self._thread = future, thread
            return future

    @contextmanager
    def lent(self, call: Call) -> Generator[Session]:
        """Lend the session to a call, renewed where its graph was replaced. Raises as `session`."""
        with self._lent(self.session(call)) as session:
            yield session

    @contextmanager
    def read(self, seconds: float) -> Generator[Session]:
        """Lend the session to who reads and has no call. Raises TimeoutError and OperatorError."""
        with self._lent(self.start().result(seconds)) as session:
            yield session

    def _lent(self, first: Session) -> AbstractContextManager[Session]:
        with self._lock:
            if self._serving is None:
                self._serving = RenewableSession(first)
            return self._serving.lent()

    def session(self, call: Call) -> Session:
        """Wait for the session, with the call's progress; cancelling the call ends the wait.

        Raises:
            OperatorError: The session could not be opened.
            QueryTimeoutError: The call was cancelled before the session was open.
        """
        future = self.start()
        if not future.done():
            self._wait(future, call)
        if not future.done():
            raise QueryTimeoutError("The graph is still opening.", hint="Retry in a few seconds.")
        return future.result()

    def _wait(self, future: Future[Session], call: Call) -> None:
        woken = threading.Event()
        future.add_done_callback(lambda _: woken.set())
        remove = call.cancellation.on_cancel(woken.set)
        self._listeners.append(call.progress)
        try:
            woken.wait()
        finally:
            self._listeners.remove(call.progress)
            remove()

    def _run(self, future: Future[Session]) -> None:
        try:
            future.set_result(self._open(self._progress))
        except OpeningClosed as error:
            future.set_exception(error)
        except BaseException as error:
            is_expected = isinstance(error, MoviegraphError)
            LOG.error(
                "The graph could not be opened: %s Run `moviegraph check` for details.",
                operator_text(error) if is_expected else f"{type(error).__qualname__}.",
                exc_info=None if is_expected else error,
                extra={"facts": {"event": "opening_failed"}},
            )
            future.set_exception(error)

    def _progress(self, done: float, total: float | None, message: str) -> None:
        if self._closed:
            raise OpeningClosed
        for listener in list(self._listeners):
            listener(done, total, message)


def _release(future: Future[Session]) -> None:
    if future.exception() is None:
        session = future.result()
        session.engine.close()
        session.journal.close()


def opened(session: Session) -> SessionOpener:
    """Return an opening of a session that the caller has opened, and will close."""
    return _Opened(session)


class _Opened(SessionOpener):
    def __init__(self, session: Session) -> None:
        super().__init__(lambda _: session)
        self._future = Future()
        self._future.set_result(session)

    def _lent(self, first: Session) -> AbstractContextManager[Session]:
        return nullcontext(first)

    def leave(self) -> None:
        """Leave the session to its owner."""


class RenewableSession:
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
            self._doubted = True  # the next call opens it again: it may have been repaired
            raise
        finally:
            self._given_back(session.engine)

    def close(self) -> None:
        """Close the served session; one that calls still use is closed when they end."""
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
        """Retire an engine; return it where no call uses it any more."""
        if id(engine) not in self._loans:
            return engine
        self._retired[id(engine)] = engine
        return None

    def _is_new(self, engine: SupportsReload, state: Hashable) -> bool:
        """Whether the data at the engine's location need to be opened."""
        return self._doubted or state not in (engine.opened_state, self._tried)

    def _renew(self) -> None:
        old = self._current.engine
        if self._closed or not isinstance(old, SupportsReload):
            return
        state = old.current_state()
        if not self._is_new(old, state):
            return
        self._doubted, self._tried = False, state
        try:
            engine = old.reload()
        except MoviegraphError as error:
            count_reopening("failed")
            text = "The graph was replaced or damaged; still serving the previous one: %s"
            LOG.error(text, operator_text(error), extra={"facts": {"event": "graph_kept"}})
            return
        count_reopening("opened")
        event = {"event": "graph_reopened", "content_hash": engine.describe().content_hash}
        LOG.warning("Graph replaced; serving the new one.", extra={"facts": event})
        with self._lock:
            if self._closed:  # meanwhile: the new one would stay open
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
