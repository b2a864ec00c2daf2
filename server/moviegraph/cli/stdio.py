"""The protocol over standard input and output, for one client."""

import io
import json
import logging
import os
import re
import select
import sys
from contextlib import suppress
from typing import Any, BinaryIO

from mcp.server import MCPServer

ESCAPED = re.compile(rb"\\ud[89a-f]", re.IGNORECASE)
SURROGATE = re.compile("[\ud800-\udfff]")
NUL_ESCAPED = r"\\u0000"
MAX_UNREAD = 256  # more than can run and wait, so that only unread responses count


def sanitize_stdin() -> None:
    """Make every message readable: the SDK drops lone surrogates, and the client would wait."""
    lines = io.BufferedReader(SanitizedLines(sys.stdin.buffer, _backpressure()))
    sys.stdin = io.TextIOWrapper(lines, encoding="utf-8", errors="replace")


class SanitizedLines(io.RawIOBase):
    """The lines of a stream, sanitized one by one."""

    def __init__(self, source: BinaryIO, backpressure: "Backpressure | None" = None) -> None:
        self._source = source
        self._backpressure = backpressure
        self._left = b""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, target: Any, /) -> int:
        """Fill the target with the rest of a line, or with the next one."""
        view = memoryview(target)
        if self._backpressure and not self._left:
            self._backpressure.wait()
        line = self._left or sanitize_line(self._source.readline())
        part = line[: len(view)]
        view[: len(part)] = part
        self._left = line[len(part) :]
        return len(part)


class Backpressure:
    """Stops reading from a client that sends requests without reading responses.

    Args:
        descriptor: The pipe of the responses.
        limit: How many messages are read while the pipe is full.
    """

    def __init__(self, descriptor: int, limit: int = MAX_UNREAD) -> None:
        self._descriptor = descriptor
        self._limit = limit
        self._unread = 0

    def wait(self) -> None:
        """Return when the next message may be read."""
        if self._has_room(0):
            self._unread = 0
            return
        self._unread += 1
        if self._unread > self._limit:
            self._has_room(None)

    def _has_room(self, seconds: float | None) -> bool:
        return bool(select.select([], [self._descriptor], [], seconds)[1])


def _backpressure() -> Backpressure | None:
    """Return the backpressure of standard output; None on Windows, and if it is not a file."""
    if sys.platform == "win32":  # select does not support pipes there
        return None
    try:
        return Backpressure(os.dup(sys.stdout.fileno()))
    except OSError:
        return None


def sanitize_line(line: bytes) -> bytes:
    """Return a line with NUL for each lone surrogate; no argument of a tool accepts NUL."""
    if not ESCAPED.search(line):
        return line
    try:
        message = json.dumps(json.loads(line), ensure_ascii=False)
    except (ValueError, RecursionError):
        return line
    return SURROGATE.sub(NUL_ESCAPED, message).encode() + b"\n"


LOG = logging.getLogger("moviegraph")


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve until the client closes standard input, or no longer reads responses."""
    with suppress(AttributeError, OSError, ValueError):  # no such function, or no descriptor
        os.set_blocking(sys.stdout.fileno(), True)  # a client may share the pipe, and not block
    sanitize_stdin()
    try:
        server.run("stdio")
    except* (BrokenPipeError, ConnectionResetError):
        facts = {"event": "client_gone"}
        LOG.warning("The client disconnected before the response was sent.", extra={"facts": facts})
