"""Finds the ODBC driver, and imports pyodbc when it is first needed."""

import os
import platform
import re
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from moviegraph.engines.odbc.connection_string import ConnectionString
from moviegraph.errors import DatabaseError, SettingsError

VARIABLE = "MSSQL_ODBC_DRIVER"
INSTALLED = re.compile(r"ODBC Driver (\d+) for SQL Server")
MICROSOFT = re.compile(r"ODBC Driver \d+ for SQL Server|.*msodbcsql[^/\\]*", re.IGNORECASE)
OLDEST = 18  # the first that knows LongAsMax
PACKAGE = "mssql_python_odbc"
FAMILIES = {
    "debian_ubuntu": ("debian", "ubuntu"),
    "rhel": ("rhel", "fedora", "centos"),
    "suse": ("suse", "sles", "opensuse"),
    "alpine": ("alpine",),
}
INSTALL = (
    "Install Microsoft's ODBC Driver 18 for SQL Server (package msodbcsql18), or set "
    f"{VARIABLE} to the path of its library."
)


def import_pyodbc():  # its type is inferred: the module with its stubs
    """Import pyodbc without the pooling of the driver manager, which would hide lost connections.

    Raises:
        DatabaseError: The ODBC library is missing; the message says what to install.
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
    named = string.get("Driver")
    if named is None:
        named = find_driver(os.environ if environment is None else environment)
    found = INSTALLED.fullmatch(named)
    if found and int(found[1]) < OLDEST:
        raise DatabaseError(f"{named} is too old: long texts need version {OLDEST}.", hint=INSTALL)
    _require_readable(string, named)
    return string.replaced(Driver=named)


def _require_readable(string: ConnectionString, driver: str) -> None:
    """Raise SettingsError for a brace in a value, unless the driver is Microsoft's.

    FreeTDS ends a value at its first brace, and reads what follows as keywords of the string.
    """
    found = [key for key, value in string.values if "}" in value and key != "Driver"]
    if found and MICROSOFT.fullmatch(driver) is None:
        raise SettingsError(
            f"{found[0]} holds a closing brace, which this ODBC driver would misread.",
            hint=f"Choose a value without one. {INSTALL}",
        )


def find_driver(environment: Mapping[str, str]) -> str:
    """Return the name or the path of a driver. Raises DatabaseError if there is none."""
    found = environment.get(VARIABLE) or _installed() or packaged_driver()
    if not found:
        raise DatabaseError("No ODBC driver for SQL Server is installed.", hint=INSTALL)
    return found


def _installed() -> str | None:
    versions = {
        int(match[1]): match[0]
        for match in map(INSTALLED.fullmatch, import_pyodbc().drivers())
        if match
    }
    return versions[max(versions)] if versions and max(versions) >= OLDEST else None


def packaged_driver() -> str | None:
    """Return the path of the driver in the package mssql-python-odbc, if that is installed."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return None
    libraries = (
        Path(spec.origin).parent / "libs" / ("macos" if sys.platform == "darwin" else "linux")
    )
    machine = "arm64" if platform.machine().lower() in ("arm64", "aarch64") else "x86_64"
    found = [path for path in sorted(libraries.rglob("libmsodbcsql*")) if machine in path.parts]
    family = _family()
    found.sort(key=lambda path: family not in path.parts)
    return str(found[0]) if found else None


def _family() -> str:
    """Return for which kind of Linux the library must have been built."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return ""
    named = f"{release.get('ID', '')} {release.get('ID_LIKE', '')}".lower().split()
    for folder, members in FAMILIES.items():
        if any(name.startswith(member) for name in named for member in members):
            return folder
    return ""
