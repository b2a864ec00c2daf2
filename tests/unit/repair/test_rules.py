from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.repair.context import RefusedStatement
from moviegraph.repair.driver import RULES, Repaired, repair
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge


def test_a_statement_that_is_allowed_is_returned_as_it_is(movies: Contract) -> None:
    for example in movies.examples:
        assert repair(example.sql, movies) == Repaired(example.sql)


def test_no_rule_touches_a_statement_that_is_right(movies: Contract, kitchen: Contract) -> None:
    for contract in (movies, kitchen):
        for example in contract.examples:
            statement = RefusedStatement(example.sql, contract)
            result = {rule.name: rule.apply(statement) for rule in RULES if not rule.codes}
            assert not {name: decision for name, decision in result.items() if decision is not None}


def test_strings_are_never_touched_and_comments_are_never_read(
    repair_sql: Callable[[str], Repaired],
) -> None:
    repaired = repair_sql(
        "SELECT m.Title /* m.Title || NOW() */ FROM Movies m -- Movies ILIKE\n"
        "WHERE m.Content ILIKE 'Movies || NOW() ::int TRUE ILIKE m.Title'"
    )

    assert "'Movies || NOW() ::int TRUE ILIKE m.Title'" in repaired.sql
    assert {change.rule for change in repaired.changes} == {
        "foreign_dialect",
        "unknown_tables",
        "unknown_column",
    }


def test_several_faults_are_repaired_one_after_another(
    repair_sql: Callable[[str], Repaired], movies: Contract
) -> None:
    repaired = repair_sql(
        "SELECT m.title, COUNT(*) AS n FROM movies m JOIN INCLUDES_THEME e JOIN Themes t "
        "ON MATCH(t-(e)->m) WHERE m.Year > 1990 AND CONTAINS(m.Plot, 'space pirates') "
        'AND t.Name <> "War" GROUP BY m.Id, m.title HAVING n > 1 LIMIT 10'
    )

    assert isinstance(judge(repaired.sql, movies), Allowed)
    assert repaired.sql == (
        "SELECT TOP 10 m.Name, COUNT(*) AS n FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t "
        "WHERE m.ReleaseYear > 1990 AND CONTAINS(m.Content, '\"space pirates\"') "
        "AND t.Name <> 'War' AND MATCH([t]<-([e])-[m]) "
        "GROUP BY m.Id, m.Name HAVING COUNT(*) > 1"
    )


def test_each_change_is_named_with_its_text_before_and_after(
    repair_sql: Callable[[str], Repaired],
) -> None:
    (change,) = repair_sql("SELECT m.Name FROM Movies m WHERE m.Name LIKE 'a%'").changes

    assert (change.rule, change.before, change.after) == ("unknown_tables", "Movies", "Movie")
    assert change.why.endswith(".")


def test_without_an_accepted_repair_nothing_is_changed_and_the_rest_is_reported(
    repair_sql: Callable[[str], Repaired],
) -> None:
    sql = "SELECT m.Title, m.Director FROM Movies m"
    repaired = repair_sql(sql)

    assert (repaired.sql, repaired.changes) == (sql, ())
    assert repaired.rest is not None
    assert repaired.rest.code == "unknown_column"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("\0", id="NUL"),
        pytest.param("SELECT", id="half a statement"),
        pytest.param("(((((((", id="open parentheses"),
        pytest.param(")))) FROM , , JOIN ON AS", id="loose words"),
        pytest.param("SELECT MATCH(a-(", id="half a pattern"),
        pytest.param("SELECT CAST(x AS", id="half a cast"),
        pytest.param("|| :: <=> INTERVAL NULLS LAST", id="loose operators"),
        pytest.param("SELECT VECTOR_DISTANCE( , ) FROM CONTAINS(", id="empty arguments"),
        pytest.param("x" * 50_000, id="too long"),
        pytest.param("SELECT a FROM b WHERE '" * 300, id="many quotes"),
    ],
)
def test_any_text_is_survived(text: str, repair_sql: Callable[[str], Repaired]) -> None:
    assert repair_sql(text).sql == text


def test_a_path_that_an_engine_does_not_run_gets_no_group(
    repair_sql: Callable[[str], Repaired],
) -> None:
    sql = (
        "SELECT a.Name, COUNT(b.Id) WITHIN GROUP (GRAPH PATH) AS n FROM Movie a, "
        "IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, Movie FOR PATH AS b "
        "WHERE MATCH(SHORTEST_PATH(a(-(e)->g<-(f)-b)+))"
    )
    assert repair_sql(sql).changes == ()


CONTRACT = load_contract()
WORDS = """
    SELECT FROM WHERE GROUP BY ORDER HAVING JOIN ON MATCH ( ) , . - -> <- = m e g m.Id m.Name Movie
    IN_GENRE Genre Movies AS TOP 5 'x' "y" 'a\tb' CONTAINS VECTOR_DISTANCE @q ? 'cosine' :: || LIMIT
    OFFSET NULLS LAST INTERVAL EXTRACT CAST TEXT SUBSTR GROUP_CONCAT COUNT(*) DISTINCT UNION WITH
    TRUE <=> [e] -(e)-> <-(e)- NOW() CURRENT_DATE FETCH FIRST IN EXISTS NOT AND OR OVER m.Title Plot
    e.MovieId YEAR( DATEDIFF( DATEADD( year m.ReleaseYear BETWEEN > GETDATE()
    DECLARE FOR JSON PATH LEFT MINUS && 1 ;
""".split()


@given(st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join))
def test_no_rule_fails_on_any_row_of_words(text: str) -> None:
    refused = judge(text, CONTRACT)
    for code in ("syntax", getattr(refused, "code", "")):
        for start in (0, 10, 40):
            statement = RefusedStatement(text, CONTRACT, code, (start, start + 1))
            for rule in RULES:
                rule.apply(statement)


@given(st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join))
def test_what_is_repaired_is_allowed(text: str) -> None:
    repaired = repair(text, CONTRACT)

    assert repaired.sql == text or isinstance(judge(repaired.sql, CONTRACT), Allowed)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT Name FROM Movie ORDER BY Id NULLS FIRST LIMIT 5",
        "SELECT Name FROM Movie WHERE ReleaseYear == 1990 LIMIT 5",
        "SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(g-(e)->m) LIMIT 3",
    ],
)
def test_a_change_of_the_whole_statement_names_each_word_that_it_replaces(
    sql: str, repair_sql: Callable[[str], Repaired]
) -> None:
    whys = " ".join(change.why for change in repair_sql(sql).changes)
    assert "LIMIT" in whys
    assert "TOP" in whys
