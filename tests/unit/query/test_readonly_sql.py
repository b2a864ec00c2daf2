from typing import Any

import pytest
from fakes.limits import limits
from fakes.sessions import call, column, last_recorded, recorded, scripted_session

from moviegraph.engines.base import ResultSet
from moviegraph.errors import (
    ExecutionError,
    ModelVisibleError,
    QueryTimeoutError,
    RefusedError,
)
from moviegraph.query import query_pipeline, readonly_sql
from moviegraph.query.session import Call, Session
from moviegraph.sql.decision import Decision
from moviegraph.sql.guard import judge


def test_a_statement_runs_as_it_was_judged(films: Session) -> None:
    rows = readonly_sql.run(
        films, call(), sql="select top 2 Id, Name from Movie order by Id", purpose="to look"
    )
    assert rows.rows == [(1, "Star Wars"), (2, "The Empire Strikes Back")]
    assert rows.truncated == "rows"
    assert rows.sql is None  # nothing of it was changed
    assert "TOP 2 " in str(recorded(films, rows).sql)
    assert recorded(films, rows).purpose == "to look"
    assert recorded(films, rows).keys == (("Movie", 1), ("Movie", 2))


def test_there_are_more_rows_whether_caller_or_server_limits_them(films: Session) -> None:
    added = readonly_sql.run(films, call(), sql="SELECT Id FROM Movie ORDER BY Id", top=3)
    assert (len(added.rows), added.truncated) == (3, "rows")
    assert "TOP 3 was added" in added.notes[0]
    assert "TOP 3 " in str(added.sql)
    lowered = readonly_sql.run(films, call(), sql="SELECT TOP 1000000000 Id FROM Movie", top=3)
    assert (len(lowered.rows), lowered.truncated) == (3, "rows")
    all_rows = readonly_sql.run(films, call(), sql="SELECT Id FROM Movie")
    assert (len(all_rows.rows), all_rows.truncated) == (8, None)
    assert (all_rows.sql, all_rows.notes) == (None, ())  # TOP 20 cut nothing
    capped_rows = readonly_sql.run(films, call(), sql="SELECT TOP 2 Id FROM Movie", top=3)
    assert (len(capped_rows.rows), capped_rows.truncated) == (2, "rows")
    exact = readonly_sql.run(films, call(), sql="SELECT TOP 8 Id FROM Movie")
    assert (len(exact.rows), exact.truncated) == (8, None)
    page = "SELECT Id FROM Movie ORDER BY Id OFFSET 6 ROWS FETCH NEXT 2 ROWS ONLY"
    assert readonly_sql.run(films, call(), sql=page).truncated is None
    assert readonly_sql.run(films, call(), sql=page.replace("6", "5")).truncated == "rows"


@pytest.mark.parametrize(
    ("select", "tied"),
    [
        ("TOP 2 Id, Id / 100 AS Hundreds FROM Movie ORDER BY Hundreds", "Hundreds"),
        ("TOP 2 m.Id, m.Id / 100 FROM Movie AS m ORDER BY m.Id / 100", "column2"),
        ("TOP 2 m.Id % 1 AS z, m.Id / 100 AS h FROM Movie AS m ORDER BY 1, h DESC", "z and h"),
        ("TOP 2 Id, Id / 100 AS Hundreds FROM Movie ORDER BY Hundreds, Id", None),
        ("TOP 8 Id, Id / 100 AS Hundreds FROM Movie ORDER BY Hundreds", None),
        ("TOP 2 Id FROM Movie ORDER BY Id / 100", None),  # the key is not in the result
        ("TOP 2 Id FROM Movie", None),
    ],
)
def test_a_top_that_cuts_through_a_tie_is_noted(
    films: Session, select: str, tied: str | None
) -> None:
    rows = readonly_sql.run(films, call(), sql=f"SELECT {select}")
    noted = [note for note in rows.notes if "ties with" in note]
    assert len(noted) == (tied is not None)
    assert not noted or f"the same {tied}," in noted[0]


def test_the_text_behind_q_is_embedded_only_where_q_occurs(films: Session) -> None:
    sql = "SELECT TOP 1 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)"
    rows = readonly_sql.run(films, call(), sql=sql, query="shy waitress in Paris")
    assert column(rows, "Name") == ["Amélie"]
    unused = readonly_sql.run(films, call(), sql="SELECT TOP 1 Name FROM Movie", query="x")
    assert "no @q" in unused.notes[0]


