"""The engine that needs no set-up: DuckDB for SQL, SQLite for full text, numpy for vectors."""

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from moviegraph.contract.model import Contract
from moviegraph.engines.base import (
    Budget,
    Cancellation,
    Description,
    ResultSet,
    Statement,
    Vector,
    require_query_vector,
    require_vectors,
)
from moviegraph.engines.duckdb.plan import StatementPlan
from moviegraph.engines.duckdb.text_rules import LENGTH_PARAMETER
from moviegraph.engines.duckdb.translator import plan_of
from moviegraph.engines.embedded.duckdb_database import Database
from moviegraph.engines.embedded.embedded_reader import EmbeddedReader, Stores
from moviegraph.engines.embedded.fulltext_index import FulltextIndex
from moviegraph.engines.embedded.graph_folder import (
    DATABASE,
    FULLTEXT,
    REBUILD,
    AliasRow,
    Manifest,
    State,
    folder_state,
    read_aliases,
    read_manifest,
    state_files,
)
from moviegraph.engines.embedded.interrupts import Watchdog
from moviegraph.engines.embedded.name_index import NameIndex
from moviegraph.engines.embedded.side_tables import SideTables
from moviegraph.engines.embedded.vector_table import VectorTable
from moviegraph.engines.result_limits import limit_rows
from moviegraph.errors import GraphError
from moviegraph.sql.decision import Allowed

COMPILE_SECONDS = 5.0
TRIES = 5  # to open files that others replace meanwhile


@dataclass(frozen=True, slots=True)
class OpenedGraph:
    """The folder of an opened graph, and the state of its files then."""

    folder: Path
    temporary: Path | None
    files: tuple[str, ...]
    state: State


class EmbeddedEngine:
    """Runs validated statements on a graph folder; safe to call from several threads."""

    def __init__(
        self,
        contract: Contract,
        manifest: Manifest,
        database: Database,
        fulltext: FulltextIndex,
        vectors: dict[str, VectorTable],
        aliases: Sequence[AliasRow],
        opened: OpenedGraph,
    ) -> None:
        self._contract = contract
        self._opened = opened
        self._manifest = manifest
        self._database = database
        self._sides = SideTables(contract, database, fulltext, vectors)
        self._fulltext = fulltext
        self._vectors = vectors
        self._complete = frozenset(name for name, table in vectors.items() if table.complete)
        self._stores = Stores(
            contract=contract,
            database=database,
            sides=self._sides,
            fulltext=fulltext,
            vectors=vectors,
            names=NameIndex(contract, database, manifest.counts, aliases),
        )
        self._watch = Watchdog()
        self._closed = False

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        """Run a statement within a budget.

        Raises:
            ExecutionError: The statement cannot be run.
            QueryTimeoutError: Out of time, or cancelled.
            ResultTooLargeError: A FOR JSON document exceeds the budget.
            VectorSpaceError: The vector for @q has a different length than the stored ones.
        """
        self._check(statement)
        require_query_vector(statement, self._dimensions)
        budget.cancellation.check()
        rows = self._rows(self._plan(statement.allowed), statement, budget)
        return limit_rows(statement.allowed, rows, budget)

    def _rows(
        self, plan: StatementPlan, statement: Statement, budget: Budget
    ) -> list[tuple[Any, ...]]:
        with self._watch.over(budget) as stop:
            side_tables = self._sides.computed(plan, statement, stop)
            parameters = _parameters(plan, statement.allowed, statement.vector, budget)
            return self._database.run(plan, parameters, side_tables, stop, budget.rows + 1)

    @contextmanager
    def reader(self, budget: Budget) -> Generator[EmbeddedReader]:
        """Return the retrieval primitives, within a budget that starts now."""
        if self._closed:
            raise GraphError("The graph is closed.")
        budget.cancellation.check()
        with self._watch.over(budget) as stop:
            yield EmbeddedReader(self._stores, self._plan, stop)

    def compile(self, statement: Statement, cancellation: Cancellation | None = None) -> None:
        """Check a statement without running it.

        Raises:
            ExecutionError: The statement cannot be run.
            QueryTimeoutError: Out of time, or cancelled.
        """
        self._check(statement)
        plan = self._plan(statement.allowed)
        budget = Budget(0, 0, 0, COMPILE_SECONDS, cancellation or Cancellation())
        with self._watch.over(budget) as stop:
            side_tables = self._sides.empty(plan)
            zeros = np.zeros(self._dimensions, dtype=np.float32)
            explained = replace(plan, sql=f"EXPLAIN {plan.sql}")
            parameters = _parameters(plan, statement.allowed, zeros, budget)
            self._database.run(explained, parameters, side_tables, stop, 1)

    def describe(self) -> Description:
        """Return counts, identity and capabilities."""
        vectors = ("vectors",) if self._manifest.space else ()
        return self._manifest.description("embedded", frozenset(("fulltext", *vectors)))

    @property
    def opened_state(self) -> State:
        """The state of the folder when it was opened."""
        return self._opened.state

    def current_state(self) -> State:
        """Return the present state of the folder."""
        return folder_state(self._opened.files)

    def reload(self) -> "EmbeddedEngine":
        """Open the folder again; this engine keeps its files open. Raises GraphError."""
        opened = self._opened
        return open_graph(opened.folder, self._contract, temporary=opened.temporary)

    def close(self) -> None:
        """Close files and connections; a second call does nothing."""
        if not self._closed:
            self._closed = True
            self._fulltext.close()
            self._database.close()
            for table in self._vectors.values():
                table.close()

    @property
    def _dimensions(self) -> int:
        return self._manifest.space.dimensions if self._manifest.space else 1

    def _check(self, statement: Statement) -> None:
        if self._closed:
            raise GraphError("The graph is closed.")
        require_vectors(statement, stored=bool(self._vectors))

    def _plan(self, allowed: Allowed) -> StatementPlan:
        return plan_of(
            allowed,
            self._contract,
            complete=self._complete,
            dimensions=self._dimensions,
        )


