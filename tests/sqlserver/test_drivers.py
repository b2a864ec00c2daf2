"""Assumptions of the engine about the drivers."""

import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from fakes.odbc_drivers import OdbcDriver
from fakes.tds.record import Attention, ConnectionClosed, Transaction
from fakes.tds.refusals import PAUSED, WRONG_PASSWORD
from fakes.tds.script import Affected, Answers, Fail, HangUp, Info, Rows, Wait
from fakes.tds.server import TdsServer
from fakes.tds.types import (
    BIGINT,
    BIT,
    DATE,
    DATETIME2,
    FLOAT,
    INT,
    NVARCHAR,
    NVARCHAR_MAX,
    SMALLINT,
    TINYINT,
    SqlType,
    decimal,
)

if TYPE_CHECKING:
    import pyodbc

NUMBERS = [("n", INT)]
ACCESS_TOKEN = 1256
REPEAT = 0.25
Connect = Callable[..., "pyodbc.Connection"]


@pytest.fixture
def connect(driver: OdbcDriver, server: TdsServer) -> Iterator[Connect]:
    import pyodbc

    pyodbc.pooling = False
    connections: list[pyodbc.Connection] = []

    def make(**options: Any) -> "pyodbc.Connection":
        connection = pyodbc.connect(
            driver.string(server.port), timeout=120, autocommit=False, **options
        )
        connections.append(connection)
        return connection

    yield make
    for connection in connections:
        connection.close()


def error_type() -> type[Exception]:
    import pyodbc

    return pyodbc.Error


def fails(work: Callable[[], object]) -> str:
    with pytest.raises(error_type()) as caught:
        work()
    return str(caught.value)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        pytest.param(TINYINT, [0, 255], id="tinyint"),
        pytest.param(SMALLINT, [-32768, 32767], id="smallint"),
        pytest.param(INT, [-(2**31), 2**31 - 1], id="int"),
        pytest.param(BIGINT, [-(2**63), 2**63 - 1], id="bigint"),
        pytest.param(FLOAT, [-0.1, 1e300, 5e-324], id="float"),
        pytest.param(BIT, [True, False], id="bit"),
        pytest.param(decimal(10, 2), [Decimal("-12.34"), Decimal("0.00")], id="decimal"),
        pytest.param(decimal(38, 0), [Decimal(10**37)], id="wide decimal"),
        pytest.param(DATE, [date(1, 1, 1), date(1977, 5, 25), date(9999, 12, 31)], id="date"),
        pytest.param(DATETIME2, [datetime(1977, 5, 25, 23, 59, 59, 999999)], id="datetime2"),
        pytest.param(NVARCHAR, ["", "Grüße 漢字 😀", "x" * 4000], id="nvarchar"),
        pytest.param(NVARCHAR_MAX, ["", "😀" * 5000, "x" * 300_000], id="nvarchar max"),
    ],
)
def test_values_of_every_type_and_null_arrive_unchanged(
    connect: Connect, answers: Answers, kind: SqlType, values: list[Any]
) -> None:
    answers.table["typed"] = [Rows([("v", kind)], [(value,) for value in [*values, None]])]
    rows = connect().execute("select typed").fetchall()
    assert [row[0] for row in rows] == [*values, None]


def test_the_number_of_an_error_is_at_the_end_of_its_text(
    connect: Connect, answers: Answers
) -> None:
    answers.table["bad"] = [Fail(208, "Invalid object name 'dbo.Film'.")]
    text = fails(lambda: connect().execute("select bad"))
    assert "[SQL Server]Invalid object name 'dbo.Film'. (208)" in text


def test_an_error_in_mid_rows_raises_from_fetch(connect: Connect, answers: Answers) -> None:
    answers.table["mid"] = [Rows(NUMBERS, [(1,), (2,)], cut=Fail(8134, "Divide by zero."))]
    cursor = connect().execute("select mid")
    assert "(8134)" in fails(cursor.fetchall)


def test_an_error_of_a_later_statement_shows_only_to_who_drains(
    connect: Connect, answers: Answers
) -> None:
    answers.table["late"] = [Rows(NUMBERS, [(1,)]), Fail(208, "Invalid object name 'late'.")]
    cursor = connect().execute("select late")
    assert len(cursor.fetchall()) == 1
    assert "(208)" in fails(cursor.nextset)


def test_messages_and_counts_come_before_the_rows(connect: Connect, answers: Answers) -> None:
    answers.table["told"] = [Info(0, "hello"), Affected(3), Rows(NUMBERS, [(7,)])]
    cursor = connect().execute("select told")
    while not cursor.description:
        assert cursor.nextset()
    assert cursor.fetchall()[0][0] == 7


def test_a_dropped_socket_raises_and_is_not_retried_by_the_driver(
    connect: Connect, answers: Answers, server: TdsServer
) -> None:
    answers.table["drop"] = [HangUp()]
    text = fails(lambda: connect().execute("select drop"))
    assert "08S01" in text or "(20017)" in text
    assert len(server.record.calls) == len(server.record.logins) == 1


