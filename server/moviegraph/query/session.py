"""Sessions and calls: what every query works with, and what it returns."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple, TypeVar

from moviegraph.cache import ByteCache, Cache
from moviegraph.contract.model import Contract
from moviegraph.embeddings.embedder import Embedder
from moviegraph.engines.base import LATE, Budget, Cancellation, Engine, ResultSet
from moviegraph.errors import QueryTimeoutError
from moviegraph.journal.execution_records import (
    Attempt,
    Client,
    ModelCost,
    new_execution_id,
)
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.llm.language_model import LanguageModel

Item = TypeVar("Item")


class Ledger:
    """The costs of models in one call, and their rejected drafts; filled by its threads.

    Both wait under the statement or question that a model was asked about, until the execution of
    that is recorded: a cost is charged to the one record it belongs to.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, list[ModelCost]] = {}
        self._all: list[ModelCost] = []
        self._rejected: dict[str, list[Attempt]] = {}
        self.recorded = False

    def add(self, about: str, cost: ModelCost) -> None:
        """Add what a request about a text cost."""
        with self._lock:
            self._waiting.setdefault(about, []).append(cost)
            self._all.append(cost)

    def waits(self, about: str) -> bool:
        """Return whether costs of a text are not charged yet."""
        with self._lock:
            return about in self._waiting

    def take(self, about: str | None = None) -> tuple[ModelCost, ...]:
        """Charge the costs of a text, or of all texts, that are not charged yet; return them."""
        with self._lock:
            return summed(_pop(self._waiting, about))

    def reject(self, about: str, drafts: list[Attempt]) -> None:
        """Add the drafts of a statement that did not help, before another model is asked."""
        if drafts:
            with self._lock:
                self._rejected[about] = list(drafts)

    def take_rejected(self, about: str | None = None) -> list[Attempt]:
        """Return the rejected drafts of a statement, or of all, that no record contains yet."""
        with self._lock:
            return _pop(self._rejected, about)

    @property
    def total(self) -> tuple[ModelCost, ...]:
        """All costs of the call."""
        with self._lock:
            return summed(self._all)


def _pop(waiting: dict[str, list[Item]], about: str | None) -> list[Item]:
    """Remove and return what waits under a text, or under all texts."""
    keys = list(waiting) if about is None else [about]
    return [item for key in keys for item in waiting.pop(key, ())]


def summed(costs: list[ModelCost]) -> tuple[ModelCost, ...]:
    """Return one cost for each stage, model and purpose."""
    sums: dict[tuple[str, str | None, str], ModelCost] = {}
    for cost in costs:
        key = (cost.by, cost.model, cost.purpose)
        sums[key] = _plus(sums[key], cost) if key in sums else cost
    return tuple(sums.values())


def _plus(first: ModelCost, second: ModelCost) -> ModelCost:
    counted = ("calls", "prompt_tokens", "completion_tokens", "untold")
    return first.model_copy(
        update={name: getattr(first, name) + getattr(second, name) for name in counted}
    )


REMEMBERED_QUESTIONS = 4_000
RESULT_BYTES = 8_000_000
Progress = Callable[[float, float | None, str], None]


def no_progress(done: float, total: float | None, message: str) -> None:
    """Ignore progress."""


def result_cache(max_bytes: int) -> Cache:
    """Return a cache of tool results, which stores values with a member `nbytes`."""
    return ByteCache(max_bytes, lambda value: value.nbytes)


@dataclass(frozen=True, slots=True)
class Caps:
    """The operator's caps; no argument of a tool raises them.

    `timeout` is seconds a statement, `total_timeout` seconds a call; bytes and cell bound a result.
    """

    top: int = 20
    top_expanded: int = 60
    timeout: float = 15.0
    total_timeout: float = 45.0
    bytes: int = 200_000
    cell: int = 20_000


@dataclass(frozen=True, slots=True)
class Session:
    """One served graph: contract, engine, embedder, journal, caps, and a model if configured.

    `is_traced` says whether its steps are spans, and `trace_sql` lets it hold statements with
    their literals, which else are left out. `rerank` lets the model rank what run_strategies fused,
    `journal_results` keeps the first rows of results in the journal.
    `cache` holds decisions and facts about the graph, `questions` what recall compares, `results`
    what the fixed tools found over data that do not change while they are open; equal sessions
    need not share them.
    """

    contract: Contract
    engine: Engine
    embedder: Embedder
    journal: SqliteJournal
    caps: Caps = Caps()
    model: LanguageModel | None = None
    today: str | None = None
    is_traced: bool = True
    trace_sql: bool = False
    rerank: bool = False
    journal_results: bool = False
    cache: Cache = field(default_factory=Cache, compare=False)
    questions: Cache = field(default_factory=lambda: Cache(REMEMBERED_QUESTIONS), compare=False)
    results: Cache = field(default_factory=lambda: result_cache(RESULT_BYTES), compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """One call of one tool: who calls, which tool, how to stop it, where progress goes.

    `id` is in every record of the call, `client` the program that calls, `given` holds the
    arguments as it sent them. `recall` says whether earlier executions may be offered for a
    similar question; `drafts` holds what the client's own model made of statements that nothing
    else could repair, by statement, and `memo` what the configured model said, so that it is asked
    once in a call. `ledger` holds what models cost the call; `began` is where its time begins.
    """

    tool: str
    owner: str = "local"
    id: str = field(default_factory=new_execution_id, compare=False)
    client: Client | None = None
    given: Mapping[str, Any] = field(default_factory=dict[str, Any])
    cancellation: Cancellation = field(default_factory=Cancellation)
    progress: Progress = no_progress
    recall: bool = True
    drafts: Mapping[str, str] = field(default_factory=dict[str, str])
    memo: Cache = field(default_factory=lambda: Cache(32), compare=False)
    ledger: Ledger = field(default_factory=Ledger, compare=False)
    began: float = field(default_factory=time.monotonic, compare=False)

    def deadline(self, caps: Caps) -> float:
        """Return when its time is over, on the monotonic clock."""
        return self.began + caps.total_timeout

    def budget(self, caps: Caps, rows: int, seconds: float = inf) -> Budget:
        """Return the budget of one statement, within what is left of the call.

        Raises:
            QueryTimeoutError: Nothing is left.
        """
        left = self.deadline(caps) - time.monotonic()
        if left <= 0:
            raise QueryTimeoutError(
                f"The call took longer than {caps.total_timeout:g} s.", hint=LATE
            )
        return Budget(
            rows=rows,
            bytes=caps.bytes,
            cell=caps.cell,
            seconds=min(seconds, caps.timeout, left),
            cancellation=self.cancellation,
        )


@dataclass(frozen=True, slots=True)
class Change:
    """One named change that a repair made."""

    rule: str
    before: str
    after: str
    why: str


class PathStep(NamedTuple):
    """A node on a path, with the edge table that leads to it; the first node has none."""

    kind: str
    id: int
    name: str
    edge: str | None
    forward: bool | None


RowPaths = tuple[tuple[PathStep, ...], ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """The result of every tool that returns rows (cells as Python values).

    `sql` is a statement that returns the rows, runnable with the same query text, if there is one.
    `extra` holds further members of the result, e.g. `chosen_because`. `whole` is the engine's
    result, where the rows are its own and nothing else. `paths` are, for each row of a traversal,
    the paths that it shows.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    truncated: str | None
    execution_id: str
    sql: str | None
    notes: tuple[str, ...] = ()
    elapsed_ms: float = 0.0
    changes: tuple[Change, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict[str, Any])
    whole: ResultSet | None = None
    paths: tuple[RowPaths, ...] | None = None
