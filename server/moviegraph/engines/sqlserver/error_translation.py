"""Why there is no connection, in one sentence, and what its operator does about it.

Numbers and causes: https://learn.microsoft.com/azure/azure-sql/database/troubleshoot-common-errors-issues
and https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass

from moviegraph.contract.model import Contract, nearest
from moviegraph.engines.sqlserver.diagnostics import (
    PASSING,
    UNREACHED_STATES,
    Message,
    is_lost,
    is_of_log_in,
    is_unreached,
    is_waking,
    messages,
    neutral,
    numbers,
    primary,
    state,
)
from moviegraph.engines.sqlserver.driver import INSTALL
from moviegraph.engines.sqlserver.error_hints import (
    CURES,
    HINTS,
    NO_CONNECTION,
    RAISE_LEVEL,
    STATES,
    UNAVAILABLE,
    Hint,
)
from moviegraph.errors import (
    DatabaseError,
    ExecutionError,
    ForModel,
    MoviegraphError,
    QueryTimeoutError,
    UnavailableError,
)
from moviegraph.sql.functions import FUNCTIONS


@dataclass(frozen=True, slots=True)
class Cause:
    """What happened, and the cure; {name} is the variable of the connection string."""

    text: str
    cure: str

    def error(self, name: str) -> DatabaseError:
        """Return it as an error."""
        cure = self.cure.format(name=name)
        return DatabaseError(self.text, code=NO_CONNECTION, hint=cure)


FIREWALL = Cause(
    "The firewall of the server does not admit this machine.",
    "Add a rule for its public address (az sql server firewall-rule create), and wait up to five "
    "minutes.",
)
REFUSED = Cause(
    "The server refused the log-in: user or password is wrong, or the login is disabled.",
    "Correct UID and PWD in {name}; a user of one database also needs Database= to name that one.",
)
TOKEN = Cause(
    "The server took the token of Microsoft Entra, and the database has no user for its identity.",
    "Run CREATE USER [NAME] FROM EXTERNAL PROVIDER in that very database, and add it to the role.",
)
EXPIRED_TOKEN = Cause(
    "The access token has expired.",
    "Sign in again (az login), and compare the clock of this machine with the real time.",
)
EXPIRED_PASSWORD = Cause(
    "The password of the login has expired or must be changed.",
    "Give the login a new password, and write it where {name} takes it from.",
)
DATABASE = Cause(
    "The log-in is valid, and the database cannot be opened with it.",
    "Check Database= in {name}, and make a user for the login in that database.",
)
SERVER_NAME = Cause(
    "The gateway of Azure SQL knows no such server, or cannot read its name.",
    "Write Server=tcp:NAME.database.windows.net,1433 in {name}.",
)
NETWORK_RULE = Cause(
    "The server does not admit the network of this machine.",
    "Add a virtual network rule for its subnet, or use the private endpoint.",
)
PAUSED = Cause(
    "The database is paused or moving, and did not come back in time.",
    "Try again in a minute: a serverless database is woken by the first log-in.",
)
QUOTA = Cause(
    "The free allowance of this month is used up, and the database is paused until the next.",
    "Wait, or let it be billed beyond the allowance in its settings.",
)
BUSY = Cause(
    "The database has reached a limit of its service tier.",
    "Try again; if it stays so, scale it up or lower MOVIEGRAPH_MSSQL_POOL.",
)
BY_NUMBER = {
    18456: REFUSED,
    18452: REFUSED,
    18470: REFUSED,
    18487: EXPIRED_PASSWORD,
    18488: EXPIRED_PASSWORD,
    37396: EXPIRED_TOKEN,
    4060: DATABASE,
    4063: DATABASE,
    916: DATABASE,
    40531: SERVER_NAME,
    40532: SERVER_NAME,
    40615: FIREWALL,
    40914: NETWORK_RULE,
    47073: NETWORK_RULE,
    40613: PAUSED,
    42108: PAUSED,
    42109: PAUSED,
    40197: PAUSED,
    40143: PAUSED,
    42119: QUOTA,
    40501: BUSY,
    10928: BUSY,
    10929: BUSY,
    49918: BUSY,
    49919: BUSY,
    49920: BUSY,
    50000: Cause(  # raised by the session statement that holds a writer to a read-only database
        "A new connection came to a database that can be written, as a principal that may write.",
        "Bring the read replica back, or connect as a principal that can only read.",
    ),
    47072: Cause(
        "The server demands a newer version of TLS than this machine offers.",
        "Update the ODBC driver and the TLS library of this machine.",
    ),
}
# What has no number of the server is told by how the driver or its manager begins: a name of a
# host or of a file may hold any word.
BEGINNINGS = (
    (r"can't open lib '", "driver"),
    (r"specified driver could not be ", "driver"),
    (r"data source name not found", "driver"),
    (r"(?:ssl|tls) provider: [^;]*(?:certificate|principal name)", "certificate"),
    (r"(?:ssl|tls) (?:provider|security error)", "encryption"),
    (r"encryption not supported", "encryption"),
    (r"[^;]*deny public network access", "network"),
)
NUMBERLESS = {
    "driver": Cause("The ODBC driver that is named cannot be loaded.", INSTALL),
    "certificate": Cause(
        "The certificate of the server is not trusted by this machine.",
        "Install the authority that issued it, or name the server as the certificate does; for a "
        "container on this machine alone, TrustServerCertificate=yes in {name}.",
    ),
    "encryption": Cause(
        "Server and machine could not agree on encryption.",
        "Update driver and TLS library, or, for a server on this machine alone, write Encrypt=no "
        "into {name}.",
    ),
    "network": NETWORK_RULE,
    "unreached": Cause(
        "Nobody answers at the address of the server.",
        "Check Server= and the port in {name}, that the server runs, and what lies between.",
    ),
    "silent": Cause(
        "The server took the log-in, and then did not answer in time.",
        "Look whether it hangs or is overloaded, and try again.",
    ),
    "lost": Cause(
        "The server ended the connection.",
        "Try again; if it happens again, the log of the server says why.",
    ),
}


def login_failure(error: BaseException, name: str) -> DatabaseError:
    """Return why a connection could not be opened, or did not last.

    Args:
        error: What pyodbc raised.
        name: The variable that holds the connection string.
    """
    return _cause(error).error(name)


def _cause(error: BaseException) -> Cause:
    text = " ".join(map(str, error.args)).lower()
    found = primary(error)
    if found is not None and found.number == 18456 and "token" in text:
        return EXPIRED_TOKEN if "expired" in text else TOKEN
    for each in messages(error):
        if each.number in BY_NUMBER:
            return BY_NUMBER[each.number]
    for words, kind in BEGINNINGS:
        if re.search(rf"\] ?{words}", text):
            return NUMBERLESS[kind]
    return _of_state(error)


def _of_state(error: BaseException) -> Cause:
    if is_unreached(error) or state(error) in UNREACHED_STATES:
        return NUMBERLESS["unreached"]
    if is_lost(error):
        return NUMBERLESS["lost"]
    if state(error) == "HYT00":
        return NUMBERLESS["silent"]
    found = primary(error)
    number = f"error {found.number}" if found else f"state {state(error) or 'unknown'}"
    return Cause(
        f"The connection to the database failed ({number}).",
        "Look this up in the list of Microsoft, and check {name}.",
    )


LOG = logging.getLogger("moviegraph")
NAME = re.compile(r"""['"](?:[^'"]*\.)?([^'".]+)['"]""")
UNKNOWN_FUNCTION = 195
INVALID_COLUMN = 207
INVALID_OBJECT = 208
WITHOUT = {
    "GENERATE_SERIES": "List the numbers instead: (VALUES (1), (2), (3)) AS s(value).",
    "REGEXP_LIKE": "Write LIKE with %, _ and [a-z] instead.",
}
DENIED = frozenset({229, 230})
AGAIN = "Make the same call again in a minute."
VARIABLE = "MOVIEGRAPH_MSSQL"
SIMPLER = "Write it in a simpler form, or call fix_sql with it."


@dataclass(frozen=True, slots=True)
class Failures:
    """Explains errors of statements over one contract's tables."""

    contract: Contract

    def explained(self, error: BaseException, sql: str = "") -> MoviegraphError:
        """Return the error for the model, or for the operator where only that one can help.

        Args:
            error: What pyodbc raised.
            sql: The statement, for the names that it may use.
        """
        message = primary(error)
        passing = _passing(error)
        if passing is not None:
            return passing
        if is_of_log_in(error):
            return login_failure(error, VARIABLE)
        if message is None or is_unreached(error):
            return _of_driver(error)
        if message.number in HINTS:
            return self._hinted(message, HINTS[message.number], sql)
        if message.number in CURES:
            cure = CURES[message.number]
            return DatabaseError(f"{cure.message} (error {message.number})", hint=cure.cure)
        if message.number in BY_NUMBER:
            return login_failure(error, VARIABLE)
        LOG.warning("SQL Server gave an error that is not in the table: %s", _told(error))
        return ExecutionError(neutral(message.text), hint=SIMPLER)

    def _hinted(self, message: Message, hint: Hint, sql: str) -> MoviegraphError:
        behind = self._behind(message) or _hidden(message)
        if behind is not None:
            return behind
        cure = hint.cure.format(
            tables=", ".join(self._tables()),
            columns=", ".join(self._columns(sql)),
            searchable=", ".join(self._searchable()),
        )
        text = neutral(message.text)
        if hint.code == UNAVAILABLE:
            return UnavailableError(text, hint=cure)
        return ExecutionError(
            text, code=hint.code, hint=cure, suggestions=self._suggestions(message, sql)
        )

    def _behind(self, message: Message) -> DatabaseError | None:
        """Return an error for the operator where the contract has what the database lacks."""
        name = _named(message)
        known = self.contract.table_names
        if message.number in DENIED and name.lower() in {each.lower() for each in known}:
            return DatabaseError(
                f"The principal may not read the table {name}.",
                hint="GRANT SELECT on it to the role of readers: moviegraph ddl prints the script.",
            )
        if message.number == INVALID_OBJECT and name.lower() in {each.lower() for each in known}:
            return DatabaseError(
                f"The database has no table {name}, or the principal may not see it.",
                hint="moviegraph check compares the contract with the database.",
            )
        columns = {column.name.lower() for node in self.contract.nodes for column in node.columns}
        if message.number == INVALID_COLUMN and name.lower() in columns:
            return DatabaseError(
                f"The database lacks the column {name} in a table that should have it.",
                hint="moviegraph check compares the contract with the database.",
            )
        return None

    def _suggestions(self, message: Message, sql: str) -> tuple[str, ...]:
        if message.number == INVALID_COLUMN:
            return nearest(_named(message), self._columns(sql))
        if message.number == INVALID_OBJECT:
            return nearest(_named(message), self.contract.table_names)
        return ()

    def _tables(self) -> list[str]:
        return [f"{self.contract.schema_name}.{name}" for name in self.contract.table_names]

    def _columns(self, sql: str) -> list[str]:
        """Return the columns of the tables that a statement names, else of all."""
        folded = sql.lower()
        named = [node for node in self.contract.nodes if f"[{node.name.lower()}]" in folded]
        columns = [c.name for node in named or self.contract.nodes for c in node.columns]
        return list(dict.fromkeys(columns))

    def _searchable(self) -> list[str]:
        return [f"{node.name}.{name}" for node in self.contract.nodes for name in node.searchable]


def _hidden(message: Message) -> ExecutionError | None:
    """Return the error of a function that the guard admits and the database does not know.

    The model can say it otherwise, and who runs the database can raise its level.
    """
    name = _named(message).upper()
    if message.number not in (UNKNOWN_FUNCTION, INVALID_OBJECT) or name not in FUNCTIONS:
        return None
    LOG.warning("The database does not know %s at its compatibility level: %s", name, RAISE_LEVEL)
    return ExecutionError(
        f"This database does not know the function {name}.",
        code="unsupported_by_engine",
        hint=WITHOUT.get(name, f"Say it without {name}."),
    )


def _named(message: Message) -> str:
    found = NAME.search(message.text)
    return found[1] if found else ""


def _passing(error: BaseException) -> ForModel | None:
    """Return what to say of an error that had not passed when the time or the tries were over."""
    if is_waking(error):
        text = "The database was paused or is being moved, and is not there yet."
        LOG.warning("The database is not available yet (40613).")
    elif PASSING & numbers(error):
        text = "The database takes no more work just now."
        LOG.warning("The database refuses work for now: %s", _told(error))
    elif is_lost(error):
        text = "The connection to the database was lost, also at a second try."
        LOG.warning("The connection to the database was lost: %s", _told(error))
    else:
        return None
    return UnavailableError(text, hint=AGAIN)


def _of_driver(error: BaseException) -> MoviegraphError:
    """Return the error of what the driver says by itself."""
    hint = STATES.get(state(error))
    if hint is None or is_unreached(error):
        return login_failure(error, VARIABLE)
    return QueryTimeoutError("The driver stopped the statement.", code=hint.code, hint=hint.cure)


def _told(error: BaseException) -> str:
    message = primary(error)
    return f"{neutral(message.text)} ({message.number})" if message else f"state {state(error)}"
