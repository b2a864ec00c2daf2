import pytest
from golden.decisions import allowed, refused


@pytest.mark.parametrize(
    "source",
    [
        "Movie AS m, Genre AS g",
        "Movie AS m CROSS JOIN Genre AS g",
        "Movie AS m JOIN Genre AS g ON 1 = 1",
        "Movie AS m JOIN Genre AS g ON m.Id <> g.Id",
        "Movie AS m JOIN Genre AS g ON m.Id > g.Id",
        "Movie AS m JOIN Genre AS g ON m.Id = m.Id",
        "Movie AS m JOIN Genre AS g ON m.Id = 1 OR g.Id = 1",
        "Movie AS m JOIN Genre AS g ON m.Id = g.Id OR 1 = 1",
        "Movie AS m JOIN Genre AS g ON NOT m.Id = g.Id",
        "Movie AS m LEFT JOIN Genre AS g ON m.Name LIKE g.Name",
        "Movie AS m CROSS APPLY (SELECT Id FROM Genre) AS g",
        "Movie AS m CROSS JOIN (SELECT Id FROM Genre) AS g",
        "Movie AS m CROSS JOIN (SELECT TOP 500 Id FROM Genre) AS g",
        "Movie AS m CROSS JOIN (SELECT MAX(Id) AS Id FROM Genre GROUP BY Name) AS g",
        "Movie AS m JOIN Genre AS g ON m.Id = g.Id CROSS JOIN Theme AS t",
        "Movie AS m LEFT JOIN (Genre AS g CROSS JOIN Theme AS t) ON g.Id = m.Id",
        "Movie AS m JOIN Genre AS g ON g.Id = m.Id CROSS JOIN Theme AS t WHERE m.Id = 1",
        "Movie AS m CROSS JOIN Genre AS g WHERE m.Name LIKE '%x%'",
        "Movie AS m CROSS JOIN Genre AS g WHERE CONTAINS(m.Name, 'x')",
        "Movie AS m JOIN Genre AS g ON m.Id = (SELECT MAX(x.Id) FROM Theme AS x WHERE x.Id > m.Id)",
        "Movie AS m CROSS JOIN (SELECT DISTINCT Name AS n FROM Genre) AS g",
        "Movie AS m JOIN (SELECT 1 AS One, Id FROM Genre) AS g ON 1 = g.One",
        "Movie AS m JOIN (SELECT 1 AS One, Id FROM Genre) AS g ON g.One = 1 AND m.Id > g.Id",
        "Movie AS m JOIN (SELECT 1 AS One, Id FROM Genre) AS g ON g.One IN (1, 2)",
        "Movie AS m JOIN (SELECT 'a' AS a, Id FROM Genre) AS g ON g.a LIKE 'a%'",
        "(SELECT 1 AS k, Name FROM Movie) AS m JOIN (SELECT 1 AS k FROM Genre) AS g ON m.k = g.k",
        "Movie AS m JOIN Genre AS g ON LEFT(m.Name, 0) = LEFT(g.Name, 0)",
        "Movie AS m JOIN Genre AS g ON m.Id * 0 = g.Id * 0",
        "Movie AS m JOIN Genre AS g ON m.Id - m.Id = g.Id - g.Id",
        "Movie AS m JOIN Genre AS g ON m.Id % 2 = g.Id % 2",
        "Movie AS m JOIN Genre AS g ON IIF(m.Id > 5, 1, 0) = g.Id % 2",
        "Movie AS m JOIN Genre AS g ON CASE WHEN m.Id > 5 THEN 1 ELSE 2 END = SIGN(g.Id)",
    ],
)
def test_a_cartesian_product_is_refused(source: str) -> None:
    decision = refused(f"SELECT m.Name FROM {source}")
    assert decision.code == "cartesian_product"
    assert "a.Id = b.Id" in decision.message


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("Movie AS m, Genre AS g", "Nothing joins g with m, so every row"),
        (
            (
                "(SELECT Id % 5 AS n, Name FROM Movie) AS m, (SELECT Id % 5 AS n FROM Genre) AS g "
                "WHERE m.n = g.n"
            ),
            "Only m.n = g.n joins g with m, and it holds for too many pairs",
        ),
        ("Movie AS m JOIN Genre AS g ON m.Id <> g.Id", "Only m.Id <> g.Id joins g with m"),
        (
            f"Movie AS m JOIN Genre AS g ON m.Name LIKE CONCAT(g.Name, '{'x' * 80}')",
            "Only a condition joins g with m",
        ),
    ],
)
def test_the_message_names_what_joins_too_many_rows(source: str, message: str) -> None:
    assert message in refused(f"SELECT m.Name FROM {source}").message


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("Movie AS m, Genre AS g WHERE m.Id = g.Id", id="equality"),
        pytest.param(
            "(SELECT 'Movie' AS Kind, Name FROM Movie UNION ALL SELECT 'Theme', Name FROM Theme) "
            "AS m JOIN (VALUES ('Movie', 1), ('Theme', 2)) AS k(Kind, n) ON k.Kind = m.Kind",
            id="a label in a short list",
        ),
        pytest.param(
            "Movie AS m JOIN (SELECT Id / 10 AS d FROM Genre) AS g ON m.ReleaseYear / 10 = g.d",
            id="a decade",
        ),
        pytest.param("Movie AS m JOIN Genre AS g ON m.Id + 1 = g.Id", id="expression"),
        pytest.param("Movie AS m JOIN Genre AS g ON (m.Id = g.Id AND 1 = 1)", id="and"),
        pytest.param(
            "Movie AS m JOIN Genre AS g ON m.Id = g.Id OR m.Name = g.Name", id="or that joins"
        ),
        pytest.param("Movie AS m, Genre AS g WHERE g.Name = 'Drama'", id="pinned"),
        pytest.param("Movie AS m, Genre AS g WHERE g.Id IN (1, 2, 3)", id="pinned by a list"),
        pytest.param("Movie AS m, Genre AS g WHERE 'Drama' = g.Name", id="pinned the other way"),
        pytest.param("Movie AS m CROSS JOIN (SELECT MAX(Id) AS x FROM Genre) AS g", id="one row"),
        pytest.param("Movie AS m CROSS JOIN (SELECT TOP 5 Id FROM Genre) AS g", id="a handful"),
        pytest.param("Movie AS m CROSS JOIN (VALUES (1), (2)) AS g(x)", id="values"),
        pytest.param("Movie AS m CROSS JOIN (SELECT 1 AS x) AS g", id="no table"),
        pytest.param(
            "Movie AS m CROSS APPLY (SELECT g.Id FROM Genre AS g WHERE g.Id = m.Id) AS x",
            id="correlated apply",
        ),
        pytest.param("Movie AS m CROSS APPLY STRING_SPLIT(m.Name, ' ') AS s", id="string_split"),
        pytest.param("Movie AS m LEFT JOIN Genre AS g ON g.Id = m.Id", id="outer join"),
        pytest.param("Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g)", id="match"),
        pytest.param("Movie AS m, Genre AS g WHERE g.Name LIKE 'Dra%'", id="pinned by a prefix"),
        pytest.param("Movie AS m, Genre AS g WHERE g.Id = 1 OR g.Name = 'x'", id="pinned twice"),
        pytest.param(
            "Movie AS m, Genre AS g WHERE g.Id = (SELECT MIN(x.Id) FROM Genre AS x)",
            id="pinned by one value",
        ),
        pytest.param(
            "Movie AS m JOIN (SELECT Id FROM Genre WHERE Name = 'Drama') AS g ON g.Id < m.Id",
            id="pinned in a derived table",
        ),
        pytest.param(
            "Movie AS m JOIN (SELECT Id, COUNT(*) AS n FROM Genre GROUP BY Id) AS g ON g.n < m.Id",
            id="grouped, with a condition",
        ),
        pytest.param(
            "Movie AS m CROSS JOIN Movie AS n WHERE CONTAINS(n.Name, 'x') AND n.Id <> m.Id",
            id="searched, with a condition",
        ),
        pytest.param(
            "Movie AS m CROSS JOIN (SELECT 1 AS x UNION ALL SELECT 2) AS g", id="union of rows"
        ),
    ],
)
def test_tables_that_hang_together_or_stay_small_are_joined(source: str) -> None:
    allowed(f"SELECT m.Name FROM {source}")


