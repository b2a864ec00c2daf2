"""Erasing texts from a journal, and moving old records into an archive.

Both can run beside servers that write. Each appends a record that states what was done, by whom and
when, so that the chain tells an erasure from a deletion.
"""

import getpass
import json
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from moviegraph.errors import JournalError
from moviegraph.journal import journal_file
from moviegraph.journal.chain import ARCHIVE, FORGET, OPERATOR, Position, format_ranges, owner_key
from moviegraph.journal.execution_records import Execution, new_execution_id
from moviegraph.journal.journal_file import JournalFile, open_file
from moviegraph.journal.sqlite_journal import SqliteJournal, append

COUNTS = """SELECT (SELECT COUNT(*) FROM records WHERE number <= ?),
                   (SELECT COUNT(*) FROM bodies WHERE number <= ?)"""
BUSY_LOG = (
    "Stop the program that reads {name}: its write-ahead log still contains the text. Then run "
    "`moviegraph journal forget` with any condition, which empties the log."
)


@dataclass(frozen=True, slots=True)
class Erasure:
    """Erased records, as ranges of their numbers, and the number of the record that states it."""

    count: int
    numbers: str
    record: int | None


@dataclass(frozen=True, slots=True)
class Archive:
    """Moved records: how many, and number and hash of the last one, after which both files join."""

    count: int
    joint: Position


def forget(path: Path, owner: str | None, before: datetime | None) -> Erasure:
    """Erase the texts of an owner's records, of records before a time, or of both conditions.

    `owner` is a name, or the short one of logs. The text is in no byte of the file afterwards.

    Raises:
        JournalError: The file cannot be used, or a reader keeps its write-ahead log.
    """
    with closing(SqliteJournal(path)) as journal:
        keys = None if owner is None else journal.owner_keys(owner)
    with closing(JournalFile(path, is_writable=True)) as file:
        with file.in_use() as connection:
            connection.execute("PRAGMA secure_delete = ON")
        with file.writing() as connection:
            sql = """SELECT number, owner_key, created FROM records
                     JOIN bodies USING (number, owner_key) WHERE owner_key <> ? ORDER BY number"""
            numbers = [
                number
                for number, key, created in connection.execute(sql, _operator(file))
                if (keys is None or key in keys) and (before is None or _is_before(created, before))
            ]
            record, ranges = None, format_ranges(numbers)
            if numbers:
                rows = ((number,) for number in numbers)
                connection.executemany("DELETE FROM bodies WHERE number = ?", rows)
                condition = {"owner_keys": keys, "before": before and before.isoformat()}
                record = _state(file, connection, FORGET, {"numbers": ranges, **condition})
        _compact(file)  # also without a record: an earlier call may have met a reader
        return Erasure(len(numbers), ranges, record)


def archive(path: Path, before: datetime, into: Path) -> Archive:
    """Move the records before a time into a new file, which is a journal of its own.

    The archive is complete on disk before any record leaves the journal, so that a crash between
    the two leaves every record in at least one of them.

    Raises:
        JournalError: A file cannot be used, the archive exists, or nothing is old enough.
    """
    if into.exists():
        raise JournalError(
            f"{into} exists; an archive never replaces a file.", hint="Name a different file."
        )
    with closing(JournalFile(path, is_writable=True)) as file:
        joint, count = _end_of(file, before)
        try:
            _write_archive(path, into, file.key, joint)
            _remove_moved(file, into, joint, count)
        except BaseException:
            _delete(into)
            raise
        _compact(file)
        return Archive(count, joint)


def _end_of(file: JournalFile, before: datetime) -> tuple[Position, int]:
    """Return number and hash of the last record of those before a time, and how many they are."""
    with file.in_use() as connection:
        count, joint = 0, None
        for number, digest, created in connection.execute(
            "SELECT number, hash, created FROM records ORDER BY number"
        ):
            if not _is_before(created, before):
                break
            count, joint = count + 1, (number, digest)
    if joint is None:
        raise JournalError(
            f"No record is before {before.isoformat(timespec='seconds')}.",
            hint="Name a later time; `moviegraph journal list` shows the times.",
        )
    return joint, count


