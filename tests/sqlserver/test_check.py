"""`moviegraph check` over the real drivers: each part is OK, or reported with a fix."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.odbc_drivers import OdbcDriver
from fakes.spoilable_server import SpoilableServer
from fakes.tds.refusals import EXPIRED_TOKEN, PAUSED, TOKEN_WITHOUT_USER, WRONG_PASSWORD
from fakes.tds.script import Answers, Fail, HangUp, Rows
from fakes.tds.server import TdsServer
from fakes.tds.types import INT, NVARCHAR
from fakes.toy_graph import TOY, toy_contract

from moviegraph.cli import main
from moviegraph.engines.sqlserver import (
    internal_tables,
    metadata,
    metadata_connection,
    odbc_driver,
    principal,
)
from moviegraph.settings import Settings

PARTS = (
    "contract", "tools", "embedder", "similarity", "engine", "address", "connection", "server",
    "principal", "tables", "fulltext", "index", "snapshot", "graph", "vectors",
    "sql", "words", "meaning", "edges", "journal", "model", "sent out",
    "http",
)  # fmt: skip
ROW = Rows([("Id", INT), ("Value", INT)], [(1, 0)])  # an id, with its distance
Lines = dict[str, dict[str, Any]]
Check = Callable[..., tuple[int, Lines]]


def hashed(_: Settings) -> HashedEmbedder:
    return HashedEmbedder()


class Harness:
    """One server, what it answers, and the variables that lead to it."""

    def __init__(
        self, server: TdsServer, odbc: OdbcDriver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.server = server
        self.odbc = odbc
        self.live = SpoilableServer.of(toy_contract(), HashedEmbedder().space)
        self.live.otherwise = [ROW]
        server.script = self.live
        self.monkeypatch = monkeypatch
        self.string(odbc.string(server.port))

    def string(self, text: str) -> None:
        self.monkeypatch.setenv("MOVIEGRAPH_MSSQL", text)

    def answer(self, question: str, *rows: tuple[Any, ...]) -> None:
        self.live.answers[question] = list(rows)

    def fail(self, question: str, failure: Fail) -> None:
        self.live.answers[question] = failure


@pytest.fixture
def harness(
    driver: OdbcDriver, server: TdsServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Harness:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("moviegraph.query.opening.configured_embedder", hashed)
    monkeypatch.setattr(metadata_connection, "WAKING_SECONDS", 0.0)
    return Harness(server, driver, monkeypatch)


@pytest.fixture
def check(harness: Harness, capsys: pytest.CaptureFixture[str]) -> Check:
    def run(*more: str) -> tuple[int, Lines]:
        place = ("--contract", str(TOY / "contract"))
        status = main(["check", "--json", "--engine", "mssql", *place, *more])
        output = capsys.readouterr().out
        assert "s3cret" not in output
        assert str(harness.server.port) not in output.replace(f"port {harness.server.port}.", "")
        lines = json.loads(output)["checks"]
        assert len({line["name"] for line in lines}) == len(lines)
        return status, {line["name"]: line for line in lines}

    return run


def test_every_part_of_a_whole_graph_is_fine(check: Check) -> None:
    status, lines = check()
    assert [line["message"] for line in lines.values() if line["status"] == "failed"] == []
    assert tuple(lines) == PARTS
    assert status == 0


def wrong_password(harness: Harness) -> None:
    harness.server.logins.append(WRONG_PASSWORD)


def expired_token(harness: Harness) -> None:
    harness.server.logins.append(EXPIRED_TOKEN)


def token_without_user(harness: Harness) -> None:
    harness.server.logins.append(TOKEN_WITHOUT_USER)


def firewall(harness: Harness) -> None:
    message = "Client with IP address '192.0.2.1' is not allowed to access the server."
    harness.server.logins.append(Fail(40615, message, 14))


def no_database(harness: Harness) -> None:
    harness.server.logins.append(Fail(4060, 'Cannot open database "kb".', 11))


def paused(harness: Harness) -> None:
    harness.server.logins.extend([PAUSED] * 3)


def nobody_listens(harness: Harness) -> None:
    harness.server.close()


def other_driver(harness: Harness) -> None:
    harness.string(
        harness.odbc.string(harness.server.port).replace(harness.odbc.name, "/nowhere.so")
    )


def no_driver(harness: Harness) -> None:
    harness.monkeypatch.delenv("MSSQL_ODBC_DRIVER", raising=False)
    harness.monkeypatch.setattr(odbc_driver.import_pyodbc(), "drivers", list[str])
    _, _, connection_options = harness.odbc.string(harness.server.port).partition(";")
    harness.string(connection_options)


def no_library(harness: Harness) -> None:
    harness.monkeypatch.setitem(sys.modules, "pyodbc", None)


def nothing_set(harness: Harness) -> None:
    harness.monkeypatch.delenv("MOVIEGRAPH_MSSQL")


def unknown_keyword(harness: Harness) -> None:
    harness.string(f"Bogus=1;{harness.odbc.string(harness.server.port)}")


def old_server(harness: Harness) -> None:
    row = ("16.0.4165.4", "Developer", 3, 1, "READ_WRITE", 160, 1, "Latin1_General_CI_AS")
    harness.answer(metadata.SERVER, row)


def writer(harness: Harness) -> None:
    harness.answer(principal.ROLES, ("db_datawriter", 1))


def no_table(harness: Harness) -> None:
    rows = harness.live.answers[metadata.COLUMNS]
    assert isinstance(rows, list)
    harness.answer(metadata.COLUMNS, *(row for row in rows if row[1] != "Recipe"))


def wrong_dimension(harness: Harness) -> None:
    rows = harness.live.answers[metadata.COLUMNS]
    assert isinstance(rows, list)
    harness.answer(metadata.COLUMNS, *((*row[:8], row[8] and 768) for row in rows))


def other_model(harness: Harness) -> None:
    space = HashedEmbedder(dimensions=32).space
    harness.live = SpoilableServer.of(toy_contract(), space)
    harness.live.otherwise = [ROW]
    harness.server.script = harness.live


def half_loaded(harness: Harness) -> None:
    space = HashedEmbedder().space
    from fakes.spoilable_server import document

    harness.answer(
        internal_tables.READ_MANIFEST, (document(toy_contract(), space, state="loading"),)
    )


def no_fulltext(harness: Harness) -> None:
    row = ("17.0.1000.7", "Developer", 3, 0, "READ_WRITE", 170, 1, "Latin1_General_CI_AS")
    harness.answer(metadata.SERVER, row)


def unindexed(harness: Harness) -> None:
    harness.answer(metadata.FULLTEXT)


def stopped(harness: Harness) -> None:
    """The server goes away while it answers the search by words, also at the second try."""
    live = harness.live
    words = Answers({"FREETEXTTABLE": [HangUp()]})
    harness.server.script = lambda call: words(call) if "FREETEXTTABLE" in call.sql else live(call)


@pytest.mark.parametrize(
    ("spoil", "name", "wrong", "cure"),
    [
        pytest.param(nothing_set, "address", "is not set", "ODBC connection string", id="unset"),
        pytest.param(
            unknown_keyword, "address", "'Bogus' is not a known keyword", "Known", id="key"
        ),
        pytest.param(no_library, "engine", "libodbc", "apt-get install unixodbc", id="libodbc"),
        pytest.param(no_driver, "connection", "No ODBC driver", "msodbcsql18", id="driver"),
        pytest.param(other_driver, "connection", "cannot be loaded", "msodbcsql18", id="no file"),
        pytest.param(nobody_listens, "address", "nothing listens", "Server=tcp:HOST", id="host"),
        pytest.param(wrong_password, "connection", "password is wrong", "UID and PWD", id="login"),
        pytest.param(expired_token, "connection", "token has expired", "az login", id="expired"),
        pytest.param(token_without_user, "connection", "no user", "CREATE USER", id="no user"),
        pytest.param(firewall, "connection", "firewall", "firewall-rule create", id="firewall"),
        pytest.param(no_database, "connection", "cannot open", "Database=", id="database"),
        pytest.param(paused, "connection", "is paused", "Try again in a minute", id="paused"),
        pytest.param(old_server, "server", "16.0", "SQL Server 2025", id="old server"),
        pytest.param(writer, "principal", "db_datawriter", "moviegraph ddl", id="writer"),
        pytest.param(no_table, "tables", "kitchen.Recipe is missing", "moviegraph ddl", id="table"),
        pytest.param(wrong_dimension, "graph", "Recipe has 768", "MOVIEGRAPH_EMBEDDER", id="width"),
        pytest.param(other_model, "vectors", "not comparable", "MOVIEGRAPH_EMBEDDER", id="model"),
        pytest.param(half_loaded, "graph", "did not finish", "moviegraph load", id="half"),
        pytest.param(no_fulltext, "fulltext", "not installed", "mssql-server-fts", id="no words"),
        pytest.param(unindexed, "fulltext", "Recipe.Title", "moviegraph ddl", id="unindexed"),
        pytest.param(stopped, "words", "lost", "again", id="stopped server"),
    ],
)
def test_a_problem_is_reported_with_a_fix(
    harness: Harness,
    check: Check,
    spoil: Callable[[Harness], None],
    name: str,
    wrong: str,
    cure: str,
) -> None:
    spoil(harness)
    status, lines = check()
    assert status == 1
    assert lines[name]["status"] == "failed"
    assert wrong in lines[name]["message"]
    assert cure in f"{lines[name]['message']} {lines[name]['hint']}"
    assert lines["journal"]["status"] == "skipped"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        pytest.param([("TRUE",)], "logged in, encrypted", id="encrypted"),
        pytest.param([("FALSE",)], "not encrypted", id="plain"),
        pytest.param(
            Fail(300, "VIEW SERVER STATE permission was denied.", 14),
            "not encrypted",
            id="not told: the string decides",
        ),
    ],
)
def test_the_server_says_whether_the_connection_is_encrypted(
    harness: Harness, check: Check, answer: Any, message: str
) -> None:
    harness.live.answers[metadata.ENCRYPTION] = answer
    status, lines = check()
    assert (status, message in lines["connection"]["message"]) == (0, True)


def test_a_principal_that_may_write_gets_the_script_of_one_that_may_not(
    harness: Harness, check: Check
) -> None:
    writer(harness)
    _, lines = check()
    script = lines["principal"]["script"]
    assert "GRANT SELECT ON OBJECT::[kitchen].[Recipe] TO moviegraph_reader;" in script
    assert "ALTER ROLE moviegraph_reader ADD MEMBER" in script
    assert all("script" not in line for name, line in lines.items() if name != "principal")


def test_the_script_is_below_its_line(harness: Harness, capsys: pytest.CaptureFixture[str]) -> None:
    writer(harness)
    main(["check", "--engine", "mssql", "--contract", str(TOY / "contract")])
    before, _, after = capsys.readouterr().out.partition("GRANT SELECT")
    assert "principal  FAIL: " in before
    assert "tables     OK: " in after


def test_the_override_is_reported(harness: Harness, check: Check) -> None:
    writer(harness)
    status, lines = check("--mssql-allow-writable", "1")
    assert status == 0
    assert "MOVIEGRAPH_MSSQL_ALLOW_WRITABLE" in lines["principal"]["message"]
    assert lines["principal"]["status"] == "warning"


@pytest.mark.parametrize(
    ("spoil", "later"),
    [
        pytest.param(writer, PARTS[7:], id="principal"),
        pytest.param(no_table, PARTS[8:], id="tables"),
        pytest.param(no_fulltext, PARTS[9:], id="full text"),
        pytest.param(half_loaded, ("journal", "model", "http"), id="graph"),
        pytest.param(stopped, ("meaning", "edges", "journal", "model", "http"), id="words"),
    ],
)
def test_later_parts_are_still_looked_at(
    harness: Harness, check: Check, spoil: Callable[[Harness], None], later: tuple[str, ...]
) -> None:
    spoil(harness)
    _, lines = check()
    assert set(later) <= set(lines)


def test_a_connection_lost_between_two_questions_is_opened_again(
    harness: Harness, check: Check
) -> None:
    live = harness.live
    harness.server.script = lambda call: (
        [HangUp()] if call.sql == metadata.SERVER and call.connection == 2 else live(call)
    )
    _, lines = check()
    assert "ended the connection" in lines["server"]["message"]
    assert lines["principal"]["status"] == "ok"
    assert lines["tables"]["status"] == "ok"


@pytest.mark.parametrize(
    ("version", "is_ok", "says"),
    [
        pytest.param("3", True, "approximate", id="of the third version"),
        pytest.param("1", False, "searches there are exact", id="of the first"),
    ],
)
def test_approximate_search_needs_an_index_that_can_be_filtered(
    harness: Harness, check: Check, version: str, is_ok: bool, says: str
) -> None:
    contract = toy_contract()
    indexes = [(contract.schema_name, n.name, n.vector, "cosine", version) for n in contract.nodes]
    harness.answer(metadata.VECTOR_INDEXES, *indexes)
    _, lines = check("--mssql-approximate", "1")
    assert (lines["index"]["status"] == "ok") is is_ok
    assert says in lines["index"]["message"]
    statements = [call.sql for call in harness.server.record.calls]
    assert any("WITH APPROXIMATE" in sql_text for sql_text in statements) is is_ok


def test_a_database_that_others_filled_is_served_with_a_word_on_its_vectors(
    harness: Harness, check: Check
) -> None:
    harness.answer(internal_tables.READ_MANIFEST)
    contract = toy_contract()
    count = Rows([("n", NVARCHAR), ("c", INT)], [(name, 3) for name in contract.table_names])
    live = harness.live
    harness.server.script = lambda call: [count] if "COUNT_BIG" in call.sql else live(call)
    status, lines = check()
    assert status == 0
    assert "no manifest" in lines["graph"]["message"]


def test_a_database_without_the_table_of_aliases_is_served_with_a_warning(
    harness: Harness, check: Check
) -> None:
    columns = harness.live.answers[metadata.COLUMNS]
    assert isinstance(columns, list)
    harness.answer(metadata.COLUMNS, *(row for row in columns if row[1] != "Alias"))
    status, lines = check()
    assert (status, lines["aliases"]["status"]) == (0, "warning")
    assert "moviegraph ddl" in lines["aliases"]["hint"]
