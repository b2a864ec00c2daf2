"""The types of columns: their names on both engines, and the values that they store."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation, localcontext
from functools import cache
from typing import Any, Literal

from moviegraph.errors import ContractError

MAX_ID = 2**53 - 1
"""The largest key of a node: so far a number of JSON is exact in every client."""

MAX = 2**31
"""The characters of NVARCHAR(MAX) and JSON, in UTF-16 units."""

MAX_KEY_CHARS = 450
"""Of a source key: SQL Server indexes no longer text in a unique index that it documents."""

MAX_CHARS = 4000
MAX_DIGITS = 38
MAX_SHOWN_CHARS = 40
EXPECTED = (
    "INT, BIGINT, FLOAT, DECIMAL(p,s), BIT, DATE, DATETIME2, NVARCHAR(n) of at most "
    f"{MAX_CHARS}, NVARCHAR(MAX), JSON or VECTOR"
)
SIZED = ("NVARCHAR", "DECIMAL")
FORM = re.compile(r"(NVARCHAR|DECIMAL)\(([0-9]{1,4})(?:, ?([0-9]{1,2}))?\)")
BEYOND_MICROSECONDS = re.compile(r"\.\d{6}\d*[1-9]")
Problem = Literal["wrong type", "out of range", "too long", "NUL", "lone surrogate"]


class UnfitValueError(ValueError):
    """A value that a column cannot store; the message continues "the field x ..."."""

    def __init__(self, problem: Problem, message: str) -> None:
        super().__init__(message)
        self.problem: Problem = problem
        self.message = message


@dataclass(frozen=True, slots=True)
class ColumnType:
    """A type as a contract states it.

    Attributes:
        name: INT, BIGINT, FLOAT, DECIMAL, BIT, DATE, DATETIME2, NVARCHAR, JSON or VECTOR.
        max_chars: Of a text, in UTF-16 units, as SQL Server counts them.
        precision: All digits of a DECIMAL.
        scale: Its digits after the point.
    """

    name: str
    max_chars: int = 0
    precision: int = 0
    scale: int = 0

    @property
    def is_text(self) -> bool:
        """Whether the column contains text, such as that of JSON."""
        return self.name in ("NVARCHAR", "JSON")

    @property
    def sql_server(self) -> str:
        """The type in T-SQL; VECTOR takes its dimensions there."""
        if self.name == "DECIMAL":
            return f"DECIMAL({self.precision}, {self.scale})"
        if self.is_text:
            return "NVARCHAR(MAX)" if self.max_chars == MAX else f"NVARCHAR({self.max_chars})"
        return self.name

    @property
    def server_names(self) -> tuple[str, ...]:
        """The names that SQL Server's catalog has for the type."""
        return SERVER_NAMES.get(self.name, (self.name.lower(),))

    @property
    def duckdb(self) -> str:
        """The type on the embedded engine; a vector takes its dimensions there."""
        if self.name == "DECIMAL":
            return f"DECIMAL({self.precision}, {self.scale})"
        return DUCKDB[self.name]

    def stored_value(self, value: Any) -> Any:
        """Return a value in the form in which both engines take it; dates and decimals as text.

        Raises:
            UnfitValueError: A column of this type cannot store it as it is.
        """
        return READERS[self.name](self, value)


DUCKDB = {
    "INT": "INTEGER",
    "BIGINT": "BIGINT",
    "FLOAT": "DOUBLE",
    "BIT": "BOOLEAN",
    "DATE": "DATE",
    "DATETIME2": "TIMESTAMP",  # to the microsecond, and SQL Server's to a tenth of it
    "NVARCHAR": "VARCHAR",
    "JSON": "VARCHAR",
    "VECTOR": "FLOAT",
}
SERVER_NAMES = {"DECIMAL": ("decimal", "numeric"), "JSON": ("nvarchar",)}
BITS = {"INT": 31, "BIGINT": 63}


@cache
def column_type(text: str) -> ColumnType:
    """Return the type that a text states, such as NVARCHAR(200) or DECIMAL(10, 2).

    Raises:
        ContractError: It states none.
    """
    if text in DUCKDB and text not in SIZED:
        return ColumnType(text, max_chars=MAX if text == "JSON" else 0)
    if text == "NVARCHAR(MAX)":
        return ColumnType("NVARCHAR", max_chars=MAX)
    if match := FORM.fullmatch(text):
        name, size, scale = match[1], int(match[2]), match[3]
        if name == "NVARCHAR" and scale is None and 1 <= size <= MAX_CHARS:
            return ColumnType(name, max_chars=size)
        if name == "DECIMAL" and scale and int(scale) <= size and 1 <= size <= MAX_DIGITS:
            return ColumnType(name, precision=size, scale=int(scale))
    raise ContractError(f"{text!r} is not {EXPECTED}")


