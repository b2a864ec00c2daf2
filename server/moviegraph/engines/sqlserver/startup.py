"""Checks of a database before it is served; in doubt, it is not served."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from moviegraph.contract.ddl import READER, reader_statements
from moviegraph.contract.model import Contract
from moviegraph.embeddings.embedder import VectorSpace
from moviegraph.engines.base import APPROXIMATE, Description
from moviegraph.engines.sqlserver.authentication import Authentication, LoginSource
from moviegraph.engines.sqlserver.connection import Connector, address_of, require_reachable
from moviegraph.engines.sqlserver.execution import Runner
from moviegraph.engines.sqlserver.internal_tables import (
    StoredManifest,
    database_contract,
    read_stored_manifest,
)
from moviegraph.engines.sqlserver.metadata import (
    Features,
    LiveSchema,
    dimensions,
    populating,
    read_features,
    read_live_schema,
    schema_mismatches,
    unsearchable,
)
from moviegraph.engines.sqlserver.metadata_connection import MetadataConnection, Read, Waiting
from moviegraph.engines.sqlserver.principal import Principal, read_principal
from moviegraph.errors import DatabaseError, GraphError, VectorSpaceError

if TYPE_CHECKING:
    from moviegraph.engines.sqlserver.mssql_engine import MssqlEngine

LOG = logging.getLogger("moviegraph")
SHOWN = 5
DDL = "moviegraph ddl --engine mssql"
OVERRIDE = "MOVIEGRAPH_MSSQL_ALLOW_WRITABLE"
CONTRACT_SECONDS = 5.0
# A new connection may land on the primary when a replica goes away or a tier changes.
# An unknown state (NULL) counts as writable.
ONLY_READ_ONLY = """IF ISNULL(CAST(DATABASEPROPERTYEX(DB_NAME(), 'Updateability') AS NVARCHAR(60)),
  N'') <> N'READ_ONLY' RAISERROR (N'moviegraph was started on a read-only database.', 16, 1);"""
MAKE_USER = f"""\
-- Then one user, and connect as that one:
--   CREATE USER [NAME] FROM EXTERNAL PROVIDER;         (Microsoft Entra)
--   CREATE USER [NAME] WITH PASSWORD = '...';          (Azure SQL, contained databases)
--   CREATE LOGIN [NAME] WITH PASSWORD = '...';         (SQL Server, in master, and then)
--   CREATE USER [NAME] FOR LOGIN [NAME];
ALTER ROLE {READER} ADD MEMBER [NAME];
"""


@dataclass(frozen=True, slots=True)
class DatabaseOptions:
    """The operator's options for a database.

    Attributes:
        login: Who logs in.
        connections: Maximum connections at once.
        allow_writable: Serve in spite of a principal that may do more than read.
        approximate: Search by a vector index where one fits.
    """

    login: LoginSource
    connections: int = 6
    allow_writable: bool = False
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class DatabaseInfo:
    """The result of inspecting a database.

    Attributes:
        features: What its server can do.
        live: Its tables.
        stored: The manifest of its graph, or None without one.
        space: The space of its vectors: the manifest's, else taken to be the embedder's.
    """

    features: Features
    live: LiveSchema
    stored: StoredManifest | None
    space: VectorSpace | None


def connector_of(login: LoginSource) -> Connector:
    """Return what opens connections; nothing is read or opened yet."""
    authentication = Authentication(login)
    return Connector(authentication, authentication.attributes)


def stored_contract(options: DatabaseOptions, seconds: float = CONTRACT_SECONDS) -> Contract | None:
    """Return the contract that a database carries, or None; a paused database is not waited for."""
    login = options.login
    if (address := address_of(login.string())) is not None:
        require_reachable(address, login.variable, seconds)
    connector = replace(connector_of(login), login_seconds=seconds)
    with closing(MetadataConnection(connector, login.variable, seconds=0)) as metadata:
        return database_contract(metadata.read)


def open_served(
    options: DatabaseOptions, contract: Contract, space: VectorSpace, waiting: Waiting
) -> MssqlEngine:
    """Check a database, and open it.

    Args:
        options: The operator's options.
        contract: The contract to serve.
        space: The space of the embedder.
        waiting: Called while a paused database wakes up; raises to give up.

    Raises:
        OperatorError: It may not be served, or not reached; the message names the fix.
    """
    from moviegraph.engines.sqlserver.mssql_engine import MssqlEngine

    connector = connector_of(options.login)
    with closing(
        MetadataConnection(connector, options.login.variable, waiting=waiting)
    ) as metadata:
        metadata.connect()
        principal, info = check_database(
            metadata.read, contract, space, allow_writable=options.allow_writable
        )
        description = describe_database(
            info, contract, metadata.read, approximate=options.approximate
        )
    if principal.needs_read_only_database:
        connector = replace(connector, session=(*connector.session, ONLY_READ_ONLY))
    return MssqlEngine(contract, Runner(connector.open, size=options.connections), description)


def check_database(
    read: Read, contract: Contract, space: VectorSpace, *, allow_writable: bool = False
) -> tuple[Principal, DatabaseInfo]:
    """Check principal, server, tables and graph, in this order; log warnings.

    Args:
        read: Runs a query.
        contract: The contract to serve.
        space: The space of the embedder.
        allow_writable: Serve in spite of a principal that may do more than read.

    Raises:
        OperatorError: The database may not be served; the message names the fix.
    """
    principal = read_principal(read, contract.schema_name)
    _require_reader(principal, contract, allow_writable=allow_writable)
    info = inspect_database(read, contract, space)
    for warning in _warnings(principal, info, contract):
        LOG.warning("%s", warning)
    return principal, info


def _require_reader(principal: Principal, contract: Contract, *, allow_writable: bool) -> None:
    """Raise DatabaseError unless the principal can only read, or the operator overrides that."""
    if principal.is_read_only:
        return
    if allow_writable:
        summary = principal.summary()
        text = "%s is set: serving as %s, which may do more than read: %s."
        LOG.warning(text, OVERRIDE, principal.user, summary)
        return
    LOG.error("A principal that can only read is made by this script:\n%s", reader_script(contract))
    raise excess_privilege_error(principal)


def excess_privilege_error(principal: Principal) -> DatabaseError:
    """Return the error of a principal that may do more than read."""
    return DatabaseError(
        f"The principal {principal.user} may do more than read the graph: {principal.summary()}.",
        hint=f"Connect as a member of the role {READER} only, which the script of `{DDL}` creates, "
        f"or set {OVERRIDE}=1 to serve anyway.",
    )


def reader_script(contract: Contract) -> str:
    """Return the T-SQL that makes a principal which can read the contract's tables, and no more."""
    return "\n".join((*reader_statements(contract), MAKE_USER))


