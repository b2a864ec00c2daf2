"""A question walked through the tools: strategies and reasons, read from a data file."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from moviegraph.errors import ContractError


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PlannedStrategy(_Record):
    """One strategy, as `run_strategies` takes it."""

    id: str
    message_to_user: str
    query: str
    command: str


class Reason(_Record):
    """A statement that says what found records share with what was seen; `{ids}` are their ids."""

    label: str
    command: str
    query: str | None = None


class Films(_Record):
    """The statement that reads the found records themselves."""

    command: str


class Walkthrough(_Record):
    """One question, its strategies, and the statements that explain the answer."""

    question: str
    kind: str
    seen: str
    seen_kind: str
    strategies: tuple[PlannedStrategy, ...]
    reasons: tuple[Reason, ...]
    films: Films


@dataclass(frozen=True, slots=True)
class IdList:
    """Ids to stand in for `{ids}`: integers only, so that nothing else can enter the SQL."""

    ids: tuple[int, ...]

    def into(self, command: str) -> str:
        """Return the command with the ids in place."""
        return command.replace("{ids}", ", ".join(str(int(each)) for each in self.ids))


def load_walkthrough(path: Path) -> Walkthrough:
    """Read a walkthrough. Raises ContractError, naming the file."""
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return Walkthrough.model_validate(data)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise ContractError(f"{path.name} cannot be read as a walkthrough: {error}") from error
