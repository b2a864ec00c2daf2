"""Processes of a run: servers over HTTP with their CPU and memory, and clients."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Self

import psutil

from benchmarks.server_process import cpu_seconds

MAX_START_SECONDS = 120
SAMPLE_SECONDS = 1.0
CLIENT_COMMAND = ("-m", "benchmarks.concurrency.clients")


def free_port() -> int:
    """Return a free TCP port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class HttpServer(AbstractContextManager["HttpServer"]):
    """A server in a separate process; its memory is sampled every second."""

    def __init__(self, *arguments: str, ready_path: str = "/mcp") -> None:
        self.port = free_port()
        self._process = subprocess.Popen(
            [sys.executable, *arguments, "--port", str(self.port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._usage = psutil.Process(self._process.pid)
        self._done = threading.Event()
        self._sampler = threading.Thread(target=self._sample)
        self._ready_path = ready_path
        self.memory: list[tuple[float, float]] = []

    @property
    def url(self) -> str:
        """The address of the MCP endpoint."""
        return f"http://127.0.0.1:{self.port}/mcp"

    def __enter__(self) -> Self:
        deadline = time.monotonic() + MAX_START_SECONDS
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the server did not start")
            time.sleep(0.1)
        self._sampler.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._sampler.join()
        self._process.terminate()
        self._process.wait()

    def cpu(self) -> float:
        """Return the CPU seconds so far, with those of the processes that run statements."""
        return cpu_seconds(self._usage, with_children=True)

    def threads(self) -> int:
        """Return the number of threads."""
        return int(self._usage.num_threads())

    def _is_ready(self) -> bool:
        try:
            urllib.request.urlopen(
                f"http://127.0.0.1:{self.port}{self._ready_path}", timeout=5
            ).close()
        except urllib.error.HTTPError as error:
            error.close()
            return error.code != 503
        except OSError:
            return False
        return True

    def _sample(self) -> None:
        start = time.monotonic()
        while not self._done.wait(SAMPLE_SECONDS):
            used = self._usage.memory_info().rss + sum(
                _private_bytes(child) for child in self._usage.children()
            )
            self.memory.append((time.monotonic() - start, used / 1e6))


def _private_bytes(process: psutil.Process) -> int:
    """Return the memory that a process does not share: mapped vectors count once."""
    try:
        memory = process.memory_info()
    except psutil.NoSuchProcess:
        return 0
    return int(memory.rss - memory.shared)


class Clients(AbstractContextManager["Clients"]):
    """Clients distributed equally over at most one process per core."""

    def __init__(self, count: int, mode: str, urls: Sequence[str]) -> None:
        count_of_processes = max(n for n in range(1, (os.cpu_count() or 1) + 1) if count % n == 0)
        self._processes = [
            subprocess.Popen(
                [
                    sys.executable,
                    *CLIENT_COMMAND,
                    str(number),
                    str(count // count_of_processes),
                    mode,
                    *urls,
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for number in range(count_of_processes)
        ]
        self._rounds = 0

    def __enter__(self) -> Self:
        for process in self._processes:
            self._read_message(process)
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.terminate()
            process.wait()

    def run(
        self, mix: str, url: str, seconds: float, *, slow: bool = False
    ) -> list[dict[str, Any]]:
        """Make calls with all clients for some seconds; return the log of each process."""
        self._rounds += 1
        for number, process in enumerate(self._processes):
            order = {"mix": mix, "url": url, "seconds": seconds, "round": self._rounds}
            assert process.stdin is not None
            process.stdin.write(json.dumps(order | {"slow": slow and number == 0}) + "\n")
            process.stdin.flush()
        return [self._read_message(process) for process in self._processes]

    def _read_message(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError("a client process exited")
        return json.loads(line)
