"""Journal records as text and as JSON: titles, details, plans, counts and formatted SQL."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from sys import maxsize
from typing import TYPE_CHECKING, Any, cast

from moviegraph.cli.journal import Filter, listed
from moviegraph.search.fusion import reciprocal_rank
from moviegraph.text import plural, printable

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.journal.execution_records import Attempt, Client, Execution, ModelCost
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


SHORT_ID = 8
USUAL_WIDTH = 80
NARROWEST = 60
KEYS_SHOWN = 12


def line_of(execution: Execution) -> str:
    """Return a record in one line, as wide as the terminal, or 80 characters."""
    width = max(NARROWEST, shutil.get_terminal_size((USUAL_WIDTH, 24)).columns)
    about = execution.code if execution.status in ("refused", "failed") else execution.strategy_id
    about = f"{about}: " if about else ""
    line = (
        f"{execution.id[:SHORT_ID]} {_moment(execution.created):<11} {execution.tool:<20} "
        f"{_result(execution):<8} {about}{_flat(title_of(execution))}"
    )
    return line if len(line) <= width else f"{line[: width - 3].rstrip()}..."


def whole_of(link: ChainRecord, execution: Execution) -> str:
    """Return everything that is recorded of an execution, for a reader."""
    return "\n".join(line for line in _lines(link, execution) if line)


def _lines(link: ChainRecord, execution: Execution) -> Iterator[str]:
    yield f"Execution {execution.id} (record {link.number})"
    yield _field(
        "made", f"{execution.created}, in {execution.elapsed_ms:g} ms, by {execution.tool}"
    )
    yield _field("owner", execution.owner)
    yield _field("client", _client(execution.client))
    yield _field("question", execution.question)
    yield _field("purpose", execution.purpose)
    yield _field("strategy", execution.strategy_id)
    yield _field("said", execution.message_to_user)
    yield _field("query", execution.query)
    yield _field("result", _outcome(execution))
    yield _field("message", _message(execution))
    for note in execution.notes:
        yield _field("note", note)
    yield from _block("given", execution.given)
    for number, attempt in enumerate(execution.attempts, 1):
        yield from _attempt(number, attempt, ran=bool(execution.statements))
    yield from _block("ran" if execution.statements else "fine", execution.sql)
    for statement in execution.statements:
        if statement != execution.sql:
            yield from _block("running", statement)
    for cost in execution.models:
        yield _field("model", _cost(cost))
    yield _field("quality", ", ".join(f"{k} {v}" for k, v in (execution.quality or {}).items()))
    yield _field("columns", ", ".join(execution.columns))
    yield _field("nodes", _keys(execution))
    yield from _rows(execution)
    yield _field("contract", execution.contract_hash)
    yield _field("data", execution.content_hash)
    yield _field("hash", link.hash)


def _field(name: str, value: str | None) -> str:
    return f"{name + ':':<10} {_flat(value)}" if value else ""


def _block(name: str, text: str | None) -> Iterator[str]:
    if text:
        yield f"{name}:"
        yield from _indented(text)


def _attempt(number: int, attempt: Attempt, *, ran: bool) -> Iterator[str]:
    by = attempt.method or ("rules" if attempt.rule else None)
    rules = f" ({attempt.rule})" if attempt.rule and attempt.rule != by else ""
    origin = f"generated by {by}{rules}" if by else "as passed"
    decided = f"{attempt.decision} by the guard" if attempt.decision else "judged"
    failed = f"; failed: {attempt.code}" if attempt.code else "; ran" if ran else "; compiles"
    refused = f": {attempt.code}" if attempt.decision == "refused" else failed
    yield f"attempt {number}, {origin}: {decided}{refused}"
    yield from _indented(attempt.sql)
    if attempt.message:
        yield f"    because: {_flat(attempt.message)}"
    for note in attempt.notes:
        yield f"    note: {_flat(note)}"


def _indented(text: str) -> Iterator[str]:
    for line in printable(text).splitlines():
        yield f"    {line}"


def _client(client: Client | None) -> str | None:
    if client is None:
        return None
    named = " ".join(part for part in (client.name, client.version) if part) or "unnamed"
    spoken = f", protocol {client.protocol}" if client.protocol else ""
    return f"{named} over {client.transport}{spoken}"


def _message(execution: Execution) -> str | None:
    has_code = execution.status in ("ok", "empty") and execution.code
    return f"{execution.code}: {execution.message}" if has_code else execution.message


def _outcome(execution: Execution) -> str:
    if execution.status == "empty" or (execution.status == "ok" and execution.columns):
        more = f", truncated by {execution.truncated}" if execution.truncated else ""
        return f"{_rows_counted(execution)}{more}"
    failed = execution.code and execution.status != "ok"
    return f"{execution.status}: {execution.code}" if failed else execution.status


def _cost(cost: ModelCost) -> str:
    tokens = f"{plural(cost.prompt_tokens, 'token')} in, {cost.completion_tokens:,} out"
    if cost.untold:
        some = f", plus {tokens}" if cost.prompt_tokens or cost.completion_tokens else ""
        tokens = f"tokens not reported for {cost.untold}{some}"
    whose = "the configured model" if cost.by == "provider" else "the client's model"
    return f"{whose} {cost.model or ''} to {cost.purpose}: {plural(cost.calls, 'call')}; {tokens}"


def _keys(execution: Execution) -> str:
    shown = ", ".join(f"{kind} {key}" for kind, key in execution.keys[:KEYS_SHOWN])
    more = len(execution.keys) - KEYS_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _rows(execution: Execution) -> Iterator[str]:
    if execution.rows is None:
        return
    yield f"rows stored: {len(execution.rows)} of {execution.row_count}"
    for row in execution.rows:
        yield f"    {_flat(' | '.join('NULL' if cell is None else str(cell) for cell in row))}"


def _result(execution: Execution) -> str:
    ran = execution.status == "ok" and bool(execution.columns)
    return _rows_counted(execution) if ran else execution.status


def _rows_counted(execution: Execution) -> str:
    return plural(execution.row_count, "row")


def _moment(created: str) -> str:
    """Return day and time on this machine's clock; the year in place of the time, if another."""
    try:
        moment = datetime.fromisoformat(created).astimezone()
    except ValueError:
        return created[:11]
    this_year = moment.year == datetime.now(UTC).astimezone().year
    return moment.strftime("%m-%d %H:%M" if this_year else "%Y-%m-%d")


