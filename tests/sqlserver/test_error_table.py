"""Messages of each error for model and operator, through real drivers."""

import re

import pytest
from fakes.odbc_harness import Harness
from fakes.tds.script import Call, Fail, Rows
from fakes.tds.types import INT
from golden.server_errors import FOR_MODEL, FOR_OPERATOR

from moviegraph.engines.sqlserver.mssql_engine import MssqlEngine
from moviegraph.errors import DatabaseError, ExecutionError, ModelVisibleError, UnavailableError

OF_A_DRIVER = re.compile(r"\]\[|ODBC|FreeTDS|\(SQL|\(\d+\)|[0-9A-Z]{5}\]")
NUMBERS = [("n", INT)]
CONSEQUENCE = Fail(8180, "Statement(s) could not be prepared.")


@pytest.mark.parametrize(
    ("number", "text", "word"),
    [pytest.param(*error_case, id=str(error_case[0])) for error_case in FOR_MODEL],
)
def test_the_model_learns_what_was_wrong_and_what_to_write(
    harness: Harness, engine: MssqlEngine, number: int, text: str, word: str
) -> None:
    harness.answers.table["bad"] = [Fail(number, text), CONSEQUENCE]
    with pytest.raises(ModelVisibleError) as caught:
        harness.execute(engine, "bad")
    message = caught.value
    assert isinstance(message, ExecutionError | UnavailableError)
    assert word.lower() in (message.hint or "").lower()
    assert message.message.split()[:2] == text.split()[:2]
    assert not OF_A_DRIVER.search(message.message)


@pytest.mark.parametrize(
    ("number", "text"),
    [pytest.param(*error_case, id=str(error_case[0])) for error_case in FOR_OPERATOR],
)
def test_the_operator_learns_what_only_he_can_fix(
    harness: Harness, engine: MssqlEngine, number: int, text: str
) -> None:
    harness.answers.table["bad"] = [Fail(number, text)]
    with pytest.raises(DatabaseError) as caught:
        harness.execute(engine, "bad")
    assert str(number) in caught.value.message
    assert caught.value.hint
    assert text not in caught.value.message


@pytest.mark.parametrize(
    ("number", "text"),
    [
        pytest.param(229, "The SELECT permission was denied on the object 'Movie'.", id="right"),
        pytest.param(208, "Invalid object name 'dbo.Movie'.", id="table"),
        pytest.param(207, "Invalid column name 'ReleaseYear'.", id="column"),
    ],
)
def test_what_the_contract_has_and_the_database_lacks_is_for_the_operator(
    harness: Harness, engine: MssqlEngine, number: int, text: str
) -> None:
    harness.answers.table["bad"] = [Fail(number, text)]
    with pytest.raises(DatabaseError) as caught:
        harness.execute(engine, "bad")
    assert caught.value.hint


def test_an_unknown_error_reaches_the_model_in_the_words_of_the_server(
    harness: Harness, engine: MssqlEngine
) -> None:
    harness.answers.table["bad"] = [Fail(31999, "Something new about 'x'; [y] (1) {z}.")]
    with pytest.raises(ExecutionError) as caught:
        harness.execute(engine, "bad")
    assert caught.value.message == "Something new about 'x'; [y] (1) {z}."
    assert caught.value.hint


def test_names_of_database_server_and_log_in_are_left_out(
    harness: Harness, engine: MssqlEngine
) -> None:
    text = "The SELECT permission was denied on the object 'Secret', database 'kb', schema 'dbo'."
    harness.answers.table["bad"] = [Fail(229, text)]
    with pytest.raises(ExecutionError) as caught:
        harness.execute(engine, "bad")
    assert "kb" not in caught.value.message
    assert "Secret" in caught.value.message


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param([Fail(8134, "Divide by zero.")], id="before the rows"),
        pytest.param([Rows(NUMBERS, [(1,)] * 2, cut=Fail(8134, "Divide by zero."))], id="within"),
        pytest.param([Rows(NUMBERS, [(1,)] * 2), Fail(8134, "Divide by zero.")], id="after them"),
        pytest.param(
            [Rows(NUMBERS, [(1,)]), Rows(NUMBERS, [(1,)]), Fail(8134, "Divide by zero.")],
            id="after a second result",
        ),
    ],
)
def test_an_error_is_seen_wherever_it_comes_and_the_connection_serves_on(
    harness: Harness, engine: MssqlEngine, answer: list[Rows | Fail]
) -> None:
    harness.answers.table["bad"] = answer
    with pytest.raises(ExecutionError) as caught:
        harness.execute(engine, "bad")
    assert caught.value.code == "divide_by_zero"
    assert harness.execute(engine, "good").rows == [(1,)]
    assert engine.connections.opened == 1


@pytest.mark.parametrize(
    ("number", "text"),
    [
        pytest.param(1205, "Transaction was deadlocked.", id="deadlock"),
        pytest.param(3952, "Snapshot isolation is not allowed.", id="snapshot"),
        pytest.param(37396, "The token has expired.", id="token"),
    ],
)
def test_an_error_that_a_new_session_fixes_is_retried_once(
    harness: Harness, engine: MssqlEngine, number: int, text: str
) -> None:
    def answer(call: Call) -> list[Rows | Fail]:
        return [Fail(number, text)] if call.connection == 1 else [Rows(NUMBERS, [(7,)])]

    harness.answers.table["once"] = answer
    assert harness.execute(engine, "once").rows == [(7,)]
    assert engine.connections.dropped == 1
