"""Who logs in to the server: the connection string's own user, or an identity of Microsoft Entra.

Everything is read anew for each connection: a password or token that was changed counts at once.
"""

import os
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

from moviegraph.engines.sqlserver.connection_string import (
    ConnectionString,
    parse_connection_string,
    read_connection_string,
    require_usable,
)
from moviegraph.engines.sqlserver.driver import with_driver
from moviegraph.errors import DatabaseError, SettingsError

Method = Literal["string", "entra", "managed_identity"]
# https://learn.microsoft.com/sql/connect/odbc/using-azure-active-directory
ACCESS_TOKEN = 1256
SCOPE = "https://database.windows.net/.default"
EARLY = 300.0  # seconds before its end at which a token counts as used up
CLIENT_ID = "AZURE_CLIENT_ID"
PASSWORDLESS = ("UID", "PWD", "Authentication", "Trusted_Connection")
EXAMPLE = "Server=tcp:HOST,1433;Database=NAME;UID=USER;PWD=PASSWORD;"
OF_DRIVER = {
    "sqlpassword": ("UID", "PWD"),
    "activedirectorypassword": ("UID", "PWD"),
    "activedirectoryserviceprincipal": ("UID", "PWD"),
    "activedirectorymsi": (),
    "activedirectoryintegrated": (),
}
NOT_OF_DRIVER = {
    "activedirectorydefault": "the ODBC driver does not know it",
    "activedirectoryinteractive": "it asks a person in a window",
    "activedirectorydevicecodeflow": "it asks a person",
    "activedirectoryazcli": "the ODBC driver does not know it",
    "activedirectorymanagedidentity": "the ODBC driver calls it ActiveDirectoryMsi",
}


class Token(NamedTuple):
    """An access token, and when it ends, in seconds since 1970."""

    text: str
    ends: float


@dataclass(frozen=True, slots=True, repr=False)
class LoginSource:
    """Where the parts of a log-in are.

    Attributes:
        variable: The variable of the connection string; those of the other parts begin with it.
        text: The connection string.
        file: A file that holds it instead.
        password: The password, where the string has none.
        password_file: A file that holds it instead.
        method: Whether the string says who logs in, or a token does.
        read_only: Whether to ask for a read-only replica where there is one.
    """

    variable: str = "MOVIEGRAPH_MSSQL"
    text: str | None = None
    file: Path | None = None
    password: str | None = None
    password_file: Path | None = None
    method: Method = "string"
    read_only: bool = True

    def __repr__(self) -> str:
        """Show no part of it."""
        return f"LoginSource({self.variable}, {self.method})"

    def string(self) -> ConnectionString:
        """Read the connection string, with the password in it.

        Raises:
            SettingsError: A part is missing, cannot be read, or contradicts another.
        """
        self._refuse_doubles()
        string = self._plain()
        password = self._password()
        if password is not None:
            string = self._with_password(string, password)
        _check_login(string, self)
        return string

    def _refuse_doubles(self) -> None:
        pairs = (
            (self.text, self.file, "", "_FILE"),
            (self.password, self.password_file, "_PASSWORD", "_PASSWORD_FILE"),
        )
        for one, other, name, file in pairs:
            if one is not None and other is not None:
                raise SettingsError(
                    f"{self.variable}{name} and {self.variable}{file} are both set.",
                    hint="Leave one of them out.",
                )

    def _plain(self) -> ConnectionString:
        if self.file is not None:
            return read_connection_string(self.file, read_only=self.read_only)
        if self.text is None:
            raise SettingsError(
                f"{self.variable} is not set: there is no SQL Server to connect to.",
                hint=f"Set it to an ODBC connection string, such as {EXAMPLE}, or "
                f"{self.variable}_FILE to a file that holds one.",
            )
        return parse_connection_string(self.text, self.variable, read_only=self.read_only)

    def _password(self) -> str | None:
        if self.password_file is None:
            return self.password
        try:
            text = self.password_file.read_text(encoding="utf-8-sig").rstrip("\r\n")
        except (OSError, UnicodeError):
            text = ""
        if not text:
            raise SettingsError(
                f"The password in {self.password_file} cannot be read, or is empty.",
                hint=f"{self.variable}_PASSWORD_FILE names a file with nothing but the password.",
            )
        return text

    def _with_password(self, string: ConnectionString, password: str) -> ConnectionString:
        require_usable(password, f"The password beside {self.variable}")
        if string.get("PWD") is not None:
            raise SettingsError(
                f"{self.variable} has a PWD, and a password is given beside it.",
                hint="Leave one of them out.",
            )
        if string.get("UID") is None:
            raise SettingsError(
                f"A password is given, and {self.variable} has no UID.",
                hint="Add UID=USER; to it.",
            )
        return string.replaced(PWD=password)


