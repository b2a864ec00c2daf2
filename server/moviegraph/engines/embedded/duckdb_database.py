"""Read-only DuckDB connections in a sandbox: one instance, a cursor a statement."""

import os
import tempfile
import threading
from collections.abc import Generator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from duckdb.func import FunctionNullHandling
from numpy.typing import NDArray

from moviegraph.engines.duckdb.expressions import CATALOG, MACRO_PREFIX, MACROS
from moviegraph.engines.duckdb.json_functions import FUNCTIONS, PREFIX, stoppable
from moviegraph.engines.duckdb.plan import NodesNeed, StatementPlan
from moviegraph.engines.duckdb.subqueries import PARAMETER, PULSE
from moviegraph.engines.duckdb.text_rules import EQUAL
from moviegraph.engines.embedded.duckdb_errors import translate_error
from moviegraph.engines.embedded.interrupts import StopRegistry, StopSignal
from moviegraph.errors import GraphError

MEMORY_LIMIT = "1GB"
SPILL_LIMIT = "1GB"
SMALL = 1_000_000  # rows: below, one thread answers sooner and uses less CPU
Sides = Mapping[str, Mapping[str, Any]]
Ids = NDArray[np.int64]
Columns = Mapping[str, NDArray[np.generic]]


class Database:
    """The tables of one graph.

    Every instance is its own: DuckDB would share one instance a path within a process, with the
    settings of the first one, and a rebuilt graph would return the old data. So an empty
    one in memory attaches the file, read-only, and is then locked.
    """

    def __init__(self, path: Path, *, rows: int, temporary: Path | None) -> None:
        self._spill = tempfile.TemporaryDirectory(
            prefix="moviegraph-", dir=temporary, ignore_cleanup_errors=True
        )
        threads = 1 if rows < SMALL else min(4, os.cpu_count() or 1)
        self._stops = StopRegistry()
        self._connection = duckdb.connect(":memory:", config={"default_collation": EQUAL})
        self._adding = threading.Lock()
        self._reads_json = self._has_macros = False
        try:
            self._lock(path, threads)
        except duckdb.Error as error:
            self.close()
            raise GraphError(
                f"The tables at {path} cannot be read.", hint="Load the data again."
            ) from error

    def _lock(self, path: Path, threads: int) -> None:
        """Attach, set, and lock, in this order; cursors inherit global settings only."""
        self._connection.create_function(  # pyright: ignore[reportUnknownMemberType]
            PULSE, self._stops.check, ["BIGINT"], "BOOLEAN", side_effects=True
        )
        quoted = str(path).replace("'", "''")
        spill = self._spill.name.replace("'", "''")
        for statement in (
            f"ATTACH '{quoted}' AS {CATALOG} (READ_ONLY)",
            f"SET GLOBAL threads = {threads}",
            f"SET GLOBAL memory_limit = '{MEMORY_LIMIT}'",
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
        if PREFIX in lowercase:
            self._add_json()
        if MACRO_PREFIX in lowercase:
            self._add_macros()
        with ExitStack() as during:
            cursor = during.enter_context(closing(self._connection.cursor()))
            pulse = (
                {PARAMETER: during.enter_context(self._stops.known(stop))} if plan.paired else {}
            )
            unregister = stop.on_start(lambda: _interrupt(cursor))
            try:
                for name, columns in side_tables.items():
                    cursor.register(name, dict(columns))
                cursor.execute(plan.sql, {**parameters, **pulse})
                yield cursor
            except (duckdb.Error, UnicodeError) as error:
                stop.check()
                raise translate_error(error) from error
            finally:
                unregister()

    def _add_json(self) -> None:
        """Add the JSON functions, once, and only when a statement calls one."""
        with self._adding:
            if not self._reads_json:
                for name, (function, types, result) in FUNCTIONS.items():
                    self._connection.create_function(  # pyright: ignore[reportUnknownMemberType]
                        PREFIX + name,
                        stoppable(function, self._stops.check),
                        [*types, "BIGINT"],
                        result,
                        null_handling=FunctionNullHandling.SPECIAL,
                    )
                self._reads_json = True

    def _add_macros(self) -> None:
        """Create the macros, once, and only when a statement calls one: that takes 45 ms."""
        with self._adding:
            if not self._has_macros:
                self._connection.execute(MACROS.read_text("utf-8"))
                self._has_macros = True

    def close(self) -> None:
        """Close the instance and remove its spilled files."""
        self._connection.close()
        self._spill.cleanup()


def _interrupt(cursor: duckdb.DuckDBPyConnection) -> None:
    with suppress(duckdb.Error):  # it may have ended meanwhile
        cursor.interrupt()
