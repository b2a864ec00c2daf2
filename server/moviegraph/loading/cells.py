"""The cells of records by column: whatever the case of the names, and whatever means nothing."""

import math
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from moviegraph.contract.model import nearest
from moviegraph.errors import SourceError

JOINED = " | "
MOST_SHOWN = 20
POINT_NOUGHT = re.compile(r"[0-9]{1,12}\.0")
Columns = str | tuple[str, ...]


class Cells:
    """Gives the cells of records, and remembers which columns they had."""

    def __init__(self, absent: tuple[str, ...]) -> None:
        self._absent = {"", *absent}
        self._seen: dict[str, str] = {}

    def begin(self) -> None:
        """Forget the columns of the file before."""
        self._seen.clear()

    def see(self, record: Mapping[str, Any]) -> None:
        """Remember the columns of a record."""
        for name in record:
            self._seen.setdefault(name.lower(), name)

    def given(self, record: Mapping[str, Any], column: str) -> Any:
        """Return the value of a column; None where the cell means: no value."""
        value = record.get(column)
        if value is None and column not in record:
            value = record.get(self._seen.get(column.lower(), column))
        gap = isinstance(value, float) and math.isnan(value)
        if gap or (isinstance(value, str) and value.strip() in self._absent):
            return None
        return float(value) if isinstance(value, Decimal) else value

    def joined(self, record: Mapping[str, Any], columns: Columns) -> Any:
        """Return the value of a column, or those of several as one text."""
        values = [self.given(record, column) for column in listed(columns)]
        if len(values) > 1:
            return JOINED.join(str(value) for value in values) if None not in values else None
        return values[0]

    def key(self, record: Mapping[str, Any], columns: Columns) -> Any:
        """Return what names a node, 8 for 8.0: exports of columns with gaps write it so."""
        value = self.joined(record, columns)
        if isinstance(value, str) and POINT_NOUGHT.fullmatch(value.strip()):
            return int(value.partition(".")[0])
        return int(value) if isinstance(value, float) and value.is_integer() else value

    def require(self, file: str, purposes: Mapping[str, str]) -> None:
        """Refuse columns that no record of a file had.

        Args:
            file: The name of the file.
            purposes: What each column is needed for.

        Raises:
            SourceError: The message states every missing column.
        """
        missing = [name for name in purposes if name.lower() not in self._seen]
        if not missing or not self._seen:
            return
        problems = [f"{file} has no column {name} {purposes[name]}." for name in missing]
        close = nearest(missing[0], list(self._seen.values())) if len(missing) == 1 else ()
        shown = ", ".join(name or "a column without a name" for name in close or self._first())
        known = f"{'Nearest' if close else 'It has'}: {shown}."
        raise SourceError(
            f"{problems[0]} {known}" if len(problems) == 1 else "\n".join([*problems, known]),
            hint="Use --column FIELD=COLUMN, or fix the column map. Nothing was changed.",
        )

    def unused(self, used: Iterable[str]) -> list[str]:
        """Return the columns of the records that nothing uses."""
        names = {name.lower() for name in used}
        return [name for key, name in self._seen.items() if name and key not in names]

    def _first(self) -> list[str]:
        return list(self._seen.values())[:MOST_SHOWN]


def listed(columns: Columns) -> tuple[str, ...]:
    """Return the columns as a tuple, also a single one."""
    return (columns,) if isinstance(columns, str) else columns
