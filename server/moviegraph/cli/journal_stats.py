"""Counts over the journal: tools, codes of refusals and failures, rules of repair."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from sys import maxsize
from typing import TYPE_CHECKING, Any

from moviegraph.cli.journal_filter import Filter, listed
from moviegraph.text import plural, printable

if TYPE_CHECKING:
    from moviegraph.journal.execution_records import Execution
    from moviegraph.journal.sqlite_journal import SqliteJournal

COUNTERS = {"tools": "Tools", "statuses": "Statuses", "codes": "Codes", "rules": "Repair rules"}


@dataclass(slots=True)
class Stats:
    """Counts of records.

    `codes` counts the code of each statement or call that was refused or failed, also of attempts
    that were repaired afterwards; `rules` the rules that repaired a statement.
    """

    records: int = 0
    damaged: int = 0
    calls: int = 0
    first: str | None = None
    last: str | None = None
    tools: Counter[str] = field(default_factory=Counter[str])
    statuses: Counter[str] = field(default_factory=Counter[str])
    codes: Counter[str] = field(default_factory=Counter[str])
    rules: Counter[str] = field(default_factory=Counter[str])

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON; the most frequent come first."""
        counters = {name: dict(getattr(self, name).most_common()) for name in COUNTERS}
        return asdict(self) | counters

    def to_text(self) -> str:
        """Return the counts as text, one line per count."""
        lines = [f"{plural(self.records, 'record')} of {plural(self.calls, 'call')}"]
        if self.first and self.last:
            lines[0] += f", {printable(self.first)} to {printable(self.last)}"
        if self.damaged:
            lines.append(f"{plural(self.damaged, 'damaged record')}: `moviegraph journal verify`")
        for name, title in COUNTERS.items():
            counts: Counter[str] = getattr(self, name)
            if counts:
                lines += ["", title]
                lines += [f"{count:>8,}  {printable(key)}" for key, count in counts.most_common()]
        return "\n".join(lines)


def count_records(journal: SqliteJournal, wanted: Filter) -> Stats:
    """Count all records that match a filter."""
    stats, calls = Stats(), set[str]()
    for _, execution in listed(journal, wanted, maxsize):
        if execution is None:
            stats.damaged += 1
            continue
        stats.records += 1
        calls.add(execution.call_id or execution.id)
        stats.first = execution.created  # records come newest first
        stats.last = stats.last or execution.created
        stats.tools[execution.tool] += 1
        stats.statuses[execution.status] += 1
        _count_attempts(stats, execution)
    stats.calls = len(calls)
    return stats


def _count_attempts(stats: Stats, execution: Execution) -> None:
    codes = [attempt.code for attempt in execution.attempts if attempt.code]
    if not codes and execution.code:
        codes = [execution.code]
    stats.codes.update(codes)
    for attempt in execution.attempts:
        if attempt.method == "rules" and attempt.rule:
            stats.rules.update(attempt.rule.split(", "))
