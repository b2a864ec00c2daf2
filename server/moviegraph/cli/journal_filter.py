"""Which records of the journal are listed."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from moviegraph.errors import JournalError, SettingsError

if TYPE_CHECKING:
    from moviegraph.journal.execution_records import Execution
    from moviegraph.journal.hash_chain import ChainRecord
    from moviegraph.journal.sqlite_journal import SqliteJournal

PAGE = 500
SLACK = timedelta(hours=1)  # writers of several processes need not record in the order of time
AGO = re.compile(r"(\d{1,6})\s*([mhdw])")
UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
STATUSES = ("ok", "empty", "failed", "refused", "asked")


@dataclass(frozen=True, slots=True)
class Filter:
    """What a record must be to be listed; None asks for nothing."""

    tool: str | None = None
    status: str | None = None
    owner: str | None = None
    question: str | None = None
    since: datetime | None = None

    def takes(self, execution: Execution) -> bool:
        """Whether an execution is listed."""
        texts = (execution.question, execution.query, execution.given, execution.purpose)
        sought = (self.question or "").casefold()
        return (
            self.tool in (None, execution.tool)
            and self.status in (None, execution.status)
            and self.owner in (None, execution.owner)
            and (not sought or any(sought in (text or "").casefold() for text in texts))
            and not self._is_before(execution, timedelta())
        )

    def ends(self, execution: Execution) -> bool:
        """Whether this one is so old that none before it can be listed."""
        return self._is_before(execution, SLACK)

    def _is_before(self, execution: Execution, slack: timedelta) -> bool:
        if self.since is None:
            return False
        try:
            return _aware(datetime.fromisoformat(execution.created)) < self.since - slack
        except (ValueError, OverflowError):  # what is no moment, and one before all others
            return False


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Add the options of the list."""
    group = parser.add_argument_group("filters")
    group.add_argument(
        "--limit", type=int, default=50, help="maximum number of executions (default: 50)"
    )
    group.add_argument("--tool", help="only this tool")
    group.add_argument("--status", choices=STATUSES, help="only this status")
    group.add_argument("--owner", help="only this owner")
    group.add_argument(
        "--question", help="only if the question, query or statement contains this text"
    )
    group.add_argument(
        "--since", help="only since an ISO date or date and time, or an age: 30m, 2h, 7d"
    )


def filter_of(parsed: argparse.Namespace) -> Filter:
    """Return what was asked for. Raises SettingsError for a moment that is none."""
    return Filter(
        tool=parsed.tool,
        status=parsed.status,
        owner=parsed.owner,
        question=parsed.question,
        since=None if parsed.since is None else _moment(parsed.since),
    )


def listed(
    journal: SqliteJournal, wanted: Filter, limit: int
) -> Iterator[tuple[ChainRecord, Execution | None]]:
    """Yield the newest records that a filter takes; None stands for one that is damaged."""
    before: int | None = None
    while limit > 0 and (page := journal.entries(PAGE, before)):
        before = page[-1].number
        for link in page:
            execution = _readable(link)
            if execution is not None and wanted.ends(execution):
                return
            if execution is None or wanted.takes(execution):
                yield link, execution
                limit -= 1
            if limit <= 0:
                return


def _readable(link: ChainRecord) -> Execution | None:
    try:
        return link.execution()
    except JournalError:
        return None


def _moment(text: str) -> datetime:
    ago = AGO.fullmatch(text.strip())
    try:
        if ago is not None:
            return datetime.now(UTC) - timedelta(**{UNITS[ago[2]]: int(ago[1])})
        return _aware(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError):
        raise SettingsError(
            f"--since {text!r} is not a date or an age.",
            hint="Write 2026-11-21, 2026-11-21T14:30, or an age such as 30m, 2h, 7d.",
        ) from None


def _aware(moment: datetime) -> datetime:
    """Return a moment with its zone; without one it is meant on this machine's clock."""
    return moment if moment.tzinfo is not None else moment.astimezone()
