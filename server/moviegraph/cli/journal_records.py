"""Journal records as plain structures, for text, JSON and the page."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from sys import maxsize
from typing import TYPE_CHECKING, Any, cast

from moviegraph.errors import JournalError
from moviegraph.text import plural

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.journal.execution_records import ChainRecord, Execution, Verification
    from moviegraph.journal.sqlite_journal import SqliteJournal

Key = tuple[str, int]
Names = Mapping[Key, str]
PLAN = "run_strategies"
PAGE = 500
CLOCK_SLACK = timedelta(hours=1)  # processes that share a journal need not record in time order
MAX_TITLE_CHARS = 300
MAX_SAME_QUESTION = 300
MAX_FUSED = 60
MAX_NAMES = 1_000
MAX_SCANNED = 2_000
FIRST_ROWS = 5
TITLES = ("question", "purpose", "query", "start_query", "sql")
KIND_ARGUMENTS = {"ids": "kind", "names": "kind", "start": "start_kind", "to": "to_kind"}
SUMMARY = (
    "number", "id", "call_id", "created", "owner", "tool", "status", "code", "row_count",
    "strategy_id", "question",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions on records; None matches every record."""

    tool: str | None = None
    status: str | None = None
    owner: str | None = None
    question: str | None = None
    since: datetime | None = None

    def matches(self, execution: Execution) -> bool:
        """Return whether an execution meets all conditions."""
        texts = (execution.question, execution.query, execution.given, execution.purpose)
        sought = (self.question or "").casefold()
        return (
            self.tool in (None, execution.tool)
            and self.status in (None, execution.status)
            and self.owner in (None, execution.owner)
            and (not sought or any(sought in (text or "").casefold() for text in texts))
            and not self.is_before(execution, timedelta())
        )

    def is_before(self, execution: Execution, slack: timedelta) -> bool:
        """Return whether an execution is older than `since` by more than some slack."""
        if self.since is None:
            return False
        try:
            created = datetime.fromisoformat(execution.created)
            return with_time_zone(created) < self.since - slack
        except (ValueError, OverflowError):  # not a date, or out of range
            return False


def with_time_zone(timestamp: datetime) -> datetime:
    """Return a timestamp with its time zone; without one it is local time."""
    return timestamp if timestamp.tzinfo is not None else timestamp.astimezone()


def list_records(
    journal: SqliteJournal, condition: Filter, limit: int
) -> Iterator[tuple[ChainRecord, Execution | None]]:
    """Yield the newest matching records; the execution of a damaged one is None."""
    before: int | None = None
    while limit > 0 and (page := journal.entries(PAGE, before)):
        before = page[-1].number
        for record in page:
            execution = _execution_of(record)
            if execution is not None and condition.is_before(execution, CLOCK_SLACK):
                return
            if execution is None or condition.matches(execution):
                yield record, execution
                limit -= 1
            if limit <= 0:
                return


def _execution_of(record: ChainRecord) -> Execution | None:
    try:
        return record.execution()
    except JournalError:
        return None


def record_json(record: ChainRecord, execution: Execution) -> dict[str, Any]:
    """Return everything recorded about an execution."""
    return {"number": record.number, **execution.model_dump(mode="json"), "hash": record.hash}


def verification_json(verification: Verification) -> dict[str, Any]:
    """Return the result of a verification, without the bad record."""
    members = asdict(verification)
    del members["bad_record"]
    return {"ok": verification.ok, **members}


def summary_json(
    record: ChainRecord, execution: Execution | None, contract: Contract | None
) -> dict[str, Any]:
    """Return the members that a list shows, with a title."""
    if execution is None:
        return {"number": record.number, "id": record.id, "status": "damaged", "tool": ""}
    members = record_json(record, execution)
    title = title_of(execution, recorded_names(execution, contract))[:MAX_TITLE_CHARS]
    return {**{name: members[name] for name in SUMMARY}, "title": title}


def page_json(
    journal: SqliteJournal, record: ChainRecord, contract: Contract | None
) -> dict[str, Any]:
    """Return a record for the page, with a title, names and formatted SQL."""
    execution = record.execution()
    members = record_json(record, execution)
    names: Names = recorded_names(execution, contract)
    for sibling in _executions_of_call(journal, execution):
        names = {**recorded_names(sibling, contract), **names}
    return {
        **members,
        "title": title_of(execution, names),
        "names": _list_names(names),
        "key_columns": _key_columns(execution, contract),
        "arguments": _arguments_of(execution),
        "given": execution.given and format_sql(execution.given),
        "sql": execution.sql and format_sql(execution.sql),
        "statements": [format_sql(statement) for statement in execution.statements],
        "attempts": _format_attempts(members["attempts"]),
    }


def _format_attempts(attempts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**attempt, "sql": format_sql(attempt["sql"])} for attempt in attempts]


def list_choices(journal: SqliteJournal) -> dict[str, list[str]]:
    """Return the tools and owners of the newest records, to filter by."""
    records = list_records(journal, Filter(), MAX_SCANNED)
    executions = [execution for _, execution in records if execution is not None]
    return {
        "tools": sorted({execution.tool for execution in executions}),
        "owners": sorted({execution.owner for execution in executions}),
    }


