"""Serving a SQL Server over the real drivers: a doubtful database is not served."""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.odbc_drivers import OdbcDriver
from fakes.spoilable_server import SpoilableServer, document
from fakes.tds.refusals import EXPIRED_TOKEN, PAUSED, WRONG_PASSWORD
from fakes.tds.script import Fail, HangUp, Rows
from fakes.tds.server import TdsServer
from fakes.tds.types import INT, NVARCHAR
from fakes.toy_graph import TOY, toy_contract
from mcp import Client

from moviegraph.engines.sqlserver import (
    internal_tables,
    metadata,
    metadata_connection,
    odbc_driver,
    principal,
    startup,
)
from moviegraph.engines.sqlserver.authentication import LoginSource
from moviegraph.engines.sqlserver.connection import Connector
from moviegraph.engines.sqlserver.startup import ONLY_READ_ONLY, connector_of
from moviegraph.errors import MoviegraphError, OperatorError
from moviegraph.observability import operator_text
from moviegraph.query.opening import open_session
from moviegraph.query.readonly_sql import run
from moviegraph.query.session import Call, Session, no_progress
from moviegraph.query.session_opener import OpeningClosed
from moviegraph.server import create_server
from moviegraph.settings import Settings

ROW = Rows([("Id", INT), ("Title", NVARCHAR)], [(1, "Hummus")])
SECRET = "s3cret"


def hashed(_: Settings) -> HashedEmbedder:
    return HashedEmbedder()


class Harness:
    """One server, what it answers, and the settings that lead to it."""

    def __init__(self, server: TdsServer, odbc: OdbcDriver, folder: Path) -> None:
        self.server = server
        self.odbc = odbc
        self.live = SpoilableServer.of(toy_contract(), HashedEmbedder().space)
        self.live.otherwise = [ROW]
        server.script = self.live
        self.settings = Settings(
            engine="mssql",
            mssql=odbc.string(server.port),
            contract=TOY / "contract",
            journal=folder / "journal.sqlite",
        )

    def open(self, **changed: Any) -> Session:
        return open_session(replace(self.settings, **changed), toy_contract(), no_progress)


@pytest.fixture(autouse=True)
def small_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moviegraph.query.opening.configured_embedder", hashed)
    monkeypatch.setattr(metadata_connection, "WAKING_SECONDS", 0.0)


@pytest.fixture
def harness(driver: OdbcDriver, server: TdsServer, tmp_path: Path) -> Harness:
    return Harness(server, driver, tmp_path)


@pytest.fixture
def live_session(harness: Harness) -> Iterator[Session]:
    session = harness.open()
    yield session
    session.engine.close()
    session.journal.close()


def test_a_whole_graph_is_served_as_its_manifest_describes_it(live_session: Session) -> None:
    description = live_session.engine.describe()
    assert description.engine == "mssql"
    assert description.space == HashedEmbedder().space
    assert description.counts["Recipe"] == 3
    assert description.source == "made by hand"


def test_the_database_is_asked_each_question_once_before_it_is_served(
    harness: Harness, live_session: Session
) -> None:
    texts = [call.sql for call in harness.server.record.calls]
    questions = [text for text in texts if text in harness.live.answers]
    assert len(harness.server.record.logins) == 1
    assert sorted(questions) == sorted(set(questions))
    assert {
        principal.OBJECTS,
        metadata.SERVER,
        metadata.COLUMNS,
        internal_tables.READ_MANIFEST,
    } <= set(texts)


def wrong_password(harness: Harness) -> None:
    harness.server.logins.append(WRONG_PASSWORD)


def expired_token(harness: Harness) -> None:
    harness.server.logins.append(EXPIRED_TOKEN)


def paused(harness: Harness) -> None:
    harness.server.logins.extend([PAUSED] * 3)


def no_driver(harness: Harness) -> None:
    text = harness.odbc.string(harness.server.port).replace(harness.odbc.name, "/nowhere.so")
    harness.settings = replace(harness.settings, mssql=text)


def writer(harness: Harness) -> None:
    harness.live.answers[principal.ROLES] = [("db_datawriter", 1)]


def reader_of_all(harness: Harness) -> None:
    harness.live.answers[principal.DATABASE] = [("CONNECT",), ("SELECT",)]


def doubtful(harness: Harness) -> None:
    harness.live.answers[principal.DATABASE] = Fail(300, "VIEW DATABASE STATE was denied.")


def no_table(harness: Harness) -> None:
    rows = harness.live.answers[metadata.COLUMNS]
    assert isinstance(rows, list)
    harness.live.answers[metadata.COLUMNS] = [row for row in rows if row[1] != "NEEDS"]


def wrong_dimension(harness: Harness) -> None:
    rows = harness.live.answers[metadata.COLUMNS]
    assert isinstance(rows, list)
    harness.live.answers[metadata.COLUMNS] = [(*row[:8], row[8] and 768) for row in rows]


