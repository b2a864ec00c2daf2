"""The internal tables of a graph: its manifest and contract, and the aliases of nodes."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from moviegraph.contract.ddl import ALIAS, MANIFEST, OWN_SCHEMA, internal_table
from moviegraph.contract.loader import contract_of
from moviegraph.contract.model import Contract
from moviegraph.engines.sqlserver.metadata import LiveSchema
from moviegraph.engines.sqlserver.metadata_connection import Read
from moviegraph.errors import ContractError, GraphError

if TYPE_CHECKING:
    from moviegraph.engines.graph_records import Manifest

State = Literal["loading", "whole"]
MANIFEST_TABLE, ALIAS_TABLE = internal_table(MANIFEST), internal_table(ALIAS)


# The second branches keep the shape of the result where the table is missing or not granted.
def _reading(row: str) -> str:
    return f"""\
IF OBJECT_ID(N'{MANIFEST_TABLE}', N'U') IS NOT NULL
    SELECT Value FROM {MANIFEST_TABLE} WHERE Name = N'{row}';
ELSE SELECT CAST(NULL AS NVARCHAR(MAX)) AS Value WHERE 1 = 0;"""


def _writing(row: str) -> str:
    # One parameter: the document.
    return f"""\
DECLARE @document NVARCHAR(MAX) = ?;
UPDATE {MANIFEST_TABLE} SET Value = @document WHERE Name = N'{row}';
IF @@ROWCOUNT = 0 INSERT {MANIFEST_TABLE} (Name, Value) VALUES (N'{row}', @document);"""


READ_MANIFEST, WRITE_MANIFEST = _reading("manifest"), _writing("manifest")
READ_CONTRACT, WRITE_CONTRACT = _reading("contract"), _writing("contract")
READ_ALIASES = f"""\
IF OBJECT_ID(N'{ALIAS_TABLE}', N'U') IS NOT NULL
    SELECT Kind, Id, Alias FROM {ALIAS_TABLE} ORDER BY Kind, Id, Alias;
ELSE SELECT CAST(NULL AS NVARCHAR(64)) AS Kind, CAST(NULL AS BIGINT) AS Id,
    CAST(NULL AS NVARCHAR(200)) AS Alias WHERE 1 = 0;"""
# One parameter: the document.
WRITE_ALIASES = f"""\
DECLARE @document NVARCHAR(MAX) = ?;
DELETE FROM {ALIAS_TABLE};
INSERT {ALIAS_TABLE} (Kind, Id, Alias) SELECT Kind, Id, Alias FROM OPENJSON(@document)
    WITH (Kind NVARCHAR(64) '$[0]', Id BIGINT '$[1]', Alias NVARCHAR(200) '$[2]');"""
NO_ALIAS_TABLE = (
    f"The database has no table {OWN_SCHEMA}.{ALIAS}, so nodes are not found by their aliases."
)
CREATE_ALIAS_TABLE = "Run the script of `moviegraph ddl --engine mssql` again, then load again."


@dataclass(frozen=True, slots=True)
class StoredManifest:
    """The manifest of a database, and whether the load into it has finished."""

    manifest: Manifest
    state: State

    def document(self) -> str:
        """Return it as the document that `WRITE_MANIFEST` takes."""
        return json.dumps(
            {**asdict(self.manifest), "state": self.state}, sort_keys=True, default=str
        )


def read_stored_manifest(read: Read) -> StoredManifest | None:
    """Return the manifest of a database, or None where there is none.

    Raises:
        GraphError: There is one that this version cannot read.
    """
    from moviegraph.engines.graph_records import FORMAT, Manifest  # it needs numpy

    rows = read(READ_MANIFEST)
    if not rows:
        return None
    try:
        record: dict[str, Any] = json.loads(rows[0][0])
        state = record.pop("state")
        if record["format"] != FORMAT or state not in ("loading", "whole"):
            raise ValueError(state)
        return StoredManifest(Manifest.from_record(record), state)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise GraphError(
            f"The manifest in {MANIFEST_TABLE} cannot be read: this version reads format {FORMAT}.",
            hint="Load the data again: moviegraph load SOURCE --into mssql.",
        ) from error


def contract_document(contract: Contract) -> str:
    """Return the files of a contract as the document that `WRITE_CONTRACT` takes."""
    return json.dumps(contract.files, ensure_ascii=False, sort_keys=True)


def database_contract(read: Read) -> Contract | None:
    """Return the contract that a database carries, or None where `load` wrote none.

    Raises:
        ContractError: It carries one that this version cannot read.
    """
    rows = read(READ_CONTRACT)
    if not rows:
        return None
    try:
        files: dict[str, str] = json.loads(rows[0][0])
        contract = contract_of({str(name): str(text) for name, text in files.items()})
    except (ContractError, ValueError, AttributeError) as error:
        reason = f": {error.message}" if isinstance(error, ContractError) else "."
        raise ContractError(
            f"The contract in {MANIFEST_TABLE} cannot be read{reason}",
            hint="Name the contract with --contract FOLDER, or load the data again with it.",
        ) from error
    with suppress(GraphError):  # opening the graph reports it
        if stored := read_stored_manifest(read):
            return contract.with_samples(stored.manifest.statistics.samples)
    return contract


def has_aliases(live: LiveSchema) -> bool:
    """Return whether the table of aliases is there, and granted."""
    return (OWN_SCHEMA, ALIAS.lower()) in live.tables
