"""ODBC connection strings: parsed, restricted to known keywords, completed, never displayed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from moviegraph.errors import SettingsError
from moviegraph.names import closest_names

# https://learn.microsoft.com/sql/connect/odbc/dsn-connection-string-attribute
KEYWORDS = tuple(
    """
    Driver Server Database UID PWD Authentication Trusted_Connection Encrypt TrustServerCertificate
    HostNameInCertificate ServerCertificate ApplicationIntent MultiSubnetFailover Failover_Partner
    ServerSPN FailoverPartnerSPN IpAddressPreference KeepAlive KeepAliveInterval APP WSID
    ConnectRetryCount ConnectRetryInterval LongAsMax Port TDS_Version
    """.split()
)
OTHER_NAMES = {
    "addr": "Server",
    "address": "Server",
    "datasource": "Server",
    "networkaddress": "Server",
    "initialcatalog": "Database",
    "user": "UID",
    "userid": "UID",
    "username": "UID",
    "password": "PWD",
    "applicationname": "APP",
    "workstationid": "WSID",
    "integratedsecurity": "Trusted_Connection",
}
WITHOUT = {
    "dsn": "a data source could set anything: write its keywords into the string",
    "filedsn": "a data source could set anything: write its keywords into the string",
    "savefile": "it writes a file with the password",
    "marsconnection": "a connection serves one statement at a time",
    "accesstoken": "tokens are obtained by the server itself",
    "vectortypesupport": "vectors are sent as JSON text",
    "connecttimeout": "the time to log in follows from the time of the call",
    "connectiontimeout": "the time to log in follows from the time of the call",
}
# Without LongAsMax the driver declares texts over 2,000 characters as ntext, which has no way to
# VECTOR; its own reconnecting would hide a lost transaction.
FORCED = {"LongAsMax": "yes", "ConnectRetryCount": "0"}
DEFAULTS = {"Encrypt": "yes", "TrustServerCertificate": "no", "APP": "moviegraph"}
SECRET = "PWD"  # noqa: S105 (the keyword, not a password)
CHOICES = {
    "Encrypt": ("yes", "no", "mandatory", "optional", "strict", "true", "false"),
    "TrustServerCertificate": ("yes", "no"),
    "Trusted_Connection": ("yes", "no"),
    "MultiSubnetFailover": ("yes", "no"),
    "ApplicationIntent": ("ReadOnly", "ReadWrite"),
}
# A driver would end the string at NUL, and lose the keywords after it.
UNUSABLE = re.compile("[\x00\ud800-\udfff]")
NEEDS_BRACES = re.compile(r"[;{}]|^\s|\s$")


@dataclass(frozen=True, slots=True, repr=False)
class ConnectionString:
    """The keywords of a connection string in their order, each spelled as in KEYWORDS."""

    values: tuple[tuple[str, str], ...]

    def __repr__(self) -> str:
        return f"ConnectionString({', '.join(key for key, _ in self.values)})"

    def get(self, keyword: str) -> str | None:
        """Return the value of a keyword, or None."""
        return next((value for key, value in self.values if key == keyword), None)

    def replaced(self, **values: str | None) -> "ConnectionString":
        """Return the string with other values; None removes a keyword."""
        merged: dict[str, str | None] = {**dict(self.values), **values}
        return ConnectionString(tuple((k, v) for k, v in merged.items() if v is not None))

    def login(self) -> "ConnectionString":
        """Return the string for a login: always this one."""
        return self

    def text(self) -> str:
        """Return the string for the driver; it contains the password."""
        return "".join(f"{key}={_written(value)};" for key, value in self.values)

    @property
    def encrypted(self) -> bool:
        """Return whether the connection is refused when it cannot be encrypted."""
        return (self.get("Encrypt") or "").lower() in ("yes", "mandatory", "strict", "true")


def parse_connection_string(
    text: str, source: str = "The connection string", *, read_only: bool = True
) -> ConnectionString:
    """Parse a connection string, and add the keywords that the server needs.

    Args:
        text: The string, as ODBC reads it.
        source: Where it came from, for messages.
        read_only: Whether to request a read-only replica where there is one.

    Raises:
        SettingsError: It cannot be read, has an unknown keyword, or lacks one; values are not
            repeated.
    """
    require_usable(text, source)
    values: dict[str, str] = {}
    for name, value in _pairs(text, source):
        keyword = _keyword(name, source, hidden=list(values)[-1:] == [SECRET])
        if keyword in values:
            raise SettingsError(f"{source}: {keyword} appears twice.", hint="Remove one of them.")
        values[keyword] = value
    _check(values, source)
    defaults = DEFAULTS | {"ApplicationIntent": "ReadOnly" if read_only else "ReadWrite"}
    return ConnectionString(tuple((values | FORCED | (defaults | values)).items()))


def read_connection_string(path: Path, *, read_only: bool = True) -> ConnectionString:
    """Read a connection string from a file, for example one that a secret store mounts.

    Raises:
        SettingsError: The file cannot be read, or its text is no connection string.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise SettingsError(
            f"The connection string in {path} cannot be read.",
            hint="Check that the file exists, is UTF-8 text, and is readable by this user.",
        ) from error
    return parse_connection_string(
        text.strip(), f"The connection string in {path}", read_only=read_only
    )