def test_a_socket_dropped_within_the_rows_raises(connect: Connect, answers: Answers) -> None:
    answers.table["half"] = [Rows(NUMBERS, [(1,)] * 50, cut=HangUp())]
    text = fails(lambda: connect().execute("select half").fetchall())
    assert "08S01" in text or "(20017)" in text


# One cancel at any moment may leave FreeTDS waiting for ever; the engine's way is tested elsewhere.
@pytest.mark.parametrize("driver", ["microsoft"], indirect=True)
@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Wait(), id="before the rows"),
        pytest.param(Rows(NUMBERS, [(1,)] * 9, cut=Wait()), id="within the rows"),
    ],
)
def test_a_cancel_from_another_thread_reaches_the_server_and_ends_the_call(
    connect: Connect, answers: Answers, server: TdsServer, answer: Wait | Rows
) -> None:
    answers.table["slow"] = [answer]
    cursor, is_ended = connect().cursor(), threading.Event()

    def cancel() -> None:
        server.record.wait_for_call("slow")
        cursor.cancel()
        while not is_ended.wait(REPEAT):  # one between two calls of the driver does nothing
            cursor.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    try:
        with suppress(error_type()):  # between two of its functions a driver raises nothing
            cursor.execute("select slow").fetchall()
    finally:
        is_ended.set()
        thread.join()
    server.record.wait_for(lambda events: Attention(1) in events, "an attention")


def test_a_roll_back_reaches_the_server(connect: Connect, server: TdsServer) -> None:
    connection = connect()
    connection.execute("select 1").fetchall()
    connection.rollback()
    assert Transaction(1, "rollback") in server.record.events


@pytest.mark.parametrize(
    ("refusal", "number"),
    [
        pytest.param(PAUSED, "(40613)", id="paused"),
        pytest.param(WRONG_PASSWORD, "(18456)", id="password"),
        pytest.param(Fail(4060, "Cannot open database.", 11), "(4060)", id="no database"),
    ],
)
def test_a_refused_log_in_keeps_its_number_and_is_tried_once(
    connect: Connect, server: TdsServer, refusal: Fail, number: str
) -> None:
    server.logins.append(refusal)
    assert number in fails(connect)
    assert len(server.record.logins) == 1


def test_user_and_password_arrive_as_written(connect: Connect, server: TdsServer) -> None:
    connect()
    login = server.record.logins[0]
    assert (login.user, login.password, login.database) == ("reader", "s3cret-Pa;ss", "kb")


@pytest.mark.parametrize(
    ("value", "declared"),
    [
        pytest.param("😀", "nvarchar(4)", id="emoji"),
        pytest.param(7, "int", id="int"),
        pytest.param(2**40, "bigint", id="bigint"),
        pytest.param(1.5, "float", id="float"),
        pytest.param("x" * 2001, "nvarchar(max)", id="long text"),
    ],
)
def test_parameters_are_declared_by_their_value(
    connect: Connect, server: TdsServer, value: Any, declared: str
) -> None:
    connect().execute("select ? as v", value).fetchall()
    (parameter,) = server.record.calls[0].parameters
    assert (parameter.type, parameter.value) == (declared, value)


class TestMicrosoftOnly:
    """FreeTDS has no LongAsMax and no access tokens."""

    @pytest.mark.parametrize(
        ("keyword", "declared"),
        [
            pytest.param("LongAsMax=yes", "nvarchar(max)", id="with LongAsMax"),
            pytest.param("LongAsMax=no", "ntext", id="without"),
        ],
    )
    def test_text_over_2000_characters_is_ntext_without_long_as_max(
        self, microsoft: OdbcDriver, server: TdsServer, keyword: str, declared: str
    ) -> None:
        import pyodbc

        string = microsoft.string(server.port).replace("LongAsMax=yes", keyword)
        with closing(pyodbc.connect(string, timeout=120)) as connection:
            connection.execute("select ? as v", "x" * 2001).fetchall()
        (call,) = server.record.calls
        assert call.declared == f"@P1 {declared}"
        assert call.parameters[0].value == "x" * 2001

    def test_an_access_token_arrives_instead_of_a_password(
        self, microsoft: OdbcDriver, server: TdsServer
    ) -> None:
        import pyodbc

        text = "a token".encode("utf-16-le")
        token = struct.pack(f"<I{len(text)}s", len(text), text)
        string = microsoft.string(server.port).partition("UID=")[0]
        connected = pyodbc.connect(string, timeout=120, attrs_before={ACCESS_TOKEN: token})
        connected.close()
        (login,) = server.record.logins
        assert (login.token, login.user, login.password) == ("a token", "", "")


def test_a_closed_connection_is_seen_by_the_server(driver: OdbcDriver, server: TdsServer) -> None:
    import pyodbc

    pyodbc.connect(driver.string(server.port), timeout=120).close()
    server.record.wait_for(
        lambda events: ConnectionClosed(1) in events, "the end of the connection"
    )
    assert server.open == 0
