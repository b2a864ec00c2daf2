"""What stands around a statement is dropped; what it asks stays."""

from collections.abc import Callable

import pytest

from moviegraph.sql.repair.rules import Repaired

CASES = [
    pytest.param(
        ["json_wrapper"],
        '{"sql": "SELECT Name FROM Movie", "top": 5}',
        "SELECT Name FROM Movie",
        id="JSON",
    ),
    pytest.param(
        ["json_wrapper"],
        '"SELECT Name FROM Movie"',
        "SELECT Name FROM Movie",
        id="a text in quotes",
    ),
    pytest.param(
        ["quoted_whole"],
        "`SELECT Name FROM Movie`",
        "SELECT Name FROM Movie",
        id="backticks",
    ),
    pytest.param(
        ["quoted_whole"],
        "<thinking>One film; I SELECT it.</thinking> SELECT Name FROM Movie",
        "SELECT Name FROM Movie",
        id="tags",
    ),
    pytest.param(
        ["quoted_whole"],
        "<sql>SELECT Name FROM Movie</sql>",
        "SELECT Name FROM Movie",
        id="a tag around it",
    ),
    pytest.param(
        ["escaped_breaks"],
        "SELECT Name\\nFROM Movie\\r\\nWHERE Id = 1",
        "SELECT Name\nFROM Movie\nWHERE Id = 1",
        id="breaks written out",
    ),
    pytest.param(
        ["harmless_preamble"],
        "USE films;\nGO\nSET NOCOUNT ON;\nSELECT Name FROM Movie",
        "\nSELECT Name FROM Movie",
        id="settings and GO",
    ),
    pytest.param(
        ["prose_behind"],
        "SELECT Name FROM Movie;\n\nThis lists the films.",
        "SELECT Name FROM Movie;",
        id="prose below",
    ),
    pytest.param(
        ["prose_behind"],
        "SELECT Name FROM Movie; This lists the films.",
        "SELECT Name FROM Movie;",
        id="prose behind a semicolon",
    ),
    pytest.param(
        ["foreign_comment"],
        "SELECT Name # title\nFROM Movie // all\nWHERE Id = 1",
        "SELECT Name \nFROM Movie \nWHERE Id = 1",
        id="comments",
    ),
    pytest.param(
        ["early_semicolon"],
        "SELECT Name FROM Movie; ORDER BY Id",
        "SELECT Name FROM Movie ORDER BY Id",
        id="an early semicolon",
    ),
]


@pytest.mark.parametrize(("rules", "broken", "mended"), CASES)
def test_what_is_wrapped_around_a_statement_is_dropped(
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
            '["SELECT Name FROM Movie", "SELECT Name FROM Genre"]', id="two statements in JSON"
        ),
        pytest.param(
            "SELECT Name FROM Movie;\n\nThis removes all:\nDROP TABLE Movie",
            id="a harmful line below",
        ),
        pytest.param("DROP TABLE Movie; SELECT Name FROM Movie", id="a harmful statement in front"),
        pytest.param("EXECUTE AS LOGIN = 'sa'; SELECT Name FROM Movie", id="a login in front"),
        pytest.param("SELECT Name FROM Movie; SELECT Name FROM Genre", id="a second statement"),
    ],
)
def test_what_could_mean_something_else_is_left(sql: str, mend: Callable[[str], Repaired]) -> None:
    assert mend(sql).changes == ()