def count_records(journal: SqliteJournal, condition: Filter) -> dict[str, Any]:
    """Return counts of all matching records, the most frequent first.

    `codes` counts the code of each statement or call that was refused or failed, including attempts
    that were repaired afterwards; `rules` counts the rules that repaired a statement.
    """
    tools, statuses, codes, rules = (Counter[str]() for _ in range(4))
    calls, created = set[str](), list[str]()
    damaged = 0
    for _, execution in list_records(journal, condition, maxsize):
        if execution is None:
            damaged += 1
            continue
        calls.add(execution.call_id or execution.id)
        created.append(execution.created)
        tools[execution.tool] += 1
        statuses[execution.status] += 1
        failed = [attempt.code for attempt in execution.attempts if attempt.code]
        codes.update(failed or ([execution.code] if execution.code else []))
        for attempt in execution.attempts:
            if attempt.method == "rules" and attempt.rule:
                rules.update(attempt.rule.split(", "))
    counters = {"tools": tools, "statuses": statuses, "codes": codes, "rules": rules}
    return {
        "records": len(created),
        "damaged": damaged,
        "calls": len(calls),
        "first": created[-1] if created else None,  # records come newest first
        "last": created[0] if created else None,
        **{name: dict(counter.most_common()) for name, counter in counters.items()},
    }


def title_of(execution: Execution, names: Names | None = None) -> str:
    """Return the question, query or purpose of a call, or else its arguments."""
    if title := execution.question or execution.purpose or execution.query:
        return title
    arguments = _arguments_of(execution)
    if arguments is None:
        return execution.given or execution.tool
    for name in TITLES:
        if isinstance(text := arguments.get(name), str) and text.strip():
            return text
    parts: list[str] = []
    for name, value in arguments.items():
        kind = str(arguments.get(KIND_ARGUMENTS.get(name, ""), ""))
        nodes = cast("list[Any]", value if isinstance(value, list) else [value])
        texts = ((names or {}).get((kind, node), str(node)) for node in nodes)
        parts.append(f"{name.replace('_', ' ')}: {', '.join(texts)}")
    return ", ".join(parts) or execution.tool


def _arguments_of(execution: Execution) -> dict[str, Any] | None:
    """Return the arguments of a call; {} if they were truncated, None for a statement."""
    if not (execution.given or "").startswith("{"):
        return None
    try:
        return dict(json.loads(execution.given or ""))
    except (ValueError, RecursionError):
        return {}


def plan_json(
    journal: SqliteJournal, execution: Execution, contract: Contract | None
) -> dict[str, Any] | None:
    """Return the plan that an execution is part of, like a result of run_strategies."""
    run = _executions_of_call(journal, execution)
    if execution.id not in {strategy.id for strategy in run}:
        return None
    best, reason = _best(run)
    names = {
        key: name for strategy in run for key, name in recorded_names(strategy, contract).items()
    }
    return {
        "question": execution.question,
        "created": run[0].created,
        "executions": [_strategy_json(strategy, contract) for strategy in run],
        "names": _list_names(names),
        "fused": {"rows": _fuse(run, names)},
        "best": best.id if best else None,
        "why": reason,
    }


def _executions_of_call(journal: SqliteJournal, execution: Execution) -> list[Execution]:
    """Return the strategies of a run_strategies call, in order; nothing for other tools."""
    if execution.tool != PLAN or execution.question is None:
        return []
    recorded = journal.recent(execution.owner, MAX_SAME_QUESTION, execution.question)
    strategies = [
        execution
        for execution in recorded
        if execution.tool == PLAN and execution.strategy_id is not None
    ]
    if execution.call_id is not None:
        return [run for run in reversed(strategies) if run.call_id == execution.call_id]
    for run in _runs([execution for execution in strategies if execution.call_id is None]):
        if execution.id in {execution.id for execution in run}:
            return run
    return []


def _runs(strategies: Sequence[Execution]) -> Iterator[list[Execution]]:
    """Yield the calls among older records without a call ID: a strategy occurs once per call."""
    run: dict[str | None, Execution] = {}
    for strategy in strategies:
        if strategy.strategy_id in run:
            yield list(reversed(run.values()))
            run = {}
        run[strategy.strategy_id] = strategy
    if run:
        yield list(reversed(run.values()))


def _strategy_json(execution: Execution, contract: Contract | None) -> dict[str, Any]:
    members = execution.model_dump(mode="json")
    names = ("strategy_id", "message_to_user", "status", "row_count", "quality", "columns")
    return {
        **{name: members[name] for name in names},
        "execution_id": execution.id,
        "attempts": _format_attempts(members["attempts"]),
        "rows": (execution.rows or ())[:FIRST_ROWS],
        "key_columns": _key_columns(execution, contract),
    }


