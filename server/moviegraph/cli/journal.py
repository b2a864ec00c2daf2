"""`moviegraph journal`: lists, shows and verifies what was recorded, and changes none of it."""

from __future__ import annotations

import argparse
import json
import logging
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.streams import print_error, print_result
from moviegraph.errors import JournalError, SettingsError
from moviegraph.text import plural, printable

if TYPE_CHECKING:
    from pathlib import Path

    from moviegraph.journal.execution_records import Execution
    from moviegraph.journal.hash_chain import ChainRecord, Verification
    from moviegraph.journal.sqlite_journal import SqliteJournal
    from moviegraph.settings import Settings

ACTIONS = ("list", "show", "verify", "stats")
MOST_ALIKE = 5
HASH = re.compile("[0-9a-f]{64}")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("action", nargs="?", default="list", choices=ACTIONS)
    parser.add_argument("id", nargs="?", help="execution ID to show, or its unique prefix")
    parser.add_argument("--head", help="hash that the chain must contain, as noted earlier")
    parser.add_argument(
        "--json", action="store_true", help="print JSON; `show` does so by default when piped"
    )
    parser.add_argument("--text", action="store_true", help="print text, also when piped")
    add_filters(parser)
    group = parser.add_argument_group("web page")
    group.add_argument("--web", action="store_true", help="open the journal in a local browser")
    group.add_argument("--port", type=int, default=0, help="port for --web (default: a free one)")
    add_settings(parser, "journal", "contract")


def run(parsed: argparse.Namespace) -> int:
    """Read the journal; verifying one that is broken fails with status 1."""
    from moviegraph.journal.sqlite_journal import SqliteJournal

    settings = settings_of(parsed)
    path = settings.journal_file
    if not path.is_file():
        return _without_journal(path, parsed)
    journal = SqliteJournal(path, writable=False)
    try:
        if parsed.web:
            return _serve(journal, settings, parsed)
        if parsed.action == "verify":
            return _verify(journal, parsed.head, as_json=parsed.json)
        if parsed.action == "show":
            return _show(journal, parsed)
        if parsed.action == "stats":
            return _count(journal, parsed)
        return _list(journal, parsed)
    finally:
        journal.close()


def _without_journal(path: Path, parsed: argparse.Namespace) -> int:
    """Say that nothing was recorded yet; what must be there to be shown or verified is an error."""
    message = f"There is no journal at {path}."
    if parsed.action not in ("list", "stats") or parsed.web or path.exists():
        raise JournalError(message, hint="The first tool call creates it.")
    print_error(f"{message} The first tool call creates it.", level=logging.INFO)
    return 0


def _serve(journal: SqliteJournal, settings: Settings, parsed: argparse.Namespace) -> int:
    from moviegraph.cli.journal_web import serve
    from moviegraph.contract.loader import read_contract

    if parsed.action != "list" or parsed.id is not None:
        raise SettingsError(
            "--web always shows the full journal.", hint="Run `moviegraph journal --web`."
        )
    with suppress(KeyboardInterrupt):
        serve(journal, read_contract(settings), parsed)
    return 0


def _list(journal: SqliteJournal, parsed: argparse.Namespace) -> int:
    from moviegraph.cli.journal_render import line_of

    if parsed.id is not None:
        raise SettingsError("`journal list` takes no ID.", hint="Run `moviegraph journal show ID`.")
    if parsed.limit < 1:
        raise SettingsError(f"--limit {parsed.limit} is too small.", hint="Use 1 or more.")
    for link, execution in listed(journal, filter_of(parsed), parsed.limit):
        if execution is None:
            print_result(
                f"{link.id[:10]} record {link.number} is damaged; run `moviegraph journal verify`"
            )
        elif parsed.json:
            print_result(json.dumps(_as_dict(link, execution)))
        else:
            print_result(line_of(execution))
    return 0


def _show(journal: SqliteJournal, parsed: argparse.Namespace) -> int:
    from moviegraph.cli.journal_render import whole_of

    link = _named(journal, parsed.id)
    execution = link.execution()
    if parsed.text or (sys.stdout.isatty() and not parsed.json):
        print_result(whole_of(link, execution))
    else:
        print_result(json.dumps(_as_dict(link, execution), indent=1))
    return 0


def _count(journal: SqliteJournal, parsed: argparse.Namespace) -> int:
    from moviegraph.cli.journal_render import count_records

    if parsed.id is not None:
        raise SettingsError(
            "`journal stats` takes no ID.", hint="Filter by --since, --tool or --owner."
        )
    stats = count_records(journal, filter_of(parsed))
    print_result(json.dumps(stats.to_json()) if parsed.json else stats.to_text())
    return 0


def _as_dict(link: ChainRecord, execution: Execution) -> dict[str, Any]:
    members = execution.model_dump(mode="json")
    return {"number": link.number, **members, "hash": link.hash}


def _named(journal: SqliteJournal, begins: str | None) -> ChainRecord:
    hint = "Run `moviegraph journal list` to see the IDs."
    if not begins:
        raise JournalError("No execution ID was given.", hint=hint)
    links = journal.with_id_prefix(begins, MOST_ALIKE)
    if not links:
        raise JournalError(f"No execution ID starts with {begins!r}.", hint=hint)
    if len(links) > 1:
        ids = ", ".join(link.id for link in links)
        raise JournalError(f"Multiple execution IDs start with {begins!r}: {ids}.", hint=hint)
    return links[0]


def _verify(journal: SqliteJournal, head: str | None, *, as_json: bool) -> int:
    if head is not None and not HASH.fullmatch(head):
        raise SettingsError(
            f"--head {head!r} is not a hash.", hint="Run `moviegraph journal verify` to print one."
        )
    verification = journal.verify(head)
    if as_json:
        members = {
            name: value for name, value in asdict(verification).items() if name != "bad_record"
        }
        print_result(json.dumps({"ok": verification.ok, **members}))
    elif verification.ok:
        print_result(f"OK: {plural(verification.records, 'record')}, head {verification.head}")
    else:
        print_result(
            f"broken at record {verification.bad}: {verification.reason}{_where(verification)}"
        )
        print_result(
            f"intact before it: {verification.records} of the records, head {verification.head}"
        )
    return 0 if verification.ok else 1


def _where(verification: Verification) -> str:
    """Return what the bad record says of itself, which need not be true."""
    if verification.bad_record is None:
        return ""
    try:
        execution = verification.bad_record.execution()
    except JournalError:
        return f" (execution {verification.bad_record.id}; its text is unreadable)"
    return (
        f" (execution {execution.id} of {printable(execution.owner)}, {printable(execution.tool)}, "
        f"{printable(execution.created)})"
    )


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
