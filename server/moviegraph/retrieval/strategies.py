"""Runs a whole plan in one call: every strategy judged, repaired where needed, and recorded."""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Any

from moviegraph.errors import ArgumentError, ForModel
from moviegraph.incident import report
from moviegraph.journal.records import Attempt
from moviegraph.retrieval.arguments import clean_text
from moviegraph.retrieval.comparison import answer_of
from moviegraph.retrieval.gathered import Gathered, gather
from moviegraph.retrieval.keys import row_keys
from moviegraph.retrieval.mending import run_repaired
from moviegraph.retrieval.outcome import Outcome
from moviegraph.retrieval.quality import measure
from moviegraph.retrieval.ranking import reranked
from moviegraph.retrieval.readonly_sql import finding
from moviegraph.retrieval.recording import Key, Recording, recordable
from moviegraph.retrieval.session import Call, Session
from moviegraph.tracing import carried, step

__all__ = ["Strategy", "run"]
MOST_STRATEGIES = 10
LONGEST_ID = 64
LONGEST_MESSAGE = 2_000
WORKERS = 4


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way to the data: the text behind @q and the T-SQL, with a sentence for the user."""

    id: str
    message_to_user: str
    query: str | None = None
    command: str = ""

    @property
    def work(self) -> tuple[str, str | None]:
        """What is run; strategies that agree in it are run once."""
        return " ".join(self.command.split()).rstrip("; "), (self.query or "").strip() or None


@dataclass(slots=True)
class _Plan:
    """The plan under way: its deadline, and how many strategies are done."""

    session: Session
    call: Call
    question: str
    repair: bool
    deadline: float
    done: int = 0
    outcomes: dict[tuple[str, str | None], Outcome] = field(
        default_factory=dict[tuple[str, str | None], Outcome]
    )


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
    """
    question = clean_text(question, "question")
    _check(strategies)
    plan = _Plan(session, call, question, repair, call.deadline(session.caps))
    _run_all(plan, strategies)
    helper = Recording(session, call, given=question, query=question)
    helper.deadline = plan.deadline
    with step("compare") as taken:
        known = _measure(plan, helper)
        pairs = [(each, plan.outcomes[each.work]) for each in strategies]
        named = [(s.id, s.message_to_user, outcome) for s, outcome in pairs]
        answer = answer_of(question, named, known, session.caps.top_expanded)
        taken.tell(
            moviegraph__strategies=len(strategies),
            moviegraph__best=answer["best"],
            moviegraph__fused_rows=len(answer["fused"]["rows"]),
        )
    for outcome in plan.outcomes.values():
        _record(plan, outcome)
    if time.monotonic() < plan.deadline:
        _rank(helper, answer)
    return answer


def _rank(helper: Recording, answer: dict[str, Any]) -> None:
    """Let the model rank the fused list; what that cost is recorded beside the executions."""
    call = helper.call
    ranked = reranked(helper.session, call, answer["question"], answer["fused"]["rows"])
    if ranked is not None:
        answer["fused"]["rows"] = ranked
        answer["why"] += " The language model ranked the fused list; its scores are the fusion's."
    if call.ledger.waits(helper.given):
        helper.record(
            status="failed" if ranked is None else "ok",
            code="language_model" if ranked is None else None,
            notes=("The language model was asked to rank what the strategies found.",),
            elapsed_ms=helper.elapsed,
        )


def _check(strategies: Sequence[Strategy]) -> None:
    if not 1 <= len(strategies) <= MOST_STRATEGIES:
        raise ArgumentError(
            f"`strategies` holds 1 to {MOST_STRATEGIES} strategies, not {len(strategies)}."
        )
    seen: set[str] = set()
    for strategy in strategies:
        name = clean_text(strategy.id, "id", LONGEST_ID)
        if name in seen:
            raise ArgumentError(
                f"Two strategies have the id {name[:40]!a}.", hint="Give each an id of its own."
            )
        seen.add(name)
        if len(strategy.message_to_user) > LONGEST_MESSAGE:
            raise ArgumentError(f"`message_to_user` has at most {LONGEST_MESSAGE:,} characters.")
        if strategy.query is not None and strategy.query.strip():
            clean_text(strategy.query, "query")


