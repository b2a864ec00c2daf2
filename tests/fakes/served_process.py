"""The command `serve` as a process of its own, over HTTP, with its log in a file."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from fakes.toy_graph import TOY

MAIN = Path(__file__).parents[2] / "server" / "main.py"
PATIENCE = 120
PAUSE = 0.02
KITCHEN = ("--contract", str(TOY / "contract"))
SERVES = re.compile(r"moviegraph is serving at http://\S+:(\d+)/mcp")


def until(condition: Callable[[], object], what: str) -> None:
    """Wait until something holds; never longer than anybody would.

    It looks now and then, and leaves the processor to the server that it waits for.
    """
    deadline, never = time.monotonic() + PATIENCE, threading.Event()
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        never.wait(PAUSE)


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A running server: where it is, what it has logged, and what memory it takes."""

    process: "subprocess.Popen[bytes]"
    log_file: Path

    @property
    def log(self) -> str:
        return self.log_file.read_text(encoding="utf-8")

    @property
    def address(self) -> str:
        """Its address on this machine, wherever it listens."""
        match = SERVES.search(self.log)
        assert match, self.log
        return f"http://127.0.0.1:{match[1]}"

    @property
    def megabytes(self) -> float:
        """Its resident memory."""
        return psutil.Process(self.process.pid).memory_info().rss / 2**20

    @property
    def url(self) -> str:
        return f"{self.address}/mcp"

    def records(self, event: str | None = None) -> list[dict[str, Any]]:
        """Return the lines of a JSON log, of one event if given."""
        lines = [line for line in self.log.splitlines() if line.startswith("{")]
        document = [json.loads(line) for line in lines]
        return [record for record in document if event in (None, record["event"])]

    def limited(self, resource: int, soft: int) -> int:
        """Limit what the process may use, and return what the limit was; Linux alone can."""
        import resource as limits

        before, hard = limits.prlimit(self.process.pid, resource)
        limits.prlimit(self.process.pid, resource, (soft, hard))
        return before


@contextmanager
def running_server(
    folder: Path, *arguments: str, environment: Mapping[str, str] | None = None
) -> Generator[ServerProcess]:
    """Run `serve --transport http` until the block ends; its own journal is in the folder."""
    folder.mkdir(exist_ok=True)
    place = ("--journal", str(folder / "journal.sqlite")) if "--journal" not in arguments else ()
    command = [sys.executable, str(MAIN), "serve", "--transport", "http", "--port", "0"]
    log = folder / "server.log"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [*command, *place, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env={**os.environ, **(environment or {})},
        )
    result = ServerProcess(process, log)
    try:
        until(lambda: SERVES.search(result.log) or process.poll() is not None, "the server")
        assert process.poll() is None, result.log
        yield result
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
