"""Expanding raises every limit of a statement, and says which rows are new or missing."""

from dataclasses import replace
from typing import Any

import pytest
from fakes.scripted_engine import ScriptedEngine
from fakes.sessions import call, column, expand, scripted_session

from moviegraph.engines.base import Budget, ResultSet, Statement
from moviegraph.query import readonly_sql
from moviegraph.query.rows import Rows
from moviegraph.query.session import Session
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import RowLimits, judge
from moviegraph.strategies.expansion import scaled

SQL = "SELECT TOP 2 m.Id, m.Name FROM Movie AS m"
BY_ID = f"{SQL} ORDER BY m.Id"
SCORED = "SELECT TOP 2 m.ReleaseYear, m.Name FROM Movie AS m"
COLUMNS = ("Id", "Name")


class TwoEngine(ScriptedEngine):
    """Answers a statement by the limit at its root."""

    def __init__(self, columns: tuple[str, ...], narrow: Any, wide: Any) -> None:
        super().__init__(None)
        self.columns = columns
        self.narrow = narrow
        self.wide = wide

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        self.executed.append(statement.allowed.sql)
        result = self.narrow if "TOP 3 " in statement.allowed.sql else self.wide
        if isinstance(result, Exception):
            raise result
        return ResultSet(self.columns, list(result))


def widened(narrow: Any, wide: Any, sql: str = BY_ID, top: int = 4) -> tuple[Rows, TwoEngine]:
    """Run a statement, and expand it."""
    session, _ = scripted_session(None)
    columns = ("Year", "Name") if sql == SCORED else COLUMNS
    engine = TwoEngine(columns, narrow, wide)
    session = replace(session, engine=engine)
    first = readonly_sql.run(session, call(), sql=sql)
    return expand(session, call(), execution_id=first.execution_id, top=top), engine


A, B, C, D = ((number, name) for number, name in enumerate("ABCD", start=1))


@pytest.mark.parametrize(
    ("narrow", "wide", "sql", "rows", "added"),
    [
        pytest.param([A, B], [A, B, C], BY_ID, [A, B, C], 1, id="all known are found again"),
        pytest.param([A, B], [C, B, A], BY_ID, [C, B, A], 1, id="the order is the statement's"),
        pytest.param([B, A], [C, A, B], SQL, [B, A, C], 1, id="without order known rows lead"),
        pytest.param([A, B], [A, C, D], BY_ID, [A, C, D], 2, id="a known row is missing"),
        pytest.param([A, B], [], BY_ID, [], 0, id="the wider one finds nothing"),
        pytest.param([], [A, B], BY_ID, [A, B], 2, id="nothing was known"),
        pytest.param(
            [(1, "x"), (1, "y")],
            [(1, "x"), (1, "z"), B],
            BY_ID,
            [(1, "x"), (1, "z"), B],
            1,
            id="different rows of a node stay",
        ),
        pytest.param(
            [(1999, "A"), (2000, "B")],
            [(1999, "A"), (2000, "B"), (2001, "C")],
            SCORED,
            [(1999, "A"), (2000, "B"), (2001, "C")],
            1,
            id="rows that are no nodes",
        ),
    ],
)
def test_new_rows_are_counted(
    narrow: list[Any], wide: list[Any], sql: str, rows: list[Any], added: int
) -> None:
    more, engine = widened(narrow, wide, sql)

    assert more.rows == rows
    assert more.extra["added"] == added
    assert len(engine.executed) == 2


def test_fewer_rows_than_known_are_what_was_asked_for() -> None:
    more, _ = widened([A, B], [A], top=1)

    assert (more.rows, more.extra["added"], more.notes) == ([A], 0, ())


