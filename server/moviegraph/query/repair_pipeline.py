"""The repair pipeline: faithful rules, then the configured model, then the client's own."""

from dataclasses import dataclass
from typing import Literal

from moviegraph.errors import ExecutionError, ModelVisibleError, RefusedError
from moviegraph.journal.execution_records import Attempt, Method
from moviegraph.observability import trace_span
from moviegraph.query.model_requests import Rewritten, drafted, rewritten
from moviegraph.query.query_pipeline import decide
from moviegraph.query.recorder import CallRecorder, ExecutedStatement, recordable
from moviegraph.query.session import Call, Change, Session
from moviegraph.repair.driver import repair as repair_by_rules
from moviegraph.sql.decision import Refused
from moviegraph.sql.guard import RowLimits

MOST_ATTEMPTS = 5
ANOTHER_QUESTION = "another_question"
DRIFTED = "The rewrite changes what the statement requests, so it did not run."
BEYOND_REPAIR = frozenset({"query_missing", "no_vectors", "too_large", "busy", "unavailable"})


@dataclass(frozen=True, slots=True)
class RepairedStatement:
    """A statement made out of a failed one, with what was changed and by which rung.

    What does not ask the `same` is recorded, and never run. `query` is the text that @q has to
    stand for, where the statement named it.
    """

    sql: str
    changes: tuple[Change, ...]
    method: Method
    same: bool = True
    query: str | None = None

    @property
    def rule(self) -> str:
        """The rules that made it, or the model."""
        return ", ".join(dict.fromkeys(change.rule for change in self.changes))


def repaired(
    session: Session,
    sql: str,
    error: ModelVisibleError,
    *,
    query: str | None = None,
    limits: RowLimits | None = None,
    models: Call | None = None,
    given: str | None = None,
    attempts: list[Attempt] | None = None,
) -> RepairedStatement | None:
    """Return what the first rung that can help makes of a failed statement; it is not yet run.

    Args:
        session: The graph served.
        sql: The failed statement.
        error: Why it failed.
        query: The text behind @q.
        limits: Its limits, where they are not the ordinary ones.
        models: The call that may use models; None leaves it to the rules. A draft of the client's
            model comes before the configured one: it was asked for after that had failed.
        given: The statement as the caller sent it, of which `sql` was made.
        attempts: Gets a model's draft that is not followed, because it asks something else.
    """
    if error.code in BEYOND_REPAIR:
        return None
    with trace_span("repair") as span:
        mended = _repaired(session, sql, error, query, limits, models, given)
        if (
            attempts is not None
            and models is not None
            and (mended is None or mended.method == "client")
        ):
            attempts += _of_others(models, sql if given is None else given, len(attempts))
        if mended is not None and not mended.same:
            if attempts is not None:
                attempts.append(_rejected(session, mended, limits))
            mended = None
        span.set_attributes(moviegraph__refusal=error.code, moviegraph__repaired=mended is not None)
        if mended is not None:
            span.set_attributes(moviegraph__method=mended.method, moviegraph__rule=mended.rule)
    return mended


def _repaired(
    session: Session,
    sql: str,
    error: ModelVisibleError,
    query: str | None,
    limits: RowLimits | None,
    models: Call | None,
    given: str | None,
) -> RepairedStatement | None:
    by_rules = _by_rules(session, sql, error, limits)
    if by_rules is not None or models is None:
        return by_rules
    source = sql if given is None else given
    draft = models.drafts.get(source)
    if draft is not None:
        return _mended("client", sql, drafted(session, sql, draft, query))
    key = (sql, error.code, error.message, query)
    said = models.memo.get(key, lambda: rewritten(session, models, sql, error, query, source))
    return _mended("provider", sql, said)


def _by_rules(
    session: Session, sql: str, error: ModelVisibleError, limits: RowLimits | None
) -> RepairedStatement | None:
    decision = decide(session, sql, limits)
    refused = decision if isinstance(decision, Refused) else None
    repaired = repair_by_rules(sql, session.contract, refused, error.message, limits)
    if not repaired.changes or repaired.sql == sql:
        return None
    changes = tuple(Change(c.rule, c.before, c.after, c.why) for c in repaired.changes)
    query = next((change.query for change in repaired.changes if change.query), None)
    return RepairedStatement(repaired.sql, changes, "rules", query=query)


