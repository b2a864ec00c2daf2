"""VECTOR_DISTANCE: exact, and the same at any position."""

from collections.abc import Callable

import numpy as np
import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.limits import budget
from fakes.small_graph import MOVIES

from moviegraph.engines.base import Engine, ResultSet, Statement
from moviegraph.engines.graph_records import embedded_text
from moviegraph.errors import ExecutionError, VectorSpaceError

Run = Callable[..., ResultSet]
QUERY = "a boy on a desert planet"
DISTANCE = "VECTOR_DISTANCE('{}', m.Embedding, @q)"
COSINE = DISTANCE.format("cosine")


@pytest.fixture(scope="session")
def expected(embedder: HashedEmbedder) -> dict[str, dict[int, float]]:
    texts = [embedded_text(name, text) for _, name, text in MOVIES]
    stored, query = embedder.embed(texts), embedder.embed([QUERY])[0]
    products = (stored @ query).tolist()
    apart = np.linalg.norm(stored - query, axis=1).tolist()
    ids = [key for key, _, _ in MOVIES]
    return {
        "cosine": {key: 1 - value for key, value in zip(ids, products, strict=True)},
        "dot": {key: -value for key, value in zip(ids, products, strict=True)},
        "euclidean": dict(zip(ids, apart, strict=True)),
    }


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "dot"])
def test_distances_are_exact(run: Run, expected: dict[str, dict[int, float]], metric: str) -> None:
    result = run(
        f"SELECT m.Id, {DISTANCE.format(metric)} AS d FROM Movie m WHERE m.Id > 0", query=QUERY
    )
    assert dict(result.rows) == pytest.approx(expected[metric], abs=2e-3)


def nearest(expected: dict[str, dict[int, float]], count: int) -> list[int]:
    distances = expected["cosine"]
    return sorted(distances, key=lambda key: (distances[key], key))[:count]


ORDERINGS = [
    pytest.param(f"SELECT TOP 3 m.Id FROM Movie m ORDER BY {COSINE}, m.Id", id="bare"),
    pytest.param(f"SELECT TOP 3 m.Id, {COSINE} AS d FROM Movie m ORDER BY d, m.Id", id="alias"),
    pytest.param(
        f"SELECT TOP 3 m.Id, 1 - {COSINE} AS s FROM Movie m ORDER BY s DESC, m.Id", id="similarity"
    ),
    pytest.param(
        f"SELECT TOP 3 m.Id FROM Movie m WHERE m.Id < 100 ORDER BY {COSINE}, m.Id", id="filtered"
    ),
    pytest.param(
        f"SELECT TOP 3 m.Id FROM Movie m WHERE m.Embedding IS NOT NULL ORDER BY {COSINE}, m.Id",
        id="with a vector",
    ),
    pytest.param(
        "SELECT TOP 3 m.Id FROM Movie m WHERE m.Embedding IS NOT NULL AND m.Id < 100 "
        f"ORDER BY {COSINE}, m.Id",
        id="with a vector and filtered",
    ),
    pytest.param(
        "WITH s AS (SELECT TOP 3 Id, VECTOR_DISTANCE('cosine', Embedding, @q) AS d FROM Movie "
        "ORDER BY d, Id) SELECT s.Id FROM s ORDER BY s.d, s.Id",
        id="in a CTE",
    ),
    pytest.param(
        f"SELECT TOP 3 m.Id, x.d FROM Movie m CROSS APPLY (SELECT {COSINE} AS d) AS x "
        "ORDER BY x.d, m.Id",
        id="in an APPLY",
    ),
    pytest.param(
        f"SELECT m.Id FROM Movie m ORDER BY {COSINE}, m.Id OFFSET 0 ROWS FETCH NEXT 3 ROWS ONLY",
        id="paged",
    ),
]


@pytest.mark.parametrize("sql", ORDERINGS)
def test_the_nearest_come_first_however_it_is_written(
    run: Run, expected: dict[str, dict[int, float]], sql: str
) -> None:
    assert [row[0] for row in run(sql, query=QUERY).rows] == nearest(expected, 3)


def test_pages_continue_where_the_last_one_ended(
    run: Run, expected: dict[str, dict[int, float]]
) -> None:
    sql = f"SELECT m.Id FROM Movie m ORDER BY {COSINE}, m.Id OFFSET 3 ROWS FETCH NEXT 2 ROWS ONLY"
    assert [row[0] for row in run(sql, query=QUERY).rows] == nearest(expected, 5)[3:]


