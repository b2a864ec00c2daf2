"""Who logs in to the server: the connection string's own user, or an identity of Microsoft Entra.

Everything is read again for each connection: a password or token that was changed counts at once.
"""

import os
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from moviegraph.engines.sqlserver.connection_string import (
    ConnectionString,
    parse_connection_string,
    read_connection_string,
    require_usable,
)
from moviegraph.engines.sqlserver.odbc_driver import with_driver
from moviegraph.errors import DatabaseError, SettingsError

Method = Literal["string", "entra", "managed_identity"]
# https://learn.microsoft.com/sql/connect/odbc/using-azure-active-directory
ACCESS_TOKEN = 1256
SCOPE = "https://database.windows.net/.default"
EARLY = 300.0  # seconds before it expires at which a token counts as used up
PASSWORDLESS = ("UID", "PWD", "Authentication", "Trusted_Connection")
EXAMPLE = "Server=tcp:HOST,1433;Database=NAME;UID=USER;PWD=PASSWORD;"
# The values of Authentication that the driver completes without a person, and what each needs.
SUPPORTED = {
    "sqlpassword": ("UID", "PWD"),
    "activedirectorypassword": ("UID", "PWD"),
    "activedirectoryserviceprincipal": ("UID", "PWD"),
    "activedirectorymsi": (),
    "activedirectoryintegrated": (),
}
INTERACTIVE = ("activedirectoryinteractive", "activedirectorydevicecodeflow")
REMEDIES = {
    "managed_identity": "Run on a machine with a managed identity, and set AZURE_CLIENT_ID to its "
    "client id if it is user-assigned.",
    "entra": "Sign in with `az login`, or set AZURE_TENANT_ID, AZURE_CLIENT_ID and "
    "AZURE_CLIENT_SECRET, or run on a machine with a managed identity.",
}


