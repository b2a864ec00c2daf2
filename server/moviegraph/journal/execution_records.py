"""Records of executions, as the journal stores them."""

import secrets
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Status = Literal["ok", "empty", "failed", "refused", "asked"]
Method = Literal["rules", "provider", "client"]
Cell = str | int | float | bool | None


def new_execution_id() -> str:
    """Return an ID with 128 random bits: IDs of other owners cannot be guessed."""
    return secrets.token_hex(16)


class Client(BaseModel):
    """The calling program: its own name and version, and how it reached the server."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str | None = None
    version: str | None = None
    transport: Literal["stdio", "http"] = "stdio"
    protocol: str | None = None


class ModelCost(BaseModel):
    """Requests to a language model on behalf of an execution, and the tokens that it reported.

    `by` is the configured provider or the client's own model. `untold` counts the requests without
    reported tokens, as with every request to a client's model.
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
    """One attempt: the SQL, the decision of the guard, and why it failed (code None: it did not).

    `method` is the repair stage that produced it, `rule` the rules applied; both are None for the
    statement as passed.
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

    `call_id` is the same in all records of one tool call; records of 8683f12 have none. `sql` is
    the rendered statement that produced the rows, `given` the text or arguments that the caller
    sent. `lineage` maps each output column to (table, column, alias), or to None. `rows` are None
    unless the operator has them stored; then they are the first ones, within limits, and so are
    `paths`, the paths of each row of a traversal. The status `asked` means that the call requested
    something of its client, whose next call continues it.
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
