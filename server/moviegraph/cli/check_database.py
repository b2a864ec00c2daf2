"""Checks of a SQL Server database: its server, what the principal may do, tables and vectors.

Each part needs the ones before it; where one fails, those that need it are left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from moviegraph.cli.check_graph import (
    BUDGET,
    FIX_EMBEDDER,
    check_losses,
    check_vectors,
    count_nodes,
)
from moviegraph.cli.check_results import Report
from moviegraph.cli.streams import ProgressLines
from moviegraph.contract.model import Contract
from moviegraph.embeddings.embedder import Embedder, VectorSpace, embed_queries
from moviegraph.engines.base import Engine, Statement
from moviegraph.engines.sqlserver.authentication import LoginSource
from moviegraph.engines.sqlserver.connection import (
    address_of,
    is_this_machine,
    require_reachable,
)
from moviegraph.engines.sqlserver.execution import Runner
from moviegraph.engines.sqlserver.internal_tables import (
    CREATE_ALIAS_TABLE,
    NO_ALIAS_TABLE,
    StoredManifest,
    has_aliases,
    read_stored_manifest,
)
from moviegraph.engines.sqlserver.metadata import (
    ENCRYPTION,
    Features,
    LiveSchema,
    read_features,
    read_live_schema,
)
from moviegraph.engines.sqlserver.metadata_connection import MetadataConnection, Read, rows_or_none
from moviegraph.engines.sqlserver.mssql_engine import MssqlEngine
from moviegraph.engines.sqlserver.odbc_driver import import_pyodbc, is_microsoft, with_driver
from moviegraph.engines.sqlserver.principal import read_principal
from moviegraph.engines.sqlserver.startup import (
    OVERRIDE,
    DatabaseInfo,
    connector_of,
    describe_database,
    excess_privilege_error,
    fulltext_warnings,
    identify_graph,
    reader_script,
    require_tables,
)
from moviegraph.query.opening import database_choices
from moviegraph.search.fulltext import matching_nodes
from moviegraph.search.references import NO_IDS
from moviegraph.settings import Settings
from moviegraph.sql.decision import Refused
from moviegraph.sql.guard import judge


@dataclass(frozen=True, slots=True)
class _Check:
    """What the checks of an open connection need."""

    report: Report
    settings: Settings
    contract: Contract
    read: Read


def check_database(
    report: Report, settings: Settings, contract: Contract | None, embedder: Embedder | None
) -> None:
    """Check the driver, the connection, the server, and the graph in the database."""
    driver = report.attempt("engine", import_pyodbc)
    if driver is None:
        return
    report.ok("engine", f"mssql, using pyodbc {driver.version}")
    login = database_choices(settings).login
    address = report.attempt("address", lambda: _reach(login))
    if address is None:
        return
    report.ok("address", address)
    connector, progress = connector_of(login), ProgressLines()

    def show_waiting(text: str) -> None:
        progress.show(text, 0, 0)

    with closing(MetadataConnection(connector, login.variable, waiting=show_waiting)) as metadata:
        if not report.attempt("connection", lambda: metadata.connect() or True):
            return
        _check_encryption(report, login, metadata.read)
        features = _check_server(report, metadata.read)
        if contract is None:
            return
        check = _Check(report, settings, contract, metadata.read)
        database = _check_graph(check, features, embedder)
        if database is None or embedder is None:
            return
        description = report.attempt(
            "queries",
            lambda: describe_database(
                database, contract, metadata.read, approximate=settings.mssql_approximate
            ),
        )
        if description is not None:
            with closing(MssqlEngine(contract, Runner(connector.open, size=1), description)) as sql:
                _check_queries(report, sql, contract, embedder)


def _reach(login: LoginSource) -> str:
    """Return who resolves the address; the driver notices a closed port only after its timeout."""
    address = address_of(login.string())
    if address is None:
        return "resolved by the driver"
    require_reachable(address, login.variable)
    return "a server is listening"


def _check_encryption(report: Report, login: LoginSource, read: Read) -> None:
    """Report what the server says of the connection, else what the driver was told to require."""
    string = login.string()
    rows = rows_or_none(read, ENCRYPTION)
    is_encrypted = rows[0][0] == "TRUE" if rows else string.encrypted
    if is_encrypted:
        text = "encrypted" if rows else "the driver requires encryption"
        checks = is_microsoft(with_driver(string).get("Driver") or "")
        unchecked = "" if checks else "; this driver does not check the server's certificate"
        report.ok("connection", f"logged in, {text}{unchecked}")
    elif is_this_machine(string):
        report.ok("connection", "logged in; not encrypted, on this machine only")
    else:
        hint = f"Remove Encrypt from {login.variable}, or set Encrypt=yes."
        report.fail("connection", "logged in, but the connection is not encrypted.", hint)


def _check_server(report: Report, read: Read) -> Features | None:
    features = report.attempt("server", lambda: read_features(read))
    if features is None:
        return None
    state = "read-only" if features.read_only else "writable"
    text = f"{features.kind} {features.version}, level {features.compatibility}, {state}"
    if not features.supports_vectors:
        report.fail("server", f"{text}: the type VECTOR needs SQL Server 2025 or Azure SQL")
        return features
    report.ok("server", text)
    return features


def _check_graph(
    check: _Check, features: Features | None, embedder: Embedder | None
) -> DatabaseInfo | None:
    """Check what the database contains; None if no statement can run over it."""
    report = check.report
    _check_principal(check)
    live = _check_tables(check)
    if features is not None:
        _check_features(check, features, live)
    if live is None:
        return None
    if embedder is None:
        report.fail("queries", "cannot run without the embedder", FIX_EMBEDDER)
        return None

    def identify() -> tuple[StoredManifest | None, VectorSpace | None]:
        stored = read_stored_manifest(check.read)
        return stored, identify_graph(stored, live, check.contract, embedder.space)

    graph = report.attempt("graph", identify)
    if graph is None:
        return None
    stored, space = graph
    if stored is not None:
        report.ok("graph", count_nodes(stored.manifest.counts, check.contract))
        check_losses(report, stored.manifest.losses)
        if check.contract.nodes_with_vectors:
            check_vectors(report, space, embedder)
    else:
        text = "not loaded by moviegraph: no manifest, so counts come from the tables"
        report.warn("graph", text)
        if space is None:
            check_vectors(report, None, embedder)
        else:
            text = "same dimensions as the embedder; the model of the stored vectors is unknown"
            report.ok("vectors", text)
    if features is None:
        text = "cannot run until the server line is OK"
        report.fail("queries", text, "Fix the server line first.")
        return None
    return DatabaseInfo(features, live, stored, space)


def _check_principal(check: _Check) -> None:
    report = check.report
    principal = report.attempt(
        "principal", lambda: read_principal(check.read, check.contract.schema_name)
    )
    if principal is None:
        return
    if principal.is_read_only:
        notes = "".join(f"; {note}" for note in principal.notes)
        report.ok("principal", f"{principal.user} can only read{notes}")
    elif check.settings.mssql_allow_writable:
        excess = f"can do more than read: {principal.summary()}"
        report.warn("principal", f"{principal.user} {excess}; served because of {OVERRIDE}")
    else:
        error = excess_privilege_error(principal)
        report.fail("principal", error.message, error.hint, reader_script(check.contract))


def _check_tables(check: _Check) -> LiveSchema | None:
    """Return the tables of the database, None if they cannot be read."""
    report, contract = check.report, check.contract
    live = report.attempt("tables", lambda: read_live_schema(check.read))
    if live is None or not report.attempt("tables", lambda: require_tables(live, contract) or True):
        return live
    count = len(contract.table_names)
    report.ok("tables", f"all {count} tables of the contract, with their columns")
    if not has_aliases(live):
        report.warn("aliases", NO_ALIAS_TABLE, hint=CREATE_ALIAS_TABLE)
    return live


def _check_features(check: _Check, features: Features, live: LiveSchema | None) -> None:
    report = check.report
    if live is not None or not features.fulltext:
        schema = live or LiveSchema({}, frozenset())
        if warnings := list(fulltext_warnings(features, schema, check.contract)):
            report.fail("fulltext", " ".join(warnings))
        else:
            report.ok("fulltext", "installed; every searchable column is indexed")
    _check_index(check, features)
    report.ok(
        "snapshot",
        "allowed: readers and a load do not wait for each other"
        if features.snapshot
        else "off: readers may wait for a load; to allow it, run ALTER DATABASE CURRENT SET "
        "ALLOW_SNAPSHOT_ISOLATION ON",
    )


def _check_index(check: _Check, features: Features) -> None:
    missing = features.without_index(check.contract)
    if not check.settings.mssql_approximate:
        is_available = len(missing) < len(check.contract.nodes)
        use = "available, but not used" if is_available else "none"
        check.report.ok("index", f"{use}; vector search is exact")
    elif missing:
        check.report.fail(
            "index",
            f"no vector index that supports filters covers {', '.join(missing)}, so searches "
            "there are exact; `moviegraph ddl --engine mssql --vector-index` creates them",
        )
    else:
        check.report.ok("index", "vector search is approximate")


def _statements(contract: Contract) -> Iterator[tuple[str, str]]:
    """Yield a statement by key, by words and by edge, each with its name."""
    node = contract.nodes[0]
    first = f"SELECT TOP (1) n.{node.key}, n.{node.label} FROM {node.name} AS n"  # noqa: S608
    yield "sql", f"{first} ORDER BY n.{node.key}"
    if node.searchable:
        yield "words", matching_nodes(node, "FREETEXT", contract.title, 1, (), NO_IDS)
    if edge := contract.default_connection:
        start, end = contract.node(edge.from_table), contract.node(edge.to_table)
        assert start is not None
        assert end is not None
        pairs = (
            f"SELECT TOP (1) a.{start.key} AS StartKey, b.{end.key} AS EndKey "  # noqa: S608
            f"FROM {start.name} AS a, {edge.name} AS e, {end.name} AS b WHERE MATCH(a-(e)->b)"
        )
        yield "edges", pairs


def _check_queries(report: Report, engine: Engine, contract: Contract, embedder: Embedder) -> None:
    """Run statements and a vector search as the server does; add the time or failure of each."""

    def execute(sql: str) -> bool:
        decision = judge(sql, contract)
        if isinstance(decision, Refused):
            raise decision.error()
        return bool(engine.execute(Statement(decision), BUDGET).rows)

    def search(kind: str) -> bool:  # by the vector index, if the settings allow it
        vector = embed_queries(embedder, [contract.title])[0]
        with engine.reader(BUDGET) as graph:
            return bool(len(graph.nearest(kind, vector, 1).ids))

    queries: dict[str, Callable[[], bool]] = {}
    queries |= {name: partial(execute, sql) for name, sql in _statements(contract)}
    if contract.nodes_with_vectors:
        queries["meaning"] = partial(search, contract.nodes_with_vectors[0].name)
    for name in ("sql", "words", "meaning", "edges"):
        if (run := queries.get(name)) is None:
            continue
        start = time.perf_counter()
        has_rows = report.attempt(name, run)
        milliseconds = 1000 * (time.perf_counter() - start)
        text = f"{'answered' if has_rows else 'answered without a row'} in {milliseconds:.0f} ms"
        if has_rows or (has_rows is False and name == "words"):  # no text need have them
            report.ok(name, text)
        elif has_rows is False:
            hint = "Load the graph, or let the principal read its tables."
            report.warn(name, text, hint)
