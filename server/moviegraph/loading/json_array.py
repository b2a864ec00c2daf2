"""The records of a JSON array, read as far as the next one needs; a broken one is passed over.

A record that starts its own line ends before the next line with the same start, because no text
in JSON runs over a line: so what is broken between two such lines can be set aside. An array on
one line gives no such hold.
"""

import json
from collections.abc import Iterator
from io import TextIOWrapper
from typing import Any, cast

from moviegraph.errors import SourceError
from moviegraph.loading.rejects import BadRow, Reason
from moviegraph.loading.rows import DECODER, Row
from moviegraph.loading.source import MOST_BYTES

CHUNK = 1 << 20
SPACE = " \t\r\n"
LONGEST_SIGN = 16  # what an error this near to the end may lack: a number, a literal, an escape
Element = tuple[int, Row | BadRow, str]


class _Broken(Exception):
    """No value stands where one should."""


class JsonArray:
    """A text that is read on demand."""

    def __init__(self, text: TextIOWrapper, name: str) -> None:
        self._text, self._name = text, name
        self._buffer, self._at, self._line, self._dropped = "", 0, 1, 0
        self._ended = False
        self._start: str | None = None
        self._nests = False

    def elements(self) -> Iterator[Element]:
        """Yield line, value and text of each record.

        Raises:
            SourceError: The array ends early, or is broken where nothing tells the next record.
        """
        self._skip("[")
        while (sign := self._next()) != "]":
            if not sign:
                raise self._unreadable("the array is incomplete")
            yield self._element()
            if between := self._between():
                yield between
        self._skip("]")
        if self._next():
            raise self._unreadable("there is more text after the array")

    def _element(self) -> Element:
        self._note_start()
        line = self._line
        try:
            value, end = self._decoded()
        except _Broken as error:
            text = self._passed_over(str(error))
            return line, BadRow(Reason.NOT_JSON, str(error)), text
        text = self._buffer[self._at : end]
        self._move(end)
        self._nests = self._nests or (bool(self._start) and str(self._start) in text)
        return line, _checked(value, text), text

    def _decoded(self) -> tuple[Any, int]:
        """Return the next value and where it ends. Raises _Broken or SourceError."""
        while True:
            try:
                value, end = DECODER.raw_decode(self._buffer, self._at)
                if end < len(self._buffer) or self._ended:
                    return value, end
            except json.JSONDecodeError as error:
                self._require_cut(error)
            except (ValueError, RecursionError) as error:
                raise _Broken(str(error).partition(";")[0]) from None
            if len(self._buffer) - self._at > MOST_BYTES:
                raise self._unreadable(f"a record has over {MOST_BYTES >> 20} million characters")
            self._fill()

    def _require_cut(self, error: json.JSONDecodeError) -> None:
        """Raise _Broken unless what is wrong may be that more has to be read."""
        there = len(self._buffer.rstrip(SPACE) if self._ended else self._buffer)
        most = there if self._ended else there - LONGEST_SIGN
        cut = error.msg.startswith("Unterminated") or error.pos >= most
        if cut and self._ended:
            raise self._unreadable(f"a record is incomplete ({error.msg})")
        if not cut:
            line = self._line + self._buffer.count("\n", self._at, error.pos)
            raise _Broken(f"{error.msg} in line {line}")

    def _passed_over(self, why: str) -> str:
        """Move to the next record, and return what stands before it."""
        if not self._start or self._nests:
            raise self._unreadable(why)
        while (end := self._buffer.find(self._start, self._at)) < 0:
            if self._ended:
                end = self._closing(why)
                break
            if len(self._buffer) - self._at > MOST_BYTES:
                raise self._unreadable(why)
            self._fill()
        text = self._buffer[self._at : end]
        self._move(end)
        return text.rstrip(SPACE + ",")

    def _closing(self, why: str) -> int:
        """Return where the bracket of the array stands after the last record."""
        end = len(self._buffer.rstrip(SPACE)) - 1
        if end <= self._at or self._buffer[end] != "]":
            raise self._unreadable(why)
        return end

    def _between(self) -> Element | None:
        """Pass over a comma, missing or spare as it may be; return what else stands there."""
        sign = self._next()
        if sign == ",":
            self._skip(sign)
        elif sign not in ("]", "{", ""):
            line, why = self._line, "a comma is missing between two records"
            return line, BadRow(Reason.NOT_JSON, why), self._passed_over(why)
        return None

    def _note_start(self) -> None:
        """Remember how the first record starts its line, if it has one of its own."""
        if self._start is None:
            line = self._buffer.rfind("\n", 0, self._at)
            before = self._buffer[line : self._at] if line >= 0 else "["
            self._start = "" if before.strip() else f"{before}{{"

    def _next(self) -> str:
        """Return the next character that is no space; empty at the end."""
        while True:
            while self._at < len(self._buffer):
                if self._buffer[self._at] not in SPACE:
                    return self._buffer[self._at]
                self._move(self._at + 1)
            if self._ended:
                return ""
            self._fill()

    def _skip(self, sign: str) -> None:
        if self._next() == sign:
            self._move(self._at + 1)

    def _move(self, end: int) -> None:
        self._line += self._buffer.count("\n", self._at, end)
        self._at = end

    def _fill(self) -> None:
        self._dropped += self._at
        self._buffer = self._buffer[self._at :]
        self._at = 0
        added = self._text.read(max(CHUNK, len(self._buffer)))
        self._ended = not added
        self._buffer += added

    def _unreadable(self, why: str) -> SourceError:
        line, character = self._line, self._dropped + self._at + 1
        place = f"line {line}" if line > 1 else f"character {character:,}"
        return SourceError(
            f"{self._name} is not JSON from {place}: {why}.",
            hint="Fix it, or save it with one object per line. Nothing was changed.",
        )


def _checked(value: Any, text: str) -> Row | BadRow:
    if not isinstance(value, dict):
        message = f"a {type(value).__name__} instead of an object"
        return BadRow(Reason.NOT_AN_OBJECT, message)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return BadRow(Reason.NOT_UTF8, "not UTF-8; save the file as UTF-8")
    return cast("Row", value)
