"""One line of `moviegraph check`: a part, fine, skipped, or how to mend it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from moviegraph.cleaning import clean, one_line
from moviegraph.errors import MoviegraphError

NAME_WIDTH = 10
Status = Literal["fine", "warning", "failed", "skipped"]
VERDICTS: Mapping[Status, str] = MappingProxyType(
    {"fine": "fine", "skipped": "skipped", "warning": "NOTE", "failed": "MEND"}
)


@dataclass(frozen=True, slots=True)
class Line:
    """One part that was checked; `script` is what would mend it, to be read and run.

    A `warning` is served all the same, and `skipped` is what there is nothing to look at yet.
    """

    name: str
    fine: bool
    text: str
    script: str | None = None
    hint: str | None = None
    kind: Literal["warning", "skipped"] | None = None

    @property
    def status(self) -> Status:
        """The verdict in one word."""
        if not self.fine:
            return "failed"
        return self.kind or "fine"

    def shown(self) -> str:
        """Return it for a reader, the script below it."""
        verdict = VERDICTS[self.status]
        said = f"{self.text} {self.hint or ''}".rstrip()
        line = f"{self.name:<{NAME_WIDTH}} {verdict}: {one_line(said)}"
        return f"{line}\n\n{clean(self.script)}" if self.script else line

    def as_dict(self) -> dict[str, Any]:
        """Return it for a program."""
        told = {"name": self.name, "status": self.status, "message": self.text, "hint": self.hint}
        return told | ({"script": self.script} if self.script else {})


def fine(name: str, text: str) -> Line:
    """Return the line of a part that is as it must be."""
    return Line(name, True, text)


def doubtful(name: str, text: str, hint: str | None = None) -> Line:
    """Return the line of a part that is served though it is not as it should be."""
    return Line(name, True, text, hint=hint, kind="warning")


def skipped(name: str, text: str) -> Line:
    """Return the line of a part of which there is nothing to look at yet."""
    return Line(name, True, text, kind="skipped")


def mend(name: str, error: MoviegraphError) -> Line:
    """Return the line of a part that failed: what is wrong, and the cure."""
    return Line(name, False, error.message, hint=error.hint)
