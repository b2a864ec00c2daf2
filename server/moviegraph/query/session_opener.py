"""How a session is opened when first needed, lent to calls, and renewed with its graph."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Generator, Hashable
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace

from moviegraph.engines.base import Engine, SupportsReadiness, SupportsReload
from moviegraph.errors import GraphError, MoviegraphError, QueryTimeoutError
from moviegraph.observability import count_reopening, operator_text
from moviegraph.query.session import Cache, Call, Progress, Session

LOG = logging.getLogger("moviegraph")
MAX_CLOSE_SECONDS = 10.0


class OpeningClosed(Exception):
    """Ends an opening whose server has ended."""


class SessionOpener:
    """A session that is opened when first needed; a failed opening is tried again by the next call.

    What `open_session` imports is loaded in its own thread.
    """

    def __init__(self, open_session: Callable[[Progress], Session]) -> None:
        self._open = open_session
        self._lock = threading.Lock()
        self._future: Future[RenewableSession] | None = None
        self._thread: threading.Thread | None = None
        self._listeners: list[Progress] = []
        self._users = 0
        self._closed = False

    @property
    def ready(self) -> bool:
        """Whether the session is open."""
        future = self._future
        return future is not None and future.done() and future.exception() is None

    @property
    def warm(self) -> bool:
        """Whether the session is open, and the first call would be fast."""
        future = self._future
        return self.ready and future is not None and future.result().ready

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
        if thread is not None:
            thread.join(MAX_CLOSE_SECONDS)
        if future is not None:
            future.add_done_callback(lambda done: done.exception() or done.result().close())

    def begin(self) -> None:
        """Begin to open for a server that runs; without one there is nothing to open for."""
        if self._users > 0 and self._future is None:
            self.start()

    def start(self) -> Future[RenewableSession]:
        """Begin to open, unless that is done or under way."""
        with self._lock:
            future: Future[RenewableSession] | None = self._future
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
        """Lend the session to a call, renewed where its graph was replaced.

        It waits for the session, with the call's progress; cancelling the call ends the wait.

        Raises:
            OperatorError: The session could not be opened.
            QueryTimeoutError: The call was cancelled before the session was open.
        """
        future = self.start()
        if not future.done():
            self._wait(future, call)
        if not future.done():
            raise QueryTimeoutError("The graph is still opening.", hint="Retry in a few seconds.")
        with future.result().lent() as session:
            yield session

    @contextmanager
    def read(self, seconds: float) -> Generator[Session]:
        """Lend the session to who reads and has no call. Raises TimeoutError and OperatorError."""
        with self.start().result(seconds).lent() as session:
            yield session

    def _wait(self, future: Future[RenewableSession], call: Call) -> None:
        woken = threading.Event()
        future.add_done_callback(lambda _: woken.set())
        remove = call.cancellation.on_cancel(woken.set)
        self._listeners.append(call.progress)
        try:
            woken.wait()
        finally:
            self._listeners.remove(call.progress)
            remove()

    def _run(self, future: Future[RenewableSession]) -> None:
        try:
            future.set_result(RenewableSession(self._open(self._progress)))
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


class OpenedSession(SessionOpener):
    """A session that the caller has opened and will close; it is not renewed."""

    def __init__(self, session: Session) -> None:
        super().__init__(lambda _: session)
        self._future = Future()
        self._future.set_result(RenewableSession(session, is_renewable=False))

    def leave(self) -> None:
        """Leave the session to its owner."""


class RenewableSession:
    """Lends a session to calls; one that began on the old graph ends on it, whole.

    A graph that was replaced is opened by the call that notices, while others go on with the old
    one. Where the new one cannot be opened, the old one is served on, and the log says why.
    """

    def __init__(self, session: Session, *, is_renewable: bool = True) -> None:
        self._current = session
        self._closed = not is_renewable
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._loans = Counter[int]()
        self._retired: list[Engine] = []
        self._tried: Hashable = None
        self._doubted = False

    @property
    def ready(self) -> bool:
        """Whether a call need not wait for what the engine is still starting."""
        engine = self._current.engine
        return not isinstance(engine, SupportsReadiness) or engine.ready

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
            with self._lock:
                self._loans[id(session.engine)] -= 1
            if self._retired:
                self._close_unused()

    def close(self) -> None:
        """Close the served session; one that calls still use is closed when they end."""
        with self._lock:
            self._closed = True
            self._retired.append(self._current.engine)
        self._close_unused()
        self._current.journal.close()

    def _close_unused(self) -> None:
        """Close the retired engines that no call uses, without making other calls wait."""
        with self._lock:
            retired, self._retired = self._retired, []
            unused: list[Engine] = []
            for engine in retired:
                (self._retired if self._loans[id(engine)] else unused).append(engine)
        for engine in unused:
            engine.close()

    def _renew(self) -> None:
        old = self._current.engine
        if self._closed or not isinstance(old, SupportsReload):
            return
        state = old.current_state()
        if not self._doubted and state in (old.opened_state, self._tried):
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
                self._retired.append(engine)
            else:
                self._current = replace(self._current, engine=engine, cache=Cache())
                self._retired.append(old)
        self._close_unused()
