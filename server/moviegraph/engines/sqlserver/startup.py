"""Which graph a database holds, and whether it is the one to be served."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from moviegraph.contract.ddl_mssql import READER, reader_statements
from moviegraph.contract.model import Contract
from moviegraph.contract.space import VectorSpace
from moviegraph.engines.base import APPROXIMATE, Description
from moviegraph.engines.sqlserver.authentication import Authentication, LoginSource
from moviegraph.engines.sqlserver.connection import Connector, address_of, require_reachable
from moviegraph.engines.sqlserver.execution import Runner
from moviegraph.engines.sqlserver.internal_tables import (
    StoredManifest,
    carried_contract,
    read_manifest,
)
from moviegraph.engines.sqlserver.metadata import (
    Features,
    LiveSchema,
    dimensions,
    misfits,
    populating,
    read_features,
    read_live_schema,
    unsearchable,
)
from moviegraph.engines.sqlserver.metadata_connection import Asker, Read, Waiting
from moviegraph.engines.sqlserver.principal import Principal, read_principal
from moviegraph.errors import DatabaseError, GraphError, VectorSpaceError

if TYPE_CHECKING:
    from moviegraph.engines.sqlserver.engine import MssqlEngine


SHOWN = 5
LOAD = "moviegraph load SOURCE --into mssql"
DDL = "moviegraph ddl --engine mssql"


@dataclass(frozen=True, slots=True)
class Held:
    """The graph of a database.

    Attributes:
        stored: Its manifest, or None where nobody wrote one.
        space: The space of its vectors: the manifest's, else taken to be the embedder's.
    """

    stored: StoredManifest | None
    space: VectorSpace | None

    @property
    def certain(self) -> bool:
        """Whether the manifest says from which model the vectors are."""
        return self.stored is not None


def require_tables(live: LiveSchema, contract: Contract) -> None:
    """Raise DatabaseError unless every table and column of the contract is there."""
    found = misfits(live, contract)
    if found:
        more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise DatabaseError(
            f"The database does not fit the contract {contract.name}: "
            f"{'; '.join(found[:SHOWN])}{more}.",
            hint=f"Run the script of `{DDL}` in it, grants included, or serve the contract that "
            "it was made for (--contract).",
        )


def judge_held(
    stored: StoredManifest | None, live: LiveSchema, contract: Contract, query: VectorSpace
) -> Held:
    """Return what the database holds.

    Args:
        stored: Its manifest.
        live: Its tables.
        contract: The contract to serve.
        query: The space of the embedder.

    Raises:
        GraphError: The graph is half-loaded or of another contract.
        VectorSpaceError: Its vector columns hold other vectors than the manifest says, or, where
            there is none, than the embedder makes.
    """
    found = dimensions(live, contract)
    if stored is None:
        require_dimensions(found, query, "the embedder's vectors have")
        return Held(None, query if found else None)
    _check_manifest(stored, contract)
    space = stored.manifest.space
    if space is not None:
        require_dimensions(found, space, "the vectors that were loaded have")
    return Held(stored, space)


def _check_manifest(stored: StoredManifest, contract: Contract) -> None:
    if stored.state != "whole":
        raise GraphError(
            "The last load into the database has not come to its end.",
            hint=f"Run it again: `{LOAD}` goes on where it stopped.",
        )
    if stored.manifest.contract_hash != contract.hash:
        raise GraphError(
            f"The database was loaded for another contract (hash "
            f"{stored.manifest.contract_hash}, the served contract {contract.name} has "
            f"{contract.hash}).",
            hint="Serve that contract with --contract FOLDER, or load the data again.",
        )


def require_dimensions(found: Mapping[str, int], space: VectorSpace, whose: str) -> None:
    """Raise VectorSpaceError unless every vector column is as wide as a space.

    Args:
        found: The dimensions of each table's column.
        space: The space to fit.
        whose: Whose vectors those of the space are, up to their number.
    """
    wrong = [f"{name} has {size}" for name, size in found.items() if size != space.dimensions]
    if wrong:
        raise VectorSpaceError(
            f"The dimensions of the vector columns do not fit: {'; '.join(wrong[:SHOWN])}, and "
            f"{whose} {space.dimensions} ({space.model}).",
            hint=f"Set MOVIEGRAPH_EMBEDDER to the model of the stored vectors, or make the tables "
            f"anew with `{DDL}` and load again.",
        )


FILLED_BY_OTHERS = "tables that were not filled by moviegraph load"


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in a database: what its server can do, its tables, and the graph in them."""

    features: Features
    live: LiveSchema
    held: Held