def _check_login(string: ConnectionString, source: LoginSource) -> None:
    """Raise SettingsError unless exactly one way to log in is given."""
    name = source.variable
    if source.method != "string":
        given = [each for each in PASSWORDLESS if string.get(each) is not None]
        if given:
            raise SettingsError(
                f"{name}_AUTHENTICATION is {source.method}, and {name} also has {given[0]}: a "
                "token says by itself who logs in.",
                hint=f"Take {', '.join(given)} out of {name}, or set {name}_AUTHENTICATION=string.",
            )
        return
    way = string.get("Authentication")
    if way is not None:
        _check_way(string, way, name)
    elif (string.get("Trusted_Connection") or "no").lower() != "yes":
        _require(string, ("UID", "PWD"), name)


def _check_way(string: ConnectionString, way: str, name: str) -> None:
    reason = NOT_OF_DRIVER.get(way.lower())
    if reason is None and way.lower() not in OF_DRIVER:
        reason = "the ODBC driver does not know it"
    if reason is not None:
        raise SettingsError(
            f"{name}: Authentication={way} cannot be used: {reason}.",
            hint=f"Leave it out and set {name}_AUTHENTICATION=entra, or write "
            "Authentication=ActiveDirectoryMsi or ActiveDirectoryServicePrincipal.",
        )
    _require(string, OF_DRIVER[way.lower()], name)


def _require(string: ConnectionString, keywords: tuple[str, ...], name: str) -> None:
    missing = [each for each in keywords if string.get(each) is None]
    if missing:
        raise SettingsError(
            f"{name} does not say who logs in: {' and '.join(missing)} missing.",
            hint=f"Add UID and PWD, or keep the password in {name}_PASSWORD_FILE, or set "
            f"{name}_AUTHENTICATION=entra for Microsoft Entra.",
        )


@dataclass(slots=True, repr=False)
class Authentication:
    """Makes the log-in of each connection; safe to call from several threads."""

    source: LoginSource
    clock: Callable[[], float] = time.time
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _credential: Any = None
    _token: Token | None = None
    _first: ConnectionString | None = None

    def text(self) -> str:
        """Return the connection string for the driver, with the driver and the password in it.

        Raises:
            SettingsError: The settings are missing, contradict each other, or changed in more
                than the password: whoever logs in then was not looked at.
            DatabaseError: There is no driver.
        """
        string = self.source.string()
        self._require_same(string.replaced(PWD=None))
        return with_driver(string).text()

    def _require_same(self, string: ConnectionString) -> None:
        with self._lock:
            self._first = self._first or string
        if self._first != string:
            raise SettingsError(
                f"{self.source.variable} has changed in more than the password since the start.",
                hint="Start anew, so that server, database and principal are looked at again.",
            )

    def masked(self) -> str:
        """Return the connection string for the operator's eyes. Raises SettingsError."""
        return self.source.string().masked()

    def attributes(self) -> dict[int, bytes]:
        """Return what is set before connecting: a token, or nothing.

        Raises:
            DatabaseError: No token can be obtained; the message says what to install or do.
        """
        if self.source.method == "string":
            return {}
        return {ACCESS_TOKEN: packed(self._fresh().text)}

    def _fresh(self) -> Token:
        with self._lock:
            if self._token is None or self._token.ends - EARLY <= self.clock():
                if self._credential is None:
                    self._credential = _credential(self.source.method)
                self._token = _obtained(self._credential, self.source.method)
            return self._token


def packed(token: str) -> bytes:
    """Return a token as the driver takes it: its length in bytes, and UTF-16 without a mark."""
    data = token.encode("utf-16-le")
    return struct.pack(f"<I{len(data)}s", len(data), data)


def _credential(method: Method) -> Any:
    try:
        identity = import_module("azure.identity")
    except ImportError as error:
        raise DatabaseError(
            "Microsoft Entra needs the package azure-identity, which is not installed.",
            hint="Install it: pip install azure-identity (it is the extra `azure`).",
        ) from error
    if method == "managed_identity":
        return identity.ManagedIdentityCredential(client_id=os.environ.get(CLIENT_ID))
    return identity.DefaultAzureCredential()


def _obtained(credential: Any, method: Method) -> Token:
    try:
        token = credential.get_token(SCOPE)
    except Exception as error:  # of the library: whatever failed, there is no token
        raise DatabaseError(
            f"Microsoft Entra gave no token for the database ({type(error).__name__}).",
            hint=_remedy(method),
        ) from error
    return Token(token.token, float(token.expires_on))


def _remedy(method: Method) -> str:
    if method == "managed_identity":
        return (
            "Run on a machine with a managed identity, and set AZURE_CLIENT_ID to its client id "
            "if it is user-assigned."
        )
    return (
        "Sign in with `az login`, or set AZURE_TENANT_ID, AZURE_CLIENT_ID and "
        "AZURE_CLIENT_SECRET, or run on a machine with a managed identity."
    )
