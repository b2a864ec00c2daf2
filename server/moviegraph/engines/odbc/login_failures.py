"""Why there is no connection, in one sentence, and what its operator does about it.

Numbers and causes: https://learn.microsoft.com/azure/azure-sql/database/troubleshoot-common-errors-issues
and https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
"""

import re
from dataclasses import dataclass

from moviegraph.engines.odbc.driver import INSTALL
from moviegraph.engines.odbc.messages import messages, primary, state
from moviegraph.engines.odbc.reading import NO_CONNECTION
from moviegraph.engines.odbc.transient import UNREACHED_STATES, is_lost, is_unreached
from moviegraph.errors import DatabaseError


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
