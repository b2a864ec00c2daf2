"""Runs the statement of a published tool: names resolved, values bound, recorded."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from moviegraph.contract.model import Contract
from moviegraph.contract.published_tools import QUERY, PublishedTool
from moviegraph.engines.base import Value
from moviegraph.errors import ArgumentError
from moviegraph.query.names import node_table
from moviegraph.query.query_pipeline import CallRecorder, row_limits
from moviegraph.query.readonly_sql import statement_output
from moviegraph.query.rows import Rows
from moviegraph.query.session import Call, Session
from moviegraph.search.fixed_tool import fixed_request
from moviegraph.search.references import References

MAX_CANDIDATES = 5


def parameter_types(tool: PublishedTool, contract: Contract) -> dict[str, str]:
    """Return the type of each bound parameter, as the guard names it: that of a name is an id."""
    types: dict[str, str] = {}
    for parameter in tool.bound:
        types[parameter.name] = parameter.type
        if parameter.kind is not None:
            table = node_table(contract, parameter.kind)
            key = table.column(table.key)
            types[parameter.name] = "bigint" if key and key.type == "BIGINT" else "int"
    return types


def run(
    session: Session,
    call: Call,
    tool: PublishedTool,
    values: Mapping[str, Any],
    *,
    sql: str | None = None,
    top: int | None = None,
) -> Rows:
    """Run the statement, or that one in its place, with the values of its parameters.

    Raises:
        ArgumentError: A name means several nodes.
        NotFoundError: A name means none.
        ModelVisibleError: The engine could not run it.
    """
    request = fixed_request(call, tool.name, values)
    with CallRecorder(session, call, request) as recording:
        recording.query = values.get(QUERY)
        bound = _bound(recording, tool, values)
        answer = recording.execute(
            sql or tool.sql,
            limits=row_limits(session, top),
            parameters=parameter_types(tool, session.contract),
            values=bound,
        )
        return replace(recording.finish(statement_output(recording, answer, ())), sql=None)


def _bound(
    recording: CallRecorder, tool: PublishedTool, values: Mapping[str, Any]
) -> dict[str, Value]:
    bound: dict[str, Value] = {each.name: values[each.name] for each in tool.bound}
    named = [parameter for parameter in tool.bound if parameter.kind is not None]
    if named:
        contract = recording.session.contract
        with recording.reader() as graph:
            for parameter in named:
                node = node_table(contract, parameter.kind)
                found = References(graph, contract, node).nodes(
                    [values[parameter.name]], parameter.name
                )
                recording.notes += found.notes
                bound[parameter.name] = _only(found.names, parameter.name, values[parameter.name])
    return bound


def _only(names: Mapping[int, str], parameter: str, value: Any) -> int:
    if len(names) == 1:
        return next(iter(names))
    shown = list(names.items())[:MAX_CANDIDATES]
    candidates = ", ".join(f"{name} ({node_id})" for node_id, name in shown)
    raise ArgumentError(
        f"{value!r} in `{parameter}` means {len(names)} nodes: {candidates}.",
        hint="Pass the id of one of them.",
    )
