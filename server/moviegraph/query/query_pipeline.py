"""The path of a statement: validated, its text embedded, executed in the budget, and recorded."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from math import inf
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from moviegraph.embeddings.embedder import require_same_space
from moviegraph.engines.base import Budget, ResultSet, Statement
from moviegraph.errors import (
    ExecutionError,
    JournalError,
    ModelVisibleError,
    MoviegraphError,
    RefusedError,
)
from moviegraph.journal.execution_records import Attempt, Cell, Execution, Status, new_execution_id
from moviegraph.observability import (
    SpanKind,
    TraceSpan,
    count_execution,
    count_repair,
    measure_append,
    measure_tokens,
    report,
    trace_span,
)
from moviegraph.query.session import Call, Change, RowPaths, Rows, Session
from moviegraph.repair.tokens import split
from moviegraph.sql.decision import Allowed, Decision, Output, RefusalError, Refused, with_lazy_tree
from moviegraph.sql.guard import RowLimits, Where, judge, with_one_more_row
from moviegraph.sql.input_checks import MAX_CHARACTERS

if TYPE_CHECKING:
    from moviegraph.engines.base import Vector

MAX_TRACED_CHARS = 2_000


def redact_sql(sql: str, *, with_literals: bool) -> str | None:
    """Return a validated text, literals as `?` unless they may be shown; None if unreadable."""
    if with_literals:
        return sql[:MAX_TRACED_CHARS]
    try:
        tokens = split(sql)
    except RefusalError:
        return None
    literal = ("string", "number")
    return " ".join("?" if token.kind in literal else token.text for token in tokens)[
        :MAX_TRACED_CHARS
    ]


# The names that the semantic conventions for databases give to what runs here.
SYSTEMS = {"mssql": "microsoft.sql_server", "embedded": "duckdb"}


def decide(
    session: Session,
    sql: str,
    limits: RowLimits | None = None,
    where: Where | None = None,
) -> Decision:
    """Return the decision of the guard, from the cache where the statement was validated before."""
    limits = limits or row_limits(session)
    with trace_span("judge", is_enabled=session.is_traced) as span:
        decision = _decide(session, sql, limits, where)
        # A refused text may contain anything, where no rule tells a literal from a name.
        span.set_attributes(
            db__query__text=sql if session.trace_sql else None,
            moviegraph__allowed=isinstance(decision, Allowed),
        )
        if isinstance(decision, Refused):
            span.fail(decision.code)
    return decision


def with_reference(refused: Refused) -> Refused:
    """Return a refusal; a fault within the guard is logged, and named by its reference only."""
    if refused.fault is None:
        return refused
    return replace(refused, message=report(refused.fault, "guard"), fault=None)


def _decide(session: Session, sql: str, limits: RowLimits, where: Where | None) -> Decision:
    if len(sql) > MAX_CHARACTERS:
        return judge(sql, session.contract, limits, where=where)
    judging = partial(judge, sql, session.contract, limits, where=where)

    def produce() -> Decision:
        decision = judging()
        return (
            with_reference(decision)
            if isinstance(decision, Refused)
            else with_lazy_tree(decision, judging)
        )

    return session.cache.get(("decision", sql, limits, where), produce)


def row_limits(session: Session, top: int | None = None) -> RowLimits:
    """Return the limits of a statement whose rows the caller sees."""
    return RowLimits(top or session.caps.top, session.contract.limits.inner_top)


def execute(
    session: Session,
    sql: str,
    limits: RowLimits,
    budget: Budget,
    *,
    query: str | None = None,
) -> tuple[Allowed, ResultSet]:
    """Validate and run one statement.

    Raises:
        RefusedError: The guard refused, or @q lacks its text (code query_missing).
        ModelVisibleError: The engine could not run it.
        OperatorError: The embedder failed, or its vectors are of another space.
    """
    allowed = decide(session, sql, limits)
    if not isinstance(allowed, Allowed):
        raise allowed.error()
    vector = query_vector(session, query) if allowed.uses_query else None
    budget.cancellation.check()
    with trace_span("execute", SpanKind.CLIENT, is_enabled=session.is_traced) as span:
        _trace_execution(span, session, allowed)
        widened = allowed
        if not allowed.json:  # one more row shows whether there are more
            widened = _one_row_more(session, allowed)
            budget = replace(budget, rows=min(budget.rows, allowed.cap))
        result = session.engine.execute(Statement(widened, vector), budget)
        span.set_attributes(db__response__returned_rows=len(result.rows))
    return allowed, result


def _one_row_more(session: Session, allowed: Allowed) -> Allowed:
    def widened() -> Allowed:
        return with_one_more_row(allowed)

    return session.cache.get(
        ("one row more", allowed.sql), lambda: with_lazy_tree(widened(), widened)
    )


def _trace_execution(span: TraceSpan, session: Session, allowed: Allowed) -> None:
    if span.is_recording:
        span.set_attributes(
            db__system__name=SYSTEMS.get(session.engine.describe().engine, "other_sql"),
            db__namespace=session.contract.name,
            db__operation__name="SELECT",
            db__query__text=redact_sql(allowed.sql, with_literals=session.trace_sql),
        )


def query_vector(session: Session, query: str | None) -> Vector:
    """Return the vector of the text behind @q, comparable with the stored ones."""
    if query is None or not query.strip():
        raise RefusedError(
            "The statement uses @q, but `query` is missing.",
            code="query_missing",
            hint="Pass the text to embed as @q in `query`.",
        )
    space = session.engine.describe().space
    if space is None:
        raise ExecutionError(
            "This graph was loaded without vectors, so @q cannot be used.",
            code="no_vectors",
            hint="Use full-text search (CONTAINS, FREETEXT) or MATCH instead.",
        )
    require_same_space(space, session.embedder.space)
    return session.embedder.embed([query])[0]


class TimeAllocator:
    """The time of a plan: so many statements at once, and for each its part of what is left.

    Args:
        strategies: How many there are.
        places: How many of their statements run at once.
        deadline: When the time is over, on the clock.
        clock: Tells the time.
    """

    def __init__(
        self,
        strategies: int,
        places: int,
        deadline: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._left = strategies
        self._places = places
        self._deadline = deadline
        self._clock = clock
        self._lock = threading.Lock()
        self._free = threading.Semaphore(places)

    @contextmanager
    def turn(self) -> Generator[float]:
        """Wait for a place, no longer than the time lasts; yield the seconds of a statement."""
        free = self._free.acquire(timeout=max(0.0, self._deadline - self._clock()))
        try:
            yield self.seconds
        finally:
            if free:
                self._free.release()

    @property
    def seconds(self) -> float:
        """What one statement may take, so that each strategy that is not done gets as much."""
        with self._lock:
            left = max(1, self._left)
        remaining = max(0.0, self._deadline - self._clock())
        return remaining * min(self._places, left) / left

    def done(self) -> None:
        """Take out one strategy, whose time falls to the others."""
        with self._lock:
            self._left -= 1


if TYPE_CHECKING:
    from moviegraph.engines.retrieval_primitives import GraphReader

MAX_CELL_CHARS = 1_000
MAX_ROWS_CHARS = 20_000
MAX_PATHS_CHARS = 60_000
RecordedPaths = tuple[tuple[dict[str, Cell], ...], ...]
Item = TypeVar("Item")


def rows_to_record(rows: Iterable[Sequence[Any]]) -> tuple[tuple[Cell, ...], ...]:
    """Return the first rows, each whole but for long texts, that fit into the journal's bound."""
    cells = (tuple(_cell(value) for value in row) for row in rows)
    return tuple(_fitting(cells, MAX_ROWS_CHARS))