def test_q_without_its_text_is_an_error_of_its_own(films: Session) -> None:
    sql = "SELECT TOP 1 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)"
    with pytest.raises(RefusedError) as refused:
        readonly_sql.run(films, call(), sql=sql)
    assert refused.value.code == "query_missing"
    assert "`query`" in (refused.value.hint or "")


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        pytest.param("DELETE FROM Movie", "not_select", id="not a SELECT"),
        pytest.param("SELECT 1; DROP TABLE Movie", "multiple_statements", id="two statements"),
        pytest.param("SELECT * FROM sys.tables", "unknown_table", id="foreign table"),
        pytest.param("SELECT 'a" + "a" * 8_000 + "'", "too_large", id="too large"),
        pytest.param("", "syntax", id="empty"),
    ],
)
def test_a_refusal_is_raised_and_recorded(films: Session, sql: str, code: str) -> None:
    with pytest.raises(RefusedError) as refused:
        readonly_sql.run(films, call("run_readonly_sql"), sql=sql, repair=False)
    assert refused.value.code == code
    execution = last_recorded(films)
    assert (execution.status, execution.code) == ("refused", code)
    assert execution.tool == "run_readonly_sql"
    assert execution.attempts[0].code == code


def test_what_cannot_be_stored_is_recorded_all_the_same(films: Session) -> None:
    with pytest.raises(RefusedError):
        readonly_sql.run(films, call(), sql="SELECT '\ud800' FROM Movie" + " " * 100_000)
    assert len(last_recorded(films).given or "") == 8_000


def test_a_repair_is_named_first(films: Session) -> None:
    sql = "SELECT TOP 1 Title FROM Movie ORDER BY Id"
    with pytest.raises(RefusedError):
        readonly_sql.run(films, call(), sql=sql, repair=False)
    rows = readonly_sql.run(films, call(), sql=sql)
    assert rows.rows == [("Star Wars",)]
    assert rows.notes[0].startswith("Repaired before it ran")
    assert rows.changes[0].before != rows.changes[0].after
    attempts = recorded(films, rows).attempts
    assert [attempt.code for attempt in attempts] == ["unknown_column", None]
    assert attempts[1].rule == rows.changes[0].rule


def test_an_error_of_the_engine_that_no_rule_repairs_is_raised_as_it_was() -> None:
    session, engine = scripted_session(ExecutionError("Division by zero.", code="arithmetic"))
    with pytest.raises(ExecutionError, match="Division by zero"):
        readonly_sql.run(session, call(), sql="SELECT TOP 1 Id FROM Movie")
    assert len(engine.executed) == 1
    assert last_recorded(session).status == "failed"


def test_an_error_for_the_operator_is_recorded_without_its_text() -> None:
    session, _ = scripted_session(RuntimeError("secret of /home/me"))
    with pytest.raises(RuntimeError):
        readonly_sql.run(session, call(), sql="SELECT TOP 1 Id FROM Movie")
    execution = last_recorded(session)
    assert execution.code == "internal"
    assert "secret" not in (execution.message or "")


def test_a_cancelled_call_runs_nothing() -> None:
    session, engine = scripted_session(ResultSet(("Id",), []))
    cancelled = Call("test")
    cancelled.cancellation.cancel()
    with pytest.raises(QueryTimeoutError, match="cancelled"):
        readonly_sql.run(session, cancelled, sql="SELECT Id FROM Movie")
    assert engine.executed == []


def test_a_call_out_of_time_says_so() -> None:
    session, engine = scripted_session(ResultSet(("Id",), []), limits(total_timeout=0))
    with pytest.raises(QueryTimeoutError, match="longer than 0 s"):
        readonly_sql.run(session, call(), sql="SELECT Id FROM Movie")
    assert engine.executed == []


def test_bytes_and_cells_come_from_the_engine() -> None:
    for cut in ("bytes", "cells"):
        session, _ = scripted_session(ResultSet(("Id",), [(1,)], cut))
        assert readonly_sql.run(session, call(), sql="SELECT Id FROM Movie").truncated == cut


