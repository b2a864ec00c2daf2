from dataclasses import replace

import pytest
from fakes.sessions import call, column, expand, recorded

from moviegraph.errors import ArgumentError, NotFoundError
from moviegraph.query import readonly_sql
from moviegraph.query.session import Call, Session
from moviegraph.search import semantic
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import RowLimits, judge
from moviegraph.strategies import strategy_runner as strategies
from moviegraph.strategies.expansion import scaled
from moviegraph.strategies.strategy_runner import Strategy

NEAREST_THEMES = (
    "WITH near AS (SELECT TOP 2 t.Id FROM Theme AS t "
    "ORDER BY VECTOR_DISTANCE('cosine', t.Embedding, @q)) "
    "SELECT TOP 2 m.Id, m.Name FROM near AS n, Movie AS m, INCLUDES_THEME AS e, Theme AS t "
    "WHERE MATCH(m-(e)->t) AND t.Id = n.Id ORDER BY m.Id"
)


@pytest.mark.parametrize(
    ("sql", "root", "inner"),
    [
        pytest.param(NEAREST_THEMES, "SELECT TOP 60 [m].[Id]", "SELECT TOP 60 [t].[Id]", id="TOP"),
        pytest.param(
            "SELECT TOP 20 m.Id FROM Movie AS m WHERE m.Id IN "
            "(SELECT TOP 900 x.Id FROM Movie AS x ORDER BY x.Id)",
            "SELECT TOP 60 [m].[Id]",
            "SELECT TOP 1000 [x].[Id]",
            id="an inner limit stays within the contract's",
        ),
        pytest.param(
            "SELECT m.Id FROM Movie AS m UNION SELECT t.Id FROM Theme AS t",
            "FETCH NEXT 60 ROWS ONLY",
            "OFFSET 0 ROWS",
            id="FETCH",
        ),
        pytest.param(
            "SELECT TOP (50) m.Id FROM (SELECT TOP 30 x.Id FROM Movie AS x ORDER BY x.Id) AS m",
            "SELECT TOP 60 [m].[Id]",
            "SELECT TOP 90 [x].[Id]",
            id="the proportion is that of the rows listed",
        ),
    ],
)
def test_limits_grow_in_proportion(films: Session, sql: str, root: str, inner: str) -> None:
    allowed = judge(sql, films.contract)
    assert isinstance(allowed, Allowed)
    text = scaled(allowed, 60, 1000).sql

    assert root in text
    assert inner in text
    assert isinstance(judge(text, films.contract, RowLimits(60, 1000)), Allowed)


def test_the_named_execution_runs_again_with_more_rows(films: Session) -> None:
    first = readonly_sql.run(films, call(), sql=NEAREST_THEMES, query="rebellion")
    more = expand(films, call("expand_strategy"), execution_id=first.execution_id)

    assert len(first.rows) == 2
    assert len(more.rows) > 2
    assert set(column(first, "Id")) <= set(column(more, "Id"))
    assert more.extra["from_execution_id"] == first.execution_id
    assert more.extra["added"] == len(set(column(more, "Id")) - set(column(first, "Id")))
    assert more.extra["chosen_because"]
    assert recorded(films, more).query == "rebellion"


def test_the_best_execution_of_a_question_is_chosen(films: Session) -> None:
    question = "which films tell of a rebellion (expand)"
    answer = strategies.run(
        films,
        call("run_strategies"),
        question=question,
        strategies=[
            Strategy("none", "", None, "SELECT m.Id FROM Movie AS m WHERE m.Id = -1"),
            Strategy("wrong", "", None, "SELECT m.Director FROM Movie AS m"),
            Strategy("good", "", "rebellion", NEAREST_THEMES),
        ],
    )
    more = expand(films, call(), question=question)

    assert more.extra["from_execution_id"] == answer["best"]
    assert "good" in more.extra["chosen_because"]
    assert recorded(films, more).question == question


def test_case_and_spaces_make_no_other_question(films: Session) -> None:
    plan = [Strategy("all", "All films", None, "SELECT TOP 2 m.Id FROM Movie AS m")]
    answer = strategies.run(films, call(), question="Which films are old", strategies=plan)
    more = expand(films, call(), question=" which  FILMS are old ")

    assert more.extra["from_execution_id"] == answer["best"]
    with pytest.raises(NotFoundError):
        expand(films, Call("expand_strategy", owner="someone else"), question="which films are old")


def test_top_asks_for_fewer(films: Session) -> None:
    first = readonly_sql.run(films, call(), sql="SELECT TOP 2 m.Id FROM Movie AS m ORDER BY m.Id")
    three = expand(films, call(), execution_id=first.execution_id, top=3)

    assert column(three, "Id") == [1, 2, 3]


def test_nodes_without_an_order_are_ordered_by_similarity_to_the_question(films: Session) -> None:
    sql = "SELECT TOP 2 m.Id FROM Movie AS m"
    question = "hunted by a creature aboard a ship in deep space"
    plan = [Strategy("all", "All films", None, sql)]
    known = strategies.run(films, call(), question=question, strategies=plan)
    more = expand(films, call(), execution_id=known["best"])
    nearest = semantic.search(films, call(), query=question)

    assert column(more, "Id") == column(nearest, "Id")
    assert column(more, "Id")[0] == 4


def test_rows_that_are_no_nodes_are_counted(films: Session) -> None:
    sql = "SELECT TOP 1 m.ReleaseYear, COUNT(*) AS n FROM Movie AS m GROUP BY m.ReleaseYear"
    first = readonly_sql.run(films, call(), sql=sql)
    more = expand(films, call(), execution_id=first.execution_id)

    assert more.extra["added"] == len(more.rows) - 1 > 0


def test_an_unknown_or_foreign_execution_does_not_exist(films: Session) -> None:
    first = readonly_sql.run(films, Call("t", owner="a"), sql="SELECT m.Id FROM Movie AS m")

    for expand_call, execution_id in (
        (call(), "0" * 32),
        (Call("t", owner="b"), first.execution_id),
    ):
        with pytest.raises(NotFoundError):
            expand(films, expand_call, execution_id=execution_id)
    with pytest.raises(NotFoundError):
        expand(films, call(), question="a question that nobody asked")


def test_a_failed_execution_cannot_be_expanded(films: Session) -> None:
    answer = strategies.run(
        films,
        call(),
        question="who directed what",
        strategies=[Strategy("wrong", "", None, "SELECT m.Director FROM Movie AS m")],
    )

    with pytest.raises(ArgumentError, match="failed"):
        expand(films, call(), execution_id=answer["executions"][0]["execution_id"])
    with pytest.raises(NotFoundError):
        expand(films, call(), question="who directed what")


def test_exactly_one_of_id_and_question_is_given(films: Session) -> None:
    with pytest.raises(ArgumentError):
        expand(films, call())
    with pytest.raises(ArgumentError):
        expand(films, call(), execution_id="a", question="b")


def test_changed_data_are_noted(films: Session) -> None:
    first = readonly_sql.run(films, call(), sql="SELECT m.Id FROM Movie AS m")
    first_record = recorded(films, first)
    films.journal.record(first_record.model_copy(update={"id": "f" * 32, "content_hash": "older"}))
    more = expand(replace(films), call(), execution_id="f" * 32)

    assert any("data changed" in note for note in more.notes)
