from collections.abc import Callable

from moviegraph.repair.driver import Repaired


def test_a_quoted_name_that_exists_stays_a_name(repair_sql: Callable[[str], Repaired]) -> None:
    repaired = repair_sql('SELECT "Name" FROM Movie m WHERE m.Content LIKE "Name" && m.Id = 1')

    assert repaired.sql == 'SELECT "Name" FROM Movie m WHERE m.Content LIKE "Name"  AND  m.Id = 1'
