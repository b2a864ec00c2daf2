"""Servers in a scratch home, and the tokens of clients, for scripts that connect to them."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

ROOT = Path(__file__).resolve().parents[1]
SERVE = ("-m", "moviegraph", "serve")
SERVE_HTTP = (*SERVE, "--transport", "http", "--port", "0")
ADDRESS = re.compile(r"http://\S+/mcp(?=\s)")
START_SECONDS = 120
STOP_SECONDS = 30
POLL_SECONDS = 0.1


@dataclass(slots=True)
class MemoryTokenStorage:
    """Registration and tokens of a client of the SDK, in memory."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        """Return the tokens."""
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Store the tokens."""
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Return the registration."""
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Store the registration."""
        self.client = client_info


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
def serving(arguments: Sequence[str], home: Path, log_name: str = "server.log") -> Generator[str]:
    """Run a server with this interpreter and the arguments; yield its address."""
    log_file = home / log_name
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            env=environment(home) | {"PYTHONPATH": str(ROOT / "tests")},
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stderr=log,
        )
    try:
        yield wait_for(ADDRESS, process, log_file)
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)


def wait_for(pattern: re.Pattern[str], process: "subprocess.Popen[Any]", log_file: Path) -> str:
    """Return the first match in the log of a starting process. Raises SystemExit without one."""
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if match := pattern.search(log_file.read_text(encoding="utf-8")):
            return match[0]
        time.sleep(POLL_SECONDS)
    raise SystemExit(f"{process.args} did not start: {log_file.read_text(encoding='utf-8')}")
