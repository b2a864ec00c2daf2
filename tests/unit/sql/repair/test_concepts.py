"""What a relational schema holds in columns and joining tables stands on edges."""

from collections.abc import Callable

import pytest

from moviegraph.sql.repair.rules import Repaired

CASES = [
    pytest.param(
        ["concept_column"],
        "SELECT m.Name FROM Movie m WHERE m.Genre = 'Drama'",
        "SELECT m.Name FROM Movie m WHERE EXISTS (SELECT 1 FROM dbo.IN_GENRE AS e1 "
        "JOIN dbo.Genre AS g1 ON g1.$node_id = e1.$to_id WHERE e1.$from_id = "
        "m.$node_id AND g1.Name = 'Drama')",
        id="a genre as a column",
    ),
    pytest.param(
        ["concept_column"],
        "SELECT Name FROM Movie WHERE Theme <> 'War'",
        "SELECT Name FROM Movie WHERE NOT EXISTS (SELECT 1 FROM dbo.INCLUDES_THEME "
        "AS e1 JOIN dbo.Theme AS t1 ON t1.$node_id = e1.$to_id WHERE e1.$from_id = "
        "Movie.$node_id AND t1.Name = 'War')",
        id="a theme as a column, not equal",
    ),
    pytest.param(
        ["concept_column"],
        "SELECT m.Name FROM Movie m WHERE m.Genres NOT IN ('War', 'Drama')",
        "SELECT m.Name FROM Movie m WHERE NOT EXISTS (SELECT 1 FROM dbo.IN_GENRE AS "
        "e1 JOIN dbo.Genre AS g1 ON g1.$node_id = e1.$to_id WHERE e1.$from_id = "
        "m.$node_id AND g1.Name IN ('War', 'Drama'))",
        id="genres in a list",
    ),
    pytest.param(
        ["joining_table"],
        "SELECT m.Name FROM Movie m, MovieGenre mg, Genre g WHERE MATCH(m-(mg)->g)",
        "SELECT m.Name FROM Movie m, IN_GENRE mg, Genre g WHERE MATCH(m-(mg)->g)",
        id="a joining table",
    ),
    pytest.param(
        ["year_of_date"],
        "SELECT Name FROM Movie WHERE YEAR(ReleaseDate) = 1999",
        "SELECT Name FROM Movie WHERE ReleaseYear = 1999",
        id="the year of a date",
    ),
    pytest.param(
        ["foreign_database"],
        "SELECT Name FROM MovieDB.dbo.Movie",
        "SELECT Name FROM Movie",
        id="a database in front",
    ),
    pytest.param(
        ["own_key"],
        "SELECT m.Name FROM CONTAINSTABLE(Movie, Name, 'star') k JOIN Movie m ON "
        "m.$node_id = k.[KEY]",
        "SELECT m.Name FROM CONTAINSTABLE(Movie, Name, 'star') k JOIN Movie m ON m.Id = k.[KEY]",
        id="the key of a search",
    ),
    pytest.param(
        ["foreign_key"],
        "SELECT m.Name FROM Movie m JOIN Theme t ON t.MovieId = m.Id",
        "SELECT m.Name FROM Movie m JOIN dbo.INCLUDES_THEME AS e1 ON e1.$from_id = "
        "m.$node_id JOIN Theme t ON e1.$to_id = t.$node_id",
        id="a foreign key",
    ),
    pytest.param(
        ["foreign_key"],
        "SELECT m.Name FROM Movie m, Theme t WHERE m.ThemeId = t.Id",
        "SELECT m.Name FROM Movie m, Theme t, dbo.INCLUDES_THEME AS e1 WHERE "
        "e1.$from_id = m.$node_id AND e1.$to_id = t.$node_id",
        id="a foreign key between commas",
    ),
]


@pytest.mark.parametrize(("rules", "broken", "mended"), CASES)
def test_what_the_graph_has_as_an_edge_is_asked_there(
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
            "SELECT m.Name FROM Movie m WHERE m.Director = 'X'",
            id="a column of another table compared",
        ),
        pytest.param("SELECT m.Name, m.Genre FROM Movie m", id="a genre listed"),
        pytest.param(
            "SELECT t.Name FROM Theme t JOIN Genre g ON t.GenreId = g.Id",
            id="a foreign key without an edge",
        ),
        pytest.param("SELECT Name FROM master.dbo.Movie", id="a system database"),
    ],
)
def test_what_could_mean_something_else_is_left(sql: str, mend: Callable[[str], Repaired]) -> None:
    assert mend(sql).changes == ()
