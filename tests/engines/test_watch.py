"""Statements are stopped, each in its time."""

import threading

import pytest
from fakes.limits import budget

from moviegraph.engines.base import Cancellation
from moviegraph.engines.embedded.interrupts import watched
from moviegraph.errors import QueryTimeoutError

LONG = 3600.0
SHORT = 0.02
PATIENCE = 120


def test_a_short_limit_counts_beside_a_long_one() -> None:
    interrupted = threading.Event()
    with watched(budget(seconds=LONG)) as long, watched(budget(seconds=SHORT)) as short:
        forget = short.on_start(interrupted.set)
        assert interrupted.wait(PATIENCE)
        forget()
        with pytest.raises(QueryTimeoutError):
            short.check()
        long.check()


def test_a_cancellation_interrupts_its_own_statement_alone() -> None:
    interrupted, spared = threading.Event(), threading.Event()
    cancellation = Cancellation()
    with watched(budget(seconds=LONG)) as other:
        other.on_start(spared.set)
        with watched(budget(seconds=LONG, cancellation=cancellation)) as stop:
            stop.on_start(interrupted.set)
            cancellation.cancel()
            assert interrupted.wait(PATIENCE)
    assert not spared.is_set()


def test_a_step_that_begins_after_the_interrupt_is_interrupted_too() -> None:
    first, second = threading.Event(), threading.Event()
    with watched(budget(seconds=SHORT)) as stop:
        has_stopped = stop.on_start(first.set)
        again = stop.on_start(second.set)
        assert first.wait(PATIENCE)
        has_stopped()
        second.clear()
        assert second.wait(PATIENCE)
        again()


def test_what_has_ended_is_no_longer_interrupted() -> None:
    interrupted, later = threading.Event(), threading.Event()
    with watched(budget(seconds=LONG)):
        with watched(budget(seconds=SHORT)) as stop:
            forget = stop.on_start(interrupted.set)
            assert interrupted.wait(PATIENCE)
            forget()
            interrupted.clear()
        with watched(budget(seconds=SHORT)) as stop:
            stop.on_start(later.set)
            assert later.wait(PATIENCE)
    assert not interrupted.is_set()


def test_a_failing_interrupt_leaves_the_limits_of_others() -> None:
    interrupted = threading.Event()

    def fail() -> None:
        raise ValueError

    with watched(budget(seconds=SHORT)) as failing, watched(budget(seconds=SHORT)) as other:
        forget = failing.on_start(fail)
        other.on_start(interrupted.set)
        assert interrupted.wait(PATIENCE)
        forget()
