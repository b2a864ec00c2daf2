"""Budgets, cancellation and errors."""

import threading
from collections.abc import Callable
from typing import Any

import duckdb
import pytest
from fakes.limits import budget

from moviegraph.engines.base import Cancellation, Engine, ResultSet, Statement
from moviegraph.engines.embedded.duckdb_errors import translate_error
from moviegraph.engines.embedded.interrupts import watched
from moviegraph.errors import ExecutionError, GraphError, QueryTimeoutError, ResultTooLargeError

Run = Callable[..., ResultSet]
Make = Callable[..., Statement]
ENDLESS = (
    "WITH c AS (SELECT g.Id AS g, a.Id AS x FROM Genre g, Movie a, IN_GENRE e, Movie b, "
    "IN_GENRE f, Movie c, IN_GENRE h, Movie d, IN_GENRE i "
    "WHERE MATCH(a-(e)->g<-(f)-b AND c-(h)->g<-(i)-d)) "
    "SELECT SUM(p.x * q.x * r.x * s.x) AS n FROM c p JOIN c q ON p.g = q.g "
    "JOIN c r ON p.g = r.g JOIN c s ON p.g = s.g"
)


def test_rows_beyond_the_budget_are_cut_and_reported(run: Run) -> None:
    result = run("SELECT m.Id FROM Movie m ORDER BY m.Id", rows=3)
    assert (result.rows, result.truncated) == ([(1,), (2,), (3,)], "rows")
    assert run("SELECT m.Id FROM Movie m", rows=8).truncated is None


def test_bytes_beyond_the_budget_cut_whole_rows(run: Run) -> None:
    result = run("SELECT m.Content FROM Movie m ORDER BY m.Id", bytes=100)
    assert (len(result.rows), result.truncated) == (1, "bytes")


def test_long_cells_are_cut_and_reported(run: Run) -> None:
    result = run("SELECT m.Name FROM Movie m WHERE m.Id = 1", cell=4)
    assert (result.rows, result.truncated) == ([("Star",)], "cells")


def test_what_just_fits_a_budget_is_whole_and_one_less_cuts_it(run: Run) -> None:
    names = "SELECT m.Name FROM Movie m WHERE m.Id <= 2 ORDER BY m.Id"
    full_result = run(names).rows
    long, size = len(full_result[0][0]), sum(len(name.encode()) for (name,) in full_result)
    assert run(names, rows=2, bytes=size).truncated is None
    assert run(names, rows=1).truncated == "rows"
    cut = run(names, bytes=size - 1)
    assert (cut.rows, cut.truncated) == (full_result[:1], "bytes")
    first = names.replace("<= 2", "= 1")
    assert run(first, cell=long).truncated is None
    cut = run(first, cell=long - 1)
    assert (cut.rows, cut.truncated) == ([(full_result[0][0][:-1],)], "cells")


def test_a_json_document_that_just_fits_is_complete_and_one_byte_less_refuses_it(run: Run) -> None:
    document = "SELECT m.Name FROM Movie m WHERE m.Id = 1 FOR JSON PATH"
    (full_result,) = run(document).rows
    size = len(full_result[0].encode())
    assert run(document, bytes=size).rows == [full_result]
    with pytest.raises(ResultTooLargeError):
        run(document, bytes=size - 1)


def test_json_is_never_cut(run: Run) -> None:
    with pytest.raises(ResultTooLargeError, match="never cut"):
        run("SELECT m.Content FROM Movie m FOR JSON PATH", bytes=100)
    assert run("SELECT m.Content FROM Movie m FOR JSON PATH", cell=4).truncated is None


def test_a_statement_is_stopped_when_its_time_is_out(run: Run, engine: Engine) -> None:
    with pytest.raises(QueryTimeoutError, match=r"longer than 0\.2 s and was stopped") as caught:
        run(ENDLESS, seconds=0.2)
    assert caught.value.code == "timeout"
    assert run("SELECT COUNT(*) AS n FROM Movie m").rows == [(8,)]


