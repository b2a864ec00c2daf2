"""Opens a connection and sets its session, the same for every one."""

from __future__ import annotations

import ipaddress
import math
import re
import socket
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from moviegraph.engines.sqlserver.connection_string import ConnectionString
from moviegraph.engines.sqlserver.odbc_driver import add_converters, import_pyodbc
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
ADDRESS = re.compile(r"(?:tcp:)?(?P<host>\[[0-9a-f:.]+\]|[^,:\\\s]+)(?:,\s*(?P<port>\d+))?", re.I)
PORT = 1433
REACH_SECONDS = 5.0


class LoginString(Protocol):
    """The source of the connection string for the driver, secrets included, for each login."""

    def login(self) -> ConnectionString:
        """Return the string."""
        ...


@dataclass(frozen=True, slots=True)
class Connector:
    """Opens connections of one string.

    Attributes:
        string: Returns the connection string, with its driver; called for each login.
        credentials: Attributes for each login, such as a fresh token.
        login_seconds: Maximum time for one login.
        session: Statements that are sent once a connection is open.
    """

    string: LoginString
    credentials: Callable[[], Mapping[int, bytes]] = dict[int, bytes]
    login_seconds: float = LOGIN_SECONDS
    session: tuple[str, ...] = (SESSION, SNAPSHOT)

    def open(self, seconds: float | None = None) -> pyodbc.Connection:
        """Open a connection whose transactions must be ended, and set its session.

        Args:
            seconds: Time that is left for it, if that is less.

        Raises:
            pyodbc.Error: As the driver says it; nothing is left open.
            DatabaseError: pyodbc cannot be imported, or the server does not speak TDS 8.
        """
        pyodbc = import_pyodbc()
        allowed = min(self.login_seconds, self.login_seconds if seconds is None else seconds)
        limit = max(1, math.ceil(allowed))
        string = self.string.login()
        require_tds8(string, limit)
        connection = pyodbc.connect(
            string.text(),
            timeout=limit,
            # Where snapshot isolation is set no transaction may be open: it would be aborted, says
            # https://learn.microsoft.com/sql/t-sql/statements/set-transaction-isolation-level-transact-sql
            autocommit=True,
            attrs_before=dict(self.credentials()),
        )
        try:
            add_converters(connection)
            with suppress(pyodbc.Error):  # not every driver knows it
                connection.timeout = limit  # a server may fall silent after the login
            for statement in self.session:
                connection.execute(statement).close()
            connection.autocommit = False
        except BaseException:
            connection.close()
            raise
        return connection


def address_of(string: ConnectionString) -> tuple[str, int] | None:
    """Return host and port, or None where the driver itself must find them (named instances)."""
    match = ADDRESS.fullmatch((string.get("Server") or "").strip())
    if match is None:
        return None
    return match["host"].strip("[]"), int(match["port"] or string.get("Port") or PORT)


def is_this_machine(string: ConnectionString) -> bool:
    """Return whether the server runs on this machine."""
    host, _ = address_of(string) or ("", 0)
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def require_reachable(address: tuple[str, int], name: str, seconds: float = REACH_SECONDS) -> None:
    """Connect to an address once, and leave again: a driver would try on until its time is over.

    Raises:
        DatabaseError: No server responds; the message says in which way, and not where.
    """
    try:
        socket.create_connection(address, seconds).close()
    except (OSError, UnicodeError) as error:
        text, hint = _unreachable(error, address[1], seconds)
        raise DatabaseError(text, hint=hint.format(name=name)) from error


def require_tds8(string: ConnectionString, seconds: float) -> None:
    """Where the string says Encrypt=strict, wait for the server's part of a TLS handshake.

    Microsoft's driver would wait for it a minute, whatever the time for a login; TDS 8 begins with
    it, and an older server is silent. Nothing is sent, and the driver checks the certificate.

    Raises:
        DatabaseError: The server stays silent, or answers otherwise.
    """
    address = address_of(string)
    if (string.get("Encrypt") or "").lower() != "strict" or address is None:
        return
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["tds/8.0"])
    try:
        with socket.create_connection(address, seconds) as plain:
            context.wrap_socket(plain, server_hostname=address[0]).close()
    except (TimeoutError, ssl.SSLError) as error:
        raise DatabaseError(
            "The server does not offer TDS 8, which Encrypt=strict needs.",
            hint="Set Encrypt=yes: the connection is encrypted, and the certificate checked.",
        ) from error
    except OSError:  # the driver says what it is
        return


def _unreachable(error: Exception, port: int, seconds: float) -> tuple[str, str]:
    """Return the problem and its fix."""
    if isinstance(error, socket.gaierror | UnicodeError):
        text = "This machine cannot resolve the name of the server."
        return text, "Correct Server= in {name}, or fix DNS."
    if isinstance(error, ConnectionRefusedError):
        text = f"The server's host responds, but nothing listens on port {port}."
        return text, "Start the server, or correct the port in {name} (Server=tcp:HOST,PORT)."
    if isinstance(error, TimeoutError):
        text = f"The server does not respond within {seconds:g} s."
        return (
            text,
            "Check Server= in {name}, and the firewalls between this machine and the server.",
        )
    reason = (isinstance(error, OSError) and error.strerror) or "no connection"
    text = f"The server cannot be reached from this machine: {reason}."
    return text, "Check the network of this machine, and Server= in {name}."
