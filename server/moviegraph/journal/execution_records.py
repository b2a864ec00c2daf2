"""What the journal keeps of an execution."""

import secrets
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict

Status = Literal["ok", "empty", "failed", "refused", "asked"]
Method = Literal["rules", "provider", "client"]
Cell = str | int | float | bool | None


def new_execution_id() -> str:
    """Return an id with 128 random bits, so that nobody can guess another owner's."""
    return secrets.token_hex(16)


class Client(BaseModel):
    """The program that called: what it says of itself, and how it reached the server."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str | None = None
    version: str | None = None
    transport: Literal["stdio", "http"] = "stdio"
    protocol: str | None = None


class ModelCost(BaseModel):
    """What a language model was asked for an execution, and the tokens it says that took.

    `by` is the rung: the configured provider, or the client's own model. `untold` counts the calls
    whose tokens nobody told, as with every call of a client's model.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    by: Literal["provider", "client"]
    model: str | None = None
    purpose: Literal["repair", "rank"]
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    untold: int = 0


class Attempt(BaseModel):
    """One try: the SQL, what the guard decided, and why it failed (code None: it did not).

    `method` is the rung of repair that made it, `rule` the rules of that rung; both are None for
    the statement as it was given.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sql: str
    decision: Literal["allowed", "refused"] | None = None
    code: str | None = None
    message: str | None = None
    notes: tuple[str, ...] = ()
    method: Method | None = None
    rule: str | None = None


class Execution(BaseModel):
    """One run of a tool's statement, or of a strategy.

    `call_id` is the same in all records of one call of a tool; older records have none. `sql` is
    the statement that produced the rows (rendered), `given` what the caller sent.
    `lineage` maps each output column to (table, column, alias), or to None. `rows` are None unless
    the operator has them kept; then they are the first ones, within bounds, and so are `paths`,
    the paths of each row of a traversal (records before this member have none). The status `asked`
    ends a call that wants something of its client first; the client's next call goes on.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    call_id: str | None = None
    owner: str
    tool: str
    created: str
    client: Client | None = None
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
    rows: tuple[tuple[Cell, ...], ...] | None = None
    paths: tuple[tuple[tuple[dict[str, Cell], ...], ...], ...] | None = None
    truncated: str | None = None
    quality: dict[str, Any] | None = None
    models: tuple[ModelCost, ...] = ()
    elapsed_ms: float = 0.0
    contract_hash: str = ""
    content_hash: str = ""


@dataclass(frozen=True, slots=True)
class BestExecution:
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

    def winners(self, owner: str, content_hash: str, limit: int = 500) -> list[BestExecution]:
        """Return the owner's best execution of each question over some data, newest first."""
        ...

    def close(self) -> None:
        """Release the file."""
        ...
