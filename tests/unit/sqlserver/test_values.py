import struct
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any, cast

import pytest

pyodbc = pytest.importorskip(
    "pyodbc", reason="libodbc is missing: install unixodbc", exc_type=ImportError
)

from moviegraph.engines.sqlserver.odbc_driver import (  # noqa: E402
    DATETIMEOFFSET,
    add_converters,
    fix_surrogates,
)


class Connection:
    """Records the values that it receives."""

    def __init__(self) -> None:
        self.converters: dict[int, Callable[[bytes | None], Any]] = {}
        self.decodings: dict[int, tuple[str, int]] = {}

    def add_output_converter(self, kind: int, convert: Callable[[bytes | None], Any]) -> None:
        self.converters[kind] = convert

    def setdecoding(self, kind: int, *, encoding: str, ctype: int) -> None:
        self.decodings[kind] = (encoding, ctype)


@pytest.fixture
def connection() -> Connection:
    connection = Connection()
    add_converters(cast("Any", connection))
    return connection


@pytest.mark.parametrize(
    ("kind", "raw", "value"),
    [
        pytest.param(
            pyodbc.SQL_WVARCHAR, "\u00e9\U0001f600".encode("utf-16-le"), "\u00e9\U0001f600"
        ),
        pytest.param(pyodbc.SQL_WLONGVARCHAR, b"", "", id="empty"),
        pytest.param(pyodbc.SQL_WVARCHAR, b"a\0\x3d\xd8", "a\ud83d", id="half a character"),
        pytest.param(pyodbc.SQL_REAL, struct.pack("<f", 1.1), 1.1, id="as it was written"),
        pytest.param(pyodbc.SQL_REAL, struct.pack("<f", 1 / 3), 0.33333334, id="all digits"),
        pytest.param(pyodbc.SQL_REAL, struct.pack("<f", 16777217.0), 16777216.0, id="large"),
        pytest.param(
            DATETIMEOFFSET,
            struct.pack("<h5HI2h", 2026, 2, 3, 4, 5, 6, 789_000_000, -3, -30),
            datetime(2026, 2, 3, 4, 5, 6, 789_000, timezone(-timedelta(hours=3, minutes=30))),
            id="moment with a zone",
        ),
    ],
)
def test_a_value_comes_as_it_is(connection: Connection, kind: int, raw: bytes, value: Any) -> None:
    assert connection.converters[kind](raw) == value


def test_null_stays_null(connection: Connection) -> None:
    assert {convert(None) for convert in connection.converters.values()} == {None}


def test_texts_of_one_byte_do_not_depend_on_the_locale(connection: Connection) -> None:
    assert connection.decodings == {pyodbc.SQL_CHAR: ("utf-16-le", pyodbc.SQL_WCHAR)}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("caf\u00e9", "caf\u00e9", id="whole"),
        pytest.param("a\ud83d", "a\ufffd", id="first half"),
        pytest.param("\ude00a", "\ufffda", id="second half"),
        pytest.param("\ud83d\ude00", "\U0001f600", id="both halves"),
        pytest.param(7, 7, id="number"),
        pytest.param(None, None, id="null"),
    ],
)
def test_no_half_of_a_character_is_left(value: Any, expected: Any) -> None:
    assert fix_surrogates(value) == expected
