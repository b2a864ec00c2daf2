"""The ODBC drivers that tests can use, and what to install where one is missing."""

import ctypes
import importlib.util
import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

MICROSOFT = "ODBC Driver 18 for SQL Server"
NO_LIBRARY = "libodbc.so.2 is missing: install unixodbc (see CONTRIBUTING.md)"
NO_MICROSOFT = (
    "no Microsoft ODBC driver: set MSSQL_ODBC_DRIVER, or pip install -e '.[mssql-dev]' and "
    "apt-get install libkrb5-3 libgssapi-krb5-2 (see CONTRIBUTING.md)"
)
NO_FREETDS = "FreeTDS is missing: install tdsodbc (see CONTRIBUTING.md)"

Kind = Literal["microsoft", "freetds"]


@dataclass(frozen=True, slots=True)
class OdbcDriver:
    """A driver that was found, and how a connection string names it."""

    kind: Kind
    name: str

    def string(self, port: int, *, user: str = "reader", password: str = "s3cret-Pa;ss") -> str:
        """Return a connection string for a server on loopback."""
        login = f"Database=kb;UID={user};PWD={{{password}}};"
        if self.kind == "freetds":
            server = f"Server=127.0.0.1;Port={port};TDS_Version=7.4;"
        else:
            server = f"Server=tcp:127.0.0.1,{port};LongAsMax=yes;ConnectRetryCount=0;"
        return f"Driver={self.name};{server}Encrypt=no;{login}"


@dataclass(frozen=True, slots=True)
class Missing:
    """A driver that was not found, and what to install."""

    reason: str


def find_driver(kind: Kind) -> OdbcDriver | Missing:
    """Return the driver, or why there is none."""
    try:
        import pyodbc
    except ImportError:
        return Missing(NO_LIBRARY)
    names = pyodbc.drivers()
    if kind == "freetds":
        return OdbcDriver(kind, "FreeTDS") if "FreeTDS" in names else Missing(NO_FREETDS)
    if path := os.environ.get("MSSQL_ODBC_DRIVER"):
        return OdbcDriver(kind, path)
    if MICROSOFT in names:
        return OdbcDriver(kind, f"{{{MICROSOFT}}}")
    library = _packaged()
    return OdbcDriver(kind, library) if library and _loads(library) else Missing(NO_MICROSOFT)


def _loads(library: str) -> bool:
    """Return whether the library finds its dependencies, such as Kerberos."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _packaged() -> str | None:
    """Return the library in the installed package `mssql_python_odbc`."""
    spec = importlib.util.find_spec("mssql_python_odbc")
    if spec is None or spec.origin is None:
        return None
    machine = "arm64" if platform.machine() in ("aarch64", "arm64") else "x86_64"
    folder = Path(spec.origin).parent / "libs" / "linux" / "debian_ubuntu" / machine / "lib"
    return next((str(path) for path in sorted(folder.glob("libmsodbcsql*"))), None)
