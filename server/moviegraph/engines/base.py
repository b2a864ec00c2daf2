"""The engine protocol: a validated statement in, a bounded result set out."""

import threading
from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from moviegraph.embeddings.embedder import Vector, VectorSpace
from moviegraph.engines.load_facts import NO_LOSSES, NO_STATISTICS, Losses, Statistics
from moviegraph.errors import ExecutionError, GraphError, QueryTimeoutError, VectorSpaceError

if TYPE_CHECKING:
    from moviegraph.engines.retrieval_primitives import GraphReader
    from moviegraph.sql.decision import Allowed


LATE = "Request less: fewer hops, fewer starts, or a narrower `where`."
APPROXIMATE = "approximate:"
Value = int | float | str | date
Truncated = Literal["rows", "bytes", "cells"] | None


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A validated statement, the vector for @q (normalized float32, or None), and other values.

    `values` are those of the parameters of a published statement: int, float, str, and dates.
    """

    allowed: "Allowed"
    vector: Vector | None = None
    values: Mapping[str, Value] = field(default_factory=dict[str, Value])


class Cancellation:
    """A one-way switch shared by a caller and its worker; cancelling runs the callbacks once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []
        self._cancelled = False
        self._late = False

    @property
    def cancelled(self) -> bool:
        """Return whether `cancel` was called."""
        return self._cancelled

    def cancel(self, *, late: bool = False) -> None:
        """Switch, and call every registered callback, each at most once.

        `late` means that the time of the call is over while its caller still waits for a result.
        """
        with self._lock:
            self._late = self._late or (late and not self._cancelled)
            self._cancelled = True
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def check(self) -> None:
        """Raise QueryTimeoutError if cancelled."""
        if self._late:
            raise QueryTimeoutError("The call ran out of time.", hint=LATE)
        if self._cancelled:
            raise QueryTimeoutError("The statement was cancelled.", code="cancelled")

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Register a callback (called at once if already cancelled); returns its removal."""
        with self._lock:
            if not self._cancelled:
                self._callbacks.append(callback)
                return lambda: self._remove(callback)
        callback()
        return lambda: None

    def _remove(self, callback: Callable[[], None]) -> None:
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one statement.

    Attributes:
        rows: Maximum rows returned.
        bytes: Maximum bytes of all cells together, as UTF-8 text.
        cell: Maximum characters of one cell; longer text is cut.
        seconds: Wall time until the statement is interrupted.
        cancellation: Interrupts the statement from a different thread.
    """

    rows: int
    bytes: int
    cell: int
    seconds: float
    cancellation: Cancellation = field(default_factory=Cancellation)


@dataclass(frozen=True, slots=True)
class ResultSet:
    """Columns and rows as Python values: int, float, str, bool, None, Decimal, date, datetime.

    `truncated` names the budget that cut it: cells (text shortened), bytes or rows, and
    `next_row` is the first row that the budget of rows left out.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    truncated: Truncated = None
    next_row: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class Description:
    """The data and capabilities of an engine.

    Attributes:
        engine: "embedded" or "mssql".
        contract_hash: Hash of the contract that the graph was built for.
        content_hash: Digest of the data; changes when the data change.
        space: Vector space of the stored vectors, or None without vectors.
        counts: Rows of each table.
        capabilities: Names of optional features: "fulltext", "vectors", "approximate:TABLE" where
            a vector index is to be used.
        recipe: How texts were prepared before indexing, e.g. {"enriched": True}.
        source: Where the data came from, in the operator's words.
        losses: What of the source is not in the graph.
        statistics: Counts and ranges of the data, as of the load.
    """

    engine: str
    contract_hash: str
    content_hash: str
    space: VectorSpace | None
    counts: Mapping[str, int]
    capabilities: frozenset[str] = frozenset()
    recipe: Mapping[str, Any] = field(default_factory=dict[str, Any])
    source: str = ""
    losses: Losses = NO_LOSSES
    statistics: Statistics = NO_STATISTICS

    def has_vector_index(self, table: str) -> bool:
        """Return whether semantic searches of a node table use a vector index."""
        return f"{APPROXIMATE}{table}" in self.capabilities


class Engine(Protocol):
    """Runs validated statements; safe to call from several threads at once."""

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        """Run a statement within a budget.

        Raises:
            ExecutionError: The statement cannot be run; the message is fit for the model.
            QueryTimeoutError: Out of time, or cancelled.
            ResultTooLargeError: A FOR JSON document exceeds the budget.
            VectorSpaceError: The vector for @q has a different length than the stored ones.
        """
        ...

    def compile(self, statement: Statement, cancellation: Cancellation | None = None) -> None:
        """Check without running. Raises ExecutionError and QueryTimeoutError as `execute` would."""
        ...

    def reader(self, budget: Budget) -> "AbstractContextManager[GraphReader]":
        """Return the retrieval primitives, within a budget that starts when they are entered."""
        ...

    def describe(self) -> Description:
        """Return counts, identity and capabilities."""
        ...

    def close(self) -> None:
        """Release files and connections; later calls fail."""
        ...


@runtime_checkable
class SupportsReload(Protocol):
    """An engine over data that others may replace while it is open."""

    @property
    def opened_state(self) -> Hashable:
        """The state of the data when it was opened."""
        ...

    def current_state(self) -> Hashable:
        """Return the present state of the data; called before each call, so it must be quick."""
        ...

    def reload(self) -> Engine:
        """Open the present data; this engine keeps its files open. Raises GraphError."""
        ...


@runtime_checkable
class SupportsReadiness(Protocol):
    """An engine that is open before its first statement would be fast."""

    @property
    def ready(self) -> bool:
        """Whether a statement need not wait for what is still being started."""
        ...


def timeout_error(seconds: float) -> QueryTimeoutError:
    """Return the error of a statement that ran longer than it may."""
    return QueryTimeoutError(
        f"The statement ran longer than {seconds:.3g} s and was stopped.",
        hint="Narrow it: filter earlier, join fewer tables, or search with TOP first.",
    )


def closed() -> GraphError:
    """Return the error of a call to an engine that was closed."""
    return GraphError("The graph is closed.")


def require_vectors(statement: Statement, *, stored: bool) -> None:
    """Raise ExecutionError if a statement uses @q and the graph has no vectors."""
    if statement.allowed.uses_query and not stored:
        raise ExecutionError(
            "This graph has no vectors, so nothing can be compared with @q.",
            code="unsupported_by_engine",
            hint="Search with CONTAINS or FREETEXT instead.",
        )


def require_query_vector(statement: Statement, dimensions: int) -> None:
    """Check the vector of a statement that uses @q.

    Raises:
        ExecutionError: There is none (code query_missing).
        VectorSpaceError: Its length is not that of the stored ones.
    """
    if not statement.allowed.uses_query:
        return
    if statement.vector is None:
        raise ExecutionError(
            "The statement uses @q, but `query` is missing.",
            code="query_missing",
            hint="Pass the text to compare with as `query`.",
        )
    if statement.vector.shape != (dimensions,):
        raise VectorSpaceError(
            f"The vector behind @q has shape {statement.vector.shape}; the stored vectors "
            f"have {dimensions} dimensions."
        )
