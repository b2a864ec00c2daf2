"""The runner of a plan: every strategy validated, repaired where needed, and recorded."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from concurrent.futures import TimeoutError as FuturesTimeoutError
from dataclasses import asdict, dataclass
from threading import Semaphore
from typing import Any

from moviegraph.engines.base import LATE
from moviegraph.errors import ArgumentError, ModelVisibleError, QueryTimeoutError, UnavailableError
from moviegraph.journal.execution_records import Attempt
from moviegraph.observability import report, trace_span, with_trace_context
from moviegraph.query.query_pipeline import CallRecorder, recordable
from moviegraph.query.readonly_sql import statement_output
from moviegraph.query.repair_pipeline import attempt, run_repaired
from moviegraph.query.session import Call, Session
from moviegraph.strategies.comparison import (
    RANKED,
    Outcome,
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


class _Plan:
    """The plan under way: the distinct work of its strategies, and an outcome of each.

    The time of the call is shared, so that those that run out of their part leave some to the last.
    """

    def __init__(
        self,
        session: Session,
        call: Call,
        question: str,
        strategies: Sequence[Strategy],
        *,
        repair: bool,
    ) -> None:
        self.session = session
        self.call = call
        self.question = question
        self.repair = repair
        self.distinct: dict[Work, Strategy] = {}
        for strategy in strategies:
            self.distinct.setdefault(strategy.work, strategy)
        total = max(0.0, call.deadline(session.limits) - time.monotonic())
        self.seconds = total * min(1.0, WORKERS / len(self.distinct))
        self.turns = Semaphore(WORKERS)
        self.outcomes = {work: self.new_outcome(one) for work, one in self.distinct.items()}

    def new_outcome(self, strategy: Strategy) -> Outcome:
        """Return an outcome to be filled by a run."""
        recording = CallRecorder(self.session, self.call, strategy.command, query=strategy.work[1])
        recording.seconds, recording.turns = self.seconds, self.turns
        recording.details = {
            "question": self.question,
            "strategy_id": strategy.id,
            "message_to_user": recordable(strategy.message_to_user),
        }
        return Outcome(recording)


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
    for name, count in Counter(strategy.id.strip() for strategy in strategies).items():
        if count > 1:
            raise ArgumentError(
                f"Two strategies have the same id {name[:40]!a}.", hint="Use a unique id for each."
            )
    plan = _Plan(session, call, question, strategies, repair=repair)
    _run_all(plan)
    recorder = CallRecorder(session, call, request=question, query=question)
    with trace_span("compare") as span:
        outcomes = list(plan.outcomes.values())
        keys = dict.fromkeys(key for outcome in outcomes for key in outcome.keys)
        nodes_by_key = gather(recorder, question, keys)
        measure(outcomes, nodes_by_key, session.limits.top)
        named_outcomes = [
            (strategy.id, strategy.message_to_user, plan.outcomes[strategy.work])
            for strategy in strategies
        ]
        answer = answer_of(question, named_outcomes, nodes_by_key, session.limits.top_expanded)
        span.set_attributes(
            moviegraph__strategies=len(strategies),
            moviegraph__best=answer["best"],
            moviegraph__fused_rows=len(answer["fused"]["rows"]),
        )
    for outcome in outcomes:
        _record(outcome)
    _rank(recorder, answer)
    return answer


def _rank(recorder: CallRecorder, answer: dict[str, Any]) -> None:
    """Let the model rank the fused list; what that cost is recorded beside the executions."""
    call, fused = recorder.call, answer["fused"]
    fused["rows"], remark = reranked(recorder.session, call, recorder.request, fused["rows"])
    answer["why"] += remark
    if remark:
        failed = remark != RANKED
        recorder.record(
            status="failed" if failed else "ok",
            code="language_model" if failed else None,
            notes=("Requesting a ranking of the fused results from the language model.",),
        )


def _run_all(plan: _Plan) -> None:
    """Run each distinct piece of work once, some at a time; report after each.

    What is still under way when the time is up fails by that, and is abandoned. Threads that may
    wait for a model are as many as strategies, so that these hold up no other one; no more than
    `WORKERS` statements run at once all the same.
    """
    workers = WORKERS if plan.session.model is None else MAX_STRATEGIES
    pool = ThreadPoolExecutor(workers, thread_name_prefix="strategy")
    running: dict[Future[None], Work] = {}
    try:
        for work, strategy in plan.distinct.items():
            run_one = with_trace_context(_run_one, plan, strategy, plan.outcomes[work])
            running[_submit(pool, run_one)] = work
        # Statements end by themselves at the deadline.
        wait = max(0.0, plan.call.deadline(plan.session.limits) - time.monotonic()) + GRACE
        for future in as_completed(list(running), timeout=wait):
            future.result()
            _report_progress(plan, running.pop(future), len(running))
    except FuturesTimeoutError:
        for left, work in enumerate(running.values(), start=1):
            plan.outcomes[work] = _overdue_outcome(plan, plan.distinct[work], plan.outcomes[work])
            _report_progress(plan, work, len(running) - left)
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


def _report_progress(plan: _Plan, work: Work, left: int) -> None:
    total = len(plan.outcomes)
    remark = f"{plan.distinct[work].id}: {plan.outcomes[work].summary}"
    plan.call.progress(total - left, total, remark)


def _overdue_outcome(plan: _Plan, strategy: Strategy, late: Outcome) -> Outcome:
    """Return the failure that replaces an outcome which is abandoned."""
    outcome = plan.new_outcome(strategy)
    recording = outcome.recording
    recording.attempts = [failed for failed in late.recording.attempts if failed.code]
    seconds = plan.session.limits.total_timeout
    outcome.error = QueryTimeoutError(f"The call took longer than {seconds:g} s.", hint=LATE)
    recording.attempts.append(attempt(strategy.command, None, outcome.error))
    recording.stopped = time.monotonic()
    return outcome


def _run_one(plan: _Plan, strategy: Strategy, outcome: Outcome) -> None:
    recording = outcome.recording
    with trace_span("strategy") as span:
        recording.started = time.monotonic()
        try:
            answer, changes = run_repaired(
                recording, strategy.command, repair=plan.repair, use_model=True
            )
            outcome.output = statement_output(recording, answer, changes)
            outcome.keys = list(dict.fromkeys(outcome.output.keys))
        except Exception as error:  # noqa: BLE001 - one bad strategy never spoils the others
            outcome.output = None
            outcome.error = error
            _note_failure(recording, strategy, error)
        recording.stopped = time.monotonic()
        span.set_attributes(
            moviegraph__strategy_id=strategy.id,
            moviegraph__execution_id=recording.id,
            moviegraph__status=outcome.status,
        )


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


def _record(outcome: Outcome) -> None:
    recording = outcome.recording
    if outcome.output is None:
        assert outcome.error is not None
        recording.fail(outcome.error)
        return
    if outcome.quality is not None:
        recording.details["quality"] = asdict(outcome.quality)
    recording.finish(outcome.output)
