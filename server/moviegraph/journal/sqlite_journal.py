"""The journal: an append-only chain of records in one SQLite file."""

import hashlib
import hmac
import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from moviegraph.errors import JournalError
from moviegraph.journal.chain import (
    ChainCheck,
    ChainRecord,
    Position,
    Verification,
    owner_key,
    storable,
)
from moviegraph.journal.execution_records import BestExecution, Execution, redact, short_owner
from moviegraph.journal.journal_file import JournalFile, schema_statements

LOG = logging.getLogger("moviegraph")
PAGE = 1000
MAX_REMEMBERED = 200
MAX_SCORED = 2_000
CHAIN = "number, id, owner_key, created, digest, hash"
COLUMNS = f"{CHAIN}, question, content_hash, score, salt, CAST(body AS BLOB)"
TAIL = """SELECT number, hash, EXISTS (SELECT 1 FROM continued) FROM (
    SELECT number, hash FROM records UNION ALL SELECT number, hash FROM origin
) ORDER BY number DESC LIMIT 1"""


class SqliteJournal:
    """A journal that multiple threads and processes may share; without a path it is in memory.

    A record that was acknowledged survives a killed process: it is in the write-ahead log, which
    the operating system holds. Only a power failure can lose the last ones; the chain stays intact.

    A journal that is not `writable` creates no file and changes no record. One that does not keep
    questions stores them, and other texts, as digests; its last executions stay whole in memory.
    """

    def __init__(
        self, path: Path | None, *, writable: bool = True, keeps_questions: bool = True
    ) -> None:
        self._path = path
        self._writable = writable
        self._keeps_questions = keeps_questions
        self._remembered = deque[Execution](maxlen=MAX_REMEMBERED)
        self._lock = threading.RLock()
        self._file = JournalFile(path, is_writable=writable)

    def record(self, execution: Execution) -> None:
        """Append; acknowledged means that a killed process does not lose it."""
        with self._lock:
            with self._current_file().writing() as connection:
                *tail, is_archive = connection.execute(TAIL).fetchone()
                if is_archive:
                    raise JournalError(
                        f"{self._file.name} is an archive, which does not accept new calls.",
                        hint="Set MOVIEGRAPH_JOURNAL to a different file.",
                    )
                stored = (
                    execution if self._keeps_questions else redact(execution, self._text_digest)
                )
                append(connection, self._file.key, stored, (tail[0], tail[1]))
            if not self._keeps_questions:
                self._remembered.append(execution)

    def find(self, owner: str, execution_id: str) -> Execution | None:
        """Return the owner's execution; an erased or redacted one, or another's, is unknown."""
        key = owner_key(self._file.key, owner)
        records = self._newest(1, "id = ? AND owner_key = ?", execution_id, key)
        return next(self._whole(records), None)

    def recent(self, owner: str, limit: int = 50, question: str | None = None) -> list[Execution]:
        """Return the owner's executions, newest first, of one question if given."""
        key = owner_key(self._file.key, owner)
        if question is None or not self._keeps_questions:
            executions = self._whole(self._newest(limit, "owner_key = ?", key))
            return [each for each in executions if question in (None, each.question)]
        records = self._newest(limit, "owner_key = ? AND question = ?", key, question)
        return list(self._whole(records))

    def winners(self, owner: str, content_hash: str, limit: int = 500) -> list[BestExecution]:
        """Return the owner's best execution of each question over some data, newest first.

        Only the last MAX_SCORED executions with a score count.
        """
        sql = """SELECT question, id, score FROM bodies JOIN records USING (number, owner_key)
                 WHERE owner_key = ? AND content_hash = ? AND score IS NOT NULL
                 ORDER BY number DESC LIMIT ?"""
        values = (owner_key(self._file.key, owner), content_hash, MAX_SCORED)
        best: dict[str, BestExecution] = {}
        for row in self._select(sql, values):
            execution = BestExecution(*row)
            newer = best.setdefault(execution.question, execution)
            best[execution.question] = max(newer, execution, key=lambda each: each.score)
        return list(best.values())[:limit]

    def entries(
        self, limit: int = 50, before: int | None = None, owner: str | None = None
    ) -> list[ChainRecord]:
        """Return the newest records with text, newest first; only for the operator.

        `owner` is the name of an owner, or the short one of logs.
        """
        conditions, values = ["1 = 1"], list[str | int]()
        if before is not None:
            conditions.append("number < ?")
            values.append(before)
        if owner is not None:
            keys = self.owner_keys(owner)
            conditions.append(f"owner_key IN ({', '.join('?' * len(keys))})")
            values += keys
        return self._newest(limit, " AND ".join(conditions), *values)

    def owner_keys(self, name: str) -> list[str]:
        """Return the keys of the owners with a name, or with a short one as logs write it."""
        newest = "number IN (SELECT MAX(number) FROM bodies GROUP BY owner_key)"
        records = self._newest(-1, newest)
        owners = {record.owner_key: _owner_of(record) for record in records}
        matching = (key for key, owner in owners.items() if name in (owner, short_owner(owner)))
        return sorted({owner_key(self._file.key, name), *matching})

    def with_id_prefix(self, text: str, limit: int) -> list[ChainRecord]:
        """Return the record of an ID, or those whose IDs start with it; only for the operator."""
        exact = self._newest(1, "id = ?", text)
        return exact or self._newest(limit, "substr(id, 1, length(?)) = ?", text, text)

    def head(self) -> str:
        """Return the newest hash; noted elsewhere, it later proves that no record was removed."""
        with self._lock, self._current_file().in_use() as connection:
            return connection.execute(TAIL).fetchone()[1]

    def verify(self, head: str | None = None) -> Verification:
        """Check the whole chain; with a head noted earlier, also that nothing up to it is missing.

        The check continues after a wrong record. Writers can append between its pages.
        """
        with self._lock, self._current_file().in_use() as connection:
            key = self._file.key
            origin: Position = connection.execute("SELECT number, hash FROM origin").fetchone()
            continued = connection.execute("SELECT number, hash FROM continued").fetchone()
            objects = {row[0] for row in connection.execute("SELECT sql FROM sqlite_master")}
        check = ChainCheck(key, origin, continued, head)
        if missing := [text for text in schema_statements() if _is_missing(text, objects)]:
            names = ", ".join(text.split()[text.split().index("TRIGGER") + 1] for text in missing)
            check.add_fault(0, f"triggers against changes are missing: {names}")
        for record in self._chain(check):
            check.add(record)
        return check.result()

    def close(self) -> None:
        """Release the file."""
        with self._lock:
            self._file.close()

    def _chain(self, check: ChainCheck) -> Iterator[ChainRecord]:
        """Yield all records in pages, and skip those that SQLite cannot read."""
        join = (
            f"SELECT {COLUMNS} FROM records LEFT JOIN bodies USING (number, owner_key) WHERE number"  # noqa: S608
        )
        position = self._select("SELECT number FROM origin", ())[0][0]
        last = self._select("SELECT MAX(number) FROM records", ())[0][0] or position
        while position < last:
            try:
                page = self._select(f"{join} > ? ORDER BY number LIMIT ?", (position, PAGE))
                yield from (ChainRecord(*row) for row in page)
                position = page[-1][0] if page else last
            except JournalError:
                for position in range(position + 1, min(position + PAGE, last) + 1):  # noqa: B020
                    try:
                        rows = self._select(f"{join} = ?", (position,))
                    except JournalError as error:
                        check.skip(position, f"it is unreadable: {error.message}")
                    else:
                        yield from (ChainRecord(*row) for row in rows)

    def _newest(self, limit: int, condition: str, *values: str | int) -> list[ChainRecord]:
        sql = f"""SELECT {COLUMNS} FROM records JOIN bodies USING (number, owner_key)
                  WHERE {condition} ORDER BY number DESC LIMIT ?"""  # noqa: S608
        return [ChainRecord(*row) for row in self._select(sql, (*values, limit))]

    def _select(self, sql: str, values: Sequence[str | int]) -> list[Any]:
        bound = [storable(value) if isinstance(value, str) else value for value in values]
        with self._lock, self._current_file().in_use() as connection:
            return connection.execute(sql, bound).fetchall()

    def _whole(self, records: list[ChainRecord]) -> Iterator[Execution]:
        """Yield the executions with texts: those stored so, and those still in memory."""
        remembered = {execution.id: execution for execution in self._remembered}
        for record in records:
            execution = remembered.get(record.id) or record.execution()
            if not execution.is_redacted:
                yield execution

    def _text_digest(self, text: str) -> str:
        """Return a digest under the key of the file: equal texts can be counted, not read."""
        data = text.encode("utf-8", "replace")
        return f"hmac-sha256:{hmac.new(self._file.key, data, hashlib.sha256).hexdigest()}"

    def _current_file(self) -> JournalFile:
        """Return the file, reopened if it failed, or was deleted or replaced."""
        if self._path is None or not self._writable or not self._file.needs_reopen:
            return self._file
        if self._file.is_deleted:
            text = "The journal file %s was deleted, including its records."
            LOG.error(text, self._file.name, extra={"facts": {"event": "journal_removed"}})
        self._file.close()
        self._file = JournalFile(self._path, is_writable=True)
        LOG.warning("The journal was reopened.", extra={"facts": {"event": "journal_reopened"}})
        return self._file


def append(
    connection: sqlite3.Connection,
    key: bytes,
    execution: Execution,
    tail: Position | None = None,
) -> int:
    """Append an execution within a transaction, after the tail if known; return its number."""
    if tail is None:
        number, previous, _ = connection.execute(TAIL).fetchone()
        tail = (number, previous)
    record = ChainRecord.after(tail, key, execution)
    linked = (record.number, record.id, record.owner_key, record.created, record.digest)
    connection.execute("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)", (*linked, record.hash))
    copies = (record.question, record.content_hash, record.score, record.salt)
    text = (record.number, record.owner_key, *copies, (record.body or b"").decode())
    connection.execute("INSERT INTO bodies VALUES (?, ?, ?, ?, ?, ?, ?)", text)
    return record.number


def _owner_of(record: ChainRecord) -> str:
    try:
        return record.execution().owner
    except JournalError:
        return ""


def _is_missing(statement: str, objects: set[str]) -> bool:
    """Return whether a trigger of the schema is not among the objects of a file."""
    text = "\n".join(line for line in statement.splitlines() if not line.startswith("--"))
    return text.startswith("CREATE TRIGGER") and text not in objects
