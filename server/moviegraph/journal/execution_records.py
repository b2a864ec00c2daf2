"""Records of executions, as the journal stores them: each chained by hash to the one before."""

import hashlib
import json
import secrets
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from moviegraph.errors import JournalError

Status = Literal["ok", "empty", "failed", "refused", "asked"]
Method = Literal["rules", "provider", "client"]
Cell = str | int | float | bool | None
GENESIS = "0" * 64


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
    `paths`, the paths of each row of a traversal. The status `asked` is one of
    earlier versions: the call requested something of its client, whose next call continued it.
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


@dataclass(frozen=True, slots=True)
class ChainRecord:
    """A stored row; ID, owner and question repeat the body, for the indexes."""

    number: int
    id: str
    owner: str
    question: str | None
    body: str
    hash: str

    @classmethod
    def after(cls, number: int, previous: str, execution: Execution) -> "ChainRecord":
        """Return the record that appends an execution to a chain."""
        body = canonical(execution)
        return cls(number + 1, *_indexed(execution), body, chained(previous, body))

    def execution(self) -> Execution:
        """Return the execution. Raises JournalError if the text was damaged."""
        try:
            return Execution.model_validate(json.loads(self.body))
        except ValueError as error:
            raise JournalError(
                f"Record {self.number} of the journal is damaged.",
                hint="Run `moviegraph journal verify`.",
            ) from error

    def fault(self, expected: int, previous: str) -> str | None:
        """Return the problem of this record as the successor of `previous`, or None."""
        if self.number != expected:
            return f"record {expected} is missing"
        if self.hash != chained(previous, self.body):
            return "its text or an earlier record was changed"
        try:
            repeats_body = _indexed(self.execution()) == (self.id, self.owner, self.question)
        except JournalError:
            repeats_body = False
        return None if repeats_body else "its ID, owner or question differs from its text"


def _indexed(execution: Execution) -> tuple[str, str, str | None]:
    """Return ID, owner and question as SQLite can store them: without lone surrogates."""
    question = execution.question
    return stored(execution.id), stored(execution.owner), question and stored(question)


@dataclass(frozen=True, slots=True)
class Verification:
    """Result of a verification: intact records, the last hash, and the first bad record.

    `bad_record` is the bad record as stored, unless it is missing.
    """

    records: int
    head: str
    bad: int | None = None
    reason: str | None = None
    bad_record: ChainRecord | None = None

    @property
    def ok(self) -> bool:
        """Whether every record is intact."""
        return self.reason is None


def canonical(execution: Execution) -> str:
    """Return the one JSON text of an execution: ASCII, sorted keys, no spaces."""
    return json.dumps(execution.model_dump(), sort_keys=True, separators=(",", ":"))


def chained(previous: str, body: str) -> str:
    """Return the hash of a record that follows the hash `previous`."""
    return hashlib.sha256(f"{previous}\n{body}".encode()).hexdigest()


def stored(text: str) -> str:
    """Replace lone surrogates, which SQLite cannot store; the body has them escaped."""
    return text.encode("utf-8", "replace").decode()
