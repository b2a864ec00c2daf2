"""`moviegraph journal`: lists, shows and verifies what was recorded."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.streams import answer
from moviegraph.errors import JournalError

if TYPE_CHECKING:
    from moviegraph.journal.chain import Link
    from moviegraph.journal.sqlite_journal import SqliteJournal

NAME = "journal"
HELP = "List, show or verify the record of all executions."
ASKED_WIDTH = 60


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("action", nargs="?", default="list", choices=("list", "show", "verify"))
    parser.add_argument("id", nargs="?", help="execution to show")
    parser.add_argument("--limit", type=int, default=50, help="how many to list (50)")
    parser.add_argument("--head", help="hash noted earlier, which the chain must still hold")
    add_settings(parser, "journal")


def run(parsed: argparse.Namespace) -> int:
    """Read the journal; verifying fails with status 1."""
    from moviegraph.journal.sqlite_journal import SqliteJournal

    path = settings_of(parsed).journal_file
    if not path.is_file():
        raise JournalError(
            f"There is no journal at {path}.", hint="It begins with the first call of a tool."
        )
    journal = SqliteJournal(path)
    try:
        if parsed.action == "verify":
            return _verify(journal, parsed.head)
        if parsed.action == "show":
            return _show(journal, parsed.id)
        for link in journal.entries(limit=max(1, parsed.limit)):
            answer(_line(link))
        return 0
    finally:
        journal.close()


def _line(link: Link) -> str:
    execution = link.execution()
    asked = execution.question or execution.query or execution.given or ""
    asked = " ".join(asked.split())[:ASKED_WIDTH]
    result = f"{execution.row_count} rows" if execution.status == "ok" else execution.status
    return f"{execution.id}  {execution.created}  {execution.tool:<20}  {result:<8}  {asked}"


def _show(journal: SqliteJournal, execution_id: str | None) -> int:
    link = journal.entry(execution_id) if execution_id else None
    if link is None:
        raise JournalError(
            f"No execution has the id {execution_id!r}." if execution_id else "Which execution?",
            hint="`moviegraph journal list` shows the ids.",
        )
    answer(json.dumps(link.execution().model_dump(mode="json"), indent=1))
    return 0


def _verify(journal: SqliteJournal, head: str | None) -> int:
    found = journal.verify(head)
    if found.ok:
        answer(f"fine: {found.records} records, head {found.head}")
        return 0
    answer(f"broken at record {found.bad}: {found.reason}")
    return 1