@dataclass(frozen=True, slots=True, repr=False)
class LoginSource:
    """Where the parts of a login are.

    Attributes:
        variable: The variable of the connection string; those of the other parts begin with it.
        text: The connection string.
        file: A file that holds it instead.
        password: The password, where the string has none.
        password_file: A file that holds it instead.
        method: Whether the string or a token identifies the login.
        read_only: Whether to request a read-only replica where there is one.
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
        """Return the connection string, with the password in it.

        Raises:
            SettingsError: A part is missing, cannot be read, or contradicts a different one.
        """
        string = self._without_password()
        password = self._password()
        if password is not None:
            string = self._with_password(string, password)
        self._require_one_login(string)
        return string

    def _without_password(self) -> ConnectionString:
        if self.file is not None and self.text is not None:
            raise self._both("", "_FILE")
        if self.file is not None:
            return read_connection_string(self.file, read_only=self.read_only)
        if self.text is None:
            raise SettingsError(
                f"{self.variable} is not set: there is no SQL Server to connect to.",
                hint=f"Set it to an ODBC connection string, such as {EXAMPLE}, or "
                f"{self.variable}_FILE to a file that contains one.",
            )
        return parse_connection_string(self.text, self.variable, read_only=self.read_only)

    def _password(self) -> str | None:
        if self.password_file is None:
            return self.password
        if self.password is not None:
            raise self._both("_PASSWORD", "_PASSWORD_FILE")
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

    def _both(self, name: str, file: str) -> SettingsError:
        text = f"{self.variable}{name} and {self.variable}{file} are both set."
        return SettingsError(text, hint="Remove one of them.")

    def _with_password(self, string: ConnectionString, password: str) -> ConnectionString:
        require_usable(password, f"The password for {self.variable}")
        if string.get("PWD") is not None:
            raise SettingsError(
                f"{self.variable} has a PWD, and a password is also set separately.",
                hint="Remove one of them.",
            )
        if string.get("UID") is None:
            raise SettingsError(
                f"A password is set, and {self.variable} has no UID.",
                hint="Add UID=USER; to it.",
            )
        return string.replaced(PWD=password)

    def _require_one_login(self, string: ConnectionString) -> None:
        """Raise SettingsError unless exactly one login is specified."""
        authentication = string.get("Authentication")
        if self.method != "string":
            self._require_no_login(string)
        elif authentication is not None:
            self._require(string, *self._needed(authentication))
        elif (string.get("Trusted_Connection") or "no").lower() != "yes":
            self._require(string, "UID", "PWD")

    def _require_no_login(self, string: ConnectionString) -> None:
        keywords = [keyword for keyword in PASSWORDLESS if string.get(keyword) is not None]
        if keywords:
            setting = f"{self.variable}_AUTHENTICATION"
            raise SettingsError(
                f"{setting} is {self.method}, and {self.variable} also has {keywords[0]}: a token "
                "already identifies the login.",
                hint=f"Take {', '.join(keywords)} out of {self.variable}, or set {setting}=string.",
            )

    def _needed(self, authentication: str) -> tuple[str, ...]:
        """Return the keywords that a value of Authentication needs."""
        value = authentication.lower()
        if value not in SUPPORTED:
            reason = (
                "it prompts a person"
                if value in INTERACTIVE
                else "the ODBC driver does not support it"
            )
            raise SettingsError(
                f"{self.variable}: Authentication={authentication} cannot be used: {reason}.",
                hint=f"Leave it out and set {self.variable}_AUTHENTICATION=entra, or write "
                "Authentication=ActiveDirectoryMsi or ActiveDirectoryServicePrincipal.",
            )
        return SUPPORTED[value]

    def _require(self, string: ConnectionString, *keywords: str) -> None:
        missing = [keyword for keyword in keywords if string.get(keyword) is None]
        if missing:
            raise SettingsError(
                f"{self.variable} does not specify a login: {' and '.join(missing)} missing.",
                hint=f"Add UID and PWD, or store the password in {self.variable}_PASSWORD_FILE, or "
                f"set {self.variable}_AUTHENTICATION=entra for Microsoft Entra.",
            )


@dataclass(slots=True, repr=False)
class Authentication:
    """Makes the login of each connection; safe to call from several threads."""

    source: LoginSource
    clock: Callable[[], float] = time.time
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _credential: Any = None
    _token: Any = None
    _first: ConnectionString | None = None

    def login(self) -> ConnectionString:
        """Return the connection string for the driver, with the driver and the password in it.

        Raises:
            SettingsError: The settings are missing, contradict each other, or changed in more
                than the password: the new login was not checked.
            DatabaseError: There is no driver.
        """
        string = self.source.string()
        identity = string.replaced(PWD=None)
        with self._lock:
            self._first = self._first or identity
        if self._first != identity:
            raise SettingsError(
                f"{self.source.variable} has changed in more than the password since the start.",
                hint="Restart, so that server, database and principal are checked again.",
            )
        return with_driver(string)

    def attributes(self) -> dict[int, bytes]:
        """Return the attributes to set before connecting: a token, or none.

        A token is cached until shortly before it expires: not every credential of azure-identity
        caches its own.

        Raises:
            DatabaseError: No token can be obtained; the message names the fix.
        """
        if self.source.method == "string":
            return {}
        with self._lock:
            if self._token is None or self._token.expires_on - EARLY <= self.clock():
                if self._credential is None:
                    self._credential = _credential(self.source.method)
                self._token = _new_token(self._credential, self.source.method)
            return {ACCESS_TOKEN: _packed(self._token.token)}


def _packed(token: str) -> bytes:
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
        return identity.ManagedIdentityCredential(client_id=os.environ.get("AZURE_CLIENT_ID"))
    return identity.DefaultAzureCredential()


def _new_token(credential: Any, method: Method) -> Any:
    try:
        return credential.get_token(SCOPE)
    except Exception as error:  # of the library: whatever failed, there is no token
        raise DatabaseError(
            f"Microsoft Entra gave no token for the database ({type(error).__name__}).",
            hint=REMEDIES[method],
        ) from error
