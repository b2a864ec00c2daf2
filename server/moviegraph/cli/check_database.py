"""What `moviegraph check` looks at in a SQL Server; each question is asked on its own."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from moviegraph.cli.check_graph import vectors_line
from moviegraph.cli.check_result import CheckResult, fail, ok, warn
from moviegraph.cli.probes import probe_line, probes
from moviegraph.cli.progress import Lines
from moviegraph.errors import MoviegraphError

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.embeddings.base import Embedder
    from moviegraph.engines.sqlserver.authentication import LoginSource
    from moviegraph.engines.sqlserver.connection import Connector
    from moviegraph.engines.sqlserver.metadata import Features, LiveSchema
    from moviegraph.engines.sqlserver.metadata_connection import Asker
    from moviegraph.engines.sqlserver.startup import Found, Held
    from moviegraph.settings import Settings


def database_lines(
    settings: Settings, contract: Contract | None, embedder: Embedder | None
) -> Iterator[CheckResult]:
    """Yield a line for each part; what needs a part that failed is left out."""
    from moviegraph.app import database_choices
    from moviegraph.engines.sqlserver.metadata_connection import Asker
    from moviegraph.engines.sqlserver.startup import Found, connector_of

    if not (yield from _driver()):
        return
    login = database_choices(settings).login
    connector = connector_of(login)
    if not (yield from _address(login)):
        return
    with closing(Asker(connector, login.variable, waiting=_waiting())) as asker:
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
            yield CheckResult("queries", False, "cannot be tried without the embedder", hint=hint)
            return
        held = yield from _held(asker, live, contract, embedder)
        if held is None:
            return
        if features is None:
            text = "cannot be tried before the server says what it is"
            yield CheckResult("queries", False, text, hint="Fix the server's line first.")
            return
        found = Found(features, live, held)
        yield from _probes(asker, connector, found, contract, embedder, settings)


def _waiting() -> Callable[[str], None]:
    lines = Lines()
    return lambda text: lines.show(text, 0, 0)


def _driver() -> Generator[CheckResult, None, bool]:
    from moviegraph.engines.sqlserver.driver import import_pyodbc

    try:
        version = import_pyodbc().version
    except MoviegraphError as error:
        yield fail("engine", error)
        return False
    yield ok("engine", f"mssql, through pyodbc {version}")
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
    yield ok("address", "a server listens" if address else "left to the driver to resolve")
    return True


def _connection(asker: Asker, login: LoginSource) -> Generator[CheckResult, None, bool]:
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
        return ok("connection", "logged in; not encrypted, within this machine")
    cure = f"Take Encrypt out of {login.variable}, or write Encrypt=yes."
    text = "logged in, and nothing is encrypted on the way."
    return CheckResult("connection", False, text, hint=cure)


def _server(asker: Asker) -> Generator[CheckResult, None, Features | None]:
    from moviegraph.engines.sqlserver.metadata import read_features

    try:
        found = read_features(asker.read)
    except MoviegraphError as error:
        yield fail("server", error)
        return None
    state = "read-only" if found.read_only else "writable"
    told = f"{found.kind} {found.version}, level {found.compatibility}, {state}"
    if found.knows_vectors:
        yield ok("server", told)
        yield from _level(found)
    else:
        need = "the type VECTOR needs SQL Server 2025 or Azure SQL"
        yield CheckResult("server", False, f"{told}: {need}")
    return found


def _level(features: Features) -> Iterator[CheckResult]:
    """Say which functions a compatibility level hides."""
    from moviegraph.engines.sqlserver.error_hints import RAISE_LEVEL

    if features.unknown_functions:
        names = " and ".join(features.unknown_functions)
        text = f"{features.compatibility}, which does not know {names}"
        yield warn("level", text, hint=f"{RAISE_LEVEL}.")


def _principal(asker: Asker, contract: Contract, settings: Settings) -> CheckResult:
    from moviegraph.engines.sqlserver.principal import read_principal
    from moviegraph.engines.sqlserver.startup import OVERRIDE, reader_script, too_powerful

    try:
        found = read_principal(asker.read, contract.schema_name)
    except MoviegraphError as error:
        return fail("principal", error)
    notes = "".join(f"; {note}" for note in found.notes)
    if found.fine:
        return ok("principal", f"{found.user} can only read{notes}")
    if settings.mssql_allow_writable:
        told = f"{found.user} may do more than read: {found.told()}; served because of {OVERRIDE}"
        return warn("principal", told)
    error = too_powerful(found)
    return replace(fail("principal", error), script=reader_script(contract))


def _tables(asker: Asker, contract: Contract) -> Generator[CheckResult, None, LiveSchema | None]:
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
    yield ok("tables", f"all {len(contract.table_names)} of the contract, with their columns")
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
        else "off: readers may wait for a load; ALTER DATABASE CURRENT SET "
        "ALLOW_SNAPSHOT_ISOLATION ON fixes that",
    )


def _fulltext(features: Features, live: LiveSchema | None, contract: Contract) -> CheckResult:
    from moviegraph.engines.sqlserver.metadata import LiveSchema
    from moviegraph.engines.sqlserver.startup import fulltext_warnings

    found = list(fulltext_warnings(features, live or LiveSchema({}, frozenset()), contract))
    if found:
        return CheckResult("fulltext", False, " ".join(found))
    return ok("fulltext", "installed, and every searchable column is indexed")


def _index(features: Features, contract: Contract, settings: Settings) -> CheckResult:
    missing = features.without_index(contract)
    if not settings.mssql_approximate:
        told = "there, and not used" if len(missing) < len(contract.nodes) else "none"
        return ok("index", f"{told}; the nearest vectors are searched exactly")
    if missing:
        return CheckResult(
            "index",
            False,
            f"no vector index that a search can filter holds {', '.join(missing)}: searches there "
            "are exact; `moviegraph ddl --engine mssql --vector-index` makes them",
        )
    return ok("index", "the nearest vectors are searched approximately")


def _held(
    asker: Asker, live: LiveSchema, contract: Contract, embedder: Embedder
) -> Generator[CheckResult, None, Held | None]:
    from moviegraph.engines.sqlserver.internal_tables import read_manifest
    from moviegraph.engines.sqlserver.startup import judge_held

    try:
        held = judge_held(read_manifest(asker.read), live, contract, embedder.space)
    except MoviegraphError as error:
        yield fail("graph", error)
        return None
    if held.stored is None:
        yield warn("graph", "loaded by others: there is no manifest, its counts are the tables'")
        told = "of the embedder's dimensions; that they are its model's is not told"
        yield ok("vectors", told) if held.space else vectors_line(None, embedder)
        return held
    counts = held.stored.manifest.counts
    rows = ", ".join(f"{counts.get(node.name, 0):,} {node.name}" for node in contract.nodes)
    yield ok("graph", rows)
    yield vectors_line(held.space, embedder)
    return held


def _probes(
    asker: Asker,
    connector: Connector,
    found: Found,
    contract: Contract,
    embedder: Embedder,
    settings: Settings,
) -> Iterator[CheckResult]:
    """Send each statement as the server would, by its vector index where that is chosen."""
    from moviegraph.engines.sqlserver.engine import MssqlEngine
    from moviegraph.engines.sqlserver.execution import Runner
    from moviegraph.engines.sqlserver.startup import described

    try:
        known = described(found, contract, asker.read, approximate=settings.mssql_approximate)
    except MoviegraphError as error:
        yield fail("queries", error)
        return
    with closing(MssqlEngine(contract, Runner(connector.open, size=1), known)) as engine:
        for probe in probes(contract, indexed=known.has_vector_index(contract.nodes[0].name)):
            yield probe_line(probe, engine, contract, embedder)
