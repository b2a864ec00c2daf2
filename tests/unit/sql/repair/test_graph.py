from collections.abc import Callable

import pytest

from moviegraph.sql.repair.rules import Repaired

FROM = "SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE"
CASES = [
    pytest.param(
        "turned_arrow", f"{FROM} MATCH(g-(e)->m)", f"{FROM} MATCH(g<-(e)-m)", id="wrong arrow"
    ),
    pytest.param(
        "turned_arrow", f"{FROM} MATCH(m<-(e)-g)", f"{FROM} MATCH(m-(e)->g)", id="wrong way back"
    ),
    pytest.param("turned_arrow", f"{FROM} MATCH(m-(e)-g)", f"{FROM} MATCH(m-(e)->g)", id="no head"),
    pytest.param(
        "match_shape", f"{FROM} MATCH(m-[e]->g)", f"{FROM} MATCH(m-(e)->g)", id="edge in brackets"
    ),
    pytest.param(
        "match_shape",
        f"{FROM} MATCH((m)-(e)->(g))",
        f"{FROM} MATCH(m-(e)->g)",
        id="nodes in parentheses",
    ),
    pytest.param(
        "match_shape",
        f"{FROM} MATCH((g)<-[e]-(m)) AND g.Name = 'War'",
        f"{FROM} MATCH(g<-(e)-m) AND g.Name = 'War'",
        id="both",
    ),
    pytest.param(
        "bare_match",
        f"{FROM} MATCH m-(e)->g AND g.Name = 'War'",
        f"{FROM} MATCH(m-(e)->g) AND g.Name = 'War'",
        id="MATCH without parentheses",
    ),
    pytest.param(
        "missing_edge",
        "SELECT m.Name FROM Movie m, Genre g WHERE MATCH(m-(IN_GENRE)->g)",
        "SELECT m.Name FROM dbo.IN_GENRE AS e1, Movie m, Genre g WHERE MATCH(m-(e1)->g)",
        id="edge named by its table",
    ),
    pytest.param(
        "missing_edge",
        "SELECT m.Name FROM Movie m, Genre g WHERE MATCH(g<-(e)-m)",
        "SELECT m.Name FROM dbo.IN_GENRE AS e, Movie m, Genre g WHERE MATCH(g<-(e)-m)",
        id="the only edge between its ends",
    ),
    pytest.param(
        "missing_edge", f"{FROM} MATCH(m-(IN_GENRE)->g)", f"{FROM} MATCH(m-(e)->g)", id="by alias"
    ),
    pytest.param(
        "missing_node",
        "SELECT m.Name FROM Movie m, IN_GENRE e WHERE MATCH(m-(e)->g) AND g.Name = 'War'",
        "SELECT m.Name FROM dbo.Genre AS g, Movie m, IN_GENRE e "
        "WHERE MATCH(m-(e)->g) AND g.Name = 'War'",
        id="node that only MATCH names",
    ),
    pytest.param(
        "outer_node",
        "SELECT m.Name FROM Movie m WHERE NOT EXISTS "
        "(SELECT 1 FROM IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND g.Name = 'War')",
        "SELECT m.Name FROM Movie m WHERE NOT EXISTS "
        "(SELECT 1 FROM dbo.Movie AS m1, IN_GENRE e, Genre g "
        "WHERE m1.Id = m.Id AND MATCH(m1-(e)->g) AND g.Name = 'War')",
        id="node of the outer query",
    ),
    pytest.param(
        "repeated_edge",
        "SELECT n.Name FROM Movie m, INCLUDES_THEME e, Theme t, Movie n "
        "WHERE MATCH(m-(e)->t<-(e)-n) AND m.Id = 1",
        "SELECT n.Name FROM dbo.INCLUDES_THEME AS e1, Movie m, INCLUDES_THEME e, Theme t, Movie n "
        "WHERE MATCH(m-(e)->t<-(e1)-n) AND m.Id = 1",
        id="one edge for two hops",
    ),
    pytest.param(
        "edge_by_ends",
        "SELECT m.Name FROM Movie m, HAS_THEME e, Theme t WHERE MATCH(m-(e)->t)",
        "SELECT m.Name FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t)",
        id="made-up edge with the right ends",
    ),
    pytest.param(
        "match_with_join",
        "SELECT m.Name FROM Movie m JOIN IN_GENRE e ON 1 = 1 JOIN Genre g ON g.Id > 0 "
        "WHERE MATCH(m-(e)->g) ORDER BY m.Id",
        "SELECT m.Name FROM Movie m, IN_GENRE e, Genre g "
        "WHERE g.Id > 0 AND MATCH(m-(e)->g) ORDER BY m.Id",
        id="MATCH among joins",
    ),
    pytest.param(
        "match_with_join",
        "SELECT m.Name FROM Movie m INNER JOIN IN_GENRE e ON MATCH(m-(e)->g) CROSS JOIN Genre g "
        "WHERE g.Name = 'War' OR g.Name = 'Drama'",
        "SELECT m.Name FROM Movie m, IN_GENRE e, Genre g "
        "WHERE MATCH(m-(e)->g) AND (g.Name = 'War' OR g.Name = 'Drama')",
        id="MATCH in ON keeps an OR together",
    ),
]


@pytest.mark.parametrize(("rule", "broken", "mended"), CASES)
def test_a_pattern_is_mended(
    rule: str, broken: str, mended: str, outcome: Callable[[str], tuple[str, list[str]]]
) -> None:
    assert outcome(broken) == (mended, [rule])


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param(
            "SELECT m.Name FROM Movie m, IN_GENRE e, Theme t WHERE MATCH(m-(e)->t)",
            id="an edge to another kind",
        ),
        pytest.param(
            "SELECT m.Name FROM Movie m, DIRECTED_BY e, Character c WHERE MATCH(m-(e)->c)",
            id="an edge of another meaning",
        ),
        pytest.param(
            "SELECT m.Name FROM Movie m LEFT JOIN IN_GENRE e ON MATCH(m-(e)->g), Genre g",
            id="an outer join",
        ),
        pytest.param(
            "SELECT a.Name FROM Movie a, Movie b WHERE MATCH(a-(e)->b)", id="no such edge"
        ),
        pytest.param(
            f"{FROM} MATCH(m-(e)->g) OR g.Name = 'War'", id="MATCH under OR with a node of its own"
        ),
        pytest.param(f"{FROM} MATCH(m-(e)->x) AND g.Name = 'War'", id="a node under two names"),
    ],
)
def test_a_pattern_that_could_mean_anything_is_left(
    sql: str, mend: Callable[[str], Repaired]
) -> None:
    assert mend(sql).changes == ()
