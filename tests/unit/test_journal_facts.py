"""Data of the journal's page: titles, names, formatted SQL, and the strategies of a call."""

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from fakes.toy_graph import toy_contract

from moviegraph.cli.journal_records import (
    format_sql,
    list_choices,
    page_json,
    plan_json,
    title_of,
)
from moviegraph.journal.execution_records import Attempt, Execution, new_execution_id
from moviegraph.journal.sqlite_journal import SqliteJournal

CONTRACT = toy_contract()
LONG = (
    "SELECT TOP 5 [r].[Number], [r].[Title], COUNT(*) AS [Shared] FROM [dbo].[Recipe] AS [r], "
    "[dbo].[NEEDS] AS [n], [dbo].[Ingredient] AS [i] WHERE MATCH([r]-([n])->[i]) "
    "AND [i].[Label] = 'Salt  AND pepper' AND [r].[Year] BETWEEN 1 AND 2 GROUP BY [r].[Number]"
)


def execution(tool: str = "run_readonly_sql", arguments: Any = None, **members: Any) -> Execution:
    """Return a record of a call with the arguments or the statement that were given."""
    usual: dict[str, Any] = {"status": "ok"}
    return Execution(
        id=new_execution_id(),
        owner="local",
        tool=tool,
        created="2026-01-01T00:00:00.000+00:00",
        given=arguments
        if arguments is None or isinstance(arguments, str)
        else json.dumps(arguments),
        contract_hash=CONTRACT.hash,
        **usual | members,
    )


@pytest.fixture
def journal() -> Iterator[SqliteJournal]:
    with closing(SqliteJournal(None)) as memory_journal:
        yield memory_journal


def page_record(journal: SqliteJournal, record: Execution) -> dict[str, Any]:
    """Return the record as the page receives it."""
    (link,) = journal.with_id_prefix(record.id, 1)
    return page_json(journal, link, CONTRACT)


def strategy(name: str, **members: Any) -> Execution:
    """Return the record of a strategy of a plan."""
    arguments = "SELECT 1"
    return execution("run_strategies", arguments, question="What?", strategy_id=name, **members)


@pytest.mark.parametrize(
    ("record", "title"),
    [
        (execution(question="Which?", purpose="Why", query="words"), "Which?"),
        (execution(arguments="SELECT 1", purpose="Why", query="words"), "Why"),
        (execution("semantic_search", {"query": "salt"}, query="salt"), "salt"),
        (execution(arguments="SELECT 1"), "SELECT 1"),
        (execution(arguments={"sql": "SELECT 1", "purpose": "Why"}, status="failed"), "Why"),
        (
            execution("graph_traverse", {"start_kind": "Recipe", "start": ["Soup"], "path": ["A"]}),
            "start kind: Recipe, start: Soup, path: A",
        ),
        (
            execution("graph_traverse", {"start": ["Soup"], "to_kind": "Recipe", "max_hops": 2}),
            "start: Soup, to kind: Recipe, max hops: 2",
        ),
        (
            execution("graph_traverse", {"start": ["Soup"], "to": ["Stew", 7], "to_kind": "R"}),
            "start: Soup, to: Stew, 7, to kind: R",
        ),
        (execution("graph_traverse", {"start_query": "sweet"}), "sweet"),
        (
            execution("get_records", {"kind": "Recipe", "names": ["Soup", "Stew"]}),
            "kind: Recipe, names: Soup, Stew",
        ),
        (
            execution("expand_strategy", {"execution_id": "abc", "top": 9}),
            "execution id: abc, top: 9",
        ),
        (execution("get_records", '{"kind": "Recipe", "na'), "get_records"),
        (execution("get_records"), "get_records"),
    ],
)
def test_a_title_is_the_question_or_a_description(record: Execution, title: str) -> None:
    assert title_of(record) == title


def test_ids_in_a_title_become_names_that_were_recorded(journal: SqliteJournal) -> None:
    lineage = (("Recipe", "Number", "n"), ("Recipe", "Title", "n"))
    record = execution(
        "get_records",
        {"kind": "Recipe", "ids": [1, 2]},
        columns=("Number", "Title"),
        lineage=lineage,
        rows=((1, "Soup"),),
        row_count=1,
        keys=(("Recipe", 1),),
    )
    journal.record(record)
    facts = page_record(journal, record)
    assert facts["title"] == "kind: Recipe, ids: Soup, 2"
    assert facts["names"] == [["Recipe", 1, "Soup"]]


def test_names_come_from_paths_and_from_rows_without_a_key(journal: SqliteJournal) -> None:
    step = {"kind": "Ingredient", "id": 4, "name": "Salt", "edge": None, "forward": None}
    walk = execution(
        "graph_traverse", {"start": [4], "start_kind": "Ingredient"}, paths=(((step,),),)
    )
    rows = execution(
        columns=("Title",),
        lineage=(("Recipe", "Title", "r"),),
        rows=(("Soup",), ("Stew",)),
        row_count=2,
        keys=(("Recipe", 1), ("Recipe", 2)),
    )
    for record in (walk, rows):
        journal.record(record)
    assert page_record(journal, walk)["title"] == "start: Salt, start kind: Ingredient"
    assert page_record(journal, rows)["names"] == [["Recipe", 1, "Soup"], ["Recipe", 2, "Stew"]]


