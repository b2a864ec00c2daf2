"""The caller's own T-SQL: validated, repaired by rules where that is faithful, and recorded."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.errors import ModelVisibleError
from moviegraph.names import fold_collation
from moviegraph.query.names import node_names, unmatched_name_notes
from moviegraph.query.query_pipeline import CallRecorder, ExecutedStatement, row_limits
from moviegraph.query.repair_pipeline import run_repaired
from moviegraph.query.rows import Key, Rows
from moviegraph.query.session import Call, Session
from moviegraph.repair.context import Change
from moviegraph.sql.decision import Output
from moviegraph.text import hidden_characters

UNUSED = "`query` was ignored: the statement has no @q."
TOO_WIDE = (
    "The first row alone exceeds the size limit: select fewer columns, or shorten long text "
    "with LEFT(x, 240)."
)


def nodes_of_rows(recording: CallRecorder, answer: ExecutedStatement) -> list[Key | None]:
    """Return the node of each row, by its key or else by its name, if exactly one node has it."""
    rows, outputs = answer.result.rows, answer.allowed.outputs
    node_column = _node_column(recording.session.contract, outputs)
    if node_column is None or not rows:
        return [None] * len(rows)
    index, node = node_column
    cells = [row[index] for row in rows]
    if outputs[index].column == node.key:
        return [(node.name, cell) if type(cell) is int else None for cell in cells]
    texts = [cell for cell in dict.fromkeys(cells) if isinstance(cell, str) and cell]
    ids_by_name: dict[str, list[int]] = defaultdict(list)
    try:
        with recording.reader() as graph:
            ids = [node_id for _, node_id, _ in graph.named(node.name, texts)]
            labels = node_names(graph, recording.session.contract, node.name, ids)
    except ModelVisibleError:  # without them the rows are still an answer
        return [None] * len(rows)
    for node_id, label in labels.items():
        ids_by_name[fold_collation(label)].append(node_id)
    nodes: list[Key | None] = []
    for cell in cells:
        named = ids_by_name.get(fold_collation(cell), []) if isinstance(cell, str) else []
        nodes.append((node.name, named[0]) if len(named) == 1 else None)
    return nodes


def _node_column(contract: Contract, outputs: Sequence[Output]) -> tuple[int, NodeTable] | None:
    """Return place and kind of the first key column, or else of the first label."""
    labels: list[tuple[int, NodeTable]] = []
    for index, output in enumerate(outputs):
        node = contract.node(output.table) if output.table else None
        if node is not None and output.column == node.key:
            return index, node
        if node is not None and output.column == node.label:
            labels.append((index, node))
    return labels[0] if labels else None


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
    """Validate and run one SELECT; @q is the embedding of `query`.

    The rows have `sql` only where it is not what the caller wrote.

    Raises:
        RefusedError: The guard refused it and no rule repairs it.
        ModelVisibleError: An argument is wrong, or the engine could not run it.
    """
    with CallRecorder(session, call, request=sql, purpose=purpose) as recording:
        recording.query = query.strip() if query else None
        limits = row_limits(session, top)
        answer, changes = run_repaired(recording, sql, limits, repair=repair)
        output = recording.finish(statement_output(recording, answer, changes))
    is_changed = changes or answer.allowed.cap_note in output.notes or answer.allowed.habits
    return output if is_changed or hidden_characters(sql) else replace(output, sql=None)


def statement_output(
    recording: CallRecorder,
    answer: ExecutedStatement,
    changes: tuple[Change, ...],
    nodes: Sequence[Key | None] | None = None,
) -> Rows:
    """Return what a statement of the model's own found: its rows, and which of them are nodes."""
    allowed, result = answer.allowed, answer.result
    notes = [f"Repaired before it ran ({c.rule}): {c.why}" for c in changes]
    notes += [note for note in allowed.notes if note != allowed.cap_note]
    if allowed.cap_note and (result.truncated == "rows" or allowed.json):  # the cap can have cut
        notes.append(allowed.cap_note)
    if recording.query is not None and not allowed.uses_query:
        notes.append(UNUSED)
    if result.truncated == "bytes" and not result.rows:
        notes.append(TOO_WIDE)
    notes += [*_tie_notes(answer), *_unmatched_names(recording, answer)]
    if nodes is None:
        nodes = () if allowed.json else nodes_of_rows(recording, answer)
    return Rows(
        columns=result.columns,
        rows=result.rows,
        truncated=result.truncated,
        sql=allowed.sql,
        notes=tuple(notes),
        keys=tuple(node for node in nodes if node is not None),
        changes=changes,
        lineage=allowed.outputs,
    )


def _tie_notes(answer: ExecutedStatement) -> list[str]:
    """Return a note where the rows end within a tie of their ORDER BY, as far as that is known."""
    beyond, places = answer.result.next_row, answer.allowed.sort_columns
    if beyond is None or not answer.result.rows or not places:
        return []
    for index in places:
        shown, hidden = answer.result.rows[-1][index], beyond[index]
        if isinstance(shown, str) and isinstance(hidden, str):
            shown, hidden = shown.casefold(), hidden.casefold()
        if shown != hidden:
            return []
    names = " and ".join(answer.result.columns[index] for index in places)
    note = (
        f"The last row ties with rows that are not shown: they have the same {names}, and "
        "which of them is shown is arbitrary. Add a key such as Id to ORDER BY, or ask for "
        "more rows."
    )
    return [note]


def _unmatched_names(recording: CallRecorder, answer: ExecutedStatement) -> tuple[str, ...]:
    """Return notes on compared names that no node has."""
    names = answer.allowed.compared_names
    if not names:
        return ()
    try:
        with recording.reader() as graph:
            return unmatched_name_notes(graph, recording.session.contract, names)
    except ModelVisibleError:  # the rows are an answer without them
        return ()
