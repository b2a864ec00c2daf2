"""The time of a plan is divided among its strategies."""

import pytest
from fakes.fake_clock import FakeClock

from moviegraph.query.query_pipeline import TimeAllocator


@pytest.mark.parametrize(
    ("strategies", "places", "seconds"),
    [
        pytest.param(1, 4, 40.0, id="one gets all"),
        pytest.param(4, 4, 40.0, id="as many as places"),
        pytest.param(10, 4, 16.0, id="more than places"),
        pytest.param(8, 1, 5.0, id="one at once"),
    ],
)
def test_a_statement_gets_its_part_of_the_time(
    strategies: int, places: int, seconds: float
) -> None:
    with TimeAllocator(strategies, places, 40.0, lambda: 0.0).turn() as share:
        assert share == seconds


def test_what_runs_out_of_its_share_leaves_time_to_the_last() -> None:
    clock = FakeClock()
    share = TimeAllocator(10, 1, 40.0, lambda: clock.now)
    for _ in range(9):
        clock.pause(share.seconds)
        share.done()

    assert share.seconds == pytest.approx(4.0)


def test_what_ends_early_leaves_its_time_to_the_others() -> None:
    share = TimeAllocator(2, 1, 40.0, lambda: 0.0)
    share.done()

    assert share.seconds == 40.0


def test_without_time_no_call_waits_for_a_slot() -> None:
    share = TimeAllocator(2, 1, 0.0, lambda: 0.0)
    with share.turn(), share.turn() as seconds:
        assert seconds == 0.0
