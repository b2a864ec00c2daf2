"""What the page of the journal is told: records in short, one whole, and a plan as it ran."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from moviegraph.cli.journal_filter import Filter, listed
from moviegraph.plural import plural
from moviegraph.search.fusion import reciprocal_rank

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.journal.chain import Link
    from moviegraph.journal.records import Execution
    from moviegraph.journal.sqlite_journal import SqliteJournal

Key = tuple[str, int]
PLAN = "run_strategies"
LONGEST_ASKED = 300
MOST_OF_A_QUESTION = 300
MOST_FUSED = 60
FIRST_ROWS = 5


def in_short(journal: SqliteJournal, wanted: Filter, limit: int) -> list[dict[str, Any]]:
    """Return the newest records that a filter takes, each in a few words."""
    return [_line(link, execution) for link, execution in listed(journal, wanted, limit)]


def _line(link: Link, execution: Execution | None) -> dict[str, Any]:
    if execution is None:
        return {"number": link.number, "id": link.id, "status": "damaged", "tool": ""}
    asked = execution.question or execution.query or execution.given or ""
    return {
        "number": link.number,
        "id": execution.id,
        "created": execution.created,
        "owner": execution.owner,
        "tool": execution.tool,
        "status": execution.status,
        "code": execution.code,
        "row_count": execution.row_count,
        "strategy_id": execution.strategy_id,
        "question": execution.question,
        "asked": asked[:LONGEST_ASKED],
    }


def whole(link: Link, execution: Execution) -> dict[str, Any]:
    """Return everything that is recorded of an execution, and its place in the chain."""
    return {"number": link.number, "hash": link.hash, **execution.model_dump(mode="json")}


def plan(
    journal: SqliteJournal, execution: Execution, contract: Contract | None
) -> dict[str, Any] | None:
    """Return the plan that an execution was a part of, in the form of an answer to it."""
    if execution.tool != PLAN or execution.question is None:
        return None
    recorded = journal.recent(execution.owner, MOST_OF_A_QUESTION, execution.question)
    run = next((run for run in _runs(recorded) if execution.id in {e.id for e in run}), None)
    if run is None:
        return None
    best, why = _best(run)
    return {
        "question": execution.question,
        "created": run[0].created,
        "executions": [_strategy(each) for each in run],
        "fused": {"rows": _fused(run, contract)},
        "best": best.id if best else None,
        "why": why,
    }


def _runs(recorded: Sequence[Execution]) -> Iterator[list[Execution]]:
    """Yield the runs of a plan, newest first: a run holds each strategy once."""
    run: dict[str, Execution] = {}
    for each in recorded:
        if each.tool != PLAN or each.strategy_id is None:
            continue
        if each.strategy_id in run:
            yield list(reversed(run.values()))
            run = {}
        run[each.strategy_id] = each
    if run:
        yield list(reversed(run.values()))


def _strategy(execution: Execution) -> dict[str, Any]:
    return {
        "strategy_id": execution.strategy_id,
        "execution_id": execution.id,
        "message_to_user": execution.message_to_user,
        "status": execution.status,
        "row_count": execution.row_count,
        "attempts": [attempt.model_dump(mode="json") for attempt in execution.attempts],
        "quality": execution.quality,
        "columns": execution.columns,
        "rows": (execution.rows or ())[:FIRST_ROWS],
    }


def _fused(run: Sequence[Execution], contract: Contract | None) -> list[list[Any]]:
    """Fuse the nodes as the tool did, by reciprocal rank; names are known where rows were kept."""
    finders: dict[Key, list[str | None]] = {}
    names: dict[Key, str] = {}
    for each in run:
        names |= _names(each, contract)
        for key in dict.fromkeys(each.keys):
            finders.setdefault(key, []).append(each.strategy_id)
    ranked = reciprocal_rank([each.keys for each in run])[:MOST_FUSED]
    return [
        [*each.key, names.get(each.key), round(each.score, 6), finders[each.key]] for each in ranked
    ]


def _names(execution: Execution, contract: Contract | None) -> dict[Key, str]:
    """Return the names in the rows that were kept, by the contract that they came from."""
    found: dict[Key, str] = {}
    if contract is None or execution.contract_hash != contract.hash or not execution.rows:
        return found
    places = {(each[0], each[1]): at for at, each in enumerate(execution.lineage) if each}
    for node in contract.nodes:
        key, label = places.get((node.name, node.key)), places.get((node.name, node.label))
        if key is None or label is None:
            continue
        for row in execution.rows:
            if isinstance(number := row[key], int):
                found[node.name, number] = str(row[label])
    return found


def _best(run: Sequence[Execution]) -> tuple[Execution | None, str]:
    rated = [each for each in run if each.quality]
    if not rated:
        return None, "No strategy of this plan found anything that could be rated."
    best = max(rated, key=_score)
    return best, (
        f"{best.strategy_id} has the highest score, {_score(best):.2f}, of "
        f"{plural(len(rated), 'strategy', 'strategies')} that found rows."
    )


def _score(execution: Execution) -> float:
    return float((execution.quality or {}).get("score") or 0.0)
