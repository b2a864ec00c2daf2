"""The SQLite file of the journal: its schema, opening, transactions and errors."""

import os
import secrets
import sqlite3
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from moviegraph.errors import JournalError, primary_code
from moviegraph.journal.chain import GENESIS, Position

APPLICATION_ID = 0x4D47_4A31  # "MGJ1": identifies a journal among SQLite files
VERSION = 4
KEY_BYTES = 32
BUSY_SECONDS = 10.0
RETRY_SECONDS = 0.005
OTHER_HINT = (
    "Check the file, the permissions of its folder and the free space, or set "
    "MOVIEGRAPH_JOURNAL to a different file."
)
SPACE_HINT = "Free disk space, or set MOVIEGRAPH_JOURNAL to a file on a different disk."
DAMAGED_HINT = (
    "Move that file and the files that share its name to a different folder for inspection, "
    "restore a copy, or set MOVIEGRAPH_JOURNAL to a different file."
)
HINTS: Mapping[int | None, str] = MappingProxyType(
    {
        sqlite3.SQLITE_BUSY: (
            "Stop the other program that locks it, or set MOVIEGRAPH_JOURNAL to a different file."
        ),
        sqlite3.SQLITE_FULL: SPACE_HINT,
        sqlite3.SQLITE_IOERR: SPACE_HINT,
        sqlite3.SQLITE_CORRUPT: DAMAGED_HINT,
        sqlite3.SQLITE_NOTADB: DAMAGED_HINT,
    }
)
ORPHANED = ".left"
FileIdentity = tuple[int, int]  # device and inode
TRANSIENT = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL)  # the connection stays usable


def schema_statements() -> list[str]:
    """Return the statements of the schema."""
    schema = Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")
    return schema.split("\n\n")  # a trigger contains semicolons


def prepare_schema(connection: sqlite3.Connection, origin: Position, key: bytes) -> None:
    """Create the schema in an empty file, or check that the file is a readable journal.

    One transaction, so that two processes can open a new file at once.
    """
    with transaction(connection):
        if _value(connection, "SELECT count(*) FROM sqlite_master") == 0:
            for statement in schema_statements():
                connection.execute(statement)
            connection.execute("INSERT INTO origin VALUES (?, ?)", origin)
            connection.execute("INSERT INTO secret VALUES (?)", (key,))
        check(connection)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[None]:
    """Run the block as one writing transaction, rolled back if it fails."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite itself rolls back when the disk is full
            connection.execute("ROLLBACK")
        raise


def check(connection: sqlite3.Connection) -> None:
    """Raise JournalError unless the file is a journal of this schema version."""
    if _value(connection, "PRAGMA application_id") != APPLICATION_ID:
        raise JournalError(
            "The file is an SQLite database, but not a journal.",
            hint="Set MOVIEGRAPH_JOURNAL to a different file.",
        )
    version = _value(connection, "PRAGMA user_version")
    if version != VERSION:
        raise JournalError(
            f"The journal has schema version {version}; this moviegraph reads version {VERSION}.",
            hint="Move the file and those that share its name to a different folder; the next call "
            "starts a new journal. Or set MOVIEGRAPH_JOURNAL to a different file.",
        )


def _value(connection: sqlite3.Connection, sql: str) -> int:
    return int(connection.execute(sql).fetchone()[0])


def open_file(
    path: Path | None, *, is_writable: bool, origin: Position = (0, GENESIS), key: bytes = b""
) -> sqlite3.Connection:
    """Open a file; a new one continues after `origin`, with the key of another or a new one.

    None is a journal in memory. Threads may share the connection if they lock it.
    """
    name = "in memory" if path is None else str(path)
    try:
        if path is not None and is_writable:
            _create_private(path)
        connection = sqlite3.connect(
            _source(path, is_writable=is_writable),
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
        )
    except (OSError, sqlite3.Error) as error:
        raise failure(name, error) from error
    # A damaged byte must not hide the other records.
    connection.text_factory = _decode
    try:
        if is_writable:
            prepare_schema(connection, origin, key or secrets.token_bytes(KEY_BYTES))
            # After the schema: a foreign file is refused before anything in it changes.
            _enable_write_ahead(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
        else:
            connection.execute("PRAGMA query_only = ON")
            check(connection)
    except sqlite3.Error as error:
        connection.close()
        raise failure(name, error) from error
    except JournalError as error:
        connection.close()
        raise JournalError(f"{name}: {error.message}", hint=error.hint) from None
    return connection


def _source(path: Path | None, *, is_writable: bool) -> str:
    """Return the URI of a file; SQLite reads a write-ahead log only beside files it may create."""
    if path is None:
        return ":memory:"
    has_log = path.with_name(f"{path.name}-wal").exists()
    is_fixed = not (is_writable or has_log or os.access(path.absolute().parent, os.W_OK))
    return path.absolute().as_uri() + ("?immutable=1" if is_fixed else "")


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def failure(name: str, error: Exception) -> JournalError:
    """Return the error of a file that cannot be used."""
    hint = HINTS.get(primary_code(error), OTHER_HINT)
    reason = getattr(error, "strerror", None) or error
    return JournalError(
        f"The journal cannot be used: {reason} ({name}).",
        hint=f"{hint} The next call retries.",
    )


def _enable_write_ahead(connection: sqlite3.Connection) -> None:
    """Enable the write-ahead log; SQLite does not wait while another process does the same."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(RETRY_SECONDS)
        else:
            return


def _create_private(path: Path) -> None:
    """Create the file, readable by its owner only: it contains what people asked."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


class JournalFile:
    """An open file; without a path it is in memory. Its user locks it."""

    def __init__(self, path: Path | None, *, is_writable: bool) -> None:
        self.name = "in memory" if path is None else str(path)
        self._path = path
        self._has_failed = False
        self._companions: dict[Path, FileIdentity | None] = {}
        self._connection = open_file(path, is_writable=is_writable)
        self._file = _identity(path)
        with self.in_use() as connection:
            self.key: bytes = connection.execute("SELECT key FROM secret").fetchone()[0]

    @property
    def is_deleted(self) -> bool:
        """Whether its file was deleted."""
        return self._file is not None and _identity(self._path) is None

    @property
    def needs_reopen(self) -> bool:
        """Whether it failed, or its file was replaced or deleted."""
        return self._has_failed or _identity(self._path) != self._file

    @contextmanager
    def in_use(self) -> Generator[sqlite3.Connection]:
        """Yield the connection; SQLite waits while another process locks the file."""
        try:
            yield self._connection
        except sqlite3.Error as error:
            code = primary_code(error)  # None if the connection was closed
            self._has_failed = code is not None and code not in TRANSIENT
            raise failure(self.name, error) from error

    @contextmanager
    def writing(self) -> Generator[sqlite3.Connection]:
        """Run the block as one writing transaction."""
        with self.in_use() as connection, transaction(connection):
            yield connection
        if self._path is not None and not self._companions:
            wal, shm = (self._path.with_name(f"{self._path.name}-{end}") for end in ("wal", "shm"))
            self._companions = {wal: _identity(wal), shm: _identity(shm)}

    def close(self) -> None:
        """Release the file.

        If another file has replaced it, rename the log next to it: SQLite would write the log into
        that file.
        """
        is_replaced = _identity(self._path) != self._file
        self._connection.close()
        for path, identity in self._companions.items():
            if is_replaced and identity is not None and _identity(path) == identity:
                path.replace(path.with_name(f"{path.name}{ORPHANED}"))


def _identity(path: Path | None) -> FileIdentity | None:
    """Return device and inode of a file, or None if there is no file."""
    if path is None:
        return None
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
