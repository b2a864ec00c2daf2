"""Records of executions, and their form without the texts of a person."""

import hashlib
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Status = Literal["ok", "empty", "failed", "refused"]
Method = Literal["rules", "provider", "client"]
Cell = str | int | float | bool | None
OWNER_DIGEST_CHARS = 12
LITERALS = ("string", "number")


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

    `call_id` is the same in all records of one tool call. `sql` is the rendered statement that
    produced the rows, `given` the text or arguments that the caller sent. `lineage` maps each
    output column to (table, column, alias), or to None. `rows` are None unless the operator has
    them stored; then they are the first ones, within limits, and so are `paths`, the paths of each
    row of a traversal. `is_redacted` marks a record without texts (see `redact`).
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
    is_redacted: bool = False


@dataclass(frozen=True, slots=True)
class BestExecution:
    """The best execution of a question, by the score of its quality."""

    question: str
    id: str
    score: float


def canonical(members: dict[str, Any]) -> bytes:
    """Return the one JSON text of an execution's members: ASCII, sorted keys, no spaces."""
    return json.dumps(members, sort_keys=True, separators=(",", ":")).encode()


def short_owner(owner: str) -> str:
    """Return the name that logs have for an owner: user ISSUER ann -> user:041ace1f52b6."""
    kind, _, identity = owner.partition(" ")
    digest = hashlib.sha256(owner.encode("utf-8", "replace")).hexdigest()[:OWNER_DIGEST_CHARS]
    return f"{kind}:{digest}" if identity else kind


def redact_literals(sql: str) -> str | None:
    """Return a statement that the guard allowed with `?` for each literal; None if unreadable."""
    # Here, as they import sqlglot: reading a journal does not need it.
    from moviegraph.repair.tokens import split
    from moviegraph.sql.decision import RefusalError

    try:
        tokens = split(sql)
    except RefusalError:
        return None
    return " ".join("?" if token.kind in LITERALS else token.text for token in tokens)


def redact(execution: Execution, digest: Callable[[str], str]) -> Execution:
    """Return an execution whose texts are digests, and whose SQL has `?` for each literal.

    Of a text that the guard did not allow nothing is known, so that it becomes a digest as a whole.
    """

    def digest_if(text: str | None) -> str | None:
        return text and digest(text)

    def without_literals(sql: str) -> str:
        return redact_literals(sql) or digest(sql)

    attempts = [
        attempt.model_copy(
            update={
                "sql": (without_literals if attempt.decision == "allowed" else digest)(attempt.sql),
                "message": digest_if(attempt.message),
                "notes": tuple(map(digest, attempt.notes)),
            }
        )
        for attempt in execution.attempts
    ]
    texts = ("question", "purpose", "message_to_user", "query", "given", "message")
    return execution.model_copy(
        update={
            **{name: digest_if(getattr(execution, name)) for name in texts},
            "sql": execution.sql and without_literals(execution.sql),
            "statements": tuple(map(without_literals, execution.statements)),
            "attempts": tuple(attempts),
            "notes": tuple(map(digest, execution.notes)),
            "rows": execution.rows and ((digest(json.dumps(execution.rows)),),),
            "paths": None,
            "is_redacted": True,
        }
    )
