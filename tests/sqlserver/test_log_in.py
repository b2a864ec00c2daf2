"""Login of the engine: session settings, and failed logins."""

import socket
from collections.abc import Iterator
from contextlib import closing

import pytest
from fakes.odbc_drivers import OdbcDriver
from fakes.odbc_harness import SPACE, Harness
from fakes.scripted_database import scripted_database
from fakes.tds.record import Transaction
from fakes.tds.refusals import PAUSED, WRONG_PASSWORD
from fakes.tds.script import Answers, Call, Fail, HangUp, Wait

from moviegraph.contract.model import Contract
from moviegraph.engines.sqlserver.connection import Connector
from moviegraph.engines.sqlserver.connection_string import parse_connection_string
from moviegraph.engines.sqlserver.internal_tables import State
from moviegraph.engines.sqlserver.metadata_connection import MetadataConnection
from moviegraph.engines.sqlserver.mssql_engine import MssqlEngine
from moviegraph.engines.sqlserver.odbc_driver import with_driver
from moviegraph.engines.sqlserver.startup import describe_database, inspect_database
from moviegraph.errors import DatabaseError, GraphError, MoviegraphError, UnavailableError

NO_DATABASE = Fail(4060, 'Cannot open database "kb" requested by the login.', 11)


def test_it_says_who_it_is_and_asks_for_a_replica_that_is_only_read(
    harness: Harness, engine: MssqlEngine
) -> None:
    harness.execute(engine, "any")
    (login,) = harness.server.record.logins
    assert (login.user, login.password, login.database) == ("reader", "s3cret-Pa;ss", "kb")
    if harness.driver.kind == "microsoft":  # FreeTDS has neither keyword
        assert (login.application, login.read_only) == ("moviegraph", True)


def test_a_session_is_set_once_before_its_first_statement(
    harness: Harness, engine: MssqlEngine
) -> None:
    harness.execute(engine, "first")
    harness.execute(engine, "second")
    texts = [call.sql for call in harness.server.record.calls]
    first = next(at for at, text in enumerate(texts) if "first" in text)
    for setting in (
        "SET NOCOUNT ON",
        "SET XACT_ABORT ON",
        "SET LOCK_TIMEOUT",
        "SET DEADLOCK_PRIORITY LOW",
        "TRANSACTION ISOLATION LEVEL SNAPSHOT",
    ):
        assert [at for at, text in enumerate(texts[:first]) if setting in text], setting
    assert len(texts) == first + 2
    assert all("SET TEXTSIZE" in text for text in texts[first:])


def test_a_session_is_set_outside_a_transaction(harness: Harness, engine: MssqlEngine) -> None:
    harness.execute(engine, "any")
    has_begun = False
    for event in harness.server.record.events:
        has_begun = has_begun or (isinstance(event, Transaction) and event.kind == "begin")
        setting = isinstance(event, Call) and "XACT_ABORT" in event.sql
        assert not (has_begun and setting)
    assert has_begun


def test_every_statement_is_rolled_back_and_none_is_committed(
    harness: Harness, engine: MssqlEngine
) -> None:
    harness.answers.table["bad"] = [Fail(8134, "Divide by zero error encountered.")]
    harness.execute(engine, "good")
    with pytest.raises(MoviegraphError):
        harness.execute(engine, "bad")
    harness.execute(engine, "last")
    lines: list[str] = []
    for event in harness.server.record.events:
        if isinstance(event, Transaction):
            lines.append(event.kind)
        elif isinstance(event, Call) and "FROM [" in event.sql:
            lines.append("statement")
    assert "commit" not in lines
    after = [lines[at + 1] for at, line in enumerate(lines) if line == "statement"]
    assert after == ["rollback"] * 3


def test_a_paused_database_is_waited_for(harness: Harness, engine: MssqlEngine) -> None:
    harness.server.logins.extend([PAUSED, PAUSED])
    assert harness.execute(engine, "any").rows == [(1,)]
    assert len(harness.server.record.logins) == 3
    assert len(harness.pauses) == 2
    assert harness.pauses[0] < harness.pauses[1]


def test_a_database_that_stays_paused_is_said_to_be_away(harness: Harness) -> None:
    clock = iter(range(0, 10_000, 2))
    engine = harness.engine(clock=lambda: float(next(clock)))
    harness.server.logins.extend([PAUSED] * 100)
    with pytest.raises(UnavailableError, match="paused"):
        harness.execute(engine, "any", seconds=40.0)
    assert 1 < len(harness.server.record.logins) < 100


def test_a_wrong_password_is_tried_once(harness: Harness, engine: MssqlEngine) -> None:
    harness.server.logins.extend([WRONG_PASSWORD] * 5)
    with pytest.raises(DatabaseError, match="refused the login") as caught:
        harness.execute(engine, "any")
    assert len(harness.server.record.logins) == 1
    assert caught.value.hint


