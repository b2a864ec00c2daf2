from copy import copy
from dataclasses import asdict, replace
from typing import Any, cast
from unittest.mock import Mock

import pytest
from fakes.sessions import call, last_recorded, scripted_session
from pydantic import BaseModel

from moviegraph.engines.base import ResultSet
from moviegraph.errors import ExecutionError, ModelError
from moviegraph.llm.language_model import LanguageModel
from moviegraph.query import repair_pipeline
from moviegraph.query.session import Session
from moviegraph.repair.comparison import is_equivalent

RIGHT = "SELECT m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear = 1979"


class ScriptedModel:
    """Implements `LanguageModel`: gives its answers one after another."""

    name = "test:scripted"

    def __init__(self, *answers: str | Exception | None) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def answer(self, system: str, user: str, shape: type[BaseModel], _: Any = None) -> Any:
        self.asked.append(user)
        pop = self.answers.pop(0)
        if isinstance(pop, Exception):
            raise copy(pop)  # each with a traceback of its own, which ends with its test
        return shape.model_validate({"sql": pop, "reason": "It reads the right column."})


def with_model(session: Session, *answers: str | Exception | None) -> tuple[Session, ScriptedModel]:
    model = ScriptedModel(*answers)
    return replace(session, model=cast("LanguageModel", model)), model


def test_a_statement_that_runs_is_unchanged(films: Session) -> None:
    fixed = repair_pipeline.fix(films, call("fix_sql"), sql=RIGHT)

    assert asdict(fixed) == {
        "status": "unchanged",
        "sql": RIGHT,
        "diagnosis": None,
        "changes": (),
        "method": "none",
        "attempts": 0,
    }


