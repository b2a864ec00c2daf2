"""One result of `moviegraph check`: OK, WARN, SKIP, or FAIL with the fix."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from moviegraph.errors import MoviegraphError
from moviegraph.text import clean, one_line

NAME_WIDTH = 10
Status = Literal["ok", "warning", "failed", "skipped"]
VERDICTS: Mapping[Status, str] = MappingProxyType(
    {"ok": "OK", "skipped": "SKIP", "warning": "WARN", "failed": "FAIL"}
)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One part that was checked; `script` is what would fix it, to be read and run.

    A `warning` does not keep the part from being served, and `skipped` is a part of which there is
    nothing to check yet.
    """

    name: str
    is_ok: bool
    text: str
    script: str | None = None
    hint: str | None = None
    kind: Literal["warning", "skipped"] | None = None

    @property
    def status(self) -> Status:
        """The verdict in one word."""
        if not self.is_ok:
            return "failed"
        return self.kind or "ok"

    def as_line(self) -> str:
        """Return the result for a reader, with the script below it."""
        text = f"{self.text} {self.hint or ''}".rstrip()
        line = f"{self.name:<{NAME_WIDTH}} {VERDICTS[self.status]}: {one_line(text)}"
        return f"{line}\n\n{clean(self.script)}" if self.script else line

    def as_dict(self) -> dict[str, Any]:
        """Return the result for a program."""
        members = {
            "name": self.name,
            "status": self.status,
            "message": self.text,
            "hint": self.hint,
        }
        return members | ({"script": self.script} if self.script else {})


def ok(name: str, text: str) -> CheckResult:
    """Return the result of a part that is as it must be."""
    return CheckResult(name, True, text)


def warn(name: str, text: str, hint: str | None = None) -> CheckResult:
    """Return the result of a part that is served although it should be different."""
    return CheckResult(name, True, text, hint=hint, kind="warning")


def skip(name: str, text: str) -> CheckResult:
    """Return the result of a part of which there is nothing to check yet."""
    return CheckResult(name, True, text, kind="skipped")


def fail(name: str, error: MoviegraphError) -> CheckResult:
    """Return the result of a part that failed: what is wrong, and the fix."""
    return CheckResult(name, False, error.message, hint=error.hint)
