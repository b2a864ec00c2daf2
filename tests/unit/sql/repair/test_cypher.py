"""Cypher becomes T-SQL with MATCH."""

from collections.abc import Callable

import pytest

from moviegraph.sql.repair.rules import Repaired

CASES = [
    pytest.param(
        ["cypher_statement"],
        "MATCH (m:Movie)-[:IN_GENRE]->(g:Genre {Name: 'Drama'}) WHERE m.Name "
        "CONTAINS 'a' RETURN m.Name ORDER BY m.Name LIMIT 3",
        "SELECT TOP 3 m.Name FROM Movie AS m, Genre AS g, IN_GENRE AS e1 WHERE "
        "MATCH(m-(e1)->g) AND g.Name = 'Drama' AND m.Name LIKE '%a%' ORDER BY "
        "m.Name",
        id="a statement",
    ),
    pytest.param(
        ["cypher_statement", "missing_group"],
        "MATCH (t:Theme)<-[:INCLUDES_THEME]-(m:Movie) RETURN t.Name, count(m) AS n ORDER BY n DESC",
        "SELECT t.Name, COUNT(*) AS n FROM Theme AS t, Movie AS m, INCLUDES_THEME "
        "AS e1 WHERE MATCH(t<-(e1)-m) GROUP BY t.Name ORDER BY n DESC",
        id="a backward edge and a count",
    ),
    pytest.param(
        ["cypher_statement"],
        "MATCH (m:Movie)-[:IN_GENRE]->(g:Genre), (m)-[:SET_IN]->(s:Setting) RETURN DISTINCT m.Name",
        "SELECT DISTINCT m.Name FROM Movie AS m, Genre AS g, Setting AS s, IN_GENRE "
        "AS e1, SET_IN AS e2 WHERE MATCH(m-(e1)->g AND m-(e2)->s)",
        id="two patterns",
    ),
    pytest.param(
        ["cypher_statement"],
        "MATCH (g:Genre) RETURN g SKIP 1 LIMIT 2",
        "SELECT g.Id, g.Name, g.Content FROM Genre AS g ORDER BY 1 OFFSET 1 ROWS "
        "FETCH NEXT 2 ROWS ONLY",
        id="a node alone",
    ),
    pytest.param(
        ["cypher_pattern"],
        "SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE "
        "MATCH((m:Movie)-[e:IN_GENRE]->(g:Genre))",
        "SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)",
        id="labels in MATCH",
    ),
    pytest.param(
        ["cypher_pattern"],
        "SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m--(e)-->g)",
        "SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)",
        id="long arrows",
    ),
]


@pytest.mark.parametrize(("rules", "broken", "mended"), CASES)
def test_cypher_is_translated(
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
            "MATCH (m:Movie)-[:IN_GENRE*1..3]->(g:Genre) RETURN m.Name", id="steps of any number"
        ),
        pytest.param(
            "OPTIONAL MATCH (m:Movie)-[:IN_GENRE]->(g:Genre) RETURN m.Name",
            id="an optional pattern",
        ),
        pytest.param(
            "MATCH (m:Movie) WHERE m.Name =~ 'S.*' RETURN m.Name", id="a regular expression"
        ),
        pytest.param("MATCH (m:Movie) SET m.Name = 1 RETURN m.Name", id="a change"),
    ],
)
def test_what_could_mean_something_else_is_left(sql: str, mend: Callable[[str], Repaired]) -> None:
    assert mend(sql).changes == ()
