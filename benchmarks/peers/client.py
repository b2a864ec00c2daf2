"""The one MCP client for all servers: bare JSON-RPC, and the CPU time of the server's processes."""

import http.client
import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import psutil

from benchmarks.cpu import cpu_seconds

PROTOCOL = "2025-11-25"
LONGEST_START = 60.0


@dataclass(frozen=True, slots=True)
class Launch:
    """How a server is started; over HTTP with a port and a path, else over stdio."""

    command: Sequence[str]
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    port: int | None = None
    path: str = ""


class PeerServer:
    """A server process, with what it answers as bytes."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._begun = time.perf_counter()
        self._process = subprocess.Popen(
            launch.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **launch.variables},
        )
        self._watched = psutil.Process(self._process.pid)
        self._sent = 0
        self._http: http.client.HTTPConnection | None = None
        self._session: dict[str, str] = {}
        self.size = 0
        self.started_s = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        family = [self._watched, *self._watched.children(recursive=True)]
        for each in family:
            each.kill()
        self._process.wait()

    def cpu(self) -> float:
        """CPU seconds of the server's process and of those that it started."""
        return cpu_seconds(self._watched, family=True)

    def open(self) -> None:
        """Shake hands, and note how long the server took to answer for the first time."""
        if self._launch.port is not None:
            self._connect(self._launch.port)
        self.request(
            "initialize",
            protocolVersion=PROTOCOL,
            capabilities={},
            clientInfo={"name": "benchmark", "version": "0"},
        )
        self._exchange({"jsonrpc": "2.0", "method": "notifications/initialized"}, None)
        self.started_s = time.perf_counter() - self._begun

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its result; `size` is then the bytes of the answer."""
        self._sent += 1
        message = {"jsonrpc": "2.0", "id": self._sent, "method": method, "params": params}
        answer = self._exchange(message, self._sent)
        if "error" in answer:
            raise RuntimeError(str(answer["error"]))
        return answer["result"]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool; an error is a result too."""
        return self.request("tools/call", name=tool, arguments=dict(arguments))

    def _exchange(self, message: dict[str, Any], wanted: int | None) -> dict[str, Any]:
        if self._http is not None:
            return self._post(self._http, message, wanted)
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
        return {} if wanted is None else self._read(wanted)

    def _read(self, wanted: int) -> dict[str, Any]:
        """Read up to the answer; some peers print other lines too."""
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            if not line.lstrip().startswith(b"{"):
                continue
            message = json.loads(line)
            if message.get("id") == wanted:
                self.size = len(line)
                return message
        raise RuntimeError("the server closed its output")

    def _connect(self, port: int) -> None:
        until = time.monotonic() + LONGEST_START
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST_START)
            try:
                connection.connect()
            except OSError:
                if time.monotonic() > until or self._process.poll() is not None:
                    raise RuntimeError("the server does not listen") from None
                time.sleep(0.05)
            else:
                self._http = connection
                return

    def _post(
        self, connection: http.client.HTTPConnection, message: dict[str, Any], wanted: int | None
    ) -> dict[str, Any]:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **self._session,
        }
        body = json.dumps(message)
        try:
            connection.request("POST", self._launch.path, body, headers)
            response = connection.getresponse()
        except ConnectionError:  # the server had closed an idle connection
            connection.close()
            connection.request("POST", self._launch.path, body, headers)
            response = connection.getresponse()
        received = response.read()
        if session := response.getheader("Mcp-Session-Id"):
            self._session = {"Mcp-Session-Id": session, "MCP-Protocol-Version": PROTOCOL}
        if wanted is None:
            return {}
        self.size = len(received)
        for line in received.splitlines():
            text = line.removeprefix(b"data:").strip()
            if text.startswith(b"{") and json.loads(text).get("id") == wanted:
                return json.loads(text)
        raise RuntimeError(f"no answer over HTTP ({response.status})")


def text_of(result: Mapping[str, Any]) -> str:
    """Return the texts of a tool's result."""
    return "\n".join(part.get("text", "") for part in result.get("content", ()))
