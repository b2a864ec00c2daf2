"""Errors of pyodbc as errors for the model, or for the operator where only that one can help.

`errors.toml` has the report for each error number.
"""

from __future__ import annotations

import logging
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moviegraph.contract.model import Contract
from moviegraph.engines.sqlserver.diagnostics import (
    PASSING,
    QUOTED,
    UNREACHED_STATES,
    DiagnosticRecord,
    is_login_error,
    is_lost,
    is_unreached,
    is_waking,
    messages,
    numbers,
    primary,
    redact,
    state,
)
from moviegraph.errors import (
    DatabaseError,
    ExecutionError,
    ModelVisibleError,
    MoviegraphError,
    QueryTimeoutError,
    UnavailableError,
)
from moviegraph.names import closest_names

LOG = logging.getLogger("moviegraph")
NO_CONNECTION = "no_connection"
UNAVAILABLE = "unavailable"
VARIABLE = "MOVIEGRAPH_MSSQL"


@dataclass(frozen=True, slots=True)
class ErrorHint:
    """The report for an error: the server's text is used where there is no message."""

    hint: str
    code: str = ""
    message: str = ""


def _entries(section: list[dict[str, Any]]) -> dict[int | str, ErrorHint]:
    """Return the hints of one list of `errors.toml`, by error number and by name."""
    hints: dict[int | str, ErrorHint] = {}
    for entry in section:
        keys: list[int | str] = [*entry.pop("numbers", ()), *filter(None, [entry.pop("name", "")])]
        hints.update(dict.fromkeys(keys, ErrorHint(**entry)))
    return hints


_TABLES = tomllib.loads((Path(__file__).parent / "errors.toml").read_text(encoding="utf-8"))
STATEMENT_HINTS, OPERATOR_HINTS, LOGIN_HINTS, LOAD_HINTS = (
    _entries(_TABLES[name]) for name in ("statement", "operator", "login", "load")
)
NAME = re.compile(r"""['"](?:[^'"]*\.)?([^'".]+)['"]""")
INVALID_COLUMN, INVALID_OBJECT = 207, 208
DENIED = frozenset({229, 230})
STOPPED_STATES = {"HYT00": "timeout", "HY008": "cancelled"}
# Errors without a number of the server are recognized by how the message begins: a name of a
# host or of a file may contain any word.
BEGINNINGS = (
    (r"can't open lib '", "driver"),
    (r"specified driver could not be ", "driver"),
    (r"data source name not found", "driver"),
    (r"(?:ssl|tls) provider: [^;]*(?:certificate|principal name)", "certificate"),
    (r"(?:ssl|tls) (?:provider|security error)", "encryption"),
    (r"encryption not supported", "encryption"),
    (r"[^;]*deny public network access", "network"),
)


def login_failure(error: BaseException, name: str) -> DatabaseError:
    """Return why a connection could not be opened, or did not last.

    Args:
        error: What pyodbc raised.
        name: The variable that holds the connection string.
    """
    entry = _login_hint(error)
    return DatabaseError(entry.message, code=NO_CONNECTION, hint=entry.hint.format(name=name))


def _login_hint(error: BaseException) -> ErrorHint:
    text = " ".join(map(str, error.args)).lower()
    record = primary(error)
    if record is not None and record.number == 18456 and "token" in text:
        return LOGIN_HINTS["expired token" if "expired" in text else "token"]
    for message in messages(error):
        if message.number in LOGIN_HINTS:
            return LOGIN_HINTS[message.number]
    for beginning, name in BEGINNINGS:
        if re.search(rf"\] ?{beginning}", text):
            return LOGIN_HINTS[name]
    return _hint_of_state(error)


def _hint_of_state(error: BaseException) -> ErrorHint:
    if is_unreached(error) or state(error) in UNREACHED_STATES:
        return LOGIN_HINTS["unreached"]
    if is_lost(error):
        return LOGIN_HINTS["lost"]
    if state(error) == "HYT00":
        return LOGIN_HINTS["silent"]
    record = primary(error)
    number = f"error {record.number}" if record else f"state {state(error) or 'unknown'}"
    # The server's text is all that explains it; what it quotes may name host, user or database.
    text = re.sub(QUOTED, "...", redact(record.text)).rstrip(".") if record else ""
    reason = f": {text}" if text else ""
    hint = "Look it up in Microsoft's list of errors, and check {name}."
    return ErrorHint(hint, message=f"The connection to the database failed ({number}){reason}.")


