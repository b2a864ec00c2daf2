import re

import pytest

from moviegraph.engines.sqlserver import connection, startup, writing

# The forms of SET that the sessions use, as the server reads them.
FORMS = re.compile(
    r"SET (NOCOUNT ON|XACT_ABORT ON|LANGUAGE us_english|DATEFIRST 7|LOCK_TIMEOUT \d+"
    r"|DEADLOCK_PRIORITY LOW|TRANSACTION ISOLATION LEVEL (READ COMMITTED|SNAPSHOT))"
)


@pytest.mark.parametrize(
    "session",
    [
        pytest.param(connection.SESSION, id="reader"),
        pytest.param(writing.SESSION, id="load"),
    ],
)
def test_a_session_is_set_by_statements_that_the_server_knows(session: str) -> None:
    statements = [part.strip() for part in session.rstrip(";").split(";")]
    assert [part for part in statements if FORMS.fullmatch(part) is None] == []


def test_a_reader_takes_a_snapshot_and_a_load_reads_committed_rows() -> None:
    assert "SET TRANSACTION ISOLATION LEVEL SNAPSHOT;" in connection.SNAPSHOT
    assert "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;" in writing.SESSION
    assert "RAISERROR" in startup.ONLY_READ_ONLY
