"""Read-only DuckDB connections in a sandbox: one instance, a cursor a statement."""

import os
import shutil
import threading
from collections.abc import Generator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from duckdb.func import FunctionNullHandling
from numpy.typing import NDArray

from moviegraph.engines.duckdb.json_functions import FUNCTIONS, PREFIX, with_null
from moviegraph.engines.duckdb.plan import (
    CATALOG,
    EQUAL,
    MACRO_PREFIX,
    MACROS,
    VALUE_PREFIX,
    NodesNeed,
    StatementPlan,
)
from moviegraph.engines.embedded.duckdb_errors import translate_error
from moviegraph.engines.embedded.interrupts import StopSignal
from moviegraph.errors import GraphError

SPILL_LIMIT = "1GB"
SMALL = 1_000_000  # rows: below, one thread answers sooner and uses less CPU
Sides = Mapping[str, Mapping[str, Any]]
Ids = NDArray[np.int64]
Columns = Mapping[str, NDArray[np.generic]]


class Database:
    """The tables of one graph.

    Every instance is its own: DuckDB would share one instance a path within a process, with the
    settings of the first one, and a rebuilt graph would return the old data. So an empty
    one in memory attaches the file, read-only, and is then locked. `spill` is the folder that
    DuckDB makes when intermediate rows do not fit into `memory` megabytes.
    """

    def __init__(self, path: Path, *, rows: int, memory: int, spill: Path) -> None:
        self._spill = spill
        threads = 1 if rows < SMALL else min(4, os.cpu_count() or 1)
        self._connection = duckdb.connect(":memory:", config={"default_collation": EQUAL})
        self._adding = threading.Lock()
        self._has_functions = False
        try:
            self._lock(path, threads, memory)
        except duckdb.Error as error:
            self.close()
            raise GraphError(
                f"The tables at {path} cannot be read.", hint="Load the data again."
            ) from error

    def _lock(self, path: Path, threads: int, memory: int) -> None:
        """Attach, set, and lock, in this order; cursors inherit global settings only."""
        quoted = str(path).replace("'", "''")
        spill = str(self._spill).replace("'", "''")
        for statement in (
            f"ATTACH '{quoted}' AS {CATALOG} (READ_ONLY)",
            f"SET GLOBAL threads = {threads}",
            f"SET GLOBAL memory_limit = '{memory}MB'",
            f"SET GLOBAL temp_directory = '{spill}'",
            f"SET GLOBAL max_temp_directory_size = '{SPILL_LIMIT}'",
            "SET GLOBAL integer_division = true",
            "SET GLOBAL default_null_order = 'nulls_first_on_asc_last_on_desc'",
            "SET GLOBAL python_enable_replacements = false",
            "SET GLOBAL autoinstall_known_extensions = false",
            "SET GLOBAL autoload_known_extensions = false",
            "SET GLOBAL enable_external_access = false",
            "SET GLOBAL lock_configuration = true",
        ):
            self._connection.execute(statement)

    def warm_up(self, statement: str) -> None:
        """Create what statements may call, and run one, so that the next ones are fast."""
        self._add_functions()
        self._connection.execute(statement).fetchall()

    def run(
        self,
        plan: StatementPlan | NodesNeed,
        parameters: Mapping[str, Any],
        side_tables: Sides,
        stop: StopSignal,
        max_rows: int,
    ) -> list[tuple[Any, ...]]:
        """Run a plan with its side tables, and return at most `max_rows` rows.

        Raises:
            ExecutionError: The statement failed.
            QueryTimeoutError: It was stopped.
        """
        with self._executed(plan, parameters, side_tables, stop) as cursor:
            return cursor.fetchmany(max_rows)

    def arrays(
        self,
        query: StatementPlan | NodesNeed,
        parameters: Mapping[str, Any],
        side_tables: Sides,
        stop: StopSignal,
    ) -> dict[str, NDArray[Any]]:
        """Run a query and return its columns as arrays. Raises as `run` does."""
        with self._executed(query, parameters, side_tables, stop) as cursor:
            return cursor.fetchnumpy()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]

    @contextmanager
    def _executed(
        self,
        plan: StatementPlan | NodesNeed,
        parameters: Mapping[str, Any],
        side_tables: Sides,
        stop: StopSignal,
    ) -> Generator[duckdb.DuckDBPyConnection]:
        stop.check()
        lowercase = plan.sql.lower()
        if PREFIX in lowercase or MACRO_PREFIX in lowercase:
            self._add_functions()
        with ExitStack() as during:
            cursor = during.enter_context(closing(self._connection.cursor()))
            unregister = stop.on_start(lambda: _interrupt(cursor))
            try:
                for name, columns in side_tables.items():
                    cursor.register(name, dict(columns))
                cursor.execute(plan.sql, _named(cursor, plan.sql, parameters))
                yield cursor
            except (duckdb.Error, UnicodeError) as error:
                stop.check()
                raise translate_error(error) from error
            finally:
                unregister()

    def _add_functions(self) -> None:
        """Create the macros and JSON functions, once, and only when needed: that takes 45 ms."""
        with self._adding:
            if self._has_functions:
                return
            self._connection.execute(MACROS.read_text("utf-8"))
            for name, (function, types, result) in FUNCTIONS.items():
                self._connection.create_function(  # pyright: ignore[reportUnknownMemberType]
                    PREFIX + name,
                    with_null(function),
                    list(types),
                    result,
                    null_handling=FunctionNullHandling.SPECIAL,
                )
            self._has_functions = True

    def close(self) -> None:
        """Close the instance and remove its spilled files."""
        self._connection.close()
        shutil.rmtree(self._spill, ignore_errors=True)


def _named(
    cursor: duckdb.DuckDBPyConnection, sql: str, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parameters of a query; DuckDB refuses others, as an internal query may lack."""
    if not any(name.startswith(VALUE_PREFIX) for name in parameters):
        return dict(parameters)
    (statement,) = cursor.extract_statements(sql)
    return {name: parameters[name] for name in statement.named_parameters}


def _interrupt(cursor: duckdb.DuckDBPyConnection) -> None:
    with suppress(duckdb.Error):  # it may have ended meanwhile
        cursor.interrupt()
