"""DuckDB exceptions as errors for the model, or for the operator; no path, no internals.

`errors.toml` has the report for each message of DuckDB.
"""

import logging
import re
import tomllib
from functools import cache
from pathlib import Path

import duckdb

from moviegraph.errors import ExecutionError, GraphError

LOG = logging.getLogger("moviegraph")
UNWRITTEN = "Could not write"
TYPE_NAMES = {
    "INT8": "tinyint",
    "INT16": "smallint",
    "INT32": "int",
    "INT64": "bigint",
    "UINT8": "tinyint",
    "UTINYINT": "tinyint",
    "SMALLINT": "smallint",
    "INT": "int",
    "BIGINT": "bigint",
    "DOUBLE": "float",
    "FLOAT": "real",
    "BOOL": "bit",
    "DECIMAL": "decimal",
    "Date": "date",
    "Time": "time",
}


@cache
def _entries() -> list[dict[str, str]]:
    text = Path(__file__).with_name("errors.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["errors"]


def translate_error(error: Exception) -> ExecutionError | GraphError:
    """Return the error for the model, or for the operator where the files are damaged."""
    if isinstance(error, duckdb.IOException) and UNWRITTEN in str(error):
        LOG.warning(
            "The temporary folder has no room for the intermediate rows of a statement.",
            extra={"facts": {"event": "spill_failed"}},
        )
        return ExecutionError(
            "The statement needs more disk space for its intermediate rows than is available.",
            code="too_complex",
            hint="Filter or aggregate earlier.",
        )
    if isinstance(error, duckdb.IOException | duckdb.SerializationException):
        return GraphError("The tables of the graph cannot be read.", hint="Load the data again.")
    if isinstance(error, duckdb.OutOfMemoryException):
        return ExecutionError(
            "The statement needs more memory than it may have.",
            code="too_complex",
            hint="Filter or aggregate earlier.",
        )
    if isinstance(error, UnicodeError):
        return ExecutionError(
            "The statement contains characters that are not valid text.", code="execution_failed"
        )
    if isinstance(error, duckdb.InternalException):
        LOG.warning(
            "DuckDB failed with an internal error on a statement that it should run.",
            extra={"facts": {"event": "engine_fault"}},
        )
        return ExecutionError(
            "The embedded engine cannot run the statement as it is written.",
            code="unsupported_by_engine",
            hint="Instead of APPLY or a subquery with TOP, number the rows in a derived table with "
            "ROW_NUMBER() OVER (PARTITION BY ...) and keep the first ones; take subqueries apart.",
        )
    return _by_message(error)


def _by_message(error: Exception) -> ExecutionError:
    text, _, _ = str(error).partition("\n\nLINE ")  # what follows is of the statement
    for entry in _entries():
        match = re.search(entry["pattern"], text, re.IGNORECASE | re.DOTALL)
        if match:
            message = entry["message"]
            names = [TYPE_NAMES.get(group, group) for group in match.groups() if group is not None]
            names += ["that is requested"] * (message.count("{") - len(names))
            return ExecutionError(
                message.format(*names), code=entry["code"], hint=entry.get("hint")
            )
    if isinstance(error, duckdb.CatalogException | duckdb.BinderException | duckdb.ParserException):
        return ExecutionError(
            "The embedded engine cannot run a construct of this statement.",
            code="unsupported_by_engine",
            hint="Write it in a simpler form, for example with a CTE.",
        )
    return ExecutionError("The statement failed while it ran.", code="execution_failed")
