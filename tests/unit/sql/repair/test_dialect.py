from collections.abc import Callable

import pytest

from moviegraph.sql.repair.rules import Repaired

CASES = [
    pytest.param(
        "ilike",
        "SELECT m.Name FROM Movie m WHERE m.Name NOT ILIKE '%ilike%'",
        "SELECT m.Name FROM Movie m WHERE m.Name NOT LIKE '%ilike%'",
        id="ILIKE is LIKE",
    ),
    pytest.param(
        "operators",
        "SELECT m.Name FROM Movie m WHERE m.Id > 3 && m.Id < 9",
        "SELECT m.Name FROM Movie m WHERE m.Id > 3  AND  m.Id < 9",
        id="two ampersands are AND",
    ),
    pytest.param(
        "operators",
        "SELECT m.Name FROM Movie m MINUS SELECT m.Name FROM Movie m WHERE m.Id = 3",
        "SELECT m.Name FROM Movie m EXCEPT SELECT m.Name FROM Movie m WHERE m.Id = 3",
        id="MINUS is EXCEPT",
    ),
    pytest.param(
        "concatenation",
        "SELECT m.Name || ' || ' || m.Content AS t FROM Movie m",
        "SELECT m.Name + ' || ' + m.Content AS t FROM Movie m",
        id="bars join strings",
    ),
    pytest.param(
        "concatenation",
        "SELECT m.Name || ' ' || m.ReleaseYear AS t FROM Movie m",
        "SELECT m.Name + ' ' + CAST(m.ReleaseYear AS NVARCHAR(30)) AS t FROM Movie m",
        id="a joined number is cast",
    ),
    pytest.param(
        "truth_values",
        "SELECT m.Name FROM Movie m WHERE TRUE AND m.Id > 3",
        "SELECT m.Name FROM Movie m WHERE 1 = 1 AND m.Id > 3",
        id="TRUE as a condition",
    ),
    pytest.param(
        "truth_values",
        "SELECT CASE WHEN m.Id > 3 THEN TRUE ELSE FALSE END AS b FROM Movie m",
        "SELECT CASE WHEN m.Id > 3 THEN 1 ELSE 0 END AS b FROM Movie m",
        id="TRUE and FALSE as values",
    ),
    pytest.param(
        "compared_predicate",
        "SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, 'war') = 1",
        "SELECT m.Name FROM Movie m WHERE CONTAINS(m.Content, 'war')",
        id="CONTAINS compared with 1",
    ),
    pytest.param(
        "compared_predicate",
        "SELECT m.Name FROM Movie m WHERE FREETEXT(m.Content, 'war') = FALSE",
        "SELECT m.Name FROM Movie m WHERE NOT FREETEXT(m.Content, 'war')",
        id="FREETEXT compared with FALSE",
    ),
    pytest.param(
        "double_quoted_text",
        'SELECT m.Name FROM Movie m WHERE m.Name IN ("Jaws", "Ocean\'s Eleven")',
        "SELECT m.Name FROM Movie m WHERE m.Name IN ('Jaws', 'Ocean''s Eleven')",
        id="text in double quotes",
    ),
    pytest.param(
        "limit_offset",
        "SELECT m.Name FROM Movie m ORDER BY m.Id LIMIT 10 OFFSET 5;",
        "SELECT m.Name FROM Movie m ORDER BY m.Id OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY;",
        id="LIMIT with OFFSET",
    ),
    pytest.param(
        "limit_offset",
        "SELECT m.Name FROM Movie m ORDER BY m.Id LIMIT 5, 10",
        "SELECT m.Name FROM Movie m ORDER BY m.Id OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY",
        id="LIMIT with two numbers",
    ),
    pytest.param(
        "fetch_first",
        "SELECT m.Name FROM Movie m ORDER BY m.Id FETCH FIRST 10 ROWS ONLY",
        "SELECT TOP 10 m.Name FROM Movie m ORDER BY m.Id ",
        id="FETCH without OFFSET",
    ),
    pytest.param(
        "nulls_order",
        "SELECT m.Name FROM Movie m ORDER BY m.ReleaseYear NULLS LAST",
        "SELECT m.Name FROM Movie m "
        "ORDER BY CASE WHEN m.ReleaseYear IS NULL THEN 1 ELSE 0 END, m.ReleaseYear",
        id="NULLS LAST",
    ),
]


@pytest.mark.parametrize(("rule", "broken", "mended"), CASES)
def test_words_of_other_dialects_become_t_sql(
    rule: str, broken: str, mended: str, outcome: Callable[[str], tuple[str, list[str]]]
) -> None:
    assert outcome(broken) == (mended, [rule])


def test_a_quoted_name_that_exists_stays_a_name(mend: Callable[[str], Repaired]) -> None:
    repaired = mend('SELECT "Name" FROM Movie m WHERE m.Content LIKE "Name" && m.Id = 1')

    assert repaired.sql == 'SELECT "Name" FROM Movie m WHERE m.Content LIKE "Name"  AND  m.Id = 1'
