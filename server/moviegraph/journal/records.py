"""What the journal keeps of an execution."""

import secrets
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict

Status = Literal["ok", "empty", "failed", "refused"]


def new_execution_id() -> str:
    """Return an id with 128 random bits, so that nobody can guess another owner's."""
    return secrets.token_hex(16)


class Attempt(BaseModel):
    """One try: the SQL, and why it failed (code None: it did not), and the rule that made it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sql: str
    code: str | None = None
    message: str | None = None
    rule: str | None = None


class Execution(BaseModel):
    """One run of a tool's statement, or of a strategy; texts of results are not kept.

    `sql` is the statement that produced the rows (rendered), `given` what the caller sent.
    `lineage` maps each output column to (table, column, alias), or to None.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    owner: str
    tool: str
    created: str
    question: str | None = None
    purpose: str | None = None
    strategy_id: str | None = None
    message_to_user: str | None = None
    query: str | None = None
    given: str | None = None
    sql: str | None = None
    statements: tuple[str, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    status: Status
    code: str | None = None
    message: str | None = None
    notes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    lineage: tuple[tuple[str, str, str | None] | None, ...] = ()
    keys: tuple[tuple[str, int], ...] = ()
    row_count: int = 0
    truncated: str | None = None
    quality: dict[str, Any] | None = None
    elapsed_ms: float = 0.0
    contract_hash: str = ""
    content_hash: str = ""


@dataclass(frozen=True, slots=True)
class Winner:
    """The best execution of a question, by the score of its quality."""

    question: str
    id: str
    score: float


class Journal(Protocol):
    """Append-only store of executions; safe to call from several threads."""

    def record(self, execution: Execution) -> None:
        """Append; acknowledged means that a killed process does not lose it."""
        ...

    def find(self, owner: str, execution_id: str) -> Execution | None:
        """Return the owner's execution; a foreign id answers as an unknown one."""
        ...

    def recent(self, owner: str, limit: int = 50, question: str | None = None) -> list[Execution]:
        """Return the owner's executions, newest first, of one question if given."""
        ...

    def winners(self, owner: str, content_hash: str, limit: int = 500) -> list[Winner]:
        """Return the owner's best execution of each question over some data, newest first."""
        ...

    def close(self) -> None:
        """Release the file."""
        ...
