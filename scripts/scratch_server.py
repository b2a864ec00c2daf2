"""Servers in a scratch home, for scripts that connect to them."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SERVE = ("-m", "moviegraph", "serve")
SERVE_HTTP = (*SERVE, "--transport", "http", "--port", "0")
ADDRESS = re.compile(r"http://\S+/mcp(?=\s)")
STOP_SECONDS = 30
POLL_SECONDS = 0.1


def environment(home: Path, *bins: Path) -> dict[str, str]:
    """Return an environment in which no file of the user is read or written.

    Args:
        home: Folder of the built-in graph and the journal.
        bins: Folders searched first for commands.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MOVIEGRAPH_", "XDG_"))
    }
    return inherited | {
        "HOME": str(home),
        "MOVIEGRAPH_JOURNAL": str(home / "journal.sqlite"),
        "PATH": os.pathsep.join([*map(str, bins), os.environ["PATH"]]),
    }


@contextmanager
def serving(arguments: Sequence[str], home: Path) -> Generator[str]:
    """Run a server with this interpreter and the arguments; yield its address."""
    log_file = home / "server.log"
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            env=environment(home) | {"PYTHONPATH": str(ROOT / "tests")},
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stderr=log,
        )
    try:
        yield _wait_for_address(process, log_file)
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)


def _wait_for_address(process: subprocess.Popen[bytes], log_file: Path) -> str:
    """Wait until the server logs its address."""
    while True:
        output = log_file.read_text(encoding="utf-8")
        if match := ADDRESS.search(output):
            return match[0]
        if process.poll() is not None:
            raise SystemExit(f"The server did not start: {output}")
        time.sleep(POLL_SECONDS)