def test_a_cancelled_statement_stops(engine: Engine, statement: Make) -> None:
    cancellation = Cancellation()
    threading.Timer(0.2, cancellation.cancel).start()
    with pytest.raises(QueryTimeoutError) as caught:
        engine.execute(statement(ENDLESS), budget(seconds=600, cancellation=cancellation))
    assert caught.value.code == "cancelled"


def test_a_statement_stopped_for_want_of_time_says_so(engine: Engine, statement: Make) -> None:
    cancellation = Cancellation()
    threading.Timer(0.2, lambda: cancellation.cancel(late=True)).start()
    with pytest.raises(QueryTimeoutError, match="out of time") as caught:
        engine.execute(statement(ENDLESS), budget(seconds=600, cancellation=cancellation))
    assert caught.value.code == "timeout"


def test_a_statement_cancelled_before_it_began_does_not_run(run: Run) -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(QueryTimeoutError):
        run("SELECT COUNT(*) AS n FROM Movie m", cancellation=cancellation)


def test_stopping_one_statement_leaves_the_others(engine: Engine, statement: Make) -> None:
    failures: list[Exception] = []

    def run_long() -> None:
        try:
            engine.execute(statement(ENDLESS), budget(seconds=0.3))
        except QueryTimeoutError as error:
            failures.append(error)

    worker = threading.Thread(target=run_long)
    worker.start()
    translation = statement("SELECT COUNT(*) AS n FROM Movie m WHERE CONTAINS(*, 'boy')")
    results = [engine.execute(translation, budget()).rows for _ in range(20)]
    worker.join()
    assert results == [[(2,)]] * 20
    assert len(failures) == 1


def test_a_step_has_not_ended_while_it_is_being_interrupted() -> None:
    """Otherwise the interrupt hits the next user of the connection."""
    interrupting, go_on = threading.Event(), threading.Event()
    cancellation = Cancellation()

    def interrupt() -> None:
        interrupting.set()
        go_on.wait()

    with watched(budget(cancellation=cancellation)) as stop:
        ender = threading.Thread(target=stop.on_start(interrupt))
        cancellation.cancel()
        interrupting.wait()
        ender.start()
        ender.join(0.05)
        assert ender.is_alive()
        go_on.set()
        ender.join()


FAILURES: list[Any] = [
    pytest.param("1 / (m.Id - m.Id)", "divide_by_zero", "Divide by zero", id="division"),
    pytest.param("1.5 / (m.Id - m.Id)", "divide_by_zero", "Divide by zero", id="decimal division"),
    pytest.param(
        "CAST(m.Name AS INT)", "conversion_failed", "'Star Wars' to data type int", id="cast"
    ),
    pytest.param("m.Name + 1", "conversion_failed", "data type int", id="text plus number"),
    pytest.param("CAST('2.7' AS INT)", "conversion_failed", "'2.7' to data type int", id="2.7"),
    pytest.param("'2.7' * m.Id", "conversion_failed", "'2.7' to data type int", id="2.7 times"),
    pytest.param("CAST(12345 AS NVARCHAR(3))", "conversion_failed", "overflow", id="short text"),
    # LEFT, RIGHT, SUBSTRING (Transact-SQL): a negative length is an error.
    pytest.param("LEFT(m.Name, -1)", "execution_failed", "Invalid length", id="LEFT"),
    pytest.param("RIGHT(m.Name, 0 - m.Id)", "execution_failed", "Invalid length", id="RIGHT"),
    pytest.param("SUBSTRING(m.Name, 2, -1)", "execution_failed", "Invalid length", id="SUBSTRING"),
    pytest.param("CAST('2020-99-99' AS DATE)", "conversion_failed", "date", id="date"),
    pytest.param(
        "CAST(m.ReleaseYear AS DATE)", "conversion_failed", "a date is meant", id="date of a year"
    ),
    pytest.param("CAST(3000000000 * m.Id AS INT)", "conversion_failed", "overflow", id="overflow"),
    pytest.param("SQRT(0 - m.Id)", "conversion_failed", "floating point", id="domain"),
    pytest.param("CAST('2020-01-01' AS TIME)", "unsupported_by_engine", "TIME", id="unknown type"),
    # DATEADD and DATETRUNC (Transact-SQL): these are no parts of theirs.
    pytest.param(
        "DATEADD(iso_week, 1, '2020-01-01')", "unsupported_by_engine", "iso_week", id="add"
    ),
    pytest.param(
        "DATETRUNC(weekday, '2020-01-01')", "unsupported_by_engine", "weekday", id="truncate"
    ),
    pytest.param(
        """JSON_VALUE('{"a": "\\ud800"}', '$.a')""",
        "unsupported_by_engine",
        "JSON value",
        id="half a character",
    ),
    pytest.param(
        """JSON_VALUE('{"a": 1}', '$."\\q"')""", "execution_failed", "JSON path", id="JSON path"
    ),
    pytest.param("8 | 5 & 3", "unsupported_by_engine", "mixed", id="mixed bits"),
    pytest.param("FORMAT(m.Id, 'G3')", "unsupported_by_engine", "G3", id="unknown format"),
]


