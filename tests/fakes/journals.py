"""Executions to record, and a journal in memory."""

from typing import Any

from moviegraph.journal.execution_records import Execution
from moviegraph.journal.sqlite_journal import SqliteJournal


def execution(id: str = "e1", owner: str = "ann", **fields: Any) -> Execution:
    created = "2026-01-01T00:00:00Z"
    return Execution(id=id, owner=owner, tool="t", created=created, status="ok", **fields)


class MemoryJournal(SqliteJournal):
    """A journal in memory that closes when nothing records in it any more."""

    def __init__(self) -> None:
        super().__init__(None)

    def __del__(self) -> None:
        self.close()
