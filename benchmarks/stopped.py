"""A command as a process that stands still while something else has its turn."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from benchmarks.cpu import cpu_seconds

SLICE = 2.0
PERCENT = re.compile(r"Embedding: (\d+) %")


class StoppedCommand:
    """`moviegraph` with some arguments; what it writes goes into a file."""

    def __init__(self, arguments: list[str], written: Path) -> None:
        self._written = written
        with written.open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "moviegraph", *arguments], stdout=output, stderr=output
            )
        self._watched = psutil.Process(self._process.pid)
        self.cpu = 0.0
        self.peak_mb = 0
        self.status: int | None = None

    def run(self, turn: Callable[[float], None], *, kill_at: int = 101) -> None:
        """Run to the end, or kill at so many per cent of embedding.

        Args:
            turn: Called with the CPU seconds so far while the process stands still.
            kill_at: At which part of embedding it is killed.
        """
        while not self._ends_within(SLICE):
            self._process.send_signal(signal.SIGSTOP)
            turn(cpu_seconds(self._watched))
            if self.percent() >= kill_at:
                self._process.kill()
            self._process.send_signal(signal.SIGCONT)

    def percent(self) -> int:
        """Return what part of embedding the process has told of."""
        findall = PERCENT.findall(self.text())
        return int(findall[-1]) if findall else 0

    def text(self) -> str:
        """Return what the process wrote."""
        return self._written.read_text(encoding="utf-8")

    def _ends_within(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            if pid:
                self._process.returncode = self.status = os.waitstatus_to_exitcode(status)
                self.cpu = usage.ru_utime + usage.ru_stime
                self.peak_mb = usage.ru_maxrss // 1024
                return True
            time.sleep(SLICE / 20)
        return False
