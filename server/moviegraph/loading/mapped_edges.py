"""Turns the records of a table of edges into rows as JSON Lines has them."""

from collections.abc import Mapping
from typing import Any

from moviegraph.contract.model import Contract, EdgeTable
from moviegraph.loading.cells import Cells, Columns, listed
from moviegraph.loading.column_map import ENDS, KINDS, ColumnMap, unknown
from moviegraph.loading.rows import Row


class MappedEdges:
    """A column map of edges against a contract; it remembers which columns it has met."""

    def __init__(self, columns: ColumnMap, contract: Contract) -> None:
        self.table = _table(columns, contract)
        self.columns = columns
        self._cells = Cells(columns.absent)
        self._kinds = columns.end_kinds

    def begin(self) -> None:
        """Forget the columns of the file before."""
        self._cells.begin()

    def row(self, record: Mapping[str, Any]) -> Row:
        """Return a record as the row of an edge."""
        self._cells.see(record)
        row: Row = {end: self._cells.key(record, self._wanted(end)) for end in ENDS}
        for field in KINDS:
            row[field] = self._kinds[field] or self._cells.joined(record, self._wanted(field))
        return row

    def check_columns(self, file: str) -> None:
        """Refuse mapped columns that no record had. Raises SourceError."""
        self._cells.require(file, self._purposes())

    def unused_columns(self) -> list[str]:
        """Return the columns of the file that no end is read from."""
        return self._cells.unused(self._purposes())

    def _purposes(self) -> dict[str, str]:
        fields = (*ENDS, *(each for each in KINDS if each in self.columns.columns))
        return {
            name: f"for the field {field}"
            for field in fields
            for name in listed(self._wanted(field))
        }

    def _wanted(self, field: str) -> Columns:
        return self.columns.columns.get(field, field)


def _table(columns: ColumnMap, contract: Contract) -> EdgeTable:
    wanted = columns.edge or ""
    found = next((e for e in contract.edges if e.name.lower() == wanted.lower()), None)
    if found is None:
        names = [edge.name for edge in contract.edges]
        raise unknown(f"The contract has no edge table {wanted}", wanted, names)
    for field in columns.columns:
        if field not in (*ENDS, *KINDS):
            raise unknown(f"{found.name} has no field {field}", field, (*ENDS, *KINDS))
    _check_kinds(columns, found)
    return found


def _check_kinds(columns: ColumnMap, edge: EdgeTable) -> None:
    """Refuse kinds that stand at no such end of the edges. Raises SourceError."""
    known = {
        "from_kind": [pair.from_table for pair in edge.pairs],
        "to_kind": [pair.to_table for pair in edge.pairs],
    }
    for field, kind in columns.end_kinds.items():
        if kind is not None and kind.lower() not in [each.lower() for each in known[field]]:
            names = list(dict.fromkeys(known[field]))
            raise unknown(f"{edge.name} has no {field} {kind}", kind, names)
