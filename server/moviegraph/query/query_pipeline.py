"""The path of a statement to the engine: validate, embed the text of @q, execute in the budget.

One row more than is shown is fetched, to know whether more exist.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from moviegraph.embeddings.embedder import require_same_space
from moviegraph.engines.base import Budget, ResultSet, Statement
from moviegraph.errors import ExecutionError, RefusedError
from moviegraph.observability import SpanKind, TraceSpan, report, trace_span
from moviegraph.query.session import Session
from moviegraph.repair.tokens import split
from moviegraph.sql.decision import Allowed, Decision, RefusalError, Refused, with_lazy_tree
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
