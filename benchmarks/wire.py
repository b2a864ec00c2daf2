"""A bare JSON-RPC client over stdio, with the server's CPU time and memory read from outside."""

import json
import subprocess
import sys
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import psutil

from benchmarks.cpu import cpu_seconds

PROTOCOL = "2025-11-25"


class WireServer:
    """One server subprocess; requests are written as lines and answers read by id."""

    def __init__(self, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.watched = psutil.Process(self.process.pid)
        self.sent = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()

    def cpu(self) -> float:
        """CPU seconds of the server so far."""
        return cpu_seconds(self.watched)

    def memory(self) -> float:
        """Resident memory of the server in MB."""
        return float(self.watched.memory_info().rss) / 1e6

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its result."""
        self.sent += 1
        self._write({"jsonrpc": "2.0", "id": self.sent, "method": method, "params": params})
        while True:
            assert self.process.stdout is not None
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("the server closed its output")
            message = json.loads(line)
            if message.get("id") == self.sent:
                if "error" in message:
                    raise RuntimeError(str(message["error"]))
                return message["result"]

    def open(self) -> None:
        """Shake hands."""
        self.request(
            "initialize",
            protocolVersion=PROTOCOL,
            capabilities={},
            clientInfo={"name": "benchmark", "version": "0"},
        )
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; an error result raises."""
        result = self.request("tools/call", name=tool, arguments=arguments)
        if result.get("isError"):
            raise RuntimeError(f"{tool}: {result['content'][0]['text']}")
        return result

    def _write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