def look(read: Read, contract: Contract, space: VectorSpace) -> Found:
    """Ask a database what it is and holds.

    Args:
        read: Runs a query and returns its rows.
        contract: The contract to serve.
        space: The space of the embedder, believed where there is no manifest.

    Raises:
        GraphError: The graph is half-loaded or of another contract.
        VectorSpaceError: The stored vectors have other dimensions.
        DatabaseError: The database does not answer, or lacks a table.
    """
    features, live = read_features(read), read_live_schema(read)
    require_tables(live, contract)
    return Found(features, live, judge_held(read_manifest(read), live, contract, space))


def described(
    found: Found, contract: Contract, read: Read, *, approximate: bool = False
) -> Description:
    """Return what a database holds: by its manifest, else by its tables.

    Args:
        found: What was found in it.
        contract: The contract served.
        read: Counts the rows where there is no manifest.
        approximate: Whether vector indexes are to be used.

    Raises:
        DatabaseError: The database does not answer.
    """
    held, capabilities = found.held, frozenset(_capabilities(found, contract, approximate))
    if held.stored is not None:
        manifest = held.stored.manifest
        return Description(
            engine="mssql",
            contract_hash=manifest.contract_hash,
            content_hash=manifest.content_hash,
            space=manifest.space,
            counts=manifest.counts,
            capabilities=capabilities,
            recipe=manifest.recipe,
            source=manifest.source,
        )
    counts = _counts(contract, read)
    return Description(
        engine="mssql",
        contract_hash=contract.hash,
        content_hash=_digest(counts),
        space=held.space,
        counts=counts,
        capabilities=capabilities,
        source=FILLED_BY_OTHERS,
    )


def _capabilities(found: Found, contract: Contract, approximate: bool) -> Iterator[str]:
    if found.features.fulltext and not unsearchable(found.live, contract):
        yield "fulltext"
    if found.held.space is None:
        return
    yield "vectors"
    if approximate:
        without = found.features.without_index(contract)
        yield from (f"{APPROXIMATE}{n.name}" for n in contract.nodes if n.name not in without)


def _counts(contract: Contract, read: Read) -> dict[str, int]:
    """Count the rows of every table: the contract's names need no escaping."""
    schema = contract.schema_name
    selects = (
        f"SELECT N'{name}' AS Name, COUNT_BIG(*) AS Held FROM [{schema}].[{name}]"
        for name in contract.table_names
    )
    return {name: int(held) for name, held in read(" UNION ALL ".join(selects))}


def _digest(counts: Mapping[str, int]) -> str:
    return hashlib.sha256(json.dumps(counts, sort_keys=True).encode()).hexdigest()[:16]


LOG = logging.getLogger("moviegraph")
OVERRIDE = "MOVIEGRAPH_MSSQL_ALLOW_WRITABLE"
MEMBER = f"ALTER ROLE {READER} ADD MEMBER [NAME];"
MAKE_USER = (
    "-- Then one user, and connect as that one:\n"
    "--   CREATE USER [NAME] FROM EXTERNAL PROVIDER;         (Microsoft Entra)\n"
    "--   CREATE USER [NAME] WITH PASSWORD = '...';          (Azure SQL, contained databases)\n"
    "--   CREATE LOGIN [NAME] WITH PASSWORD = '...';         (SQL Server, in master, and then)\n"
    "--   CREATE USER [NAME] FOR LOGIN [NAME];\n"
)


@dataclass(frozen=True, slots=True)
class Admitted:
    """A database that may be served, and what was found in it."""

    principal: Principal
    found: Found


def admit(
    read: Read, contract: Contract, space: VectorSpace, *, allow_writable: bool = False
) -> Admitted:
    """Look at principal, server, tables and graph, in this order; log what is worth a warning.

    Args:
        read: Asks the server.
        contract: The contract to serve.
        space: The space of the embedder.
        allow_writable: Serve in spite of a principal that may do more than read.

    Raises:
        ForOperator: The database may not be served; the message says how to mend it.
    """
    principal = read_principal(read, contract.schema_name)
    require_reader(principal, contract, allow_writable=allow_writable)
    admitted = Admitted(principal, look(read, contract, space))
    for warning in warnings(admitted, contract):
        LOG.warning("%s", warning)
    return admitted


def require_reader(principal: Principal, contract: Contract, *, allow_writable: bool) -> None:
    """Raise DatabaseError unless the principal can only read, or the operator overrides that."""
    if principal.fine:
        return
    if allow_writable:
        LOG.warning(
            "%s is set: serving as %s, which may do more than read: %s.",
            OVERRIDE,
            principal.user,
            principal.told(),
        )
        return
    LOG.error("A principal that can only read is made by this script:\n%s", reader_script(contract))
    raise too_powerful(principal)


