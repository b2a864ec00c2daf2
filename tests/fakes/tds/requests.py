"""Requests of a client as calls: batches, procedures by number and by name, transactions."""

import struct
from dataclasses import dataclass
from typing import Literal

from fakes.tds.parameters import Parameter, Reader

PROCEDURES = {
    10: "sp_executesql",
    11: "sp_prepare",
    12: "sp_execute",
    13: "sp_prepexec",
    15: "sp_unprepare",
}
TRANSACTIONS: dict[int, Literal["begin", "commit", "rollback"]] = {
    5: "begin",
    7: "commit",
    8: "rollback",
}


@dataclass(frozen=True, slots=True)
class Procedure:
    """A remote procedure call: its name and parameters."""

    name: str
    parameters: tuple[Parameter, ...]


def parse_batch(payload: bytes) -> str:
    """Return the text of a batch."""
    return _body(payload).decode("utf-16-le")


def parse_procedure(payload: bytes) -> Procedure:
    """Return the procedure that is called."""
    reader = Reader(_body(payload))
    size = reader.number(2)
    name = (
        reader.text(size)
        if size != 0xFFFF
        else PROCEDURES.get(number := reader.number(2), str(number))
    )
    reader.take(2)
    parameters: list[Parameter] = []
    while not reader.is_exhausted:
        parameters.append(reader.parameter())
    return Procedure(name, tuple(parameters))


def parse_transaction(payload: bytes) -> Literal["begin", "commit", "rollback", "other"]:
    """Return the requested transaction operation."""
    (request,) = struct.unpack("<H", _body(payload)[:2])
    return TRANSACTIONS.get(request, "other")


def _body(payload: bytes) -> bytes:
    (headers,) = struct.unpack("<I", payload[:4])
    return payload[headers:]
