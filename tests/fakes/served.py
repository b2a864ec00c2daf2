"""The command that serves the toy graph over HTTP, in a process of its own."""

import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from fakes.toy_graph import TOY

MAIN = Path(__file__).parents[2] / "server" / "main.py"
PATIENCE = 30


@dataclass(slots=True)
class Served:
    """A running server: where it is, what it logged, what memory it takes."""

    address: str
    process: subprocess.Popen[str]
    log: list[str] = field(default_factory=list[str])

    @property
    def megabytes(self) -> float:
        """Its resident memory."""
        return psutil.Process(self.process.pid).memory_info().rss / 2**20


@contextmanager
def served_over_http(graph: Path, folder: Path, *more: str) -> Generator[Served]:
    """Yield the server, its log read all along so that it never waits for a reader."""
    settings = ("--graph", str(graph), "--contract", str(TOY / "contract"))
    command = [sys.executable, str(MAIN), "serve", *settings, "--transport", "http", "--port", "0"]
    command += ["--journal", str(folder / "journal.sqlite"), *more]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        served = Served(line.split()[-1].removesuffix("/mcp"), process)
        reader = threading.Thread(target=lambda: served.log.extend(process.stderr or ()))
        reader.start()
        try:
            yield served
        finally:
            process.terminate()
            process.wait(PATIENCE)
            reader.join(PATIENCE)