def test_a_fault_of_the_guard_is_not_repaired(
    films: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moviegraph.sql.guard.check_grammar", Mock(side_effect=AttributeError))
    session, model = with_model(films, RIGHT)
    fixed = repair_pipeline.fix(session, call(), sql="SELECT m.Id FROM Movie AS m WHERE m.Id = 47")

    assert fixed.diagnosis is not None
    assert (fixed.status, fixed.diagnosis.code) == ("unfixable", "internal_error")
    assert model.asked == []


def test_a_refused_statement_is_fixed_by_rules_and_the_first_refusal_is_the_diagnosis(
    films: Session,
) -> None:
    fixed = repair_pipeline.fix(films, call(), sql="SELECT TOP 5 m.Id, m.Title FROM Movies AS m")

    assert (fixed.status, fixed.method, fixed.attempts) == ("fixed", "rules", 1)
    assert fixed.sql == "SELECT TOP 5 m.Id, m.Name FROM Movie AS m"
    assert fixed.diagnosis is not None
    assert fixed.diagnosis.code == "unknown_table"
    assert fixed.diagnosis.suggestions == ("Movie",)
    assert [change.rule for change in fixed.changes] == ["unknown_tables", "unknown_column"]


@pytest.mark.parametrize(
    ("sql", "repaired_sql"),
    [
        pytest.param(
            "SELECT t.Id, t.Name, COUNT(*) AS n FROM Theme AS t GROUP BY t.Id",
            "SELECT t.Id, t.Name, COUNT(*) AS n FROM Theme AS t GROUP BY t.Id, t.Name",
            id="a missing group",
        ),
        pytest.param(
            "SELECT m.Id FROM Movie AS m WHERE CONTAINS(m.Content, 'desert planet')",
            "SELECT m.Id FROM Movie AS m WHERE CONTAINS(m.Content, '\"desert planet\"')",
            id="a phrase without quotes",
        ),
    ],
)
def test_what_only_the_engine_refuses_is_fixed_too(
    films: Session, sql: str, repaired_sql: str
) -> None:
    fixed = repair_pipeline.fix(films, call(), sql=sql)

    assert (fixed.status, fixed.sql) == ("fixed", repaired_sql)


def test_a_diagnosis_also_names_the_mistake_that_remains_after_a_repair(films: Session) -> None:
    fixed = repair_pipeline.fix(films, call(), sql="SELECT m.Director FROM Movies AS m")

    assert fixed.status == "unfixable"
    assert fixed.diagnosis is not None
    assert "Movies" in fixed.diagnosis.message
    assert "Once that is corrected: There is no column Director" in str(fixed.diagnosis.hint)


def test_without_a_repair_the_diagnosis_says_what_to_write(films: Session) -> None:
    sql = "SELECT m.Director FROM Movie AS m"
    fixed = repair_pipeline.fix(films, call(), sql=sql)

    assert (fixed.status, fixed.sql, fixed.method, fixed.changes) == ("unfixable", sql, "none", ())
    assert fixed.diagnosis is not None
    assert fixed.diagnosis.code == "unknown_column"
    assert fixed.diagnosis.span == (9, 17)


def test_a_query_that_is_missing_is_said_though_the_statement_is_fine(films: Session) -> None:
    sql = "SELECT TOP 3 m.Id FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)"
    without = repair_pipeline.fix(films, call(), sql=sql)
    fix = repair_pipeline.fix(films, call(), sql=sql, query="rebels")

    assert without.status == fix.status == "unchanged"
    assert without.diagnosis is not None
    assert without.diagnosis.code == "query_missing"
    assert fix.diagnosis is None


def test_a_reported_error_without_a_known_cause_is_answered(films: Session) -> None:
    fixed = repair_pipeline.fix(
        films, call(), sql=RIGHT, error="Msg 8120: something about GROUP BY"
    )

    assert fixed.status == "unchanged"
    assert fixed.diagnosis is not None
    assert fixed.diagnosis.code == "not_reproduced"


FAILURES = [
    ("Divide by zero error encountered.", "divide_by_zero", "NULLIF"),
    ("divide_by_zero", "divide_by_zero", "NULLIF"),
    ("Subquery returned more than 1 value.", "execution_failed", "IN"),
    ("Error converting data type nvarchar to numeric.", "conversion_failed", "not a number"),
    ("conversion_failed", "conversion_failed", "yyyy-mm-dd"),
    ("The query timed out.", "timeout", "earlier"),
    ("A time out occurred while waiting.", "timeout", "earlier"),
    (
        "Conversion failed when converting date and/or time from character string.",
        "conversion_failed",
        "yyyy-mm-dd",
    ),
    (
        (
            "The conversion of a varchar data type to a datetime data type resulted in an "
            "out-of-range value."
        ),
        "conversion_failed",
        "yyyy-mm-dd",
    ),
    (
        "Conversion failed when converting the varchar value 'a date' to data type int.",
        "conversion_failed",
        "not a number",
    ),
    ("Adding a value to a 'date' column caused an overflow.", "conversion_failed", "DATEADD"),
    (
        "Cannot construct data type date, some of the arguments have values which are not valid.",
        "conversion_failed",
        "EOMONTH",
    ),
    ("The datediff function resulted in an overflow.", "conversion_failed", "DATEDIFF_BIG"),
    (
        "Arithmetic overflow error converting expression to data type int.",
        "conversion_failed",
        "BIG",
    ),
    (
        "Invalid length parameter passed to the LEFT or SUBSTRING function.",
        "execution_failed",
        "CHARINDEX",
    ),
    ("An invalid floating point operation occurred.", "conversion_failed", "SQRT"),
    ("JSON text is not properly formatted.", "conversion_failed", "ISJSON"),
]


@pytest.mark.parametrize(
    ("error", "code", "cure"), [pytest.param(*case, id=case[0][:40]) for case in FAILURES]
)
def test_a_failure_while_running_is_diagnosed(
    films: Session, error: str, code: str, cure: str
) -> None:
    fixed = repair_pipeline.fix(films, call(), sql=RIGHT, error=error)

    assert fixed.status == "unchanged"
    assert fixed.diagnosis is not None
    assert (fixed.diagnosis.code, fixed.diagnosis.message) == (code, error)
    assert cure in str(fixed.diagnosis.hint)


def test_a_failure_while_running_that_no_rule_knows_goes_to_the_model(films: Session) -> None:
    sql = "SELECT m.Id FROM Movie AS m WHERE m.Name > 5"
    repaired_sql = "SELECT m.Id FROM Movie AS m WHERE TRY_CAST(m.Name AS INT) > 5"
    session, model = with_model(films, repaired_sql)
    fixed = repair_pipeline.fix(session, call(), sql=sql, error="Conversion failed")

    assert (fixed.status, fixed.method, fixed.sql) == ("fixed", "provider", repaired_sql)
    assert "Conversion failed" in model.asked[0]


def test_the_outcome_is_recorded_with_its_attempts(films: Session) -> None:
    repair_pipeline.fix(films, call("fix_sql"), sql="SELECT m.Title FROM Movie AS m")
    record = last_recorded(films)

    assert (record.tool, record.status) == ("fix_sql", "ok")
    assert [attempt.code for attempt in record.attempts] == ["unknown_column", None]
    assert record.attempts[1].rule == "unknown_column"

    repair_pipeline.fix(films, call("fix_sql"), sql="DROP TABLE Movie")
    assert last_recorded(films).status == "refused"


def test_the_model_is_asked_where_no_rule_helps_and_its_statement_is_judged(films: Session) -> None:
    session, model = with_model(
        films, "SELECT m.Content AS Director FROM Movie AS m WHERE m.Id = 42"
    )
    sql = "SELECT m.Director FROM Movie AS m WHERE m.Id = 42"
    fixed = repair_pipeline.fix(session, call(), sql=sql)

    assert (fixed.status, fixed.method) == ("fixed", "provider")
    assert fixed.changes[0].why == "It reads the right column."
    assert sql in model.asked[0]
    assert "unknown_column" in model.asked[0]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="it declines"),
        pytest.param(ModelError("no answer"), id="it fails"),
        pytest.param("SELECT m.Id FROM Movie AS m", id="it loses a literal"),
        pytest.param("SELECT t.Id FROM Theme AS t WHERE t.Id = 42", id="it asks another table"),
    ],
)
def test_a_model_that_does_not_ask_the_same_is_not_followed(
    films: Session, answer: str | Exception | None
) -> None:
    session, _ = with_model(films, answer)
    fixed = repair_pipeline.fix(
        session, call(), sql="SELECT m.Director FROM Movie AS m WHERE m.Id = 42"
    )

    assert (fixed.status, fixed.method) == ("unfixable", "none")


