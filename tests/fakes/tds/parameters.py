"""The parameters of a remote procedure call: their types and values, as sent ([MS-TDS] 2.2.6.6)."""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

NULL_PIECES = 0xFFFFFFFFFFFFFFFF
FIXED = {0x30: 1, 0x32: 1, 0x34: 2, 0x38: 4, 0x7F: 8, 0x3E: 8}
SIZED = {0x26: "int", 0x68: "bit", 0x6D: "float", 0x24: "uniqueidentifier", 0x6F: "datetime"}
SCALED = {0x29: "time", 0x2A: "datetime2", 0x2B: "datetimeoffset"}
NUMERIC = {0x6A: "decimal", 0x6C: "numeric"}
WIDE = {0xE7: "nvarchar", 0xEF: "nchar", 0xA7: "varchar", 0xAF: "char"}
BYTES = {0xA5: "varbinary", 0xAD: "binary"}
LONG = {0x63: "ntext", 0x23: "text", 0x22: "image"}
INTEGERS = {1: "tinyint", 2: "smallint", 4: "int", 8: "bigint"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter as it came: name, type on the wire, value."""

    name: str
    type: str
    value: Any


class Reader:
    """Reads forward through the bytes of a request."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def is_exhausted(self) -> bool:
        """Return whether all data is read."""
        return self._at >= len(self._data)

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        data = self._data[self._at : self._at + size]
        if len(data) < size:
            raise ValueError("the request ends in the middle of a value")
        self._at += size
        return data

    def number(self, size: int) -> int:
        """Return the next unsigned number."""
        return int.from_bytes(self.take(size), "little")

    def text(self, characters: int) -> str:
        """Return the next characters."""
        return self.take(2 * characters).decode("utf-16-le")

    def parameter(self) -> Parameter:
        """Return the next parameter."""
        name = self.text(self.number(1))
        self.take(1)
        kind, value = self._typed()
        return Parameter(name, kind, value)

    def _typed(self) -> tuple[str, Any]:
        code = self.number(1)
        families: tuple[tuple[Any, Callable[[int], tuple[str, Any]]], ...] = (
            (FIXED, self._fixed),
            (SIZED, self._sized),
            (SCALED, self._scaled),
            (NUMERIC, self._numeric),
            ({0x28}, self._date),
            (WIDE, self._characters),
            (BYTES, self._bytes),
            (LONG, self._long),
        )
        for codes, read_value in families:
            if code in codes:
                return read_value(code)
        raise ValueError(f"a parameter of the unknown type {code:#x}")

    def _fixed(self, code: int) -> tuple[str, Any]:
        return self._value(SIZED.get(code, "int"), self.take(FIXED[code]))

    def _sized(self, code: int) -> tuple[str, Any]:
        size = self.number(1)
        name = INTEGERS[size] if code == 0x26 else SIZED[code]
        return self._value(name, self.take(self.number(1)))

    def _scaled(self, code: int) -> tuple[str, Any]:
        return f"{SCALED[code]}({self.number(1)})", self._or_null(self.take(self.number(1)))

    def _date(self, _code: int) -> tuple[str, Any]:
        return "date", self._or_null(self.take(self.number(1)))

    def _numeric(self, code: int) -> tuple[str, Any]:
        _, precision, scale = self.take(3)
        return f"{NUMERIC[code]}({precision},{scale})", self._or_null(self.take(self.number(1)))

    def _characters(self, code: int) -> tuple[str, Any]:
        size = self.number(2)
        self.take(5)
        unit, encoding = (2, "utf-16-le") if code in (0xE7, 0xEF) else (1, "cp1252")
        kind, data = self._read_counted(WIDE[code], size, unit)
        return kind, None if data is None else data.decode(encoding)

    def _bytes(self, code: int) -> tuple[str, Any]:
        return self._read_counted(BYTES[code], self.number(2), 1)

    def _read_counted(self, name: str, size: int, unit: int) -> tuple[str, bytes | None]:
        if size == 0xFFFF:
            return f"{name}(max)", self._pieces()
        length = self.number(2)
        return f"{name}({size // unit})", None if length == 0xFFFF else self.take(length)

    def _long(self, code: int) -> tuple[str, Any]:
        self.take(4)
        if code != 0x22:
            self.take(5)
        length = self.number(4)
        if length == 0xFFFFFFFF:
            return LONG[code], None
        data = self.take(length)
        return LONG[code], data if code == 0x22 else data.decode(
            "utf-16-le" if code == 0x63 else "cp1252"
        )

    def _pieces(self) -> bytes | None:
        if self.number(8) == NULL_PIECES:
            return None
        data = b""
        while size := self.number(4):
            data += self.take(size)
        return data

    def _or_null(self, data: bytes) -> bytes | None:
        return data or None

    def _value(self, name: str, data: bytes) -> tuple[str, Any]:
        if not data:
            return name, None
        if name == "float":
            return name, struct.unpack("<d" if len(data) == 8 else "<f", data)[0]
        if name == "bit":
            return name, bool(data[0])
        if name in INTEGERS.values():
            return name, int.from_bytes(data, "little", signed=True)
        return name, data
