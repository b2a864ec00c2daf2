"""`moviegraph init --from mssql` over the real drivers and a scripted server."""

from pathlib import Path

import pytest
from fakes.graph_catalog import graph_catalog
from fakes.hashed_embedder import HashedEmbedder
from fakes.odbc_drivers import OdbcDriver
from fakes.spoilable_server import SpoilableServer
from fakes.tds.server import TdsServer
from fakes.toy_graph import toy_contract

from moviegraph.cli import main
from moviegraph.contract.loader import load_contract
from moviegraph.engines.sqlserver import database_draft, internal_tables
from moviegraph.query.opening import served_contract
from moviegraph.settings import Settings

CONTRACT = toy_contract()


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch, driver: OdbcDriver, server: TdsServer) -> SpoilableServer:
    """A server with the tables of the toy contract, and the variable that leads to it."""
    scripted = SpoilableServer.of(CONTRACT, HashedEmbedder().space)
    scripted.answers |= graph_catalog(CONTRACT)
    server.script = scripted
    monkeypatch.setenv("MOVIEGRAPH_MSSQL", driver.string(server.port))
    return scripted


def test_the_tables_of_a_database_become_a_contract(
    live: SpoilableServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "--from", "mssql", "--into", str(tmp_path / "setup")]) == 0
    assert load_contract(tmp_path / "setup").hash == CONTRACT.hash
    output = capsys.readouterr().out
    assert "node table Recipe: Number is the key, Title the name" in output
    assert f"moviegraph serve --engine mssql --contract {tmp_path / 'setup'}" in output


def test_without_graph_tables_nothing_is_written(
    live: SpoilableServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live.answers[database_draft.COLUMNS] = []
    assert main(["init", "--from", "mssql", "--into", str(tmp_path / "setup")]) == 1
    assert "no node tables" in capsys.readouterr().err
    assert not (tmp_path / "setup").exists()


def settings(driver: OdbcDriver, port: int) -> Settings:
    return Settings(engine="mssql", mssql=driver.string(port))


def test_the_contract_that_a_database_carries_is_served(
    live: SpoilableServer, driver: OdbcDriver, server: TdsServer
) -> None:
    live.answers[internal_tables.READ_CONTRACT] = [(internal_tables.contract_document(CONTRACT),)]
    assert served_contract(settings(driver, server.port)) == CONTRACT


def test_a_database_without_a_contract_is_served_with_the_one_in_the_package(
    live: SpoilableServer, driver: OdbcDriver, server: TdsServer
) -> None:
    live.answers[internal_tables.READ_CONTRACT] = []
    assert served_contract(settings(driver, server.port)).name == "movies"


def test_a_database_that_does_not_respond_leaves_the_contract_in_the_package(
    driver: OdbcDriver, caplog: pytest.LogCaptureFixture
) -> None:
    assert served_contract(settings(driver, 1)).name == "movies"
    assert "could not be read from the database" in caplog.text
    assert "s3cret" not in caplog.text
