"""Number of C library arenas that the threads of a server share."""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from moviegraph.cli import http_runner

# Threads that hold memory at once, and what glibc then tells of its arenas.
THREADS = """
import ctypes, os, sys, threading
from moviegraph.cli.http_runner import limit_malloc_arenas

sys.stdout.write(f"{limit_malloc_arenas(os.environ)}\\n")
together = threading.Barrier(8)

def hold():
    held = [bytes(600) for _ in range(1_000)]
    together.wait()

threads = [threading.Thread(target=hold) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
told = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w"))
libc.malloc_info(0, told)
libc.fclose(told)
"""
CHOICES = ("MALLOC_ARENA_MAX", "GLIBC_TUNABLES")


@pytest.mark.slow("process")
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has arenas")
@pytest.mark.parametrize(
    ("chosen", "bounded"),
    [
        ({}, True),
        ({"MALLOC_ARENA_MAX": "5"}, False),
        ({"GLIBC_TUNABLES": "glibc.malloc.arena_max=5"}, False),
    ],
    ids=("by default", "chosen", "tuned"),
)
def test_threads_share_two_arenas_unless_the_operator_chose(
    chosen: dict[str, str], bounded: bool, tmp_path: Path
) -> None:
    message = tmp_path / "arenas.xml"
    environment = {name: value for name, value in os.environ.items() if name not in CHOICES}
    ran = subprocess.run(
        [sys.executable, "-c", THREADS, str(message)],
        env=environment | chosen,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    arenas = len(re.findall(r"<heap nr=", message.read_text(encoding="utf-8")))
    assert ran.stdout == f"{bounded}\n"
    assert arenas <= 2 if bounded else arenas > 2


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def library(_: object) -> object:
        return object()

    monkeypatch.setattr(http_runner.ctypes, "CDLL", library)
    assert not http_runner.limit_malloc_arenas({})