def _run_all(plan: _Plan, strategies: Sequence[Strategy]) -> None:
    """Run each distinct piece of work once, some at a time; report after each."""
    distinct: dict[tuple[str, str | None], Strategy] = {}
    for strategy in strategies:
        distinct.setdefault(strategy.work, strategy)
    with ThreadPoolExecutor(WORKERS, thread_name_prefix="strategy") as pool:
        futures: dict[Future[Outcome], Strategy] = {
            pool.submit(carried(_run_one, plan, strategy)): strategy
            for strategy in distinct.values()
        }
        for future in as_completed(futures):
            outcome = future.result()
            plan.done += 1
            said = f"{futures[future].id}: {outcome.said}"
            plan.call.progress(plan.done, len(distinct), said)
            plan.outcomes[futures[future].work] = outcome
    # The order of the plan, not of completion, decides ties later on.
    plan.outcomes = {work: plan.outcomes[work] for work in distinct}


def _run_one(plan: _Plan, strategy: Strategy) -> Outcome:
    with step("strategy") as taken:
        outcome = _outcome(plan, strategy)
        taken.tell(
            moviegraph__strategy_id=strategy.id,
            moviegraph__execution_id=outcome.recording.id,
            moviegraph__status=outcome.status,
        )
    return outcome


def _outcome(plan: _Plan, strategy: Strategy) -> Outcome:
    query = strategy.work[1]
    recording = Recording(plan.session, plan.call, given=strategy.command, query=query)
    recording.deadline = plan.deadline
    recording.details = {
        "question": plan.question,
        "strategy_id": strategy.id,
        "message_to_user": recordable(strategy.message_to_user),
    }
    outcome = Outcome(recording)
    try:
        answer, changes = run_repaired(
            recording, strategy.command, repair=plan.repair, use_model=True
        )
        outcome.found = finding(recording, answer, changes)
        outcome.keys = _keys(recording, outcome)
    except Exception as error:  # noqa: BLE001 - one bad strategy never spoils the others
        outcome.found = None
        outcome.error = error
        _note_failure(recording, strategy, error)
    recording.stop()
    return outcome


def _keys(recording: Recording, outcome: Outcome) -> list[Key]:
    """Return the distinct nodes of the rows, in order."""
    found = outcome.found
    if found is None or found.answer.allowed.json:
        return []
    keys = found.keys or row_keys(recording, found.answer.allowed.outputs, found.rows)
    return list(dict.fromkeys(key for key in keys if key is not None))


def _note_failure(recording: Recording, strategy: Strategy, error: Exception) -> None:
    """End the attempts with what failed, where no attempt says so yet."""
    if recording.attempts and recording.attempts[-1].code is not None:
        return
    if isinstance(error, ForModel):
        code, message = error.code, recordable(error.message)
    else:
        code, message = "internal_error", report(error, recording.call.tool)
    sql = recordable(strategy.command)
    recording.attempts.append(Attempt(sql=sql, code=code, message=message))


def _measure(plan: _Plan, helper: Recording) -> Mapping[Key, Gathered]:
    """Give each outcome its quality; return what is known of all nodes found."""
    outcomes = list(plan.outcomes.values())
    keys = dict.fromkeys(key for outcome in outcomes for key in outcome.keys)
    known = gather(helper, keys)
    near = {key: each.similarity for key, each in known.items() if each.similarity is not None}
    measured = measure(
        [outcome.row_count for outcome in outcomes],
        [frozenset(outcome.keys) for outcome in outcomes],
        near,
        plan.session.caps.top,
    )
    for outcome, quality in zip(outcomes, measured, strict=True):
        outcome.quality = quality if outcome.status == "ok" else None
    return known


def _record(plan: _Plan, outcome: Outcome) -> None:
    recording = outcome.recording
    if outcome.found is None:
        assert outcome.error is not None
        recording.fail(outcome.error)
        return
    if outcome.quality is not None:
        recording.details["quality"] = outcome.quality.as_dict()
    recording.finish(outcome.found)
