from collections.abc import Callable

from moviegraph.repair.driver import Repaired

FROM_CLAUSE = (
    "FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, "
    "dbo.Movie FOR PATH AS b"
)
BARE = FROM_CLAUSE.replace(" FOR PATH", "")
PATH_SELECT = "SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n {} WHERE MATCH({})"
PATH = "SHORTEST_PATH(a(-(e)->g<-(f)-b)+)"
HOP = f"{FROM_CLAUSE}, SET_IN i, Setting s"
RIGHT = PATH_SELECT.format(FROM_CLAUSE, PATH)


def test_an_edge_that_repeats_is_listed_for_path(
    outcome: Callable[[str], tuple[str, list[str]]],
) -> None:
    statement = PATH_SELECT.format(FROM_CLAUSE, PATH).replace("IN_GENRE FOR PATH f, ", "")
    text, rules = outcome(statement)
    assert rules == ["missing_edge", "for_path"]
    assert "FROM dbo.IN_GENRE FOR PATH AS f, " in text


def test_a_path_that_an_engine_does_not_run_gets_no_group(
    repair_sql: Callable[[str], Repaired],
) -> None:
    sql = RIGHT.replace("SELECT ", "SELECT a.Name, COUNT(b.Id) WITHIN GROUP (GRAPH PATH) AS m, ")
    assert repair_sql(sql).changes == ()