def _flat(text: str | None) -> str:
    return printable(" ".join((text or "").split()))


COUNTERS = {"tools": "Tools", "statuses": "Statuses", "codes": "Codes", "rules": "Repair rules"}


@dataclass(slots=True)
class Stats:
    """Counts of records.

    `codes` counts the code of each statement or call that was refused or failed, also of attempts
    that were repaired afterwards; `rules` the rules that repaired a statement.
    """

    records: int = 0
    damaged: int = 0
    calls: int = 0
    first: str | None = None
    last: str | None = None
    tools: Counter[str] = field(default_factory=Counter[str])
    statuses: Counter[str] = field(default_factory=Counter[str])
    codes: Counter[str] = field(default_factory=Counter[str])
    rules: Counter[str] = field(default_factory=Counter[str])

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON; the most frequent come first."""
        counters = {name: dict(getattr(self, name).most_common()) for name in COUNTERS}
        return asdict(self) | counters

    def to_text(self) -> str:
        """Return the counts as text, one line per count."""
        lines = [f"{plural(self.records, 'record')} of {plural(self.calls, 'call')}"]
        if self.first and self.last:
            lines[0] += f", {printable(self.first)} to {printable(self.last)}"
        if self.damaged:
            lines.append(f"{plural(self.damaged, 'damaged record')}: `moviegraph journal verify`")
        for name, title in COUNTERS.items():
            counts: Counter[str] = getattr(self, name)
            if counts:
                lines += ["", title]
                lines += [f"{count:>8,}  {printable(key)}" for key, count in counts.most_common()]
        return "\n".join(lines)


def count_records(journal: SqliteJournal, wanted: Filter) -> Stats:
    """Count all records that match a filter."""
    stats, calls = Stats(), set[str]()
    for _, execution in listed(journal, wanted, maxsize):
        if execution is None:
            stats.damaged += 1
            continue
        stats.records += 1
        calls.add(execution.call_id or execution.id)
        stats.first = execution.created  # records come newest first
        stats.last = stats.last or execution.created
        stats.tools[execution.tool] += 1
        stats.statuses[execution.status] += 1
        _count_attempts(stats, execution)
    stats.calls = len(calls)
    return stats


def _count_attempts(stats: Stats, execution: Execution) -> None:
    codes = [attempt.code for attempt in execution.attempts if attempt.code]
    if not codes and execution.code:
        codes = [execution.code]
    stats.codes.update(codes)
    for attempt in execution.attempts:
        if attempt.method == "rules" and attempt.rule:
            stats.rules.update(attempt.rule.split(", "))


MAX_CHARS = 6_000
MAX_DEPTH = 40
WIDTH = 76
INDENT = "  "
TOKEN = re.compile(
    r"'(?:[^']|'')*'|\[(?:[^\]]|\]\])*\]|\"(?:[^\"]|\"\")*\"|--|/\*|\w+|[^\w\s]", re.DOTALL
)
UNREADABLE = frozenset({"--", "/*", "'", '"', "["})  # comments, and quotes that do not end
CLAUSES = frozenset(
    "SELECT FROM WHERE GROUP HAVING ORDER UNION EXCEPT INTERSECT OFFSET LIMIT OPTION FOR "
    "WITH".split()
)
JOINS = frozenset("INNER LEFT RIGHT FULL CROSS OUTER JOIN".split())
# Words after which the next one continues the clause, as in WITHIN GROUP and IS DISTINCT FROM.
CONTINUED = frozenset("WITHIN DISTINCT INNER LEFT RIGHT FULL CROSS OUTER".split())


@dataclass(slots=True)
class _Item:
    """A token, or a group of items in parentheses; `space` is whether white space precedes it."""

    text: str
    space: bool
    group: list[_Item] | None = None

    @property
    def word(self) -> str:
        return "" if self.group is not None else self.text.upper()

    @property
    def is_query(self) -> bool:
        return bool(self.group) and self.group[0].word == "SELECT"


def format_sql(text: str) -> str:
    """Return a long one-line statement over several lines; all other text stays as it is."""
    if not WIDTH < len(text) <= MAX_CHARS or "\n" in text:
        return text
    items = _parse(text)
    return text if items is None else "\n".join(_format_block(items, ""))


def _parse(text: str) -> list[_Item] | None:
    """Return the items of a statement; None where it cannot be read safely."""
    stack: list[list[_Item]] = [[]]
    end = 0
    for match in TOKEN.finditer(text):
        symbol, space = match[0], match.start() > end
        end = match.end()
        if symbol in UNREADABLE or len(stack) > MAX_DEPTH or (symbol == ")" and len(stack) == 1):
            return None
        if symbol == ")":
            stack.pop()
        elif symbol == "(":
            members: list[_Item] = []
            stack[-1].append(_Item("", space, members))
            stack.append(members)
        else:
            stack[-1].append(_Item(symbol, space))
    return stack[0] if len(stack) == 1 else None


def _format_block(items: Sequence[_Item], indent: str) -> Iterator[str]:
    """Yield the lines of a query: a clause on each, or its parts where it is too long."""
    for clause in _split(items, _starts_clause):
        if len(indent) + len(_inline(clause)) <= WIDTH:
            yield indent + _inline(clause)
            continue
        for index, part in enumerate(_split(clause, _PartBreaks().starts_part)):
            yield from _format_part(part, indent + (INDENT if index else ""))


def _format_part(part: Sequence[_Item], indent: str) -> Iterator[str]:
    """Yield the lines of a part of a clause; a long subquery in it gets lines of its own."""
    begin = 0
    line = ""
    for index, item in enumerate(part):
        if item.is_query and item.group and len(indent) + len(_inline(part)) > WIDTH:
            space = " " if item.space and (line or index > begin) else ""
            yield f"{indent}{_append(line, part[begin:index])}{space}("
            yield from _format_block(item.group, indent + INDENT)
            begin, line = index + 1, ")"
    yield f"{indent}{_append(line, part[begin:])}"


def _append(line: str, items: Sequence[_Item]) -> str:
    text = _inline(items)
    return f"{line} {text}" if line and items and items[0].space else f"{line}{text}"


def _inline(items: Sequence[_Item]) -> str:
    """Return items in one line, with white space only where it was."""
    texts: list[str] = []
    for index, item in enumerate(items):
        text = item.text if item.group is None else f"({_inline(item.group)})"
        texts.append(f" {text}" if item.space and index else text)
    return "".join(texts)


def _split(
    items: Sequence[_Item], starts: Callable[[Sequence[_Item], int], bool]
) -> Iterator[Sequence[_Item]]:
    begin = 0
    for index in range(len(items)):
        if starts(items, index) and index > begin:
            yield items[begin:index]
            begin = index
    yield items[begin:]


def _starts_clause(items: Sequence[_Item], index: int) -> bool:
    word = items[index].word
    previous = items[index - 1].word if index else ""
    is_call = index + 1 < len(items) and items[index + 1].group is not None
    if previous in CONTINUED or (is_call and word in ("LEFT", "RIGHT")):
        return False
    return word in JOINS or (word in CLAUSES and items[index].space)


class _PartBreaks:
    """Finds the commas and conditions of a clause, but not those within CASE and BETWEEN."""

    def __init__(self) -> None:
        self.cases = 0
        self.is_between = False

    def starts_part(self, items: Sequence[_Item], index: int) -> bool:
        """Return whether a line begins here; called for each item in turn."""
        word = items[index].word
        self.cases += (word == "CASE") - (word == "END")
        if word == "AND" and self.is_between:
            self.is_between = False
            return False
        self.is_between = self.is_between or word == "BETWEEN"
        after_comma = index > 0 and items[index - 1].word == ","
        return self.cases <= 0 and (after_comma or word in ("AND", "OR"))
