"""Turns the records of a table of edges into rows as JSON Lines has them."""

from collections.abc import Mapping
from typing import Any

from moviegraph.contract.model import Contract, EdgeTable
from moviegraph.loading.cells import Cells, Columns
from moviegraph.loading.column_map import ENDS, ColumnMap, unknown
from moviegraph.loading.rows import Row


class MappedEdges:
    """A column map of edges against a contract; it remembers which columns it has met."""

    def __init__(self, columns: ColumnMap, contract: Contract) -> None:
        self.table = _table(columns, contract)
        self.columns = columns
        self._cells = Cells(columns.absent)

    def begin(self) -> None:
        """Forget the columns of the file before."""
        self._cells.begin()

    def row(self, record: Mapping[str, Any]) -> Row:
        """Return a record as the row of an edge."""
        self._cells.see(record)
        return {end: self._cells.key(record, self._wanted(end)) for end in ENDS}

    def check_columns(self, file: str) -> None:
        """Refuse a mapped column that no record had. Raises SourceError."""
        for end in ENDS:
            self._cells.require(file, self._wanted(end), f"for the field {end}")

    def _wanted(self, end: str) -> Columns:
        return self.columns.columns.get(end, end)


def _table(columns: ColumnMap, contract: Contract) -> EdgeTable:
    wanted = columns.edge or ""
    found = next((e for e in contract.edges if e.name.lower() == wanted.lower()), None)
    if found is None:
        names = [edge.name for edge in contract.edges]
        raise unknown(f"The contract has no edge table {wanted}", wanted, names)
    for field in columns.columns:
        if field not in ENDS:
            raise unknown(f"{found.name} has no end {field}", field, ENDS)
    return found
