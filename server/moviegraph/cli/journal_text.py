"""Records of the journal as an operator reads them: a line for each, or the whole of one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from moviegraph.cli.journal_facts import title_of
from moviegraph.plural import plural
from moviegraph.printing import printable

if TYPE_CHECKING:
    from moviegraph.journal.chain import Link
    from moviegraph.journal.records import Attempt, Client, Execution, ModelCost

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


def whole_of(link: Link, execution: Execution) -> str:
    """Return everything that is recorded of an execution, for a reader."""
    return "\n".join(line for line in _lines(link, execution) if line)


def _lines(link: Link, execution: Execution) -> Iterator[str]:
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
            yield from _block("ran on the way", statement)
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
    made = f"made by {by}{rules}" if by else "as given"
    decided = f"{attempt.decision} by the guard" if attempt.decision else "judged"
    failed = f"; failed: {attempt.code}" if attempt.code else "; ran" if ran else "; compiles"
    refused = f": {attempt.code}" if attempt.decision == "refused" else failed
    yield f"attempt {number}, {made}: {decided}{refused}"
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
    told = execution.status in ("ok", "empty") and execution.code
    return f"{execution.code}: {execution.message}" if told else execution.message


def _outcome(execution: Execution) -> str:
    if execution.status == "empty" or (execution.status == "ok" and execution.columns):
        more = f", cut by {execution.truncated}" if execution.truncated else ""
        return f"{_rows_counted(execution)}{more}"
    failed = execution.code and execution.status != "ok"
    return f"{execution.status}: {execution.code}" if failed else execution.status


def _cost(cost: ModelCost) -> str:
    told = f"{plural(cost.prompt_tokens, 'token')} in, {cost.completion_tokens:,} out"
    if cost.untold:
        some = f", else {told}" if cost.prompt_tokens or cost.completion_tokens else ""
        told = f"tokens not told for {cost.untold}{some}"
    whose = "the configured model" if cost.by == "provider" else "the client's model"
    return f"{whose} {cost.model or ''} to {cost.purpose}: {plural(cost.calls, 'call')}; {told}"


def _keys(execution: Execution) -> str:
    shown = ", ".join(f"{kind} {key}" for kind, key in execution.keys[:KEYS_SHOWN])
    more = len(execution.keys) - KEYS_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _rows(execution: Execution) -> Iterator[str]:
    if execution.rows is None:
        return
    yield f"rows kept: {len(execution.rows)} of {execution.row_count}"
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