def _fuse(run: Sequence[Execution], names: Names) -> list[list[Any]]:
    """Return the nodes fused by reciprocal rank, as run_strategies does."""
    from moviegraph.search.hybrid import reciprocal_rank  # slow to import

    finders: dict[Key, list[str | None]] = {}
    for execution in run:
        for key in dict.fromkeys(execution.keys):
            finders.setdefault(key, []).append(execution.strategy_id)
    ranked = reciprocal_rank([execution.keys for execution in run])[:MAX_FUSED]
    return [[*key, names.get(key), round(score, 6), finders[key]] for key, score in ranked]


def _best(run: Sequence[Execution]) -> tuple[Execution | None, str]:
    rated = [execution for execution in run if execution.quality]
    if not rated:
        return None, "No strategy of this plan returned rows to score."
    best = max(rated, key=_score)
    return best, (
        f"{best.strategy_id} has the highest score, {_score(best):.2f}, of "
        f"{plural(len(rated), 'strategy', 'strategies')} with rows."
    )


def _score(execution: Execution) -> float:
    return float((execution.quality or {}).get("score") or 0.0)


def recorded_names(execution: Execution, contract: Contract | None) -> dict[Key, str]:
    """Return the names of nodes that the recorded rows and paths contain."""
    names = dict(_names_in_paths(execution))
    rows = execution.rows or ()
    if contract is None or execution.contract_hash != contract.hash or not rows:
        return names
    positions = {column: index for index, column in enumerate(execution.lineage) if column}
    # Without a key column, rows and keys correspond if all rows of one table are recorded.
    is_complete = len(rows) == len(execution.keys) == execution.row_count
    is_one_table = len({(table, alias) for table, _, alias in positions}) == 1
    for node_table in contract.nodes:
        for (table, name, alias), label in positions.items():
            if (table, name) != (node_table.name, node_table.label):
                continue
            key = positions.get((table, node_table.key, alias))
            if key is not None:
                for row in rows:
                    if isinstance(number := row[key], int) and row[label] is not None:
                        names[table, number] = str(row[label])
            elif is_complete and is_one_table:
                pairs = zip(execution.keys, rows, strict=True)
                names |= {node: str(row[label]) for node, row in pairs if node[0] == table}
    return names


def _names_in_paths(execution: Execution) -> Iterator[tuple[Key, str]]:
    for path in (path for paths in execution.paths or () for path in paths):
        for step in path:
            kind, key, name = step.get("kind"), step.get("id"), step.get("name")
            if isinstance(kind, str) and isinstance(key, int) and isinstance(name, str):
                yield (kind, key), name


def _list_names(names: Names) -> list[list[Any]]:
    return [[kind, key, name] for (kind, key), name in list(names.items())[:MAX_NAMES]]


def _key_columns(execution: Execution, contract: Contract | None) -> dict[int, str]:
    """Return the positions and kinds of key columns without a column for the name."""
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


MIN_CHARS = 76
MAX_CHARS = 6_000
INDENT = "  "
TOKEN = re.compile(
    r"'(?:[^']|'')*'|\[(?:[^\]]|\]\])*\]|\"(?:[^\"]|\"\")*\"|--|/\*|\w+|[^\w\s]", re.DOTALL
)
UNREADABLE = frozenset({"--", "/*", "'", '"', "["})  # comments, and quotes without an end
CLAUSES = frozenset(
    "SELECT FROM WHERE GROUP HAVING ORDER UNION EXCEPT INTERSECT OFFSET OPTION FOR INNER LEFT "
    "RIGHT FULL CROSS OUTER JOIN".split()
)
# Words after which such a word continues the clause, as in WITHIN GROUP and LEFT OUTER JOIN.
CONTINUED = frozenset("WITHIN DISTINCT INNER LEFT RIGHT FULL CROSS OUTER".split())


def format_sql(text: str) -> str:
    """Return a long one-line statement with a line for each clause; other text is unchanged."""
    if not MIN_CHARS < len(text) <= MAX_CHARS or "\n" in text:
        return text
    parts: list[str] = []
    levels = [True]  # for each open parenthesis, whether it contains a query
    cases, is_between, previous, end = 0, False, "", 0
    for match in TOKEN.finditer(text):
        symbol, space = match[0].upper(), text[end : match.start()]
        if symbol in UNREADABLE or (symbol == ")" and len(levels) == 1):
            return text
        if symbol == "(":
            levels.append(False)
        elif symbol == ")":
            levels.pop()
        elif symbol == "SELECT" and previous == "(":
            levels[-1] = True
        cases += (symbol == "CASE") - (symbol == "END")
        is_condition = symbol in ("AND", "OR") and not is_between and not cases
        is_between = symbol == "BETWEEN" or (is_between and symbol != "AND")
        is_call = symbol in ("LEFT", "RIGHT") and text.startswith("(", match.end())
        is_clause = symbol in CLAUSES and previous not in CONTINUED and not is_call
        if space and levels[-1] and (is_clause or is_condition):
            space = "\n" + INDENT * (sum(levels) - 1 + is_condition)
        parts += [space, match[0]]
        previous, end = symbol, match.end()
    return text if len(levels) > 1 else "".join(parts) + text[end:]
