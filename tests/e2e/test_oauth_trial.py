"""The scripts that run OAuth with a certified issuer and real clients; both need npm."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow("process")

SCRIPTS = Path(__file__).parents[2] / "scripts"
NOT_RUN = 3
SECONDS = 900


@pytest.mark.parametrize("script", ["oauth_trial.py", "proxy_trial.py"])
def test_every_step_is_ok(script: str) -> None:
    result = subprocess.run(
        [sys.executable, str(SCRIPTS / script)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    if result.returncode == NOT_RUN:
        pytest.skip(result.stdout.strip())
    assert result.returncode == 0, result.stdout + result.stderr
    lines = result.stdout.splitlines()
    assert len(lines) >= 3
    assert [line for line in lines if not line.startswith("OK ")] == []