def test_every_from_is_looked_at_not_only_the_outermost() -> None:
    for inner in (
        "SELECT COUNT(*) AS n FROM (SELECT a.Id FROM Movie a, Movie b) AS x",
        "SELECT Name FROM Movie WHERE EXISTS (SELECT 1 FROM Movie a, Movie b WHERE a.Id > b.Id)",
        "WITH x AS (SELECT a.Id FROM Movie a CROSS JOIN Movie b) SELECT Id FROM x",
        "SELECT Name FROM Movie UNION SELECT a.Name FROM Movie a, Movie b",
    ):
        assert refused(inner).code == "cartesian_product"


def test_a_chain_of_joins_counts_as_one_group() -> None:
    joins = " ".join(f"JOIN Movie AS a{n} ON a{n}.Id = a{n - 1}.Id" for n in range(1, 10))
    allowed(f"SELECT a0.Name FROM Movie AS a0 {joins}")


def test_a_from_holds_at_most_ten_tables() -> None:
    joins = " ".join(f"JOIN Movie AS a{n} ON a{n}.Id = a{n - 1}.Id" for n in range(1, 11))
    assert refused(f"SELECT a0.Name FROM Movie AS a0 {joins}").code == "too_large"


def test_small_tables_multiply_to_a_bound() -> None:
    digits = ", ".join(f"({n})" for n in range(10))
    tables = [f"(VALUES {digits}) AS d{n}(x)" for n in range(5)]
    allowed(f"SELECT COUNT(*) AS n FROM {' CROSS JOIN '.join(tables[:4])}")
    allowed(f"SELECT COUNT(*) AS n FROM Movie AS m CROSS JOIN {' CROSS JOIN '.join(tables[:3])}")
    for source in (" CROSS JOIN ".join(tables), "Movie AS m CROSS JOIN " + ", ".join(tables[:4])):
        decision = refused(f"SELECT COUNT(*) AS n FROM {source}")
        assert (decision.code, "multiply" in decision.message) == ("cartesian_product", True)


def test_rows_of_derived_tables_multiply_too() -> None:
    digits = ", ".join(f"({n})" for n in range(10))
    hundred = f"(SELECT a.x FROM (VALUES {digits}) AS a(x), (VALUES {digits}) AS b(x))"
    allowed(f"SELECT COUNT(*) AS n FROM Movie AS m CROSS JOIN {hundred} AS p")
    sql = (
        f"SELECT COUNT(*) AS n FROM Movie AS m CROSS JOIN {hundred} AS p CROSS JOIN {hundred} AS q"
    )
    assert refused(sql).code == "cartesian_product"


def test_lists_of_joined_tables_do_not_multiply() -> None:
    ids = ", ".join(map(str, range(150)))
    allowed(
        "SELECT m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g "
        f"WHERE MATCH(m-(i)->g) AND m.Id IN ({ids}) AND g.Id IN ({ids})"
    )
