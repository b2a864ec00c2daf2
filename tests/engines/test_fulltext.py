"""The full-text predicates and table functions."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fakes.limits import budget
from hypothesis import given
from hypothesis import strategies as st

from moviegraph.contract.model import Contract
from moviegraph.engines.base import ResultSet
from moviegraph.engines.embedded.fulltext_index import FulltextIndex
from moviegraph.engines.embedded.graph_folder import graph_files
from moviegraph.engines.embedded.interrupts import watched
from moviegraph.errors import ExecutionError, MoviegraphError, QueryTimeoutError
from moviegraph.sql.contains import parse_contains

Run = Callable[..., ResultSet]

CONDITIONS: list[Any] = [
    ("planet", [1, 3]),
    ('"desert planet"', [1, 3]),
    ('"planet desert"', []),
    ('"reb*"', [1, 2, 3]),
    ("rebels AND desert", [1]),
    ("rebels & desert", [1]),
    ("rebels &! desert", [2]),
    ("poodle OR waitress", [5, 6]),
    ("poodle | (waitress AND Paris)", [5, 6]),
    ("poodle OR waitress AND hacker", [6]),
    ('"des* pla*"', [1, 3]),
    ('"pla* des*"', []),
    ('"nob* fam* bet*"', []),
    ('"nob* fam*"', [3]),
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
    ('"!!!"', []),
    ('""', []),
]


@pytest.mark.parametrize(("condition", "ids"), [pytest.param(*c, id=c[0]) for c in CONDITIONS])
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


def test_contains_is_allowed_under_or_and_not(run: Run) -> None:
    result = run(
        "SELECT m.Id FROM Movie m WHERE NOT CONTAINS(m.Content, 'boy OR pilot OR crew OR ship') "
        "AND NOT CONTAINS(m.Content, '\"m*\" OR planet') OR CONTAINS(m.Name, 'dune') ORDER BY m.Id"
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


def test_containstable_returns_the_best_of_a_given_number(run: Run) -> None:
    result = run("SELECT k.[KEY] FROM CONTAINSTABLE(Movie, *, 'alien OR crew', 1) AS k")
    assert result.rows == [(4,)]


@pytest.mark.parametrize(("count", "keys"), [(0, []), (1, [1]), (2, [1, 6]), (9, [1, 6])])
def test_equal_ranks_are_cut_by_key(run: Run, count: int, keys: list[int]) -> None:
    text = "ISABOUT(boy WEIGHT(0.0))"
    result = run(f"SELECT k.[KEY], k.[RANK] FROM CONTAINSTABLE(Movie, *, '{text}', {count}) AS k")
    assert result.rows == [(key, 0) for key in keys]


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        pytest.param(
            "SELECT m.Id FROM Movie m WHERE CONTAINS(m.Name, 'Stern', LANGUAGE 1031)",
            "language 1031",
            id="another language",
        ),
        pytest.param(
            "SELECT m.Name FROM Movie m GROUP BY m.Name HAVING CONTAINS(m.Name, 'star')",
            "without Id",
            id="HAVING without the key",
        ),
    ],
)
def test_what_the_index_cannot_answer_is_refused_by_name(run: Run, sql: str, words: str) -> None:
    with pytest.raises(ExecutionError, match=words) as caught:
        run(sql)
    assert caught.value.code == "unsupported_by_engine"


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


def test_a_search_that_finds_no_free_connection_ends_with_its_time(
    folder: Path, contract: Contract
) -> None:
    index = FulltextIndex(graph_files(folder, contract))
    index.close()
    with watched(budget(seconds=0.05)) as stop, pytest.raises(QueryTimeoutError):
        index.freetext("Movie", ("Name",), "boy", ranked=False, stop=stop)


@pytest.mark.parametrize(
    "text",
    ["c0 : boy", "a* OR {c0}", "^boy", "boy + girl", "-boy", "NEAR/3", 'a"b', "\u202e\ud800x", "'"],
)
def test_nothing_of_the_text_reaches_the_index_bare(run: Run, text: str) -> None:
    quoted = text.replace('"', "").replace("'", "''").replace("\ud800", "")
    run(f"SELECT m.Id FROM Movie m WHERE CONTAINS(*, '\"{quoted}\"')")
    run(f"SELECT m.Id FROM Movie m WHERE FREETEXT(*, '{quoted}')")


WORDS = st.sampled_from(
    """
    planet "desert planet" "des* pla*" "a*" the "lord of rings" boy AND OR NOT & | &! ! ~ NEAR ( )
    , FORMSOF INFLECTIONAL THESAURUS ISABOUT WEIGHT 0.5 5 MAX TRUE " * ' - "" é 東京 x-men
    """.split()
)
CONDITION_TEXTS = st.one_of(st.lists(WORDS, max_size=14).map(" ".join), st.text(max_size=60))


@pytest.mark.slow("fuzzing")
@given(CONDITION_TEXTS, st.sampled_from(["CONTAINS", "FREETEXT"]))
def test_any_text_gives_rows_or_a_clean_error(run: Run, text: str, function: str) -> None:
    quoted = text.replace("'", "''")
    try:
        result = run(f"SELECT m.Id FROM Movie m WHERE {function}(*, N'{quoted}')")
    except MoviegraphError as error:
        assert error.code in {"fulltext_syntax", "syntax", "too_large"}, error
    else:
        assert {row[0] for row in result.rows} <= set(range(1, 9))


BOMBS: list[Any] = [
    pytest.param("NEAR(({terms}), 5)", '"s*"', id="one prefix 64 times"),
    pytest.param("NEAR(({terms}), MAX, TRUE)", '"s*"', id="in order"),
    pytest.param("NEAR({terms})", "alpha", id="one word 64 times"),
    pytest.param('"{terms}*"', "s", id="a phrase of prefixes"),
]


@pytest.mark.parametrize(("form", "term"), BOMBS)
def test_terms_that_all_overlap_end_in_time(
    folder: Path, contract: Contract, tmp_path: Path, form: str, term: str
) -> None:
    path = tmp_path / "fulltext.sqlite"
    shutil.copy(folder / "fulltext.sqlite", path)
    with closing(sqlite3.connect(path)) as writer:
        text = "alpha sun song " * 63
        writer.execute("INSERT INTO n0(rowid, c0, c1) VALUES (99, '', ?)", (text,))
        writer.commit()
    joiner = " " if term == "s" else ", "
    condition = parse_contains(form.format(terms=joiner.join([term] * 64)))
    index = FulltextIndex(graph_files(tmp_path, contract))
    with closing(index), watched(budget(seconds=120)) as stop:
        try:
            hits = index.contains("Movie", ("Content",), condition, ranked=False, stop=stop)
            assert hits.ids.tolist() in ([], [99])
        except ExecutionError as error:
            assert error.code == "too_complex"
