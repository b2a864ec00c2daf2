"""Starts servers in a scratch home, for what drives them from outside."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = ("-m", "moviegraph", "serve")
OVER_HTTP = (*SHIPPED, "--transport", "http", "--port", "0")
ADDRESS = re.compile(r"http://\S+/mcp(?=\s)")
PATIENCE = 30
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
def serving(arguments: Sequence[str], home: Path) -> Generator[str]:
    """Yield the address of a server that this interpreter runs with the arguments."""
    message = home / "server.log"
    with message.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            env=environment(home) | {"PYTHONPATH": str(ROOT / "tests")},
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stderr=log,
        )
    try:
        yield _address(process, message)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _address(process: subprocess.Popen[bytes], path: Path) -> str:
    """Wait until a server says where it is."""
    while True:
        said = path.read_text(encoding="utf-8")
        if match := ADDRESS.search(said):
            return match[0]
        if process.poll() is not None:
            raise SystemExit(f"The server did not start: {said}")
        time.sleep(PAUSE)
