from collections.abc import Callable

import pytest
from fakes.sessions import call

from moviegraph.errors import ForModel
from moviegraph.retrieval import fulltext, hybrid, names, readonly_sql, records, traversal
from moviegraph.retrieval.recording import Recording
from moviegraph.retrieval.session import Rows, Session
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import RowLimits, judge
from moviegraph.sql.statements import nodes_sharing_pieces

TOLD = (
    "space",
    "O'Brien's ship",
    "Amélie 東京",
    "the",
    "'; SELECT 1 --",
    "ship [x] @q /* y */",
    "Qzv0wqx",
    "war",
)
Tool = Callable[[Session, str], Rows]


def by_words(films: Session, text: str) -> Rows:
    return fulltext.search(films, call("fulltext_search"), query=text, mode="freetext")


def by_all(films: Session, text: str) -> Rows:
    return hybrid.search(films, call("hybrid_search"), query=text, where="Id > 0")


def by_meaning(films: Session, text: str) -> Rows:
    return traversal.traverse(
        films, call("graph_traverse"), start_query=text, to_kind="Movie", max_hops=2
    )


@pytest.mark.parametrize("tool", [by_words, by_all, by_meaning])
def test_what_a_tool_ran_is_what_the_guard_allows_and_runs_again(
    films: Session, tool: Tool
) -> None:
    limits = RowLimits(films.caps.top, films.contract.limits.inner_top)
    for text in (*TOLD, *TOLD):
        found = tool(films, text)
        whole = judge(found.sql, films.contract, limits)
        assert isinstance(whole, Allowed)
        assert whole.sql == found.sql
        again = readonly_sql.run(films, call("run_readonly_sql"), sql=found.sql, query=text)
        keys = [row[:1] if tool is not by_meaning else row[1:2] for row in found.rows]
        assert [row[:1] if tool is not by_meaning else row[1:2] for row in again.rows] == keys


def test_records_stay_the_same_however_often_others_are_asked_for(films: Session) -> None:
    def fetched(ids: list[int]) -> Rows:
        return records.fetch(films, call("get_records"), kind="Movie", ids=ids)

    known = [row[0] for row in by_words(films, "space war ship").rows][:3]
    first = {each: fetched([each]).rows for each in known}
    for each in known:
        assert fetched([each]).rows == first[each]
    together = fetched(known)
    assert [row for each in known for row in first[each]] == together.rows
    assert ", ".join(map(str, known)) in together.sql


def test_a_condition_that_is_refused_is_refused_each_time(films: Session) -> None:
    for text in TOLD:
        with pytest.raises(ForModel) as refused:
            fulltext.search(films, call(), query=text, mode="freetext", where="Nowhere = 1")
        assert refused.value.code == "invalid_where"


@pytest.mark.parametrize("text", ["sta wars", "İstan", "amélie", "O'Br", "zzzz", "the t"])
def test_pieces_of_names_are_found_as_the_statement_finds_them(films: Session, text: str) -> None:
    for node in films.contract.nodes:
        held = [*names.pieces(text), *names.exchanged(text)]
        recording = Recording(films, call(), "")
        rows = recording.read(nodes_sharing_pieces(node, held, names.CANDIDATES))
        assert names.holding(recording, node, held) == rows
