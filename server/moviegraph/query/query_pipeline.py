"""The path of a statement: validated, its text embedded, executed in the budget, and recorded."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import inf
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from moviegraph.embeddings.embedder import embed_queries, require_same_space
from moviegraph.engines.base import ResultSet, Statement, Value
from moviegraph.errors import (
    ExecutionError,
    GraphReplacedError,
    JournalError,
    ModelVisibleError,
    MoviegraphError,
    RefusedError,
)
from moviegraph.journal.execution_records import (
    Attempt,
    Cell,
    Execution,
    Status,
    new_execution_id,
    redact_literals,
)
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
from moviegraph.query.recorded_reader import RecordedReader
from moviegraph.query.rows import RowPaths, Rows
from moviegraph.query.session import Call, Session
from moviegraph.sql.decision import Allowed, Decision, Refused
from moviegraph.sql.guard import NO_PARAMETERS, RowLimits, Where, judge, with_one_more_row

if TYPE_CHECKING:
    from moviegraph.engines.base import Vector
    from moviegraph.engines.retrieval_primitives import GraphReader

MAX_TRACED_CHARS = 2_000
# The names that the semantic conventions for databases give to what runs here.
SYSTEMS = {"mssql": "microsoft.sql_server", "embedded": "duckdb"}
MAX_CELL_CHARS = 1_000
MAX_ROWS_CHARS = 20_000
MAX_PATHS_CHARS = 60_000
RecordedPaths = tuple[tuple[dict[str, Cell], ...], ...]
Item = TypeVar("Item")
MAX_RECORDED_CHARS = 8_000
TOO_LATE = (
    "The call timed out or was cancelled before this result; the client may not have received it."
)


def redact_sql(sql: str, *, with_literals: bool) -> str | None:
    """Return a validated text, literals as `?` unless they may be shown; None if unreadable."""
    if with_literals:
        return sql[:MAX_TRACED_CHARS]
    redacted = redact_literals(sql)
    return redacted and redacted[:MAX_TRACED_CHARS]


def decide(
    session: Session,
    sql: str,
    limits: RowLimits | None = None,
    where: Where | None = None,
    parameters: Mapping[str, str] = NO_PARAMETERS,
) -> Decision:
    """Return the decision of the guard; a fault within it is logged, and named by its reference."""
    with trace_span("judge") as span:
        rows = limits or row_limits(session)
        decision = judge(sql, session.contract, rows, where=where, parameters=parameters)
        if isinstance(decision, Refused) and decision.fault is not None:
            decision = replace(decision, message=report(decision.fault, "guard"), fault=None)
        # A refused text may contain anything, where no rule tells a literal from a name.
        span.set_attributes(
            db__query__text=sql if session.trace_sql else None,
            moviegraph__allowed=isinstance(decision, Allowed),
        )
        if isinstance(decision, Refused):
            span.fail(decision.code)
    return decision


def row_limits(session: Session, top: int | None = None) -> RowLimits:
    """Return the limits of a statement whose rows the caller sees."""
    return RowLimits(top or session.limits.top, session.contract.limits.inner_top)


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
    return embed_queries(session.embedder, [query])[0]


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


@dataclass(frozen=True, slots=True)
class ExecutedStatement:
    """What a statement gave: the decision that let it run, and its rows."""

    allowed: Allowed
    result: ResultSet


class CallRecorder:
    """A context in which one call runs its statements; leaving it by an error records the failure.

    Every statement of a call goes through `execute`, all else that it reads through `reader`.
    `request` is the statement, text or arguments of the caller.
    `details` holds further members of the record, such as the strategy it belongs to; `seconds`
    bounds each statement where the time of the call is divided among several, and `turns` how many
    of those run at once. `started` and `stopped` are where its time begins and ends, if that is not
    now and with the record.
    """

    def __init__(
        self,
        session: Session,
        call: Call,
        request: str,
        *,
        query: str | None = None,
        purpose: str | None = None,
    ) -> None:
        self.session = session
        self.call = call
        self.id = new_execution_id()
        self.query = query
        self.notes: list[str] = []
        self.attempts: list[Attempt] = []
        self.request = request
        self._purpose = purpose
        self.statements: list[str] = []
        self.seconds = inf
        self.turns: AbstractContextManager[Any] = nullcontext()
        self.started = time.monotonic()
        self.stopped: float | None = None
        self.details: dict[str, Any] = {}

    def __enter__(self) -> CallRecorder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # A call that the journal cannot record is not answered, and not recorded as failed; over a
        # graph that was replaced meanwhile the call runs once more.
        skipped = JournalError, GraphReplacedError
        if isinstance(error, Exception) and not isinstance(error, skipped):
            self.fail(error)

    def execute(
        self,
        sql: str,
        *,
        limits: RowLimits | None = None,
        parameters: Mapping[str, str] = NO_PARAMETERS,
        values: Mapping[str, Value] | None = None,
    ) -> ExecutedStatement:
        """Validate and run a statement whose rows the caller sees, within the operator's limits.

        `parameters` are those of a published statement with their types, `values` their values.

        Raises:
            RefusedError: The guard refused, or @q lacks its text (code query_missing).
            ModelVisibleError: The engine could not run it.
            OperatorError: The embedder failed, or its vectors are of another space.
        """
        session, limits = self.session, limits or row_limits(self.session)
        allowed = decide(session, sql, limits, parameters=parameters)
        if not isinstance(allowed, Allowed):
            raise allowed.error()
        vector = query_vector(session, self.query) if allowed.uses_query else None
        budget = self.call.budget(session.limits, allowed.cap, self.seconds)
        budget.cancellation.check()
        with self._traced("SELECT", allowed.sql) as span:
            # One row more than is shown is fetched, and tells whether there are more.
            statement = Statement(with_one_more_row(allowed), vector, values or {})
            result = session.engine.execute(statement, budget)
            span.set_attributes(db__response__returned_rows=len(result.rows))
        self.statements.append(allowed.sql)
        return ExecutedStatement(allowed, result)

    @contextmanager
    def reader(self, tool: str | None = None) -> Generator[GraphReader]:
        """Yield the retrieval primitives, within the time that is left of the call.

        With the name of a fixed tool, for whose rows they are used, they are traced and recorded.
        """
        limits, engine = self.session.limits, self.session.engine
        budget = self.call.budget(limits, limits.top_expanded)
        if tool is None:
            with engine.reader(budget) as graph:
                yield graph
            return
        with self._traced(tool), engine.reader(budget) as graph:
            yield RecordedReader(graph, self._note_step)

    def _note_step(self, step: str) -> None:
        self.statements.append(recordable(step))

    @contextmanager
    def _traced(self, operation: str, sql: str | None = None) -> Generator[TraceSpan]:
        """Yield the span of what the engine does."""
        session = self.session
        with trace_span("execute", SpanKind.CLIENT) as span:
            if span.is_recording:
                with_literals = session.trace_sql
                span.set_attributes(
                    db__system__name=SYSTEMS.get(session.engine.describe().engine, "other_sql"),
                    db__namespace=session.contract.name,
                    db__operation__name=operation,
                    db__query__text=sql and redact_sql(sql, with_literals=with_literals),
                )
            yield span

    def finish(self, output: Rows) -> Rows:
        """Record the result and return it to the caller."""
        notes = tuple(dict.fromkeys((*self.notes, *output.notes)))
        elapsed, is_stored = self.elapsed, self.session.journal_results
        is_traced_back = len(output.lineage) == len(output.columns)  # not in a JSON document
        self.record(
            status="ok" if output.rows else "empty",
            sql=output.sql and recordable(output.sql),
            notes=notes,
            columns=output.columns,
            lineage=tuple(
                (column.table, column.column, column.alias)
                if column.table and column.column
                else None
                for column in (output.lineage if is_traced_back else ())
            ),
            keys=tuple(dict.fromkeys(output.keys)),
            row_count=len(output.rows),
            rows=rows_to_record(output.rows) if is_stored else None,
            paths=paths_to_record(output.paths) if is_stored and output.paths else None,
            truncated=output.truncated,
            elapsed_ms=elapsed,
        )
        return replace(output, execution_id=self.id, notes=notes, elapsed_ms=elapsed)

    def fail(self, error: Exception) -> None:
        """Record that the call failed, and how."""
        status: Status = "refused" if isinstance(error, RefusedError) else "failed"
        code = error.code if isinstance(error, MoviegraphError) else "internal"
        message = "The server could not complete this; the cause is in its log."
        if isinstance(error, ModelVisibleError):
            message = recordable(error.message)
        self.record(status=status, code=code, message=message, notes=tuple(self.notes))

    def record(self, **members: Any) -> None:
        """Write one record of this call, with its result; models charged to it are its own.

        Raises:
            JournalError: It cannot be written, so nothing of it may be answered.
        """
        ledger = self.call.ledger
        members = {
            "models": ledger.take(self.request) if ledger.costs else (),
            "elapsed_ms": self.elapsed,
            **self.details,
            **members,
        }
        if self.call.cancellation.cancelled and members["status"] in ("ok", "empty"):
            members["notes"] = (*members.get("notes", ()), TOO_LATE)
        execution = Execution(
            id=self.id,
            call_id=self.call.id,
            owner=self.call.owner,
            tool=self.call.tool,
            client=self.call.client,
            created=datetime.now(UTC).isoformat(timespec="milliseconds"),
            purpose=self._purpose and recordable(self._purpose),
            query=self.query and recordable(self.query),
            given=recordable(self.request),
            statements=tuple(self.statements),
            attempts=tuple(self.attempts),
            contract_hash=self.session.contract.hash,
            content_hash=self.session.engine.describe().content_hash,
            **members,
        )
        with trace_span("record") as span:
            started, has_failed = time.perf_counter(), True
            try:
                self.session.journal.record(execution)
                has_failed = False
            finally:
                measure_append(time.perf_counter() - started, failed=has_failed)
            _report(span, execution)
        self.call.recorded.set()

    @property
    def elapsed(self) -> float:
        """Milliseconds since the call began, until it was stopped."""
        return round(((self.stopped or time.monotonic()) - self.started) * 1000, 1)


def _report(span: TraceSpan, execution: Execution) -> None:
    """Report the recorded facts in metrics and a span, without any text of the caller."""
    count_execution(execution.tool, execution.status, execution.code, execution.row_count)
    for attempt in execution.attempts:
        if attempt.method is not None:
            count_repair(attempt.method, attempt.code)
    for cost in execution.models:
        if cost.by == "provider" and cost.model and cost.prompt_tokens:
            measure_tokens("chat", cost.model, cost.prompt_tokens, cost.completion_tokens)
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


def recordable(text: str) -> str:
    """Return a text that every store can contain: of bounded length, without half characters."""
    return text[:MAX_RECORDED_CHARS].encode("utf-8", "replace").decode()


def record_failure(session: Session, call: Call, error: Exception) -> None:
    """Record a call that was refused, failed or cancelled, unless one of its parts says so."""
    if call.recorded.is_set() or isinstance(error, JournalError):
        return
    request = json.dumps(call.arguments, ensure_ascii=False, default=str)
    recording = CallRecorder(session, call, request)
    recording.started = call.began
    recording.details["models"] = call.ledger.take()
    recording.fail(error)
