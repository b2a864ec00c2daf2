"""Five hundred calls at once, most of them cancelled at random times."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.odbc_drivers import OdbcDriver

ROOT = Path(__file__).parents[2]
MODULE = [sys.executable, "-X", "faulthandler", "-m", "fakes.cancel_stress_process"]
CALLS = 500
HANGING = 600
MIN_DROPPED = 16  # how many of the calls run when they are cancelled depends on the machine
ENDS = {"rows", "cancelled", "divide_by_zero", "unavailable"}


@pytest.mark.parametrize(
    ("places", "seed"),
    [
        pytest.param(6, 1, id="most are cancelled while they wait"),
        pytest.param(64, 2, id="most are cancelled while they run"),
        pytest.param(64, 3, id="the same, other moments"),
    ],
)
def test_hundreds_of_cancelled_calls_neither_crashes_nor_leaks(
    driver: OdbcDriver, places: int, seed: int
) -> None:
    process = subprocess.run(
        [*MODULE, driver.kind, str(CALLS), str(places), str(seed)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGING,
    )
    assert process.returncode == 0, process.stderr
    loads = json.loads(process.stdout)
    assert sum(loads["outcomes"].values()) == CALLS
    assert set(loads["outcomes"]) <= ENDS, (loads, process.stderr[-2000:])
    assert loads["outcomes"]["cancelled"] > CALLS / 4
    assert loads["most_open"] <= places
    assert loads["dropped"] >= min(places, MIN_DROPPED), "hardly a call was cancelled while it ran"
    assert (loads["left_open"], loads["threads_left"]) == (0, 0)