def unknown_vectors(harness: Harness) -> None:
    wrong_dimension(harness)
    harness.live.answers[internal_tables.READ_MANIFEST] = []


def half_loaded(harness: Harness) -> None:
    text = document(toy_contract(), HashedEmbedder().space, state="loading")
    harness.live.answers[internal_tables.READ_MANIFEST] = [(text,)]


def other_contract(harness: Harness) -> None:
    text = document(toy_contract(), HashedEmbedder().space, contract_hash="0" * 16)
    harness.live.answers[internal_tables.READ_MANIFEST] = [(text,)]


def stopped(harness: Harness) -> None:
    live = harness.live
    harness.server.script = lambda call: [HangUp()] if call.sql == metadata.COLUMNS else live(call)


@pytest.mark.parametrize(
    ("spoil", "wrong", "cure"),
    [
        pytest.param(wrong_password, "password is wrong", "UID and PWD", id="password"),
        pytest.param(expired_token, "token has expired", "az login", id="token"),
        pytest.param(paused, "is paused", "Try again in a minute", id="paused"),
        pytest.param(no_driver, "cannot be loaded", "msodbcsql18", id="driver"),
        pytest.param(writer, "member of db_datawriter", "moviegraph ddl", id="writer"),
        pytest.param(reader_of_all, "SELECT on the database", "moviegraph_reader", id="reads all"),
        pytest.param(doubtful, "could not be read", "moviegraph_reader", id="in doubt"),
        pytest.param(no_table, "kitchen.NEEDS is missing", "moviegraph ddl", id="table"),
        pytest.param(wrong_dimension, "Recipe has 768", "MOVIEGRAPH_EMBEDDER", id="dimension"),
        pytest.param(unknown_vectors, "Recipe has 768", "MOVIEGRAPH_EMBEDDER", id="no manifest"),
        pytest.param(half_loaded, "did not finish", "moviegraph load", id="half-loaded"),
        pytest.param(other_contract, "another contract", "--contract", id="contract"),
        pytest.param(stopped, "ended the connection", "Try again", id="stopped server"),
    ],
)
def test_a_doubtful_database_is_not_served_and_reported_with_a_fix(
    harness: Harness, spoil: Callable[[Harness], None], wrong: str, cure: str
) -> None:
    spoil(harness)
    with pytest.raises(OperatorError) as raised:
        harness.open()
    message = operator_text(raised.value)
    assert wrong in message
    assert cure in message
    assert SECRET not in message
    assert "127.0.0.1" not in message
    harness.server.record.wait_for(lambda _: harness.server.open == 0, "the last connection closed")


