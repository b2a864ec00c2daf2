"""Statements of the server's own, decided by their shape, answer as those judged by themselves."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fakes.cookbook import cookbook_session
from fakes.sessions import kitchen_session
from golden.server_texts import tool_statements

from moviegraph.cache import Cache
from moviegraph.contract.load import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines import embedded
from moviegraph.engines.base import Budget, ResultSet
from moviegraph.errors import MoviegraphError
from moviegraph.retrieval import road
from moviegraph.retrieval.road import decide, execute
from moviegraph.retrieval.session import Call, Session
from moviegraph.sql.decision import Allowed, Decision
from moviegraph.sql.given_once import light
from moviegraph.sql.guard import RowLimits, Where, judge
from moviegraph.sql.shapes import IDS, LARGEST_ID, Value, taken_apart
from moviegraph.sql.statements import nodes_named, whole_records
from moviegraph.sql.template import Filled

LIMITS = RowLimits(60, 500)
WORDS = (
    "tomato",
    "Cook's",
    "CREME",
    "crème",
    "oil",
    "the",
    "a\\b",
    "'); --",
    "Qzv0wqx",
    '"to*" OR oil',
    "tomato AND NOT",
    "\U0001d413 \uff07 İ",
)
SHAPES = 10


@pytest.fixture(scope="module", params=["kitchen", "cookbook"])
def session(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Session]:
    """Yield a session whose engine reads all edges from arrays, and counts all ways there."""
    opened = kitchen_session if request.param == "kitchen" else cookbook_session
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedded, "WALKED", 0)
        patch.setattr(embedded, "COUNTED", 0)
        session = opened(tmp_path_factory.mktemp("own") / "graph")
    yield session
    session.engine.close()


def fresh(session: Session) -> Session:
    return replace(session, cache=Cache(), shapes=Cache())


def drawn(value: Value, draw: Random) -> Value:
    """Return another value of a kind: ids of the graph and beyond, words and what is none."""
    if value.is_text:
        return Value(value.kind, draw.choice(WORDS) + " " * value.kind.endswith("blank"))
    if isinstance(value.content, str):
        whole, places = value.content.split(".")
        digits = "".join(draw.choice("0019") for _ in places)
        return Value(value.kind, f"{whole}.{digits}")
    most = draw.choice([1, 1, 2, 5, 40]) if value.kind == IDS else 1
    ids = [draw.choice([*range(12), 2_009_000_001, LARGEST_ID]) for _ in range(most)]
    return Value(value.kind, tuple(ids))


def answer(session: Session, sql: str, *, own: bool) -> tuple[Any, ...]:
    """Return all that a statement comes to: the decision, and rows or the code of an error."""
    decision = decide(session, sql, LIMITS, own=own)
    if not isinstance(decision, Allowed):
        return (decision.code, decision.message)
    parts = (decision.sql, decision.notes, decision.outputs, decision.cap, decision.capped)
    try:
        found = execute(
            session, Call("t"), sql, query="tomato", limits=LIMITS, budget=Budget(), own=own
        )[1]
    except MoviegraphError as error:
        return (*parts, error.code)
    return (*parts, found.columns, found.truncated, *_rows(found))


def _rows(found: ResultSet) -> list[tuple[tuple[str, Any], ...]]:
    return [tuple((type(cell).__name__, cell) for cell in row) for row in found.rows]


@pytest.mark.slow("long")
def test_a_shape_answers_as_each_of_its_statements_does(session: Session) -> None:
    draw, filled = Random(7), 0
    ours, judged = fresh(session), fresh(session)
    named = [(name, sql) for name, sql in tool_statements(session.contract) if taken_apart(sql)[1]]
    for name, sql in draw.sample(named, SHAPES):
        shape, values = taken_apart(sql)
        decide(ours, sql, LIMITS, own=True)  # any other statement of its shape has a template
        for _ in range(2):
            others = [drawn(value, draw) for value in values]
            text = shape.cut.filled([value.sql() for value in others])
            assert answer(ours, text, own=True) == answer(judged, text, own=False), name
            decision = decide(ours, text, LIMITS, own=True)
            filled += isinstance(decision, Allowed) and isinstance(decision.judged, Filled)
    assert filled > SHAPES


def test_a_shape_is_judged_with_marks_at_its_second_statement_and_then_no_more(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, node, judged = fresh(session), session.contract.nodes[0], list[str]()

    def judging(sql: str, *given: Any, **named: Any) -> Decision:
        judged.append(sql)
        return judge(sql, *given, **named)

    monkeypatch.setattr(road, "judge", judging)
    counts: list[int] = []
    for ids in ([1, 2], [1, 2], [2, 3], [2, 3], [4, 5], [1, 2]):
        decide(ours, whole_records(node, ids, 9), LIMITS, own=True)
        counts.append(len(judged))
    assert counts == [1, 1, 2, 2, 2, 2]


def test_a_shape_that_was_judged_otherwise_than_a_statement_has_no_template(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, node = fresh(session), session.contract.nodes[0]
    texts = [whole_records(node, ids, 9) for ids in ([1, 2], [2, 3], [3, 4])]

    def judging(sql: str, *given: Any, **named: Any) -> Decision:
        made = judge(sql, *given, **named)
        assert isinstance(made, Allowed)
        return made if sql in texts else replace(made, cap=made.cap + 1)

    monkeypatch.setattr(road, "judge", judging)
    for text in texts:
        decision = decide(ours, text, LIMITS, own=True)
        assert isinstance(decision, Allowed)
        assert not isinstance(decision.judged, Filled)
        assert decision.cap == 9


def statement(contract: Contract, count: int) -> str:
    """Return a statement that compares every node of a list with every other."""
    node, ids = contract.nodes[0], ", ".join(map(str, range(1, count + 1)))
    cosine = f"1 - VECTOR_DISTANCE('cosine', a.{node.vector}, b.{node.vector})"
    return (
        f"SELECT TOP (1) AVG({cosine}) AS Cosine\n"
        f"FROM {node.name} AS a CROSS JOIN {node.name} AS b\n"
        f"WHERE a.{node.key} IN ({ids}) AND b.{node.key} IN ({ids})"
    )


@pytest.mark.parametrize(("count", "code"), [(3, ""), (100, ""), (101, "cartesian_product")])
def test_lists_that_multiply_are_no_longer_by_shape_than_by_themselves(
    session: Session, count: int, code: str
) -> None:
    ours = fresh(session)
    for few in (2, 4, 6):
        assert isinstance(decide(ours, statement(session.contract, few), LIMITS, own=True), Allowed)
    decision = decide(ours, statement(session.contract, count), LIMITS, own=True)
    assert getattr(decision, "code", "") == code


def test_a_condition_and_limits_are_part_of_what_was_judged(session: Session) -> None:
    ours, node = fresh(session), session.contract.nodes[0]
    near = Where(f"{node.key} < 3", node.name, "n")
    for ids in ([1, 2], [2, 3], [3, 4], [1, 5]):
        text = whole_records(node, ids, 9)
        for where in (None, near):
            for limits in (LIMITS, RowLimits(1, 500)):
                found, whole = (
                    decide(each, text, limits, where, own=each is ours)
                    for each in (ours, fresh(session))
                )
                assert isinstance(found, Allowed)
                assert isinstance(whole, Allowed)
                assert (found.sql, found.cap, found.notes) == (whole.sql, whole.cap, whole.notes)


def test_more_shapes_than_are_remembered_are_decided_alike(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(road, "SHAPES", 2)
    ours, node = fresh(session), session.contract.nodes[0]
    for turn, top in enumerate((1, 2, 3, 4, 1, 1, 1, 2, 2, 3, 1, 4, 4, 4)):
        text = nodes_named(node, ["Qzv0wqx", f"N'{turn}'"], top)
        assert answer(ours, text, own=True) == answer(fresh(session), text, own=False)


def test_a_statement_whose_plan_was_forgotten_is_planned_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "PLANS", 1)
    session = kitchen_session(tmp_path / "graph")
    node = session.contract.nodes[0]
    with closing(session.engine):
        texts = [
            f"SELECT TOP 5 n.{node.label} FROM {node.name} AS n "
            f"WHERE n.{node.key} <> {key} AND GETDATE() > '2000-01-01' ORDER BY n.{node.key}"
            for key in (1, 2, 1, 2, 1)
        ]
        found = [answer(session, text, own=False) for text in texts]
        ours = fresh(session)
        for key in range(1, 6):
            named = nodes_named(node, ["tomato", f"N'{key}'"], 3)
            for text in (named, whole_records(node, [key, key + 1], 9)):
                assert answer(ours, text, own=True) == answer(fresh(session), text, own=False)
    assert found[:2] != found[1:3]
    assert found == [*found[:2], *found[:2], found[0]]


def test_a_tree_that_is_judged_otherwise_the_second_time_is_not_given() -> None:
    contract = load_contract()
    decision = judge("SELECT TOP 5 Name FROM Movie", contract, LIMITS)
    other = judge("SELECT TOP 6 Name FROM Movie", contract, LIMITS)
    assert isinstance(decision, Allowed)
    remembered = light(decision, lambda: other)
    assert remembered.tree is decision.tree
    with pytest.raises(AssertionError, match="judged otherwise"):
        assert remembered.tree
