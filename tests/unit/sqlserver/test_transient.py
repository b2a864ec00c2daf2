from itertools import pairwise

import pytest

from moviegraph.engines.sqlserver.diagnostics import (
    RetryPolicy,
    is_lost,
    is_unreached,
    is_waking,
    startup_policy,
)

MICROSOFT = "[Microsoft][ODBC Driver 18 for SQL Server]"


def server(number: int, state: str = "42000") -> Exception:
    return Exception(state, f"[{state}] {MICROSOFT}[SQL Server]Text. ({number}) (SQLExecDirectW)")


def driver(state: str, text: str = "Text", function: str = "SQLDriverConnect") -> Exception:
    return Exception(state, f"[{state}] {MICROSOFT}{text} (0) ({function})")


def freetds(number: int, state: str) -> Exception:
    return Exception(state, f"[{state}] [FreeTDS][SQL Server]Text. ({number}) (SQLExecDirectW)")


def waits(patience: RetryPolicy, error: Exception, limit: int = 50) -> list[float]:
    """Return how long is waited at each log-in until it gives up, or `most` of them."""
    items: list[float] = []
    while len(items) < limit and (wait := patience.at_login(error)) is not None:
        items.append(wait)
    return items


def test_a_start_waits_a_minute_for_a_paused_database() -> None:
    result = waits(startup_policy(), server(40613), 5)
    assert result == [5, 10, 20, 40, 60]


def test_a_call_asks_a_paused_database_again_and_again_with_longer_waits() -> None:
    result = waits(RetryPolicy(), server(40613))
    assert len(result) == 50
    assert all(pause <= next_one <= 5 for pause, next_one in pairwise(result))


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(server(4060), id="database not there"),
        pytest.param(driver("08001"), id="nobody answers"),
        pytest.param(driver("HYT00", "Login timeout expired"), id="late answer"),
        pytest.param(driver("08S01"), id="link failure"),
        pytest.param(freetds(20009, "08S01"), id="nobody answers, FreeTDS"),
    ],
)
def test_what_may_be_a_mistake_is_tried_a_few_times_only(error: Exception) -> None:
    assert len(waits(RetryPolicy(), error)) == 2


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(server(18456, "28000"), id="password"),
        pytest.param(freetds(18456, "42000"), id="password, FreeTDS"),
        pytest.param(server(40615), id="firewall"),
        pytest.param(server(42119), id="free amount used up"),
        pytest.param(server(40532), id="server name"),
        pytest.param(driver("01000", "Can't open lib 'x' : file not found"), id="no driver"),
    ],
)
def test_what_does_not_pass_is_not_tried_again(error: Exception) -> None:
    assert waits(RetryPolicy(), error) == []


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(driver("08S01"), id="link failure"),
        pytest.param(server(10054), id="reset"),
        pytest.param(freetds(20017, "01000"), id="FreeTDS"),
        pytest.param(server(1205, "40001"), id="deadlock"),
        pytest.param(server(3952), id="snapshot switched off"),
        pytest.param(server(3961), id="a table was altered meanwhile"),
        pytest.param(server(37396), id="token expired"),
    ],
)
def test_a_statement_is_tried_once_more_at_once(error: Exception) -> None:
    patience = RetryPolicy()
    tries = [patience.in_query(error, rows_seen=False) for _ in range(2)]
    assert tries == [0.0, None]


def test_a_throttled_statement_waits() -> None:
    patience = RetryPolicy(first=1.0)
    assert [patience.in_query(server(40501), rows_seen=False) for _ in range(3)] == [1, 2, 4]


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(server(207), id="mistake"),
        pytest.param(server(1222), id="locked"),
        pytest.param(Exception("HY000", "The driver did not supply an error!"), id="no record"),
    ],
)
def test_a_mistake_is_not_tried_again(error: Exception) -> None:
    assert RetryPolicy().in_query(error, rows_seen=False) is None


@pytest.mark.parametrize("number", [40501, 1205, 10054])
def test_nothing_is_tried_again_once_rows_were_seen(number: int) -> None:
    assert RetryPolicy().in_query(server(number), rows_seen=True) is None


def test_a_number_within_a_text_is_not_the_errors() -> None:
    error_message = "Cannot convert 'x (40613) (SQLFetch)'."
    error = Exception(
        "22018", f"[22018] {MICROSOFT}[SQL Server]{error_message} (245) (SQLExecDirectW)"
    )
    assert not is_waking(error)
    assert RetryPolicy().at_login(error) is None


def test_a_refused_log_in_is_neither_lost_nor_unreached() -> None:
    error = server(18456, "08001")
    assert (is_lost(error), is_unreached(error)) == (False, False)


def test_the_end_of_a_query_is_no_missing_server() -> None:
    assert not is_unreached(driver("HYT00", "Query timeout expired", "SQLExecDirectW"))
