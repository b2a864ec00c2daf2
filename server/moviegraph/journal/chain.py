"""The chain of records: how one is linked to the one before, and the check of all of them.

A record is (number, id, owner key, time, digest), where the digest is SHA-256(salt, body). Its hash
covers the previous hash and all of these, so that deleting salt and body leaves the chain intact. A
record that the operator's own commands write has the owner OPERATOR; one of `journal forget`
states which records it erased, one of `journal archive` where the chain now starts.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from moviegraph.errors import JournalError
from moviegraph.journal.execution_records import Execution, canonical

GENESIS = "0" * 64
OPERATOR = "operator"  # every caller has a different form: local, user ISSUER SUBJECT, token NAME
FORGET = "journal forget"
ARCHIVE = "journal archive"
SALT_BYTES = 16
OWNER_KEY_CHARS = 32  # 128 bits: each index repeats them
MAX_FAULTS = 20
Position = tuple[int, str]  # number and hash of a record


@dataclass(frozen=True, slots=True)
class ChainRecord:
    """A record as stored; the members from `question` on are None once erased."""

    number: int
    id: str
    owner_key: str
    created: str
    digest: str
    hash: str
    question: str | None
    content_hash: str | None
    score: float | None
    salt: bytes | None
    body: bytes | None

    @classmethod
    def after(cls, previous: Position, key: bytes, execution: Execution) -> "ChainRecord":
        """Return the record that appends an execution to a chain."""
        members, salt = execution.model_dump(), secrets.token_bytes(SALT_BYTES)
        id, owner, created, *copies = _copies(key, members)
        body = canonical(members)
        linked = (previous[0] + 1, id, owner, created, body_digest(salt, body))
        question, content_hash, score = copies
        digest = chained(previous[1], *linked)
        return cls(*linked, digest, question, content_hash, score, salt, body)

    def execution(self) -> Execution:
        """Return the execution. Raises JournalError if the text was damaged."""
        try:
            return Execution.model_validate(json.loads(self.body or b""))
        except ValueError as error:
            raise JournalError(
                f"Record {self.number} of the journal is damaged.",
                hint="Run `moviegraph journal verify`.",
            ) from error

    def fault(self, previous: str | None, key: bytes) -> str | None:
        """Return the problem of this record, or None; `previous` is the hash before, if known."""
        linked = (self.number, self.id, self.owner_key, self.created, self.digest)
        if previous is not None and self.hash != chained(previous, *linked):
            return "it or the record before it was changed"
        if self.salt is None or self.body is None:
            return None
        if self.digest != body_digest(self.salt, self.body):
            return "its text was changed"
        try:
            copies = _copies(key, json.loads(self.body))
        except (ValueError, KeyError, TypeError, AttributeError):
            return "its text is unreadable"
        stored = (self.id, self.owner_key, self.created)
        if copies != (*stored, self.question, self.content_hash, self.score):
            return "its ID, owner, time, question, data or score differs from its text"
        return None


def _copies(key: bytes, members: dict[str, Any]) -> tuple[Any, Any, Any, Any, Any, Any]:
    """Return ID, owner key, time, question, data and score, as the columns repeat them."""
    question = members["question"]
    is_offered = question and members["sql"] and not members["is_redacted"]
    quality: dict[str, Any] = (is_offered and members["quality"]) or {}
    return (
        storable(members["id"]),
        owner_key(key, members["owner"]),
        storable(members["created"]),
        question and storable(question),
        storable(members["content_hash"]),
        quality.get("score"),
    )


@dataclass(frozen=True, slots=True)
class Verification:
    """Result of a verification: records read, the last hash, and faults by record number.

    `fault_count` counts all faults, `faults` has the first ones. `erased` counts the records whose
    text was erased as recorded. `origin` and `continued` are number and hash of the record before
    the first one, and, in an archive, of the one after which the other file continues.
    """

    records: int
    head: str
    erased: int = 0
    origin: Position = (0, GENESIS)
    continued: Position | None = None
    fault_count: int = 0
    faults: tuple[tuple[int, str], ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every record is intact."""
        return not self.fault_count


