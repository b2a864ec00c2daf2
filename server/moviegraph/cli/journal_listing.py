"""What `moviegraph journal` lists and counts, for the terminal and for the page."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from moviegraph.errors import JournalError, SettingsError

if TYPE_CHECKING:
    import argparse

    from moviegraph.journal.chain import ChainRecord, Verification
    from moviegraph.journal.execution_records import Execution
    from moviegraph.journal.sqlite_journal import SqliteJournal

STATUSES = ("ok", "empty", "failed", "refused")
MAX_TITLE_CHARS = 300
AGE = re.compile(r"(\d{1,6})\s*([mhdw])")
UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
PAGE = 500
CLOCK_SLACK = timedelta(hours=1)  # processes that share a journal need not record in time order
MAX_SCANNED = 2_000
TITLES = ("question", "purpose", "query", "start_query", "sql")
SUMMARY = (
    "number", "id", "call_id", "created", "owner", "tool", "status", "code", "row_count",
    "strategy_id", "question",
)  # fmt: skip


def filter_of(parsed: argparse.Namespace) -> Filter:
    """Return the filter of the options. Raises SettingsError for an invalid date."""
    return Filter(
        tool=parsed.tool,
        status=parsed.status,
        owner=parsed.owner,
        question=parsed.question,
        since=None if parsed.since is None else parse_time("--since", parsed.since),
    )


def parse_time(option: str, text: str) -> datetime:
    """Return the time that an option states as a date or an age. Raises SettingsError."""
    age = AGE.fullmatch(text.strip())
    try:
        if age is not None:
            return datetime.now(UTC) - timedelta(**{UNITS[age[2]]: int(age[1])})
        return with_time_zone(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError):
        raise SettingsError(
            f"{option} {text!r} is not a date or an age.",
            hint="Write 2026-11-21, 2026-11-21T14:30, or an age such as 30m, 2h, 7d.",
        ) from None


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions on records; None matches every record. The journal itself filters by owner."""

    tool: str | None = None
    status: str | None = None
    owner: str | None = None
    question: str | None = None
    since: datetime | None = None

    def matches(self, execution: Execution) -> bool:
        """Return whether an execution meets all conditions."""
        texts = (execution.question, execution.query, execution.given, execution.purpose)
        sought = (self.question or "").casefold()
        return (
            self.tool in (None, execution.tool)
            and self.status in (None, execution.status)
            and (not sought or any(sought in (text or "").casefold() for text in texts))
            and not self.is_before(execution, timedelta())
        )

    def is_before(self, execution: Execution, slack: timedelta) -> bool:
        """Return whether an execution is older than `since` by more than some slack."""
        if self.since is None:
            return False
        try:
            created = datetime.fromisoformat(execution.created)
            return with_time_zone(created) < self.since - slack
        except (ValueError, OverflowError):  # not a date, or out of range
            return False


def with_time_zone(timestamp: datetime) -> datetime:
    """Return a timestamp with its time zone; without one it is local time."""
    return timestamp if timestamp.tzinfo is not None else timestamp.astimezone()


def list_records(
    journal: SqliteJournal, condition: Filter, limit: float = math.inf
) -> Iterator[tuple[ChainRecord, Execution | None]]:
    """Yield the newest matching records; the execution of a damaged one is None."""
    before: int | None = None
    while limit > 0 and (page := journal.entries(PAGE, before, condition.owner)):
        before = page[-1].number
        for record in page:
            execution = _execution_of(record)
            if execution is not None and condition.is_before(execution, CLOCK_SLACK):
                return
            if execution is None or condition.matches(execution):
                yield record, execution
                limit -= 1
            if limit <= 0:
                return


def _execution_of(record: ChainRecord) -> Execution | None:
    try:
        return record.execution()
    except JournalError:
        return None


def record_json(record: ChainRecord, execution: Execution) -> dict[str, Any]:
    """Return everything recorded about an execution."""
    return {"number": record.number, **execution.model_dump(mode="json"), "hash": record.hash}


def verification_json(verification: Verification) -> dict[str, Any]:
    """Return the result of a verification."""
    faults = [{"record": number, "reason": reason} for number, reason in verification.faults]
    return {"ok": verification.ok, **asdict(verification), "faults": faults}


def summary_json(record: ChainRecord, execution: Execution | None) -> dict[str, Any]:
    """Return the members that a list shows, with a title."""
    if execution is None:
        return {"number": record.number, "id": record.id, "status": "damaged", "tool": ""}
    members = record_json(record, execution)
    title = title_of(execution)[:MAX_TITLE_CHARS]
    return {**{name: members[name] for name in SUMMARY}, "title": title}


def page_json(record: ChainRecord) -> dict[str, Any]:
    """Return a record for the page, with its title and arguments."""
    execution = record.execution()
    arguments = _arguments_of(execution)
    return {
        **record_json(record, execution), "title": title_of(execution), "arguments": arguments
    }  # fmt: skip


def list_choices(journal: SqliteJournal) -> dict[str, list[str]]:
    """Return the tools and owners of the newest records, to filter by."""
    records = list_records(journal, Filter(), MAX_SCANNED)
    executions = [execution for _, execution in records if execution is not None]
    return {
        "tools": sorted({execution.tool for execution in executions}),
        "owners": sorted({execution.owner for execution in executions}),
    }


def count_records(journal: SqliteJournal, condition: Filter) -> dict[str, Any]:
    """Return counts of all matching records, the most frequent first.

    `codes` counts the code of each statement or call that was refused or failed, including attempts
    that were repaired afterwards; `rules` counts the rules that repaired a statement.
    """
    tools, statuses, codes, rules = (Counter[str]() for _ in range(4))
    calls, created = set[str](), list[str]()
    damaged = 0
    for _, execution in list_records(journal, condition):
        if execution is None:
            damaged += 1
            continue
        calls.add(execution.call_id or execution.id)
        created.append(execution.created)
        tools[execution.tool] += 1
        statuses[execution.status] += 1
        failed = [attempt.code for attempt in execution.attempts if attempt.code]
        codes.update(failed or ([execution.code] if execution.code else []))
        for attempt in execution.attempts:
            if attempt.method == "rules" and attempt.rule:
                rules.update(attempt.rule.split(", "))
    counters = {"tools": tools, "statuses": statuses, "codes": codes, "rules": rules}
    return {
        "records": len(created),
        "damaged": damaged,
        "calls": len(calls),
        "first": created[-1] if created else None,  # records come newest first
        "last": created[0] if created else None,
        **{name: dict(counter.most_common()) for name, counter in counters.items()},
    }


def title_of(execution: Execution) -> str:
    """Return the question, query or purpose of a call, or else its arguments."""
    if title := execution.question or execution.purpose or execution.query:
        return title
    arguments = _arguments_of(execution)
    if arguments is None:
        return execution.given or execution.tool
    for name in TITLES:
        if isinstance(text := arguments.get(name), str) and text.strip():
            return text
    parts: list[str] = []
    for name, value in arguments.items():
        texts = map(str, cast("list[Any]", value if isinstance(value, list) else [value]))
        parts.append(f"{name.replace('_', ' ')}: {', '.join(texts)}")
    return ", ".join(parts) or execution.tool


def _arguments_of(execution: Execution) -> dict[str, Any] | None:
    """Return the arguments of a call; {} if they were truncated, None for a statement."""
    if not (execution.given or "").startswith("{"):
        return None
    try:
        return dict(json.loads(execution.given or ""))
    except (ValueError, RecursionError):
        return {}
