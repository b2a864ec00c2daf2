"""Bad rows: why each is bad, how many there are of each reason, and their file."""

import json
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO

from moviegraph.errors import SourceError

MAX_SHOWN = 5


class Reason(StrEnum):
    """Why a row is rejected."""

    NOT_UTF8 = "not UTF-8"
    NOT_JSON = "not JSON"
    NOT_CSV = "not CSV"
    RAGGED = "ragged row"
    NOT_AN_OBJECT = "not an object"
    TOO_LONG = "line too long"
    MISSING = "field missing"
    EMPTY = "field empty"
    WRONG_TYPE = "wrong type"
    OUT_OF_RANGE = "number out of range"
    UNKNOWN_KIND = "unknown kind"
    TEXT_TOO_LONG = "text too long"
    NUL = "NUL character"
    LONE_SURROGATE = "lone surrogate"
    DUPLICATE_ID = "duplicate id"
    NO_SUCH_NODE = "no such node"
    DUPLICATE_EDGE = "duplicate edge"


class BadRow(Exception):
    """A row cannot be loaded."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


@dataclass(frozen=True, slots=True)
class Reject:
    """One bad row: its position and its problem."""

    file: str
    line: int
    reason: Reason
    message: str


class Rejects:
    """The bad rows of one load; the first few of each reason are shown."""

    def __init__(self, file: IO[str] | None = None) -> None:
        self._file = file
        self._counts = Counter[Reason]()
        self._first: dict[Reason, list[Reject]] = {}

    @property
    def counts(self) -> Mapping[str, int]:
        """How many rows were rejected by each reason, the commonest first."""
        return {reason.value: count for reason, count in self._counts.most_common()}

    @property
    def first(self) -> tuple[Reject, ...]:
        """The first few of each reason."""
        return tuple(reject for rejects in self._first.values() for reject in rejects)

    def add(self, file: str, line: int, row: bytes, bad: BadRow) -> None:
        """Count a bad row, and write it to the file."""
        self._counts[bad.reason] += 1
        first = self._first.setdefault(bad.reason, [])
        if len(first) < MAX_SHOWN:
            first.append(Reject(file, line, bad.reason, bad.message))
        if self._file:
            record = {
                "file": file,
                "line": line,
                "reason": bad.reason.value,
                "message": bad.message,
                "row": row.decode("utf-8", "backslashreplace").rstrip("\r\n"),
            }
            with _writing(self._file):
                self._file.write(json.dumps(record, ensure_ascii=False) + "\n")

    def flush(self) -> None:
        """Write all rejected rows to the file. Raises SourceError."""
        if self._file:
            with _writing(self._file):
                self._file.flush()


@contextmanager
def open_rejects(path: Path | None) -> Generator[Rejects]:
    """Open the collection of bad rows; a file contains those of this load only.

    Raises:
        SourceError: The file cannot be written.
    """
    if path is None:
        yield Rejects()
        return
    try:
        opened = path.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise _unwritable(path, error) from error
    with opened as file:
        yield Rejects(file)


@contextmanager
def _writing(file: IO[str]) -> Generator[None]:
    try:
        yield
    except OSError as error:
        with suppress(OSError):
            file.close()  # its buffer would fail again, and hide this error
        raise _unwritable(file.name, error) from error


def _unwritable(path: Path | str, error: OSError) -> SourceError:
    return SourceError(
        f"{path} cannot be written: {error.strerror}.", hint="Name a different file with --rejects."
    )
