"""Tests that need a real SQL Server; collected only where one is configured."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from fakes.hashed_embedder import HashedEmbedder, hashed_words
from fakes.limits import budget
from fakes.scratch_database import ScratchDatabase, ask
from fakes.small_graph import MOVIES, rows
from fakes.sources import source

from moviegraph.contract.model import Contract
from moviegraph.engines.base import Engine, Statement
from moviegraph.engines.graph_records import embedded_text
from moviegraph.engines.sqlserver.connection import Connector
from moviegraph.engines.sqlserver.diagnostics import primary
from moviegraph.engines.sqlserver.metadata import read_features
from moviegraph.engines.sqlserver.metadata_connection import Row
from moviegraph.engines.sqlserver.startup import check_database
from moviegraph.errors import DatabaseError

if TYPE_CHECKING:
    import pyodbc

MATCHED = "dbo.Movie AS m, dbo.IN_GENRE AS i, dbo.Genre AS g"
Make = Callable[..., Statement]


@pytest.fixture
def reader(database: ScratchDatabase) -> Iterator["pyodbc.Connection"]:
    with closing(database.connect()) as connection:
        yield connection


@pytest.fixture
def admin(database: ScratchDatabase) -> Iterator["pyodbc.Connection"]:
    with closing(database.connect(as_admin=True)) as connection:
        yield connection


@pytest.fixture(scope="module")
def server(database: ScratchDatabase) -> Iterator[Engine]:
    with closing(database.engine()) as engine:
        yield engine


def number(connection: "pyodbc.Connection", sql: str, *parameters: Any) -> int:
    """Return the number of the error that a statement ends with."""
    import pyodbc

    with pytest.raises(pyodbc.Error) as caught:
        cursor = connection.execute(sql, *parameters)
        while cursor.nextset():
            pass
    connection.rollback()
    message = primary(caught.value)
    assert message is not None, caught.value
    return message.number


def test_a_vector_of_more_than_2000_characters_is_cast(reader: "pyodbc.Connection") -> None:
    vector = "[" + ",".join(["0.123456789"] * 384) + "]"
    sql = (
        "DECLARE @q VECTOR(384) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(384)); "
        "SELECT VECTOR_DISTANCE('cosine', @q, @q) AS d;"
    )
    ((result,),) = reader.execute(sql, vector).fetchall()
    assert result == pytest.approx(0, abs=1e-5)


def test_the_nearest_are_those_of_numpy(server: Engine, statement: Make) -> None:
    query = "rebels on a desert planet"
    translation = statement(
        "SELECT TOP 8 m.Id, VECTOR_DISTANCE('cosine', m.Embedding, @q) AS d FROM Movie AS m "
        "ORDER BY d, m.Id",
        query,
    )
    result = server.execute(translation, budget()).rows
    expected_vector = np.array(hashed_words(query, 64))
    exact = {
        key: 1
        - float(np.dot(expected_vector, hashed_words(embedded_text(name.rstrip(), text), 64)))
        for key, name, text in MOVIES
    }
    assert dict(result) == pytest.approx(exact, abs=1e-5)
    assert [d for _, d in result] == sorted(d for _, d in result)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        pytest.param(f"SELECT 1 AS x FROM {MATCHED} WHERE MATCH(m-(z)->g)", 13900, id="13900"),
        pytest.param(
            f"SELECT 1 AS x FROM {MATCHED} WHERE MATCH(m-(i)->g) OR m.Id = 1", 13905, id="13905"
        ),
        pytest.param(
            "SELECT 1 AS x FROM dbo.Movie AS m JOIN dbo.Genre AS g ON 1 = 1, dbo.IN_GENRE AS i "
            "WHERE MATCH(m-(i)->g)",
            13920,
            id="13920",
        ),
        pytest.param("SELECT Title FROM dbo.Movie", 207, id="207"),
        pytest.param("SELECT 1 AS x FROM dbo.Film", 208, id="208"),
        pytest.param("SELECT Id FROM moviegraph.Loaded", 229, id="229, our own table"),
        pytest.param("INSERT dbo.Theme (Id, Name) VALUES (99, N'x')", 229, id="229, INSERT"),
        pytest.param("UPDATE dbo.Movie SET Name = N'x'", 229, id="229, UPDATE"),
        pytest.param("DELETE dbo.IN_GENRE", 229, id="229, DELETE"),
    ],
)
def test_the_server_refuses_with_the_number_that_is_expected(
    reader: "pyodbc.Connection", sql: str, expected: int
) -> None:
    assert number(reader, sql) == expected


def test_a_malformed_full_text_condition_is_7630(
    reader: "pyodbc.Connection", server: Engine
) -> None:
    require_fulltext(server)
    assert number(reader, "SELECT 1 AS x FROM dbo.Movie WHERE CONTAINS(Name, N'% %')") == 7630


def test_words_are_found_once_a_load_has_ended(server: Engine, statement: Make) -> None:
    require_fulltext(server)
    translation = statement("SELECT m.Id FROM Movie AS m WHERE CONTAINS(m.Content, 'swamp')")
    assert server.execute(translation, budget()).rows == [(2,)]


def test_a_shortest_path_is_found(server: Engine, statement: Make) -> None:
    translation = statement(
        "SELECT a.Name, STRING_AGG(b.Name, ' -> ') WITHIN GROUP (GRAPH PATH) AS Path, "
        "COUNT(b.Id) WITHIN GROUP (GRAPH PATH) AS Hops "
        "FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS b "
        "WHERE MATCH(SHORTEST_PATH(a(-(e)->b){1,1})) AND a.Id = 4"
    )
    assert server.execute(translation, budget()).rows == [("Alien", "Survival", 1)]


def test_a_second_statement_needs_no_semicolon(reader: "pyodbc.Connection") -> None:
    cursor = reader.execute("SELECT 1 AS a SELECT 2 AS b")
    assert [tuple(row) for row in cursor.fetchall()] == [(1,)]
    assert cursor.nextset(), "the reason why the guard refuses reserved words as aliases"
    assert [tuple(row) for row in cursor.fetchall()] == [(2,)]


def test_a_cancelled_statement_ends_within_a_second(admin: "pyodbc.Connection") -> None:
    import pyodbc

    cursor, started = admin.cursor(), threading.Event()

    def cancel() -> None:
        started.wait()
        for _ in range(8):  # before the statement has begun, a cancel does nothing
            cursor.cancel()
            if is_ended.wait(0.1):
                return

    is_ended = threading.Event()
    thread = threading.Thread(target=cancel)
    thread.start()
    started.set()
    try:
        with pytest.raises(pyodbc.Error):
            cursor.execute("WAITFOR DELAY '00:00:20'; SELECT 1 AS x")
    finally:
        is_ended.set()
        thread.join()


def test_a_locked_row_is_1222(reader: "pyodbc.Connection", admin: "pyodbc.Connection") -> None:
    admin.execute("UPDATE dbo.Theme SET Name = Name WHERE Id = 1").close()
    locked = "SET LOCK_TIMEOUT 200; SELECT COUNT(*) FROM dbo.Theme WITH (TABLOCK, HOLDLOCK)"
    assert number(reader, locked) == 1222
    admin.rollback()


def test_readers_do_not_wait_for_a_writer(
    database: ScratchDatabase, server: Engine, statement: Make, admin: "pyodbc.Connection"
) -> None:
    if not read_features(reading(database)).snapshot:
        pytest.skip("snapshot isolation is off in this database")
    admin.execute("UPDATE dbo.Theme SET Name = N'Other' WHERE Id = 1").close()
    translation = statement("SELECT t.Name FROM Theme AS t WHERE t.Id = 1")
    assert server.execute(translation, budget()).rows == [("Rebellion",)]
    admin.rollback()


def test_the_start_refuses_an_owner_and_admits_the_reader(
    database: ScratchDatabase, contract: Contract, embedder: HashedEmbedder
) -> None:
    principal, _ = check_database(reading(database), contract, embedder.space)
    assert principal.is_read_only
    with pytest.raises(DatabaseError, match="more than read"):
        check_database(reading(database, as_admin=True), contract, embedder.space)


def test_script_and_load_may_run_again_and_change_nothing(
    database: ScratchDatabase, tmp_path: Path
) -> None:
    edges = "SELECT CAST($edge_id AS NVARCHAR(400)) FROM dbo.INCLUDES_THEME ORDER BY 1"
    digests = "SELECT TableName, Id, RowDigest, TextDigest FROM moviegraph.Loaded ORDER BY 1, 2"
    before = ask(database.admin, edges), ask(database.admin, digests)
    database.make()
    database.load(source(tmp_path / "in", rows()))
    assert (ask(database.admin, edges), ask(database.admin, digests)) == before


def test_a_changed_source_is_followed_and_back_again(
    database: ScratchDatabase, tmp_path: Path
) -> None:
    remaining_rows = [row for row in rows() if row.get("id") != 5 and row.get("from") != 5]
    source_path = source(
        tmp_path / "in", [row for row in remaining_rows if row.get("name") != "Paris"]
    )
    database.load(source_path)
    try:
        assert ask(database.admin, "SELECT COUNT(*) FROM dbo.Movie") == [(7,)]
        assert ask(database.admin, "SELECT COUNT(*) FROM dbo.SET_IN") == [(2,)]
    finally:
        database.load(source(source_path, rows()))
    assert ask(database.admin, "SELECT COUNT(*) FROM dbo.Movie") == [(8,)]
    assert ask(database.admin, "SELECT COUNT(*) FROM dbo.SET_IN") == [(3,)]


def test_the_manifest_says_what_is_there(database: ScratchDatabase, server: Engine) -> None:
    description = server.describe()
    for name, count in description.counts.items():
        assert ask(database.admin, f"SELECT COUNT(*) FROM dbo.{name}") == [(count,)]
    ((document,),) = ask(database.admin, "SELECT Value FROM moviegraph.Manifest")
    assert json.loads(document)["state"] == "whole"


def require_fulltext(server: Engine) -> None:
    if "fulltext" not in server.describe().capabilities:
        pytest.skip("this server has no full-text search")


def reading(database: ScratchDatabase, *, as_admin: bool = False) -> Callable[[str], list[Row]]:
    """Return a function that runs a query over a connection like that of the engine."""
    string = database.admin if as_admin else database.reader

    def query_rows(sql: str) -> list[Row]:
        with closing(Connector(string).open()) as connection:
            return [tuple(row) for row in connection.execute(sql).fetchall()]

    return query_rows
