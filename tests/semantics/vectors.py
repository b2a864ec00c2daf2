"""Vectors: distances, the nearest rows, and where a filter applies to them.

The small graph's vectors have length 1, so that the distances of the metrics follow from another.
"""

from semantics.case import Case

DISTANCE = "t-sql/functions/vector-distance-transact-sql"
SEARCH = "t-sql/functions/vector-search-transact-sql"
FROM = "t-sql/queries/from-transact-sql"
QUERY = "rebels on a desert planet"
NEAREST = "VECTOR_SEARCH(TABLE = dbo.Movie AS m, COLUMN = Embedding, SIMILAR_TO = @q"


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
    _with_query(
        "TOP_N is how many rows the search returns",
        "TOP_N is the most similar vectors that are returned",
        SEARCH,
        f"SELECT COUNT(*) AS n FROM {NEAREST}, METRIC = 'cosine', TOP_N = 3) AS s",
        (3,),
    ),
    _with_query(
        "the result has the table's columns by its alias, and distance by the result's",
        "The result has every column of the table, and a column distance",
        SEARCH,
        f"SELECT COUNT(m.Name) AS names, COUNT(s.distance) AS n FROM {NEAREST}, "
        "METRIC = 'cosine', TOP_N = 3) AS s",
        (3, 3),
    ),
    _with_query(
        "distance is that of VECTOR_DISTANCE",
        "distance is between the vector of the column and the one searched for",
        SEARCH,
        "SELECT COUNT(*) AS n FROM VECTOR_SEARCH(TABLE = Movie AS m, COLUMN = Embedding, "
        "SIMILAR_TO = @q, METRIC = 'euclidean', TOP_N = 8) AS s WHERE "
        "ABS(s.distance - VECTOR_DISTANCE('euclidean', m.Embedding, @q)) < 0.0001",
        (8,),
    ),
    _with_query(
        "the rows are the nearest",
        "The search returns the vectors most similar to the one given",
        SEARCH,
        "SELECT COUNT(*) AS n FROM VECTOR_SEARCH(TABLE = Movie AS m, COLUMN = Embedding, "
        "SIMILAR_TO = @q, METRIC = 'cosine', TOP_N = 3) AS s WHERE m.Id IN "
        "(SELECT TOP 3 Id FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q), Id)",
        (3,),
    ),
    _with_query(
        "with TOP_N a filter applies to what was found",
        "With TOP_N the search comes before any predicate: fewer rows, even none, may be left",
        SEARCH,
        f"SELECT COUNT(*) AS n FROM {NEAREST}, METRIC = 'cosine', TOP_N = 1) AS s "
        "WHERE m.Id NOT IN (SELECT TOP 1 Id FROM Movie "
        "ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q), Id)",
        (0,),
    ),
    _with_query(
        "without TOP_N the filter applies while searching",
        "TOP (n) WITH APPROXIMATE searches on until n rows satisfy the WHERE",
        SEARCH,
        "SELECT COUNT(*) AS n FROM (SELECT TOP (2) WITH APPROXIMATE m.Id, s.distance "
        f"FROM {NEAREST}, METRIC = 'cosine') AS s WHERE m.Id NOT IN (SELECT TOP 3 Id FROM Movie "
        "ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q), Id) ORDER BY s.distance) AS x",
        (2,),
    ),
    _with_query(
        "an approximate TOP is sorted by distance",
        "TOP (n) WITH APPROXIMATE returns the n nearest in the order of distance",
        SEARCH,
        f"SELECT TOP (1) WITH APPROXIMATE m.Id FROM {NEAREST}, METRIC = 'cosine') AS s "
        "WHERE m.Id = 6 ORDER BY s.distance",
        (6,),
    ),
    Case(
        "a vector column of an outer row under APPLY",
        "SIMILAR_TO takes a variable or a column of vector type; with APPLY that of each row",
        SEARCH,
        "SELECT x.Id, m.Id AS found FROM Movie AS x CROSS APPLY VECTOR_SEARCH(TABLE = Movie AS m, "
        "COLUMN = Embedding, SIMILAR_TO = x.Embedding, METRIC = 'cosine', TOP_N = 1) AS s "
        "WHERE x.Id <= 3 ORDER BY x.Id",
        ((1, 1), (2, 2), (3, 3)),
    ),
    Case(
        "TOP_N counts for each outer row",
        "APPLY evaluates its right side for each row of its left side",
        FROM,
        "SELECT x.Id, COUNT(*) AS n FROM Movie AS x CROSS APPLY VECTOR_SEARCH(TABLE = Genre AS g, "
        "COLUMN = Embedding, SIMILAR_TO = x.Embedding, METRIC = 'dot', TOP_N = 2) AS s "
        "WHERE x.Id IN (4, 5) GROUP BY x.Id ORDER BY x.Id",
        ((4, 2), (5, 2)),
    ),
    _with_query(
        "OUTER APPLY keeps the rows of the left side",
        "OUTER APPLY returns each row of the left side, with NULL where the right side has none",
        FROM,
        "SELECT v.x, COUNT(s.distance) AS n FROM (VALUES (1), (2)) AS v(x) OUTER APPLY "
        f"{NEAREST}, METRIC = 'cosine', TOP_N = 2) AS s GROUP BY v.x ORDER BY v.x",
        (1, 2),
        (2, 2),
    ),
    _with_query(
        "a search joins like a table",
        "The result is a set of rows of FROM",
        SEARCH,
        "SELECT COUNT(*) AS n FROM Movie AS x LEFT JOIN "
        f"{NEAREST}, METRIC = 'cosine', TOP_N = 3) AS s ON m.Id = x.Id",
        (8,),
    ),
    _with_query(
        "a search larger than the table",
        "TOP_N is the most that is returned",
        SEARCH,
        f"SELECT COUNT(*) AS n FROM {NEAREST}, METRIC = 'cosine', TOP_N = 500) AS s",
        (8,),
    ),
)
