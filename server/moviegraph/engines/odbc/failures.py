"""Turns what pyodbc raises into errors that a model, or else the operator, can act upon."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass

from moviegraph.contract.model import Contract, nearest
from moviegraph.engines.odbc.cures import CURES
from moviegraph.engines.odbc.features import RAISE_LEVEL
from moviegraph.engines.odbc.hints import HINTS, STATES, UNAVAILABLE, Hint
from moviegraph.engines.odbc.login_failures import BY_NUMBER, login_failure
from moviegraph.engines.odbc.messages import Message, neutral, primary, state
from moviegraph.engines.odbc.transient import (
    PASSING,
    is_lost,
    is_of_log_in,
    is_unreached,
    is_waking,
    numbers,
)
from moviegraph.errors import (
    DatabaseError,
    ExecutionError,
    ForModel,
    MoviegraphError,
    QueryTimeoutError,
    UnavailableError,
)
from moviegraph.sql.functions import FUNCTIONS

LOG = logging.getLogger("moviegraph")
NAME = re.compile(r"""['"](?:[^'"]*\.)?([^'".]+)['"]""")
UNKNOWN_FUNCTION = 195
INVALID_COLUMN = 207
INVALID_OBJECT = 208
WITHOUT = {
    "GENERATE_SERIES": "List the numbers instead: (VALUES (1), (2), (3)) AS s(value).",
    "REGEXP_LIKE": "Write LIKE with %, _ and [a-z] instead.",
}
DENIED = frozenset({229, 230})
AGAIN = "Make the same call again in a minute."
VARIABLE = "MOVIEGRAPH_MSSQL"
SIMPLER = "Write it in a simpler form, or call fix_sql with it."


@dataclass(frozen=True, slots=True)
class Failures:
    """Explains errors of statements over one contract's tables."""

    contract: Contract

    def explained(self, error: BaseException, sql: str = "") -> MoviegraphError:
        """Return the error for the model, or for the operator where only that one can help.

        Args:
            error: What pyodbc raised.
            sql: The statement, for the names that it may use.
        """
        message = primary(error)
        passing = _passing(error)
        if passing is not None:
            return passing
        if is_of_log_in(error):
            return login_failure(error, VARIABLE)
        if message is None or is_unreached(error):
            return _of_driver(error)
        if message.number in HINTS:
            return self._hinted(message, HINTS[message.number], sql)
        if message.number in CURES:
            cure = CURES[message.number]
            return DatabaseError(f"{cure.message} (error {message.number})", hint=cure.cure)
        if message.number in BY_NUMBER:
            return login_failure(error, VARIABLE)
        LOG.warning("SQL Server gave an error that is not in the table: %s", _told(error))
        return ExecutionError(neutral(message.text), hint=SIMPLER)

    def _hinted(self, message: Message, hint: Hint, sql: str) -> MoviegraphError:
        behind = self._behind(message) or _hidden(message)
        if behind is not None:
            return behind
        cure = hint.cure.format(
            tables=", ".join(self._tables()),
            columns=", ".join(self._columns(sql)),
            searchable=", ".join(self._searchable()),
        )
        text = neutral(message.text)
        if hint.code == UNAVAILABLE:
            return UnavailableError(text, hint=cure)
        return ExecutionError(
            text, code=hint.code, hint=cure, suggestions=self._suggestions(message, sql)
        )

    def _behind(self, message: Message) -> DatabaseError | None:
        """Return an error for the operator where the contract has what the database lacks."""
        name = _named(message)
        known = self.contract.table_names
        if message.number in DENIED and name.lower() in {each.lower() for each in known}:
            return DatabaseError(
                f"The principal may not read the table {name}.",
                hint="GRANT SELECT on it to the role of readers: moviegraph ddl prints the script.",
            )
        if message.number == INVALID_OBJECT and name.lower() in {each.lower() for each in known}:
            return DatabaseError(
                f"The database has no table {name}, or the principal may not see it.",
                hint="moviegraph check compares the contract with the database.",
            )
        columns = {column.name.lower() for node in self.contract.nodes for column in node.columns}
        if message.number == INVALID_COLUMN and name.lower() in columns:
            return DatabaseError(
                f"The database lacks the column {name} in a table that should have it.",
                hint="moviegraph check compares the contract with the database.",
            )
        return None

    def _suggestions(self, message: Message, sql: str) -> tuple[str, ...]:
        if message.number == INVALID_COLUMN:
            return nearest(_named(message), self._columns(sql))
        if message.number == INVALID_OBJECT:
            return nearest(_named(message), self.contract.table_names)
        return ()

    def _tables(self) -> list[str]:
        return [f"{self.contract.schema_name}.{name}" for name in self.contract.table_names]

    def _columns(self, sql: str) -> list[str]:
        """Return the columns of the tables that a statement names, else of all."""
        folded = sql.lower()
        named = [node for node in self.contract.nodes if f"[{node.name.lower()}]" in folded]
        columns = [c.name for node in named or self.contract.nodes for c in node.columns]
        return list(dict.fromkeys(columns))

    def _searchable(self) -> list[str]:
        return [f"{node.name}.{name}" for node in self.contract.nodes for name in node.searchable]


def _hidden(message: Message) -> ExecutionError | None:
    """Return the error of a function that the guard admits and the database does not know.

    The model can say it otherwise, and who runs the database can raise its level.
    """
    name = _named(message).upper()
    if message.number not in (UNKNOWN_FUNCTION, INVALID_OBJECT) or name not in FUNCTIONS:
        return None
    LOG.warning("The database does not know %s at its compatibility level: %s", name, RAISE_LEVEL)
    return ExecutionError(
        f"This database does not know the function {name}.",
        code="unsupported_by_engine",
        hint=WITHOUT.get(name, f"Say it without {name}."),
    )


def _named(message: Message) -> str:
    found = NAME.search(message.text)
    return found[1] if found else ""


def _passing(error: BaseException) -> ForModel | None:
    """Return what to say of an error that had not passed when the time or the tries were over."""
    if is_waking(error):
        text = "The database was paused or is being moved, and is not there yet."
        LOG.warning("The database is not available yet (40613).")
    elif PASSING & numbers(error):
        text = "The database takes no more work just now."
        LOG.warning("The database refuses work for now: %s", _told(error))
    elif is_lost(error):
        text = "The connection to the database was lost, also at a second try."
        LOG.warning("The connection to the database was lost: %s", _told(error))
    else:
        return None
    return UnavailableError(text, hint=AGAIN)


def _of_driver(error: BaseException) -> MoviegraphError:
    """Return the error of what the driver says by itself."""
    hint = STATES.get(state(error))
    if hint is None or is_unreached(error):
        return login_failure(error, VARIABLE)
    return QueryTimeoutError("The driver stopped the statement.", code=hint.code, hint=hint.cure)


def _told(error: BaseException) -> str:
    message = primary(error)
    return f"{neutral(message.text)} ({message.number})" if message else f"state {state(error)}"
