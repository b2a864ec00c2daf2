"""Diagnostic records in the text of a pyodbc error, and the errors that are worth a retry."""

import re
from dataclasses import dataclass

RECORD = re.compile(
    r"\[(?P<state>[0-9A-Z]{5})\] "
    r"(?:(?P<server>(?:\[[^\]]*\])*?\[SQL Server\])|(?:\[[^\]]*\])+)"
    r"(?P<text>.*) \((?P<number>-?\d+)\)(?: \(SQL\w+\))?",
    re.DOTALL,
)
STATE = re.compile(r"[0-9A-Z]{5}")
# They only report that a different error came before.
SECONDARY = frozenset({1750, 3621, 8153, 8180, 11501, 11529})
# The server found no error, but cannot describe the columns of a statement:
# https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-11000-to-12999
UNDESCRIBED = frozenset(range(11509, 11529))
MAX_TEXT_CHARS = 400
# A model cannot act upon names of server, database and login.
QUOTED = r"(?:'[^']*'|\"[^\"]*\"|\[[^\]]*\])"
DATABASE_PART = re.compile(rf", database {QUOTED}", re.IGNORECASE)
PLACE = re.compile(rf"\b(database|server|login|user|principal) {QUOTED}", re.IGNORECASE)
QUALIFIED = re.compile(r"'(?:[^'. ]+\.){1,2}(?P<rest>[^'. ]+\.[^'. ]+)'")


@dataclass(frozen=True, slots=True)
class DiagnosticRecord:
    """One record: its SQLSTATE, its number (0 for the driver's), its text, and its origin."""

    state: str
    number: int
    text: str
    from_server: bool = True


def messages(error: BaseException) -> tuple[DiagnosticRecord, ...]:
    """Return the records of a pyodbc error, in their order."""
    text = str(error.args[-1]) if error.args else ""
    vendor = re.match(r"\[[0-9A-Z]{5}\] \[[^\]]*\]", text)
    if vendor is None:
        return ()
    # A text may contain an apparent end of a record: only one of the same driver begins a new.
    begin = re.escape(vendor[0][len("[00000] ") :])
    parts = re.split(rf"; (?=\[[0-9A-Z]{{5}}\] {begin})", text)
    return tuple(
        DiagnosticRecord(m["state"], int(m["number"]), m["text"].strip(), m["server"] is not None)
        for m in map(RECORD.fullmatch, parts)
        if m
    )


def state(error: BaseException) -> str:
    """Return the SQLSTATE of an error, or ''."""
    first = str(error.args[0]) if len(error.args) > 1 else ""
    return first if STATE.fullmatch(first) else ""


def primary(error: BaseException) -> DiagnosticRecord | None:
    """Return the server's record that explains an error, not one that is its consequence."""
    records = [record for record in messages(error) if record.from_server and record.number > 0]
    causes = [record for record in records if record.number not in SECONDARY]
    return next(iter(causes or records), None)


def is_undescribed(error: BaseException) -> bool:
    """Return whether a server reports nothing but that it cannot describe a result."""
    return bool(codes := numbers(error)) and codes <= UNDESCRIBED


def redact(text: str) -> str:
    """Return a text of the server without names of servers, databases and logins, not too long."""
    text = PLACE.sub(r"\1", DATABASE_PART.sub("", text))
    text = " ".join(QUALIFIED.sub(r"'\g<rest>'", text).split())
    return text if len(text) <= MAX_TEXT_CHARS else text[:MAX_TEXT_CHARS].rstrip() + "..."


