import pytest
from golden.decisions import TOY, allowed, refused

FILMS = "SELECT m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE {}"


def test_a_wrong_arrow_is_answered_with_the_right_one() -> None:
    decision = refused(FILMS.format("MATCH(g-(i)->m)"))
    assert decision.code == "wrong_arrow"
    assert decision.suggestions == ("m-(i)->g", "g<-(i)-m")
    assert "IN_GENRE goes Movie -> Genre" in decision.message
    for arrow in decision.suggestions:
        allowed(FILMS.format(f"MATCH({arrow})"))


def test_an_edge_table_of_other_kinds_is_answered_with_the_fitting_one() -> None:
    decision = refused(
        "SELECT m.Name FROM Movie AS m, SET_IN AS s, Genre AS g WHERE MATCH(m-(s)->g)"
    )
    assert decision.code == "wrong_arrow"
    assert decision.suggestions == ("IN_GENRE",)


def test_directions_come_from_the_contract_that_is_served() -> None:
    sql = "SELECT r.Title FROM Recipe AS r, NEEDS AS n, Ingredient AS i WHERE MATCH({})"
    allowed(sql.format("r-(n)->i"), TOY)
    assert refused(sql.format("i-(n)->r"), TOY).code == "wrong_arrow"


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        pytest.param("MATCH(m-(x)->g)", "missing_edge_alias", id="edge not listed"),
        pytest.param("MATCH(m-(IN_GENRE)->g)", "missing_edge_alias", id="edge table by name"),
        pytest.param("MATCH(m-(g)->g)", "missing_edge_alias", id="node as an edge"),
        pytest.param("MATCH(m-()->g)", "missing_edge_alias", id="no edge"),
        pytest.param("MATCH(x-(i)->g)", "unknown_alias", id="node not listed"),
        pytest.param("MATCH(i-(i)->g)", "match_syntax", id="edge as a node"),
        pytest.param("MATCH(m-(i)->g AND m-(i)->g)", "edge_used_twice", id="edge twice"),
        pytest.param("MATCH(m-(i)->g) AND MATCH(m-(i)->g)", "edge_used_twice", id="over two"),
        pytest.param("MATCH(m-(i)->g) OR m.Id = 1", "match_place", id="or"),
        pytest.param("NOT MATCH(m-(i)->g)", "match_place", id="not"),
        pytest.param("NOT (MATCH(m-(i)->g) AND m.Id = 1)", "match_place", id="not around and"),
        pytest.param("IIF(MATCH(m-(i)->g), 1, 0) = 1", "match_place", id="iif"),
    ],
)
def test_a_wrong_match_has_its_own_code(condition: str, code: str) -> None:
    assert refused(FILMS.format(condition)).code == code


@pytest.mark.parametrize(
    "condition",
    [
        "MATCH(m-(i)->g) AND m.Id = 1",
        "(MATCH(m-(i)->g)) AND (m.Id = 1 OR m.Id = 2)",
        "m.Id = 1 AND (MATCH(m-(i)->g) AND g.Name = 'Drama')",
        "MATCH(g<-(i)-m)",
    ],
)
def test_match_is_allowed_under_and(condition: str) -> None:
    allowed(FILMS.format(condition))


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        pytest.param(
            "SELECT m.Name FROM Movie m JOIN Genre g ON g.Id = m.Id, IN_GENRE i "
            "WHERE MATCH(m-(i)->g)",
            "match_with_join",
            id="join",
        ),
        pytest.param(
            "SELECT m.Name FROM Movie m CROSS APPLY (SELECT m.Id AS a) x, IN_GENRE i, Genre g "
            "WHERE MATCH(m-(i)->g)",
            "match_with_join",
            id="apply",
        ),
        pytest.param(
            "SELECT m.Name FROM (SELECT * FROM Movie) m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g)",
            "match_syntax",
            id="derived table",
        ),
        pytest.param(
            "WITH m AS (SELECT * FROM Movie) SELECT m.Name FROM m, IN_GENRE i, Genre g "
            "WHERE MATCH(m-(i)->g)",
            "match_syntax",
            id="cte",
        ),
        pytest.param(
            "SELECT m.Name FROM Movie m WHERE EXISTS "
            "(SELECT 1 FROM IN_GENRE i, Genre g WHERE MATCH(m-(i)->g))",
            "unknown_alias",
            id="node of the outer query",
        ),
    ],
)
def test_match_takes_base_tables_of_its_own_from_between_commas(sql: str, code: str) -> None:
    assert refused(sql).code == code


def test_patterns_are_kept_as_records_in_the_order_of_the_text() -> None:
    decision = allowed(
        "SELECT TOP 5 m.Name FROM Movie m, IN_GENRE i, Genre g, SET_IN s, Setting p "
        "WHERE MATCH(m-(i)->g) AND MATCH(p<-(s)-m)"
    )
    assert [match.sql() for match in decision.matches] == [
        "MATCH([m]-([i])->[g])",
        "MATCH([p]<-([s])-[m])",
    ]