@pytest.mark.parametrize(("expression", "code", "message"), FAILURES)
def test_a_failure_is_named_as_sql_server_names_it(
    engine: Engine, statement: Make, expression: str, code: str, message: str
) -> None:
    translation = statement(f"SELECT {expression} AS x FROM Movie m WHERE m.Id = 1")
    with pytest.raises(ExecutionError) as caught:
        engine.execute(translation, budget())
    assert caught.value.code == code
    assert message in caught.value.message


def test_a_failure_shows_no_path_and_no_internals(engine: Engine, statement: Make) -> None:
    with pytest.raises(ExecutionError) as caught:
        engine.execute(statement("SELECT CAST(m.Name AS INT) AS x FROM Movie m"), budget())
    message = f"{caught.value.message} {caught.value.hint}"
    assert not any(
        word in message for word in ("graph.", "main", "LINE", "INT32", "duckdb", "/tmp")
    )


@pytest.mark.usefixtures("own_limits")
def test_deep_nesting_of_functions_that_copy_is_refused(engine: Engine, statement: Make) -> None:
    nested = "m.Name"
    for _ in range(20):
        nested = f"NULLIF({nested}, 'x')"
    with pytest.raises(ExecutionError) as caught:
        engine.execute(statement(f"SELECT {nested} AS x FROM Movie m"), budget())
    assert caught.value.code == "too_complex"


LONG_TEXT = (
    "WITH s AS (SELECT STRING_AGG(CAST(REPLICATE('x', 8000) AS NVARCHAR(MAX)), ',') AS t "
    "FROM GENERATE_SERIES(1, {}))"
)


@pytest.mark.parametrize(
    ("expression", "expected_length"),
    [
        pytest.param("LEN(s.t)", 160_019, id="length"),
        pytest.param("CHARINDEX(',x', s.t, 150000)", 152_019, id="place"),
        pytest.param("LEN(REPLACE(s.t, ',', ''))", 160_000, id="what is left without commas"),
        pytest.param("REGEXP_COUNT(s.t, ',')", 19, id="matches"),
        pytest.param("ISJSON('[' + RIGHT(s.t, 1) + ']')", 0, id="a piece is joined"),
        pytest.param("(SELECT COUNT(*) FROM STRING_SPLIT(s.t, ',') AS p)", 20, id="pieces as rows"),
    ],
)
def test_a_long_text_of_a_cte_is_read_whole(
    run: Run, expression: str, expected_length: int
) -> None:
    assert run(f"{LONG_TEXT.format(20)} SELECT {expression} AS n FROM s").rows == [
        (expected_length,)
    ]


