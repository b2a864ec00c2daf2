"""One call of a fixed tool: its record, its reader, and its rows."""

import json
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Concatenate, ParamSpec, cast

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.result_limits import fit_rows
from moviegraph.engines.retrieval_primitives import GraphReader, Ids, Selection
from moviegraph.observability import SpanKind, trace_span
from moviegraph.query.query_pipeline import SYSTEMS, CallRecorder, decide
from moviegraph.query.rows import Rows
from moviegraph.query.session import Call, Session
from moviegraph.sql.decision import Allowed, Output
from moviegraph.sql.guard import RowLimits, Where
from moviegraph.sql.lexer import CONTINUED
from moviegraph.text import shorten

MAX_PROSE_CHARS = 240
MAX_LINKS_CHARS = 160
CONCISE_CELL = 1_000
MAX_LISTED_IDS = 100  # in the statement that is shown beside rows
ALIAS = "n"
Columns = Mapping[str, Sequence[Any]]
EVERY_ROW = 2**31 - 1
MAX_STEP_CHARS = 300

Work = Callable[[GraphReader], Rows]
P = ParamSpec("P")


def node_output(
    recording: CallRecorder,
    graph: GraphReader,
    node: NodeTable,
    ids: Ids,
    *,
    detail: str,
    has_more: bool,
    leading: Columns | None = None,
    computed: Columns | None = None,
    trailing: Columns | None = None,
    without_text: Sequence[bool] | None = None,
    sql: str | None = None,
) -> Rows:
    """Return nodes as rows, in the order of the ids.

    Args:
        recording: The call.
        graph: Its reader.
        node: The kind of the nodes.
        ids: The nodes; one may occur more than once.
        detail: "concise" shortens texts.
        has_more: Whether more nodes exist than are returned.
        leading: Columns before the key.
        computed: Columns between those of the node and its text.
        trailing: Columns after the text.
        without_text: For each row whether its text is omitted.
        sql: A statement that returns the same rows.
    """
    session = recording.session
    head = (node.key, node.label, *(column.name for column in node.extra))
    stored = graph.fetch(node.name, ids, (*head, node.text)) if len(ids) else []
    *node_columns, texts = zip(*stored, strict=True) if stored else ((),) * (len(head) + 1)
    is_concise = detail == "concise"
    if is_concise:
        texts = [text and concise_text(text, session.contract) for text in texts]
    if without_text is not None:
        pairs = zip(texts, without_text, strict=True)
        texts = [None if is_omitted else text for text, is_omitted in pairs]
    outputs = [
        *((Output(name), values) for name, values in (leading or {}).items()),
        *(
            (Output(name, node.name, name, ALIAS), values)
            for name, values in zip(head, node_columns, strict=True)
        ),
        *((Output(name), values) for name, values in (computed or {}).items()),
        (Output(node.text, node.name, node.text, ALIAS), texts),
        *((Output(name), values) for name, values in (trailing or {}).items()),
    ]
    columns = tuple(output.name for output, _ in outputs)
    rows = list(zip(*(values for _, values in outputs), strict=True))
    cell = min(CONCISE_CELL, session.limits.cell) if is_concise else session.limits.cell
    fitting, truncated = fit_rows(
        rows, replace(recording.call.budget(session.limits, len(rows)), cell=cell)
    )
    if is_concise and truncated == "cells":
        truncated = None  # concise texts are short on purpose
    if has_more and truncated in (None, "cells"):
        truncated = "rows"
    return Rows(
        columns=columns,
        rows=fitting,
        truncated=truncated,
        sql=sql,
        keys=tuple((node.name, node_id) for node_id in ids[: len(fitting)].tolist()),
        lineage=tuple(output for output, _ in outputs),
    )


def concise_text(text: str, contract: Contract) -> str:
    """Return the beginning of a text, followed by its last line if that lists linked nodes."""
    prose, line = split_links(text, contract)
    short = shorten(" ".join(prose.split()), MAX_PROSE_CHARS)
    return f"{short}\n{_fitting_links(line)}" if line else short


def split_links(text: str, contract: Contract) -> tuple[str, str]:
    """Return a text without the line of linked nodes that loading may have added, and that line."""
    prose, newline, line = text.rstrip().rpartition("\n")
    kinds = {pair.to_table for edge in contract.edges if edge.in_text for pair in edge.pairs}
    kind = line.partition(": ")[0]
    if newline and kind in kinds and line.endswith("."):
        return prose, line
    return text, ""


def _fitting_links(line: str) -> str:
    """Return as many of the names as fit, none of them truncated."""
    if len(line) <= MAX_LINKS_CHARS:
        return line
    truncated = line[: MAX_LINKS_CHARS - 1]
    ends = [match.start() for match in re.finditer("[,;]", truncated)]
    return (truncated[: ends[-1]] if ends else truncated.rstrip()) + "…"


