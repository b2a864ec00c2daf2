"""GROUP BY a key and more: the further columns, which depend on the key, are any of their group."""

from collections.abc import Callable

import pytest

from moviegraph.engines.base import ResultSet

Run = Callable[..., ResultSet]
FILMS = "FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t)"


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        pytest.param(
            f"SELECT m.Name, COUNT(*) AS n {FILMS} GROUP BY m.Id, m.Name ORDER BY m.Name",
            [
                ("Alien", 1),
                ("Dune", 2),
                ("Star Wars", 2),
                ("The Empire Strikes Back", 1),
                ("The Matrix", 2),
            ],
            id="name and number",
        ),
        pytest.param(
            "SELECT m.Name, m.Id FROM Movie AS m WHERE m.Name = 'alien' GROUP BY m.Name, m.Id "
            "ORDER BY m.Id",
            [("Alien", 4), ("alien", 7)],
            id="two films of one name stay two, each with its own",
        ),
        pytest.param(
            "SELECT m.Id, UPPER(m.Name) AS u, COUNT(DISTINCT m.Name) AS n FROM Movie AS m "
            "WHERE m.Name LIKE 'D%' GROUP BY m.Id, m.Name HAVING m.Name > 'A'",
            [(3, "DUNE", 1)],
            id="in expressions, aggregates, WHERE and HAVING",
        ),
        pytest.param(
            "SELECT m.Id, m.ReleaseYear FROM Movie AS m GROUP BY m.Id, m.ReleaseYear "
            "HAVING m.ReleaseYear IS NULL",
            [(6, None)],
            id="NULL stays NULL",
        ),
        pytest.param(
            f"SELECT t.Name, m.ReleaseYear, COUNT(*) AS n {FILMS} AND t.Id = 3 "
            "GROUP BY t.Id, t.Name, m.ReleaseYear",
            [("Survival", 1979, 1)],
            id="a column of another table still divides",
        ),
        pytest.param(
            "SELECT m.Id, m.Name, (SELECT COUNT(*) FROM Movie AS o WHERE o.Name = m.Name) AS n "
            "FROM Movie AS m WHERE m.Id IN (3, 4) GROUP BY m.Id, m.Name ORDER BY m.Id",
            [(3, "Dune", 1), (4, "Alien", 2)],
            id="beside a subquery that looks at it",
        ),
        pytest.param(
            "SELECT m.Name, COUNT(*) AS n FROM Movie AS m WHERE m.Id < 3 "
            "GROUP BY ROLLUP (m.Id, m.Name) ORDER BY n, m.Name",
            [(None, 1), (None, 1), ("Star Wars", 1), ("The Empire Strikes Back", 1), (None, 2)],
            id="with totals",
        ),
        pytest.param(
            "SELECT g.Name, COUNT(m.Id) AS n FROM Genre AS g LEFT JOIN IN_GENRE AS i "
            "ON i.$to_id = g.$node_id LEFT JOIN Movie AS m ON m.$node_id = i.$from_id "
            "AND m.Id > 4 GROUP BY g.Name, g.Id ORDER BY g.Id",
            [("Science Fiction", 1), ("Drama", 1), ("Horror", 0)],
            id="beside outer joins",
        ),
    ],
)
def test_a_group_by_a_key_gives_its_other_columns(
    run: Run, sql: str, rows: list[tuple[object, ...]]
) -> None:
    assert run(sql).rows == rows