def test_no_name_is_taken_from_rows_that_are_not_all_recorded(journal: SqliteJournal) -> None:
    record = execution(
        columns=("Title",),
        lineage=(("Recipe", "Title", "r"),),
        rows=(("Soup",),),
        row_count=2,
        keys=(("Recipe", 1),),
    )
    journal.record(record)
    assert page_record(journal, record)["names"] == []


def test_a_key_column_without_its_name_is_reported(journal: SqliteJournal) -> None:
    lineage = (("Recipe", "Number", "a"), ("Recipe", "Number", "b"), ("Recipe", "Title", "b"))
    record = execution(lineage=lineage, columns=("A", "B", "Title"))
    journal.record(record)
    assert page_record(journal, record)["key_columns"] == {0: "Recipe"}


def test_strategies_of_one_call_are_one_plan(journal: SqliteJournal) -> None:
    calls = {
        call: [strategy(name, call_id=call) for name in ("words", "edges")] for call in ("a", "b")
    }
    for pair in zip(*calls.values(), strict=True):  # recorded in turn by two calls at once
        for record in pair:
            journal.record(record)
    for records in calls.values():
        for record in records:
            result = plan_json(journal, record, CONTRACT)
            assert result is not None
            ids = [execution["execution_id"] for execution in result["executions"]]
            assert ids == [record.id for record in records]


def test_older_records_are_grouped_by_question_and_strategy(journal: SqliteJournal) -> None:
    older = [strategy(name) for name in ("words", "edges", "words", "edges")]
    for record in (*older, strategy("words", call_id="new")):
        journal.record(record)
    result = plan_json(journal, older[1], CONTRACT)
    assert result is not None
    assert [execution["execution_id"] for execution in result["executions"]] == [
        older[0].id,
        older[1].id,
    ]


def test_a_record_of_another_tool_is_no_plan(journal: SqliteJournal) -> None:
    record = execution(arguments="SELECT 1", question="What?")
    journal.record(record)
    assert plan_json(journal, record, CONTRACT) is None


def test_choices_are_the_tools_and_owners_recorded(journal: SqliteJournal) -> None:
    for tool in ("get_records", "graph_traverse", "get_records"):
        journal.record(execution(tool))
    assert list_choices(journal) == {
        "tools": ["get_records", "graph_traverse"],
        "owners": ["local"],
    }


def test_recorded_sql_is_formatted(journal: SqliteJournal) -> None:
    record = execution(arguments=LONG, sql=LONG, statements=(LONG,), attempts=(Attempt(sql=LONG),))
    journal.record(record)
    facts = page_record(journal, record)
    formatted = format_sql(LONG)
    assert facts["sql"] == facts["given"] == facts["attempts"][0]["sql"] == formatted
    assert formatted.splitlines() == [
        "SELECT TOP 5 [r].[Number], [r].[Title], COUNT(*) AS [Shared]",
        "FROM [dbo].[Recipe] AS [r], [dbo].[NEEDS] AS [n], [dbo].[Ingredient] AS [i]",
        "WHERE MATCH([r]-([n])->[i])",
        "  AND [i].[Label] = 'Salt  AND pepper'",
        "  AND [r].[Year] BETWEEN 1 AND 2",
        "GROUP BY [r].[Number]",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1 FROM Recipe",
        LONG.replace(" WHERE", "\nWHERE"),
        LONG.replace(" WHERE", " -- why WHERE"),
        LONG.replace(" WHERE", " /* why */ WHERE"),
        f"{LONG} AND Title = 'it",
        f"{LONG})",
        f"{LONG} {'(' * 100}",
        "(" * 5_000 + ")" * 5_000,
        LONG * 60,
    ],
)
def test_a_statement_that_is_short_or_cannot_be_read_stays_as_it_is(text: str) -> None:
    assert format_sql(text) == text


def test_a_long_subquery_is_indented() -> None:
    inner = "SELECT COUNT(*) FROM NEEDS AS n, Ingredient AS i WHERE MATCH(r-(n)->i)"
    text = f"SELECT r.Title, ({inner}) AS Needs FROM Recipe AS r ORDER BY Needs DESC"
    assert format_sql(text).splitlines() == [
        "SELECT r.Title, (SELECT COUNT(*)",
        "  FROM NEEDS AS n, Ingredient AS i",
        "  WHERE MATCH(r-(n)->i)) AS Needs",
        "FROM Recipe AS r",
        "ORDER BY Needs DESC",
    ]


def test_formatting_changes_nothing_but_white_space() -> None:
    text = (
        "WITH x AS (SELECT a,b FROM t WHERE c IS NOT DISTINCT FROM d AND e IN (1,2,3)) SELECT x.a, "
        "CASE WHEN x.a = 1 AND x.b = N'a  (b' THEN LEFT(x.b, 2) ELSE [odd ]] name] END AS c FROM x "
        "LEFT OUTER JOIN y ON y.a = x.a CROSS APPLY z UNION ALL SELECT 3, "
        "STRING_AGG(a, ',') WITHIN GROUP (ORDER BY a) FROM q ORDER BY 1"
    )
    formatted = format_sql(text)
    assert formatted.count("\n") > 5
    assert "".join(formatted.split()) == "".join(text.split())
    assert "N'a  (b'" in formatted
