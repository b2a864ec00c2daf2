"""Encoding of column values ([MS-TDS] 2.2.5.4 to 2.2.5.6)."""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

COLLATION = b"\x09\x04\xd0\x00\x34"
DAY_ONE = date(1, 1, 1)
PIECE = 4000


@dataclass(frozen=True, slots=True)
class SqlType:
    """A type: how it is declared, how a value is written, and how the lack of one is."""

    name: str
    info: bytes
    encode: Callable[[Any], bytes]
    null: bytes = b"\0"

    def cell(self, value: Any) -> bytes:
        """One value on the wire."""
        return self.null if value is None else self.encode(value)


Column = tuple[str, SqlType]


def _sized(data: bytes) -> bytes:
    return bytes([len(data)]) + data


def _integer(size: int) -> Callable[[int], bytes]:
    return lambda value: _sized(value.to_bytes(size, "little", signed=True))


def _short(value: str) -> bytes:
    data = value.encode("utf-16-le", "surrogatepass")
    return struct.pack("<H", len(data)) + data


def _in_pieces(value: str) -> bytes:
    data = value.encode("utf-16-le", "surrogatepass")
    starts = range(0, len(data), PIECE)
    pieces = [
        struct.pack("<I", len(data[at : at + PIECE])) + data[at : at + PIECE] for at in starts
    ]
    return struct.pack("<Q", len(data)) + b"".join(pieces) + struct.pack("<I", 0)


def _days(value: date) -> bytes:
    return (value - DAY_ONE).days.to_bytes(3, "little")


def _datetime(value: datetime) -> bytes:
    seconds = value.hour * 3600 + value.minute * 60 + value.second
    ticks = (seconds * 1_000_000 + value.microsecond) * 10
    return _sized(ticks.to_bytes(5, "little") + _days(value.date()))


def _fixed_point(scale: int) -> Callable[[Decimal], bytes]:
    def encode(value: Decimal) -> bytes:
        digits = abs(int(value.scaleb(scale)))
        return _sized(bytes([value >= 0]) + digits.to_bytes(16, "little"))

    return encode


TINYINT = SqlType("tinyint", b"\x26\x01", lambda value: _sized(bytes([value])))
SMALLINT = SqlType("smallint", b"\x26\x02", _integer(2))
INT = SqlType("int", b"\x26\x04", _integer(4))
BIGINT = SqlType("bigint", b"\x26\x08", _integer(8))
BIT = SqlType("bit", b"\x68\x01", lambda value: _sized(bytes([bool(value)])))
FLOAT = SqlType("float", b"\x6d\x08", lambda value: _sized(struct.pack("<d", value)))
DATE = SqlType("date", b"\x28", lambda value: _sized(_days(value)))
DATETIME2 = SqlType("datetime2", b"\x2a\x07", _datetime)
NVARCHAR = SqlType("nvarchar", b"\xe7" + struct.pack("<H", 8000) + COLLATION, _short, b"\xff\xff")
NVARCHAR_MAX = SqlType("nvarchar(max)", b"\xe7\xff\xff" + COLLATION, _in_pieces, b"\xff" * 8)


def decimal(precision: int, scale: int) -> SqlType:
    """A number with that many digits, of which `scale` follow the point."""
    name = f"decimal({precision},{scale})"
    return SqlType(name, b"\x6a\x11" + bytes([precision, scale]), _fixed_point(scale))
