"""Data of the journal's page: titles, and the choices to filter by."""

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from fakes.toy_graph import toy_contract

from moviegraph.cli.journal_listing import list_choices, title_of
from moviegraph.journal.execution_records import Execution, new_execution_id
from moviegraph.journal.sqlite_journal import SqliteJournal

CONTRACT = toy_contract()


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


def test_choices_are_the_tools_and_owners_recorded(journal: SqliteJournal) -> None:
    for tool in ("get_records", "graph_traverse", "get_records"):
        journal.record(execution(tool))
    assert list_choices(journal) == {
        "tools": ["get_records", "graph_traverse"],
        "owners": ["local"],
    }
