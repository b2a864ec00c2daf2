"""The tokens of an answer ([MS-TDS] 2.2.7)."""

import struct
from collections.abc import Sequence
from typing import Any

from fakes.tds.types import COLLATION, INT, Column

SERVER_NAME = "scripted-host"  # part of every message token, and never to be seen by a model

ERROR, INFO = 0xAA, 0xAB
DONE, DONE_PROCEDURE, DONE_IN_PROCEDURE = 0xFD, 0xFE, 0xFF
MORE, FAILED, COUNTED, ATTENTION = 0x01, 0x02, 0x10, 0x20
BEGAN, COMMITTED, ROLLED_BACK = 8, 9, 10
SELECT, INSERT, EXECUTE = 0xC1, 0xC3, 0xE0
NULLABLE = 0x0009


def short_text(text: str) -> bytes:
    """Text with its length in one byte."""
    data = text.encode("utf-16-le")
    return struct.pack("B", len(data) // 2) + data


def long_text(text: str) -> bytes:
    """Text with its length in two bytes."""
    data = text.encode("utf-16-le")
    return struct.pack("<H", len(data) // 2) + data


def message(token: int, number: int, text: str, *, severity: int, state: int) -> bytes:
    """An error, or a message for information."""
    body = struct.pack("<iBB", number, state, severity) + long_text(text)
    body += short_text(SERVER_NAME) + short_text("") + struct.pack("<I", 1)
    return bytes([token]) + struct.pack("<H", len(body)) + body


def done(token: int = DONE, status: int = 0, count: int = 0, command: int = SELECT) -> bytes:
    """The end of a statement, of a statement in a procedure, or of a procedure."""
    return bytes([token]) + struct.pack("<HHQ", status, command, count)


def metadata(columns: Sequence[Column]) -> bytes:
    """The columns of the rows to come."""
    data = b"\x81" + struct.pack("<H", len(columns))
    for name, kind in columns:
        data += struct.pack("<IH", 0, NULLABLE) + kind.info + short_text(name)
    return data


def row(columns: Sequence[Column], values: Sequence[Any]) -> bytes:
    """One row."""
    pairs = zip(columns, values, strict=True)
    return b"\xd1" + b"".join(kind.cell(value) for (_, kind), value in pairs)


def procedure_result(handle: int | None) -> bytes:
    """The return status of a procedure, and the statement handle that it gives back."""
    status = b"\x79" + struct.pack("<i", 0)
    if handle is None:
        return status
    value = b"\xac" + struct.pack("<H", 0) + short_text("") + b"\x01" + struct.pack("<IH", 0, 0)
    return status + value + INT.info + INT.cell(handle)


def _environment_change(kind: int, body: bytes) -> bytes:
    body = bytes([kind]) + body
    return b"\xe3" + struct.pack("<H", len(body)) + body


def changed_text(kind: int, new: str, old: str) -> bytes:
    """Return a change of the environment with text values."""
    return _environment_change(kind, short_text(new) + short_text(old))


def changed_bytes(kind: int, new: bytes, old: bytes = b"") -> bytes:
    """Return a change of the environment with binary values, such as a transaction's descriptor."""
    return _environment_change(kind, bytes([len(new)]) + new + bytes([len(old)]) + old)


def changed_collation() -> bytes:
    """The collation of the database."""
    return changed_bytes(7, COLLATION)
