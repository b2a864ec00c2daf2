"""A session whose graph is replaced while calls use it."""

import threading
from collections.abc import Hashable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
from fakes.sessions import scripted_session

from moviegraph.engines.base import Description
from moviegraph.errors import GraphError
from moviegraph.query.session import Session
from moviegraph.query.session_opener import RenewableSession


class Engine:
    """One version of a graph; `place` says which versions can be found where it is."""

    def __init__(self, opened_graphs: list[Any]) -> None:
        self.place = opened_graphs
        self.opened_state: Hashable = opened_graphs[-1]
        self.closed = False

    def current_state(self) -> Hashable:
        return self.place[-1]

    def reload(self) -> "Engine":
        if isinstance(self.place[-1], Exception):
            raise self.place[-1]
        return Engine(self.place)

    def describe(self) -> Description:
        return Description("test", "", str(self.opened_state), None, {})

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def opened_graphs() -> list[Any]:
    return ["old"]


@pytest.fixture
def serving(opened_graphs: list[Any]) -> RenewableSession:
    engine: Any = Engine(opened_graphs)
    return RenewableSession(replace(scripted_session(None)[0], engine=engine))


def graph_of(session: Session) -> str:
    return session.engine.describe().content_hash


def is_closed(session: Session) -> bool:
    engine: Any = session.engine
    return engine.closed


def test_a_call_ends_on_the_graph_it_began_on_which_is_then_closed(
    serving: RenewableSession, opened_graphs: list[Any]
) -> None:
    with ExitStack() as calls:
        first = calls.enter_context(serving.lent())
        opened_graphs.append("new")
        with serving.lent() as second:
            assert (graph_of(first), graph_of(second)) == ("old", "new")
            assert second.cache is not first.cache
            assert second.journal is first.journal
        assert not is_closed(first)
    assert is_closed(first)
    with serving.lent() as third:
        assert third is second
    serving.close()
    assert is_closed(second)


def test_a_graph_that_cannot_be_opened_is_tried_once_until_it_changes(
    serving: RenewableSession, opened_graphs: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    opened_graphs.append(GraphError("It is half there.", hint="Wait."))
    for _ in range(3):
        with serving.lent() as session:
            assert graph_of(session) == "old"
    assert [record.getMessage().count("half there") for record in caplog.records] == [1]
    opened_graphs.append("new")
    with serving.lent() as session:
        assert graph_of(session) == "new"


def test_a_graph_that_failed_is_opened_again_by_the_next_call(
    serving: RenewableSession, opened_graphs: list[Any]
) -> None:
    with pytest.raises(GraphError), serving.lent() as first:
        raise GraphError("The tables cannot be read.")
    assert not is_closed(first)
    with serving.lent() as second:
        assert second is not first
    assert is_closed(first)


def test_others_do_not_wait_for_the_call_that_opens_the_new_graph(
    serving: RenewableSession, opened_graphs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    opening, is_open = threading.Event(), threading.Event()
    renewed = Engine.reload

    def slow(engine: Engine) -> Engine:
        opening.set()
        assert is_open.wait(120)
        return renewed(engine)

    def call() -> None:
        with serving.lent():
            pass

    monkeypatch.setattr(Engine, "reload", slow)
    opened_graphs.append("new")
    thread = threading.Thread(target=call)
    thread.start()
    assert opening.wait(120)
    with serving.lent() as meanwhile:
        assert graph_of(meanwhile) == "old"
    is_open.set()
    thread.join(20)
    with serving.lent() as after:
        assert graph_of(after) == "new"


def test_a_graph_that_is_opened_while_serving_ends_is_closed_too(
    serving: RenewableSession, opened_graphs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    engines: list[Engine] = []
    renewed = Engine.reload

    def late(engine: Engine) -> Engine:
        engines.append(renewed(engine))
        serving.close()
        return engines[0]

    monkeypatch.setattr(Engine, "reload", late)
    opened_graphs.append("new")
    with serving.lent() as session:
        assert graph_of(session) == "old"
    assert engines[0].closed
    opened_graphs.append("newer")
    with serving.lent():
        assert len(engines) == 1


def test_no_call_waits_while_an_old_graph_is_closed(
    serving: RenewableSession, opened_graphs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(_: Engine) -> None:
        thread = threading.Thread(target=lambda: events.append(lent()))
        thread.start()
        thread.join(20)

    def lent() -> str:
        with serving.lent() as session:
            return graph_of(session)

    events: list[str] = []
    monkeypatch.setattr(Engine, "close", slow)
    with serving.lent():
        opened_graphs.append("new")
        assert lent() == "new"
    assert events == ["new"]