def _mended(
    method: Literal["provider", "client"], sql: str, rewritten: Rewritten | None
) -> RepairedStatement | None:
    if rewritten is None or rewritten.sql == sql:
        return None
    change = Change(method, recordable(sql), recordable(rewritten.sql), rewritten.reason)
    return RepairedStatement(rewritten.sql, (change,), method, rewritten.same)


def _of_others(models: Call, given: str, tried: int) -> list[Attempt]:
    """Return what the configured model drafted in vain before the client's was asked."""
    room = max(0, MOST_ATTEMPTS - 1 - tried)
    return models.ledger.take_rejected(given)[:room] if given in models.drafts else []


def _rejected(session: Session, rejected: RepairedStatement, limits: RowLimits | None) -> Attempt:
    """Return the record of a draft that is not followed; a refusal of the guard says more."""
    decision = decide(session, rejected.sql, limits)
    if isinstance(decision, Refused):
        return attempt(rejected.sql, rejected, decision.error())
    return attempt(rejected.sql, rejected, ExecutionError(DRIFTED, code=ANOTHER_QUESTION))


def run_repaired(
    recording: CallRecorder,
    sql: str,
    limits: RowLimits | None = None,
    *,
    repair: bool = True,
    use_model: bool = False,
) -> tuple[ExecutedStatement, tuple[Change, ...]]:
    """Run a statement, or what the ladder makes of it; every attempt is recorded.

    Raises:
        ModelVisibleError: Nothing could be run; the error is that of the statement as it was given.
    """
    changes: tuple[Change, ...] = ()
    best: RepairedStatement | None = None
    first: ModelVisibleError | None = None
    while True:
        try:
            answer = recording.show(sql, limits=limits)
        except (RefusedError, ExecutionError) as error:
            recording.attempts.append(attempt(sql, best, error))
            spent = not repair or len(recording.attempts) >= MOST_ATTEMPTS
            mended = None if spent else _next(recording, sql, error, limits, use_model=use_model)
            if mended is None:
                if first is None:
                    raise
                raise first from error
            _check_query(recording, mended)
            first = first or error
            sql, best, changes = mended.sql, mended, (*changes, *mended.changes)
        else:
            notes = answer.allowed.notes
            recording.attempts.append(attempt(answer.allowed.sql, best, notes=notes))
            return answer, changes


def _check_query(recording: CallRecorder, mended: RepairedStatement) -> None:
    """Raise RefusedError where @q would stand for another text than the statement named."""
    wanted, caller_query = mended.query, recording.query
    if wanted is None or _folded(wanted) == _folded(caller_query or ""):
        return
    query_text = (
        f"`query` is {caller_query!r}"
        if caller_query and caller_query.strip()
        else "`query` is missing"
    )
    error = RefusedError(
        f"The statement requests the embedding of {wanted!r}, but {query_text}.",
        code="query_missing",
        hint=f"Pass {wanted!r} as `query`; @q is the embedding of exactly that text.",
    )
    recording.attempts.append(attempt(mended.sql, mended, error))
    raise error


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _next(
    recording: CallRecorder,
    sql: str,
    error: ModelVisibleError,
    limits: RowLimits | None,
    *,
    use_model: bool,
) -> RepairedStatement | None:
    return repaired(
        recording.session,
        sql,
        error,
        query=recording.query,
        limits=limits,
        models=recording.call if use_model else None,
        given=recording.given,
        attempts=recording.attempts,
    )


def attempt(
    sql: str,
    best: RepairedStatement | None,
    error: ModelVisibleError | None = None,
    notes: tuple[str, ...] = (),
) -> Attempt:
    """Return the record of one try, with the rung that made it, and what the guard decided."""
    return Attempt(
        sql=recordable(sql),
        decision="refused" if isinstance(error, RefusedError) else "allowed",
        code=error.code if error else None,
        message=recordable(error.message) if error else None,
        notes=notes,
        method=best.method if best else None,
        rule=best.rule if best else None,
    )
