"""Standard input as the protocol's reader can take it: without half characters."""

import io
import json
import os
import re
import select
import sys
from typing import Any, BinaryIO

ESCAPED = re.compile(rb"\\ud[89a-f]", re.IGNORECASE)
HALF = re.compile("[\ud800-\udfff]")
NUL_ESCAPED = r"\\u0000"
MOST_UNREAD = 256  # more than are ever at work and waiting, so that only unread answers count


def mend_standard_input() -> None:
    """Let every message be read: the SDK drops one with a lone surrogate, and its client waits."""
    lines = io.BufferedReader(MendedLines(sys.stdin.buffer, _unread()))
    sys.stdin = io.TextIOWrapper(lines, encoding="utf-8", errors="replace")


class MendedLines(io.RawIOBase):
    """The lines of a stream, handed over one by one, each as `mended` leaves it."""

    def __init__(self, source: BinaryIO, unread: "Unread | None" = None) -> None:
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
        line = self._left or mended(self._source.readline())
        taken = line[: len(view)]
        view[: len(taken)] = taken
        self._left = line[len(taken) :]
        return len(taken)


class Unread:
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


def _unread() -> Unread | None:
    """Watch standard output; where it is no file, or on Windows, nobody can tell."""
    if sys.platform == "win32":  # nothing there waits for a pipe
        return None
    try:
        return Unread(os.dup(sys.stdout.fileno()))
    except OSError:
        return None


def mended(line: bytes) -> bytes:
    """Return a line with NUL for each half character, which no argument of a tool may hold."""
    if not ESCAPED.search(line):
        return line
    try:
        message = json.dumps(json.loads(line), ensure_ascii=False)
    except (ValueError, RecursionError):
        return line
    return HALF.sub(NUL_ESCAPED, message).encode() + b"\n"