def test_no_server_at_the_address_is_reported_with_a_fix(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def impatient(login: LoginSource) -> Connector:
        return replace(connector_of(login), login_seconds=1.0)

    monkeypatch.setattr(startup, "connector_of", impatient)
    harness.server.close()
    with pytest.raises(OperatorError) as raised:
        harness.open()
    assert "No server responds" in raised.value.message
    assert "MOVIEGRAPH_MSSQL" in (raised.value.hint or "")


def test_without_the_odbc_library_the_message_says_what_to_install(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyodbc", None)
    with pytest.raises(OperatorError) as raised:
        harness.open()
    assert "apt-get install unixodbc" in (raised.value.hint or "")


def test_without_a_driver_the_message_says_what_to_install(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MSSQL_ODBC_DRIVER", raising=False)
    monkeypatch.setattr(odbc_driver.import_pyodbc(), "drivers", list[str])
    _, _, connection_options = harness.odbc.string(harness.server.port).partition(";")
    with pytest.raises(OperatorError) as raised:
        harness.open(mssql=connection_options)
    assert "No ODBC driver" in raised.value.message
    assert "msodbcsql18" in (raised.value.hint or "")


def test_a_paused_database_is_waited_for(harness: Harness) -> None:
    paused(harness)
    lines: list[str] = []
    pauses: list[float] = []
    login = LoginSource(text=harness.settings.mssql)
    asker = metadata_connection.MetadataConnection(
        connector_of(login),
        login.variable,
        waiting=lines.append,
        seconds=60,
        clock=lambda: sum(pauses),
        pause=pauses.append,
    )
    with closing(asker):
        assert asker.read(principal.STATE) == [("READ_WRITE", 3, "reader")]
    assert len(harness.server.record.logins) == 4
    assert 15 <= sum(pauses) <= 60
    assert set(lines) == {"waiting for the database to wake up"}


def test_who_waits_for_a_paused_database_may_give_up(harness: Harness) -> None:
    paused(harness)
    login = LoginSource(text=harness.settings.mssql)

    def leave(_: str) -> None:
        raise OpeningClosed

    asker = metadata_connection.MetadataConnection(
        connector_of(login), login.variable, waiting=leave, seconds=60
    )
    with closing(asker), pytest.raises(OpeningClosed):
        asker.connect()
    assert len(harness.server.record.logins) == 1


def test_the_script_of_a_proper_principal_is_logged(
    harness: Harness, caplog: pytest.LogCaptureFixture
) -> None:
    writer(harness)
    with pytest.raises(OperatorError):
        harness.open()
    assert "GRANT SELECT ON OBJECT::[kitchen].[Recipe] TO moviegraph_reader;" in caplog.text


def test_the_override_serves_and_warns_at_every_start(
    harness: Harness, caplog: pytest.LogCaptureFixture
) -> None:
    writer(harness)
    for start in (1, 2):
        session = harness.open(mssql_allow_writable=True)
        with closing(session.engine), closing(session.journal):
            warned = [record for record in caplog.records if "db_datawriter" in record.getMessage()]
        assert len(warned) == start
        assert warned[-1].levelno == logging.WARNING
        assert "MOVIEGRAPH_MSSQL_ALLOW_WRITABLE" in warned[-1].getMessage()


def test_a_writer_on_a_read_only_database_is_held_to_that_state_on_every_connection(
    harness: Harness, caplog: pytest.LogCaptureFixture
) -> None:
    writer(harness)
    harness.live.answers[principal.STATE] = [("READ_ONLY", 5, "reader")]
    session = harness.open()
    with closing(session.engine), closing(session.journal):
        run(session, Call(tool="run_readonly_sql"), sql="SELECT Title FROM Recipe")
    check_connections = [
        call.connection for call in harness.server.record.calls if call.sql == ONLY_READ_ONLY
    ]
    recipe_connections = [
        call.connection for call in harness.server.record.calls if "Recipe]" in call.sql
    ]
    assert check_connections == recipe_connections == [2]
    assert "read-only state" in caplog.text


def test_a_writer_whose_replica_goes_away_is_not_served_by_the_primary(harness: Harness) -> None:
    writer(harness)
    harness.live.answers[principal.STATE] = [("READ_ONLY", 5, "reader")]
    session = harness.open()
    fail = Fail(50000, "moviegraph was started on a read-only database.")
    harness.live.answers[ONLY_READ_ONLY] = fail
    harness.server.drop_connections()
    call = Call(tool="run_readonly_sql")
    with (
        closing(session.engine),
        closing(session.journal),
        pytest.raises(OperatorError) as raised,
    ):
        run(session, call, sql="SELECT Title FROM Recipe")
    assert "writable database" in raised.value.message


@pytest.mark.parametrize(
    ("spoil", "expected_message"),
    [
        pytest.param("fulltext", "Full-text search is not installed", id="not installed"),
        pytest.param("index", "No full-text index contains", id="not indexed"),
        pytest.param("filling", "still being populated", id="being filled"),
        pytest.param("manifest", "cannot be verified", id="no manifest"),
    ],
)
def test_what_does_not_keep_a_graph_from_being_served_is_a_warning(
    harness: Harness, caplog: pytest.LogCaptureFixture, spoil: str, expected_message: str
) -> None:
    answers = harness.live.answers
    if spoil == "fulltext":
        row = ("17.0.1000.7", "Developer", 3, 0, "READ_WRITE", 170, 1, "Latin1_General_CI_AS")
        answers[metadata.SERVER] = [row]
    elif spoil == "index":
        answers[metadata.FULLTEXT] = []
    elif spoil == "filling":
        answers[metadata.POPULATION] = [("kitchen", "Recipe", 1)]
    else:
        answers[internal_tables.READ_MANIFEST] = []
        live = harness.live
        names = toy_contract().table_names
        counted = Rows([("n", NVARCHAR), ("c", INT)], [(name, 3) for name in names])
        harness.server.script = lambda call: [counted] if "COUNT_BIG" in call.sql else live(call)
    session = harness.open()
    session.engine.close()
    session.journal.close()
    assert expected_message in caplog.text


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
async def test_a_call_to_a_server_that_may_not_serve_gets_one_generic_message(
    harness: Harness, caplog: pytest.LogCaptureFixture
) -> None:
    writer(harness)
    async with Client(create_server(harness.settings)) as client:
        assert len((await client.list_tools()).tools) == 10
        result = await client.call_tool("run_readonly_sql", {"sql": "SELECT Title FROM Recipe"})
    assert result.is_error
    assert isinstance(result.structured_content, dict)
    error = result.structured_content["error"]
    assert error["code"] == "internal_error"
    assert "db_datawriter" not in str(result)
    assert "db_datawriter" in caplog.text


@pytest.mark.anyio
async def test_tools_answer_from_the_database(harness: Harness) -> None:
    async with Client(create_server(harness.settings)) as client:
        result = await client.call_tool("run_readonly_sql", {"sql": "SELECT Title FROM Recipe"})
    assert isinstance(result.structured_content, dict)
    assert result.structured_content["rows"] == [[1, "Hummus"]]


def test_what_is_missing_in_the_settings_is_reported_before_anything_is_opened() -> None:
    with pytest.raises(MoviegraphError) as raised:
        create_server(Settings(engine="mssql", contract=TOY / "contract"))
    assert "MOVIEGRAPH_MSSQL is not set" in raised.value.message
