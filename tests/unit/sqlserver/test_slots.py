import threading

import pytest

from moviegraph.engines.base import Cancellation
from moviegraph.engines.sqlserver.pool import FairSemaphore
from moviegraph.errors import QueryTimeoutError, UnavailableError

LONG = 120.0


def acquire_in_thread(
    slots: FairSemaphore, got: list[str], name: str, cancellation: Cancellation | None = None
) -> threading.Thread:
    """Start to wait for a place; returns once the thread waits."""

    def wait() -> None:
        try:
            slots.acquire(LONG, cancellation or Cancellation())
            got.append(name)
        except QueryTimeoutError:
            got.append(f"{name} cancelled")

    before = slots.waiting
    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    pause = threading.Event()
    for _ in range(120_000):
        if slots.waiting > before:
            return thread
        pause.wait(0.001)
    raise AssertionError("the thread never waited")


def test_there_are_as_many_places_as_agreed() -> None:
    slots = FairSemaphore(2)
    slots.acquire(0, Cancellation())
    slots.acquire(0, Cancellation())
    with pytest.raises(UnavailableError) as caught:
        slots.acquire(0, Cancellation())
    assert caught.value.code == "busy"
    assert slots.used == 2


def test_a_place_that_was_given_back_is_taken_again() -> None:
    slots = FairSemaphore(1)
    slots.acquire(0, Cancellation())
    slots.release()
    slots.acquire(0, Cancellation())
    assert slots.used == 1


def test_who_waited_longest_gets_the_next_place() -> None:
    slots, got = FairSemaphore(1), list[str]()
    slots.acquire(0, Cancellation())
    threads = [acquire_in_thread(slots, got, name) for name in ("first", "second")]
    slots.release()
    threads[0].join(LONG)
    assert got == ["first"]
    slots.release()
    threads[1].join(LONG)
    assert got == ["first", "second"]


def test_a_cancelled_wait_ends_at_once_and_leaves_the_place_to_others() -> None:
    slots, got, cancellation = FairSemaphore(1), list[str](), Cancellation()
    slots.acquire(0, Cancellation())
    thread = acquire_in_thread(slots, got, "caller", cancellation)
    cancellation.cancel()
    thread.join(LONG)
    assert got == ["caller cancelled"]
    slots.release()
    slots.acquire(0, Cancellation())
    assert (slots.used, slots.waiting) == (1, 0)


def test_who_is_cancelled_already_does_not_wait() -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    slots = FairSemaphore(1)
    with pytest.raises(QueryTimeoutError):
        slots.acquire(LONG, cancellation)
    assert slots.used == 0
