"""Checks of single values against the columns that will hold them."""

import math
from datetime import date
from typing import Any

from moviegraph.contract.model import Column
from moviegraph.loading.rejects import BadRow, Reason
from moviegraph.text import clean

RANGES = {"INT": 31, "BIGINT": 63}
NO_MOST = 2**31
MOST_SHOWN = 40


def checked_value(column: Column, value: Any) -> Any:
    """Return a value as the column holds it; None where it is absent.

    Raises:
        BadRow: The column cannot hold it.
    """
    field = column.source_field
    if value is None:
        if not column.nullable:
            raise BadRow(Reason.MISSING, f"the field {field} is missing")
        return None
    if column.is_text:
        return checked_text(field, value, most_units(column))
    if column.type in RANGES:
        return _integer(field, value, RANGES[column.type])
    return {"FLOAT": _float, "BIT": _bit, "DATE": _date}[column.type](field, value)


def most_units(column: Column) -> int:
    """Return how many UTF-16 units a text column holds, as SQL Server counts."""
    size = column.type.removeprefix("NVARCHAR(").removesuffix(")")
    return int(size) if size.isdigit() else NO_MOST


def required_text(field: str, value: Any, most: int) -> str:
    """Return a text that is there and not blank. Raises BadRow."""
    if value is None:
        raise BadRow(Reason.MISSING, f"the field {field} is missing")
    text = checked_text(field, value, most)
    if not clean(text).strip():  # what nobody would see is not there
        raise BadRow(Reason.EMPTY, f"the field {field} is empty")
    return text


def checked_text(field: str, value: Any, most: int) -> str:
    """Return a text that SQL Server and SQLite can both hold. Raises BadRow."""
    if not isinstance(value, str):
        raise _wrong(field, value, "text")
    if "\0" in value:
        raise BadRow(Reason.NUL, f"the field {field} contains a NUL character")
    units = len(value)
    if not value.isascii():
        try:
            units = len(value.encode("utf-16-le")) // 2
        except UnicodeEncodeError:
            reason = Reason.LONE_SURROGATE
            raise BadRow(reason, f"the field {field} contains half a surrogate pair") from None
    if units > most:
        raise BadRow(
            Reason.TEXT_TOO_LONG, f"the field {field} has {units} characters; the maximum is {most}"
        )
    return value


def _integer(field: str, value: Any, bits: int) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # exports of columns with gaps write 1999.0
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(field, value, "a whole number")
    if not -(2**bits) <= value < 2**bits:
        raise BadRow(Reason.OUT_OF_RANGE, f"the field {field} is {_shown(value)}")
    return value


def _float(field: str, value: Any) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise _wrong(field, value, "a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise BadRow(Reason.OUT_OF_RANGE, f"the field {field} is {_shown(value)}")
    return number


def _bit(field: str, value: Any) -> bool:
    if not isinstance(value, bool) and value not in (0, 1):
        raise _wrong(field, value, "true or false")
    return bool(value)


def _date(field: str, value: Any) -> str:
    try:
        return date.fromisoformat(value).isoformat()
    except (TypeError, ValueError):
        raise _wrong(field, value, "an ISO date, such as 2026-07-28") from None


def _wrong(field: str, value: Any, wanted: str) -> BadRow:
    return BadRow(Reason.WRONG_TYPE, f"the field {field} is {_shown(value)}, not {wanted}")


def _shown(value: Any) -> str:
    """Return a value as JSON-like text that fits into a line."""
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python prints
        text = "a very large number"
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"
