"""What `moviegraph check` looks at in a SQL Server; each question is asked on its own."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from moviegraph.cli.check_graph import CheckResult, fail, ok, probe_line, probes, vectors_line, warn
from moviegraph.cli.streams import Lines
from moviegraph.errors import MoviegraphError

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.contract.vector_space import VectorSpace
    from moviegraph.embeddings.embedder import Embedder
    from moviegraph.engines.sqlserver.authentication import LoginSource
    from moviegraph.engines.sqlserver.connection import Connector
    from moviegraph.engines.sqlserver.internal_tables import StoredManifest
    from moviegraph.engines.sqlserver.metadata import Features, LiveSchema
    from moviegraph.engines.sqlserver.metadata_connection import MetadataConnection
    from moviegraph.engines.sqlserver.startup import DatabaseInfo
    from moviegraph.settings import Settings


def database_lines(
    settings: Settings, contract: Contract | None, embedder: Embedder | None
) -> Iterator[CheckResult]:
    """Yield a line for each part; what needs a part that failed is left out."""
    from moviegraph.engines.sqlserver.metadata_connection import MetadataConnection
    from moviegraph.engines.sqlserver.startup import DatabaseInfo, connector_of
    from moviegraph.server import database_choices

    if not (yield from _driver()):
        return
    login = database_choices(settings).login
    connector = connector_of(login)
    if not (yield from _address(login)):
        return
    with closing(MetadataConnection(connector, login.variable, waiting=_waiting())) as asker:
        if not (yield from _connection(asker, login)):
            return
        features = yield from _server(asker)
        if contract is None:
            return
        yield _principal(asker, contract, settings)
        live = yield from _tables(asker, contract)
        if features is not None:
            yield from _features(features, live, contract, settings)
        if live is None:
            return
        if embedder is None:
            hint = "Fix the embedder first."
            yield CheckResult("queries", False, "cannot run without the embedder", hint=hint)
            return
        graph = yield from _graph(asker, live, contract, embedder)
        if graph is None:
            return
        if features is None:
            text = "cannot run until the server line is OK"
            yield CheckResult("queries", False, text, hint="Fix the server line first.")
            return
        database = DatabaseInfo(features, live, *graph)
        yield from _probes(asker, connector, database, contract, embedder, settings)


def _waiting() -> Callable[[str], None]:
    lines = Lines()
    return lambda text: lines.show(text, 0, 0)


def _driver() -> Generator[CheckResult, None, bool]:
    from moviegraph.engines.sqlserver.odbc_driver import import_pyodbc

    try:
        version = import_pyodbc().version
    except MoviegraphError as error:
        yield fail("engine", error)
        return False
    yield ok("engine", f"mssql, using pyodbc {version}")
    return True


def _address(login: LoginSource) -> Generator[CheckResult, None, bool]:
    """Say whether anybody listens: the driver would only say so when its time is over."""
    from moviegraph.engines.sqlserver.connection import address_of, require_reachable

    try:
        address = address_of(login.string())
        if address is not None:
            require_reachable(address, login.variable)
    except MoviegraphError as error:
        yield fail("address", error)
        return False
    yield ok("address", "a server is listening" if address else "resolved by the driver")
    return True


def _connection(
    asker: MetadataConnection, login: LoginSource
) -> Generator[CheckResult, None, bool]:
    try:
        asker.connect()
    except MoviegraphError as error:
        yield fail("connection", error)
        return False
    yield _privacy(login)
    return True


def _privacy(login: LoginSource) -> CheckResult:
    """Say whether others on the way can read what is sent."""
    from moviegraph.engines.sqlserver.connection import is_this_machine

    string = login.string()
    if string.encrypted:
        return ok("connection", "logged in, encrypted")
    if is_this_machine(string):
        return ok("connection", "logged in; not encrypted, on this machine only")
    cure = f"Remove Encrypt from {login.variable}, or set Encrypt=yes."
    text = "logged in, but the connection is not encrypted."
    return CheckResult("connection", False, text, hint=cure)


def _server(asker: MetadataConnection) -> Generator[CheckResult, None, Features | None]:
    from moviegraph.engines.sqlserver.metadata import read_features

    try:
        features = read_features(asker.read)
    except MoviegraphError as error:
        yield fail("server", error)
        return None
    state = "read-only" if features.read_only else "writable"
    text = f"{features.kind} {features.version}, level {features.compatibility}, {state}"
    if features.supports_vectors:
        yield ok("server", text)
        yield from _level(features)
    else:
        need = "the type VECTOR needs SQL Server 2025 or Azure SQL"
        yield CheckResult("server", False, f"{text}: {need}")
    return features


def _level(features: Features) -> Iterator[CheckResult]:
    """Say which functions a compatibility level hides."""
    from moviegraph.engines.sqlserver.error_translation import RAISE_LEVEL

    if features.unknown_functions:
        names = " and ".join(features.unknown_functions)
        text = f"{features.compatibility}, which does not support {names}"
        yield warn("level", text, hint=f"{RAISE_LEVEL}.")


def _principal(asker: MetadataConnection, contract: Contract, settings: Settings) -> CheckResult:
    from moviegraph.engines.sqlserver.principal import read_principal
    from moviegraph.engines.sqlserver.startup import OVERRIDE, excess_privilege_error, reader_script

    try:
        principal = read_principal(asker.read, contract.schema_name)
    except MoviegraphError as error:
        return fail("principal", error)
    notes = "".join(f"; {note}" for note in principal.notes)
    if principal.is_read_only:
        return ok("principal", f"{principal.user} can only read{notes}")
    if settings.mssql_allow_writable:
        excess = f"can do more than read: {principal.summary()}"
        return warn("principal", f"{principal.user} {excess}; served because of {OVERRIDE}")
    error = excess_privilege_error(principal)
    return replace(fail("principal", error), script=reader_script(contract))


def _tables(
    asker: MetadataConnection, contract: Contract
) -> Generator[CheckResult, None, LiveSchema | None]:
    from moviegraph.engines.sqlserver.internal_tables import (
        CREATE_ALIAS_TABLE,
        NO_ALIAS_TABLE,
        has_aliases,
    )
    from moviegraph.engines.sqlserver.metadata import read_live_schema
    from moviegraph.engines.sqlserver.startup import require_tables

    live = None
    try:
        live = read_live_schema(asker.read)
        require_tables(live, contract)
    except MoviegraphError as error:
        yield fail("tables", error)
        return live
    yield ok(
        "tables", f"all {len(contract.table_names)} tables of the contract, with their columns"
    )
    if not has_aliases(live):
        yield warn("aliases", NO_ALIAS_TABLE, hint=CREATE_ALIAS_TABLE)
    return live


def _features(
    features: Features, live: LiveSchema | None, contract: Contract, settings: Settings
) -> Iterator[CheckResult]:
    if live is not None or not features.fulltext:
        yield _fulltext(features, live, contract)
    yield _index(features, contract, settings)
    yield ok(
        "snapshot",
        "allowed: readers and a load do not wait for each other"
        if features.snapshot
        else "off: readers may wait for a load; to allow it, run ALTER DATABASE CURRENT SET "
        "ALLOW_SNAPSHOT_ISOLATION ON",
    )


def _fulltext(features: Features, live: LiveSchema | None, contract: Contract) -> CheckResult:
    from moviegraph.engines.sqlserver.metadata import LiveSchema
    from moviegraph.engines.sqlserver.startup import fulltext_warnings

    warnings = list(fulltext_warnings(features, live or LiveSchema({}, frozenset()), contract))
    if warnings:
        return CheckResult("fulltext", False, " ".join(warnings))
    return ok("fulltext", "installed; every searchable column is indexed")


def _index(features: Features, contract: Contract, settings: Settings) -> CheckResult:
    missing = features.without_index(contract)
    if not settings.mssql_approximate:
        use = "available, but not used" if len(missing) < len(contract.nodes) else "none"
        return ok("index", f"{use}; vector search is exact")
    if missing:
        return CheckResult(
            "index",
            False,
            f"no vector index that supports filters covers {', '.join(missing)}, so searches "
            "there are exact; `moviegraph ddl --engine mssql --vector-index` creates them",
        )
    return ok("index", "vector search is approximate")


def _graph(
    asker: MetadataConnection, live: LiveSchema, contract: Contract, embedder: Embedder
) -> Generator[CheckResult, None, tuple[StoredManifest | None, VectorSpace | None] | None]:
    from moviegraph.engines.sqlserver.internal_tables import read_manifest
    from moviegraph.engines.sqlserver.startup import identify_graph

    try:
        stored = read_manifest(asker.read)
        space = identify_graph(stored, live, contract, embedder.space)
    except MoviegraphError as error:
        yield fail("graph", error)
        return None
    if stored is None:
        yield warn("graph", "not loaded by moviegraph: no manifest, so counts come from the tables")
        text = "same dimensions as the embedder; the model of the stored vectors is unknown"
        yield ok("vectors", text) if space else vectors_line(None, embedder)
        return stored, space
    counts = stored.manifest.counts
    rows = ", ".join(f"{counts.get(node.name, 0):,} {node.name}" for node in contract.nodes)
    yield ok("graph", rows)
    yield vectors_line(space, embedder)
    return stored, space


def _probes(
    asker: MetadataConnection,
    connector: Connector,
    database: DatabaseInfo,
    contract: Contract,
    embedder: Embedder,
    settings: Settings,
) -> Iterator[CheckResult]:
    """Send each statement as the server would, by its vector index where that is chosen."""
    from moviegraph.engines.sqlserver.execution import Runner
    from moviegraph.engines.sqlserver.mssql_engine import MssqlEngine
    from moviegraph.engines.sqlserver.startup import describe

    try:
        description = describe(
            database, contract, asker.read, approximate=settings.mssql_approximate
        )
    except MoviegraphError as error:
        yield fail("queries", error)
        return
    with closing(MssqlEngine(contract, Runner(connector.open, size=1), description)) as engine:
        for probe in probes(contract, indexed=description.has_vector_index(contract.nodes[0].name)):
            yield probe_line(probe, engine, contract, embedder)