def _write_archive(path: Path, into: Path, key: bytes, joint: Position) -> None:
    """Write the records up to the joint, and statements that later records make of them."""
    with closing(sqlite3.connect(path)) as source:
        origin: Position = source.execute("SELECT number, hash FROM origin").fetchone()
    with closing(open_file(into, is_writable=True, origin=origin, key=key)) as target:
        target.execute("PRAGMA synchronous = FULL")
        target.execute("ATTACH DATABASE ? AS live", (str(path),))
        target.execute("BEGIN")  # deferred: servers continue to write
        for table in ("records", "bodies"):
            copied = f"SELECT * FROM live.{table} WHERE number <= ? ORDER BY number"  # noqa: S608
            target.execute(f"INSERT INTO main.{table} {copied}", joint[:1])
        target.execute("INSERT INTO main.continued VALUES (?, ?)", joint)
        if erased := _erased_numbers(target, joint[0]):
            append(target, key, _execution(FORGET, {"numbers": format_ranges(erased)}))
        if origin[0]:
            statement = {"until": origin[0], "hash": origin[1]}
            append(target, key, _execution(ARCHIVE, statement))
        target.execute("COMMIT")
        target.execute("DETACH DATABASE live")
        target.execute("PRAGMA journal_mode = DELETE")  # one file, which can be moved


def _remove_moved(file: JournalFile, into: Path, joint: Position, count: int) -> None:
    """Remove the records of the archive, and state where the chain now starts."""
    with file.in_use() as connection:
        connection.execute("PRAGMA secure_delete = ON")
    with file.writing() as connection:
        connection.execute("UPDATE origin SET number = ?, hash = ?", joint)
        with closing(sqlite3.connect(into)) as archived:
            moved = archived.execute(COUNTS, 2 * joint[:1]).fetchone()
        if connection.execute(COUNTS, 2 * joint[:1]).fetchone() != moved:
            raise JournalError(
                "Records were erased or archived while they were copied.",
                hint="Run the command again.",
            )
        for table in ("bodies", "records"):
            connection.execute(f"DELETE FROM {table} WHERE number <= ?", joint[:1])  # noqa: S608
        statement = {"until": joint[0], "hash": joint[1], "count": count}
        _state(file, connection, ARCHIVE, statement)


def _erased_numbers(connection: sqlite3.Connection, last: int) -> Sequence[int]:
    sql = """SELECT number FROM main.records WHERE number <= ?
             AND number NOT IN (SELECT number FROM main.bodies) ORDER BY number"""
    return [number for (number,) in connection.execute(sql, (last,))]


def _state(
    file: JournalFile, connection: sqlite3.Connection, tool: str, statement: dict[str, Any]
) -> int:
    return append(connection, file.key, _execution(tool, statement))


def _execution(tool: str, statement: dict[str, Any]) -> Execution:
    """Return the record of an operator's command."""
    by = "unknown"
    with suppress(OSError, KeyError, ImportError):  # no such user, or no user database
        by = getpass.getuser()
    return Execution(
        id=new_execution_id(),
        owner=OPERATOR,
        tool=tool,
        created=datetime.now(UTC).isoformat(timespec="milliseconds"),
        status="ok",
        given=json.dumps({"by": by, **statement}),
    )


def _operator(file: JournalFile) -> tuple[str]:
    return (owner_key(file.key, OPERATOR),)


def _is_before(created: str, before: datetime) -> bool:
    """Return whether a record is older than a time; one without a readable time is not."""
    try:
        timestamp = datetime.fromisoformat(created)
    except ValueError:
        return False
    return (timestamp if timestamp.tzinfo else timestamp.astimezone()) < before


def _compact(file: JournalFile) -> None:
    """Rewrite the file without the deleted text, and empty its write-ahead log."""
    with file.in_use() as connection:
        connection.execute("VACUUM")
        until = time.monotonic() + journal_file.BUSY_SECONDS
        # SQLite does not wait where another connection runs a checkpoint, as each writer may.
        while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            if time.monotonic() > until:
                hint = BUSY_LOG.format(name=file.name)
                raise JournalError("The write-ahead log is in use.", hint=hint)
            time.sleep(journal_file.RETRY_SECONDS)


def _delete(into: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        into.with_name(into.name + suffix).unlink(missing_ok=True)