def _parameters(
    plan: StatementPlan, allowed: Allowed, vector: Vector | None, budget: Budget
) -> dict[str, Any]:
    """Return the parameters of a query; one character beyond the budget shows a truncated text."""
    parameters: dict[str, Any] = {}
    if plan.vector and vector is not None:
        parameters["q"] = vector.tolist()
    if plan.long:
        parameters[LENGTH_PARAMETER] = (budget.bytes if allowed.json else budget.cell) + 1
    return parameters


def open_graph(
    folder: Path, contract: Contract, *, temporary: Path | None = None
) -> EmbeddedEngine:
    """Open a graph folder: all of its files as they stood at one moment.

    Args:
        folder: The graph folder.
        contract: The contract to serve; the graph must have been built for it.
        temporary: Where large statements may spill; by default the system's temporary folder.

    Raises:
        GraphError: The folder is missing, half-built, damaged, of a different contract, or others
            replace its files faster than they can be opened.
    """
    files = state_files(folder, contract)
    for _ in range(TRIES):
        opened = OpenedGraph(folder, temporary, files, folder_state(files))
        engine = _open_files(opened, contract)
        if engine.current_state() == opened.state:
            return engine
        engine.close()
    raise GraphError(
        f"The files of {folder} are being replaced.", hint="Wait until that has ended."
    )


def _open_files(opened: OpenedGraph, contract: Contract) -> EmbeddedEngine:
    folder = opened.folder
    manifest = read_manifest(folder, contract)
    with ExitStack() as undo:
        rows = sum(manifest.counts.values())
        database = Database(folder / DATABASE, rows=rows, temporary=opened.temporary)
        undo.callback(database.close)
        try:
            fulltext = FulltextIndex(folder / FULLTEXT, contract)
            undo.callback(fulltext.close)
            aliases = read_aliases(folder)
            vectors: dict[str, VectorTable] = {}
            for name in manifest.vectors:
                vectors[name] = VectorTable(folder, name, manifest.counts[name])
                undo.callback(vectors[name].close)
        except (OSError, ValueError, KeyError, sqlite3.Error) as error:
            raise GraphError(f"{folder} is damaged.", hint=REBUILD) from error
        undo.pop_all()
    return EmbeddedEngine(contract, manifest, database, fulltext, vectors, aliases, opened)
