"""Standard output as the protocol's writer: what fits is written at once, and by no thread."""

import os
import select
import socket
import stat
import sys
from contextlib import suppress

import anyio.to_thread


class Wire:
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


def take_standard_output() -> Wire | None:
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
    return Wire(taken)
