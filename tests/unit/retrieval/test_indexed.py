"""Searches through a vector index, tried on an engine that searches exactly and says it has one."""

from dataclasses import replace
from typing import Any

import pytest
from fakes.sessions import call, column

from moviegraph.engines.base import Budget, Cancellation, Description, Engine, ResultSet, Statement
from moviegraph.retrieval import hybrid, semantic
from moviegraph.retrieval.indexed import NOTE
from moviegraph.retrieval.session import Rows, Session

SEARCHES = [pytest.param(semantic.search, id="semantic"), pytest.param(hybrid.search, id="hybrid")]


class Indexed:
    """An engine that says that one of its tables has a vector index."""

    def __init__(self, engine: Engine, table: str) -> None:
        self._engine = engine
        self._table = table

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        return self._engine.execute(statement, budget)

    def compile(self, statement: Statement, cancellation: Cancellation | None = None) -> None:
        self._engine.compile(statement, cancellation)

    def describe(self) -> Description:
        held = self._engine.describe()
        return replace(held, capabilities=held.capabilities | {f"approximate:{self._table}"})

    def close(self) -> None:
        self._engine.close()


@pytest.fixture
def indexed(films: Session) -> Session:
    return replace(films, engine=Indexed(films.engine, "Movie"))


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("where", [None, "ReleaseYear > 1990"], ids=["all", "filtered"])
def test_the_index_gives_the_rows_of_the_exact_search_and_a_note(
    films: Session, indexed: Session, search: Any, where: str | None
) -> None:
    exact: Rows = search(films, call(), query="rebels on a desert planet", where=where)
    found: Rows = search(indexed, call(), query="rebels on a desert planet", where=where)
    assert "WITH APPROXIMATE" in found.sql
    assert "VECTOR_SEARCH(TABLE = [dbo].[Movie]" in found.sql
    assert "APPROXIMATE" not in exact.sql
    assert found.rows == exact.rows
    assert NOTE in found.notes
    assert NOTE not in exact.notes


@pytest.mark.parametrize("search", SEARCHES)
def test_a_condition_is_met_within_the_search_and_not_after_it(
    indexed: Session, search: Any
) -> None:
    found: Rows = search(indexed, call(), query="desert planet", where="ReleaseYear = 1979", top=1)
    assert column(found, "Id") == [4]
    inner = found.sql.partition("VECTOR_SEARCH(")[2].partition("ORDER BY [s].[distance]")[0]
    assert "[n].[ReleaseYear] = 1979" in inner


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(
    ("kind", "where"),
    [
        pytest.param("Theme", None, id="a table without an index"),
        pytest.param("Movie", "CONTAINS(*, 'planet')", id="a full-text condition"),
    ],
)
def test_everything_else_is_searched_exactly(
    indexed: Session, search: Any, kind: str, where: str | None
) -> None:
    found: Rows = search(indexed, call(), query="rebellion", kind=kind, where=where)
    assert "APPROXIMATE" not in found.sql
    assert NOTE not in found.notes
    assert found.rows
