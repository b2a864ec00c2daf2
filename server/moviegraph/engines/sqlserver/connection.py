"""Opens a connection and sets its session, the same for every one."""

from __future__ import annotations

import ipaddress
import math
import re
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from moviegraph.engines.sqlserver.connection_string import ConnectionString
from moviegraph.engines.sqlserver.driver import add_converters, import_pyodbc
from moviegraph.errors import DatabaseError

if TYPE_CHECKING:
    import pyodbc


LOGIN_SECONDS = 15.0
LOCK_MILLISECONDS = 5_000
# Dates, weeks and error texts must not depend on the language of the login.
SESSION = (
    "SET NOCOUNT ON; SET XACT_ABORT ON; SET LANGUAGE us_english; SET DATEFIRST 7; "
    f"SET LOCK_TIMEOUT {LOCK_MILLISECONDS}; SET DEADLOCK_PRIORITY LOW;"
)
# Without it SELECT waits for writers, or they for it; set where the database allows it. By name:
# in Azure SQL Database DB_ID() need not be the database_id of sys.databases.
SNAPSHOT = (
    "IF EXISTS (SELECT 1 FROM sys.databases WHERE name = DB_NAME() "
    "AND snapshot_isolation_state = 1) SET TRANSACTION ISOLATION LEVEL SNAPSHOT;"
)
Credentials = Callable[[], Mapping[int, bytes]]


class Text(Protocol):
    """What knows the connection string for the driver, secrets and all, whenever it is asked."""

    def text(self) -> str:
        """Return the string."""
        ...

    def masked(self) -> str:
        """Return the string without its secrets."""
        ...


def no_credentials() -> Mapping[int, bytes]:
    """Return no attributes: the string itself says who logs in."""
    return {}


@dataclass(frozen=True, slots=True)
class Connector:
    """Opens connections of one string.

    Attributes:
        string: Gives the connection string, with its driver; asked for each log-in.
        credentials: Attributes for each log-in, such as a fresh token.
        login_seconds: Most time for one log-in.
        session: What is sent once a connection is open.
    """

    string: Text
    credentials: Credentials = no_credentials
    login_seconds: float = LOGIN_SECONDS
    session: tuple[str, ...] = (SESSION, SNAPSHOT)

    def open(self, seconds: float | None = None) -> pyodbc.Connection:
        """Open a connection whose transactions must be ended, and set its session.

        Args:
            seconds: Time that is left for it, if that is less.

        Raises:
            pyodbc.Error: As the driver says it; nothing is left open.
            DatabaseError: pyodbc cannot be imported.
        """
        pyodbc = import_pyodbc()
        allowed = min(self.login_seconds, self.login_seconds if seconds is None else seconds)
        limit = max(1, math.ceil(allowed))
        connection = pyodbc.connect(
            self.string.text(),
            timeout=limit,
            # Where snapshot isolation is set no transaction may be open: it would be aborted, says
            # https://learn.microsoft.com/sql/t-sql/statements/set-transaction-isolation-level-transact-sql
            autocommit=True,
            attrs_before=dict(self.credentials()),
        )
        try:
            add_converters(connection)
            with suppress(pyodbc.Error):  # not every driver knows it
                connection.timeout = limit  # a server may fall silent after the log-in
            for statement in self.session:
                connection.execute(statement).close()
            connection.autocommit = False
        except BaseException:
            connection.close()
            raise
        return connection


SECONDS = 5.0
PORT = 1433
ADDRESS = re.compile(r"(?:tcp:)?(?P<host>\[[0-9a-f:.]+\]|[^,:\\\s]+)(?:,\s*(?P<port>\d+))?", re.I)


def address_of(string: ConnectionString) -> tuple[str, int] | None:
    """Return host and port, or None where the driver itself must find them (named instances)."""
    found = ADDRESS.fullmatch((string.get("Server") or "").strip())
    if found is None:
        return None
    port = found["port"] or string.get("Port") or PORT
    return found["host"].strip("[]"), int(port)


def is_this_machine(string: ConnectionString) -> bool:
    """Whether the server runs on the machine that asks."""
    address = address_of(string)
    if address is None:
        return False
    try:
        return address[0] == "localhost" or ipaddress.ip_address(address[0]).is_loopback
    except ValueError:
        return False


def require_reachable(address: tuple[str, int], name: str, seconds: float = SECONDS) -> None:
    """Connect to an address once, and leave again.

    Raises:
        DatabaseError: Nobody answers; the message says in which way, and not where.
    """
    try:
        socket.create_connection(address, seconds).close()
    except (socket.gaierror, UnicodeError) as error:
        raise DatabaseError(
            "The name of the server is not known to this machine.",
            hint=f"Correct Server= in {name}, or mend the name service.",
        ) from error
    except ConnectionRefusedError as error:
        raise DatabaseError(
            f"The machine of the server is there, and nothing listens at port {address[1]}.",
            hint=f"Start the server, or correct the port in {name} (Server=tcp:HOST,PORT).",
        ) from error
    except TimeoutError as error:
        raise DatabaseError(
            f"The server does not answer within {seconds:g} s.",
            hint=f"Check Server= in {name}, and the firewalls on the way.",
        ) from error
    except OSError as error:
        why = error.strerror or "no connection"
        raise DatabaseError(
            f"There is no way to the server from this machine: {why}.",
            hint=f"Check the network of this machine, and Server= in {name}.",
        ) from error
