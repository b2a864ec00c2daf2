import threading
from collections.abc import Iterator
from typing import Any

import pytest
from fakes.thread_exhaustion import no_threads

pyodbc = pytest.importorskip(
    "pyodbc", reason="libodbc is missing: install unixodbc", exc_type=ImportError
)

from moviegraph.engines.sqlserver.pool import Counts, Pool  # noqa: E402

PATIENCE = 120


class Connection:
    """Knows whether it was closed."""

    def __init__(self) -> None:
        self.ended = threading.Event()

    @property
    def closed(self) -> bool:
        return self.ended.is_set()

    def close(self) -> None:
        self.ended.set()


class Machine:
    """A pool of such connections, and the time it reads."""

    def __init__(self, idle_seconds: float = 60.0) -> None:
        self.now = 0.0
        self.opened: list[Connection] = []
        self.pool = Pool(self._open, idle_seconds=idle_seconds, clock=lambda: self.now)

    def _open(self, _: float) -> Any:
        self.opened.append(Connection())
        return self.opened[-1]


@pytest.fixture
def machine() -> Iterator[Machine]:
    machine = Machine()
    yield machine
    machine.pool.close()


def test_a_connection_is_used_again(machine: Machine) -> None:
    first = machine.pool.take(1)
    machine.pool.give_back(first)
    assert machine.pool.take(1) is first
    assert machine.pool.counts == Counts(opened=1, dropped=0, retired=0)


def test_the_one_used_last_comes_first_so_that_the_others_can_end(machine: Machine) -> None:
    first, second = machine.pool.take(1), machine.pool.take(1)
    machine.pool.give_back(first)
    machine.now = 40
    machine.pool.give_back(second)
    machine.now = 70
    assert machine.pool.take(1) is second
    assert machine.opened[0].closed


def test_what_was_idle_too_long_is_closed_and_not_used(machine: Machine) -> None:
    machine.pool.give_back(machine.pool.take(1))
    machine.now = 60
    machine.pool.take(1)
    assert [connection.closed for connection in machine.opened] == [True, False]
    assert machine.pool.counts == Counts(opened=2, dropped=0, retired=1)


def test_a_fresh_one_ends_all_that_were_kept(machine: Machine) -> None:
    first, second = machine.pool.take(1), machine.pool.take(1)
    machine.pool.give_back(first)
    machine.pool.give_back(second)
    machine.pool.take(1, fresh=True)
    assert [connection.closed for connection in machine.opened] == [True, True, False]
    assert machine.pool.counts.open == 1


def test_a_doubtful_one_is_dropped_and_counted(machine: Machine) -> None:
    machine.pool.drop(machine.pool.take(1))
    assert machine.opened[0].closed
    assert machine.pool.counts == Counts(opened=1, dropped=1, retired=0)


def test_after_the_end_what_comes_back_is_closed(machine: Machine) -> None:
    first, second = machine.pool.take(1), machine.pool.take(1)
    machine.pool.give_back(first)
    machine.pool.close()
    machine.pool.give_back(second)
    assert [connection.closed for connection in machine.opened] == [True, True]
    assert machine.pool.counts.open == 0


def test_idle_ones_are_closed_in_the_background_once_there_is_a_thread_for_it() -> None:
    machine = Machine(idle_seconds=0)
    first, second = machine.pool.take(1), machine.pool.take(1)
    with no_threads("moviegraph-idle"):
        machine.pool.give_back(first)
    assert not machine.opened[0].closed
    machine.pool.give_back(second)
    assert all(connection.ended.wait(PATIENCE) for connection in machine.opened)