def fixed_tool(
    tool: str,
) -> Callable[
    [Callable[Concatenate[CallRecorder, P], Work]], Callable[Concatenate[Session, Call, P], Rows]
]:
    """Return a decorator that makes a tool of the function that prepares its work.

    That function embeds what is needed, then returns what reads the graph: no connection is held
    while a text is embedded. The tool runs within its record.
    """

    def decorate(
        prepare: Callable[Concatenate[CallRecorder, P], Work],
    ) -> Callable[Concatenate[Session, Call, P], Rows]:
        def run(session: Session, call: Call, *values: P.args, **arguments: P.kwargs) -> Rows:
            other = {"tool": tool} if call.tool != tool else {}
            passed = {
                name: value for name, value in arguments.items() if value not in (None, (), [])
            }
            recorded = json.dumps({**other, **passed}, ensure_ascii=False, default=str)
            with CallRecorder(session, call, recorded) as recording:
                work = prepare(recording, *values, **arguments)
                with _reader(recording, tool) as graph:
                    return recording.finish(work(graph))

        return run

    return decorate


def row_count(session: Session, top: int | None) -> int:
    """Return the number of rows to list: by default the contract's, within the cap."""
    return min(session.contract.limits.top, session.limits.top) if top is None else top


def where_decision(session: Session, node: NodeTable, where: str | None) -> Allowed | None:
    """Return the guard's decision about `SELECT n.Id FROM kind AS n WHERE where`; None without.

    Raises:
        RefusedError: The condition was refused (code invalid_where).
    """
    if where is None or not where.strip():
        return None
    decision = decide(
        session,
        f"SELECT {ALIAS}.{node.key} FROM {node.name} AS {ALIAS}",
        RowLimits(EVERY_ROW, session.contract.limits.inner_top),
        Where(where, node.name, ALIAS),
    )
    if not isinstance(decision, Allowed):
        raise decision.error()
    return decision


def condition_text(condition: Allowed | None) -> str | None:
    """Return the condition of a decision about a `where`, as it was rendered."""
    return condition.sql.partition(" WHERE ")[2] if condition is not None else None


@contextmanager
def _reader(recording: CallRecorder, tool: str) -> Generator[GraphReader]:
    session = recording.session
    with trace_span("execute", SpanKind.CLIENT) as span:
        if span.is_recording:
            system = SYSTEMS.get(session.engine.describe().engine, "other_sql")
            span.set_attributes(
                db__system__name=system,
                db__namespace=session.contract.name,
                db__operation__name=tool,
            )
        with recording.reader() as graph:
            yield cast("GraphReader", _RecordedReader(graph, recording))


class _RecordedReader:
    """A reader whose primitives are recorded, each with its arguments."""

    def __init__(self, reader: GraphReader, recording: CallRecorder) -> None:
        self._reader = reader
        self._recording = recording

    def __getattr__(self, name: str) -> Callable[..., Any]:
        primitive = getattr(self._reader, name)

        def run(*arguments: Any, **keywords: Any) -> Any:
            argument_texts = [
                *map(_shown, arguments),
                *(f"{key}={_shown(keywords[key])}" for key in keywords),
            ]
            self._recording.note_step(f"{name}({', '.join(argument_texts)})"[:MAX_STEP_CHARS])
            return primitive(*arguments, **keywords)

        return run


def _shown(argument: Any) -> str:
    """Return an argument of a primitive as the record shows it."""
    if isinstance(argument, Allowed):
        return condition_text(argument) or ""
    if isinstance(argument, Selection):
        return "among"
    if hasattr(argument, "dtype"):
        array: Ids = argument
        return f"{len(array)} ids" if array.dtype.kind == "i" else f"{len(array)} numbers"
    return str(argument)


def literal(text: str) -> str:
    """Return a T-SQL string literal.

    A backslash before a line break would join two lines, so a space is put between them.
    """
    return "N'" + CONTINUED.sub(" ", text).replace("'", "''") + "'"


def statement_conditions(node: NodeTable, where: str | None, excluded: Ids) -> list[str]:
    """Return the conditions of a shown statement: `where`, and the ids that are left out."""
    conditions = [f"({where})"] if where else []
    if len(excluded):
        conditions.append(f"n.{node.key} NOT IN ({id_list(excluded)})")
    return conditions


def head_columns(node: NodeTable) -> list[str]:
    """Return the columns of a shown statement that come first."""
    names = [node.key, node.label, *(column.name for column in node.extra)]
    return [f"n.{name}" for name in names]


def id_list(ids: Ids) -> str:
    """Return ids as the list of an IN condition."""
    return ", ".join(map(str, ids.tolist()))
