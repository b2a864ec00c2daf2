"""Opens a session once, in the background, while calls wait for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from moviegraph.errors import MoviegraphError, QueryTimeoutError
from moviegraph.observability import operator_text

if TYPE_CHECKING:
    from moviegraph.retrieval.serving import Serving
    from moviegraph.retrieval.session import Call, Progress, Session

LOG = logging.getLogger("moviegraph")
LONGEST_CLOSE = 10.0


class OpeningClosed(Exception):
    """Ends an opening whose server has ended."""


class Opening:
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
        self._serving: Serving | None = None

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
        """Count one less, and close what was opened after the last."""
        with self._lock:
            self._users -= 1
            if self._users > 0:
                return
            self._closed = True
            future, thread, self._future = self._future, self._thread, None
            serving, self._serving = self._serving, None
        if thread is not None:
            thread.join(LONGEST_CLOSE)
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
        """Lend the session to who reads and has no call. Raises TimeoutError and ForOperator."""
        with self._lent(self.start().result(seconds)) as session:
            yield session

    def at_hand(self) -> Session | None:
        """Return the session, unless a call that wants it may have to wait."""
        serving = self._serving
        return None if serving is None else serving.at_hand()

    def _lent(self, first: Session) -> AbstractContextManager[Session]:
        from moviegraph.retrieval.serving import Serving

        with self._lock:
            if self._serving is None:
                self._serving = Serving(first)
            return self._serving.lent()

    def session(self, call: Call) -> Session:
        """Wait for the session, with the call's progress; cancelling the call ends the wait.

        Raises:
            ForOperator: The session could not be opened.
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
            known = isinstance(error, MoviegraphError)
            LOG.error(
                "The graph could not be opened: %s Run `moviegraph check` for details.",
                operator_text(error) if known else f"{type(error).__qualname__}.",
                exc_info=None if known else error,
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


def opened(session: Session) -> Opening:
    """Return an opening of a session that somebody else has opened, and will close."""
    return _Opened(session)


class _Opened(Opening):
    def __init__(self, session: Session) -> None:
        super().__init__(lambda _: session)
        self._future = Future()
        self._future.set_result(session)

    def _lent(self, first: Session) -> AbstractContextManager[Session]:
        return nullcontext(first)

    def at_hand(self) -> Session | None:
        """Return the session."""
        return self.start().result()

    def leave(self) -> None:
        """Leave the session to its owner."""