def test_distance_to_a_stored_vector(run: Run) -> None:
    result = run(
        "WITH seed AS (SELECT TOP 1 s.Embedding FROM Movie s WHERE s.Id = 3) "
        "SELECT TOP 1 m.Id, ROUND(VECTOR_DISTANCE('cosine', m.Embedding, seed.Embedding), 4) AS d "
        "FROM Movie m CROSS JOIN seed ORDER BY d, m.Id"
    )
    assert result.rows == [(3, 0.0)]


def test_distance_of_a_vector_from_a_cte(run: Run, expected: dict[str, dict[int, float]]) -> None:
    result = run(
        "WITH c AS (SELECT TOP 5 s.Id, s.Embedding FROM Movie s WHERE s.Id = 1 ORDER BY s.Id) "
        "SELECT VECTOR_DISTANCE('cosine', c.Embedding, @q) AS d FROM c",
        query=QUERY,
    )
    assert result.rows[0][0] == pytest.approx(expected["cosine"][1], abs=2e-3)


def test_distance_inside_an_aggregate_of_a_match(
    run: Run, expected: dict[str, dict[int, float]]
) -> None:
    result = run(
        f"SELECT g.Name, MIN({COSINE}) AS d FROM Movie m, IN_GENRE e, Genre g "
        "WHERE MATCH(m-(e)->g) AND g.Id = 3 GROUP BY g.Name",
        query=QUERY,
    )
    assert result.rows[0][1] == pytest.approx(expected["cosine"][4], abs=2e-3)


MATCHED = f"SELECT m.Id, {COSINE} AS d FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)"
CROSS_JOINED = f"SELECT m.Id, {COSINE} AS d FROM Movie m CROSS JOIN Genre g WHERE g.Id = 3"
ID_LISTS = [
    pytest.param(f"{MATCHED} AND m.Id IN (4, 3)", {3, 4}, id="a list"),
    pytest.param(f"{MATCHED} AND 4 = m.Id", {4}, id="a key that stands first"),
    pytest.param(f"{MATCHED} AND m.Id = 4 AND m.Id IN (3, 4)", {4}, id="two lists"),
    pytest.param(f"{MATCHED} AND m.Id IN (4, -1, 99999999999999999999)", {4}, id="no keys"),
    pytest.param(f"{CROSS_JOINED} AND (m.Id = 3 OR m.Id = 4)", {3, 4}, id="either of two"),
    pytest.param(
        f"{CROSS_JOINED} AND m.Id NOT IN (3) AND m.Id < 5", {1, 2, 4}, id="all but a list"
    ),
    pytest.param(f"{CROSS_JOINED} AND m.Id <> 3 AND m.Id < 5", {1, 2, 4}, id="all but one"),
    pytest.param(
        "SELECT m.Id, (SELECT MIN(VECTOR_DISTANCE('cosine', o.Embedding, @q)) FROM Movie o "
        "CROSS JOIN Genre g WHERE o.Id = m.Id AND g.Id = 3) AS d FROM Movie m WHERE m.Id IN (3, 4)",
        {3, 4},
        id="a list around",
    ),
    pytest.param(
        f"SELECT m.Id, (SELECT MIN({COSINE}) FROM Genre o WHERE o.Id = 3) AS d "
        "FROM Movie m WHERE m.Id < 5 AND EXISTS (SELECT 1 FROM Genre m WHERE m.Id = 3)",
        {1, 2, 3, 4},
        id="a list of another node of that alias",
    ),
]


@pytest.mark.parametrize(("sql", "keys"), ID_LISTS)
def test_distance_of_nodes_whose_keys_are_listed(
    run: Run, expected: dict[str, dict[int, float]], sql: str, keys: set[int]
) -> None:
    result = dict(run(sql, query=QUERY).rows)
    expected_distances = {key: expected["cosine"][key] for key in keys}
    assert result == pytest.approx(expected_distances, abs=2e-3)


def test_distance_as_a_filter(run: Run, expected: dict[str, dict[int, float]]) -> None:
    expected_count = sum(1 for distance in expected["cosine"].values() if distance < 0.7)
    result = run(f"SELECT COUNT(*) AS n FROM Movie m WHERE {COSINE} < 0.7", query=QUERY)
    assert result.rows == [(expected_count,)]


