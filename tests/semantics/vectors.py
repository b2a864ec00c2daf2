"""Vectors: distances, the nearest rows, and where a filter applies to them.

The small graph's vectors have length 1, so that the distances of the metrics follow from another.
"""

from semantics.case import Case

DISTANCE = "t-sql/functions/vector-distance-transact-sql"
FROM = "t-sql/queries/from-transact-sql"
QUERY = "rebels on a desert planet"


def _with_query(name: str, rule: str, source: str, sql: str, *rows: tuple[object, ...]) -> Case:
    return Case(name, rule, source, sql, rows, query=QUERY)


CASES: tuple[Case, ...] = (
    Case(
        "a vector has no distance from itself",
        "Equal vectors have the cosine distance 0",
        DISTANCE,
        "SELECT COUNT(*) AS n FROM Movie "
        "WHERE ABS(VECTOR_DISTANCE('cosine', Embedding, Embedding)) < 0.00001",
        ((8,),),
    ),
    Case(
        "the Euclidean distance from itself is 0",
        "Equal vectors have the Euclidean distance 0",
        DISTANCE,
        "SELECT COUNT(*) AS n FROM Movie WHERE VECTOR_DISTANCE('euclidean', Embedding, Embedding) "
        "< 0.001",
        ((8,),),
    ),
    Case(
        "dot is the negative product",
        "The metric dot is the dot product with its sign turned: -1 for a unit vector and itself",
        DISTANCE,
        "SELECT COUNT(*) AS n FROM Movie "
        "WHERE ABS(VECTOR_DISTANCE('dot', Embedding, Embedding) + 1) < 0.00001",
        ((8,),),
    ),
    _with_query(
        "cosine and dot differ by one for unit vectors",
        "Cosine distance is 1 minus the cosine; dot is the negative product",
        DISTANCE,
        "SELECT COUNT(*) AS n FROM Movie WHERE ABS(VECTOR_DISTANCE('cosine', Embedding, @q) - "
        "VECTOR_DISTANCE('dot', Embedding, @q) - 1) < 0.0001",
        (8,),
    ),
    _with_query(
        "Euclidean and cosine agree for unit vectors",
        "The square of the Euclidean distance of unit vectors is twice their cosine distance",
        DISTANCE,
        "SELECT COUNT(*) AS n FROM Movie WHERE ABS(SQUARE(VECTOR_DISTANCE('euclidean', Embedding, "
        "@q)) - 2 * VECTOR_DISTANCE('cosine', Embedding, @q)) < 0.0001",
        (8,),
    ),
    _with_query(
        "the order of the two vectors does not matter",
        "A distance is between two vectors",
        DISTANCE,
        "SELECT COUNT(*) AS n FROM Movie WHERE ABS(VECTOR_DISTANCE('cosine', Embedding, @q) - "
        "VECTOR_DISTANCE('cosine', @q, Embedding)) < 0.00001",
        (8,),
    ),
    Case(
        "a subquery may give a vector",
        "Either vector is an expression that evaluates to the vector type",
        DISTANCE,
        "SELECT TOP 1 m.Id FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, "
        "(SELECT Embedding FROM Movie WHERE Id = 5)), m.Id",
        ((5,),),
    ),
    Case(
        "a CTE passes vectors on",
        "Either vector is an expression that evaluates to the vector type",
        DISTANCE,
        "WITH seeds AS (SELECT TOP 2 Id, Embedding FROM Movie ORDER BY Id) "
        "SELECT s.Id FROM seeds AS s JOIN Movie AS m ON m.Id = s.Id "
        "WHERE VECTOR_DISTANCE('cosine', s.Embedding, m.Embedding) < 0.0001 ORDER BY s.Id",
        ((1,), (2,)),
    ),
    Case(
        "vectors of two tables compare",
        "The two vectors need only be of the vector type; cosine distance lies from 0 to 2",
        DISTANCE,
        "SELECT COUNT(*) AS n FROM Movie AS m JOIN Genre AS g ON g.Id = m.Id "
        "WHERE VECTOR_DISTANCE('cosine', m.Embedding, g.Embedding) BETWEEN 0 AND 2",
        ((3,),),
    ),
    _with_query(
        "a distance in LEAST",
        "The function returns a float, which is an expression like any other",
        DISTANCE,
        "SELECT COUNT(*) AS n FROM Movie WHERE LEAST(VECTOR_DISTANCE('cosine', Embedding, @q), "
        "VECTOR_DISTANCE('dot', Embedding, @q)) = VECTOR_DISTANCE('dot', Embedding, @q)",
        (8,),
    ),
    _with_query(
        "a distance in CASE",
        "The function returns a float, which is an expression like any other",
        DISTANCE,
        "SELECT SUM(CASE WHEN VECTOR_DISTANCE('cosine', Embedding, @q) <= 2 THEN 1 ELSE 0 END) "
        "AS n FROM Movie",
        (8,),
    ),
    _with_query(
        "a distance in a window",
        "The function returns a float, which is an expression like any other",
        DISTANCE,
        "SELECT MAX(x.r) AS n FROM (SELECT ROW_NUMBER() OVER (ORDER BY "
        "VECTOR_DISTANCE('cosine', Embedding, @q), Id) AS r FROM Movie) AS x",
        (8,),
    ),
    _with_query(
        "a distance in HAVING",
        "The function returns a float, which aggregates take",
        DISTANCE,
        "SELECT g.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g) "
        "GROUP BY g.Name HAVING MAX(VECTOR_DISTANCE('cosine', m.Embedding, @q)) <= 2 "
        "ORDER BY g.Name",
        ("Drama",),
        ("Horror",),
        ("Science Fiction",),
    ),
)
