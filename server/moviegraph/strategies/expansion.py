"""Expansion: an earlier execution again with more rows, by its statement or its tool."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from sqlglot import exp

from moviegraph.errors import ArgumentError, NotFoundError
from moviegraph.journal.execution_records import Execution
from moviegraph.query.query_pipeline import MAX_RECORDED_CHARS, CallRecorder, decide
from moviegraph.query.readonly_sql import UNUSED, nodes_of_rows, statement_output
from moviegraph.query.recall import MAX_WINNERS, is_same_question, recall
from moviegraph.query.rows import Key, Rows
from moviegraph.query.session import Call, Session
from moviegraph.sql.decision import Allowed
from moviegraph.sql.derived_tables import is_one_row
from moviegraph.sql.guard import RowLimits
from moviegraph.sql.limits import root_count
from moviegraph.sql.render import render
from moviegraph.strategies.comparison import gather
from moviegraph.text import plural

SOURCES = frozenset({"__CONTAINSTABLE", "__FREETEXTTABLE"})
DOCUMENT = "A JSON document is not compared with the previous one; count its elements."
MAX_RECENT = 50
COMPLETE = "It did not reach its row limit, so there are no more rows."
CHANGED = "The data changed after that execution."
Repeats = Mapping[str, Callable[[Session, Call, Mapping[str, Any], int], Rows]]
"""By tool the work of an execution again: with its recorded arguments, and a number of rows."""


@dataclass(frozen=True, slots=True)
class Scaled:
    """A statement with other limits: how each inner one grew, and whether its rows have an order.

    `one_row` says that the statement returns one row whatever its limits, so that none was changed.
    """

    sql: str
    grown: tuple[tuple[int, int], ...] = ()
    ordered: bool = True
    one_row: bool = False


def scaled(allowed: Allowed, top: int, most_inner: int) -> Scaled:
    """Return the same statement with another number of rows.

    Inner limits grow by the same factor, up to `most_inner`; they never shrink. An inner limit of 1
    is a choice and stays, and so does one that says what is left out, or that fills a single cell.
    """
    tree = allowed.tree.copy()
    root = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    if isinstance(root, exp.Select) and is_one_row(root):
        return Scaled(allowed.sql, one_row=True)
    factor = max(1.0, top / max(1, allowed.cap))
    grown: list[tuple[int, int]] = []
    for literal in list(_inner(root)):
        count = int(literal.name)
        scaled_count = max(count, min(most_inner, math.ceil(count * factor)))
        if scaled_count > count:
            literal.replace(exp.Literal.number(scaled_count))
            grown.append((count, scaled_count))
    limit = root_count(root)
    if limit is not None:
        limit.replace(exp.Literal.number(top))
    ordered = root.args.get("order") is not None
    return Scaled(render(tree, allowed.matches), tuple(grown), ordered)


def _inner(root: exp.Expr) -> Iterator[exp.Literal]:
    """Yield the limits below the root that decide how much reaches it."""
    for node in root.find_all(exp.Select, exp.SetOperation, exp.Anonymous):
        if node is root or not _feeds(node, root):
            continue
        literal = _count_of_source(node) if isinstance(node, exp.Anonymous) else root_count(node)
        if literal is not None and int(literal.name) > 1:
            yield literal


def _feeds(node: exp.Expr, root: exp.Expr) -> bool:
    """Whether more rows of a node can mean more rows of the root."""
    while node is not root and node.parent is not None:
        parent = node.parent
        if isinstance(parent, exp.Not | exp.All):
            return False
        if isinstance(parent, exp.Except) and node.arg_key == "expression":
            return False
        if isinstance(parent, exp.Select) and node.arg_key in ("expressions", "order", "limit"):
            return False
        node = parent
    return True


def _count_of_source(call: exp.Anonymous) -> exp.Literal | None:
    """Return how many rows a full-text table or a vector search may find, where it says so."""
    last = call.expressions[-1] if call.name in SOURCES else None
    return last if isinstance(last, exp.Literal) and not last.is_string else None


def expand(
    session: Session,
    call: Call,
    repeats: Repeats,
    *,
    execution_id: str | None = None,
    question: str | None = None,
    top: int | None = None,
) -> Rows:
    """Return more rows of the named execution, or of the best one of a question.

    Raises:
        ArgumentError: Not exactly one of the two is given, or the execution failed.
        NotFoundError: The caller has no such execution.
        ModelVisibleError: The statement cannot be run any more.
    """
    if (execution_id is None) == (question is None):
        raise ArgumentError("Pass exactly one of `execution_id` and `question`.")
    rows = session.limits.top_expanded if top is None else top
    if execution_id is not None:
        execution, because = _named(session, call, repeats, execution_id.strip())
    else:
        assert question is not None
        execution, because = _best(session, call, question.strip())
    repeated = _tool_arguments(execution, repeats)
    if repeated is not None:
        tool, arguments = repeated
        again = repeats[tool](session, call, arguments, rows)
        return _compared(session, execution, again, because)
    return _widen_statement(session, call, execution, because, rows)


def _named(
    session: Session, call: Call, repeats: Repeats, execution_id: str
) -> tuple[Execution, str]:
    execution = session.journal.find(call.owner, execution_id)
    if execution is None:
        raise NotFoundError(
            "No execution has that id.",
            hint="Use an `execution_id` from a result of this server.",
        )
    is_known = bool(execution.sql) or _tool_arguments(execution, repeats) is not None
    if execution.status not in ("ok", "empty") or not is_known:
        raise ArgumentError(
            "That execution failed, so it cannot be expanded.",
            hint="Repair its statement with fix_sql, run it, and expand that execution.",
        )
    rows = plural(execution.row_count, "row")
    score = f", score {_score(execution):.2f}" if execution.quality else ""
    return execution, f"Selected by id: {_name(execution)}, {rows}{score}."


def _best(session: Session, call: Call, question: str) -> tuple[Execution, str]:
    """Return the best execution of the question; that of a similar one is only mentioned."""
    content_hash = session.engine.describe().content_hash
    winners = session.journal.winners(call.owner, content_hash, MAX_WINNERS)
    same = [best.question for best in winners if is_same_question(best.question, question)]
    ranked = [
        candidate
        for text in dict.fromkeys([question, *same])
        for candidate in session.journal.recent(call.owner, MAX_RECENT, text)
        if candidate.status == "ok" and candidate.sql and candidate.quality
        if not _has_changed(session, candidate)
    ]
    if ranked:
        best = max(ranked, key=_score)
        return best, (
            f"Of {plural(len(ranked), 'execution')} of this question with rows, "
            f"{_name(best)} has the highest score, {_score(best):.2f}."
        )
    raise NotFoundError(
        "No execution of that question on the current data returned rows.",
        hint=_similar_hint(session, call, question),
    )


def _similar_hint(session: Session, call: Call, question: str) -> str:
    """Name a similar earlier question, which the caller may expand by its execution."""
    similar = recall(session, call, question)
    if similar is None:
        return "Call run_strategies with this question first."
    best = similar.execution
    return (
        "Call run_strategies with this question first. There is a similar earlier question: "
        f"{best.question!r} (similarity {similar.similarity:.2f}). If it means the same, "
        f"expand its best execution, {best.id} (score {_score(best):.2f})."
    )


def _name(execution: Execution) -> str:
    return execution.strategy_id or execution.tool


def _score(execution: Execution) -> float:
    return float((execution.quality or {}).get("score") or 0.0)


def _tool_arguments(execution: Execution, repeats: Repeats) -> tuple[str, dict[str, Any]] | None:
    """Return tool and arguments of an execution, if that can be repeated by them."""
    try:
        recorded: Any = json.loads(execution.given or "")
    except ValueError:  # a statement, or arguments that were too long to be recorded
        return None
    if not isinstance(recorded, dict):
        return None
    arguments = cast("dict[str, Any]", recorded)
    tool: str = arguments.pop("tool", execution.tool)
    return (tool, arguments) if tool in repeats else None


def _compared(session: Session, execution: Execution, rows: Rows, because: str) -> Rows:
    """Return the rows of a repeated tool, with what is new in them."""
    notes = list(rows.notes)
    if _has_changed(session, execution):
        notes.append(CHANGED)
    if execution.truncated is None:
        notes.append(COMPLETE)
    extra = {
        "from_execution_id": execution.id,
        "chosen_because": because,
        "added": max(0, len(rows.rows) - execution.row_count),
    }
    return replace(rows, notes=tuple(notes), extra=extra)


def _widen_statement(
    session: Session, call: Call, execution: Execution, because: str, top: int
) -> Rows:
    sql = _statement(execution)
    with CallRecorder(session, call, request=sql, query=execution.query) as recording:
        recording.details = {"question": execution.question, "strategy_id": execution.strategy_id}
        if _has_changed(session, execution):
            recording.notes.append(CHANGED)
        inner = session.contract.limits.inner_top
        decision = decide(session, sql, RowLimits(session.limits.top_expanded, inner))
        if not isinstance(decision, Allowed):
            raise decision.error()
        wider = scaled(decision, top, inner)
        _note_limits(recording, wider)
        if execution.row_count < decision.cap and not (
            wider.one_row or wider.grown or decision.json
        ):
            recording.notes.append(COMPLETE)
        answer = recording.execute(wider.sql, limits=RowLimits(top, inner))
        nodes = [] if answer.allowed.json else nodes_of_rows(recording, answer)
        output = statement_output(recording, answer, (), nodes)
        if not wider.ordered and len(set(output.keys)) == len(output.rows):
            output = _by_similarity(recording, execution, output)
        extra = {
            "from_execution_id": execution.id,
            "chosen_because": because,
            "added": 0 if answer.allowed.json else _added(execution, output),
        }
        notes = [note for note in output.notes if note != UNUSED]  # it is not of this call
        notes += [DOCUMENT] if answer.allowed.json else []
        return recording.finish(replace(output, notes=tuple(notes), extra=extra))


def _by_similarity(recording: CallRecorder, execution: Execution, output: Rows) -> Rows:
    """Return rows of which each is a node of its own, the most similar to the question first."""
    nodes_by_key = gather(recording, execution.question or execution.query, output.keys)
    known = {key: place for place, key in enumerate(execution.keys)}

    def order(pair: tuple[Key, tuple[Any, ...]]) -> tuple[float, int]:
        node = nodes_by_key.get(pair[0])
        similarity = node.similarity if node else None
        return -1.0 if similarity is None else similarity, -known.get(pair[0], len(known))

    pairs = sorted(zip(output.keys, output.rows, strict=True), key=order, reverse=True)
    return replace(output, keys=tuple(key for key, _ in pairs), rows=[row for _, row in pairs])


def _added(execution: Execution, output: Rows) -> int:
    """Return how many nodes are new, or how many more rows there are where not all are nodes."""
    if len(output.keys) == len(output.rows):
        return len(set(output.keys) - set(execution.keys))
    return max(0, len(output.rows) - execution.row_count)


def _note_limits(recording: CallRecorder, wider: Scaled) -> None:
    if wider.one_row:
        recording.notes.append("The statement returns one row, so no limit was raised.")
    if wider.grown:
        growth = ", ".join(f"{before} to {after}" for before, after in dict.fromkeys(wider.grown))
        recording.notes.append(
            f"Inner limits were raised in proportion ({growth}); values computed from them may "
            "change."
        )


def _statement(execution: Execution) -> str:
    """Return the statement that ran, or the given text where the record had to truncate it."""
    sql = execution.sql or ""
    return execution.given if len(sql) >= MAX_RECORDED_CHARS and execution.given else sql


def _has_changed(session: Session, execution: Execution) -> bool:
    return execution.content_hash != session.engine.describe().content_hash
