"""The runner of a plan: every strategy validated, repaired where needed, and recorded."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from concurrent.futures import TimeoutError as FuturesTimeoutError
from dataclasses import dataclass, field
from typing import Any

from moviegraph.engines.base import LATE
from moviegraph.errors import ArgumentError, ModelVisibleError, QueryTimeoutError, UnavailableError
from moviegraph.journal.execution_records import Attempt
from moviegraph.observability import report, trace_span, with_trace_context
from moviegraph.query.query_pipeline import CallRecorder, Key, TimeAllocator, recordable
from moviegraph.query.readonly_sql import row_names, statement_output
from moviegraph.query.repair_pipeline import attempt, run_repaired
from moviegraph.query.session import Call, Session
from moviegraph.strategies.comparison import (
    RANKED,
    Outcome,
    StrategyNode,
    answer_of,
    gather,
    measure,
    reranked,
)

LOG = logging.getLogger("moviegraph")
MAX_STRATEGIES = 10
WORKERS = 4
GRACE = 1.0
Work = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way to the data: the text behind @q and the T-SQL, with a sentence for the user."""

    id: str
    message_to_user: str
    query: str | None = None
    command: str = ""

    @property
    def work(self) -> Work:
        """The work of a strategy; strategies with equal work are run once.

        White space inside counts: which of it is text of the author's, the guard alone decides.
        """
        return self.command.strip("; \n\t"), (self.query or "").strip() or None


@dataclass(slots=True)
class _Plan:
    """The plan under way: its deadline, and how many strategies are done."""

    session: Session
    call: Call
    question: str
    repair: bool
    deadline: float
    done: int = 0
    outcomes: dict[Work, Outcome] = field(default_factory=dict[Work, Outcome])


def run(
    session: Session,
    call: Call,
    *,
    question: str,
    strategies: Sequence[Strategy],
    repair: bool = True,
) -> dict[str, Any]:
    """Run strategies, compare and fuse them; a bad one never spoils the others.

    Raises:
        ArgumentError: The plan itself is wrong; nothing was run.
        UnavailableError: No thread can be started for a strategy (code busy).
    """
    question = question.strip()
    _check(strategies)
    plan = _Plan(session, call, question, repair, call.deadline(session.caps))
    _run_all(plan, strategies)
    recorder = CallRecorder(session, call, given=question, query=question)
    with trace_span("compare") as span:
        nodes_by_key = _measure(plan, recorder)
        pairs = [(strategy, plan.outcomes[strategy.work]) for strategy in strategies]
        named_outcomes = [
            (strategy.id, strategy.message_to_user, outcome) for strategy, outcome in pairs
        ]
        answer = answer_of(question, named_outcomes, nodes_by_key, session.caps.top_expanded)
        span.set_attributes(
            moviegraph__strategies=len(strategies),
            moviegraph__best=answer["best"],
            moviegraph__fused_rows=len(answer["fused"]["rows"]),
        )
    for outcome in plan.outcomes.values():
        _record(outcome)
    _rank(recorder, answer)
    return answer


def _rank(recorder: CallRecorder, answer: dict[str, Any]) -> None:
    """Let the model rank the fused list; what that cost is recorded beside the executions."""
    call, fused = recorder.call, answer["fused"]
    fused["rows"], remark = reranked(recorder.session, call, recorder.given, fused["rows"])
    answer["why"] += remark
    if call.ledger.waits(recorder.given):
        failed = remark != RANKED
        recorder.record(
            status="failed" if failed else "ok",
            code="language_model" if failed else None,
            notes=("Requesting a ranking of the fused results from the language model.",),
            elapsed_ms=recorder.elapsed,
        )


def _check(strategies: Sequence[Strategy]) -> None:
    counts = Counter(strategy.id.strip() for strategy in strategies)
    for name, count in counts.items():
        if count > 1:
            raise ArgumentError(
                f"Two strategies have the same id {name[:40]!a}.", hint="Use a unique id for each."
            )


def _run_all(plan: _Plan, strategies: Sequence[Strategy]) -> None:
    """Run each distinct piece of work once, some at a time; report after each.

    Each gets its share of the time, so that those that run out of theirs leave some to the last.
    What is still under way when the time is up fails by that, and is abandoned. Threads
    that may wait for a model are as many as strategies, so that these hold up no other one.
    """
    distinct: dict[Work, Strategy] = {}
    for strategy in strategies:
        distinct.setdefault(strategy.work, strategy)
    share = TimeAllocator(len(distinct), WORKERS, plan.deadline)
    plan.outcomes = {work: _new_outcome(plan, strategy) for work, strategy in distinct.items()}
    for outcome in plan.outcomes.values():
        outcome.recording.share = share
    workers = WORKERS if plan.session.model is None else MAX_STRATEGIES
    pool = ThreadPoolExecutor(workers, thread_name_prefix="strategy")
    futures: dict[Future[None], Work] = {}
    try:
        for work, strategy in distinct.items():
            future = _submit(
                pool, with_trace_context(_run_one, plan, strategy, plan.outcomes[work])
            )
            futures[future] = work
        for future in as_completed(futures, timeout=_wait_seconds(plan)):
            future.result()
            _report_progress(plan, distinct[futures.pop(future)])
    except FuturesTimeoutError:
        for work in futures.values():
            plan.outcomes[work] = _overdue_outcome(plan, distinct[work], plan.outcomes[work])
            _report_progress(plan, distinct[work])
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _submit(pool: ThreadPoolExecutor, work: Callable[[], None]) -> Future[None]:
    try:
        return pool.submit(work)
    except RuntimeError as error:
        LOG.error(
            "No thread could be started for a strategy: %s.",
            error,
            extra={"facts": {"event": "thread_refused"}},
        )
        raise UnavailableError(
            "The server is busy: the system provides no more threads. The strategies are "
            "not compared.",
            code="busy",
            hint="Retry the same call in a few seconds, with fewer strategies.",
        ) from error


