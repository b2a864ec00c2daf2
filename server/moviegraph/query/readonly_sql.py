"""The caller's own T-SQL: validated, repaired by rules where that is faithful, and recorded."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.retrieval_primitives import node_ids
from moviegraph.errors import ModelVisibleError
from moviegraph.query.name_resolver import unmatched_name_notes
from moviegraph.query.query_pipeline import (
    CallRecorder,
    ExecutedStatement,
    Key,
    ToolOutput,
    row_limits,
)
from moviegraph.query.repair_pipeline import run_repaired
from moviegraph.query.session import Call, Change, Rows, Session
from moviegraph.sql.decision import Output

Role = Literal["key", "label"]
ROLES: tuple[Role, ...] = ("key", "label")


@dataclass(frozen=True, slots=True)
class NodeColumn:
    """The column of a result that says which node each row is."""

    index: int
    node: NodeTable
    role: Role


def node_column_of(contract: Contract, outputs: Sequence[Output]) -> NodeColumn | None:
    """Return the first key column, or else the first label."""
    for role in ROLES:
        for index, output in enumerate(outputs):
            node = contract.node(output.table) if output.table else None
            if node is not None and output.column == getattr(node, role):
                return NodeColumn(index, node, role)
    return None


def nodes_of_rows(recording: CallRecorder, answer: ExecutedStatement) -> list[Key | None]:
    """Return the node that each row of an answer is, or None; looked up once for each result."""
    try:
        return answer.result.memoize("nodes", partial(_row_nodes, recording, answer))
    except ModelVisibleError:  # without them the rows are still an answer
        return [None] * len(answer.result.rows)


def _row_nodes(recording: CallRecorder, answer: ExecutedStatement) -> list[Key | None]:
    """Return the node of each row; names are looked up in the graph."""
    rows = answer.result.rows
    node_column = node_column_of(recording.session.contract, answer.allowed.outputs)
    if node_column is None or not rows:
        return [None] * len(rows)
    cells = [row[node_column.index] for row in rows]
    if node_column.role == "key":
        return [_key(node_column.node, cell) for cell in cells]
    texts = [cell for cell in dict.fromkeys(cells) if isinstance(cell, str) and cell]
    ids_by_name = _ids_by_name(recording, node_column, texts)
    keys = {text: _key(node_column.node, ids_by_name.get(_folded(text))) for text in texts}
    return [keys.get(cell) for cell in cells]


def row_names(
    contract: Contract, outputs: Sequence[Output], rows: Sequence[Sequence[Any]]
) -> dict[Key, str]:
    """Return the names of the nodes of the rows, where key and label of one source are listed."""
    node_column = node_column_of(contract, outputs)
    if node_column is None or node_column.role != "key":
        return {}
    label = (node_column.node.name, node_column.node.label, outputs[node_column.index].alias)
    places = [at for at, o in enumerate(outputs) if (o.table, o.column, o.alias) == label]
    pairs = (
        (_key(node_column.node, row[node_column.index]), row[at])
        for at in places[:1]
        for row in rows
    )
    return {key: name for key, name in pairs if key is not None and isinstance(name, str)}


def _key(node: NodeTable, cell: object) -> Key | None:
    return (node.name, cell) if isinstance(cell, int) and not isinstance(cell, bool) else None


def _ids_by_name(
    recording: CallRecorder, node_column: NodeColumn, names: list[str]
) -> dict[str, int]:
    """Return the id of each name that exactly one node has."""
    node = node_column.node
    with recording.reader() as graph:
        matches = graph.named(node.name, names)
        ids = node_ids([node_id for _, node_id, _ in matches])
        labels = graph.fetch(node.name, ids, (node.label,)) if len(ids) else []
    by_name: dict[str, list[int]] = defaultdict(list)
    for node_id, (label,) in zip(ids.tolist(), labels, strict=True):
        by_name[_folded(label)].append(node_id)
    return {name: numbers[0] for name, numbers in by_name.items() if len(numbers) == 1}


def _folded(text: object) -> str:
    """Return a name as the database compares it: case and trailing spaces do not count."""
    return text.rstrip(" ").casefold() if isinstance(text, str) else ""


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
    """Validate and run one SELECT; @q is the embedding of `query`.

    Raises:
        RefusedError: The guard refused it and no rule repairs it.
        ModelVisibleError: An argument is wrong, or the engine could not run it.
    """
    with CallRecorder(session, call, given=sql, purpose=purpose) as recording:
        recording.query = query.strip() if query else None
        limits = row_limits(session, top)
        answer, changes = run_repaired(recording, sql, limits, repair=repair)
        return recording.finish(statement_output(recording, answer, changes))


def statement_output(
    recording: CallRecorder,
    answer: ExecutedStatement,
    changes: tuple[Change, ...],
    nodes: Sequence[Key | None] | None = None,
) -> ToolOutput:
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
        nodes = () if answer.allowed.json else nodes_of_rows(recording, answer)
    return ToolOutput(
        answer=answer,
        columns=answer.result.columns,
        rows=answer.result.rows,
        truncated=answer.truncated,
        notes=tuple(notes),
        keys=tuple(node for node in nodes if node is not None),
        changes=changes,
        lineage=answer.allowed.outputs,
    )


def _unmatched_names(recording: CallRecorder, answer: ExecutedStatement) -> tuple[str, ...]:
    """Return notes on compared names that no node has; they are looked up once for a result."""
    names = answer.allowed.compared_names
    if not names:
        return ()

    def look_up() -> tuple[str, ...]:
        with recording.reader() as graph:
            return unmatched_name_notes(graph, recording.session.contract, names)

    try:
        return answer.result.memoize("unmatched names", look_up)
    except ModelVisibleError:  # the rows are an answer without them
        return ()