@dataclass(frozen=True, slots=True)
class ErrorTranslator:
    """Explains errors of statements over one contract's tables."""

    contract: Contract

    def explain(self, error: BaseException, sql: str = "") -> MoviegraphError:
        """Return the error for the model, or for the operator where only that one can help.

        Args:
            error: What pyodbc raised.
            sql: The statement, for the names that it may use.
        """
        record = primary(error)
        if (passing := _passing(error)) is not None:
            return passing
        if is_login_error(error):
            return login_failure(error, VARIABLE)
        if record is None or is_unreached(error):
            return _of_driver(error)
        if record.number in STATEMENT_HINTS:
            return self._of_statement(record, sql)
        if (entry := OPERATOR_HINTS.get(record.number)) is not None:
            return DatabaseError(f"{entry.message} (error {record.number})", hint=entry.hint)
        if record.number in LOGIN_HINTS:
            return login_failure(error, VARIABLE)
        LOG.warning("SQL Server gave an error that is not in the table: %s", _summary(error))
        hint = "Write it in a simpler form. fix_sql may repair it."
        return ExecutionError(redact(record.text), hint=hint)

    def _of_statement(self, record: DiagnosticRecord, sql: str) -> MoviegraphError:
        name = _quoted_name(record)
        if (other := self._missing_in_database(record, name)) is not None:
            return other
        tables, columns = self.contract.table_names, self._columns(sql)
        entry = STATEMENT_HINTS[record.number]
        hint = entry.hint.format(
            tables=", ".join(f"{self.contract.schema_name}.{table}" for table in tables),
            columns=", ".join(columns),
            searchable=", ".join(
                f"{n.name}.{c}" for n in self.contract.nodes for c in n.searchable
            ),
        )
        text = redact(record.text)
        if entry.code == UNAVAILABLE:
            return UnavailableError(text, hint=hint)
        candidates = {INVALID_COLUMN: columns, INVALID_OBJECT: tables}.get(record.number, ())
        suggestions = closest_names(name, candidates) if candidates else ()
        return ExecutionError(text, code=entry.code, hint=hint, suggestions=suggestions)

    def _missing_in_database(self, record: DiagnosticRecord, name: str) -> DatabaseError | None:
        """Return an error for the operator where the contract has what the database lacks."""
        is_table = name.lower() in {table.lower() for table in self.contract.table_names}
        columns = {column.name.lower() for node in self.contract.nodes for column in node.columns}
        hint = "moviegraph check compares the contract with the database."
        if record.number in DENIED and is_table:
            text = f"The principal may not read the table {name}."
            hint = "GRANT SELECT on it to the role of readers: moviegraph ddl prints the script."
        elif record.number == INVALID_OBJECT and is_table:
            text = f"The database has no table {name}, or the principal may not see it."
        elif record.number == INVALID_COLUMN and name.lower() in columns:
            text = f"The database lacks the column {name} in a table that should have it."
        else:
            return None
        return DatabaseError(text, hint=hint)

    def _columns(self, sql: str) -> list[str]:
        """Return the columns of the tables that a statement names, else of all."""
        lowered = sql.lower()
        nodes = [node for node in self.contract.nodes if f"[{node.name.lower()}]" in lowered]
        columns = [c.name for node in nodes or self.contract.nodes for c in node.columns]
        return list(dict.fromkeys(columns))


def _quoted_name(record: DiagnosticRecord) -> str:
    match = NAME.search(record.text)
    return match[1] if match else ""


def _passing(error: BaseException) -> ModelVisibleError | None:
    """Return the report for a transient error that lasted until the time or the tries were over."""
    if is_waking(error):
        text = "The database was paused or is being moved, and is not available yet."
        LOG.warning("The database is not available yet (40613).")
    elif PASSING & numbers(error):
        text = "The database is temporarily unavailable: it accepts no more work."
        LOG.warning("The database refuses work for now: %s", _summary(error))
    elif is_lost(error):
        text = "The connection to the database was lost, and a second attempt failed."
        LOG.warning("The connection to the database was lost: %s", _summary(error))
    else:
        return None
    return UnavailableError(text, hint="Make the same call again in a minute.")


def _of_driver(error: BaseException) -> MoviegraphError:
    """Return the error for a message of the driver itself."""
    code = STOPPED_STATES.get(state(error))
    if code is None or is_unreached(error):
        return login_failure(error, VARIABLE)
    hint = "Narrow it: filter earlier, join fewer tables, or search with TOP first."
    return QueryTimeoutError("The driver stopped the statement.", code=code, hint=hint)


def _summary(error: BaseException) -> str:
    record = primary(error)
    return f"{redact(record.text)} ({record.number})" if record else f"state {state(error)}"
