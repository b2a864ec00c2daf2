"""The repair pipeline: faithful rules, then the configured model, then the client's own."""

from dataclasses import dataclass
from typing import Literal

from moviegraph.errors import ExecutionError, ModelVisibleError, RefusedError
from moviegraph.journal.execution_records import Attempt, Method
from moviegraph.observability import trace_span
from moviegraph.query.model_requests import Rewritten, drafted, rewritten
from moviegraph.query.query_pipeline import decide
from moviegraph.query.query_pipeline import CallRecorder
from moviegraph.query.query_pipeline import ExecutedStatement
from moviegraph.query.query_pipeline import recordable
from moviegraph.query.session import Change
from moviegraph.query.session import Session
from moviegraph.repair.driver import repair as repair_by_rules
from moviegraph.sql.decision import Refused
from moviegraph.sql.guard import RowLimits

MAX_ATTEMPTS = 5
ANOTHER_QUESTION = "another_question"
DRIFTED = "The rewrite changes what the statement requests, so it did not run."
BEYOND_REPAIR = frozenset({"query_missing", "no_vectors", "too_large", "busy", "unavailable"})


@dataclass(frozen=True, slots=True)
class RepairedStatement:
    """A statement made of a failed one, with its changes and the stage that made them.

    What does not request the `same` is recorded, and never run. `query` is the text that @q must
    embed, where the statement names it.
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
    recording: CallRecorder,
    sql: str,
    error: ModelVisibleError,
    limits: RowLimits | None = None,
    *,
    use_model: bool = True,
) -> RepairedStatement | None:
    """Return what the first stage that can help makes of a failed statement; it is not yet run.

    Args:
        recording: The call, with the statement as the caller sent it; it gets a model's drafts that
            are not followed.
        sql: The failed statement.
        error: Why it failed.
        limits: Its limits, where they are not the ordinary ones.
        use_model: Whether models may help where no rule does.
    """
    if error.code in BEYOND_REPAIR:
        return None
    with trace_span("repair") as span:
        repair = _by_rules(recording.session, sql, error, limits)
        if repair is None and use_model:
            repair = _by_model(recording, sql, error)
            if repair is None or repair.method == "client":
                recording.attempts += _drafts_of_provider(recording)
        if repair is not None and not repair.same:
            recording.attempts.append(_rejected(recording.session, repair, limits))
            repair = None
        span.set_attributes(moviegraph__refusal=error.code, moviegraph__repaired=repair is not None)
        if repair is not None:
            span.set_attributes(moviegraph__method=repair.method, moviegraph__rule=repair.rule)
    return repair


def _by_model(
    recording: CallRecorder, sql: str, error: ModelVisibleError
) -> RepairedStatement | None:
    """Return the draft of the client's model, requested after the configured one had failed."""
    session, call, query, source = (
        recording.session,
        recording.call,
        recording.query,
        recording.given,
    )
    draft = call.drafts.get(source)
    if draft is not None:
        return _model_repair("client", sql, drafted(session, sql, draft, query))
    key = (sql, error.code, error.message, query)
    reply = call.memo.get(key, lambda: rewritten(session, call, sql, error, query, source))
    return _model_repair("provider", sql, reply)


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


def _model_repair(
    method: Literal["provider", "client"], sql: str, reply: Rewritten | None
) -> RepairedStatement | None:
    if reply is None or reply.sql == sql:
        return None
    change = Change(method, recordable(sql), recordable(reply.sql), reply.reason)
    return RepairedStatement(reply.sql, (change,), method, reply.same)


def _drafts_of_provider(recording: CallRecorder) -> list[Attempt]:
    """Return the rejected drafts of the configured model, before the request to the client's."""
    call, source = recording.call, recording.given
    room = max(0, MAX_ATTEMPTS - 1 - len(recording.attempts))
    return call.ledger.take_rejected(source)[:room] if source in call.drafts else []


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
    """Run a statement or its repair; every attempt is recorded.

    Raises:
        ModelVisibleError: Nothing could be run; the error is that of the statement as it was given.
    """
    changes: tuple[Change, ...] = ()
    repair_made: RepairedStatement | None = None
    first_error: ModelVisibleError | None = None
    while True:
        try:
            executed = recording.show(sql, limits=limits)
        except (RefusedError, ExecutionError) as error:
            recording.attempts.append(attempt(sql, repair_made, error))
            first_error = first_error or error
            can_repair = repair and len(recording.attempts) < MAX_ATTEMPTS
            following = (
                repaired(recording, sql, error, limits, use_model=use_model) if can_repair else None
            )
            if following is None:
                raise first_error from (error if error is not first_error else None)
            _check_query(recording, following)
            sql, repair_made = following.sql, following
            changes = (*changes, *following.changes)
        else:
            notes = executed.allowed.notes
            recording.attempts.append(attempt(executed.allowed.sql, repair_made, notes=notes))
            return executed, changes


def _check_query(recording: CallRecorder, repair: RepairedStatement) -> None:
    """Raise RefusedError where `query` is another text than the statement names for @q."""
    named_query, caller_query = repair.query, recording.query
    if named_query is None or _folded(named_query) == _folded(caller_query or ""):
        return
    query_text = (
        f"`query` is {caller_query!r}"
        if caller_query and caller_query.strip()
        else "`query` is missing"
    )
    error = RefusedError(
        f"The statement requests the embedding of {named_query!r}, but {query_text}.",
        code="query_missing",
        hint=f"Pass {named_query!r} as `query`; @q is the embedding of exactly that text.",
    )
    recording.attempts.append(attempt(repair.sql, repair, error))
    raise error


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def attempt(
    sql: str,
    best: RepairedStatement | None,
    error: ModelVisibleError | None = None,
    notes: tuple[str, ...] = (),
) -> Attempt:
    """Return the record of one try, with the stage that made it, and the decision of the guard."""
    return Attempt(
        sql=recordable(sql),
        decision="refused" if isinstance(error, RefusedError) else "allowed",
        code=error.code if error else None,
        message=recordable(error.message) if error else None,
        notes=notes,
        method=best.method if best else None,
        rule=best.rule if best else None,
    )
