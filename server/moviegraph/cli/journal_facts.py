"""JSON of the journal page: records in a list, one in full, and a plan as it ran."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from moviegraph.cli.journal_filter import Filter, listed
from moviegraph.cli.journal_sql import format_sql
from moviegraph.search.fusion import reciprocal_rank
from moviegraph.text import plural

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.journal.execution_records import Execution
    from moviegraph.journal.hash_chain import ChainRecord
    from moviegraph.journal.sqlite_journal import SqliteJournal

Key = tuple[str, int]
Names = Mapping[Key, str]
PLAN = "run_strategies"
MAX_TITLE_CHARS = 300
MAX_SAME_QUESTION = 300
MAX_FUSED = 60
MAX_NAMES = 1_000
MAX_SCANNED = 2_000
FIRST_ROWS = 5
TITLES = ("question", "purpose", "query", "start_query", "sql")


def list_records(
    journal: SqliteJournal, wanted: Filter, limit: int, contract: Contract | None
) -> list[dict[str, Any]]:
    """Return the newest records that match a filter, in short."""
    records = listed(journal, wanted, limit)
    return [_summarize(link, execution, contract) for link, execution in records]


def _summarize(
    link: ChainRecord, execution: Execution | None, contract: Contract | None
) -> dict[str, Any]:
    if execution is None:
        return {"number": link.number, "id": link.id, "status": "damaged", "tool": ""}
    return {
        "number": link.number,
        "id": execution.id,
        "call_id": execution.call_id,
        "created": execution.created,
        "owner": execution.owner,
        "tool": execution.tool,
        "status": execution.status,
        "code": execution.code,
        "row_count": execution.row_count,
        "strategy_id": execution.strategy_id,
        "question": execution.question,
        "title": title_of(execution, names_of(execution, contract))[:MAX_TITLE_CHARS],
    }


def list_choices(journal: SqliteJournal) -> dict[str, list[str]]:
    """Return the tools and owners of the newest records, to filter by."""
    tools: set[str] = set()
    owners: set[str] = set()
    for _, execution in listed(journal, Filter(), MAX_SCANNED):
        if execution is not None:
            tools.add(execution.tool)
            owners.add(execution.owner)
    return {"tools": sorted(tools), "owners": sorted(owners)}


def show_record(
    journal: SqliteJournal, link: ChainRecord, execution: Execution, contract: Contract | None
) -> dict[str, Any]:
    """Return everything recorded about an execution, with a title, names and formatted SQL."""
    members = execution.model_dump(mode="json")
    names = dict(names_of(execution, contract))
    for sibling in _executions_of_call(journal, execution):
        names = {**names_of(sibling, contract), **names}
    attempts = [{**each, "sql": format_sql(each["sql"])} for each in members["attempts"]]
    arguments = _arguments_of(execution)
    return {
        "number": link.number,
        "hash": link.hash,
        **members,
        "title": title_of(execution, names),
        "names": _list_names(names),
        "key_columns": _key_columns(execution, contract),
        "arguments": arguments,
        "given": execution.given and format_sql(execution.given),
        "sql": execution.sql and format_sql(execution.sql),
        "statements": [format_sql(each) for each in execution.statements],
        "attempts": attempts,
    }


def title_of(execution: Execution, names: Names | None = None) -> str:
    """Return the question, query or purpose of a call, or a description of it in plain words."""
    if title := execution.question or execution.purpose or execution.query:
        return title
    arguments = _arguments_of(execution)
    if arguments is None:
        return execution.given or execution.tool
    for name in TITLES:
        if isinstance(text := arguments.get(name), str) and text.strip():
            return text
    return _describe(arguments, names or {}) or execution.tool


def _arguments_of(execution: Execution) -> dict[str, Any] | None:
    """Return the arguments of a call; none where they were truncated, None for a statement."""
    if not (execution.given or "").startswith("{"):
        return None
    try:
        return dict(json.loads(execution.given or ""))
    except (ValueError, RecursionError):
        return {}


def _describe(arguments: Mapping[str, Any], names: Names) -> str:
    """Return such as "Movie records: Alien" or "From Alien along SET_IN"."""
    kind = str(arguments.get("start_kind") or arguments.get("kind") or "")
    if start := _list_nodes(arguments.get("start"), kind, names):
        return f"From {start}{_describe_route(arguments, names)}"
    nodes = arguments.get("ids") or arguments.get("names")
    if listed_nodes := _list_nodes(nodes, kind, names):
        return f"{kind} records: {listed_nodes}".lstrip()
    shown = arguments.items()
    return ", ".join(f"{name.replace('_', ' ')}: {_plain(value)}" for name, value in shown)


def _describe_route(arguments: Mapping[str, Any], names: Names) -> str:
    kind = str(arguments.get("to_kind") or "")
    if path := arguments.get("path"):
        return f" along {_plain(path)}"
    if targets := _list_nodes(arguments.get("to"), kind, names):
        return f" to {targets}"
    hops = arguments.get("max_hops")
    within = f" within {plural(hops, 'hop')}" if isinstance(hops, int) else ""
    return f" to every {kind}{within}" if kind else within


def _list_nodes(nodes: Any, kind: str, names: Names) -> str:
    """Return the names of nodes that are named, or given by ids."""
    if nodes is None or isinstance(nodes, dict):
        return ""
    members = cast("list[Any]", nodes if isinstance(nodes, list) else [nodes])
    return ", ".join(
        names.get((kind, node), f"{kind} {node}".strip()) if isinstance(node, int) else _plain(node)
        for node in members
    )


def _plain(value: Any) -> str:
    """Return a value of JSON without brackets and quotes."""
    if isinstance(value, list):
        members = cast("list[Any]", value)
        return ", ".join(str(member) for member in members)
    return "none" if value is None else str(value)


def plan(
    journal: SqliteJournal, execution: Execution, contract: Contract | None
) -> dict[str, Any] | None:
    """Return the plan that an execution was a part of, in the form of a result of it."""
    run = _executions_of_call(journal, execution)
    if execution.id not in {each.id for each in run}:
        return None
    best, why = _best(run)
    names = {key: name for each in run for key, name in names_of(each, contract).items()}
    return {
        "question": execution.question,
        "created": run[0].created,
        "executions": [_strategy(each, contract) for each in run],
        "names": _list_names(names),
        "fused": {"rows": _fused(run, names)},
        "best": best.id if best else None,
        "why": why,
    }


def _executions_of_call(journal: SqliteJournal, execution: Execution) -> list[Execution]:
    """Return the strategies of the call that ran a plan, in their order; empty for other tools."""
    if execution.tool != PLAN or execution.question is None:
        return []
    recorded = journal.recent(execution.owner, MAX_SAME_QUESTION, execution.question)
    strategies = [each for each in recorded if each.tool == PLAN and each.strategy_id is not None]
    if execution.call_id is not None:
        return [each for each in reversed(strategies) if each.call_id == execution.call_id]
    older = [each for each in strategies if each.call_id is None]
    for run in _runs(older):
        if execution.id in {each.id for each in run}:
            return run
    return []


def _runs(strategies: Sequence[Execution]) -> Iterator[list[Execution]]:
    """Yield the calls among records without a call id, newest first: each strategy occurs once."""
    run: dict[str | None, Execution] = {}
    for each in strategies:
        if each.strategy_id in run:
            yield list(reversed(run.values()))
            run = {}
        run[each.strategy_id] = each
    if run:
        yield list(reversed(run.values()))


def _strategy(execution: Execution, contract: Contract | None) -> dict[str, Any]:
    attempts = [attempt.model_dump(mode="json") for attempt in execution.attempts]
    return {
        "strategy_id": execution.strategy_id,
        "execution_id": execution.id,
        "message_to_user": execution.message_to_user,
        "status": execution.status,
        "row_count": execution.row_count,
        "attempts": [{**each, "sql": format_sql(each["sql"])} for each in attempts],
        "quality": execution.quality,
        "columns": execution.columns,
        "rows": (execution.rows or ())[:FIRST_ROWS],
        "key_columns": _key_columns(execution, contract),
    }


def _fused(run: Sequence[Execution], names: Names) -> list[list[Any]]:
    """Fuse the nodes as the tool did, by reciprocal rank."""
    finders: dict[Key, list[str | None]] = {}
    for each in run:
        for key in dict.fromkeys(each.keys):
            finders.setdefault(key, []).append(each.strategy_id)
    ranked = reciprocal_rank([each.keys for each in run])[:MAX_FUSED]
    return [
        [*each.key, names.get(each.key), round(each.score, 6), finders[each.key]] for each in ranked
    ]


def names_of(execution: Execution, contract: Contract | None) -> dict[Key, str]:
    """Return the names of nodes that the recorded rows and paths contain."""
    names = dict(_names_in_paths(execution))
    if contract is None or execution.contract_hash != contract.hash or not execution.rows:
        return names
    positions = {column: index for index, column in enumerate(execution.lineage) if column}
    for node_table in contract.nodes:
        for table, name, alias in positions:
            label = positions.get((table, node_table.label, alias))
            if (table, name) == (node_table.name, node_table.key) and label is not None:
                key = positions[table, name, alias]
                names |= _read_names(execution, table, key, label)
    return names or _names_by_position(execution, contract)


def _read_names(execution: Execution, kind: str, key: int, label: int) -> dict[Key, str]:
    return {
        (kind, row[key]): str(row[label])
        for row in execution.rows or ()
        if isinstance(row[key], int) and row[label] is not None
    }  # type: ignore[misc]


def _names_in_paths(execution: Execution) -> Iterator[tuple[Key, str]]:
    for path in (path for paths in execution.paths or () for path in paths):
        for step in path:
            kind, key, name = step.get("kind"), step.get("id"), step.get("name")
            if isinstance(kind, str) and isinstance(key, int) and isinstance(name, str):
                yield (kind, key), name


def _names_by_position(execution: Execution, contract: Contract) -> dict[Key, str]:
    """Return the names of rows without a key column: row and node agree where all rows are kept."""
    rows, columns = execution.rows or (), [column for column in execution.lineage if column]
    is_complete = len(rows) == len(execution.keys) == execution.row_count
    if not is_complete or len({(table, alias) for table, _, alias in columns}) != 1:
        return {}
    for node_table in contract.nodes:
        for index, column in enumerate(execution.lineage):
            if column and column[:2] == (node_table.name, node_table.label):
                pairs = zip(execution.keys, rows, strict=True)
                return {key: str(row[index]) for key, row in pairs if key[0] == node_table.name}
    return {}


def _list_names(names: Names) -> list[list[Any]]:
    return [[kind, key, name] for (kind, key), name in list(names.items())[:MAX_NAMES]]


def _key_columns(execution: Execution, contract: Contract | None) -> dict[int, str]:
    """Return the positions and kinds of key columns that have no name beside them."""
    if contract is None or execution.contract_hash != contract.hash:
        return {}
    tables = {node_table.name: node_table for node_table in contract.nodes}
    columns = set(execution.lineage)
    return {
        index: column[0]
        for index, column in enumerate(execution.lineage)
        if column
        and (node_table := tables.get(column[0]))
        and column[1] == node_table.key
        and (column[0], node_table.label, column[2]) not in columns
    }


def _best(run: Sequence[Execution]) -> tuple[Execution | None, str]:
    rated = [each for each in run if each.quality]
    if not rated:
        return None, "No strategy of this plan returned rows to score."
    best = max(rated, key=_score)
    return best, (
        f"{best.strategy_id} has the highest score, {_score(best):.2f}, of "
        f"{plural(len(rated), 'strategy', 'strategies')} with rows."
    )


def _score(execution: Execution) -> float:
    return float((execution.quality or {}).get("score") or 0.0)
