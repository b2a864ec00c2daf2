from collections.abc import Callable

import pytest

from moviegraph.repair.driver import Repaired

RIGHT = "SELECT TOP 5 m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)"


@pytest.mark.parametrize(
    "distance",
    [
        pytest.param("VECTOR_DISTANCE('cosine', m.Embedding, ?)", id="question mark"),
        pytest.param("VECTOR_DISTANCE('cosine', m.Embedding, @query)", id="@query"),
        pytest.param("VECTOR_DISTANCE('cosine', m.Embedding, @embedding)", id="@embedding"),
        pytest.param("VECTOR_DISTANCE('cosine', m.Embedding, '@q')", id="quoted"),
        pytest.param("VECTOR_DISTANCE(m.Embedding, @q, 'cosine')", id="metric last"),
        pytest.param("VECTOR_DISTANCE(m.Embedding, @q)", id="no metric"),
        pytest.param("VECTOR_DISTANCE(cosine, m.Embedding, @q)", id="bare metric"),
        pytest.param("VECTOR_DISTANCE('cosine_similarity', m.Embedding, @q)", id="metric's name"),
        pytest.param("COSINE_DISTANCE(m.Embedding, @q)", id="function of another dialect"),
        pytest.param("m.Embedding <=> @q", id="operator of another dialect"),
        pytest.param("m.Embedding <=> $1", id="operator with a placeholder"),
    ],
)
def test_a_comparison_of_vectors_is_repaired(
    distance: str, repair_sql: Callable[[str], Repaired]
) -> None:
    repaired = repair_sql(f"SELECT TOP 5 m.Name FROM Movie AS m ORDER BY {distance}")

    assert repaired.sql == RIGHT


@pytest.mark.parametrize(
    ("statement", "repaired_sql"),
    [
        pytest.param(
            "SELECT m.Id, VECTOR_DISTANCE('l2', m.Embedding, @q) AS d FROM Movie m",
            "SELECT m.Id, VECTOR_DISTANCE('euclidean', m.Embedding, @q) AS d FROM Movie m",
            id="l2",
        ),
        pytest.param(
            "SELECT m.Id, COSINE_SIMILARITY(m.Embedding, @q) AS s FROM Movie m ORDER BY s DESC",
            "SELECT m.Id, 1 - VECTOR_DISTANCE('cosine', m.Embedding, @q) AS s "
            "FROM Movie m ORDER BY s DESC",
            id="a similarity stays one",
        ),
        pytest.param(
            "SELECT m.Id FROM Movie m "
            "ORDER BY VECTOR_DISTANCE('cosine_similarity', m.Embedding, @q) DESC",
            "SELECT m.Id FROM Movie m ORDER BY 1 - VECTOR_DISTANCE('cosine', m.Embedding, @q) DESC",
            id="the highest similarity first",
        ),
    ],
)
def test_embeddings_and_their_variable_are_repaired(
    statement: str, repaired_sql: str, repair_sql: Callable[[str], Repaired]
) -> None:
    assert repair_sql(statement).sql == repaired_sql


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param(
            "DECLARE @q VECTOR(3) = (SELECT Embedding FROM Movie WHERE Id = 1); "
            "SELECT m.Id FROM Movie m",
            id="a vector of the graph",
        ),
        pytest.param(
            "DECLARE @a INT = 1, @b INT = 2; SELECT m.Id FROM Movie m", id="other variables"
        ),
        pytest.param("SELECT m.Embedding FROM Movie m", id="nothing but embeddings"),
        pytest.param("SELECT m.Name FROM Movie m WHERE m.Name = @name", id="a value unknown"),
        pytest.param("SELECT m.Name FROM Movie m WHERE m.Name = ?", id="a value missing"),
    ],
)
def test_what_would_lose_its_meaning_is_left(
    sql: str, repair_sql: Callable[[str], Repaired]
) -> None:
    assert repair_sql(sql).changes == ()
