"""`moviegraph journal`: list, show, count, verify, erase and archive the recorded calls."""

from __future__ import annotations

import argparse
import json
import logging
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moviegraph.cli.journal_listing import (
    MAX_TITLE_CHARS,
    STATUSES,
    count_records,
    filter_of,
    list_records,
    parse_time,
    record_json,
    summary_json,
    title_of,
    verification_json,
)
from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.streams import print_error, print_result
from moviegraph.errors import JournalError, SettingsError
from moviegraph.text import plural, printable

if TYPE_CHECKING:
    from moviegraph.journal.chain import ChainRecord
    from moviegraph.journal.execution_records import Execution
    from moviegraph.journal.sqlite_journal import SqliteJournal
    from moviegraph.settings import Settings

ACTIONS = ("list", "show", "verify", "stats", "forget", "archive")
MAX_ALIKE = 5
HASH = re.compile("[0-9a-f]{64}")
SHORT_ID = 8
DEFAULT_WIDTH = 80
MIN_WIDTH = 60
COUNTERS = {"tools": "Tools", "statuses": "Statuses", "codes": "Codes", "rules": "Repair rules"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("action", nargs="?", default="list", choices=ACTIONS)
    parser.add_argument("id", nargs="?", help="execution ID to show, or its unique prefix")
    parser.add_argument("--head", help="hash that the chain must contain, as noted earlier")
    parser.add_argument("--json", action="store_true", help="print JSON, as `show` always does")
    group = parser.add_argument_group("filters")
    group.add_argument(
        "--limit", type=int, default=50, help="maximum number of executions (default: 50)"
    )
    group.add_argument("--tool", help="only this tool")
    group.add_argument("--status", choices=STATUSES, help="only this status")
    group.add_argument("--owner", help="only this owner, as recorded or as logs write it")
    group.add_argument(
        "--question", help="only if the question, query or statement contains this text"
    )
    group.add_argument(
        "--since", help="only since an ISO date or date and time, or an age: 30m, 2h, 7d"
    )
    group = parser.add_argument_group("retention")
    group.add_argument(
        "--before", help="erase or move what is older than a date, a date and time, or an age"
    )
    group.add_argument("--into", type=Path, help="new file for `archive`")
    group = parser.add_argument_group("web page")
    group.add_argument("--web", action="store_true", help="open the journal in a local browser")
    group.add_argument("--port", type=int, default=0, help="port for --web (default: a free one)")
    add_settings(parser, "journal", "contract")


def run(parsed: argparse.Namespace) -> int:
    """Read the journal; the status is 1 if verification fails."""
    from moviegraph.journal.sqlite_journal import SqliteJournal

    settings = settings_of(parsed)
    path = settings.journal_file
    if not path.is_file():
        return _report_missing(path, parsed)
    if parsed.action in ("forget", "archive"):
        return _forget(path, parsed) if parsed.action == "forget" else _archive(path, parsed)
    if parsed.before is not None or parsed.into is not None:
        raise SettingsError("--before and --into belong to `journal forget` and `journal archive`.")
    journal = SqliteJournal(path, writable=False)
    try:
        if parsed.web:
            return _serve(journal, settings, parsed)
        actions = {"list": _list, "show": _show, "verify": _verify, "stats": _count}
        return actions[parsed.action](journal, parsed)
    finally:
        journal.close()


def _report_missing(path: Path, parsed: argparse.Namespace) -> int:
    """Report that there is no journal; only `list` and `stats` succeed without one."""
    if path.exists():
        raise JournalError(f"{path} is not a file.", hint="Set MOVIEGRAPH_JOURNAL to a file.")
    message = f"There is no journal at {path}."
    if parsed.action not in ("list", "stats") or parsed.web:
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
    if parsed.id is not None:
        raise SettingsError("`journal list` takes no ID.", hint="Run `moviegraph journal show ID`.")
    if parsed.limit < 1:
        raise SettingsError(f"--limit {parsed.limit} is too small.", hint="Use 1 or more.")
    for record, execution in list_records(journal, filter_of(parsed), parsed.limit):
        if parsed.json:
            members = record_json(record, execution) if execution else summary_json(record, None)
            print_result(json.dumps(members))
        elif execution is None:
            damaged = f"record {record.number} is damaged; run `moviegraph journal verify`"
            print_result(f"{printable(record.id[:10])} {damaged}")
        else:
            print_result(_list_line(execution))
    return 0


def _show(journal: SqliteJournal, parsed: argparse.Namespace) -> int:
    record = _record_of_id(journal, parsed.id)
    print_result(json.dumps(record_json(record, record.execution()), indent=1))
    return 0


def _count(journal: SqliteJournal, parsed: argparse.Namespace) -> int:
    if parsed.id is not None:
        raise SettingsError(
            "`journal stats` takes no ID.", hint="Filter by --since, --tool or --owner."
        )
    counts = count_records(journal, filter_of(parsed))
    print_result(json.dumps(counts) if parsed.json else "\n".join(_count_lines(counts)))
    return 0


def _record_of_id(journal: SqliteJournal, prefix: str | None) -> ChainRecord:
    hint = "Run `moviegraph journal list` to see the IDs."
    if not prefix:
        raise JournalError("No execution ID was given.", hint=hint)
    records = journal.with_id_prefix(prefix, MAX_ALIKE)
    if not records:
        raise JournalError(f"No execution ID starts with {prefix!r}.", hint=hint)
    if len(records) > 1:
        ids = ", ".join(record.id for record in records)
        raise JournalError(f"Multiple execution IDs start with {prefix!r}: {ids}.", hint=hint)
    return records[0]


def _verify(journal: SqliteJournal, parsed: argparse.Namespace) -> int:
    if parsed.head is not None and not HASH.fullmatch(parsed.head):
        raise SettingsError(
            f"--head {parsed.head!r} is not a hash.",
            hint="Run `moviegraph journal verify` to print one.",
        )
    result = journal.verify(parsed.head)
    if parsed.json:
        print_result(json.dumps(verification_json(result)))
        return 0 if result.ok else 1
    for number, reason in result.faults:
        print_result(f"record {number}: {reason}" if number else reason)
    if result.fault_count > len(result.faults):
        print_result(f"and {result.fault_count - len(result.faults)} more")
    state = "OK" if result.ok else f"broken: {plural(result.fault_count, 'fault')}"
    erased = f", {result.erased} erased as recorded" if result.erased else ""
    print_result(f"{state}: {plural(result.records, 'record')}{erased}, head {result.head}")
    for label, position in (("starts", result.origin), ("is continued", result.continued)):
        if position and position[0]:
            print_result(f"{label} after record {position[0]}, hash {position[1]}")
    return 0 if result.ok else 1


def _forget(path: Path, parsed: argparse.Namespace) -> int:
    from moviegraph.journal.retention import forget

    if parsed.owner is None and parsed.before is None:
        raise SettingsError(
            "`journal forget` needs --owner, --before or both.",
            hint="Run `moviegraph journal list --json` to see owners and times.",
        )
    before = None if parsed.before is None else parse_time("--before", parsed.before)
    erasure = forget(path, parsed.owner, before)
    if erasure.record is None:
        print_result("No record with text matches; nothing was erased.")
        return 0
    numbers = _shorten(erasure.numbers, MAX_TITLE_CHARS)
    print_result(
        f"Erased the text of {plural(erasure.count, 'record')} ({numbers}); "
        f"record {erasure.record} states it."
    )
    return 0


def _archive(path: Path, parsed: argparse.Namespace) -> int:
    from moviegraph.journal.retention import archive

    if parsed.before is None or parsed.into is None:
        raise SettingsError("`journal archive` needs --before and --into.")
    result = archive(path, parse_time("--before", parsed.before), parsed.into)
    number, joint = result.joint
    print_result(
        f"Moved {plural(result.count, 'record')} into {parsed.into}; both files join after record "
        f"{number}, hash {joint}."
    )
    return 0


def _list_line(execution: Execution) -> str:
    """Return a record in one line, as wide as the terminal, or 80 characters."""
    width = max(MIN_WIDTH, shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns)
    is_rows = execution.status == "ok" and execution.columns
    result = plural(execution.row_count, "row") if is_rows else execution.status
    has_failed = execution.status in ("refused", "failed")
    label = execution.code if has_failed else execution.strategy_id
    title = title_of(execution)
    line = printable(
        f"{execution.id[:SHORT_ID]} {_local_time(execution.created):<11} {execution.tool:<20} "
        f"{result:<8} {_flatten(f'{label}: {title}' if label else title)}"
    )
    return _shorten(line, width)


def _shorten(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3].rstrip()}..."


def _local_time(created: str) -> str:
    """Return local day and time; the year instead of the time, if it is not this year."""
    try:
        timestamp = datetime.fromisoformat(created).astimezone()
    except ValueError:
        return created[:11]
    is_this_year = timestamp.year == datetime.now(UTC).astimezone().year
    return timestamp.strftime("%m-%d %H:%M" if is_this_year else "%Y-%m-%d")


def _count_lines(counts: Mapping[str, Any]) -> Iterator[str]:
    span = ""
    if counts["records"]:
        span = f", {printable(counts['first'])} to {printable(counts['last'])}"
    yield f"{plural(counts['records'], 'record')} of {plural(counts['calls'], 'call')}{span}"
    if counts["damaged"]:
        yield f"{plural(counts['damaged'], 'damaged record')}: `moviegraph journal verify`"
    for name, title in COUNTERS.items():
        if counts[name]:
            yield ""
            yield title
            yield from (f"{count:>8,}  {printable(key)}" for key, count in counts[name].items())


def _flatten(text: str) -> str:
    return printable(" ".join(text.split()))
