"""With the default settings no tool, resource or prompt sends anything to anybody."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.audited_worker import EVENTS
from fakes.egress_audit import record_egress

pytestmark = pytest.mark.slow("process")

TESTS = Path(__file__).parents[1]
EXPECTED_RESPONSES = 10 + 6 + 1


def test_no_call_opens_a_connection_or_starts_a_program_but_workers(tmp_path: Path) -> None:
    script = TESTS / "fakes" / "egress_audit.py"
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("MOVIEGRAPH")
    }
    completed = subprocess.run(
        [sys.executable, str(script), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        env=environment | {"PYTHONPATH": str(TESTS)},
        cwd=tmp_path,
    )
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout.splitlines() == [f"answered {EXPECTED_RESPONSES}"], completed.stdout
    worker_events = list(tmp_path.glob(EVENTS.format("*")))
    assert worker_events
    assert [path.read_text(encoding="utf-8") for path in worker_events if path.stat().st_size] == []


def test_the_audit_hook_records_a_connection() -> None:
    code = (
        "import socket, sys; from fakes.egress_audit import record_egress;"
        "events = []; record_egress(events);"
        "s = socket.create_server(('127.0.0.1', 0));"
        "socket.create_connection(s.getsockname()); print(*events)"
    )
    assert record_egress.__module__ == "fakes.egress_audit"
    completed = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(TESTS)},
    )
    assert "socket.connect" in completed.stdout