def test_a_missing_database_is_tried_a_few_times(harness: Harness, engine: MssqlEngine) -> None:
    harness.server.logins.extend([NO_DATABASE] * 50)
    with pytest.raises(DatabaseError, match="cannot open"):
        harness.execute(engine, "any")
    assert 1 < len(harness.server.record.logins) < 6


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(40197, id="reconfigured"),
        pytest.param(40501, id="busy"),
        pytest.param(10928, id="no worker free"),
        pytest.param(49918, id="too many operations"),
        pytest.param(4221, id="replica not ready"),
    ],
)
def test_a_log_in_that_the_service_puts_off_is_tried_again(
    harness: Harness, engine: MssqlEngine, number: int
) -> None:
    harness.server.logins.append(Fail(number, "Try again later.", 17))
    assert harness.execute(engine, "any").rows == [(1,)]


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(40615, id="firewall"),
        pytest.param(40532, id="unknown server"),
        pytest.param(18470, id="disabled"),
        pytest.param(18487, id="expired"),
        pytest.param(42119, id="free amount used"),
    ],
)
def test_a_log_in_that_cannot_succeed_is_tried_once(
    harness: Harness, engine: MssqlEngine, number: int
) -> None:
    harness.server.logins.extend([Fail(number, "No.", 14)] * 5)
    with pytest.raises(DatabaseError) as caught:
        harness.execute(engine, "any")
    assert len(harness.server.record.logins) == 1
    assert caught.value.hint


def test_a_log_in_whose_socket_is_dropped_is_tried_again(
    harness: Harness, engine: MssqlEngine
) -> None:
    harness.server.logins.append(HangUp())
    assert harness.execute(engine, "any").rows == [(1,)]


def test_a_host_that_does_not_answer_is_said_to_the_operator(harness: Harness) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    engine = harness.engine(harness.connector(port, login_seconds=1.0))
    with pytest.raises(DatabaseError, match="responds") as caught:
        harness.execute(engine, "any")
    assert "Server" in (caught.value.hint or "")


def test_a_strict_log_in_to_a_silent_server_ends_in_time(microsoft: OdbcDriver) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        text = microsoft.string(listener.getsockname()[1]).replace("Encrypt=no", "Encrypt=strict")
        string = with_driver(parse_connection_string(text))
        with pytest.raises(DatabaseError, match="TDS 8"):
            Connector(string).open(1)


def test_an_unknown_error_of_a_log_in_is_for_the_operator(
    harness: Harness, engine: MssqlEngine
) -> None:
    harness.server.logins.append(Fail(31999, "Something new about the login.", 14))
    with pytest.raises(DatabaseError, match="31999"):
        harness.execute(engine, "any")


def test_a_log_in_that_does_not_end_leaves_its_caller_in_time(harness: Harness) -> None:
    waiting = Wait()
    harness.server.logins.append(waiting)
    with pytest.raises(UnavailableError, match="could not be reached"):
        harness.execute(harness.engine(), "any", seconds=0.2)
    assert not waiting.until.is_set()
    waiting.until.set()


def test_a_server_that_falls_silent_after_the_log_in_is_not_waited_for_without_end(
    harness: Harness,
) -> None:
    harness.answers.table["XACT_ABORT"] = [Wait()]
    asker = MetadataConnection(harness.connector(login_seconds=1.0), "MOVIEGRAPH_MSSQL")
    with pytest.raises(DatabaseError, match="did not respond in time"):
        asker.connect()


class TestOpening:
    """Inspection of the scripted server's catalog."""

    @pytest.fixture
    def state(self) -> State | None:
        return "whole"

    @pytest.fixture
    def answers(self, contract: Contract, state: State | None) -> Answers:
        return scripted_database(contract, SPACE, state=state)

    @pytest.fixture
    def asker(self, harness: Harness) -> Iterator[MetadataConnection]:
        with closing(MetadataConnection(harness.connector(), "MOVIEGRAPH_MSSQL")) as asker:
            yield asker

    def test_it_knows_what_the_manifest_says(
        self, asker: MetadataConnection, contract: Contract
    ) -> None:
        live_description = describe_database(
            inspect_database(asker.read, contract, SPACE), contract, asker.read
        )
        assert (live_description.engine, live_description.space, live_description.source) == (
            "mssql",
            SPACE,
            "scripted",
        )
        assert live_description.capabilities == {"vectors", "fulltext"}
        assert set(live_description.counts) == set(contract.table_names)

    @pytest.mark.parametrize("state", [pytest.param("loading", id="loading")])
    def test_a_load_that_did_not_end_is_not_served(
        self, asker: MetadataConnection, contract: Contract
    ) -> None:
        with pytest.raises(GraphError, match="last load"):
            inspect_database(asker.read, contract, SPACE)
