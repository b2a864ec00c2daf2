"""The processes of a run: servers over HTTP, watched from outside, and the clients."""

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
from types import TracebackType
from typing import Any, Self

import psutil

from benchmarks.server_process import cpu_seconds

PATIENCE = 120
STEP = 1.0
CLIENTS = ("-m", "benchmarks.concurrency.clients")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class HttpServer:
    """A server in a process of its own; its memory is read every second."""

    def __init__(self, *arguments: str, ready: str = "/mcp") -> None:
        self.port = free_port()
        self._process = subprocess.Popen(
            [sys.executable, *arguments, "--port", str(self.port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._watched = psutil.Process(self._process.pid)
        self._done = threading.Event()
        self._watching = threading.Thread(target=self._watch)
        self._ready = ready
        self.memory: list[tuple[float, float]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def __enter__(self) -> Self:
        until = time.monotonic() + PATIENCE
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("the server did not start")
            time.sleep(0.1)
        self._watching.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        self._watching.join()
        self._process.terminate()
        self._process.wait()

    def cpu(self) -> float:
        """CPU seconds so far."""
        return cpu_seconds(self._watched)

    def threads(self) -> int:
        return int(self._watched.num_threads())

    def _answers(self) -> bool:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}{self._ready}", timeout=5).close()
        except urllib.error.HTTPError as error:
            error.close()
            return error.code != 503
        except OSError:
            return False
        return True

    def _watch(self) -> None:
        began = time.monotonic()
        while not self._done.wait(STEP):
            used = float(self._watched.memory_info().rss) / 1e6
            self.memory.append((time.monotonic() - began, used))


class Clients:
    """Clients in equal shares over as many processes as there are cores."""

    def __init__(self, count: int, mode: str, urls: Sequence[str]) -> None:
        share = max(each for each in range(1, (os.cpu_count() or 1) + 1) if count % each == 0)
        self._processes = [
            subprocess.Popen(
                [sys.executable, *CLIENTS, str(number), str(count // share), mode, *urls],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for number in range(share)
        ]
        self._rounds = 0

    def __enter__(self) -> Self:
        for process in self._processes:
            self._hear(process)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self._processes:
            process.terminate()
            process.wait()

    def run(
        self, what: str, url: str, seconds: float, *, slow: bool = False
    ) -> list[dict[str, Any]]:
        """Let all make calls for some seconds; return what each process noted."""
        self._rounds += 1
        for number, process in enumerate(self._processes):
            order = {"what": what, "url": url, "seconds": seconds, "round": self._rounds}
            assert process.stdin is not None
            process.stdin.write(json.dumps(order | {"slow": slow and number == 0}) + "\n")
            process.stdin.flush()
        return [self._hear(process) for process in self._processes]

    def _hear(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError("a process of clients ended")
        return json.loads(line)
