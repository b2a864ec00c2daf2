"""Runs the model's own T-SQL: judged, repaired by rules where that is faithful, and recorded."""

from collections.abc import Sequence

from moviegraph.errors import ForModel
from moviegraph.query.unmatched_names import unmatched_name_notes
from moviegraph.retrieval.arguments import check_top, clean_text
from moviegraph.retrieval.keys import nodes_of
from moviegraph.retrieval.mending import run_repaired
from moviegraph.retrieval.recording import Answer, Finding, Key, Recording
from moviegraph.retrieval.road import execute, listed
from moviegraph.retrieval.session import Call, Change, Rows, Session

__all__ = ["execute", "finding", "run"]
LONGEST_PURPOSE = 1_000
UNUSED = "`query` was ignored: the statement has no @q."
TOO_WIDE = (
    "The first row alone exceeds the size limit: select fewer columns, or shorten long text "
    "with LEFT(x, 240)."
)


def run(
    session: Session,
    call: Call,
    *,
    sql: str,
    query: str | None = None,
    purpose: str | None = None,
    top: int | None = None,
    repair: bool = True,
) -> Rows:
    """Judge and run one SELECT; `query` is the text whose embedding @q stands for.

    Raises:
        RefusedError: The guard refused it and no rule mends it.
        ForModel: An argument is wrong, or the engine could not run it.
    """
    with Recording(session, call, given=sql, purpose=purpose) as recording:
        recording.query = None if query is None else clean_text(query, "query")
        if purpose is not None:
            clean_text(purpose, "purpose", LONGEST_PURPOSE)
        limits = listed(session, None if top is None else check_top(top, session))
        answer, changes = run_repaired(recording, sql, limits, repair=repair)
        return recording.finish(finding(recording, answer, changes))


def finding(
    recording: Recording,
    answer: Answer,
    changes: tuple[Change, ...],
    nodes: Sequence[Key | None] | None = None,
) -> Finding:
    """Return what a statement of the model's own found: its rows, and which of them are nodes."""
    notes = [f"Repaired before it ran ({c.rule}): {c.why}" for c in changes]
    notes += answer.allowed.notes
    if recording.query is not None and not answer.allowed.uses_query:
        notes.append(UNUSED)
    if answer.truncated == "bytes" and not answer.result.rows:
        notes.append(TOO_WIDE)
    notes += [answer.tie_note] if answer.tie_note else []
    notes += _unmatched_names(recording, answer)
    if nodes is None:
        nodes = () if answer.allowed.json else nodes_of(recording, answer)
    return Finding(
        answer=answer,
        columns=answer.result.columns,
        rows=answer.result.rows,
        truncated=answer.truncated,
        notes=tuple(notes),
        keys=tuple(node for node in nodes if node is not None),
        changes=changes,
        lineage=answer.allowed.outputs,
    )


def _unmatched_names(recording: Recording, answer: Answer) -> tuple[str, ...]:
    """Return notes on compared names that no node has; they are looked up once for a result."""
    names = answer.allowed.compared_names
    if not names:
        return ()

    def look_up() -> tuple[str, ...]:
        with recording.reader() as graph:
            return unmatched_name_notes(graph, recording.session.contract, names)

    try:
        return answer.result.memoize("unmatched names", look_up)
    except ForModel:  # the rows are an answer without them
        return ()
