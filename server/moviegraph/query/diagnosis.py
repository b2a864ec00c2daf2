"""The diagnosis of a statement, with a repair where that is safe; nothing is run."""

import re
from dataclasses import asdict, dataclass, replace
from typing import Any

from moviegraph.engines.base import Statement
from moviegraph.errors import ExecutionError, ModelVisibleError, Span
from moviegraph.journal.execution_records import Attempt
from moviegraph.query.query_pipeline import decide
from moviegraph.query.recorder import CallRecorder, recordable
from moviegraph.query.repair_pipeline import BEYOND_REPAIR, MOST_ATTEMPTS, attempt, repaired
from moviegraph.query.session import Call, Change, Session
from moviegraph.sql.decision import Allowed

RUNNING = frozenset({"execution_failed", "conversion_failed", "divide_by_zero"})
QUOTED = re.compile("'[^']*'")  # a value, whose words say nothing
KNOWN: tuple[tuple[str, str, str], ...] = (
    (
        r"divi(?:de|sion)[ _]by[ _]zero",
        "divide_by_zero",
        "A divisor is 0 in some row: divide by NULLIF(x, 0).",
    ),
    (
        r"more than (?:1|one) (?:value|row)",
        "execution_failed",
        "A subquery used as a value returns multiple rows: compare with IN, or aggregate in it.",
    ),
    (
        r"adding a value to a ",
        "conversion_failed",
        (
            "The result of DATEADD is outside the years 1 to 9999 (1753 to 9999 for a "
            "DATETIME): add or subtract less."
        ),
    ),
    (
        r"cannot construct data type",
        "conversion_failed",
        (
            "The numbers form no date: a month is 1 to 12, and a day must exist in its "
            "month; the last day of a month is EOMONTH(DATEFROMPARTS(y, m, 1))."
        ),
    ),
    (
        r"datediff\w* function resulted",
        "conversion_failed",
        "Use DATEDIFF_BIG, or a coarser date part.",
    ),
    (
        r"invalid length parameter",
        "execution_failed",
        (
            "A length is below 0 in some row: CHARINDEX returns 0 if it finds nothing, so "
            "subtract 1 only where it is above 0."
        ),
    ),
    (
        r"limit of 8000 bytes",
        "execution_failed",
        "CAST the text AS NVARCHAR(MAX) inside STRING_AGG, or aggregate fewer rows.",
    ),
    (
        r"invalid floating point operation",
        "conversion_failed",
        (
            "LOG, SQRT or a similar function receives a number outside its domain: test it "
            "first in a CASE."
        ),
    ),
    (
        r"json text is not properly|malformed json",
        "conversion_failed",
        "Test the text first: CASE WHEN ISJSON(x) = 1 THEN JSON_VALUE(x, '$.key') END.",
    ),
    (
        r"specified json path",
        "execution_failed",
        "Remove strict from the path: it then returns NULL where the property is missing.",
    ),
    (
        r"date and/or time|conver.*\b(?:(?:small)?datetime\w*|date|time)\b",
        "conversion_failed",
        (
            "A value is not a date: write dates as 'yyyy-mm-dd', or use TRY_CAST, which returns "
            "NULL instead."
        ),
    ),
    (
        r"overflow|out of range",
        "conversion_failed",
        "A number does not fit its type: CAST to BIGINT or FLOAT before computing.",
    ),
    (
        r"^\W*conversion_failed\W*$",
        "conversion_failed",
        (
            "A value does not fit its type in some row: use TRY_CAST for text, BIGINT or "
            "FLOAT for large numbers, and write dates as 'yyyy-mm-dd'."
        ),
    ),
    (
        r"conver(?:t|sion)|could not cast",
        "conversion_failed",
        (
            "Some text is not a number: use TRY_CAST, and CAST numbers that are concatenated "
            "with text."
        ),
    ),
    (
        r"time ?out|timed out|took longer|cancel",
        "timeout",
        "Filter earlier, select fewer columns, or split the question.",
    ),
    (r"too_complex|more memory", "too_complex", "Filter or aggregate earlier."),
    (
        r"execution_failed",
        "execution_failed",
        "It fails at run time: call again with the full error message.",
    ),
)


def told(error: str) -> ExecutionError:
    """Return a reported error with the code that it has here, and what to write instead."""
    said = QUOTED.sub("''", error)
    for pattern, code, advice in KNOWN:
        if re.search(pattern, said, re.IGNORECASE):
            return ExecutionError(recordable(error), code=code, hint=advice)
    return ExecutionError(
        "The guard accepts the statement and the engine compiles it, so the reported error "
        f"is not in its syntax: {recordable(error)}",
        code="not_reproduced",
        hint="Run it again. If it timed out, filter earlier or select fewer columns.",
    )


