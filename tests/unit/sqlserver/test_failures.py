import tomllib
from pathlib import Path

import pytest

from moviegraph.contract.loader import load_contract
from moviegraph.engines.sqlserver.error_translation import (
    OPERATOR_HINTS,
    STATEMENT_HINTS,
    STOPPED_STATES,
    ErrorTranslator,
)
from moviegraph.errors import (
    DatabaseError,
    ExecutionError,
    MoviegraphError,
    QueryTimeoutError,
    UnavailableError,
)

WORDS = Path(__file__).parents[3] / "scripts" / "reference.toml"
DRIVER = "[Microsoft][ODBC Driver 18 for SQL Server]"
SQL = "SELECT [m].[Titel] FROM [dbo].[Movie] AS [m]"
FAILURES = ErrorTranslator(load_contract())


def server(number: int, text: str = "Text.", state: str = "42000") -> Exception:
    return Exception(state, f"[{state}] {DRIVER}[SQL Server]{text} ({number}) (SQLExecDirectW)")


def translated(error: Exception, sql: str = SQL) -> MoviegraphError:
    return FAILURES.explain(error, sql)


@pytest.mark.parametrize(
    "number", [pytest.param(number, id=str(number)) for number in STATEMENT_HINTS]
)
def test_every_number_has_a_documented_code_and_a_whole_hint(number: int) -> None:
    pages = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    error = translated(server(number))
    assert isinstance(error, ExecutionError | UnavailableError)
    assert error.code in {**pages["refusals"], **pages["others"]}
    assert error.hint
    assert "{tables}" not in error.hint
    assert "{{" not in error.hint


def test_a_misspelled_column_gets_the_nearest_ones_of_its_tables() -> None:
    error = translated(server(207, "Invalid column name 'ReleasYear'."))
    assert (error.code, error.suggestions) == ("unknown_column", ("ReleaseYear",))
    assert error.message == "Invalid column name 'ReleasYear'."
    assert "ReleaseYear" in (error.hint or "")


def test_a_misspelled_table_gets_the_nearest_ones() -> None:
    error = translated(server(208, "Invalid object name 'dbo.Movies'."))
    assert (error.code, error.suggestions[:1]) == ("unknown_table", ("Movie",))


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(server(208, "Invalid object name 'dbo.Movie'."), id="table"),
        pytest.param(server(207, "Invalid column name 'ReleaseYear'."), id="column"),
        pytest.param(server(229, "SELECT was denied on the object 'Movie', ..."), id="right"),
    ],
)
def test_what_the_contract_has_and_the_database_lacks_is_the_operators(error: Exception) -> None:
    assert isinstance(translated(error), DatabaseError)


def test_the_columns_of_other_tables_are_not_offered() -> None:
    hint = translated(
        server(207, "Invalid column name 'x'."), "SELECT 1 FROM [dbo].[Genre] AS [g]"
    ).hint
    assert hint is not None
    assert "ReleaseYear" not in hint


@pytest.mark.parametrize(
    "number", [pytest.param(number, id=str(number)) for number in OPERATOR_HINTS]
)
def test_what_only_the_operator_can_fix_is_for_him(number: int) -> None:
    error = translated(server(number))
    assert isinstance(error, DatabaseError)
    assert str(number) in error.message
    assert error.hint


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(server(40613, "Database 'kb' on server 'srv' is not available."), id="paused"),
        pytest.param(server(40501), id="throttled"),
        pytest.param(server(10054, state="08S01"), id="lost"),
        pytest.param(server(1222), id="locked"),
    ],
)
def test_what_passes_asks_the_model_to_come_again(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    result = translated(error)
    assert isinstance(result, UnavailableError)
    assert result.code == "unavailable"
    assert "again" in (result.hint or "")
    assert "kb" not in result.message
    assert "srv" not in result.message


def test_a_passing_error_leaves_a_line_for_the_operator(
    caplog: pytest.LogCaptureFixture,
) -> None:
    translated(server(40501, "The service is busy."))
    assert "40501" in caplog.text


def test_an_unknown_number_keeps_its_text_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    error = translated(server(31999, "Something in database 'kb' is odd."))
    assert isinstance(error, ExecutionError)
    assert (error.code, error.message) == ("execution_failed", "Something in database is odd.")
    assert "31999" in caplog.text


@pytest.mark.parametrize(
    ("state", "text"),
    [
        pytest.param("HYT00", "Query timeout expired", id="late"),
        pytest.param("HY008", "Operation canceled", id="cancelled"),
    ],
)
def test_a_statement_that_the_driver_stopped_was_late(state: str, text: str) -> None:
    error = translated(Exception(state, f"[{state}] {DRIVER}{text} (0) (SQLExecDirectW)"))
    assert isinstance(error, QueryTimeoutError)
    assert error.code == STOPPED_STATES[state]


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(server(18456, "Login failed for user 'u'.", "28000"), id="password"),
        pytest.param(
            Exception("HYT00", f"[HYT00] {DRIVER}Login timeout expired (0) (SQLDriverConnect)"),
            id="nobody there",
        ),
        pytest.param(Exception("HY000", "The driver did not supply an error!"), id="silent"),
    ],
)
def test_a_failed_log_in_is_the_operators(error: Exception) -> None:
    result = translated(error)
    assert isinstance(result, DatabaseError)
    assert result.hint