def inspect_database(read: Read, contract: Contract, space: VectorSpace) -> DatabaseInfo:
    """Return the features and data of a database; without a manifest, the embedder's space counts.

    Raises:
        GraphError: The graph is half-loaded or of a different contract.
        VectorSpaceError: The stored vectors have other dimensions.
        DatabaseError: The database does not respond, or lacks a table.
    """
    features, live = read_features(read), read_live_schema(read)
    require_tables(live, contract)
    stored = read_stored_manifest(read)
    return DatabaseInfo(features, live, stored, identify_graph(stored, live, contract, space))


def require_tables(live: LiveSchema, contract: Contract) -> None:
    """Raise DatabaseError unless every table and column of the contract is there."""
    mismatches = schema_mismatches(live, contract)
    if mismatches:
        more = f"; and {len(mismatches) - SHOWN} more" if len(mismatches) > SHOWN else ""
        raise DatabaseError(
            f"The database does not match the contract {contract.name}: "
            f"{'; '.join(mismatches[:SHOWN])}{more}.",
            hint=f"Run the script of `{DDL}` in it, grants included, or serve the contract that "
            "it was made for (--contract).",
        )


def identify_graph(
    stored: StoredManifest | None, live: LiveSchema, contract: Contract, query: VectorSpace
) -> VectorSpace | None:
    """Return the space of the vectors in a database.

    Raises:
        GraphError: The graph is half-loaded or of a different contract.
        VectorSpaceError: Its vector columns do not fit the manifest, or, where
            there is none, the embedder.
    """
    sizes = dimensions(live, contract)
    if stored is None:
        require_dimensions(sizes, query, "the embedder's vectors have")
        return query if sizes else None
    if stored.state != "whole":
        raise GraphError(
            "The last load into the database did not finish.",
            hint="Run it again: `moviegraph load SOURCE --into mssql` continues where it stopped.",
        )
    manifest = stored.manifest
    if manifest.contract_hash != contract.hash:
        raise GraphError(
            f"The database was loaded for another contract (hash {manifest.contract_hash}, the "
            f"served contract {contract.name} has {contract.hash}).",
            hint="Serve that contract with --contract FOLDER, or load the data again.",
        )
    if manifest.space is not None:
        require_dimensions(sizes, manifest.space, "the vectors that were loaded have")
    return manifest.space


