"""Results of `moviegraph check`, one for each part, shown as they come."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from moviegraph.errors import MoviegraphError
from moviegraph.text import one_line, sanitize

if TYPE_CHECKING:
    from pathlib import Path

Status = Literal["ok", "warning", "failed", "skipped"]
Value = TypeVar("Value")
NAME_WIDTH = 10
VERDICTS: dict[Status, str] = {
    "ok": "OK", "skipped": "SKIP", "warning": "WARN", "failed": "FAIL"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Result of checking one part; `script` is SQL that fixes it, to review and run.

    A part with a `warning` is served all the same; a `skipped` one has nothing to check yet.
    """

    name: str
    status: Status
    text: str
    hint: str | None = None
    script: str | None = None

    @property
    def is_ok(self) -> bool:
        """Whether the part does not fail."""
        return self.status != "failed"

    def as_line(self) -> str:
        """Return the result as one line, with the script below it."""
        text = f"{self.text} {self.hint or ''}".rstrip()
        line = f"{self.name:<{NAME_WIDTH}} {VERDICTS[self.status]}: {one_line(text)}"
        return f"{line}\n\n{sanitize(self.script)}" if self.script else line

    def as_dict(self) -> dict[str, Any]:
        """Return the result for `--json`."""
        members = {
            "name": self.name, "status": self.status, "message": self.text, "hint": self.hint
        }  # fmt: skip
        return members | ({"script": self.script} if self.script else {})


class Report:
    """The results so far; each is shown as soon as it is there, since a database takes a while."""

    def __init__(self, show: Callable[[CheckResult], None] = lambda _: None) -> None:
        self.results: list[CheckResult] = []
        self._show = show

    def ok(self, name: str, text: str) -> None:
        """Add a part without a problem."""
        self._add(CheckResult(name, "ok", text))

    def warn(self, name: str, text: str, hint: str | None = None) -> None:
        """Add a part that works, but has a problem."""
        self._add(CheckResult(name, "warning", text, hint))

    def skip(self, name: str, text: str) -> None:
        """Add a part that has nothing to check yet."""
        self._add(CheckResult(name, "skipped", text))

    def fail(
        self, name: str, text: str, hint: str | None = None, script: str | None = None
    ) -> None:
        """Add a part that does not work."""
        self._add(CheckResult(name, "failed", text, hint, script))

    def attempt(self, name: str, work: Callable[[], Value]) -> Value | None:
        """Return what `work` returns; if it raises, add the failure of the part and return None."""
        try:
            return work()
        except MoviegraphError as error:
            self.fail(name, error.message, error.hint)
            return None

    def creatable(self, name: str, path: Path, text: str) -> None:
        """Add whether a file or folder that does not exist yet can be created."""
        nearest = next(parent for parent in path.absolute().parents if parent.exists())
        if nearest.is_dir() and os.access(nearest, os.W_OK):
            self.skip(name, f"{text} on first use")
            return
        other = f"set MOVIEGRAPH_{name.upper()} to a different path."
        hint = f"Grant this user write access, or {other}"
        self.fail(name, f"{text}, but {nearest} is not writable", hint)

    def extend(self, other: Report) -> None:
        """Add the results of another report."""
        for result in other.results:
            self._add(result)

    def _add(self, result: CheckResult) -> None:
        self.results.append(result)
        self._show(result)
