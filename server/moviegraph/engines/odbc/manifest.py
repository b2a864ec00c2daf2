"""The manifest of a graph on SQL Server: one row of our own table beside the graph."""

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

from moviegraph.contract.ddl_mssql import MANIFEST, own_table
from moviegraph.contract.space import VectorSpace
from moviegraph.engines.graph_folder import Manifest
from moviegraph.engines.odbc.reading import Read
from moviegraph.errors import GraphError

FORMAT = 1
ROW = "manifest"
State = Literal["loading", "whole"]
TABLE = own_table(MANIFEST)
# The second branch keeps the shape of the result where the table is missing or not granted.
READ = f"""\
IF OBJECT_ID(N'{TABLE}', N'U') IS NOT NULL
    SELECT Value FROM {TABLE} WHERE Name = N'{ROW}';
ELSE SELECT CAST(NULL AS NVARCHAR(MAX)) AS Value WHERE 1 = 0;"""
# One parameter: the document.
WRITE = f"""\
DECLARE @document NVARCHAR(MAX) = ?;
UPDATE {TABLE} SET Value = @document WHERE Name = N'{ROW}';
IF @@ROWCOUNT = 0 INSERT {TABLE} (Name, Value) VALUES (N'{ROW}', @document);"""
REBUILD = "Load the data again: moviegraph load SOURCE --into mssql."


@dataclass(frozen=True, slots=True)
class StoredManifest:
    """What a database holds, and whether a load into it has come to its end."""

    manifest: Manifest
    state: State


def read_manifest(read: Read) -> StoredManifest | None:
    """Return the manifest of a database, or None where there is none.

    Args:
        read: Runs a statement and returns its rows.

    Raises:
        GraphError: There is one that this version cannot read.
    """
    rows = read(READ)
    return _parsed(rows[0][0]) if rows else None


def written(stored: StoredManifest) -> str:
    """Return a manifest as the document that `WRITE` takes."""
    record = {**asdict(stored.manifest), "state": stored.state}
    return json.dumps(record, sort_keys=True, default=str)


def _parsed(document: str) -> StoredManifest:
    try:
        record: dict[str, Any] = json.loads(document)
        state = record.pop("state")
        if record["format"] != FORMAT or state not in ("loading", "whole"):
            raise ValueError(state)
        space = record["space"]
        record["space"] = VectorSpace.from_record(space) if space is not None else None
        return StoredManifest(Manifest(**record), state)
    except (ValueError, KeyError, TypeError) as error:
        raise GraphError(
            f"The manifest in {TABLE} cannot be read: this version reads format {FORMAT}.",
            hint=REBUILD,
        ) from error
