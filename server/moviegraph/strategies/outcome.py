"""What became of one strategy."""

from dataclasses import dataclass, field
from typing import Literal

from moviegraph.retrieval.recording import Finding, Key, Recording
from moviegraph.strategies.quality import Quality
from moviegraph.text import plural


@dataclass(slots=True)
class Outcome:
    """One execution: what it found or why it failed; its nodes in order and names; its quality."""

    recording: Recording
    found: Finding | None = None
    error: Exception | None = None
    keys: list[Key] = field(default_factory=list[Key])
    names: dict[Key, str] = field(default_factory=dict[Key, str])
    quality: Quality | None = None

    @property
    def status(self) -> Literal["ok", "empty", "failed"]:
        """Whether it found rows, found none, or failed."""
        if self.found is None:
            return "failed"
        return "ok" if self.found.rows else "empty"

    @property
    def row_count(self) -> int:
        """How many rows it found."""
        return len(self.found.rows) if self.found is not None else 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What is noted of the execution, each remark once."""
        found = self.found.notes if self.found is not None else ()
        return tuple(dict.fromkeys((*self.recording.notes, *found)))

    @property
    def said(self) -> str:
        """One short phrase for progress."""
        if self.found is None:
            return "failed"
        repaired = " after a repair" if self.found.changes else ""
        return f"{plural(self.row_count, 'row')}{repaired}"
