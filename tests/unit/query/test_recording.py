"""The end of a call in its record."""

from collections.abc import Callable

from fakes.scripted_engine import ScriptedEngine
from fakes.sessions import call, last_recorded, scripted_session

from moviegraph.engines.base import Budget, ResultSet, Statement
from moviegraph.query import readonly_sql
from moviegraph.query.query_pipeline import TOO_LATE

SQL = "SELECT TOP 1 m.Id FROM Movie AS m"


def test_rows_found_after_the_end_of_the_call_are_recorded_as_such() -> None:
    session, engine = scripted_session(ResultSet(("Id",), [(1,)]))
    created = call()
    execute: Callable[[Statement, Budget], ResultSet] = engine.execute

    def late(statement: Statement, budget: Budget) -> ResultSet:
        created.cancellation.cancel(late=True)
        return execute(statement, budget)

    assert isinstance(engine, ScriptedEngine)
    engine.execute = late
    readonly_sql.run(session, created, sql=SQL)

    result = last_recorded(session)
    assert (result.status, result.row_count) == ("ok", 1)
    assert TOO_LATE in result.notes


def test_rows_found_in_time_are_recorded_without_a_word() -> None:
    session, _ = scripted_session(ResultSet(("Id",), [(1,)]))
    readonly_sql.run(session, call(), sql=SQL)
    assert TOO_LATE not in last_recorded(session).notes
