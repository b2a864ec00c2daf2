"""Garbage collection frequency of a serving process."""

import gc
from collections.abc import Generator, Mapping

import pytest

from moviegraph.cli.serve import relax_gc


@pytest.fixture
def looks() -> Generator[list[int]]:
    """The generations that were looked at, one entry a look."""
    before, generations = gc.get_threshold(), list[int]()

    def note(phase: str, message: Mapping[str, int]) -> None:
        if phase == "start":
            generations.append(message["generation"])

    gc.callbacks.append(note)
    yield generations
    gc.callbacks.remove(note)
    gc.set_threshold(*before)


@pytest.mark.slow("memory")
def test_a_call_makes_its_objects_without_a_look(looks: list[int]) -> None:
    relax_gc()
    gc.collect()
    looks.clear()
    lists = [[number] for number in range(8_000)]
    assert (len(lists), looks) == (8_000, [])


class Circle:
    """Held by itself alone."""

    def __init__(self) -> None:
        self.held = self


@pytest.mark.slow("memory")
def test_what_only_holds_itself_still_goes() -> None:
    before = gc.get_threshold()
    try:
        relax_gc()
        for _ in range(100_000):
            Circle()
        assert sum(type(tracked_object) is Circle for tracked_object in gc.get_objects()) < 50_000
    finally:
        gc.set_threshold(*before)
