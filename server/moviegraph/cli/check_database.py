"""Checks of a SQL Server database, each with a request of its own."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moviegraph.cli.check_graph import (
    FIX_EMBEDDER,
    CheckResult,
    count_nodes,
    fail,
    ok,
    probe_result,
    probes,
    run_check,
    vectors_result,
    warn,
)
from moviegraph.cli.streams import ProgressLines

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.embeddings.embedder import Embedder, VectorSpace
    from moviegraph.engines.sqlserver.authentication import LoginSource
    from moviegraph.engines.sqlserver.connection import Connector
    from moviegraph.engines.sqlserver.internal_tables import StoredManifest
    from moviegraph.engines.sqlserver.metadata import Features, LiveSchema
    from moviegraph.engines.sqlserver.metadata_connection import MetadataConnection
    from moviegraph.engines.sqlserver.startup import DatabaseInfo
    from moviegraph.settings import Settings


def database_results(
    settings: Settings, contract: Contract | None, embedder: Embedder | None
) -> Iterator[CheckResult]:
    """Yield the result of each part; parts that need a failed one are omitted."""
    from moviegraph.engines.sqlserver.metadata_connection import MetadataConnection
    from moviegraph.engines.sqlserver.odbc_driver import import_pyodbc
    from moviegraph.engines.sqlserver.startup import connector_of
    from moviegraph.server import database_choices

    driver = yield from run_check("engine", import_pyodbc)
    if driver is None:
        return
    yield ok("engine", f"mssql, using pyodbc {driver.version}")
    login = database_choices(settings).login
    address = yield from run_check("address", lambda: _reach(login))
    if address is None:
        return
    yield ok("address", address)
    connector = connector_of(login)
    progress = ProgressLines()

    def report_waiting(text: str) -> None:
        progress.show(text, 0, 0)

    with closing(MetadataConnection(connector, login.variable, waiting=report_waiting)) as metadata:
        if not (yield from run_check("connection", lambda: metadata.connect() or True)):
            return
        yield _encryption_result(login)
        features = yield from _server(metadata)
        if contract is not None:
            check = _GraphCheck(settings, contract, embedder, connector, metadata, features)
            yield from check.results()


def _reach(login: LoginSource) -> str:
    """Return who resolves the address; the driver notices a closed port only after its timeout."""
    from moviegraph.engines.sqlserver.connection import address_of, require_reachable

    address = address_of(login.string())
    if address is None:
        return "resolved by the driver"
    require_reachable(address, login.variable)
    return "a server is listening"


def _encryption_result(login: LoginSource) -> CheckResult:
    from moviegraph.engines.sqlserver.connection import is_this_machine

    string = login.string()
    if string.encrypted:
        return ok("connection", "logged in, encrypted")
    if is_this_machine(string):
        return ok("connection", "logged in; not encrypted, on this machine only")
    hint = f"Remove Encrypt from {login.variable}, or set Encrypt=yes."
    return fail("connection", "logged in, but the connection is not encrypted.", hint)


def _server(metadata: MetadataConnection) -> Generator[CheckResult, None, Features | None]:
    from moviegraph.engines.sqlserver.error_translation import RAISE_LEVEL
    from moviegraph.engines.sqlserver.metadata import read_features

    features = yield from run_check("server", lambda: read_features(metadata.read))
    if features is None:
        return None
    state = "read-only" if features.read_only else "writable"
    text = f"{features.kind} {features.version}, level {features.compatibility}, {state}"
    if not features.supports_vectors:
        yield fail("server", f"{text}: the type VECTOR needs SQL Server 2025 or Azure SQL")
        return features
    yield ok("server", text)
    if features.unknown_functions:
        names = " and ".join(features.unknown_functions)
        text = f"{features.compatibility}, which does not support {names}"
        yield warn("level", text, hint=f"{RAISE_LEVEL}.")
    return features


@dataclass(frozen=True, slots=True)
class _GraphCheck:
    """Checks of what a database contains, over an open connection."""

    settings: Settings
    contract: Contract
    embedder: Embedder | None
    connector: Connector
    metadata: MetadataConnection
    features: Features | None

    def results(self) -> Iterator[CheckResult]:
        from moviegraph.engines.sqlserver.startup import DatabaseInfo

        yield from self._principal()
        live = yield from self._tables()
        if self.features is not None:
            yield from self._features(self.features, live)
        if live is None:
            return
        if self.embedder is None:
            yield fail("queries", "cannot run without the embedder", FIX_EMBEDDER)
            return
        graph = yield from self._graph(live, self.embedder)
        if graph is None:
            return
        if self.features is None:
            text = "cannot run until the server line is OK"
            yield fail("queries", text, "Fix the server line first.")
            return
        yield from self._probes(DatabaseInfo(self.features, live, *graph), self.embedder)

    def _principal(self) -> Iterator[CheckResult]:
        from moviegraph.engines.sqlserver.principal import read_principal
        from moviegraph.engines.sqlserver.startup import (
            OVERRIDE,
            excess_privilege_error,
            reader_script,
        )

        schema = self.contract.schema_name
        principal = yield from run_check(
            "principal", lambda: read_principal(self.metadata.read, schema)
        )
        if principal is None:
            return
        if principal.is_read_only:
            notes = "".join(f"; {note}" for note in principal.notes)
            yield ok("principal", f"{principal.user} can only read{notes}")
        elif self.settings.mssql_allow_writable:
            excess = f"can do more than read: {principal.summary()}"
            yield warn("principal", f"{principal.user} {excess}; served because of {OVERRIDE}")
        else:
            error = excess_privilege_error(principal)
            yield fail("principal", error.message, error.hint, reader_script(self.contract))

    def _tables(self) -> Generator[CheckResult, None, LiveSchema | None]:
        from moviegraph.engines.sqlserver.internal_tables import (
            CREATE_ALIAS_TABLE,
            NO_ALIAS_TABLE,
            has_aliases,
        )
        from moviegraph.engines.sqlserver.metadata import read_live_schema
        from moviegraph.engines.sqlserver.startup import require_tables

        live = yield from run_check("tables", lambda: read_live_schema(self.metadata.read))
        if live is None or not (
            yield from run_check("tables", lambda: require_tables(live, self.contract) or True)
        ):
            return live
        count = len(self.contract.table_names)
        yield ok("tables", f"all {count} tables of the contract, with their columns")
        if not has_aliases(live):
            yield warn("aliases", NO_ALIAS_TABLE, hint=CREATE_ALIAS_TABLE)
        return live

    def _features(self, features: Features, live: LiveSchema | None) -> Iterator[CheckResult]:
        from moviegraph.engines.sqlserver.metadata import LiveSchema
        from moviegraph.engines.sqlserver.startup import fulltext_warnings

        if live is not None or not features.fulltext:
            schema = live or LiveSchema({}, frozenset())
            if warnings := list(fulltext_warnings(features, schema, self.contract)):
                yield fail("fulltext", " ".join(warnings))
            else:
                yield ok("fulltext", "installed; every searchable column is indexed")
        yield self._index(features)
        yield ok(
            "snapshot",
            "allowed: readers and a load do not wait for each other"
            if features.snapshot
            else "off: readers may wait for a load; to allow it, run ALTER DATABASE CURRENT SET "
            "ALLOW_SNAPSHOT_ISOLATION ON",
        )

    def _index(self, features: Features) -> CheckResult:
        missing = features.without_index(self.contract)
        if not self.settings.mssql_approximate:
            is_available = len(missing) < len(self.contract.nodes)
            use = "available, but not used" if is_available else "none"
            return ok("index", f"{use}; vector search is exact")
        if missing:
            return fail(
                "index",
                f"no vector index that supports filters covers {', '.join(missing)}, so searches "
                "there are exact; `moviegraph ddl --engine mssql --vector-index` creates them",
            )
        return ok("index", "vector search is approximate")

    def _graph(
        self, live: LiveSchema, embedder: Embedder
    ) -> Generator[CheckResult, None, tuple[StoredManifest | None, VectorSpace | None] | None]:
        from moviegraph.engines.sqlserver.internal_tables import read_stored_manifest
        from moviegraph.engines.sqlserver.startup import identify_graph

        def read() -> tuple[StoredManifest | None, VectorSpace | None]:
            stored = read_stored_manifest(self.metadata.read)
            return stored, identify_graph(stored, live, self.contract, embedder.space)

        graph = yield from run_check("graph", read)
        if graph is None:
            return None
        stored, space = graph
        if stored is not None:
            yield ok("graph", count_nodes(stored.manifest.counts, self.contract))
            yield vectors_result(space, embedder)
            return graph
        yield warn("graph", "not loaded by moviegraph: no manifest, so counts come from the tables")
        text = "same dimensions as the embedder; the model of the stored vectors is unknown"
        yield ok("vectors", text) if space else vectors_result(None, embedder)
        return graph

    def _probes(self, database: DatabaseInfo, embedder: Embedder) -> Iterator[CheckResult]:
        """Run each statement as the server does, by the vector index if that is configured."""
        from moviegraph.engines.sqlserver.execution import Runner
        from moviegraph.engines.sqlserver.mssql_engine import MssqlEngine
        from moviegraph.engines.sqlserver.startup import describe_database

        contract, is_approximate = self.contract, self.settings.mssql_approximate
        description = yield from run_check(
            "queries",
            lambda: describe_database(
                database, contract, self.metadata.read, approximate=is_approximate
            ),
        )
        if description is None:
            return
        is_indexed = description.has_vector_index(contract.nodes[0].name)
        runner = Runner(self.connector.open, size=1)
        with closing(MssqlEngine(contract, runner, description)) as engine:
            for probe in probes(contract, is_indexed=is_indexed):
                yield from probe_result(probe, engine, contract, embedder)
