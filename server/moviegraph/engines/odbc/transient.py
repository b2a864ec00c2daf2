"""Which errors pass by themselves, and how long to wait before the next try."""

from dataclasses import dataclass

from moviegraph.engines.odbc.messages import messages, state

# Paused, moved or throttled databases, and lost connections: Microsoft's list for Azure SQL at
# https://learn.microsoft.com/azure/azure-sql/database/troubleshoot-common-errors-issues
WAKING = frozenset({40613})
PASSING = WAKING | frozenset(
    {40197, 40501, 40143, 40540, 10928, 10929, 49918, 49919, 49920, 4221, 42108, 42109}
)
DEADLOCK = 1205
SNAPSHOT_OFF = 3952
# https://learn.microsoft.com/sql/relational-databases/errors-events/mssqlserver-3961-database-engine-error
TABLE_CHANGED = 3961
TOKEN_EXPIRED = 37396
KILLED = 596  # what a session that an administrator ends says last, with severity 21
LOST_NUMBERS = frozenset({20, 64, 121, 233, KILLED, 10053, 10054, 10060})
# FreeTDS reports a dropped socket under a state of warnings, with numbers of its own.
FREETDS_LOST = frozenset({20003, 20004, 20006, 20017, 20047})
FREETDS_SPEECHLESS = "[FreeTDS][SQL Server]Unknown error (0)"  # as it writes to a closed socket
FREETDS_UNREACHED = frozenset({20009, 20013})
LOST_STATES = frozenset({"08S01", "08003", "08007"})
UNREACHED_STATES = frozenset({"08001", "HYT01"})
LOGGING_IN = "(SQLDriverConnect)"  # the function that failed stands at the end of the text
CANNOT_OPEN = 4060
ONCE_MORE = frozenset({DEADLOCK, SNAPSHOT_OFF, TABLE_CHANGED, TOKEN_EXPIRED})
MOST_FEW = 2


def numbers(error: BaseException) -> frozenset[int]:
    """Return the server's numbers in an error; 0 is what FreeTDS gives to what it says itself."""
    return frozenset(each.number for each in messages(error) if each.from_server) - {0}


def is_of_log_in(error: BaseException) -> bool:
    """Whether an error came while a connection was being opened."""
    return LOGGING_IN in str(error.args[-1] if error.args else "")


def is_lost(error: BaseException) -> bool:
    """Whether the connection itself is gone."""
    found = numbers(error)
    if found & FREETDS_UNREACHED:
        return False
    if FREETDS_SPEECHLESS in str(error.args[-1] if error.args else ""):
        return True
    return state(error) in LOST_STATES or bool(found & (LOST_NUMBERS | FREETDS_LOST))


def is_unreached(error: BaseException) -> bool:
    """Whether no log-in took place: nobody answered, or not in time."""
    found = numbers(error)
    if found - FREETDS_UNREACHED - LOST_NUMBERS:
        return False
    late = state(error) == "HYT00" and is_of_log_in(error)
    return late or state(error) in UNREACHED_STATES or bool(found & FREETDS_UNREACHED)


def is_waking(error: BaseException) -> bool:
    """Whether the database is paused or moving, and will be there in a minute."""
    return bool(numbers(error) & WAKING)


@dataclass(slots=True)
class Patience:
    """What may still be tried for one call: pure, so that its waits can be tested without any.

    Attributes:
        first: Seconds before the second try of what passes by itself; they double.
        longest: Most seconds between two tries.
    """

    first: float = 0.5
    longest: float = 5.0
    _waits: int = 0
    _few: int = 0
    _again: int = 0

    def at_login(self, error: BaseException) -> float | None:
        """Return how long to wait before logging in again, or None to give up."""
        found = numbers(error)
        if found & PASSING:
            return self._next()
        if CANNOT_OPEN in found or is_lost(error) or is_unreached(error):
            self._few += 1
            return self._next() if self._few <= MOST_FEW else None
        return None

    def in_query(self, error: BaseException, *, rows_seen: bool) -> float | None:
        """Return how long to wait before a try on a fresh connection, or None to give up."""
        if rows_seen:
            return None
        found = numbers(error)
        if is_lost(error) or found & ONCE_MORE:
            self._again += 1
            return 0.0 if self._again <= 1 else None
        return self._next() if found & PASSING else None

    def _next(self) -> float:
        wait = min(self.first * 2**self._waits, self.longest)
        self._waits += 1
        return wait


def starting_patience() -> Patience:
    """Return the patience of a server that starts: a paused database takes about a minute."""
    return Patience(first=5.0, longest=60.0)
