"""No message, to the model or in the log, shows how the server is reached."""

import logging
from collections.abc import Iterable, Sequence

import pytest
from fakes.odbc_harness import Harness
from fakes.tds.refusals import WRONG_PASSWORD
from fakes.tds.script import Fail, HangUp, LoginStep, Rows, Step, Wait
from fakes.tds.tokens import SERVER_NAME
from fakes.tds.types import INT

from moviegraph.engines.sqlserver.mssql_engine import MssqlEngine
from moviegraph.errors import MoviegraphError

LOGINS = [
    pytest.param([WRONG_PASSWORD], id="password"),
    pytest.param([Fail(4060, 'Cannot open database "kb".', 11)] * 9, id="database"),
    pytest.param([Fail(40613, "Database 'kb' on server 'tcp:127.0.0.1'.", 17)] * 9, id="paused"),
    pytest.param([Fail(40615, "Client with address '127.0.0.1' is refused.", 14)], id="firewall"),
    pytest.param(
        [Fail(31999, "The login 'reader' on server 'scripted-host' is odd.", 14)], id="unknown"
    ),
    pytest.param([HangUp()] * 9, id="dropped"),
]
STATEMENTS = [
    pytest.param([Fail(229, "SELECT was denied on 'x', database 'kb'.")], id="permission"),
    pytest.param([Fail(916, 'The server principal "reader" has no access to "kb".')], id="user"),
    pytest.param(
        [Fail(40197, "The service has an error on server 'scripted-host'.")], id="service"
    ),
    pytest.param([HangUp()], id="dropped"),
    pytest.param([Rows([("n", INT)], [(1,)] * 120, cut=HangUp())], id="dropped later"),
    pytest.param([Wait()], id="late"),
]


def all_messages(error: MoviegraphError, log: pytest.LogCaptureFixture) -> str:
    return "\n".join([error.message, error.hint or "", *error.suggestions, log.text])


def secrets(harness: Harness) -> Iterable[str]:
    yield from ("reader", "s3cret", "127.0.0.1", str(harness.server.port), SERVER_NAME, "PWD=")
    if "/" in harness.driver.name:
        yield harness.driver.name


def fails(harness: Harness, engine: MssqlEngine, **budget: float) -> MoviegraphError:
    with pytest.raises(MoviegraphError) as caught:
        harness.execute(engine, "bad", **budget)
    return caught.value


@pytest.mark.parametrize("logins", LOGINS)
def test_a_failed_login_shows_no_secret(
    harness: Harness, caplog: pytest.LogCaptureFixture, logins: Sequence[LoginStep]
) -> None:
    caplog.set_level(logging.DEBUG)
    harness.server.logins.extend(logins)
    clock = iter(range(0, 10_000, 3))
    engine = harness.engine(clock=lambda: float(next(clock)))
    text = all_messages(fails(harness, engine, seconds=15.0), caplog)
    assert [secret for secret in secrets(harness) if secret in text] == []


@pytest.mark.parametrize("steps", STATEMENTS)
def test_a_failed_statement_shows_no_secret(
    harness: Harness,
    engine: MssqlEngine,
    caplog: pytest.LogCaptureFixture,
    steps: Sequence[Step],
) -> None:
    caplog.set_level(logging.DEBUG)
    harness.answers.table["bad"] = steps
    text = all_messages(fails(harness, engine, rows=1000, seconds=1.0), caplog)
    assert [secret for secret in secrets(harness) if secret in text] == []


def test_what_opens_connections_shows_none_when_printed(harness: Harness) -> None:
    connector = harness.connector()
    representation = f"{connector!r} {connector}"
    assert [secret for secret in ("s3cret",) if secret in representation] == []
    assert "127.0.0.1" not in repr(connector)