def paths_to_record(paths: Iterable[RowPaths]) -> tuple[RecordedPaths, ...]:
    """Return the paths of the first rows that fit into the journal's bound."""
    steps = (
        tuple(
            tuple({name: _cell(value) for name, value in step._asdict().items()} for step in path)
            for path in row_paths
        )
        for row_paths in paths
    )
    return tuple(_fitting(steps, MAX_PATHS_CHARS))


def _fitting(items: Iterable[Item], max_chars: int) -> Iterator[Item]:
    """Yield the first items whose JSON fits."""
    length = 0
    for item in items:
        length += len(json.dumps(item))
        if length > max_chars:
            return
        yield item


def _cell(value: Any) -> Cell:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    text = str(value)
    text = text if len(text) <= MAX_CELL_CHARS else f"{text[:MAX_CELL_CHARS]}..."
    return text.encode("utf-8", "replace").decode()


MAX_RECORDED_CHARS = 8_000
TOO_LATE = (
    "The call timed out or was cancelled before this result; the client may not have received it."
)
Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class ExecutedStatement:
    """What a statement gave: the decision that let it run, and its rows."""

    allowed: Allowed
    result: ResultSet

    @property
    def truncated(self) -> str | None:
        """What truncated the result: "rows" says that there are more."""
        return self.result.truncated

    @property
    def tie_note(self) -> str | None:
        """A note where the rows end within a tie of their ORDER BY, as far as that is known."""
        beyond, places = self.result.next_row, self.allowed.sort_columns
        if beyond is None or not self.result.rows or not places:
            return None
        last = self.result.rows[-1]
        if any(_folded(last[index]) != _folded(beyond[index]) for index in places):
            return None
        names = " and ".join(self.result.columns[index] for index in places)
        return (
            f"The last row ties with rows that are not shown: they have the same {names}, and "
            "which of them is shown is arbitrary. Add a key such as Id to ORDER BY, or ask for "
            "more rows."
        )


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool found: columns, rows and evidence, before it becomes Rows and a record.

    `answer` is that of a statement which ran. A fixed tool has none: `result` holds its columns and
    rows, and `sql` a statement that returns the same, if there is one. `paths` are those of each
    row of a traversal.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    truncated: str | None = None
    answer: ExecutedStatement | None = None
    result: ResultSet | None = None
    sql: str | None = None
    notes: tuple[str, ...] = ()
    keys: tuple[Key, ...] = ()
    changes: tuple[Change, ...] = ()
    lineage: tuple[Output, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict[str, Any])
    paths: tuple[RowPaths, ...] | None = None


