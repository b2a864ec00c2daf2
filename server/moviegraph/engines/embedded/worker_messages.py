"""What a server and its worker processes tell each other: frames of JSON and bytes over a pipe.

A frame is the lengths of both parts, then the parts. Values are plain data; decoding makes nothing
but the classes named here.
"""

import json
import math
import struct
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, BinaryIO, cast

import numpy as np

from moviegraph.engines.base import ResultSet
from moviegraph.engines.duckdb.plan import (
    AlongNeed,
    DistanceNeed,
    NodesNeed,
    Passed,
    PathHop,
    PathNeed,
    SearchNeed,
    StatementPlan,
)
from moviegraph.engines.embedded.graph_files import GraphFiles, StoredNodes
from moviegraph.engines.embedded.plan_runner import Request, Result
from moviegraph.errors import ExecutionError, GraphError, MoviegraphError, ResultTooLargeError
from moviegraph.sql.contains import AllOf, AnyOf, Near, Phrase, Weighted

Items = Iterable[Any]
LENGTHS = struct.Struct(">II")
RECORDS = {
    record.__name__: record
    for record in (
        *(AlongNeed, DistanceNeed, NodesNeed, Passed, PathHop, PathNeed, SearchNeed),
        *(StatementPlan, AllOf, AnyOf, Near, Phrase, Weighted, GraphFiles, StoredNodes),
    )
}
ERRORS = {error.__name__: error for error in (ExecutionError, GraphError, ResultTooLargeError)}
KIND = "is"
SECONDS = "seconds"
READERS: dict[str, Callable[[str], Any]] = {
    "Decimal": Decimal,
    "bytes": bytes.fromhex,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "float": float,
    "time": time.fromisoformat,
    "timedelta": lambda text: timedelta(microseconds=int(text)),
}
PLAIN = (str, bool, int)


def write_frame(pipe: BinaryIO, message: Any, content: bytes = b"") -> None:
    """Write one frame. Raises OSError where the other end is closed."""
    text = json.dumps(message, separators=(",", ":")).encode()
    pipe.write(LENGTHS.pack(len(text), len(content)) + text + content)
    pipe.flush()


def read_frame(pipe: BinaryIO) -> tuple[Any, bytes]:
    """Read one frame. Raises EOFError where the other end is closed, in the middle too."""
    text_length, content_length = LENGTHS.unpack(_read(pipe, LENGTHS.size))
    text = _read(pipe, text_length)
    return json.loads(text), _read(pipe, content_length)


def _read(pipe: BinaryIO, length: int) -> bytes:
    content = pipe.read(length) if length else b""
    if len(content) < length:
        raise EOFError
    return content


def to_plain(value: Any) -> Any:
    """Return plans and files as plain data."""
    if is_dataclass(value) and not isinstance(value, type):
        record = {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
        return {KIND: type(value).__name__, **record}
    return [to_plain(item) for item in cast("Items", value)] if isinstance(value, tuple) else value


def from_plain(value: Any) -> Any:
    """Return what `to_plain` was given. Raises KeyError for a class that is not named above."""
    if isinstance(value, dict):
        record = cast("dict[str, Any]", value)
        members = {name: from_plain(item) for name, item in record.items()}
        return RECORDS[members.pop(KIND)](**members)
    if isinstance(value, list):
        return tuple(from_plain(item) for item in cast("Items", value))
    return value


def request_frame(request: Request, number: int, seconds: float) -> tuple[Any, bytes]:
    """Return the frame of a request that may run for some seconds."""
    vector = request.vector
    message = {
        "run": number,
        SECONDS: seconds,
        "action": request.action,
        "plan": to_plain(request.plan),
        "columns": request.columns,
        "json": request.json,
        "rows": request.rows,
        "bytes": request.bytes,
        "cell": request.cell,
        "values": dict(request.values),
    }
    return message, b"" if vector is None else np.asarray(vector, dtype=np.float32).tobytes()


def read_request(message: dict[str, Any], content: bytes) -> Request:
    """Return the request of a frame."""
    return Request(
        action=message["action"],
        plan=from_plain(message["plan"]),
        columns=tuple(message["columns"]),
        json=message["json"],
        rows=message["rows"],
        bytes=message["bytes"],
        cell=message["cell"],
        vector=np.frombuffer(content, dtype=np.float32) if content else None,
        values=message["values"],
    )


def result_frame(result: Result) -> tuple[dict[str, Any], bytes]:
    """Return the frame of a result."""
    if result is None:
        return {}, b""
    if isinstance(result, ResultSet):
        beyond = result.next_row
        return {
            "columns": result.columns,
            "rows": [list(map(_cell, row)) for row in result.rows],
            "truncated": result.truncated,
            "next_row": None if beyond is None else list(map(_cell, beyond)),
        }, b""
    return {"ids": result.shape}, result.astype(np.int64).tobytes()


def read_result(message: dict[str, Any], content: bytes) -> Result:
    """Return the result of a frame, or raise the error that it tells."""
    if "error" in message:
        raise _error(message["error"])
    if "ids" in message:
        return np.frombuffer(content, dtype=np.int64).reshape(message["ids"])
    if "rows" not in message:
        return None
    beyond = message["next_row"]
    return ResultSet(
        tuple(message["columns"]),
        [tuple(map(_value, row)) for row in message["rows"]],
        message["truncated"],
        None if beyond is None else tuple(map(_value, beyond)),
    )


def error_frame(error: MoviegraphError) -> dict[str, Any]:
    """Return the frame of an error that a statement ended with."""
    kind = next((name for name, cls in ERRORS.items() if isinstance(error, cls)), "ExecutionError")
    return {"error": [kind, error.message, error.code, error.hint]}


def _error(record: list[str]) -> MoviegraphError:
    kind, message, code, hint = record
    return ERRORS[kind](message, code=code, hint=hint)


def _cell(value: Any) -> Any:
    """Return a cell as JSON: itself, or the name of its type and its text."""
    if value is None or isinstance(value, PLAIN):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else ["float", repr(value)]
    if isinstance(value, timedelta):
        return ["timedelta", str(value // timedelta(microseconds=1))]
    if isinstance(value, date | time):
        return [type(value).__name__, value.isoformat()]
    if isinstance(value, bytes):
        return ["bytes", value.hex()]
    if isinstance(value, Decimal):
        return ["Decimal", str(value)]
    raise TypeError(type(value).__name__)


def _value(cell: Any) -> Any:
    if isinstance(cell, list):
        kind, text = cast("list[str]", cell)
        return READERS[kind](text)
    return cell
