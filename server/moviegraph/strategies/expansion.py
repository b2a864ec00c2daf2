"""Expansion: an earlier execution again with more rows, by its statement or its tool."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from sqlglot import exp

from moviegraph.errors import ArgumentError, ModelVisibleError, NotFoundError
from moviegraph.journal.execution_records import Execution
from moviegraph.query.query_pipeline import (
    MAX_RECORDED_CHARS,
    CallRecorder,
    ExecutedStatement,
    Key,
    decide,
)
from moviegraph.query.readonly_sql import UNUSED, nodes_of_rows, statement_output
from moviegraph.query.recall import recall
from moviegraph.query.session import Call, Rows, Session
from moviegraph.search import fulltext, hybrid, records, semantic, traverse
from moviegraph.sql.decision import Allowed
from moviegraph.sql.derived_tables import is_one_row
from moviegraph.sql.guard import RowLimits
from moviegraph.sql.limits import root_count
from moviegraph.sql.render import render
from moviegraph.strategies.comparison import similarities_to
from moviegraph.text import plural

SOURCES = frozenset({"__CONTAINSTABLE", "__FREETEXTTABLE", "__VECTOR_SEARCH"})


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


Pair = tuple[tuple[Any, ...], Key | None]
MAX_NAMED = 5
DOCUMENT = "A JSON document is not merged with the previous one; count its elements."


@dataclass(frozen=True, slots=True)
class Widening:
    """An execution as recorded, its statement, and that with other limits."""

    known: Execution
    sql: str
    scaled: Scaled
    top: int


@dataclass(frozen=True, slots=True)
class Merged:
    """Rows, each with the node that it is (None: none), how many are new, and what to note."""

    pairs: Sequence[Pair]
    added: int
    notes: tuple[str, ...] = ()


def merged(recording: CallRecorder, widening: Widening, answer: ExecutedStatement) -> Merged:
    """Return the rows of the widened statement, and those known that it lost.

    The rows keep the order of the statement; nodes without one are ordered by similarity to the
    question, or else what is known comes first. What the widened statement no longer returns is
    read by the statement as it was, and follows; where the limit is reached, it takes the place
    of the last new rows.
    """
    if answer.allowed.json:
        return Merged([(row, None) for row in answer.result.rows], 0, (DOCUMENT,))
    wide, previous = _pairs(recording, answer), widening.known
    if answer.truncated == "bytes" or widening.top < previous.row_count:
        return Merged(wide, _beyond(wide, previous.keys))
    nodes = [node for _, node in wide if node is not None]
    if len(set(nodes)) == len(wide) and len(previous.keys) == previous.row_count:
        return _by_node(recording, widening, wide)
    return _by_row(recording, widening, wide)


def _by_node(recording: CallRecorder, widening: Widening, wide: list[Pair]) -> Merged:
    """Merge rows of which each is a node of its own."""
    places = {key: at for at, key in enumerate(widening.known.keys)}
    if not widening.scaled.ordered:
        text = widening.known.question or widening.known.query
        near = similarities_to(recording, text, [node for _, node in wide if node])

        def order(pair: Pair) -> tuple[float, int]:
            node = pair[1] or ("", 0)
            return -near.get(node, -1.0), places.get(node, len(places))

        wide = sorted(wide, key=order)
    nodes = {node for _, node in wide}
    dropped = [key for key in places if key not in nodes]
    previous = {node: (row, node) for row, node in _before(recording, widening)} if dropped else {}
    retained = [previous[key] for key in dropped if key in previous]
    missing = [key for key in dropped if key not in previous]
    pairs = _append_retained(wide, retained, widening.top, lambda pair: pair[1] in places)
    return Merged(
        pairs, _beyond(pairs, places), (*_retained_note(retained), *_missing_note(missing))
    )


def _by_row(recording: CallRecorder, widening: Widening, wide: list[Pair]) -> Merged:
    """Merge rows that are no nodes, or of which several are the same node.

    Where inner limits grew, figures over them are others: then a row is lost only with its node.
    """
    previous = _before(recording, widening)
    if widening.scaled.grown:
        nodes, wide_nodes = ({node for _, node in pairs} for pairs in (previous, wide))
        retained = [pair for pair in previous if pair[1] is not None and pair[1] not in wide_nodes]
        pairs = _append_retained(wide, retained, widening.top, lambda pair: pair[1] in nodes)
        added = max(0, len(pairs) - len(previous))
    else:
        rows = {row for row, _ in previous}
        retained = _without(previous, wide)
        pairs = _append_retained(wide, retained, widening.top, lambda pair: pair[0] in rows)
        added = len(_without(pairs, previous))
    if all(node is not None for _, node in pairs):
        added = _beyond(pairs, widening.known.keys)
    return Merged(pairs, added, _retained_note(retained))


def _pairs(recording: CallRecorder, answer: ExecutedStatement) -> list[Pair]:
    """Return the rows with their nodes; of rows of one node that say the same, the first."""
    pairs = zip(answer.result.rows, nodes_of_rows(recording, answer), strict=True)
    yielded: set[Pair] = set()
    return [pair for pair in pairs if pair[1] is None or not (pair in yielded or yielded.add(pair))]


def _before(recording: CallRecorder, widening: Widening) -> list[Pair]:
    """Return the rows of the statement as it was; none where it no longer runs."""
    limits = RowLimits(widening.top, recording.session.contract.limits.inner_top)
    try:
        return _pairs(recording, recording.show(widening.sql, limits=limits))
    except ModelVisibleError as error:
        recording.notes.append(f"The previous result could not be read again: {error.message}")
        return []


def _without(pairs: Sequence[Pair], others: Sequence[Pair]) -> list[Pair]:
    """Return the pairs with rows that the others lack, one for one."""
    left = Counter(row for row, _ in others)
    remaining: list[Pair] = []
    for pair in pairs:
        if left[pair[0]] > 0:
            left[pair[0]] -= 1
        else:
            remaining.append(pair)
    return remaining


def _append_retained(
    wide: list[Pair], retained: list[Pair], top: int, is_known: Callable[[Pair], bool]
) -> list[Pair]:
    """Append the retained rows; the last new rows make room for them."""
    surplus = len(wide) + len(retained) - top
    left: list[Pair] = []
    for pair in reversed(wide):
        if surplus > 0 and not is_known(pair):
            surplus -= 1
        else:
            left.append(pair)
    return [*reversed(left), *retained][:top]


def _beyond(pairs: Iterable[Pair], keys: Iterable[Key]) -> int:
    return len({node for _, node in pairs if node is not None} - set(keys))


def _retained_note(retained: Sequence[Pair]) -> tuple[str, ...]:
    if not retained:
        return ()
    rows, them = ("row is", "it") if len(retained) == 1 else (f"{len(retained)} rows are", "them")
    note = f"The last {rows} from the previous result; the expanded statement no longer returns"
    return (f"{note} {them}.",)


def _missing_note(missing: Sequence[Key]) -> tuple[str, ...]:
    if not missing:
        return ()
    node_names = ", ".join(f"{kind} {key}" for kind, key in missing[:MAX_NAMED])
    more = " and others" if len(missing) > MAX_NAMED else ""
    nodes = plural(len(missing), "known node is", "known nodes are")
    return (f"{nodes} no longer in the result: {node_names}{more}.",)


MAX_RECENT = 50
COMPLETE = "It did not reach its row limit, so there are no more rows."
CHANGED = "The data changed after that execution."
TOOLS: dict[str, Callable[..., Rows]] = {
    "semantic_search": semantic.search,
    "fulltext_search": fulltext.search,
    "hybrid_search": hybrid.search,
    "graph_traverse": traverse.traverse,
    "get_records": records.fetch,
}


def expand(
    session: Session,
    call: Call,
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
    rows = session.caps.top_expanded if top is None else top
    if execution_id is not None:
        execution, because = _named(session, call, execution_id.strip())
    else:
        assert question is not None
        execution, because = _best(session, call, question.strip())
    return _run(session, call, execution, because, rows)


def _named(session: Session, call: Call, execution_id: str) -> tuple[Execution, str]:
    execution = session.journal.find(call.owner, execution_id)
    if execution is None:
        raise NotFoundError(
            "No execution has that id.",
            hint="Use an `execution_id` from a result of this server.",
        )
    if execution.status not in ("ok", "empty") or not (execution.sql or _tool_arguments(execution)):
        raise ArgumentError(
            "That execution failed, so it cannot be expanded.",
            hint="Repair its statement with fix_sql, run it, and expand that execution.",
        )
    rows = plural(execution.row_count, "row")
    score = f", score {_score(execution):.2f}" if execution.quality else ""
    return execution, f"Selected by id: {_name(execution)}, {rows}{score}."


def _best(session: Session, call: Call, question: str) -> tuple[Execution, str]:
    """Return the best execution of the question; that of a similar one is only mentioned."""
    recent = session.journal.recent(call.owner, MAX_RECENT, question)
    ranked = [
        candidate
        for candidate in recent
        if candidate.status == "ok" and candidate.sql and candidate.quality
    ]
    content = session.engine.describe().content_hash
    ranked = [candidate for candidate in ranked if candidate.content_hash == content]
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


def _run(session: Session, call: Call, execution: Execution, because: str, top: int) -> Rows:
    if (repeated := _tool_arguments(execution)) is not None:
        return _repeat_tool(session, call, execution, repeated, because, top)
    return _widen_statement(session, call, execution, because, top)


def _tool_arguments(execution: Execution) -> tuple[str, dict[str, Any]] | None:
    """Return fixed tool and arguments of an execution, if it was of one."""
    try:
        recorded: Any = json.loads(execution.given or "")
    except ValueError:  # a statement, or arguments that were too long to be recorded
        return None
    if not isinstance(recorded, dict):
        return None
    arguments = cast("dict[str, Any]", recorded)
    tool: str = arguments.pop("tool", execution.tool)
    return (tool, arguments) if tool in TOOLS else None


def _repeat_tool(
    session: Session,
    call: Call,
    execution: Execution,
    repeated: tuple[str, dict[str, Any]],
    because: str,
    top: int,
) -> Rows:
    """Call the tool again with more rows; get_records has no more."""
    tool, arguments = repeated
    if tool != "get_records":
        arguments["top"] = top
    wide = replace(session, caps=replace(session.caps, top=session.caps.top_expanded))
    rows = TOOLS[tool](wide, call, **arguments)
    notes = list(rows.notes)
    if execution.content_hash != session.engine.describe().content_hash:
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
    with CallRecorder(session, call, given=sql, query=execution.query) as recording:
        recording.details = {"question": execution.question, "strategy_id": execution.strategy_id}
        _note_changes(session, recording, execution)
        inner = session.contract.limits.inner_top
        decision = decide(session, sql, RowLimits(session.caps.top_expanded, inner))
        if not isinstance(decision, Allowed):
            raise decision.error()
        wider = scaled(decision, top, inner)
        _note_limits(recording, wider)
        if execution.row_count < decision.cap and not (
            wider.one_row or wider.grown or decision.json
        ):
            recording.notes.append(COMPLETE)
        answer = recording.show(wider.sql, limits=RowLimits(top, inner))
        all_rows = merged(recording, Widening(execution, sql, wider, top), answer)
        output = statement_output(recording, answer, (), [node for _, node in all_rows.pairs])
        extra = {
            "from_execution_id": execution.id,
            "chosen_because": because,
            "added": all_rows.added,
        }
        rows = [row for row, _ in all_rows.pairs]
        notes = [note for note in output.notes if note != UNUSED]  # it is not of this call
        return recording.finish(
            replace(output, rows=rows, notes=(*notes, *all_rows.notes), extra=extra)
        )


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


def _note_changes(session: Session, recording: CallRecorder, execution: Execution) -> None:
    if execution.content_hash != session.engine.describe().content_hash:
        recording.notes.append(CHANGED)
