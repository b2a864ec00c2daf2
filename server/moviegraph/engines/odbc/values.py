"""How values of the server become the Python values of a result set."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from moviegraph.engines.odbc.driver import import_pyodbc

if TYPE_CHECKING:
    import pyodbc

DATETIMEOFFSET = -155
OFFSET_FIELDS = "<h5HI2h"  # SQL_SS_TIMESTAMPOFFSET_STRUCT
NANOSECONDS = 1_000
HALVES = re.compile("[\ud800-\udfff]")


def add_converters(connection: pyodbc.Connection) -> None:
    """Let a connection give the same values as the embedded engine, whatever the locale is.

    Texts are taken as UTF-16 also where a column is VARCHAR: the driver would convert those to the
    character set of the process.
    """
    pyodbc = import_pyodbc()
    connection.setdecoding(pyodbc.SQL_CHAR, encoding="utf-16-le", ctype=pyodbc.SQL_WCHAR)
    for kind in (pyodbc.SQL_WCHAR, pyodbc.SQL_WVARCHAR, pyodbc.SQL_WLONGVARCHAR):
        _convert(connection, kind, _text)
    _convert(connection, pyodbc.SQL_REAL, _single)
    _convert(connection, DATETIMEOFFSET, _moment)


def mended(value: Any) -> Any:
    """Return a value with a mark for each half of a surrogate pair, which LEFT may leave behind.

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
    (value,) = struct.unpack("<f", raw)
    for digits in (6, 7, 8):
        short = float(f"{value:.{digits}g}")
        if struct.pack("<f", short) == raw:
            return short
    return value


def _moment(raw: bytes | None) -> datetime | None:
    if raw is None:
        return None
    year, month, day, hour, minute, second, fraction, hours, minutes = struct.unpack(
        OFFSET_FIELDS, raw
    )
    zone = timezone(timedelta(hours=hours, minutes=minutes))
    return datetime(year, month, day, hour, minute, second, fraction // NANOSECONDS, zone)
