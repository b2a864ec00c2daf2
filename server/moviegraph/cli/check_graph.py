"""Checks of a graph folder or a SQL Server database, and of the data in it."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from moviegraph.cli.check_results import CheckResult, creatable, fail, ok, run_check, warn
from moviegraph.cli.streams import ProgressLines
from moviegraph.contract.model import Contract
from moviegraph.embeddings.embedder import Embedder, VectorSpace, require_same_space
from moviegraph.engines.base import Budget, Description, Engine, Statement
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.retrieval_primitives import GraphReader
from moviegraph.engines.sqlserver.authentication import LoginSource
from moviegraph.engines.sqlserver.connection import (
    Connector,
    address_of,
    is_this_machine,
    require_reachable,
)
from moviegraph.engines.sqlserver.error_translation import RAISE_LEVEL
from moviegraph.engines.sqlserver.execution import Runner
from moviegraph.engines.sqlserver.internal_tables import (
    CREATE_ALIAS_TABLE,
    NO_ALIAS_TABLE,
    StoredManifest,
    has_aliases,
    read_stored_manifest,
)
from moviegraph.engines.sqlserver.metadata import (
    Features,
    LiveSchema,
    read_features,
    read_live_schema,
)
from moviegraph.engines.sqlserver.metadata_connection import MetadataConnection
from moviegraph.engines.sqlserver.mssql_engine import MssqlEngine
from moviegraph.engines.sqlserver.odbc_driver import import_pyodbc
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
from moviegraph.errors import MoviegraphError
from moviegraph.query.names import unmatched_name_notes
from moviegraph.search.fulltext import matching_nodes
from moviegraph.search.references import NO_IDS
from moviegraph.search.semantic import nearest_by_index, nearest_nodes
from moviegraph.server import database_choices
from moviegraph.settings import Settings
from moviegraph.sql.decision import Allowed, Refused
from moviegraph.sql.guard import judge
from moviegraph.text import plural

FIX_EMBEDDER = "Fix the embedder first."
SECONDS = 60.0


def graph_results(
    settings: Settings, contract: Contract, embedder: Embedder | None
) -> Iterator[CheckResult]:
    """Yield the results of the engine, the graph, its data and its vectors."""
    yield ok("engine", "embedded, no installation needed")
    folder = settings.graph_folder
    if settings.graph is None and not folder.exists():
        yield creatable("graph", folder, f"the built-in graph will be built in {folder}")
        return
    inspected = yield from run_check("graph", lambda: _inspect(folder, contract))
    if inspected is None:
        return
    description, warnings = inspected
    yield ok("graph", f"{folder}: {count_nodes(description.counts, contract)}")
    yield from warnings
    yield vectors_result(description.space, embedder)


def _inspect(folder: Path, contract: Contract) -> tuple[Description, list[CheckResult]]:
    """Return the description of a graph folder and the results of its data."""
    with closing(open_graph(folder, contract)) as engine:
        _read_through(engine, contract)
        return engine.describe(), list(data_results(engine, contract))


def count_nodes(counts: Mapping[str, int], contract: Contract) -> str:
    """Return the number of nodes of each kind, as text."""
    return ", ".join(f"{counts.get(node.name, 0):,} {node.name}" for node in contract.nodes)


def _read_through(engine: Engine, contract: Contract) -> None:
    """Read every text once: a truncated file may open, and fail only when it is read."""
    for node in contract.nodes:
        sql = f"SELECT MAX(LEN(n.{node.text})) AS longest FROM {node.name} AS n"  # noqa: S608
        decision = judge(sql, contract)
        if isinstance(decision, Allowed):
            engine.execute(Statement(decision), Budget())


def vectors_result(stored: VectorSpace | None, embedder: Embedder | None) -> CheckResult:
    """Return whether the stored vectors are comparable with those of the embedder."""
    if stored is None:
        return fail("vectors", "the graph has none", "Load it without --no-embeddings.")
    if embedder is None:
        return fail("vectors", "cannot be compared without the embedder", FIX_EMBEDDER)
    try:
        require_same_space(stored, embedder.space)
    except MoviegraphError as error:
        return fail("vectors", error.message, error.hint)
    return ok("vectors", f"in the embedder's vector space, {stored.model}")


def data_results(engine: Engine, contract: Contract) -> Iterator[CheckResult]:
    """Yield a warning for each part of the contract that the data contradict."""
    warnings = [*_counts(engine, contract)]
    with engine.reader(Budget(seconds=SECONDS)) as graph:
        warnings += [*_names(graph, contract)]
    yield from warnings
    if not warnings:
        yield ok("data", "counts and names in examples fit the contract")


def _counts(engine: Engine, contract: Contract) -> Iterator[CheckResult]:
    counts = engine.describe().counts
    for node in contract.nodes:
        if node.expected_nodes is None:
            continue
        lowest, highest = node.expected_nodes
        if not lowest <= (count := counts.get(node.name, 0)) <= highest:
            text = f"{node.name} has {plural(count, 'node')}, expected {lowest:,} to {highest:,}."
            yield warn("data", text, "Load the missing data, or change expected_nodes.")


def _names(graph: GraphReader, contract: Contract) -> Iterator[CheckResult]:
    """Yield a warning for each name in an example that no node has."""
    examples: dict[str, list[str]] = {}
    for example in contract.examples:
        decision = judge(example.sql, contract)
        names = decision.compared_names if isinstance(decision, Allowed) else ()
        for note in unmatched_name_notes(graph, contract, names):
            examples.setdefault(note, []).append(example.id)
    for note, ids in examples.items():
        yield warn("data", f"Example {', '.join(ids)}: {note}", "Use names of the graph.")


@dataclass(frozen=True, slots=True)
class Probe:
    """A statement to run, and the text of its @q."""

    name: str
    sql: str
    query: str | None = None


def probes(contract: Contract, *, is_indexed: bool) -> Iterator[Probe]:
    """Yield a statement by key, by words, by vector (by its index, if there is one) and by edge."""
    node = contract.nodes[0]
    first = f"SELECT TOP (1) n.{node.key}, n.{node.label} FROM {node.name} AS n"  # noqa: S608
    yield Probe("sql", f"{first} ORDER BY n.{node.key}")
    if node.searchable:
        words = matching_nodes(node, "FREETEXT", contract.title, 1, None, NO_IDS, NO_IDS)
        yield Probe("words", words)
    nearest = nearest_by_index(node, 1) if is_indexed else nearest_nodes(node, 1, None, NO_IDS)
    yield Probe("meaning", nearest, contract.title)
    if contract.edges:
        edge = contract.default_connection
        start, end = contract.node(edge.from_table), contract.node(edge.to_table)
        assert start is not None
        assert end is not None
        yield Probe(
            "edges",
            f"SELECT TOP (1) a.{start.key} AS StartKey, b.{end.key} AS EndKey "  # noqa: S608
            f"FROM {start.name} AS a, {edge.name} AS e, {end.name} AS b WHERE MATCH(a-(e)->b)",
        )


def probe_result(
    probe: Probe, engine: Engine, contract: Contract, embedder: Embedder
) -> Iterator[CheckResult]:
    """Run a statement as the server does, and yield its time or its failure."""

    def run() -> tuple[bool, float]:
        decision = judge(probe.sql, contract)
        if isinstance(decision, Refused):
            raise decision.error()
        start = time.perf_counter()
        vector = embedder.embed([probe.query])[0] if probe.query else None
        rows = engine.execute(Statement(decision, vector), Budget(rows=1)).rows
        return bool(rows), 1000 * (time.perf_counter() - start)

    result = yield from run_check(probe.name, run)
    if result is None:
        return
    has_rows, milliseconds = result
    text = f"{'answered' if has_rows else 'answered without a row'} in {milliseconds:.0f} ms"
    if has_rows or probe.name == "words":  # no text need contain the words of the title
        yield ok(probe.name, text)
    else:
        yield warn(probe.name, text, "Load the graph, or let the principal read its tables.")


def database_results(
    settings: Settings, contract: Contract | None, embedder: Embedder | None
) -> Iterator[CheckResult]:
    """Yield the result of each part; parts that need a failed one are omitted."""
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
    address = address_of(login.string())
    if address is None:
        return "resolved by the driver"
    require_reachable(address, login.variable)
    return "a server is listening"


def _encryption_result(login: LoginSource) -> CheckResult:
    string = login.string()
    if string.encrypted:
        return ok("connection", "logged in, encrypted")
    if is_this_machine(string):
        return ok("connection", "logged in; not encrypted, on this machine only")
    hint = f"Remove Encrypt from {login.variable}, or set Encrypt=yes."
    return fail("connection", "logged in, but the connection is not encrypted.", hint)


def _server(metadata: MetadataConnection) -> Generator[CheckResult, None, Features | None]:
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