SHARE = 0.3
METHODS = ("none", "rules", "provider", "client")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong, and what to write instead."""

    code: str
    message: str
    hint: str | None = None
    span: Span | None = None
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fix:
    """The outcome of fix_sql: status is fixed, unchanged or unfixable.

    `diagnosis` is of the statement as it was given; None where nothing is wrong with it.
    """

    status: str
    sql: str
    diagnosis: Diagnosis | None
    changes: tuple[Change, ...]
    method: str
    attempts: int

    def as_dict(self) -> dict[str, Any]:
        """Return the members as plain values."""
        return asdict(self)


def fix(
    session: Session, call: Call, *, sql: str, error: str | None = None, query: str | None = None
) -> Fix:
    """Return the statement as one that the guard accepts and the engine compiles, if there is one.

    Args:
        session: The graph served.
        call: Who asks.
        sql: The statement.
        error: What its author was told; it matters where the statement is fine here.
        query: The text behind @q.
    """
    recording = CallRecorder(session, call, given=sql, query=query)
    failure = _failure(session, call, sql)
    fix = _unchanged(recording, sql, error, query) if failure is None else None
    fix = _in_dialect(session, fix or _ladder(recording, sql, failure, query))
    _record(recording, fix)
    return fix


def unmended(
    session: Session, call: Call, sql: str, query: str | None, reported: str | None = None
) -> ModelVisibleError | None:
    """Return why a statement cannot run where rules and the configured model do not help.

    The model gets a part of the call's time: what it does not mend is asked elsewhere, and run.

    Args:
        session: The graph served.
        call: Who asks.
        sql: The statement.
        query: The text behind @q.
        reported: How it failed while it ran, where it is fine by itself.
    """
    hurried = replace(call, began=call.began - (1 - SHARE) * session.caps.total_timeout)
    rejected: list[Attempt] = []
    text, failure = sql, _failure(session, call, sql)
    if failure is None and reported:
        error = told(reported)
        repair = repaired(session, sql, error, query=query, models=hurried, attempts=rejected)
        call.ledger.reject(sql, rejected)
        return None if repair else error
    error = failure
    for _ in range(MOST_ATTEMPTS):
        if error is None:
            return None
        mended = repaired(
            session, text, error, query=query, models=hurried, given=sql, attempts=rejected
        )
        if mended is None:
            break
        text, error = mended.sql, _failure(session, call, mended.sql)
        if error is not None and mended.method != "rules":
            rejected.append(attempt(text, mended, error))
    call.ledger.reject(sql, rejected)
    beyond = failure is None or failure.code in BEYOND_REPAIR
    return None if beyond or error is None else failure


def _failure(session: Session, call: Call, sql: str) -> ModelVisibleError | None:
    """Return why a statement cannot run, or None. Raises QueryTimeoutError if cancelled."""
    decision = decide(session, sql)
    if not isinstance(decision, Allowed):
        return decision.error()
    try:
        session.engine.compile(Statement(decision), call.cancellation)
    except ModelVisibleError as error:
        call.cancellation.check()
        return error
    return None


def _unchanged(recording: CallRecorder, sql: str, error: str | None, query: str | None) -> Fix:
    """Return the fix of a statement that compiles here but may have failed while it ran."""
    session = recording.session
    if error:
        attempts, failure = recording.attempts, told(error)
        attempts.append(attempt(sql, None, failure))
        mended = repaired(
            session,
            sql,
            failure,
            query=query,
            models=recording.call,
            given=sql,
            attempts=attempts,
        )
        following = None if mended is None else _failure(session, recording.call, mended.sql)
        if mended is not None:
            attempts.append(attempt(mended.sql, mended, following))
        if mended is not None and following is None:
            diagnosis = _diagnosis(failure)
            return Fix("fixed", mended.sql, diagnosis, mended.changes, mended.method, 1)
    return Fix("unchanged", sql, _remark(session, sql, error, query), (), "none", 0)


def _in_dialect(session: Session, fix: Fix) -> Fix:
    """Write out what the guard only reads as T-SQL, such as LIMIT, so that it runs anywhere."""
    decision = decide(session, fix.sql)
    if not isinstance(decision, Allowed) or not decision.habits:
        return fix
    change = Change("t_sql_form", fix.sql, decision.sql, " ".join(decision.notes))
    return Fix(
        status="fixed",
        sql=decision.sql,
        diagnosis=fix.diagnosis or Diagnosis("syntax", " ".join(decision.habits)),
        changes=(*fix.changes, change),
        method="rules" if fix.method == "none" else fix.method,
        attempts=max(fix.attempts, 1),
    )


def _remark(session: Session, sql: str, error: str | None, query: str | None) -> Diagnosis | None:
    decision = decide(session, sql)
    if isinstance(decision, Allowed) and decision.uses_query and not query:
        return Diagnosis(
            "query_missing",
            "The statement is valid, but it uses @q and needs a `query`.",
            "Pass the text to embed as `query` when you run it.",
        )
    return _diagnosis(told(error)) if error else None


def _ladder(
    recording: CallRecorder, sql: str, failure: ModelVisibleError | None, query: str | None
) -> Fix:
    """Climb the rungs until a statement judges and compiles, five attempts at most."""
    assert failure is not None
    session, text, error = recording.session, sql, failure
    changes: tuple[Change, ...] = ()
    recording.attempts.append(attempt(sql, None, failure))
    tries, method = 0, "none"
    while tries < MOST_ATTEMPTS:
        mended = repaired(
            session,
            text,
            error,
            query=query,
            models=recording.call,
            given=sql,
            attempts=recording.attempts,
        )
        if mended is None:
            break
        tries += 1
        method = max(method, mended.method, key=METHODS.index)
        changes = (*changes, *mended.changes)
        text = mended.sql
        following = _failure(session, recording.call, text)
        recording.attempts.append(attempt(text, mended, following))
        if following is None:
            return Fix("fixed", text, _diagnosis(failure), changes, method, tries)
        error = following
    return Fix("unfixable", sql, _diagnosis(failure), (), "none", tries)


def _diagnosis(error: ModelVisibleError) -> Diagnosis:
    return Diagnosis(error.code, error.message, error.hint, error.span, error.suggestions)


def _record(recording: CallRecorder, fix: Fix) -> None:
    failed = fix.status == "unfixable" and fix.diagnosis is not None
    recording.record(
        status="refused" if failed else "ok",
        code=fix.diagnosis.code if fix.diagnosis else None,
        message=recordable(fix.diagnosis.message) if fix.diagnosis else None,
        sql=None if failed else recordable(fix.sql),
        elapsed_ms=recording.elapsed,
    )