@pytest.mark.parametrize("options", [{"cell": 7}, {"cell": 7, "rows": 2}])
def test_a_long_text_that_is_made_is_cut_before_it_is_fetched(
    run: Run, options: dict[str, int]
) -> None:
    select_sql = (
        "SELECT TOP 3 m.Id, s.t AS a, s.t AS b FROM Movie AS m CROSS JOIN s ORDER BY m.Id DESC"
    )
    result = run(f"{LONG_TEXT.format(20)} {select_sql}", **options)
    assert [row[0] for row in result.rows] == [8, 7, 6][: options.get("rows", 3)]
    assert {cell for row in result.rows for cell in row[1:]} == {"xxxxxxx"}
    assert result.columns == ("Id", "a", "b")


def test_rows_with_ties_stay_in_order_where_long_texts_are_cut(run: Run) -> None:
    created = "CAST(m.Name AS NVARCHAR(MAX)) + '' AS t"
    result = run(f"SELECT TOP 3 WITH TIES {created}, m.Id FROM Movie AS m ORDER BY m.Id DESC")
    assert [row[1] for row in result.rows] == [8, 7, 6]


@pytest.mark.parametrize("key", ["z", "Name", "1"])
def test_ties_are_those_of_the_output_that_sorts(run: Run, key: str) -> None:
    alias = "Name" if key == "1" else key
    first = f"SELECT TOP 1 WITH TIES LEFT(m.Name, 1) AS {alias} FROM Movie AS m ORDER BY {key}"
    letters = [row[0] for row in run(first, rows=60).rows]
    counted = f"SELECT COUNT(*) AS n FROM Movie AS m WHERE LEFT(m.Name, 1) = '{letters[0]}'"
    assert [len(letters)] == [*run(counted).rows[0]]


@pytest.mark.usefixtures("own_limits")
def test_deep_nests_in_many_columns_are_refused(engine: Engine, statement: Make) -> None:
    nest = "m.Name + '{}'"
    for _ in range(10):
        nest = f"NULLIF({nest}, 'x')"
    columns = ", ".join(f"{nest.format(at)} AS c{at}" for at in range(18))
    with pytest.raises(ExecutionError, match="nested too deeply") as refused:
        engine.execute(statement(f"SELECT {columns} FROM Movie AS m"), budget())
    assert refused.value.code == "too_complex"


def test_compile_finds_what_would_fail_and_runs_nothing(engine: Engine, statement: Make) -> None:
    engine.compile(statement(ENDLESS))
    with pytest.raises(ExecutionError):
        engine.compile(statement("SELECT CAST(GETDATE() AS TIME) AS x FROM Movie m"))


def test_one_engine_serves_several_threads(engine: Engine, statement: Make) -> None:
    items: list[int] = []

    def work(key: int) -> None:
        translation = statement(f"SELECT m.Id FROM Movie m WHERE m.Id = {key}")
        items.extend(engine.execute(translation, budget()).rows[0][0] for _ in range(5))

    workers = [threading.Thread(target=work, args=(key,)) for key in range(1, 9)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(items) == sorted(list(range(1, 9)) * 5)


FULL = 'IO Error: Could not write file "/tmp/x/duckdb_temp_0.tmp": No space left on device'


def test_no_room_for_intermediate_rows_is_no_damaged_graph(
    caplog: pytest.LogCaptureFixture,
) -> None:
    error = translate_error(duckdb.IOException(FULL))
    assert isinstance(error, ExecutionError)
    assert error.code == "too_complex"
    assert "/tmp" not in f"{error.message} {error.hint}"
    assert "temporary folder" in caplog.text
    assert isinstance(
        translate_error(duckdb.IOException("Could not read enough bytes")), GraphError
    )


def test_a_fault_of_the_database_is_reported_with_a_way_around(
    caplog: pytest.LogCaptureFixture,
) -> None:
    error = translate_error(
        duckdb.InternalException("INTERNAL Error: access index 5 within size 5")
    )
    assert isinstance(error, ExecutionError)
    assert error.code == "unsupported_by_engine"
    assert "ROW_NUMBER()" in (error.hint or "")
    assert "INTERNAL" not in error.message
    assert "internal error" in caplog.text
