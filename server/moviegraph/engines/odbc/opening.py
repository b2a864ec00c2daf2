"""Opens a database to be served, once it has been found fit."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from moviegraph.engines.odbc.asking import Asker, Waiting
from moviegraph.engines.odbc.authentication import Authentication, LoginSource
from moviegraph.engines.odbc.connection import Connector
from moviegraph.engines.odbc.description import described
from moviegraph.engines.odbc.manifest import carried_contract
from moviegraph.engines.odbc.reach import address_of, require_reachable
from moviegraph.engines.odbc.runner import Runner
from moviegraph.engines.odbc.start import admit

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.contract.space import VectorSpace
    from moviegraph.engines.mssql import MssqlEngine

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
    from moviegraph.engines.mssql import MssqlEngine

    connector = connector_of(choices.login)
    with closing(Asker(connector, choices.login.variable, waiting=waiting)) as asker:
        asker.connect()
        admitted = admit(asker.read, contract, space, allow_writable=choices.allow_writable)
        held = described(admitted.found, contract, asker.read, approximate=choices.approximate)
    if admitted.principal.needs_read_only_database:
        connector = replace(connector, session=(*connector.session, ONLY_READ_ONLY))
    return MssqlEngine(contract, Runner(connector.open, size=choices.connections), held)
