"""The recorder of a call: its statements, its time, and its records in the journal."""

import json
import math
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from moviegraph.engines.base import ResultSet
from moviegraph.errors import JournalError, ModelVisibleError, MoviegraphError, RefusedError
from moviegraph.journal.execution_records import Attempt, Cell, Execution, Status, new_execution_id
from moviegraph.observability import (
    TraceSpan,
    count_execution,
    count_repair,
    measure_append,
    measure_tokens,
    trace_span,
)
from moviegraph.query.query_pipeline import (
    TimeAllocator,
    execute,
    row_limits,
)
from moviegraph.query.session import Call
from moviegraph.query.session import Change
from moviegraph.query.session import RowPaths
from moviegraph.query.session import Rows
from moviegraph.query.session import Session
from moviegraph.sql.decision import Allowed, Output
from moviegraph.sql.guard import RowLimits

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

    def __enter__(self) -> "CallRecorder":
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
    def reader(self) -> Generator["GraphReader"]:
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


def record_asked(session: Session, call: Call, statements: int) -> None:
    """Record a call that ends by asking for the client's model; the client's next call goes on."""
    recording = CallRecorder(session, call, _given(call), started=call.began)
    recording.attempts += call.ledger.take_rejected()
    recording.record(
        status="asked",
        notes=(f"Requesting repair of {statements} of the statements from the client's model.",),
        models=call.ledger.take(),
        elapsed_ms=recording.elapsed,
    )


def _given(call: Call) -> str:
    return json.dumps(call.given, ensure_ascii=False, default=str)
