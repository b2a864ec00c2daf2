"""Runs plans over the files of a graph: side tables, DuckDB, and the limits of a result.

It knows neither a contract nor a parser, so that a worker process starts quickly.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from moviegraph.engines.base import Budget, ResultSet, Vector
from moviegraph.engines.duckdb.plan import LENGTH_PARAMETER, VALUE_PREFIX, StatementPlan
from moviegraph.engines.embedded.duckdb_database import Database
from moviegraph.engines.embedded.fulltext_index import FulltextIndex
from moviegraph.engines.embedded.graph_files import DATABASE, GraphFiles
from moviegraph.engines.embedded.interrupts import StopSignal
from moviegraph.engines.embedded.side_tables import SideTables
from moviegraph.engines.embedded.vector_table import VectorTable
from moviegraph.engines.result_limits import limited
from moviegraph.engines.retrieval_primitives import Ids

Action = Literal["rows", "ids", "pairs", "check"]


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What is to be done with a plan that holds a caller's text.

    Attributes:
        action: "rows" returns its rows within the limits, "ids" the ids in its one column,
            "pairs" those in its two columns, and "check" only lets DuckDB bind it.
        plan: The plan.
        columns: The names of the result's columns.
        json: Whether the result is one document.
        rows: Maximum rows of the result.
        bytes: Maximum bytes of all cells together.
        cell: Maximum characters of one cell.
        vector: The vector of @q.
        values: Those of other parameters; dates as ISO text.
    """

    action: Action
    plan: StatementPlan
    columns: tuple[str, ...] = ()
    json: bool = False
    rows: int = 0
    bytes: int = 0
    cell: int = 0
    vector: Vector | None = None
    values: Mapping[str, int | float | str] = field(default_factory=dict[str, Any])


Result = ResultSet | Ids | None  # of "rows", "ids" or "pairs" (a row each), and "check"


class Runner(Protocol):
    """Runs requests: in this process, or in one that can be killed."""

    def run(self, request: Request, stop: StopSignal) -> Result:
        """Run a request; its result is that of its action.

        Raises:
            ExecutionError: The statement failed.
            QueryTimeoutError: It was stopped.
            ResultTooLargeError: A document exceeds the limits.
            GraphError: The files cannot be read.
        """
        ...

    @property
    def ready(self) -> bool:
        """Whether a request would run at once."""
        ...

    def close(self) -> None:
        """Release what it holds."""
        ...


class OpenedFiles:
    """The files of a graph, opened: DuckDB, full text, vectors."""

    def __init__(self, files: GraphFiles, *, memory: int, spill: Path) -> None:
        """Open them.

        Args:
            files: The files.
            memory: Megabytes that DuckDB may take.
            spill: The folder that DuckDB makes for intermediate rows.

        Raises:
            GraphError: The tables cannot be read.
            OSError, ValueError, sqlite3.Error: Another file cannot be read.
        """
        self.files = files
        folder = Path(files.folder)
        with ExitStack() as undo:
            self.database = Database(folder / DATABASE, rows=files.rows, memory=memory, spill=spill)
            undo.callback(self.database.close)
            self.fulltext = FulltextIndex(files)
            undo.callback(self.fulltext.close)
            self.vectors: dict[str, VectorTable] = {}
            for node in files.nodes:
                if node.vectors:
                    self.vectors[node.name] = VectorTable(folder, node.name, node.rows)
                    undo.callback(self.vectors[node.name].close)
            undo.pop_all()
        self.sides = SideTables(files, self.database, self.fulltext, self.vectors)

    def close(self) -> None:
        """Close files and connections."""
        self.fulltext.close()
        self.database.close()
        for table in self.vectors.values():
            table.close()


class PlanRunner:
    """Runs requests over opened files, in this process."""

    def __init__(self, opened: OpenedFiles) -> None:
        self._opened = opened

    def run(self, request: Request, stop: StopSignal) -> Result:
        """Run a request; its result is that of its action. Raises as `Runner.run`."""
        if request.action == "check":
            self._check(request, stop)
            return None
        plan, database = request.plan, self._opened.database
        parameters, values = _parameters(request), _values(request)
        side_tables = self._opened.sides.computed(plan, request.vector, stop, values)
        if request.action == "ids":
            (column,) = database.arrays(plan, parameters, side_tables, stop).values()
            return np.unique(column.astype(np.int64))
        if request.action == "pairs":
            columns = database.arrays(plan, parameters, side_tables, stop).values()
            ends = [column.astype(np.int64) for column in columns]
            return np.unique(np.column_stack(ends), axis=0)
        budget = Budget(request.rows, request.bytes, request.cell, inf)  # `stop` has the time
        rows = database.run(plan, parameters, side_tables, stop, request.rows + 1)
        return limited(request.columns, rows, budget, json=request.json)

    def _check(self, request: Request, stop: StopSignal) -> None:
        opened, plan = self._opened, request.plan
        zeros = np.zeros(opened.files.dimensions, dtype=np.float32)
        parameters = _parameters(replace(request, vector=zeros))
        explained = replace(plan, sql=f"EXPLAIN {plan.sql}")
        opened.database.run(explained, parameters, opened.sides.empty(plan), stop, 1)

    @property
    def ready(self) -> bool:
        """Always: the files are open."""
        return True

    def close(self) -> None:
        """Leave the files to who opened them."""


def _parameters(request: Request) -> dict[str, Any]:
    """Return the parameters of a query; one character beyond the limit shows a truncated text."""
    parameters: dict[str, Any] = {}
    if request.plan.vector and request.vector is not None:
        parameters["q"] = request.vector.tolist()
    if request.plan.long:
        longest = request.bytes if request.json else request.cell
        parameters[LENGTH_PARAMETER] = longest + 1
    return parameters | _values(request)


def _values(request: Request) -> dict[str, Any]:
    return {f"{VALUE_PREFIX}{name}": value for name, value in request.values.items()}
