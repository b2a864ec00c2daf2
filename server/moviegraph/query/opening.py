"""Opens what the settings name: contract, engine, embedder, journal and language model."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from moviegraph.contract.loader import read_contract
from moviegraph.contract.model import Contract
from moviegraph.errors import DatabaseError, EmbeddingError, SettingsError
from moviegraph.observability import operator_text
from moviegraph.query.session import Limits, Progress, Session
from moviegraph.settings import Settings

if TYPE_CHECKING:
    from moviegraph.embeddings.embedder import Embedder
    from moviegraph.engines.base import Engine
    from moviegraph.engines.sqlserver.startup import DatabaseOptions
    from moviegraph.engines.sqlserver.writing import Writer
    from moviegraph.llm.openai_model import OpenAIModel

LOG = logging.getLogger("moviegraph")


def served_contract(settings: Settings) -> Contract:
    """Return the contract to serve: the configured one, the graph's, or the built-in one.

    If a database does not return its contract, the built-in one is served; opening the database
    later refuses it if it does not fit.

    Raises:
        ContractError: A file of it is missing or wrong.
        SettingsError: A setting is wrong.
    """
    is_stored = settings.engine == "mssql" and settings.contract is None
    return read_contract(settings, _database_contract(settings) if is_stored else None)


def _database_contract(settings: Settings) -> Contract | None:
    from moviegraph.engines.sqlserver.startup import stored_contract

    try:
        return stored_contract(database_choices(settings))
    except DatabaseError as error:
        LOG.warning(
            "The contract could not be read from the database; using the built-in one: %s",
            operator_text(error),
        )
        return None


def require_engine(settings: Settings) -> None:
    """Raise SettingsError if a setting of the engine is missing; nothing is opened."""
    if settings.engine == "mssql":
        database_choices(settings).login.string()


def require_journal_apart(settings: Settings) -> None:
    """Raise SettingsError for a journal in the graph folder, which a load replaces."""
    journal, folder = settings.journal_file, settings.graph_folder
    if settings.engine == "embedded" and journal.resolve().is_relative_to(folder.resolve()):
        raise SettingsError(
            f"The journal {journal} is in the graph folder {folder}. Loading a graph there "
            "would delete it.",
            hint="Move the journal and the files that share its name out of that folder, and set "
            "MOVIEGRAPH_JOURNAL to the new path.",
        )


def require_graph(settings: Settings, contract: Contract) -> None:
    """Raise GraphError if the configured folder has no graph that fits; it is not opened.

    The built-in graph is built when needed, and a database is checked when it is opened.
    """
    if settings.engine == "embedded" and settings.graph is not None:
        from moviegraph.engines.embedded.graph_folder import read_manifest

        read_manifest(settings.graph, contract)


def database_choices(settings: Settings) -> DatabaseOptions:
    """Return the settings of SQL Server; nothing is read yet."""
    from moviegraph.engines.sqlserver.authentication import LoginSource
    from moviegraph.engines.sqlserver.startup import DatabaseOptions

    return DatabaseOptions(
        LoginSource(
            text=settings.mssql,
            file=settings.mssql_file,
            password=settings.mssql_password,
            password_file=settings.mssql_password_file,
            method=settings.mssql_authentication,
        ),
        connections=settings.mssql_pool,
        allow_writable=settings.mssql_allow_writable,
        approximate=settings.mssql_approximate,
    )


def open_writer(settings: Settings) -> Writer:
    """Return the connection of `load`, not yet opened; only this reads its settings.

    Raises:
        SettingsError: They are missing, or contradict each other.
    """
    from moviegraph.engines.sqlserver.authentication import LoginSource
    from moviegraph.engines.sqlserver.startup import connector_of
    from moviegraph.engines.sqlserver.writing import SESSION, Writer

    login = LoginSource(
        "MOVIEGRAPH_MSSQL_LOAD",
        text=settings.mssql_load,
        file=settings.mssql_load_file,
        password=settings.mssql_load_password,
        password_file=settings.mssql_load_password_file,
        method=settings.mssql_load_authentication,
        read_only=False,
    )
    login.string()
    return Writer(replace(connector_of(login), session=(SESSION,)).open)


def session_limits(settings: Settings, contract: Contract) -> Limits:
    """Return the limits of a server: rows are those of the contract, which settings may replace."""
    return Limits(
        top=contract.limits.top,
        top_expanded=contract.limits.top_expanded,
        timeout=settings.timeout,
        total_timeout=settings.total_timeout,
        bytes=settings.max_bytes,
        cell=settings.max_cell,
    )


def open_session(settings: Settings, contract: Contract, progress: Progress) -> Session:
    """Open engine, journal and model, all or none. A failing embedder does not prevent it.

    Raises:
        OperatorError: One of them cannot be opened.
    """
    from moviegraph.journal.sqlite_journal import SqliteJournal

    with ExitStack() as undo:
        embedder = configured_embedder(settings)
        engine = open_engine(settings, contract, embedder, progress)
        undo.callback(engine.close)
        journal = SqliteJournal(settings.journal_file, keeps_questions=settings.journal_questions)
        undo.callback(journal.close)
        session = Session(
            contract=contract,
            engine=engine,
            embedder=embedder,
            journal=journal,
            limits=session_limits(settings, contract),
            model=open_language_model(settings),
            today=settings.today,
            trace_sql=settings.trace_sql,
            rerank=settings.rerank,
            journal_results=settings.journal_results,
        )
        undo.pop_all()
    _load_embedder(embedder)
    return session


def _load_embedder(embedder: Embedder) -> None:
    """Load the embedder before the first call; if that fails, each search that needs it retries."""
    try:
        embedder.load()
    except EmbeddingError as error:
        LOG.error(
            "Semantic search is unavailable: %s",
            operator_text(error),
            extra={"facts": {"event": "embedder_failed"}},
        )


def configured_embedder(settings: Settings) -> Embedder:
    """Return the configured embedder, not yet loaded."""
    from moviegraph.embeddings.opening import open_embedder

    return open_embedder(
        settings.embedder,
        base_url=settings.embedder_base_url,
        api_key=settings.embedder_api_key,
        azure_endpoint=settings.embedder_azure_endpoint,
        api_version=settings.embedder_azure_api_version,
        model=settings.embedder_model,
        dimensions=settings.embedder_dimensions,
        query_prefix=settings.embedder_query_prefix or "",
        document_prefix=settings.embedder_document_prefix or "",
    )


def open_engine(
    settings: Settings, contract: Contract, embedder: Embedder, progress: Progress
) -> Engine:
    """Open the configured graph; the built-in one is built if it is missing.

    Raises:
        OperatorError: It cannot be opened, or a database may not be served.
    """
    if settings.engine == "mssql":
        from moviegraph.engines.sqlserver.startup import open_served

        waits = partial(progress, 0, None)
        waits("opening the database")
        return open_served(database_choices(settings), contract, embedder.space, waits)
    from moviegraph.engines.embedded.embedded_engine import open_graph
    from moviegraph.engines.embedded.worker_pool import WorkerLimits

    if settings.graph is None:
        from moviegraph.loading.folder_loader import ensure_builtin_graph

        def stage(name: str, done: int, total: int) -> None:
            progress(done, total, name)

        ensure_builtin_graph(settings.graph_folder, contract, embedder, stage)
    progress(0, None, "opening the graph")
    workers = WorkerLimits(processes=settings.max_running, memory=settings.memory)
    return open_graph(settings.graph_folder, contract, workers=workers)


def open_language_model(settings: Settings, *, many: bool = False) -> OpenAIModel | None:
    """Return the configured language model, or None; nothing is sent yet.

    Args:
        settings: The settings.
        many: There will be many requests, which may wait.
    """
    if settings.llm is None:
        return None
    from moviegraph.llm.openai_model import open_model

    return open_model(
        settings.llm,
        base_url=settings.llm_base_url,
        api_key=settings.llm_api_key,
        azure_endpoint=settings.llm_azure_endpoint,
        api_version=settings.llm_azure_api_version,
        timeout=settings.llm_timeout,
        many=many,
    )
