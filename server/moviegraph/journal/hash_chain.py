"""The hash chain: each record's hash covers the hash before it and the record's own text."""

import hashlib
import json
from dataclasses import dataclass

from pydantic import BaseModel

from moviegraph.errors import JournalError
from moviegraph.journal.execution_records import Execution

GENESIS = "0" * 64


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
        return cls(
            number + 1,
            stored(execution.id),
            stored(execution.owner),
            None if execution.question is None else stored(execution.question),
            body,
            chained(previous, body),
        )

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
        return None if self._repeats_body() else "its ID, owner or question differs from its text"

    def _repeats_body(self) -> bool:
        try:
            execution = self.execution()
        except JournalError:
            return False
        question = None if execution.question is None else stored(execution.question)
        repeated = (stored(execution.id), stored(execution.owner), question)
        return repeated == (self.id, self.owner, self.question)


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
    return CANONICAL.encode(vars(execution))


def _members(value: object) -> object:
    """Return the members of a model, or any other value as text."""
    return vars(value) if isinstance(value, BaseModel) else str(value)


CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=_members)


def chained(previous: str, body: str) -> str:
    """Return the hash of a record that follows the hash `previous`."""
    return hashlib.sha256(f"{previous}\n{body}".encode()).hexdigest()


def stored(text: str) -> str:
    """Replace lone surrogates, which SQLite cannot store; the body has them escaped."""
    return text.encode("utf-8", "replace").decode()
