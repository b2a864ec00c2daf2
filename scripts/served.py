"""Starts servers in a scratch home, for what drives them from outside."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = ("-m", "moviegraph", "serve")
OVER_HTTP = (*SHIPPED, "--transport", "http", "--port", "0")
ADDRESS = re.compile(r"http://\S+/mcp(?=\s)")
PATIENCE = 30
LONGEST_START = 120
PAUSE = 0.1


def environment(home: Path, *bins: Path) -> dict[str, str]:
    """Return an environment in which nothing of the user's is read or written.

    Args:
        home: Where the graph in the box is built, and the journal written.
        bins: Folders whose commands come first.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MOVIEGRAPH_", "XDG_"))
    }
    return kept | {
        "HOME": str(home),
        "MOVIEGRAPH_JOURNAL": str(home / "journal.sqlite"),
        "PATH": os.pathsep.join([*map(str, bins), os.environ["PATH"]]),
    }


@contextmanager
def serving(arguments: Sequence[str], home: Path, log_name: str = "server.log") -> Generator[str]:
    """Yield the address of a server that this interpreter runs with the arguments."""
    message = home / log_name
    with message.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            env=environment(home) | {"PYTHONPATH": str(ROOT / "tests")},
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stderr=log,
        )
    try:
        yield wait_for(ADDRESS, process, message)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def wait_for(pattern: re.Pattern[str], process: "subprocess.Popen[Any]", path: Path) -> str:
    """Return what matches in the log of a starting process. Raises SystemExit if nothing does."""
    deadline = time.monotonic() + LONGEST_START
    while process.poll() is None and time.monotonic() < deadline:
        if match := pattern.search(path.read_text(encoding="utf-8")):
            return match[0]
        time.sleep(PAUSE)
    raise SystemExit(f"{process.args} did not start: {path.read_text(encoding='utf-8')}")
