"""The engine that needs no set-up: DuckDB for SQL, SQLite for full text, numpy for vectors."""

import sqlite3
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import cast

from moviegraph.contract.model import Contract
from moviegraph.engines.base import (
    Budget,
    Cancellation,
    Description,
    ResultSet,
    Statement,
    require_query_vector,
    require_vectors,
)
from moviegraph.engines.duckdb.plan import StatementPlan
from moviegraph.engines.duckdb.translator import plan_of
from moviegraph.engines.embedded.embedded_reader import EmbeddedReader
from moviegraph.engines.embedded.graph_files import (
    REBUILD,
    State,
    folder_state,
)
from moviegraph.engines.embedded.graph_folder import (
    AliasRow,
    Manifest,
    graph_files,
    read_aliases,
    read_manifest,
)
from moviegraph.engines.embedded.interrupts import StopSignal, watched
from moviegraph.engines.embedded.name_index import NameIndex
from moviegraph.engines.embedded.plan_runner import (
    Action,
    OpenedFiles,
    PlanRunner,
    Request,
    Result,
    Runner,
)
from moviegraph.engines.embedded.worker_pool import WorkerLimits, WorkerPool, spill_folder
from moviegraph.engines.result_limits import column_names
from moviegraph.errors import GraphError
from moviegraph.sql.decision import Allowed

COMPILE_SECONDS = 5.0
TRIES = 5  # to open files that others replace meanwhile
MAX_BYTES = 4 << 20  # of the rows that a tool reads for its own use, and of one of their cells
MAX_CELL = 1_000
MEMORY = 1_000  # megabytes that DuckDB may take in this process


@dataclass(frozen=True, slots=True)
class OpenedGraph:
    """The files of an opened graph, their state then, and what the manifest and aliases said."""

    files: OpenedFiles
    state: State
    manifest: Manifest
    aliases: Sequence[AliasRow]


class EmbeddedEngine:
    """Runs validated statements on a graph folder; safe to call from several threads.

    What holds a caller's text is translated here and given to the runner; the primitives of the
    reader run over files that this process opened.
    """

    def __init__(
        self,
        contract: Contract,
        opened: OpenedGraph,
        runner: Runner,
        reopen: Callable[[], "EmbeddedEngine"],
    ) -> None:
        files = opened.files
        self._contract = contract
        self._manifest = opened.manifest
        self._files = files
        self._paths = files.files.paths
        self._state = opened.state
        self._runner = runner
        self._reopen = reopen
        self._complete = frozenset(name for name, table in files.vectors.items() if table.complete)
        self._names = NameIndex(contract, files.database, opened.manifest.counts, opened.aliases)
        self._closed = False

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        """Run a statement within a budget. Raises as `Engine.execute`."""
        self._check(statement)
        require_query_vector(statement, self._dimensions)
        budget.cancellation.check()
        allowed = statement.allowed
        with watched(budget) as stop:  # translating counts, too
            request = Request(
                "rows",
                self._plan(allowed),
                column_names(allowed),
                allowed.json,
                budget.rows,
                budget.bytes,
                budget.cell,
                statement.vector,
                {
                    name: value.isoformat() if isinstance(value, date) else value
                    for name, value in statement.values.items()
                },
            )
            return cast("ResultSet", self._runner.run(request, stop))

    @contextmanager
    def reader(self, budget: Budget) -> Generator[EmbeddedReader]:
        """Return the retrieval primitives, within a budget that starts now."""
        if self._closed:
            raise GraphError("The graph is closed.")
        budget.cancellation.check()
        with watched(budget) as stop:
            run = partial(self._run, stop=stop)
            yield EmbeddedReader(self._contract, self._files, self._names, run, stop)

    def _run(self, action: Action, allowed: Allowed, rows: int, stop: StopSignal) -> Result:
        """Run a statement of a tool that holds a caller's condition."""
        plan, columns = self._plan(allowed), column_names(allowed)
        request = Request(action, plan, columns, rows=rows, bytes=MAX_BYTES, cell=MAX_CELL)
        return self._runner.run(request, stop)

    def compile(self, statement: Statement, cancellation: Cancellation | None = None) -> None:
        """Check a statement without running it. Raises as `Engine.compile`."""
        self._check(statement)
        budget = Budget(0, 0, 0, COMPILE_SECONDS, cancellation or Cancellation())
        with watched(budget) as stop:
            self._runner.run(Request("check", self._plan(statement.allowed)), stop)

    def describe(self) -> Description:
        """Return counts, identity and capabilities."""
        vectors = ("vectors",) if self._manifest.space else ()
        return self._manifest.description("embedded", frozenset(("fulltext", *vectors)))

    @property
    def opened_state(self) -> State:
        """The state of the folder when it was opened."""
        return self._state

    def current_state(self) -> State:
        """Return the present state of the folder."""
        return folder_state(self._paths)

    def reload(self) -> "EmbeddedEngine":
        """Open the folder again; this engine keeps its files open. Raises GraphError."""
        return self._reopen()

    @property
    def ready(self) -> bool:
        """Whether a statement would run at once."""
        return self._runner.ready

    def close(self) -> None:
        """End the processes, close files and connections; a second call does nothing."""
        if not self._closed:
            self._closed = True
            self._runner.close()
            self._files.close()

    @property
    def _dimensions(self) -> int:
        return self._manifest.space.dimensions if self._manifest.space else 1

    def _check(self, statement: Statement) -> None:
        if self._closed:
            raise GraphError("The graph is closed.")
        require_vectors(statement, stored=bool(self._files.vectors))

    def _plan(self, allowed: Allowed) -> StatementPlan:
        return plan_of(
            allowed,
            self._contract,
            complete=self._complete,
            dimensions=self._dimensions,
        )


def open_graph(
    folder: Path,
    contract: Contract,
    *,
    temporary: Path | None = None,
    workers: WorkerLimits | None = None,
) -> EmbeddedEngine:
    """Open a graph folder: all of its files as they stood at one moment.

    Args:
        folder: The graph folder.
        contract: The contract to serve; the graph must have been built for it.
        temporary: Where large statements may spill; by default the system's temporary folder.
        workers: Limits of the processes in which statements run; None runs them in this process.

    Raises:
        GraphError: The folder is missing, half-built, damaged, of a different contract, or others
            replace its files faster than they can be opened.
    """
    opened = _open(folder, contract, temporary)
    described = opened.files.files
    runner = (
        PlanRunner(opened.files)
        if workers is None
        else WorkerPool(described, opened.state, workers, temporary)
    )
    reopen = partial(open_graph, folder, contract, temporary=temporary, workers=workers)
    return EmbeddedEngine(contract, opened, runner, reopen)


def _open(folder: Path, contract: Contract, temporary: Path | None) -> OpenedGraph:
    for _ in range(TRIES):
        manifest = read_manifest(folder, contract)
        files = graph_files(folder, contract, manifest)
        state = folder_state(files.paths)
        try:
            opened = OpenedFiles(files, memory=MEMORY, spill=spill_folder(temporary))
        except (OSError, ValueError, KeyError, sqlite3.Error) as error:
            raise GraphError(f"{folder} is damaged.", hint=REBUILD) from error
        with ExitStack() as undo:
            undo.callback(opened.close)
            aliases = read_aliases(folder)
            if folder_state(files.paths) == state:
                undo.pop_all()
                return OpenedGraph(opened, state, manifest, aliases)
    raise GraphError(
        f"The files of {folder} are being replaced.", hint="Wait until that has ended."
    )