def _folded(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


class CallRecorder:
    """A context in which one call runs its statements; leaving it by an error records the failure.

    Every statement of a call goes through `show`, all else that it reads through `reader`.
    `details` holds further members of the record, such as the strategy it belongs to; `share` is
    set where the time of the call is divided among several.
    """

    def __init__(
        self,
        session: Session,
        call: Call,
        given: str,
        *,
        query: str | None = None,
        purpose: str | None = None,
        started: float | None = None,
    ) -> None:
        self.session = session
        self.call = call
        self.id = new_execution_id()
        self.query = query
        self.notes: list[str] = []
        self.attempts: list[Attempt] = []
        self.given = given
        self._purpose = purpose
        self.statements: list[str] = []
        self._started = time.monotonic() if started is None else started
        self._stopped: float | None = None
        self.share: TimeAllocator | None = None
        self.details: dict[str, Any] = {}

    def __enter__(self) -> CallRecorder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # What cannot be recorded is not answered, and need not be tried twice.
        if isinstance(error, Exception) and not isinstance(error, JournalError):
            self.fail(error)

    def show(self, sql: str, *, limits: RowLimits | None = None) -> ExecutedStatement:
        """Run a statement whose rows the caller sees, within the operator's caps."""
        limits = limits or row_limits(self.session)
        with self.share.turn() if self.share else nullcontext(inf) as seconds:
            budget = self.call.budget(self.session.caps, limits.top, seconds)
            allowed, result = execute(self.session, sql, limits, budget, query=self.query)
        self.statements.append(allowed.sql)
        return ExecutedStatement(allowed, result)

    @contextmanager
    def reader(self) -> Generator[GraphReader]:
        """Yield the retrieval primitives, within the time that is left of the call."""
        caps = self.session.caps
        budget = self.call.budget(caps, caps.top_expanded)
        with self.session.engine.reader(budget) as graph:
            yield graph

    def note_step(self, step: str) -> None:
        """Record a step that is no statement: a retrieval primitive with its arguments."""
        self.statements.append(recordable(step))

    def finish(self, output: ToolOutput) -> Rows:
        """Record the result and return it to the caller."""
        notes = tuple(dict.fromkeys((*self.notes, *output.notes)))
        elapsed, is_stored = self.elapsed, self.session.journal_results
        sql = output.answer.allowed.sql if output.answer else output.sql
        self.record(
            status="ok" if output.rows else "empty",
            sql=_optional(sql),
            notes=notes,
            columns=output.columns,
            lineage=lineage(output.columns, output.lineage),
            keys=tuple(dict.fromkeys(output.keys)),
            row_count=len(output.rows),
            rows=rows_to_record(output.rows) if is_stored else None,
            paths=paths_to_record(output.paths) if is_stored and output.paths else None,
            truncated=output.truncated,
            elapsed_ms=elapsed,
        )
        result = output.answer.result if output.answer else output.result
        return Rows(
            columns=output.columns,
            rows=output.rows,
            truncated=output.truncated,
            execution_id=self.id,
            sql=sql,
            notes=notes,
            elapsed_ms=elapsed,
            changes=output.changes,
            extra=output.extra,
            whole=result if result and output.rows is result.rows else None,
            paths=output.paths,
        )

    def fail(self, error: Exception) -> None:
        """Record that the call failed, and how."""
        status: Status = "refused" if isinstance(error, RefusedError) else "failed"
        code = error.code if isinstance(error, MoviegraphError) else "internal"
        message = "The server could not complete this; the cause is in its log."
        if isinstance(error, ModelVisibleError):
            message = recordable(error.message)
        self.record(
            status=status,
            code=code,
            message=message,
            notes=tuple(self.notes),
            elapsed_ms=self.elapsed,
        )

    def record(self, **members: Any) -> None:
        """Write one record of this call, with its result; models charged to it are its own.

        Raises:
            JournalError: It cannot be written, so nothing of it may be answered.
        """
        members = {"models": self.call.ledger.take(self.given), **self.details, **members}
        if self.call.cancellation.cancelled and members["status"] in ("ok", "empty"):
            members["notes"] = (*members.get("notes", ()), TOO_LATE)
        execution = Execution(
            id=self.id,
            call_id=self.call.id,
            owner=self.call.owner,
            tool=self.call.tool,
            client=self.call.client,
            created=datetime.now(UTC).isoformat(timespec="milliseconds"),
            purpose=_optional(self._purpose),
            query=_optional(self.query),
            given=recordable(self.given),
            statements=tuple(self.statements),
            attempts=tuple(self.attempts),
            contract_hash=self.session.contract.hash,
            content_hash=self.session.engine.describe().content_hash,
            **members,
        )
        with trace_span("record", is_enabled=self.session.is_traced) as span:
            _trace(span, execution)
            started, has_failed = time.perf_counter(), True
            try:
                self.session.journal.record(execution)
                has_failed = False
            finally:
                measure_append(time.perf_counter() - started, failed=has_failed)
        self.call.ledger.recorded = True
        _count(execution)

    @property
    def elapsed(self) -> float:
        """Milliseconds since the call began, up to `stop`."""
        return round(((self._stopped or time.monotonic()) - self._started) * 1000, 1)

    def begin(self) -> None:
        """Let the time begin here, though the call began before."""
        self._started = time.monotonic()

    def stop(self) -> None:
        """Let the time end here, though the record is written later."""
        self._stopped = time.monotonic()


def _count(execution: Execution) -> None:
    """Count an execution in the metrics."""
    count_execution(execution.tool, execution.status, execution.code, execution.row_count)
    for attempt in execution.attempts:
        if attempt.method is not None:
            count_repair(attempt.method, attempt.code)
    for cost in execution.models:
        if cost.by == "provider" and cost.model and cost.prompt_tokens:
            measure_tokens("chat", cost.model, cost.prompt_tokens, cost.completion_tokens)


def _trace(span: TraceSpan, execution: Execution) -> None:
    """Set the recorded facts as attributes of a span, without any text of the caller."""
    if not span.is_recording:
        return
    score = (execution.quality or {}).get("score")
    rules = [attempt.rule for attempt in execution.attempts if attempt.rule]
    span.set_attributes(
        moviegraph__execution_id=execution.id,
        moviegraph__tool=execution.tool,
        moviegraph__strategy_id=execution.strategy_id,
        moviegraph__status=execution.status,
        moviegraph__attempts=len(execution.attempts),
        moviegraph__rules=", ".join(dict.fromkeys(rules)) or None,
        moviegraph__rows=execution.row_count,
        moviegraph__truncated=execution.truncated,
        moviegraph__quality__score=None if score is None else float(score),
        moviegraph__models__calls=sum(cost.calls for cost in execution.models) or None,
        moviegraph__models__input_tokens=sum(cost.prompt_tokens for cost in execution.models)
        or None,
        moviegraph__models__output_tokens=sum(cost.completion_tokens for cost in execution.models)
        or None,
        moviegraph__elapsed_ms=execution.elapsed_ms,
    )
    if execution.code is not None:
        span.fail(execution.code)


def lineage(
    columns: Sequence[str], outputs: Iterable[Output]
) -> tuple[tuple[str, str, str | None] | None, ...]:
    """Return, for each column of a result, the contract column that it carries unchanged."""
    origins = [
        (
            output.name,
            (output.table, output.column, output.alias) if output.table and output.column else None,
        )
        for output in outputs
    ]
    if len(origins) == len(columns):
        return tuple(origin for _, origin in origins)
    by_name = dict(origins)
    return tuple(by_name.get(column) for column in columns)


def recordable(text: str) -> str:
    """Return a text that every store can contain: of bounded length, without half characters."""
    return text[:MAX_RECORDED_CHARS].encode("utf-8", "replace").decode()


def _optional(text: str | None) -> str | None:
    return None if text is None else recordable(text)


def record_failure(session: Session, call: Call, error: Exception) -> None:
    """Record a call that was refused, failed or cancelled, unless one of its parts says so."""
    if call.ledger.recorded or isinstance(error, JournalError):
        return
    recording = CallRecorder(session, call, _given(call), started=call.began)
    recording.details["models"] = call.ledger.take()
    recording.fail(error)


def _given(call: Call) -> str:
    return json.dumps(call.given, ensure_ascii=False, default=str)
