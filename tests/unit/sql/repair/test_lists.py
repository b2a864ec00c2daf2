"""Lists get their commas, parentheses and names."""

from collections.abc import Callable

import pytest

CASES = [
    pytest.param(
        ["missing_comma"],
        "SELECT m.Id m.Name FROM Movie m",
        "SELECT m.Id, m.Name FROM Movie m",
        id="a missing comma",
    ),
    pytest.param(
        ["derived_alias"],
        "SELECT Name FROM (SELECT Name FROM Movie)",
        "SELECT Name FROM (SELECT Name FROM Movie) AS d1",
        id="a derived table without a name",
    ),
    pytest.param(
        ["derived_name"],
        "SELECT x.Id FROM (SELECT Id, LEN(Name) FROM Movie) AS x",
        "SELECT x.Id FROM (SELECT Id, LEN(Name) AS v2 FROM Movie) AS x",
        id="a derived column without a name",
    ),
    pytest.param(
        ["is_value"],
        "SELECT Name FROM Movie WHERE Id IS NOT 3",
        "SELECT Name FROM Movie WHERE Id <> 3",
        id="IS with a value",
    ),
    pytest.param(
        ["bare_list"],
        "SELECT Name FROM Movie WHERE Id IN 1, 2",
        "SELECT Name FROM Movie WHERE Id IN (1, 2)",
        id="IN without parentheses",
    ),
    pytest.param(
        ["bracketed_list"],
        "SELECT Name FROM Movie WHERE Id IN [1, 2]",
        "SELECT Name FROM Movie WHERE Id IN (1, 2)",
        id="IN with square brackets",
    ),
    pytest.param(
        ["missing_end"],
        "SELECT CASE WHEN Id = 1 THEN 'a' ELSE 'b' AS x FROM Movie",
        "SELECT CASE WHEN Id = 1 THEN 'a' ELSE 'b' END AS x FROM Movie",
        id="CASE without END",
    ),
]


@pytest.mark.parametrize(("rules", "broken", "mended"), CASES)
def test_a_list_is_completed(
    rules: list[str],
    broken: str,
    mended: str,
    outcome: Callable[[str], tuple[str, list[str]]],
) -> None:
    assert outcome(broken) == (mended, rules)
