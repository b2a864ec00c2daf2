"""What is looked at before a database is served; whatever is in doubt keeps it from being."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from moviegraph.contract.ddl_mssql import READER, reader_statements
from moviegraph.contract.model import Contract
from moviegraph.contract.space import VectorSpace
from moviegraph.engines.odbc.description import Found, look
from moviegraph.engines.odbc.features import Features
from moviegraph.engines.odbc.live_schema import LiveSchema, populating, unsearchable
from moviegraph.engines.odbc.principal import Principal, read_principal
from moviegraph.engines.odbc.reading import Read
from moviegraph.errors import DatabaseError

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
