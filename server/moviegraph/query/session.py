"""The session, which is one served graph, its limits, and the call of one tool."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import Any, TypeVar

from moviegraph.contract.model import Contract
from moviegraph.embeddings.embedder import Embedder
from moviegraph.engines.base import LATE, Budget, Cancellation, Engine
from moviegraph.errors import QueryTimeoutError
from moviegraph.journal.execution_records import Client, new_execution_id
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.llm.language_model import LanguageModel
from moviegraph.query.model_costs import Ledger

REMEMBERED_QUESTIONS = 4_000
Progress = Callable[[float, float | None, str], None]
Value = TypeVar("Value")


def no_progress(done: float, total: float | None, message: str) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The operator's limits, which no argument of a tool raises; settings and contract state them.

    Attributes:
        top: Maximum rows of a result, and how many are listed by default.
        top_expanded: Maximum rows of an expanded result.
        timeout: Seconds until a statement is interrupted.
        total_timeout: Seconds until a call is interrupted.
        bytes: Maximum bytes of a result.
        cell: Maximum characters of a cell.
    """

    top: int
    top_expanded: int
    timeout: float
    total_timeout: float
    bytes: int
    cell: int


class Cache:
    """The most recently used values by key, `capacity` at most; safe to use from threads."""

    def __init__(self, capacity: int = 256) -> None:
        self._capacity = capacity
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made if it is not cached; two threads may both make it."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            self._values[key] = value
            if len(self._values) > self._capacity:
                self._values.popitem(last=False)
        return value


@dataclass(frozen=True, slots=True)
class Session:
    """One served graph: contract, engine, embedder, journal, limits, and a model if configured.

    `trace_sql` lets spans hold statements with their literals, otherwise left out. `rerank` lets
    the model rank what run_strategies fused, `journal_results` keeps the first rows of results in
    the journal. `cache` holds names and other facts about the graph, `questions` the vectors
    that recall compares; equal sessions need not share them.
    """

    contract: Contract
    engine: Engine
    embedder: Embedder
    journal: SqliteJournal
    limits: Limits
    model: LanguageModel | None = None
    today: str | None = None
    trace_sql: bool = False
    rerank: bool = False
    journal_results: bool = False
    cache: Cache = field(default_factory=Cache, compare=False)
    questions: Cache = field(default_factory=partial(Cache, REMEMBERED_QUESTIONS), compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """One call of one tool: who calls, which tool, how to stop it, where progress goes.

    `id` is in every record of the call, `client` the program that calls, `arguments` holds the
    arguments as it sent them. `recall` says whether earlier executions may be offered for a
    similar question. `drafts` maps a statement that the rules could not repair to what the client's
    own model made of it; `memo` keeps the answers of the configured model, so that it is asked once
    in a call. `ledger` holds what models cost the call; `recorded` is set when the journal has a
    record of it; `began` is where its time begins.
    """

    tool: str
    owner: str = "local"
    id: str = field(default_factory=new_execution_id, compare=False)
    client: Client | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    cancellation: Cancellation = field(default_factory=Cancellation)
    progress: Progress = no_progress
    recall: bool = True
    drafts: Mapping[str, str] = field(default_factory=dict[str, str])
    memo: dict[Hashable, Any] = field(default_factory=dict[Hashable, Any], compare=False)
    ledger: Ledger = field(default_factory=Ledger, compare=False)
    recorded: threading.Event = field(default_factory=threading.Event, compare=False)
    began: float = field(default_factory=time.monotonic, compare=False)

    def deadline(self, limits: Limits) -> float:
        """Return when its time is over, on the monotonic clock."""
        return self.began + limits.total_timeout

    def budget(self, limits: Limits, rows: int, seconds: float = inf) -> Budget:
        """Return the budget of one statement, within what is left of the call.

        Raises:
            QueryTimeoutError: Nothing is left.
        """
        left = self.deadline(limits) - time.monotonic()
        if left <= 0:
            raise QueryTimeoutError(
                f"The call took longer than {limits.total_timeout:g} s.", hint=LATE
            )
        return Budget(
            rows=rows,
            bytes=limits.bytes,
            cell=limits.cell,
            seconds=min(seconds, limits.timeout, left),
            cancellation=self.cancellation,
        )
