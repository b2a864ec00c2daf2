"""MCP server in a subprocess with a bare JSON-RPC client, and its CPU time and memory."""

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import psutil

PROTOCOL = "2025-11-25"
MAX_START_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Launch:
    """Command of a server; with a port and a path it listens over HTTP, otherwise over stdio."""

    command: Sequence[str]
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    port: int | None = None
    path: str = ""


def launch_python(*arguments: str, **variables: str) -> Launch:
    """Return the launch of a server by this interpreter."""
    return Launch((sys.executable, *arguments), variables)


class ServerProcess(AbstractContextManager["ServerProcess"]):
    """One server subprocess; `size` is the number of bytes of the last response."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._launched_at = time.perf_counter()
        self._process = subprocess.Popen(
            launch.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **launch.variables},
        )
        self._usage = psutil.Process(self._process.pid)
        self._last_id = 0
        self._http: http.client.HTTPConnection | None = None
        self._session_headers: dict[str, str] = {}
        self.size = 0
        self.started_s = 0.0

    def __exit__(self, *_: object) -> None:
        for process in [self._usage, *self._usage.children(recursive=True)]:
            process.kill()
        self._process.wait()

    def cpu(self) -> float:
        """Return the CPU seconds of the server's process and of those that it started."""
        return cpu_seconds(self._usage, with_children=True)

    def memory(self) -> float:
        """Return the resident memory of the server in MB."""
        return float(self._usage.memory_info().rss) / 1e6

    def open(self) -> dict[str, Any]:
        """Initialize the session, note the time since the launch, and return the result."""
        if self._launch.port is not None:
            self._connect(self._launch.port)
        result = self.request(
            "initialize",
            protocolVersion=PROTOCOL,
            capabilities={},
            clientInfo={"name": "benchmark", "version": "0"},
        )
        self._exchange({"jsonrpc": "2.0", "method": "notifications/initialized"}, None)
        self.started_s = time.perf_counter() - self._launched_at
        return result

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its result."""
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        response = self._exchange(message, self._last_id)
        if "error" in response:
            raise RuntimeError(str(response["error"]))
        return response["result"]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool and return its result, which may be an error."""
        return self.request("tools/call", name=tool, arguments=dict(arguments))

    def call_checked(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its result; raise RuntimeError for an error."""
        result = self.call(tool, arguments)
        if result.get("isError"):
            raise RuntimeError(f"{tool}: {text_of(result)}")
        return result

    def _exchange(self, message: dict[str, Any], response_id: int | None) -> dict[str, Any]:
        if self._http is not None:
            return self._post(self._http, message, response_id)
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
        return {} if response_id is None else self._read(response_id)

    def _read(self, response_id: int) -> dict[str, Any]:
        """Read up to the response; some servers also print other lines."""
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            if not line.lstrip().startswith(b"{"):
                continue
            message = json.loads(line)
            if message.get("id") == response_id:
                self.size = len(line)
                return message
        raise RuntimeError("the server closed its output")

    def _connect(self, port: int) -> None:
        deadline = time.monotonic() + MAX_START_SECONDS
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=MAX_START_SECONDS)
            try:
                connection.connect()
            except OSError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise RuntimeError("the server does not listen") from None
                time.sleep(0.05)
            else:
                self._http = connection
                return

    def _post(
        self,
        connection: http.client.HTTPConnection,
        message: dict[str, Any],
        response_id: int | None,
    ) -> dict[str, Any]:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **self._session_headers,
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
            self._session_headers = {"Mcp-Session-Id": session, "MCP-Protocol-Version": PROTOCOL}
        if response_id is None:
            return {}
        self.size = len(received)
        for line in received.splitlines():
            text = line.removeprefix(b"data:").strip()
            if text.startswith(b"{") and json.loads(text).get("id") == response_id:
                return json.loads(text)
        raise RuntimeError(f"no response over HTTP ({response.status})")


def text_of(result: Mapping[str, Any]) -> str:
    """Return the text of a tool's result."""
    return "\n".join(part.get("text", "") for part in result.get("content", ()))


def cpu_seconds(process: psutil.Process, *, with_children: bool = False) -> float:
    """Return the CPU seconds of a process so far; children that have ended count too."""
    own = process.cpu_times()
    seconds = own.user + own.system
    if with_children:
        seconds += own.children_user + own.children_system
        seconds += sum(
            cpu_seconds(child, with_children=True)
            for child in process.children()
            if child.is_running()
        )
    return seconds
