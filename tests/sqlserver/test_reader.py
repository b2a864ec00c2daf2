"""The retrieval primitives on the wire: one constant statement each, one transaction a call."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from fakes.limits import budget
from fakes.odbc_harness import Harness, description
from fakes.tds.record import Attention, Event
from fakes.tds.record import Transaction as Ended
from fakes.tds.script import Call, Fail, HangUp, Rows, Wait
from fakes.tds.types import BIGINT, FLOAT, INT, NVARCHAR, NVARCHAR_MAX, Column
from golden.server_texts import sent_by

from moviegraph.contract.model import Contract
from moviegraph.engines.base import APPROXIMATE, Cancellation, Vector
from moviegraph.engines.retrieval_primitives import GraphReader, Pairs, Ranked, node_ids
from moviegraph.engines.sqlserver.batch import Batch
from moviegraph.engines.sqlserver.execution import RunningStatement
from moviegraph.engines.sqlserver.mssql_engine import MssqlEngine
from moviegraph.engines.sqlserver.mssql_reader import MARKS
from moviegraph.errors import (
    ExecutionError,
    GraphError,
    QueryTimeoutError,
    UnavailableError,
    VectorSpaceError,
)
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import RowLimits, Where, judge
from moviegraph.sql.match_patterns import Hop

PATIENCE = 120.0
LONG = 3600.0
THEME = Hop("INCLUDES_THEME", forward=True, kind="Theme")
IDS = node_ids([7, 3, 5])
RANKED: list[Column] = [("Id", INT), ("Distance", FLOAT)]
NAMED_COLUMNS: list[Column] = [("Place", INT), ("Id", INT), ("Name", NVARCHAR)]


@pytest.fixture
def graph(engine: MssqlEngine) -> Iterator[GraphReader]:
    with engine.reader(budget(seconds=LONG)) as reader:
        yield reader


def primitive_calls(harness: Harness) -> list[Call]:
    """Return the calls of primitives, without those that set a session or prepare a statement."""
    calls = [call for call in harness.server.record.calls if "TEXTSIZE" in call.sql]
    return [call for call in calls if call.procedure != "sp_prepare"]


def as_lists(value: Any) -> Any:
    """Return arrays as lists, for comparison."""
    if isinstance(value, Ranked):
        return list(zip(value.ids.tolist(), value.values.tolist(), strict=True))
    if isinstance(value, Pairs):
        return list(zip(value.sources.tolist(), value.targets.tolist(), strict=True))
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {key: as_lists(item) for key, item in value.items()}
    return value


@dataclass(frozen=True)
class Case:
    """A primitive: how it is called, what the server answers and what comes of it.

    `parameters` are the values sent, JSON documents read.
    """

    call: Callable[[GraphReader, Vector], Any]
    answer: Rows
    result: Any
    parameters: Sequence[Any]


CASES = {
    "nearest": Case(
        lambda graph, vector: graph.nearest("Movie", vector, 2),
        Rows(RANKED, [(4, 0.25), (9, 0.5)]),
        [(4, 0.25), (9, 0.5)],
        [2, "vector"],
    ),
    "nearest of some": Case(
        lambda graph, vector: graph.nearest("Movie", vector, 2, graph.only(IDS)),
        Rows(RANKED, [(3, 0.25)]),
        [(3, 0.25)],
        [2, "vector", [3, 5, 7]],
    ),
    "matching a condition": Case(
        lambda graph, _: graph.matching("Movie", '"desert planet" AND é', 3),
        Rows([("Id", INT), ("Rank", INT)], [(1, 96), (3, 96), (2, 7)]),
        [(1, 96.0), (3, 96.0), (2, 7.0)],
        [3, '"desert planet" AND é'],
    ),
    "matching words": Case(
        lambda graph, _: graph.matching("Movie", "deserts", 3, function="FREETEXT"),
        Rows([("Id", INT), ("Rank", INT)], []),
        [],
        [3, "deserts"],
    ),
    "document counts": Case(
        lambda graph, _: graph.document_counts("Movie", ["Planet", "two words", "zeppelin"]),
        Rows([("Place", INT), ("Nodes", BIGINT)], [(0, 12), (1, 0)]),
        {"Planet": 12, "two words": 0, "zeppelin": 0},
        [['"planet"', '"zeppelin"']],
    ),
    "named": Case(
        lambda graph, _: graph.named("Movie", ["8½", "Ame-lie", "Oeuvre", "?!"]),
        Rows(NAMED_COLUMNS, [(1, 7, "8½"), (2, 5, "Amelie"), (2, 9, "Amélie"), (3, 6, "Œuvre")]),
        [("8½", 7, "equal"), ("Ame-lie", 5, "equal"), ("Ame-lie", 9, "equal")],
        [[[0, "812"], [1, "8½"], [2, "amelie"], [3, "oeuvre"], [4, "?!"]], MARKS],
    ),
    "names with parts": Case(
        lambda graph, _: graph.names_with("Movie", ["ali", "ien"], 4),
        Rows([("Id", INT), ("Name", NVARCHAR)], [(4, "Alien"), (2, "Aliens")]),
        [(4, "Alien"), (2, "Aliens")],
        [4, ["ali", "ien"]],
    ),
    "neighbors": Case(
        lambda graph, _: graph.neighbors("Movie", THEME, IDS),
        Rows([("Source", INT), ("Target", INT)], [(3, 1), (3, 2), (7, 1)]),
        [(3, 1), (3, 2), (7, 1)],
        [[3, 5, 7]],
    ),
    "spread": Case(
        lambda graph, _: graph.spread("Movie", THEME, IDS, np.array([1.0, 0.5, 0.1]), 2),
        Rows([("Target", INT), ("Total", FLOAT)], [(2, 1.5), (1, 0.1)]),
        [(2, 1.5), (1, 0.1)],
        [2, [[3, 1.0], [5, 0.5], [7, 0.1]]],
    ),
    "degrees": Case(
        lambda graph, _: graph.degrees("Theme", np.array([9, 2])),
        Rows([("Edge", NVARCHAR), ("Id", INT), ("Edges", BIGINT)], [("INCLUDES_THEME", 2, 31)]),
        {"INCLUDES_THEME": [0, 31]},
        [[9, 2]],
    ),
    "fetch": Case(
        lambda graph, _: graph.fetch("Movie", np.array([6, 1, 6]), ["Name", "ReleaseYear"]),
        Rows(
            [("Id", INT), ("Name", NVARCHAR), ("Year", INT)],
            [(1, "Star Wars", 1977), (6, "Wolf", None)],
        ),
        [("Wolf", None), ("Star Wars", 1977), ("Wolf", None)],
        [[1, 6]],
    ),
    "keep": Case(
        lambda graph, _: graph.keep(
            "Movie", np.array([8, 3, 5]), graph.select("Movie", None, node_ids([3]))
        ),
        Rows([("Id", INT)], [(5,), (8,)]),
        [8, 5],
        [[8, 3, 5], [3]],
    ),
}


def sent_values(call: Call) -> list[Any]:
    """Return the parameters, documents read and the vector named."""
    return [_parse_value(parameter.value) for parameter in call.parameters]


def _parse_value(value: Any) -> Any:
    if not (isinstance(value, str) and value.startswith("[") and value != MARKS):
        return value
    document = json.loads(value)
    return "vector" if len(document) == 384 else document


def numbered(batch: Batch) -> str:
    """Return the text as drivers send it, with a name for each parameter."""
    text, *more_parts = batch.text.split("?")
    return text + "".join(f"@P{place}{part}" for place, part in enumerate(more_parts, 1))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_primitive_is_one_constant_statement_with_its_arguments_as_parameters(
    harness: Harness, graph: GraphReader, contract: Contract, vector: Vector, case: Case
) -> None:
    sent_statements = sent_by(
        contract, lambda reader: case.call(reader, vector), frozenset(), len(vector)
    )
    harness.answers.table["SET TEXTSIZE"] = [case.answer]
    assert as_lists(case.call(graph, vector)) == case.result
    (call,) = primitive_calls(harness)
    assert call.sql == numbered(sent_statements)
    assert sent_values(call) == case.parameters


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_primitive_can_be_cancelled(
    harness: Harness, engine: MssqlEngine, vector: Vector, case: Case
) -> None:
    harness.answers.table["SET TEXTSIZE"] = [Wait()]
    cancellation = Cancellation()

    def call() -> Any:
        with engine.reader(budget(seconds=LONG, cancellation=cancellation)) as graph:
            return case.call(graph, vector)

    future = harness.threads.submit(call)
    harness.server.record.wait_for_call("SET TEXTSIZE")
    cancellation.cancel()
    with pytest.raises(QueryTimeoutError) as caught:
        future.result(PATIENCE)
    assert caught.value.code == "cancelled"
    harness.server.record.wait_for(attended, "an attention")
    harness.server.record.wait_for(lambda _: engine.connections.dropped == 1, "a drop")


def attended(events: list[Event]) -> bool:
    return any(isinstance(event, Attention) for event in events)


def test_long_documents_are_nvarchar_max(
    harness: Harness, graph: GraphReader, vector: Vector
) -> None:
    harness.answers.table["SET TEXTSIZE"] = [Rows(RANKED, [])]
    graph.nearest("Movie", vector, 3, graph.only(np.arange(2_000)))
    (call,) = primitive_calls(harness)
    assert [parameter.type for parameter in call.parameters[1:]] == ["nvarchar(max)"] * 2


def condition(contract: Contract, text: str) -> Allowed:
    limits, where = RowLimits(2**31 - 1, 1000), Where(text, "Movie", "n")
    decision = judge("SELECT n.Id FROM Movie AS n", contract, limits, where=where)
    assert isinstance(decision, Allowed)
    return decision


class TestSelection:
    """A condition stays in the database: it is placed in the statement as it was judged."""

    def test_a_condition_is_placed_as_it_was_judged(
        self, harness: Harness, graph: GraphReader, contract: Contract, vector: Vector
    ) -> None:
        judged = condition(contract, "Name <> '?é' AND ReleaseYear > 1990")
        among = graph.select("Movie", judged, node_ids([4, 2]))
        harness.answers.table["SET TEXTSIZE"] = [Rows(RANKED, [(8, 0.5)])]
        assert as_lists(graph.nearest("Movie", vector, 2, among)) == [(8, 0.5)]
        (call,) = primitive_calls(harness)
        placed = judged.sql.replace("'?é'", "N'?é'")
        assert f"n.[Id] IN (\n    {placed})" in call.sql
        assert sent_values(call) == [2, "vector", [2, 4]]

    def test_what_nodes_are_linked_to_is_looked_for_in_the_edge_tables(
        self, harness: Harness, graph: GraphReader, vector: Vector
    ) -> None:
        ends = [{"Theme": node_ids([9, 2])}, {"Series": node_ids([4])}]
        among = graph.select("Movie", None, None, ends)
        harness.answers.table["SET TEXTSIZE"] = [Rows(RANKED, [(8, 0.5)])]
        assert as_lists(graph.nearest("Movie", vector, 2, among)) == [(8, 0.5)]
        (call,) = primitive_calls(harness)
        assert call.sql.count("EXISTS (SELECT") == 2
        assert "MATCH(s<-(e)-t)" in call.sql
        assert sent_values(call) == [2, "vector", [2, 9], [4]]

    def test_an_end_that_means_no_node_selects_none(
        self, harness: Harness, graph: GraphReader
    ) -> None:
        harness.answers.table["SET TEXTSIZE"] = [Rows([("Id", INT)], [])]
        assert not graph.has_any("Movie", graph.select("Movie", None, None, [{}]))
        (call,) = primitive_calls(harness)
        assert "1 = 0" in call.sql

    def test_selecting_sends_nothing(
        self, harness: Harness, graph: GraphReader, contract: Contract
    ) -> None:
        assert graph.select("Movie") is None
        assert graph.select("Movie", None, node_ids([])) is None
        graph.select("Movie", condition(contract, "Id > 3"), node_ids([4]))
        assert graph.keep("Movie", IDS, graph.only(node_ids([5]))).tolist() == [5]
        assert harness.server.record.events == []

    def test_nothing_is_asked_where_nothing_can_be_returned(
        self, harness: Harness, graph: GraphReader, vector: Vector
    ) -> None:
        empty_selection, none = graph.only(node_ids([])), node_ids([])
        assert as_lists(graph.nearest("Movie", vector, 3, empty_selection)) == []
        assert as_lists(graph.matching("Movie", "planet", 3, empty_selection)) == []
        assert as_lists(graph.matching("Movie", "?!", 3, function="FREETEXT")) == []
        assert as_lists(graph.neighbors("Movie", THEME, none)) == []
        assert as_lists(graph.spread("Movie", THEME, none, np.zeros(0), 3)) == []
        assert graph.fetch("Movie", none, ["Name"]) == []
        assert graph.named("Movie", ["", " "]) == []
        assert graph.names_with("Movie", [""], 3) == []
        assert graph.document_counts("Movie", ["two words"]) == {"two words": 0}
        assert graph.vectors("Movie", none).shape == (0, 384)
        assert harness.server.record.events == []


class TestVectors:
    def test_a_vector_of_another_length_is_not_sent(
        self, harness: Harness, graph: GraphReader, vector: Vector
    ) -> None:
        with pytest.raises(VectorSpaceError):
            graph.nearest("Movie", vector[:3], 3)
        assert harness.server.record.calls == []

    def test_vectors_are_read_with_length_one(self, harness: Harness, graph: GraphReader) -> None:
        numbers = json.dumps([3.0, 4.0, *[0.0] * 382])
        columns: list[Column] = [("Id", INT), ("Vector", NVARCHAR_MAX)]
        harness.answers.table["SET TEXTSIZE"] = [Rows(columns, [(3, numbers)])]
        matrix = graph.vectors("Movie", IDS)
        assert (matrix.shape, matrix.dtype) == ((1, 384), np.float32)
        assert np.allclose(matrix[0, :2], [0.6, 0.8])

    @pytest.mark.parametrize(
        ("where", "k", "by_index"),
        [
            pytest.param(None, 3, True, id="all"),
            pytest.param("ReleaseYear > 1990", 3, True, id="by a condition"),
            pytest.param("CONTAINS(Content, 'planet')", 3, False, id="by words"),
            pytest.param(None, 5_000, False, id="very many"),
        ],
    )
    def test_a_vector_index_is_used_where_it_serves(
        self,
        harness: Harness,
        contract: Contract,
        vector: Vector,
        where: str | None,
        k: int,
        by_index: bool,
    ) -> None:
        engine = indexed(harness, contract)
        harness.answers.table["SET TEXTSIZE"] = [Rows(RANKED, [(9, 0.5), (2, 0.5)])]
        with engine.reader(budget()) as graph:
            among = graph.select("Movie", condition(contract, where)) if where else None
            ranked = graph.nearest("Movie", vector, k, among)
        assert as_lists(ranked) == [(2, 0.5), (9, 0.5)]
        (call,) = primitive_calls(harness)
        assert ("VECTOR_SEARCH" in call.sql) == by_index

    def test_few_nodes_are_compared_one_by_one(
        self, harness: Harness, contract: Contract, vector: Vector
    ) -> None:
        engine = indexed(harness, contract)
        harness.answers.table["SET TEXTSIZE"] = [Rows(RANKED, [])]
        with engine.reader(budget()) as graph:
            graph.nearest("Movie", vector, 3, graph.only(IDS))
        (call,) = primitive_calls(harness)
        assert "VECTOR_SEARCH" not in call.sql


def indexed(harness: Harness, contract: Contract) -> MssqlEngine:
    """Return an engine whose films have a vector index."""
    engine = harness.engine()
    indexed_description = replace(
        description(contract), capabilities=frozenset({f"{APPROXIMATE}Movie"})
    )
    return MssqlEngine(contract, engine._runner, indexed_description)


class TestTransaction:
    """All statements of a call run on one connection in one transaction."""

    def test_the_statements_of_a_call_share_a_connection_and_are_rolled_back_once(
        self, harness: Harness, contract: Contract
    ) -> None:
        engine = harness.engine()
        for _ in range(2):
            with engine.reader(budget()) as graph:
                among = graph.select("Movie", condition(contract, "Id > 2"))
                for _ in range(3):
                    graph.keep("Movie", IDS, among)
        harness.server.record.wait_for(lambda events: rollbacks(events) == 2, "two rollbacks")
        assert {call.connection for call in primitive_calls(harness)} == {1}
        assert len(primitive_calls(harness)) == 6
        assert (engine.connections.opened, engine.connections.dropped) == (1, 0)

    def test_no_connection_is_taken_before_the_first_statement(self, harness: Harness) -> None:
        with harness.engine().reader(budget()):
            pass
        assert harness.server.record.events == []

    def test_a_connection_that_was_lost_is_replaced_before_the_first_answer(
        self, harness: Harness
    ) -> None:
        engine = harness.engine()
        tries: list[Call] = []

        def once(call: Call) -> Sequence[Any]:
            tries.append(call)
            return [HangUp()] if len(tries) == 1 else [Rows(RANKED[:1], [(1,)])]

        harness.answers.table["TEXTSIZE"] = once
        with engine.reader(budget(seconds=LONG)) as graph:
            kept_nodes = graph.keep("Movie", IDS, graph.select("Movie", None, node_ids([1])))
        assert kept_nodes.tolist() == []
        assert engine.connections.opened == 2

    def test_a_connection_lost_after_an_answer_ends_the_call(self, harness: Harness) -> None:
        engine = harness.engine()
        with engine.reader(budget(seconds=LONG)) as graph:
            among = graph.select("Movie", None, node_ids([1]))
            graph.keep("Movie", IDS, among)
            harness.answers.table["TEXTSIZE"] = [HangUp()]
            with pytest.raises(UnavailableError):
                graph.keep("Movie", IDS, among)
        assert engine.connections.opened == 1

    def test_a_statement_that_fails_is_explained_and_the_next_one_works(
        self, harness: Harness, contract: Contract
    ) -> None:
        harness.answers.table["CONTAINSTABLE"] = [Fail(7630, "Syntax error near ')' in the ...")]
        harness.answers.table["TEXTSIZE"] = [Rows(RANKED[:1], [(3,)])]
        with harness.engine(size=1).reader(budget()) as graph:
            with pytest.raises(ExecutionError) as caught:
                graph.matching("Movie", "planet)", 3)
            kept_nodes = graph.keep("Movie", IDS, graph.select("Movie", None, node_ids([1])))
        assert caught.value.code == "fulltext_syntax"
        assert kept_nodes.tolist() == [3]

    def test_a_node_that_is_gone_meanwhile_is_said_to_be(self, harness: Harness) -> None:
        columns: list[Column] = [("Id", INT), ("Name", NVARCHAR)]
        harness.answers.table["TEXTSIZE"] = [Rows(columns, [(3, "Alien")])]
        with harness.engine().reader(budget()) as graph, pytest.raises(UnavailableError):
            graph.fetch("Movie", IDS, ["Name"])

    def test_a_call_cancelled_between_two_statements_sends_no_further_one(
        self, harness: Harness
    ) -> None:
        engine, cancellation = harness.engine(), Cancellation()
        with engine.reader(budget(seconds=LONG, cancellation=cancellation)) as graph:
            among = graph.select("Movie", None, node_ids([1]))
            graph.keep("Movie", IDS, among)
            cancellation.cancel()
            with pytest.raises(QueryTimeoutError):
                graph.keep("Movie", IDS, among)
        assert len(primitive_calls(harness)) == 1
        harness.server.record.wait_for(lambda events: rollbacks(events) == 1, "a rollback")
        assert engine.connections.dropped == 0

    def test_a_call_out_of_time_ends_and_the_server_is_notified(
        self, harness: Harness, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        harness.answers.table["TEXTSIZE"] = [Wait()]

        def expire(*_: object) -> bool:
            harness.server.record.wait_for_call("TEXTSIZE")
            return False

        monkeypatch.setattr(RunningStatement, "wait", expire)
        with harness.engine().reader(budget(seconds=LONG)) as graph:
            among = graph.select("Movie", None, node_ids([1]))
            with pytest.raises(QueryTimeoutError) as caught:
                graph.keep("Movie", IDS, among)
        assert (caught.value.code, bool(caught.value.hint)) == ("timeout", True)
        harness.server.record.wait_for(attended, "an attention")

    def test_closing_the_engine_ends_calls_under_way(self, harness: Harness) -> None:
        engine = harness.engine()
        with engine.reader(budget(seconds=LONG)) as graph:
            among = graph.select("Movie", None, node_ids([1]))
            graph.keep("Movie", IDS, among)
            engine.close()
            with pytest.raises(GraphError):
                graph.keep("Movie", IDS, among)
        with pytest.raises(GraphError), engine.reader(budget()):
            pass


def rollbacks(events: list[Event]) -> int:
    return sum(isinstance(event, Ended) and event.kind == "rollback" for event in events)


def test_a_condition_that_is_too_long_is_not_cut_in_silence(
    harness: Harness, graph: GraphReader
) -> None:
    with pytest.raises(ExecutionError) as caught:
        graph.matching("Movie", "x" * 4_001, 3)
    assert caught.value.code == "too_large"
    assert harness.server.record.calls == []