class ChainCheck:
    """The check of a chain, record by record; it continues after a fault.

    A wrong record does not make the next one wrong: each is linked to the hash that is stored.
    """

    def __init__(
        self, key: bytes, origin: Position, continued: Position | None, noted: str | None
    ) -> None:
        self._key = key
        self._origin = origin
        self._continued = continued
        self._noted = noted
        self._number, self._head = origin
        self._previous: str | None = origin[1]
        self._records = self._fault_count = 0
        self._faults: list[tuple[int, str]] = []
        self._archived: Position = (0, GENESIS)
        self._erased = set[int]()
        self._without_text = set[int]()
        self._with_text = set[int]()
        self._is_noted_seen = noted in (None, origin[1])

    def add_fault(self, number: int, reason: str) -> None:
        """Count a fault, and keep it if it is one of the first; 0 is the file as a whole."""
        self._fault_count += 1
        if len(self._faults) < MAX_FAULTS:
            self._faults.append((number, reason))

    def skip(self, number: int, reason: str) -> None:
        """Count a record that is missing or cannot be read; the next one may be intact."""
        self.add_fault(number, reason)
        self._number, self._previous = number, None

    def add(self, record: ChainRecord) -> None:
        """Check the next record."""
        if record.number != self._number + 1:
            self.skip(self._number + 1, "it is missing")
        if fault := record.fault(self._previous, self._key):
            self.add_fault(record.number, fault)
        elif record.body is None:
            self._without_text.add(record.number)
        else:
            self._with_text.add(record.number)
            if record.owner_key == owner_key(self._key, OPERATOR):
                self._read_statement(record)
        self._records += 1
        self._number, self._head = position = record.number, record.hash
        self._previous = record.hash
        self._is_noted_seen = self._is_noted_seen or record.hash == self._noted
        if self._continued and position != self._continued and position[0] == self._continued[0]:
            self.add_fault(record.number, "the hash at which the next file continues is different")

    def _read_statement(self, record: ChainRecord) -> None:
        """Read which records were erased, or where the chain was cut."""
        members = json.loads(record.body or b"")
        statement = json.loads(members["given"])
        if members["tool"] == FORGET:
            self._erased |= parse_ranges(statement["numbers"])
        else:
            self._archived = (statement["until"], statement["hash"])

    def result(self) -> Verification:
        """Return the result once every record was added."""
        for number in sorted(self._without_text - self._erased):
            self.add_fault(number, "its text is missing, and no erasure of it is recorded")
        for number in sorted(self._with_text & self._erased):
            self.add_fault(number, "its text is present, although its erasure is recorded")
        if self._archived != self._origin:
            self.add_fault(self._origin[0] + 1, "it is the first one, which no archive states")
        if not self._is_noted_seen:
            reason = "the noted head is not in the journal: its last records were deleted"
            self.add_fault(self._number + 1, reason)
        return Verification(
            records=self._records,
            head=self._head,
            erased=len(self._without_text & self._erased),
            origin=self._origin,
            continued=self._continued,
            fault_count=self._fault_count,
            faults=tuple(sorted(self._faults)),
        )


def chained(previous: str, *stored: object) -> str:
    """Return the hash of a record that follows the hash `previous`."""
    return hashlib.sha256(json.dumps([previous, *stored]).encode()).hexdigest()


def body_digest(salt: bytes, body: bytes) -> str:
    """Return the digest of a body; without the salt no short body can be guessed from it."""
    return hashlib.sha256(salt + body).hexdigest()


def owner_key(key: bytes, owner: str) -> str:
    """Return the pseudonym of an owner in one journal."""
    digest = hmac.new(key, owner.encode("utf-8", "replace"), hashlib.sha256).hexdigest()
    return digest[:OWNER_KEY_CHARS]


def storable(text: str) -> str:
    """Replace lone surrogates, which SQLite cannot store; the body has them escaped."""
    return text.encode("utf-8", "replace").decode()


def format_ranges(numbers: Iterable[int]) -> str:
    """Return rising numbers as ranges: 1, 2, 3, 7 -> 1-3 7."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return " ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in ranges)


def parse_ranges(text: str) -> set[int]:
    """Return the numbers of `format_ranges`."""
    pairs = (part.partition("-") for part in text.split())
    return {
        number for first, _, last in pairs for number in range(int(first), int(last or first) + 1)
    }