@pytest.mark.parametrize(
    ("sql", "holds"),
    [
        pytest.param(
            "SELECT TOP 20 m.Id FROM Movie AS m JOIN FREETEXTTABLE(Movie, Content, 'rebels', 30) "
            "AS f ON f.[KEY] = m.Id ORDER BY f.RANK DESC",
            "'rebels', 90)",
            id="top_n of FREETEXTTABLE",
        ),
        pytest.param(
            "SELECT TOP 20 m.Id FROM Movie AS m JOIN CONTAINSTABLE(Movie, Content, 'rebels', "
            "LANGUAGE 1033, 10) AS f ON f.[KEY] = m.Id",
            "LANGUAGE 1033, 30)",
            id="top_n of CONTAINSTABLE",
        ),
        pytest.param(
            "SELECT m.Id FROM Movie AS m ORDER BY m.Id OFFSET 3 ROWS FETCH NEXT 20 ROWS ONLY",
            "OFFSET 3 ROWS FETCH NEXT 60 ROWS ONLY",
            id="OFFSET and FETCH",
        ),
        pytest.param(
            "WITH a AS (SELECT TOP 10 t.Id FROM Theme AS t ORDER BY t.Id), "
            "b AS (SELECT TOP (5) a.Id FROM a ORDER BY a.Id) SELECT TOP 20 b.Id FROM b",
            "SELECT TOP 15 [a].[Id]",
            id="a CTE over a CTE",
        ),
        pytest.param(
            "SELECT TOP 20 m.Id FROM Movie AS m WHERE m.ReleaseYear = "
            "(SELECT TOP 1 x.ReleaseYear FROM Movie AS x WHERE x.Name = 'Dune')",
            "SELECT TOP 1 [x].[ReleaseYear]",
            id="a choice of one stays",
        ),
        pytest.param(
            "SELECT TOP 20 m.Id FROM Movie AS m WHERE m.Id NOT IN "
            "(SELECT TOP 5 x.Id FROM Movie AS x ORDER BY x.Id)",
            "SELECT TOP 5 [x].[Id]",
            id="what is left out stays",
        ),
        pytest.param(
            "SELECT TOP 20 m.Id, (SELECT STRING_AGG(t.Name, ',') FROM (SELECT TOP 3 x.Name FROM "
            "Theme AS x ORDER BY x.Id) AS t) AS Names FROM Movie AS m",
            "SELECT TOP 3 [x].[Name]",
            id="what fills a cell stays",
        ),
        pytest.param(
            "SELECT COUNT(*) AS n FROM (SELECT TOP 5 m.Id FROM Movie AS m ORDER BY m.Id) AS x",
            "SELECT TOP 5 [m].[Id]",
            id="one row has no further ones",
        ),
        pytest.param(
            "SELECT TOP 20 LAST_VALUE(o.Id) WITHIN GROUP (GRAPH PATH) AS Id FROM Movie AS m, "
            "INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS f, "
            "Movie FOR PATH AS o WHERE MATCH(SHORTEST_PATH(m(-(e)->t<-(f)-o){1,2})) "
            "AND m.Name = 'Dune'",
            "SELECT TOP 60 LAST_VALUE",
            id="SHORTEST_PATH",
        ),
    ],
)
def test_every_kind_of_limit_that_feeds_the_rows_grows(
    films: Session, sql: str, holds: str
) -> None:
    allowed = judge(sql, films.contract)
    assert isinstance(allowed, Allowed), allowed
    text = scaled(allowed, 60, 1000).sql

    assert holds in text
    assert isinstance(judge(text, films.contract, RowLimits(60, 1000)), Allowed)


def test_inner_limits_that_grew_are_noted(films: Session) -> None:
    sql = (
        "SELECT TOP 2 n.Id FROM (SELECT TOP 2 m.Id FROM Movie AS m ORDER BY m.Id) AS n "
        "ORDER BY n.Id"
    )
    first = readonly_sql.run(films, call(), sql=sql)
    more = expand(films, call(), execution_id=first.execution_id, top=4)

    assert column(more, "Id") == [1, 2, 3, 4]
    assert any("2 to 4" in note for note in more.notes)


def test_a_document_is_not_compared(films: Session) -> None:
    sql = "SELECT TOP 2 m.Id FROM Movie AS m ORDER BY m.Id FOR JSON PATH"
    first = readonly_sql.run(films, call(), sql=sql)
    more = expand(films, call(), execution_id=first.execution_id)

    assert len(more.rows) == 1
    assert len(str(more.rows[0])) > len(str(first.rows[0]))
    assert any("JSON" in note for note in more.notes)
    assert not any("no more rows" in note for note in more.notes)


def test_an_execution_over_the_present_data_is_chosen_before_an_older_one(films: Session) -> None:
    question = "the best over data that are gone"
    first = readonly_sql.run(films, call(), sql=BY_ID)
    execution = films.journal.find("local", first.execution_id)
    assert execution is not None
    for name, score, content in (("old", 0.9, "gone"), ("new", 0.2, execution.content_hash)):
        films.journal.record(
            execution.model_copy(
                update={
                    "id": name * 10,
                    "question": question,
                    "strategy_id": name,
                    "quality": {"score": score},
                    "content_hash": content,
                }
            )
        )

    assert expand(films, call(), question=question).extra["from_execution_id"] == "new" * 10
