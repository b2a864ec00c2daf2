import pytest

from moviegraph.engines.sqlserver.diagnostics import (
    DiagnosticRecord,
    messages,
    primary,
    redact,
    state,
)

MICROSOFT = "[Microsoft][ODBC Driver 18 for SQL Server][SQL Server]"
FREETDS = "[FreeTDS][SQL Server]"


def error(text: str, first: str = "42000") -> Exception:
    """Return an error of pyodbc's form."""
    return Exception(first, text)


@pytest.mark.parametrize("origin", [MICROSOFT, FREETDS])
def test_number_state_and_text_are_found(origin: str) -> None:
    result = messages(
        error(f"[42S02] {origin}Invalid object name 'dbo.x'. (208) (SQLExecDirectW)", "42S02")
    )
    assert result == (DiagnosticRecord("42S02", 208, "Invalid object name 'dbo.x'."),)


def test_every_record_is_found_in_its_order() -> None:
    text = (
        f"[22018] {MICROSOFT}Conversion failed. (245) (SQLExecDirectW); "
        f"[01000] {MICROSOFT}The statement has been terminated. (3621)"
    )
    assert [message.number for message in messages(error(text))] == [245, 3621]


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        pytest.param([8180, 207], 207, id="preparing failed because of it"),
        pytest.param([3621, 8134], 8134, id="terminated because of it"),
        pytest.param([11529, 208], 208, id="no description because of it"),
        pytest.param([8180], 8180, id="nothing else"),
        pytest.param([102, 156], 102, id="the first cause"),
    ],
)
def test_the_record_that_explains_is_no_consequence(numbers: list[int], expected: int) -> None:
    text = "; ".join(f"[42000] {MICROSOFT}Text. ({number})" for number in numbers)
    result = primary(error(text))
    assert result is not None
    assert result.number == expected


def test_a_text_that_looks_like_a_record_stays_one_text() -> None:
    value = "a (40613) (SQLExecDirectW); [42000] [x](1205)"
    result = messages(error(f"[22018] {MICROSOFT}Cannot convert '{value}'. (245) (SQLFetch)"))
    assert result == (DiagnosticRecord("22018", 245, f"Cannot convert '{value}'."),)


def test_a_text_may_begin_with_a_bracket() -> None:
    result = messages(error(f"[42000] {MICROSOFT}[a] is unknown. (207) (SQLExecDirectW)"))
    assert result == (DiagnosticRecord("42000", 207, "[a] is unknown."),)


def test_what_the_driver_says_by_itself_is_not_the_servers() -> None:
    text = "[HYT00] [Microsoft][ODBC Driver 18 for SQL Server]Login timeout expired (0) (SQLx)"
    result = messages(error(text, "HYT00"))
    assert result == (DiagnosticRecord("HYT00", 0, "Login timeout expired", from_server=False),)
    assert primary(error(text, "HYT00")) is None


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(Exception(), id="empty"),
        pytest.param(Exception("No results.  Previous SQL was not a query."), id="one argument"),
        pytest.param(Exception("HY000", "The driver did not supply an error!"), id="no record"),
    ],
)
def test_an_error_without_records_has_none(odd: Exception) -> None:
    assert messages(odd) == ()
    assert primary(odd) is None


def test_the_state_is_the_first_argument_where_there_are_two() -> None:
    assert state(error("x", "08S01")) == "08S01"
    assert state(Exception("08S01")) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "The SELECT permission was denied on the object 'T', database 'kb', schema 'dbo'.",
            "The SELECT permission was denied on the object 'T', schema 'dbo'.",
            id="database of a permission",
        ),
        pytest.param(
            "Database 'kb' on server 'srv' is not currently available.",
            "Database on server is not currently available.",
            id="database and server",
        ),
        pytest.param(
            'Cannot open database "kb" requested by the login.',
            "Cannot open database requested by the login.",
            id="double quotes",
        ),
        pytest.param("Login failed for user 'u'.", "Login failed for user.", id="user"),
        pytest.param(
            "Invalid object name 'srv.kb.dbo.Film'.",
            "Invalid object name 'dbo.Film'.",
            id="name of four parts",
        ),
        pytest.param("Invalid column name 'a b'.", "Invalid column name 'a b'.", id="untouched"),
    ],
)
def test_names_of_places_are_left_out(text: str, expected: str) -> None:
    assert redact(text) == expected


def test_a_long_text_is_cut() -> None:
    assert len(redact("Incorrect syntax near '" + "x" * 5_000)) < 500
