"""The protocol over standard input and output, for one client."""

import io
import json
import logging
import os
import re
import select
import socket
import stat
import sys
from contextlib import closing, suppress
from functools import partial
from typing import Any, BinaryIO, cast

import anyio
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.stdio import stdio_server

ESCAPED = re.compile(rb"\\ud[89a-f]", re.IGNORECASE)
HALF = re.compile("[\ud800-\udfff]")
NUL_ESCAPED = r"\\u0000"
MOST_UNREAD = 256  # more than are ever at work and waiting, so that only unread answers count


def sanitize_stdin() -> None:
    """Let every message be read: the SDK drops one with a lone surrogate, and its client waits."""
    lines = io.BufferedReader(SanitizedLines(sys.stdin.buffer, _unread()))
    sys.stdin = io.TextIOWrapper(lines, encoding="utf-8", errors="replace")


class SanitizedLines(io.RawIOBase):
    """The lines of a stream, handed over one by one, each as `sanitize_line` leaves it."""

    def __init__(self, source: BinaryIO, unread: "Backpressure | None" = None) -> None:
        self._source = source
        self._unread = unread
        self._left = b""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, target: Any, /) -> int:
        """Fill the target with what is left of a line, or else with the next."""
        view = memoryview(target)
        if self._unread and not self._left:
            self._unread.wait()
        line = self._left or sanitize_line(self._source.readline())
        taken = line[: len(view)]
        view[: len(taken)] = taken
        self._left = line[len(taken) :]
        return len(taken)


class Backpressure:
    """Holds up who asks on and on without reading the answers, which would pile up here.

    Args:
        descriptor: Where the answers go.
        most: How many more messages are taken while nothing fits in there.
    """

    def __init__(self, descriptor: int, most: int = MOST_UNREAD) -> None:
        self._descriptor = descriptor
        self._most = most
        self._taken = 0

    def wait(self) -> None:
        """Return when one more message may be taken: it may have to be read first, or to go."""
        if self._has_room(0):
            self._taken = 0
            return
        self._taken += 1
        if self._taken > self._most:
            self._has_room(None)

    def _has_room(self, seconds: float | None) -> bool:
        return bool(select.select([], [self._descriptor], [], seconds)[1])


def _unread() -> Backpressure | None:
    """Watch standard output; where it is no file, or on Windows, nobody can tell."""
    if sys.platform == "win32":  # nothing there waits for a pipe
        return None
    try:
        return Backpressure(os.dup(sys.stdout.fileno()))
    except OSError:
        return None


def sanitize_line(line: bytes) -> bytes:
    """Return a line with NUL for each half character, which no argument of a tool may hold."""
    if not ESCAPED.search(line):
        return line
    try:
        message = json.dumps(json.loads(line), ensure_ascii=False)
    except (ValueError, RecursionError):
        return line
    return HALF.sub(NUL_ESCAPED, message).encode() + b"\n"


class StdoutWriter:
    """The pipe or socket to a client; a message is written whole before the next.

    Args:
        descriptor: Its descriptor, which nobody else writes to, and which `close` closes.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        mode = os.fstat(descriptor).st_mode
        self._pipe = stat.S_ISFIFO(mode)
        self._socket = socket.socket(fileno=descriptor) if stat.S_ISSOCK(mode) else None

    async def write(self, text: str) -> int:
        """Write a text; while its reader is slow, a thread waits for it.

        Raises:
            OSError: Nobody reads it any more.
        """
        left = self._at_once(text.encode())
        if left:
            await anyio.to_thread.run_sync(self._in_time, left)
        return len(text)

    async def flush(self) -> None:
        """Return: nothing is kept back."""

    def close(self) -> None:
        """Close the descriptor."""
        if self._socket is not None:
            self._socket.close()
        else:
            os.close(self._descriptor)

    def _at_once(self, data: bytes) -> bytes:
        """Write what fits without waiting; return what does not."""
        with suppress(BlockingIOError):
            while data and self._socket is not None:
                data = data[self._socket.send(data, socket.MSG_DONTWAIT) :]
            while data and self._pipe and self._has_room(0):
                data = data[os.write(self._descriptor, data[: select.PIPE_BUF]) :]
        return data

    def _in_time(self, data: bytes) -> None:
        while data:
            self._has_room(None)
            with suppress(BlockingIOError):  # a client may have set its end not to wait
                data = data[os.write(self._descriptor, data[: select.PIPE_BUF]) :]

    def _has_room(self, seconds: float | None) -> bool:
        """Whether so much as PIPE_BUF can be written to a pipe, which then does not wait."""
        return bool(select.select([], [self._descriptor], [], seconds)[1])


def claim_stdout() -> StdoutWriter | None:
    """Return the wire, and let what else is printed go to standard error, as the SDK does.

    None where it is no pipe or socket: then the SDK's own writer serves.
    """
    if sys.platform == "win32":  # nothing there tells whether a pipe has room
        return None
    try:
        descriptor = sys.stdout.fileno()
        mode = os.fstat(descriptor).st_mode
        if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
            return None
        sys.stdout.flush()
        taken = os.dup(descriptor)
        os.dup2(sys.stderr.fileno(), descriptor)
    except (AttributeError, OSError, ValueError):  # one of the two is closed
        return None
    return StdoutWriter(taken)


LOG = logging.getLogger("moviegraph")
GONE = (BrokenPipeError, ConnectionResetError)


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve until the client closes standard input, or has gone when it is to be answered."""
    sanitize_stdin()
    wire = claim_stdout()
    try:
        if wire is None:
            server.run("stdio")
            return
        with closing(wire):
            anyio.run(partial(_served, server, wire))
    except* GONE:
        facts = {"event": "client_gone"}
        LOG.warning("The client disconnected before the response was sent.", extra={"facts": facts})


async def _served(server: MCPServer[Any], wire: StdoutWriter) -> None:
    """Serve as `MCPServer.run` does, which takes no streams of its caller's."""
    output = cast("anyio.AsyncFile[str]", wire)  # the SDK only writes to it and flushes it
    async with stdio_server(stdout=output) as (incoming, outgoing):
        low = server._lowlevel_server  # pyright: ignore[reportPrivateUsage]
        await low.run(incoming, outgoing, low.create_initialization_options())
