"""Standard input as the protocol's reader can take it: without half characters."""

import io
import json
import re
import sys
from typing import Any, BinaryIO

ESCAPED = re.compile(rb"\\ud[89a-f]", re.IGNORECASE)
HALF = re.compile("[\ud800-\udfff]")
NUL_ESCAPED = r"\\u0000"


def mend_standard_input() -> None:
    """Let every message be read: the SDK drops one with a lone surrogate, and its client waits."""
    lines = io.BufferedReader(MendedLines(sys.stdin.buffer))
    sys.stdin = io.TextIOWrapper(lines, encoding="utf-8", errors="replace")


class MendedLines(io.RawIOBase):
    """The lines of a stream, handed over one by one, each as `mended` leaves it."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._left = b""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, target: Any, /) -> int:
        """Fill the target with what is left of a line, or else with the next."""
        view = memoryview(target)
        line = self._left or mended(self._source.readline())
        taken = line[: len(view)]
        view[: len(taken)] = taken
        self._left = line[len(taken) :]
        return len(taken)


def mended(line: bytes) -> bytes:
    """Return a line with NUL for each half character, which no argument of a tool may hold."""
    if not ESCAPED.search(line):
        return line
    try:
        message = json.dumps(json.loads(line), ensure_ascii=False)
    except (ValueError, RecursionError):
        return line
    return HALF.sub(NUL_ESCAPED, message).encode() + b"\n"
