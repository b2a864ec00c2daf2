"""Journals: executions to record, and a file as the first version wrote it."""

import sqlite3
from contextlib import closing
from dataclasses import astuple
from pathlib import Path
from typing import Any

from moviegraph.journal.execution_records import Execution
from moviegraph.journal.hash_chain import GENESIS, ChainRecord
from moviegraph.journal.sqlite_file import APPLICATION_ID, RECORDS
from moviegraph.journal.sqlite_journal import SqliteJournal


def execution(id: str = "e1", owner: str = "ann", **fields: Any) -> Execution:
    created = "2026-01-01T00:00:00Z"
    return Execution(id=id, owner=owner, tool="t", created=created, status="ok", **fields)


def write_old_journal(path: Path, count: int) -> str:
    """Write executions e1, e2, ... of one question, each better than the last; return the head."""
    previous = GENESIS
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in RECORDS:
            connection.execute(statement)
        connection.execute(
            """CREATE TRIGGER no_replace BEFORE INSERT ON records
               WHEN NEW.number <> (SELECT COALESCE(MAX(number), 0) + 1 FROM records)
               BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END"""
        )
        for number in range(count):
            about: dict[str, Any] = {"question": "q", "sql": "SELECT 1", "content_hash": "c"}
            link = ChainRecord.after(
                number, previous, execution(f"e{number + 1}", quality={"score": number}, **about)
            )
            connection.execute("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)", astuple(link))
            previous = link.hash
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
    return previous


class MemoryJournal(SqliteJournal):
    """A journal in memory that closes when nothing records in it any more."""

    def __init__(self) -> None:
        super().__init__(None)

    def __del__(self) -> None:
        self.close()