# Paused, moved or throttled databases, and lost connections: Microsoft's list for Azure SQL at
# https://learn.microsoft.com/azure/azure-sql/database/troubleshoot-common-errors-issues
WAKING = frozenset({40613})
PASSING = WAKING | frozenset(
    {40197, 40501, 40143, 40540, 10928, 10929, 49918, 49919, 49920, 4221, 42108, 42109}
)
DEADLOCK = 1205
NO_TRANSACTION = 3903  # of a ROLLBACK that has nothing to roll back
SNAPSHOT_OFF = 3952
# https://learn.microsoft.com/sql/relational-databases/errors-events/mssqlserver-3961-database-engine-error
TABLE_CHANGED = 3961
TOKEN_EXPIRED = 37396
KILLED = 596  # the last message of a session that an administrator ends, with severity 21
LOST_NUMBERS = frozenset({20, 64, 121, 233, KILLED, 10053, 10054, 10060})
# FreeTDS reports a dropped socket under a state of warnings, with its own numbers.
FREETDS_LOST = frozenset({20003, 20004, 20006, 20017, 20047})
FREETDS_SPEECHLESS = "[FreeTDS][SQL Server]Unknown error (0)"  # as it writes to a closed socket
FREETDS_UNREACHED = frozenset({20009, 20013})
LOST_STATES = frozenset({"08S01", "08003", "08007"})
UNREACHED_STATES = frozenset({"08001", "HYT01"})
LOGGING_IN = "(SQLDriverConnect)"  # the function that failed is at the end of the text
CANNOT_OPEN = 4060
ONCE_MORE = frozenset({DEADLOCK, SNAPSHOT_OFF, TABLE_CHANGED, TOKEN_EXPIRED})
MAX_LOGIN_TRIES = 2


def numbers(error: BaseException) -> frozenset[int]:
    """Return the server's numbers in an error; FreeTDS numbers its own messages 0."""
    return frozenset(message.number for message in messages(error) if message.from_server) - {0}


def is_login_error(error: BaseException) -> bool:
    """Return whether an error came while a connection was being opened."""
    return LOGGING_IN in str(error.args[-1] if error.args else "")


def is_lost(error: BaseException) -> bool:
    """Return whether the connection itself is lost."""
    codes = numbers(error)
    if codes & FREETDS_UNREACHED:
        return False
    if FREETDS_SPEECHLESS in str(error.args[-1] if error.args else ""):
        return True
    return state(error) in LOST_STATES or bool(codes & (LOST_NUMBERS | FREETDS_LOST))


def is_unreached(error: BaseException) -> bool:
    """Return whether no login took place: no server responded, or not in time."""
    codes = numbers(error)
    if codes - FREETDS_UNREACHED - LOST_NUMBERS:
        return False
    late = state(error) == "HYT00" and is_login_error(error)
    return late or state(error) in UNREACHED_STATES or bool(codes & FREETDS_UNREACHED)


def is_waking(error: BaseException) -> bool:
    """Return whether the database is paused or moving, and will be there in a minute."""
    return bool(numbers(error) & WAKING)


@dataclass(slots=True)
class RetryPolicy:
    """What may still be tried for one call: pure, so that its waits can be tested without any.

    Attributes:
        first: Seconds before the second try of a transient error; they double.
        longest: Maximum seconds between two tries.
    """

    first: float = 0.5
    longest: float = 5.0
    _waits: int = 0
    _few: int = 0
    _again: int = 0

    def at_login(self, error: BaseException) -> float | None:
        """Return how long to wait before logging in again, or None to give up."""
        codes = numbers(error)
        if codes & PASSING:
            return self._next()
        if CANNOT_OPEN in codes or is_lost(error) or is_unreached(error):
            self._few += 1
            return self._next() if self._few <= MAX_LOGIN_TRIES else None
        return None

    def in_query(self, error: BaseException, *, rows_seen: bool) -> float | None:
        """Return how long to wait before a try on a fresh connection, or None to give up."""
        if rows_seen:
            return None
        codes = numbers(error)
        if is_lost(error) or codes & ONCE_MORE:
            self._again += 1
            return 0.0 if self._again <= 1 else None
        return self._next() if codes & PASSING else None

    def _next(self) -> float:
        wait = min(self.first * 2**self._waits, self.longest)
        self._waits += 1
        return wait


def startup_policy() -> RetryPolicy:
    """Return the patience of a server that starts: a paused database takes about a minute."""
    return RetryPolicy(first=5.0, longest=60.0)
