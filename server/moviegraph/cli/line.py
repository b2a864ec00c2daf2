"""One line of `moviegraph check`: a part, fine or how to mend it."""

from dataclasses import dataclass
from typing import Any

from moviegraph.cleaning import clean, one_line
from moviegraph.errors import MoviegraphError

NAME_WIDTH = 10


@dataclass(frozen=True, slots=True)
class Line:
    """One part that was checked; `script` is what would mend it, to be read and run."""

    name: str
    fine: bool
    text: str
    script: str | None = None

    def shown(self) -> str:
        """Return it for a reader, the script below it."""
        verdict = "fine" if self.fine else "MEND"
        line = f"{self.name:<{NAME_WIDTH}} {verdict}: {one_line(self.text)}"
        return f"{line}\n\n{clean(self.script)}" if self.script else line

    def as_dict(self) -> dict[str, Any]:
        """Return it for a program."""
        told = {"name": self.name, "fine": self.fine, "text": self.text}
        return told | ({"script": self.script} if self.script else {})


def fine(name: str, text: str) -> Line:
    """Return the line of a part that is as it must be."""
    return Line(name, True, text)


def mend(name: str, error: MoviegraphError) -> Line:
    """Return the line of a part that failed: what is wrong, and the cure."""
    return Line(name, False, f"{error.message} {error.hint or ''}".strip())
