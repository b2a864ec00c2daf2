import threading
from typing import Any, cast

import pytest
from fakes.thread_exhaustion import no_threads

from moviegraph.errors import GraphError, QueryTimeoutError
from moviegraph.query.session import Call, Progress, Session
from moviegraph.query.session_opener import OpenedSession, OpeningClosed, SessionOpener

PATIENCE = 120


class Part:
    def __init__(self) -> None:
        self.closed = False

    def close(self) -> None:
        self.closed = True


class FakeSession:
    """Stands for a session: all that matters here is what is closed."""

    def __init__(self) -> None:
        self.engine = Part()
        self.journal = Part()


def session() -> Session:
    return cast("Session", FakeSession())


def is_closed(result: Session) -> bool:
    parts: Any = result
    return parts.engine.closed and parts.journal.closed


def lent(opening: SessionOpener, call: Call | None = None) -> Session:
    with opening.lent(call or Call("t")) as lent_session:
        return lent_session


def test_many_calls_share_one_opening() -> None:
    openings: list[Session] = []

    def open_session(_: Progress) -> Session:
        openings.append(session())
        return openings[-1]

    opening = SessionOpener(open_session)
    sessions: list[Session] = []
    threads = [threading.Thread(target=lambda: sessions.append(lent(opening))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(openings) == 1
    assert sessions == openings * 8


def test_a_cancelled_call_stops_waiting() -> None:
    release = threading.Event()

    def open_session(_: Progress) -> Session:
        release.wait(PATIENCE)
        return session()

    opening = SessionOpener(open_session)
    call = Call("t")
    call.cancellation.cancel()
    with pytest.raises(QueryTimeoutError, match="still opening"):
        lent(opening, call)
    release.set()
    assert lent(opening)


def test_leaving_ends_an_opening_at_its_next_step() -> None:
    has_begun = threading.Event()

    def open_session(progress: Progress) -> Session:
        while True:
            has_begun.set()
            progress(1, None, "a long step")

    opening = SessionOpener(open_session)
    opening.enter()
    future = opening.start()
    assert has_begun.wait(PATIENCE)
    opening.leave()
    assert isinstance(future.exception(PATIENCE), OpeningClosed)


def test_the_last_to_leave_closes_and_a_later_server_opens_again() -> None:
    sessions: list[Session] = []

    def open_session(_: Progress) -> Session:
        sessions.append(session())
        return sessions[-1]

    opening = SessionOpener(open_session)
    opening.enter()
    opening.enter()
    lent(opening)
    opening.leave()
    assert not is_closed(sessions[0])
    opening.leave()
    assert is_closed(sessions[0])
    assert not opening.ready
    opening.enter()
    assert lent(opening) is sessions[1]
    opening.leave()


def test_nothing_begins_without_a_server() -> None:
    opening = SessionOpener(lambda _: session())
    opening.begin()
    assert not opening.ready
    opening.enter()
    opening.begin()
    assert opening.start().result(PATIENCE)
    assert opening.ready
    opening.leave()


def test_begin_does_not_repeat_a_failed_opening_but_a_call_does() -> None:
    attempts: list[int] = []

    def open_session(_: Progress) -> Session:
        attempts.append(1)
        raise GraphError("missing")

    opening = SessionOpener(open_session)
    opening.enter()
    with pytest.raises(GraphError):
        lent(opening)
    opening.begin()
    assert len(attempts) == 1
    with pytest.raises(GraphError):
        lent(opening)
    assert len(attempts) == 2
    opening.leave()


def test_an_opening_without_a_thread_is_tried_again_by_the_next_call() -> None:
    opening = SessionOpener(lambda _: session())
    opening.enter()
    with no_threads("opening"), pytest.raises(RuntimeError, match="new thread"):
        lent(opening)
    assert opening.start().result(PATIENCE)
    opening.leave()


def test_a_session_of_another_owner_stays_open() -> None:
    own = session()
    opening = OpenedSession(own)
    opening.enter()
    assert lent(opening) is own
    opening.leave()
    assert not is_closed(own)