def require_dimensions(sizes: Mapping[str, int], space: VectorSpace, whose: str) -> None:
    """Raise VectorSpaceError unless every vector column is as wide as a space.

    Args:
        sizes: The dimensions of each table's column.
        space: The space to fit.
        whose: The owner of the vectors of the space, as the start of a clause.
    """
    wrong = [f"{name} has {size}" for name, size in sizes.items() if size != space.dimensions]
    if wrong:
        raise VectorSpaceError(
            f"The dimensions of the vector columns do not fit: {'; '.join(wrong[:SHOWN])}, and "
            f"{whose} {space.dimensions} ({space.model}).",
            hint=f"Set MOVIEGRAPH_EMBEDDER to the model of the stored vectors, or create the "
            f"tables again with `{DDL}` and load again.",
        )


def _warnings(principal: Principal, info: DatabaseInfo, contract: Contract) -> Iterator[str]:
    """Yield the problems that do not prevent serving a database, and their fixes."""
    if principal.needs_read_only_database:
        yield (
            "The principal has write permissions, and only the read-only state of this database "
            "prevents writes; every new connection requires that state."
        )
    if info.stored is None:
        yield (
            "The database has no manifest of moviegraph: that its vectors are of the embedder's "
            "model cannot be verified; only their dimensions agree."
        )
    yield from fulltext_warnings(info.features, info.live, contract)


def fulltext_warnings(features: Features, live: LiveSchema, contract: Contract) -> Iterator[str]:
    """Yield the problems of full-text search."""
    if not features.fulltext:
        yield (
            "Full-text search is not installed, so CONTAINS and FREETEXT fail; all else "
            "works. Install mssql-server-fts (no container image has it), then run the "
            f"script of `{DDL}` again."
        )
        return
    if missing := unsearchable(live, contract):
        yield (
            f"No full-text index contains {', '.join(missing)}: searches there fail. Run the "
            f"script of `{DDL}` again."
        )
    if filling := populating(live, contract):
        yield (
            f"The full-text index of {', '.join(filling)} is still being populated; "
            "until then searches miss words."
        )


def describe_database(
    info: DatabaseInfo, contract: Contract, read: Read, *, approximate: bool = False
) -> Description:
    """Return the description of a database: by its manifest, else by counting rows.

    Args:
        info: The result of inspecting it.
        contract: The contract served.
        read: Counts the rows where there is no manifest.
        approximate: Whether vector indexes are to be used.
    """
    capabilities = frozenset(_capabilities(info, contract, approximate))
    if info.stored is not None:
        return info.stored.manifest.description("mssql", capabilities)
    counts = _counts(contract, read)
    return Description(
        engine="mssql",
        contract_hash=contract.hash,
        content_hash=hashlib.sha256(json.dumps(counts, sort_keys=True).encode()).hexdigest()[:16],
        space=info.space,
        counts=counts,
        capabilities=capabilities,
        source="tables that were not filled by moviegraph load",
    )


def _capabilities(info: DatabaseInfo, contract: Contract, approximate: bool) -> Iterator[str]:
    if info.features.fulltext and not unsearchable(info.live, contract):
        yield "fulltext"
    if info.space is None:
        return
    yield "vectors"
    if approximate:
        without = info.features.without_index(contract)
        yield from (f"{APPROXIMATE}{n.name}" for n in contract.nodes if n.name not in without)


def _counts(contract: Contract, read: Read) -> dict[str, int]:
    """Return the rows of every table: the contract's names need no escaping."""
    selects = (
        f"SELECT N'{name}' AS Name, COUNT_BIG(*) AS Held FROM [{contract.schema_name}].[{name}]"
        for name in contract.table_names
    )
    return {name: int(rows) for name, rows in read(" UNION ALL ".join(selects))}
