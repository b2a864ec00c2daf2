"""The full-text predicates and table functions."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from moviegraph.contract.model import Contract
from moviegraph.engines.base import Budget, ResultSet
from moviegraph.engines.contains import parse_contains
from moviegraph.engines.fulltext import FulltextIndex
from moviegraph.engines.stopping import stopping
from moviegraph.errors import ExecutionError, QueryTimeoutError

Run = Callable[..., ResultSet]

CONDITIONS: list[Any] = [
    ("planet", [1, 3]),
    ('"desert planet"', [1, 3]),
    ('"planet desert"', []),
    ('"reb*"', [1, 2, 3]),
    ("rebels AND desert", [1]),
    ("rebels & NOT desert", [2]),
    ("rebels &! desert", [2]),
    ("poodle OR waitress", [5, 6]),
    ("poodle | (waitress AND Paris)", [5, 6]),
    ("poodle OR waitress AND hacker", [6]),
    ('"des* pla*"', [1, 3]),
    ('"pla* des*"', []),
    ('"fam* is bet*"', [3]),
    ('boy AND NOT "des* pla*"', [6]),
    ("NEAR((farm, planet), 5)", [1]),
    ("NEAR((farm, planet), 1)", []),
    ("NEAR((planet, farm), 9, TRUE)", []),
    ("NEAR((farm, planet), 9, TRUE)", [1]),
    ("farm NEAR planet", [1]),
    ("FORMSOF(INFLECTIONAL, run)", [7]),
    ("FORMSOF(INFLECTIONAL, mouse)", [7]),
    ("FORMSOF(INFLECTIONAL, rebel)", [1, 2]),
    ("ISABOUT(ship WEIGHT(0.9), swamp WEIGHT(0.1))", [2, 4]),
    ("amelie", []),
    ("!!!", None),
    ('"!!!"', []),
    ('""', []),
]


@pytest.mark.parametrize(
    ("condition", "ids"), [pytest.param(*c, id=c[0]) for c in CONDITIONS if c[1] is not None]
)
def test_contains_finds_what_the_condition_says(run: Run, condition: str, ids: list[int]) -> None:
    sql = (
        f"SELECT m.Id FROM Movie m WHERE CONTAINS((m.Name, m.Content), '{condition}') ORDER BY m.Id"
    )
    assert [row[0] for row in run(sql).rows] == ids


def test_contains_searches_the_named_column_only(run: Run) -> None:
    names = run("SELECT m.Id FROM Movie m WHERE CONTAINS(m.Name, 'wolf OR boy')")
    every = run("SELECT m.Id FROM Movie m WHERE CONTAINS(*, 'wolf OR boy') ORDER BY m.Id")
    assert names.rows == [(6,)]
    assert every.rows == [(1,), (6,)]


def test_contains_sees_accents_but_not_case(run: Run) -> None:
    assert run("SELECT m.Id FROM Movie m WHERE CONTAINS(m.Name, N'AMÉLIE')").rows == [(5,)]


def test_contains_may_stand_under_or_and_not(run: Run) -> None:
    result = run(
        "SELECT m.Id FROM Movie m WHERE NOT CONTAINS(m.Content, 'planet OR boy OR a') "
        "OR CONTAINS(m.Name, 'dune') ORDER BY m.Id"
    )
    assert [row[0] for row in result.rows] == [3]


def test_contains_of_two_tables_in_one_match(run: Run) -> None:
    result = run(
        "SELECT m.Name FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t) "
        "AND CONTAINS(t.Name, 'rebellion') AND CONTAINS(m.Content, 'planet') ORDER BY m.Id"
    )
    assert result.rows == [("Star Wars",), ("Dune",)]


def test_freetext_finds_any_form_of_any_word_that_means_something(run: Run) -> None:
    result = run(
        "SELECT m.Id FROM Movie m WHERE FREETEXT(m.Content, 'the mice of the rebel') ORDER BY m.Id"
    )
    assert [row[0] for row in result.rows] == [1, 2, 7]


def test_containstable_ranks_between_0_and_1000_best_first(run: Run) -> None:
    result = run(
        "SELECT m.Id, k.[RANK] FROM CONTAINSTABLE(Movie, (Name, Content), 'alien OR crew') AS k "
        "JOIN Movie m ON m.Id = k.[KEY] ORDER BY k.[RANK] DESC"
    )
    assert [row[0] for row in result.rows] == [4, 7]
    assert 1000 >= result.rows[0][1] > result.rows[1][1] > 0


def test_containstable_keeps_the_best_when_told_how_many(run: Run) -> None:
    result = run("SELECT k.[KEY] FROM CONTAINSTABLE(Movie, *, 'alien OR crew', 1) AS k")
    assert result.rows == [(4,)]


def test_freetexttable_joins_like_a_table(run: Run) -> None:
    result = run(
        "SELECT TOP 1 m.Name FROM FREETEXTTABLE(Movie, Content, 'running mice') AS k "
        "JOIN Movie m ON m.Id = k.[KEY] ORDER BY k.[RANK] DESC"
    )
    assert result.rows == [("alien",)]


def test_weights_of_isabout_decide_the_rank(run: Run) -> None:
    sql = (
        "SELECT k.[KEY] FROM CONTAINSTABLE(Movie, Content, "
        "'ISABOUT(ship WEIGHT({}), swamp WEIGHT({}))') AS k ORDER BY k.[RANK] DESC"
    )
    assert run(sql.format("0.9", "0.1")).rows == [(4,), (2,)]
    assert run(sql.format("0.1", "0.9")).rows == [(2,), (4,)]


@pytest.mark.parametrize(("operator", "ids"), [(" AND ", [6]), (" OR ", [1, 6])])
def test_a_condition_of_many_terms_is_no_deep_tree(run: Run, operator: str, ids: list[int]) -> None:
    condition = operator.join(["boy", *["wolf"] * 199] if "AND" in operator else ["boy"] * 200)
    result = run(f"SELECT m.Id FROM Movie m WHERE CONTAINS(*, '{condition}') ORDER BY m.Id")
    assert [row[0] for row in result.rows] == ids


@pytest.mark.parametrize(
    "text", ["|".join("a" * 1000), "&".join("a" * 1000), f"FORMSOF(INFLECTIONAL{',a' * 1000})"]
)
def test_a_condition_of_too_many_terms_is_refused(text: str) -> None:
    with pytest.raises(ExecutionError, match="more than 200 operators"):
        parse_contains(text)


def test_a_search_that_finds_no_free_connection_ends_with_its_time(
    folder: Path, contract: Contract
) -> None:
    index = FulltextIndex(folder / "fulltext.sqlite", contract)
    index.close()
    with stopping(Budget(seconds=0.05)) as stop, pytest.raises(QueryTimeoutError):
        index.freetext("Movie", ("Name",), "boy", ranked=False, stop=stop)


WRONG: list[Any] = [
    pytest.param("star wars", (5, 9), '"star wars"', id="words without an operator"),
    pytest.param("pir*", (0, 4), '"pirat*"', id="prefix without quotes"),
    pytest.param("NOT pirate", (0, 3), "AND NOT", id="leading NOT"),
    pytest.param("pirate OR NOT ship", (10, 13), "AND NOT", id="OR NOT"),
    pytest.param("pirate AND", (10, 10), "AND NOT", id="nothing after AND"),
    pytest.param("(pirate", (7, 7), "AND NOT", id="open parenthesis"),
    pytest.param('"pirate', (0, 7), '"star wars"', id="open quote"),
    pytest.param("NEAR(pirate)", (12, 12), "NEAR((", id="NEAR of one term"),
    pytest.param("NEAR((a, b), x)", (13, 14), "NEAR((", id="NEAR without a number"),
    pytest.param("FORMSOF(run)", (8, 11), "INFLECTIONAL", id="FORMSOF without a kind"),
    pytest.param("   ", (3, 3), '"star wars"', id="nothing"),
]


@pytest.mark.parametrize(("text", "span", "example"), WRONG)
def test_a_wrong_condition_is_answered_with_its_place_and_the_right_form(
    text: str, span: tuple[int, int], example: str
) -> None:
    with pytest.raises(ExecutionError) as caught:
        parse_contains(text)
    assert caught.value.code == "fulltext_syntax"
    assert caught.value.span == span
    assert example in (caught.value.hint or "")


def test_the_engine_reports_a_wrong_condition(run: Run) -> None:
    with pytest.raises(ExecutionError, match="position 6"):
        run("SELECT m.Id FROM Movie m WHERE CONTAINS(m.Name, 'star wars')")


@pytest.mark.parametrize(
    "text",
    ["c0 : boy", "a* OR {c0}", "^boy", "boy + girl", "-boy", "NEAR/3", 'a"b', "\u202e\ud800x", "'"],
)
def test_nothing_of_the_text_reaches_the_index_bare(run: Run, text: str) -> None:
    quoted = text.replace('"', "").replace("'", "''").replace("\ud800", "")
    run(f"SELECT m.Id FROM Movie m WHERE CONTAINS(*, '\"{quoted}\"')")
    run(f"SELECT m.Id FROM Movie m WHERE FREETEXT(*, '{quoted}')")
