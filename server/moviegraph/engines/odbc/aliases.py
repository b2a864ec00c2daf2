"""The other names of nodes on SQL Server: one of our own tables beside the graph."""

import json
from collections.abc import Sequence

from moviegraph.contract.ddl_mssql import ALIAS, OWN_SCHEMA, own_table
from moviegraph.engines.graph_records import AliasRecord
from moviegraph.engines.odbc.live_schema import LiveSchema

TABLE = own_table(ALIAS)
NO_TABLE = (
    f"The database has no table {OWN_SCHEMA}.{ALIAS}, so nodes are not found by their aliases."
)
CREATE = "Run the script of `moviegraph ddl --engine mssql` again, then load again."
# The second branch keeps the shape of the result where the table is missing or not granted.
READ = f"""\
IF OBJECT_ID(N'{TABLE}', N'U') IS NOT NULL
    SELECT Kind, Id, Alias FROM {TABLE} ORDER BY Kind, Id, Alias;
ELSE SELECT CAST(NULL AS NVARCHAR(64)) AS Kind, CAST(NULL AS INT) AS Id,
    CAST(NULL AS NVARCHAR(200)) AS Alias WHERE 1 = 0;"""
# One parameter: the document.
WRITE = f"""\
DECLARE @document NVARCHAR(MAX) = ?;
DELETE FROM {TABLE};
INSERT {TABLE} (Kind, Id, Alias) SELECT Kind, Id, Alias FROM OPENJSON(@document)
    WITH (Kind NVARCHAR(64) '$[0]', Id INT '$[1]', Alias NVARCHAR(200) '$[2]');"""


def has_aliases(live: LiveSchema) -> bool:
    """Return whether the table of aliases is there, and granted."""
    return (OWN_SCHEMA, ALIAS.lower()) in live.tables


def alias_document(aliases: Sequence[AliasRecord]) -> str:
    """Return aliases as the document that `WRITE` takes."""
    return json.dumps([[each.kind, each.id, each.alias] for each in aliases], ensure_ascii=False)