def text_value(value: Any, max_chars: int) -> str:
    """Return a text that SQL Server and SQLite can both store.

    Raises:
        UnfitValueError: It is no text, or contains what one of them cannot store.
    """
    if not isinstance(value, str):
        raise _wrong(value, "text")
    if "\0" in value:
        raise UnfitValueError("NUL", "contains a NUL character")
    units = len(value)
    if not value.isascii():
        try:
            units = len(value.encode("utf-16-le")) // 2
        except UnicodeEncodeError:
            raise UnfitValueError("lone surrogate", "contains half a surrogate pair") from None
    if units > max_chars:
        raise UnfitValueError("too long", f"has {units} characters; the maximum is {max_chars}")
    return value


def _text(kind: ColumnType, value: Any) -> str:
    return text_value(value, kind.max_chars)


def _integer(kind: ColumnType, value: Any) -> int:
    if isinstance(value, float | Decimal) and value == value // 1:
        value = int(value)  # exports of columns with gaps write 1999.0
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(value, "a whole number")
    bits = BITS[kind.name]
    if not -(2**bits) <= value < 2**bits:
        raise _out_of_range(value)
    return value


def _float(_: ColumnType, value: Any) -> float:
    if not isinstance(value, int | float | Decimal) or isinstance(value, bool):
        raise _wrong(value, "a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _out_of_range(value)
    return number


def _decimal(kind: ColumnType, value: Any) -> str:
    """Return the digits of an exact number, which JSON may hold as a text."""
    try:
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    except (InvalidOperation, TypeError, ValueError):
        raise _wrong(value, "a decimal number") from None
    if isinstance(value, bool) or not number.is_finite():
        raise _wrong(value, "a decimal number")
    with localcontext(prec=2 * MAX_DIGITS):
        if abs(number) >= Decimal(10) ** (kind.precision - kind.scale):
            raise _out_of_range(value)
        rounded = number.quantize(Decimal(1).scaleb(-kind.scale))
    if rounded != number:
        places = f"{kind.scale} digits after the point"
        raise UnfitValueError("out of range", f"is {shown_value(value)}, of more than {places}")
    return format(rounded, "f")


def _bit(_: ColumnType, value: Any) -> bool:
    if not isinstance(value, bool) and value not in (0, 1):
        raise _wrong(value, "true or false")
    return bool(value)


def _date(_: ColumnType, value: Any) -> str:
    try:
        if type(value) is date:
            return value.isoformat()
        return date.fromisoformat(value).isoformat()
    except (TypeError, ValueError):
        raise _wrong(value, "an ISO date, such as 2026-07-28") from None


def _datetime(_: ColumnType, value: Any) -> str:
    """Return date and time; those of a zone become UTC."""
    try:
        if isinstance(value, str) and BEYOND_MICROSECONDS.search(value):
            raise UnfitValueError("out of range", f"is {value}, finer than a microsecond")
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
        if moment.tzinfo:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
        return moment.isoformat()
    except (TypeError, OverflowError):
        raise _wrong(value, "a date and time") from None
    except ValueError as error:
        if isinstance(error, UnfitValueError):
            raise
        raise _wrong(value, "an ISO date and time, such as 2026-07-28T18:30:00") from None


def _json(kind: ColumnType, value: Any) -> str:
    """Return the text of an object or a list; JSON_VALUE and OPENJSON read nothing else."""
    try:
        if isinstance(value, str):
            parsed, text = json.loads(value, parse_constant=_no_constant), value
        else:
            parsed, text = value, json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise _wrong(value, "JSON") from None
    if not isinstance(parsed, dict | list):
        raise _wrong(value, "an object or a list")
    return text_value(text, kind.max_chars)


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _vector(_: ColumnType, value: Any) -> Any:
    raise _wrong(value, "a value: vectors are computed")


READERS: dict[str, Callable[[ColumnType, Any], Any]] = {
    "INT": _integer,
    "BIGINT": _integer,
    "FLOAT": _float,
    "DECIMAL": _decimal,
    "BIT": _bit,
    "DATE": _date,
    "DATETIME2": _datetime,
    "NVARCHAR": _text,
    "JSON": _json,
    "VECTOR": _vector,
}


def shown_value(value: Any) -> str:
    """Return a value as text that fits into a line."""
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python prints
        text = "a very large number"
    return text if len(text) <= MAX_SHOWN_CHARS else text[: MAX_SHOWN_CHARS - 1] + "…"


def _wrong(value: Any, expected: str) -> UnfitValueError:
    return UnfitValueError("wrong type", f"is {shown_value(value)}, not {expected}")


def _out_of_range(value: Any) -> UnfitValueError:
    return UnfitValueError("out of range", f"is {shown_value(value)}")
