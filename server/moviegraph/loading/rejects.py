"""Bad rows: why each is bad, how many there are of each sort, and the file that keeps them."""

import json
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO

from moviegraph.errors import SourceError

SHOWN = 5


class Reason(StrEnum):
    """Why a row is set aside."""

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
    """One bad row: where it stands, and what is wrong with it."""

    file: str
    line: int
    reason: Reason
    message: str


class Rejects:
    """The bad rows of one load; the first few of each reason are kept to be shown."""

    def __init__(self, kept: IO[str] | None = None) -> None:
        self._kept = kept
        self._counts = Counter[Reason]()
        self._first: dict[Reason, list[Reject]] = {}

    @property
    def counts(self) -> Mapping[str, int]:
        """How many rows were rejected by each reason, the commonest first."""
        return {reason.value: count for reason, count in self._counts.most_common()}

    @property
    def first(self) -> tuple[Reject, ...]:
        """The first few of each reason."""
        return tuple(each for rejects in self._first.values() for each in rejects)

    def add(self, file: str, line: int, row: bytes, bad: BadRow) -> None:
        """Count a bad row, and set it aside."""
        self._counts[bad.reason] += 1
        first = self._first.setdefault(bad.reason, [])
        if len(first) < SHOWN:
            first.append(Reject(file, line, bad.reason, bad.message))
        if self._kept:
            record = {
                "file": file,
                "line": line,
                "reason": bad.reason.value,
                "message": bad.message,
                "row": row.decode("utf-8", "backslashreplace").rstrip("\r\n"),
            }
            with _told(self._kept):
                self._kept.write(json.dumps(record, ensure_ascii=False) + "\n")

    def flush(self) -> None:
        """Let the file hold all that was set aside. Raises SourceError."""
        if self._kept:
            with _told(self._kept):
                self._kept.flush()


@contextmanager
def rejects_kept(path: Path | None) -> Generator[Rejects]:
    """Open what collects bad rows; a file that is given holds this load's rejects afterwards.

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
    with opened as kept:
        yield Rejects(kept)


@contextmanager
def _told(file: IO[str]) -> Generator[None]:
    try:
        yield
    except OSError as error:
        with suppress(OSError):
            file.close()  # what it still holds would fail once more, in the place of this
        raise _unwritable(file.name, error) from error


def _unwritable(path: Path | str, error: OSError) -> SourceError:
    return SourceError(
        f"{path} cannot be written: {error.strerror}.", hint="Name a different file with --rejects."
    )
