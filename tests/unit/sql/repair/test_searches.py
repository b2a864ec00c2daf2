"""Full-text searches of other systems."""

from collections.abc import Callable

import pytest

from moviegraph.sql.repair.rules import Repaired

CASES = [
    pytest.param(
        ["match_against"],
        "SELECT Name FROM Movie WHERE MATCH(Name, Content) AGAINST('desert planet')",
        "SELECT Name FROM Movie WHERE FREETEXT((Name, Content), 'desert planet')",
        id="AGAINST",
    ),
    pytest.param(
        ["match_against"],
        'SELECT Name FROM Movie WHERE MATCH(Content) AGAINST(\'desert "far away" '
        "-farm' IN BOOLEAN MODE)",
        'SELECT Name FROM Movie WHERE CONTAINS(Content, \'("desert" OR "far away") '
        'AND NOT "farm"\')',
        id="boolean mode",
    ),
    pytest.param(
        ["match_against"],
        "SELECT Name FROM Movie WHERE MATCH(Content) AGAINST('+desert +plan*' IN BOOLEAN MODE)",
        'SELECT Name FROM Movie WHERE CONTAINS(Content, \'"desert" AND "plan*"\')',
        id="boolean mode with required words",
    ),
    pytest.param(
        ["text_query"],
        "SELECT Name FROM Movie WHERE to_tsvector('english', Content) @@ "
        "to_tsquery('english', 'desert & !farm | ship:*')",
        'SELECT Name FROM Movie WHERE CONTAINS(Content, \'"desert" AND NOT "farm" OR "ship*"\')',
        id="to_tsquery",
    ),
    pytest.param(
        ["text_query"],
        "SELECT Name FROM Movie m WHERE to_tsvector(m.Content) @@ "
        "phraseto_tsquery('desert planet')",
        "SELECT Name FROM Movie m WHERE CONTAINS(m.Content, '\"desert planet\"')",
        id="phraseto_tsquery",
    ),
    pytest.param(
        ["text_query"],
        "SELECT Name FROM Movie WHERE Content @@ websearch_to_tsquery('\"desert "
        "planet\" or ship -farm')",
        'SELECT Name FROM Movie WHERE CONTAINS(Content, \'"desert planet" OR "ship" '
        'AND NOT "farm"\')',
        id="websearch_to_tsquery",
    ),
    pytest.param(
        ["column_match"],
        "SELECT Name FROM Movie WHERE Content MATCH 'planet'",
        "SELECT Name FROM Movie WHERE CONTAINS(Content, 'planet')",
        id="MATCH of a column",
    ),
    pytest.param(
        ["whole_table"],
        "SELECT m.Name FROM Movie m WHERE CONTAINS(m, 'planet')",
        "SELECT m.Name FROM Movie m WHERE CONTAINS((m.Name, m.Content), 'planet')",
        id="a table as the column",
    ),
    pytest.param(
        ["ranked_table"],
        "SELECT k.[KEY] FROM Movie m JOIN CONTAINSTABLE(m, m.Content, 'planet') k "
        "ON k.[KEY] = m.Id",
        "SELECT k.[KEY] FROM Movie m JOIN CONTAINSTABLE(Movie, Content, 'planet') k "
        "ON k.[KEY] = m.Id",
        id="an alias in CONTAINSTABLE",
    ),
    pytest.param(
        ["doubled_quotes"],
        "SELECT Name FROM Movie WHERE CONTAINS(Content, ''desert planet'')",
        "SELECT Name FROM Movie WHERE CONTAINS(Content, '\"desert planet\"')",
        id="quotes of quotes",
    ),
    pytest.param(
        ["either_not"],
        "SELECT Name FROM Movie WHERE CONTAINS(Content, 'planet OR NOT farm')",
        "SELECT Name FROM Movie WHERE (CONTAINS(Content, 'planet') OR NOT "
        "CONTAINS(Content, 'farm'))",
        id="OR NOT",
    ),
]


@pytest.mark.parametrize(("rules", "broken", "mended"), CASES)
def test_a_foreign_search_is_translated(
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
            "SELECT Name FROM Movie WHERE MATCH(Content) AGAINST('planet' WITH QUERY EXPANSION)",
            id="expansion",
        ),
        pytest.param(
            "SELECT Name FROM Movie WHERE MATCH(Content) AGAINST('+planet farm' IN BOOLEAN MODE)",
            id="required and optional words",
        ),
    ],
)
def test_what_could_mean_something_else_is_left(sql: str, mend: Callable[[str], Repaired]) -> None:
    assert mend(sql).changes == ()