def test_contains_filters_before_vectors_rank(
    run: Run, expected: dict[str, dict[int, float]]
) -> None:
    result = run(
        f"SELECT m.Id FROM Movie m WHERE CONTAINS(m.Content, 'boy') ORDER BY {COSINE}, m.Id",
        query=QUERY,
    )
    assert [row[0] for row in result.rows] == [k for k in nearest(expected, 8) if k in (1, 6)]


def test_a_missing_query_is_named(engine: Engine, statement: Callable[..., Statement]) -> None:
    translation = statement(f"SELECT m.Id FROM Movie m ORDER BY {COSINE}")
    with pytest.raises(ExecutionError) as caught:
        engine.execute(translation, budget())
    assert caught.value.code == "query_missing"


def test_a_vector_of_another_length_is_refused(
    engine: Engine, statement: Callable[..., Statement]
) -> None:
    translation = statement(f"SELECT m.Id FROM Movie m ORDER BY {COSINE}", QUERY)
    other = Statement(translation.allowed, np.ones(3, dtype=np.float32))
    with pytest.raises(VectorSpaceError, match="64 dimensions"):
        engine.execute(other, budget())


def test_the_distance_of_an_outer_row_does_not_narrow_the_inner_table(run: Run) -> None:
    result = run(
        "SELECT m.Id, (SELECT TOP 1 g.Name FROM Genre g WHERE g.Id = 2 "
        f"ORDER BY {COSINE}, g.Id) AS name FROM Movie m WHERE m.Id < 3 ORDER BY m.Id",
        query=QUERY,
    )
    assert result.rows == [(1, "Drama"), (2, "Drama")]


def test_two_metrics_may_be_combined(run: Run, expected: dict[str, dict[int, float]]) -> None:
    result = run(
        f"SELECT TOP 1 m.Id, {COSINE} AS c, {DISTANCE.format('dot')} AS d FROM Movie AS M "
        "ORDER BY c, m.Id",
        query=QUERY,
    )
    key, cosine, dot = result.rows[0]
    assert cosine == pytest.approx(expected["cosine"][key], abs=2e-3)
    assert dot == pytest.approx(expected["dot"][key], abs=2e-3)


OF_GENRE = (
    "FROM IN_GENRE AS e JOIN Movie AS m ON m.$node_id = e.$from_id WHERE {same} AND {condition}"
)
PICKED = {
    "apply": (
        "SELECT g.Id, x.Id AS best FROM Genre AS g CROSS APPLY "
        f"(SELECT TOP 1 m.Id {OF_GENRE} ORDER BY {{order}}, m.Id) AS x ORDER BY g.Id"
    ),
    "subquery": (
        "SELECT s.Id, s.best FROM (SELECT g.Id, "
        f"(SELECT TOP 1 m.Id {OF_GENRE} ORDER BY {{order}}, m.Id) AS best "
        "FROM Genre AS g) AS s WHERE s.best IS NOT NULL ORDER BY s.Id"
    ),
}
NUMBERED = (
    "SELECT x.Id, x.best FROM (SELECT g.Id, m.Id AS best, "
    "ROW_NUMBER() OVER (PARTITION BY g.Id ORDER BY {order}, m.Id) AS place "
    "FROM Genre AS g, IN_GENRE AS e, Movie AS m WHERE MATCH(g<-(e)-m) AND {condition}) AS x "
    "WHERE x.place = 1 ORDER BY x.Id"
)


@pytest.mark.parametrize("picked", PICKED)
@pytest.mark.parametrize("same", ["e.$to_id = g.$node_id", "g.$node_id = (e.$to_id)"])
@pytest.mark.parametrize("order", [COSINE, "(SELECT MAX(y.Name) FROM Movie y WHERE y.Id = m.Id)"])
@pytest.mark.parametrize(
    "condition",
    [
        "CONTAINS(m.Content, 'a OR the OR boy OR ship')",
        "EXISTS (SELECT 1 FROM INCLUDES_THEME AS t WHERE t.$from_id = m.$node_id)",
        "m.ReleaseYear IN (SELECT z.ReleaseYear FROM Movie AS z WHERE z.Id < 7)",
    ],
)
def test_the_best_of_each_group_is_found_beside_other_subqueries(
    run: Run, picked: str, same: str, order: str, condition: str
) -> None:
    arguments = {"same": same, "order": order, "condition": condition}
    query = QUERY if "@q" in order else None
    result = run(PICKED[picked].format(**arguments), query=query).rows
    assert result
    assert result == run(NUMBERED.format(**arguments), query=query).rows
