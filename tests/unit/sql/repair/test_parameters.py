"""Variables are the vector of the query, or values."""

from collections.abc import Callable

import pytest

from moviegraph.sql.repair.rules import Repaired

CASES = [
    pytest.param(
        ["declaration"],
        "DECLARE @v VECTOR(3) = '[1,2,3]'; SELECT TOP 3 Name FROM Movie ORDER BY "
        "VECTOR_DISTANCE('cosine', Embedding, @v)",
        "SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)",
        id="a vector",
    ),
    pytest.param(
        ["harmless_preamble", "declaration"],
        "SET NOCOUNT ON; DECLARE @q VECTOR(3); SET @q = AI_GENERATE_EMBEDDINGS('x' "
        "USE MODEL y); SELECT TOP 3 Name FROM Movie ORDER BY "
        "VECTOR_DISTANCE('cosine', Embedding, @q)",
        "SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @q)",
        id="a vector set later",
    ),
    pytest.param(
        ["declaration"],
        "DECLARE @a INT = 1970, @b NVARCHAR(20) = N'%Star%'; SELECT Name FROM Movie "
        "WHERE ReleaseYear > @a AND Name LIKE @b",
        "SELECT Name FROM Movie WHERE ReleaseYear > 1970 AND Name LIKE N'%Star%'",
        id="values",
    ),
    pytest.param(
        ["declaration"],
        "DECLARE @v VECTOR(3) = (SELECT Embedding FROM Movie WHERE Id = 1); SELECT "
        "TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, @v)",
        "SELECT TOP 3 Name FROM Movie ORDER BY VECTOR_DISTANCE('cosine', Embedding, "
        "(SELECT Embedding FROM Movie WHERE Id = 1))",
        id="a vector of the graph",
    ),
]


@pytest.mark.parametrize(("rules", "broken", "mended"), CASES)
def test_a_declaration_is_resolved(
    rules: list[str],
    broken: str,
    mended: str,
    outcome: Callable[[str], tuple[str, list[str]]],
) -> None:
    assert outcome(broken) == (mended, rules)


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param(
            "DECLARE @a VECTOR(3), @b VECTOR(3); SELECT TOP 3 Name FROM Movie ORDER BY "
            "VECTOR_DISTANCE('cosine', @a, @b)",
            id="two vectors",
        ),
        pytest.param(
            "DECLARE @a INT = YEAR(GETDATE()) - 10; SELECT Name FROM Movie WHERE ReleaseYear > @a",
            id="a value that is computed",
        ),
    ],
)
def test_what_could_mean_something_else_is_left(sql: str, mend: Callable[[str], Repaired]) -> None:
    assert mend(sql).changes == ()