def _wait_seconds(plan: _Plan) -> float:
    """Return how long to wait for all: statements end by themselves at the deadline."""
    return max(0.0, plan.deadline - time.monotonic()) + GRACE


def _report_progress(plan: _Plan, strategy: Strategy) -> None:
    plan.done += 1
    remark = f"{strategy.id}: {plan.outcomes[strategy.work].summary}"
    plan.call.progress(plan.done, len(plan.outcomes), remark)


def _overdue_outcome(plan: _Plan, strategy: Strategy, late: Outcome) -> Outcome:
    """Return the failure that replaces an outcome which is abandoned."""
    outcome = _new_outcome(plan, strategy)
    outcome.recording.attempts = [failed for failed in late.recording.attempts if failed.code]
    seconds = plan.session.caps.total_timeout
    error = QueryTimeoutError(f"The call took longer than {seconds:g} s.", hint=LATE)
    outcome.error = error
    outcome.recording.attempts.append(attempt(strategy.command, None, error))
    outcome.recording.stop()
    return outcome


def _new_outcome(plan: _Plan, strategy: Strategy) -> Outcome:
    recording = CallRecorder(
        plan.session, plan.call, given=strategy.command, query=strategy.work[1]
    )
    recording.details = {
        "question": plan.question,
        "strategy_id": strategy.id,
        "message_to_user": recordable(strategy.message_to_user),
    }
    return Outcome(recording)


def _run_one(plan: _Plan, strategy: Strategy, outcome: Outcome) -> None:
    with trace_span("strategy") as span:
        _fill(plan, strategy, outcome)
        span.set_attributes(
            moviegraph__strategy_id=strategy.id,
            moviegraph__execution_id=outcome.recording.id,
            moviegraph__status=outcome.status,
        )


def _fill(plan: _Plan, strategy: Strategy, outcome: Outcome) -> None:
    recording = outcome.recording
    recording.begin()
    try:
        answer, changes = run_repaired(
            recording, strategy.command, repair=plan.repair, use_model=True
        )
        outcome.output = statement_output(recording, answer, changes)
        outcome.keys = list(dict.fromkeys(outcome.output.keys))
        outcome.names = _names(recording, outcome)
    except Exception as error:  # noqa: BLE001 - one bad strategy never spoils the others
        outcome.output = None
        outcome.error = error
        _note_failure(recording, strategy, error)
    if recording.share:
        recording.share.done()
    recording.stop()


def _names(recording: CallRecorder, outcome: Outcome) -> dict[Key, str]:
    """Return the names that the rows give whole."""
    answer = outcome.output.answer if outcome.output else None
    if answer is None or answer.allowed.json or answer.result.truncated == "cells":
        return {}
    return row_names(recording.session.contract, answer.allowed.outputs, answer.result.rows)


def _note_failure(recording: CallRecorder, strategy: Strategy, error: Exception) -> None:
    """End the attempts with what failed, where no attempt says so yet."""
    if recording.attempts and recording.attempts[-1].code is not None:
        return
    if isinstance(error, ModelVisibleError):
        code, message = error.code, recordable(error.message)
    else:
        code, message = "internal_error", report(error, recording.call.tool)
    sql = recordable(strategy.command)
    recording.attempts.append(Attempt(sql=sql, code=code, message=message))


def _measure(plan: _Plan, recorder: CallRecorder) -> Mapping[Key, StrategyNode]:
    """Give each outcome its quality; return the measured nodes by key."""
    outcomes = list(plan.outcomes.values())
    keys = dict.fromkeys(key for outcome in outcomes for key in outcome.keys)
    names = {key: name for outcome in outcomes for key, name in outcome.names.items()}
    nodes_by_key = gather(recorder, keys, names)
    similarities = {
        key: node.similarity for key, node in nodes_by_key.items() if node.similarity is not None
    }
    measured = measure(
        [outcome.row_count for outcome in outcomes],
        [frozenset(outcome.keys) for outcome in outcomes],
        similarities,
        plan.session.caps.top,
    )
    for outcome, quality in zip(outcomes, measured, strict=True):
        outcome.quality = quality if outcome.status == "ok" else None
    return nodes_by_key


def _record(outcome: Outcome) -> None:
    recording = outcome.recording
    if outcome.output is None:
        assert outcome.error is not None
        recording.fail(outcome.error)
        return
    if outcome.quality is not None:
        recording.details["quality"] = outcome.quality.as_dict()
    recording.finish(outcome.output)