def too_powerful(principal: Principal) -> DatabaseError:
    """Return the error of a principal that may do more than read."""
    return DatabaseError(
        f"The principal {principal.user} may do more than read the graph: {principal.told()}.",
        hint=f"Connect as a member of the role {READER} alone, which the script of `moviegraph ddl "
        f"--engine mssql` makes, or set {OVERRIDE}=1 to serve in spite of it.",
    )


def reader_script(contract: Contract) -> str:
    """Return the T-SQL that makes a principal which can read the contract's tables, and no more."""
    statements = "\n".join(reader_statements(contract))
    return f"{statements}\n{MAKE_USER}{MEMBER}\n"


def warnings(admitted: Admitted, contract: Contract) -> Iterator[str]:
    """Yield what does not keep a database from being served, and what would mend it."""
    if admitted.principal.needs_read_only_database:
        yield (
            "The principal was granted writing, and only the read-only state of this database "
            "keeps it from that; every new connection is held to that state."
        )
    if not admitted.found.held.certain:
        yield (
            "The database has no manifest of moviegraph: that its vectors are of the embedder's "
            "model cannot be verified; only their dimensions agree."
        )
    yield from fulltext_warnings(admitted.found.features, admitted.found.live, contract)


def fulltext_warnings(features: Features, live: LiveSchema, contract: Contract) -> Iterator[str]:
    """Yield what keeps words from being found."""
    if not features.fulltext:
        yield (
            "Full-text search is not installed, so CONTAINS and FREETEXT fail; meaning, graph and "
            "plain SQL work. Install mssql-server-fts (no container image has it), then run the "
            "script of `moviegraph ddl --engine mssql` again."
        )
        return
    missing = unsearchable(live, contract)
    if missing:
        yield (
            f"No full-text index holds {', '.join(missing)}: searches there fail. Run the script "
            "of `moviegraph ddl --engine mssql` again."
        )
    filling = populating(live, contract)
    if filling:
        yield (
            f"The full-text index of {', '.join(filling)} is still being filled; until then words "
            "are missed."
        )


# A new connection may land on the primary when a replica goes away or a tier changes.
# What is not known (NULL) counts as writable.
ONLY_READ_ONLY = """IF ISNULL(CAST(DATABASEPROPERTYEX(DB_NAME(), 'Updateability') AS NVARCHAR(60)),
  N'') <> N'READ_ONLY' RAISERROR (N'moviegraph was started on a read-only database.', 16, 1);"""
CONTRACT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Choices:
    """What the operator chose for a database.

    Attributes:
        login: Who logs in.
        connections: Most connections at once.
        allow_writable: Serve in spite of a principal that may do more than read.
        approximate: Search by a vector index where one fits.
    """

    login: LoginSource
    connections: int = 6
    allow_writable: bool = False
    approximate: bool = False


def connector_of(login: LoginSource) -> Connector:
    """Return what opens connections; nothing is read or opened yet."""
    authentication = Authentication(login)
    return Connector(authentication, authentication.attributes)


def stored_contract(choices: Choices, seconds: float = CONTRACT_SECONDS) -> Contract | None:
    """Return the contract that a database carries, or None; a paused database is not waited for.

    Args:
        choices: What the operator chose.
        seconds: Most time for the login.

    Raises:
        DatabaseError: The database does not respond.
        ContractError: The contract cannot be read.
        SettingsError: The settings do not say how to connect.
    """
    if (address := address_of(choices.login.string())) is not None:
        require_reachable(address, choices.login.variable, seconds)
    connector = replace(connector_of(choices.login), login_seconds=seconds)
    with closing(Asker(connector, choices.login.variable, seconds=0)) as asker:
        return carried_contract(asker.read)


def open_served(
    choices: Choices, contract: Contract, space: VectorSpace, waiting: Waiting
) -> MssqlEngine:
    """Look at a database, and open it.

    Args:
        choices: What the operator chose.
        contract: The contract to serve.
        space: The space of the embedder.
        waiting: Told while a paused database wakes up; raises to give up.

    Raises:
        ForOperator: It may not be served, or not reached; the message says how to mend it.
    """
    from moviegraph.engines.sqlserver.engine import MssqlEngine

    connector = connector_of(choices.login)
    with closing(Asker(connector, choices.login.variable, waiting=waiting)) as asker:
        asker.connect()
        admitted = admit(asker.read, contract, space, allow_writable=choices.allow_writable)
        held = described(admitted.found, contract, asker.read, approximate=choices.approximate)
    if admitted.principal.needs_read_only_database:
        connector = replace(connector, session=(*connector.session, ONLY_READ_ONLY))
    return MssqlEngine(contract, Runner(connector.open, size=choices.connections), held)
