"""The ODBC driver, pyodbc, and how values of the server become the Python values of a result."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from moviegraph.engines.sqlserver.connection_string import ConnectionString
from moviegraph.errors import DatabaseError, SettingsError

if TYPE_CHECKING:
    import pyodbc


VARIABLE = "MSSQL_ODBC_DRIVER"
INSTALLED = re.compile(r"ODBC Driver (\d+) for SQL Server")
MICROSOFT = re.compile(r"ODBC Driver \d+ for SQL Server|.*msodbcsql[^/\\]*", re.IGNORECASE)
MIN_VERSION = 18  # the first that knows LongAsMax
INSTALL = (
    "Install Microsoft's ODBC Driver 18 for SQL Server (package msodbcsql18), or set "
    f"{VARIABLE} to the path of its library."
)


def import_pyodbc():  # its type is inferred: the module with its stubs
    """Import pyodbc without the pooling of the driver manager, which would hide lost connections.

    Raises:
        DatabaseError: The ODBC library is missing; the message names the package.
    """
    try:
        import pyodbc
    except ImportError as error:
        raise DatabaseError(
            "The ODBC library of the system (libodbc) is missing.",
            hint="Install unixODBC: apt-get install unixodbc, dnf install unixODBC, "
            "apk add unixodbc, or brew install unixodbc.",
        ) from error
    pyodbc.pooling = False
    return pyodbc


def with_driver(
    string: ConnectionString, environment: Mapping[str, str] | None = None
) -> ConnectionString:
    """Return the string with a Driver keyword: its own, the variable's, or one that is installed.

    Raises:
        DatabaseError: There is none, or it is too old.
        SettingsError: It would misread a value.
    """
    driver = string.get("Driver")
    if driver is None:
        driver = find_driver(os.environ if environment is None else environment)
    installed = INSTALLED.fullmatch(driver)
    if installed and int(installed[1]) < MIN_VERSION:
        raise DatabaseError(
            f"{driver} is too old: long strings need version {MIN_VERSION}.", hint=INSTALL
        )
    _require_readable(string, driver)
    string = string if is_microsoft(driver) else _for_freetds(string)
    return string.replaced(Driver=driver)


def is_microsoft(driver: str) -> bool:
    """Return whether a driver, by name or path, is Microsoft's; any other counts as FreeTDS."""
    return MICROSOFT.fullmatch(driver) is not None


def _for_freetds(string: ConnectionString) -> ConnectionString:
    """Return the string with the keyword for encryption that FreeTDS knows.

    It ignores Encrypt, and would connect without encryption: `Encrypt=yes` -> `Encryption=require`.
    It never checks the certificate, which is what strict promises. Raises SettingsError for that.
    """
    wanted = (string.get("Encrypt") or "").lower()
    if wanted == "strict":
        raise SettingsError(
            "Encrypt=strict needs Microsoft's ODBC driver: FreeTDS does not check certificates.",
            hint=f"Set Encrypt=yes, or change the driver. {INSTALL}",
        )
    encryption = "require" if string.encrypted else "request" if wanted == "optional" else "off"
    return string.replaced(Encrypt=None, TrustServerCertificate=None, Encryption=encryption)


def _require_readable(string: ConnectionString, driver: str) -> None:
    """Raise SettingsError for a brace in a value, unless the driver is Microsoft's.

    FreeTDS ends a value at its first brace, and reads what follows as keywords of the string.
    """
    keywords = [key for key, value in string.values if "}" in value and key != "Driver"]
    if keywords and not is_microsoft(driver):
        raise SettingsError(
            f"{keywords[0]} contains a closing brace, which this ODBC driver would misread.",
            hint=f"Choose a value without one. {INSTALL}",
        )


def find_driver(environment: Mapping[str, str]) -> str:
    """Return the name or the path of a driver. Raises DatabaseError if there is none."""
    name = environment.get(VARIABLE) or _installed()
    if not name:
        raise DatabaseError("No ODBC driver for SQL Server is installed.", hint=INSTALL)
    return name


def _installed() -> str | None:
    versions = {
        int(match[1]): match[0]
        for match in map(INSTALLED.fullmatch, import_pyodbc().drivers())
        if match
    }
    return versions[max(versions)] if versions and max(versions) >= MIN_VERSION else None


DATETIMEOFFSET = -155
OFFSET_FIELDS = "<h5HI2h"  # SQL_SS_TIMESTAMPOFFSET_STRUCT
NANOSECONDS = 1_000
HALVES = re.compile("[\ud800-\udfff]")


def add_converters(connection: pyodbc.Connection) -> None:
    """Let a connection return the same values as the embedded engine in any locale.

    Texts are taken as UTF-16 also where a column is VARCHAR: the driver would convert those to the
    character set of the process.
    """
    pyodbc = import_pyodbc()
    connection.setdecoding(pyodbc.SQL_CHAR, encoding="utf-16-le", ctype=pyodbc.SQL_WCHAR)
    for kind in (pyodbc.SQL_WCHAR, pyodbc.SQL_WVARCHAR, pyodbc.SQL_WLONGVARCHAR):
        _convert(connection, kind, _text)
    _convert(connection, pyodbc.SQL_REAL, _single)
    _convert(connection, DATETIMEOFFSET, _moment)


def fix_surrogates(value: Any) -> Any:
    """Return a value with a mark for each half of a surrogate pair, which LEFT may leave.

    Two halves that belong together, as FOR JSON may have parted them, become one character.
    """
    if not isinstance(value, str) or value.isascii() or HALVES.search(value) is None:
        return value
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _convert(connection: pyodbc.Connection, kind: int, convert: Callable[..., Any]) -> None:
    connection.add_output_converter(kind, convert)  # pyright: ignore[reportUnknownMemberType]


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode("utf-16-le", "surrogatepass")


def _single(raw: bytes | None) -> float | None:
    """Return a REAL as the shortest number that is the same in single precision."""
    if raw is None:
        return None
    import numpy as np  # a server starts without it

    return float(str(np.frombuffer(raw, dtype="<f4")[0]))


def _moment(raw: bytes | None) -> datetime | None:
    if raw is None:
        return None
    year, month, day, hour, minute, second, fraction, hours, minutes = struct.unpack(
        OFFSET_FIELDS, raw
    )
    zone = timezone(timedelta(hours=hours, minutes=minutes))
    return datetime(year, month, day, hour, minute, second, fraction // NANOSECONDS, zone)