def test_the_model_is_asked_five_times_at_most(films: Session) -> None:
    wrong = [f"SELECT m.Wrong{n} FROM Movie AS m WHERE m.Id = 42" for n in range(10)]
    session, model = with_model(films, *wrong)
    fixed = repair_pipeline.fix(
        session, call(), sql="SELECT m.Director FROM Movie AS m WHERE m.Id = 42"
    )

    assert (fixed.status, fixed.attempts) == ("unfixable", 5)
    assert len(model.asked) == 5


def test_a_rewrite_keeps_tables_and_literals(films: Session) -> None:
    before = "SELECT m.X FROM Movie m WHERE m.Name = 'Star Wars' AND m.ReleaseYear > 1990"
    original_sql = (
        "SELECT m.Name FROM dbo.Movie m WHERE m.ReleaseYear > 1990 AND m.Name = 'Star Wars'"
    )

    assert is_equivalent(before, original_sql, films.contract)
    assert not is_equivalent(before, original_sql.replace("1990", "1980"), films.contract)


def test_an_engine_that_refuses_a_construct_leaves_it_unfixable() -> None:
    session, engine = scripted_session(ResultSet((), []))
    refusal = ExecutionError("The engine has no such thing.", code="unsupported_by_engine")

    def refuse(*_: object) -> None:
        raise refusal

    engine.compile = refuse  # type: ignore[method-assign]
    fixed = repair_pipeline.fix(session, call(), sql=RIGHT)

    assert fixed.status == "unfixable"
    assert asdict(fixed)["diagnosis"]["code"] == "unsupported_by_engine"


@pytest.mark.parametrize(
    ("sql", "repaired_sql"),
    [
        pytest.param(
            "SELECT m.Id FROM Movie AS m LIMIT 3",
            "SELECT TOP 3 [m].[Id] FROM [dbo].[Movie] AS [m]",
            id="the guard reads it",
        ),
        pytest.param(
            "SELECT m.Title FROM Movies AS m LIMIT 3",
            "SELECT TOP 3 m.Name FROM Movie AS m",
            id="after rules",
        ),
    ],
)
def test_what_is_called_fixed_is_t_sql_also_where_the_guard_would_read_more(
    films: Session, sql: str, repaired_sql: str
) -> None:
    fix = repair_pipeline.fix(films, call("fix_sql"), sql=sql)
    assert (fix.status, fix.method, fix.sql) == ("fixed", "rules", repaired_sql)
    assert any(change.rule == "t_sql_form" or "TOP 3" in change.after for change in fix.changes)
    assert fix.diagnosis is not None


DIRECTOR = "SELECT m.Director FROM Movie AS m WHERE m.Id = 42"


@pytest.mark.parametrize(
    ("draft", "code"),
    [
        pytest.param("SELECT m.Id FROM Movie AS m", "another_question", id="it drifts"),
        pytest.param("DELETE FROM Movie WHERE Id = 42", "not_select", id="the guard refuses it"),
        pytest.param(DIRECTOR.replace("Director", "Wrong"), "unknown_column", id="it fails"),
    ],
)
def test_a_draft_that_is_not_followed_is_an_attempt(films: Session, draft: str, code: str) -> None:
    session, _ = with_model(films, draft, None)
    fixed = repair_pipeline.fix(session, call("fix_sql"), sql=DIRECTOR)
    record = last_recorded(films)

    assert fixed.status == "unfixable"
    assert fixed.diagnosis is not None
    assert (draft in fixed.diagnosis.suggestions) is (code == "another_question")
    arguments, refused = record.attempts
    assert (arguments.method, arguments.code) == (None, "unknown_column")
    assert (refused.sql, refused.method, refused.rule) == (draft, "provider", "provider")
    assert refused.code == code
    assert refused.message


def test_a_draft_for_a_reported_failure_is_an_attempt_too(films: Session) -> None:
    sql = "SELECT m.Id FROM Movie AS m WHERE m.Name > 5"
    session, _ = with_model(films, "SELECT m.Id FROM Movie AS m")
    repair_pipeline.fix(session, call("fix_sql"), sql=sql, error="Conversion failed")

    codes = [(attempt.method, attempt.code) for attempt in last_recorded(films).attempts]
    assert codes == [(None, "conversion_failed"), ("provider", "another_question")]