@pytest.mark.parametrize(
    ("sql", "keys"),
    [
        pytest.param(
            "SELECT t.Name, m.Id FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t "
            "WHERE MATCH(m-(e)->t) AND m.Id = 2",
            (("Movie", 2),),
            id="a key before a name",
        ),
        pytest.param(
            "SELECT TOP 2 Name FROM Theme ORDER BY Id",
            (("Theme", 1), ("Theme", 2)),
            id="names that are unique",
        ),
        pytest.param(
            "SELECT Name FROM Movie WHERE Name = 'Alien' OR Id = 3 ORDER BY Id",
            (("Movie", 3),),
            id="a name that two nodes have is none",
        ),
        pytest.param(
            "WITH c AS (SELECT Id AS Key1 FROM Movie WHERE Id = 5) SELECT Key1 FROM c",
            (("Movie", 5),),
            id="through a CTE",
        ),
        pytest.param("SELECT COUNT(*) AS Id FROM Movie", (), id="a number is no key"),
        pytest.param("SELECT TOP 2 Id FROM Movie FOR JSON PATH", (), id="JSON"),
    ],
)
def test_rows_are_nodes_by_lineage(
    films: Session, sql: str, keys: tuple[tuple[str, int], ...]
) -> None:
    assert recorded(films, readonly_sql.run(films, call(), sql=sql)).keys == keys


def test_nodes_that_could_not_be_looked_up_are_looked_up_the_next_time(
    films: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*_: object) -> None:
        raise QueryTimeoutError("late")

    sql = "SELECT TOP 3 Name FROM Theme ORDER BY Id"
    with monkeypatch.context() as patch:
        patch.setattr(type(films.engine), "reader", late)
        assert recorded(films, readonly_sql.run(films, call(), sql=sql)).keys == ()
    keys = (("Theme", 1), ("Theme", 2), ("Theme", 3))
    for _ in range(2):
        assert recorded(films, readonly_sql.run(films, call(), sql=sql)).keys == keys


def test_the_lineage_names_the_origin_of_each_column(films: Session) -> None:
    sql = "SELECT TOP 1 m.Name AS Title, LEN(m.Name) AS Length FROM Movie AS m"
    execution = recorded(films, readonly_sql.run(films, call(), sql=sql))
    assert execution.columns == ("Title", "Length")
    assert execution.lineage == (("Movie", "Name", "m"), None)


def test_every_error_of_a_statement_is_one_for_the_model(films: Session) -> None:
    with pytest.raises(ModelVisibleError):
        readonly_sql.run(films, call(), sql="SELECT 1 / 0 AS x FROM Movie WHERE Id = 1")


def test_rows_of_another_contract_are_nodes_of_its_own_kinds(kitchen: Session) -> None:
    rows = readonly_sql.run(
        kitchen, call(), sql="SELECT TOP 1 Title, Number FROM Recipe ORDER BY Number"
    )
    assert recorded(kitchen, rows).keys == (("Recipe", 1),)


def test_an_answer_is_kept_where_its_names_could_not_be_looked_up(
    films: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*_: object) -> None:
        raise QueryTimeoutError("late")

    monkeypatch.setattr(type(films.engine), "reader", late)
    rows = readonly_sql.run(films, call(), sql="SELECT Id FROM Genre WHERE Name = 'Hororr'")
    assert (rows.rows, [note for note in rows.notes if note.startswith("No ")]) == ([], [])


@pytest.mark.parametrize(
    "statement", ["m.Name", "CAST(m.Name AS NVARCHAR(MAX)) + '!' AS Said"], ids=["stored", "made"]
)
def test_a_new_statement_is_judged_once(
    films: Session, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    judged: list[str] = []

    def counting(sql: str, *arguments: Any, **keywords: Any) -> Decision:
        judged.append(sql)
        return judge(sql, *arguments, **keywords)

    monkeypatch.setattr(query_pipeline, "judge", counting)
    sql = f"SELECT TOP 3 {statement} FROM Movie AS m WHERE m.Id <> 987654"
    assert len(readonly_sql.run(films, call(), sql=sql).rows) == 3
    assert judged == [sql]


def test_a_fault_of_the_guard_is_logged_and_no_error_of_the_statement(
    films: Session, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise AttributeError("a fault of ours")

    monkeypatch.setattr("moviegraph.sql.guard.check_grammar", broken)
    with pytest.raises(RefusedError) as refused:
        readonly_sql.run(films, call(), sql="SELECT TOP 4 m.Id FROM Movie AS m WHERE m.Id <> 4711")
    assert refused.value.code == "internal_error"
    assert "a fault of ours" not in refused.value.message
    (record,) = [record for record in caplog.records if record.exc_info]
    assert "a fault of ours" in str(record.exc_info)
    assert record.getMessage().split("]")[0].strip("[") in refused.value.message
