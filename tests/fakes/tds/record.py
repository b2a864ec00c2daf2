"""Events that a scripted server received, in order, for tests to read and to wait for."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from fakes.tds.login import Login
from fakes.tds.script import Call

PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Transaction:
    """A request to begin, commit or roll back."""

    connection: int
    kind: Literal["begin", "commit", "rollback", "other"]


@dataclass(frozen=True, slots=True)
class Attention:
    """The client asked to stop; `heard` unless the server was deaf at that time."""

    connection: int


@dataclass(frozen=True, slots=True)
class ConnectionClosed:
    """The connection is over."""

    connection: int


@dataclass(frozen=True, slots=True)
class Connected:
    """A connection whose client logged in, or tried to."""

    connection: int
    login: Login


Event = Call | Transaction | Attention | ConnectionClosed | Connected


class Record:
    """The events of one server; safe to read while it runs."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._events: list[Event] = []

    def add(self, event: Event) -> None:
        """Note an event and wake those who wait."""
        with self._changed:
            self._events.append(event)
            self._changed.notify_all()

    @property
    def events(self) -> list[Event]:
        """All events so far."""
        with self._changed:
            return list(self._events)

    @property
    def calls(self) -> list[Call]:
        """The statements so far."""
        return [event for event in self.events if isinstance(event, Call)]

    @property
    def logins(self) -> list[Login]:
        """The log-ins tried so far."""
        return [event.login for event in self.events if isinstance(event, Connected)]

    def wait_for(self, wanted: Callable[["list[Event]"], bool], what: str = "an event") -> None:
        """Return when the events are as wanted; AssertionError when they do not become so."""
        with self._changed:
            if not self._changed.wait_for(lambda: wanted(self._events), PATIENCE):
                raise AssertionError(f"the server never saw {what}")

    def wait_for_call(self, word: str, times: int = 1) -> None:
        """Return when a statement with that word came so many times."""
        self.wait_for(
            lambda events: sum(isinstance(e, Call) and word in e.sql for e in events) >= times,
            f"{word!r} {times} times",
        )