def require_usable(text: str, source: str) -> None:
    """Raise SettingsError if a text contains a character that no driver can be given."""
    if UNUSABLE.search(text):
        raise SettingsError(
            f"{source}: it contains a NUL, or a character that is not text.",
            hint="Write it again, as UTF-8 without a NUL.",
        )


def _pairs(text: str, source: str) -> Iterator[tuple[str, str]]:
    """Yield keyword and value; a value in braces ends at a brace that is not doubled."""
    at = 0
    while at < len(text):
        name, equals, _ = text[at:].partition("=")
        if not name.strip(" ;\t\r\n"):
            if equals:
                raise SettingsError(f"{source}: a keyword is missing before =.")
            return
        if not equals or ";" in name.strip(" ;\t\r\n"):
            raise SettingsError(
                f"{source}: it is not a list of KEYWORD=value;.",
                hint="Enclose a value that contains special characters in braces: PWD={a;b}.",
            )
        value, at = _value(text, at + len(name) + 1, source)
        yield name.strip(" ;\t\r\n"), value


def _value(text: str, at: int, source: str) -> tuple[str, int]:
    """Return the value that begins at a place, and where the next keyword begins."""
    braced = re.compile(r"\s*\{((?:[^}]|\}\})*)\}\s*(;|$)").match(text, at)
    if braced is not None:
        return braced[1].replace("}}", "}"), braced.end()
    end = text.find(";", at)
    value = text[at : end if end >= 0 else len(text)].strip()
    if value.startswith("{"):
        raise SettingsError(
            f"{source}: a value starts with a brace that is not closed.",
            hint="End it with }, and double each brace inside: PWD={a}}b}.",
        )
    return value, end + 1 if end >= 0 else len(text)


def _keyword(name: str, source: str, *, hidden: bool) -> str:
    """Return the keyword in KEYWORDS; with `hidden`, the name may be part of a password."""
    plain = re.sub(r"[\s_]", "", name).lower()
    keywords = {re.sub("_", "", keyword).lower(): keyword for keyword in KEYWORDS}
    if plain in WITHOUT:
        raise SettingsError(
            f"{source}: {name} is not supported: {WITHOUT[plain]}.", hint="Remove it."
        )
    if plain in keywords:
        return keywords[plain]
    if hidden and plain not in OTHER_NAMES:
        raise SettingsError(
            f"{source}: what follows {SECRET} is not a known keyword.",
            hint="Enclose a password that contains ; in braces: PWD={a;b}.",
        )
    closest = OTHER_NAMES.get(plain) or next(
        (keywords[keyword] for keyword in closest_names(plain, keywords, 1, cutoff=0.7)), None
    )
    raise SettingsError(
        f"{source}: {name!r} is not a known keyword.",
        hint=f"ODBC calls it {closest}." if closest else f"Known are {', '.join(KEYWORDS)}.",
    )


def _check(values: dict[str, str], source: str) -> None:
    for keyword in ("Server", "Database"):
        if not values.get(keyword):
            raise SettingsError(
                f"{source}: {keyword} is missing.", hint=f"Add {keyword}=...; to it."
            )
    for keyword, allowed in CHOICES.items():
        value = values.get(keyword)
        if value is not None and value.lower() not in {choice.lower() for choice in allowed}:
            raise SettingsError(f"{source}: {keyword} is one of {', '.join(allowed)}.")
    for keyword, value in FORCED.items():
        if values.get(keyword, value).lower() != value:
            raise SettingsError(f"{source}: {keyword} must be {value}; remove it.")


def _written(value: str) -> str:
    if NEEDS_BRACES.search(value) is None:
        return value
    return "{" + value.replace("}", "}}") + "}"
