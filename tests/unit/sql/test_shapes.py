from collections.abc import Callable
from typing import Any

import pytest
from fakes.cookbook import cookbook_contract
from fakes.toy_graph import toy_contract
from golden.server_texts import tool_statements
from hypothesis import given
from hypothesis import strategies as st

from moviegraph.contract.load import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.translation.plan import Plan
from moviegraph.engines.translation.plan_template import plan_template
from moviegraph.engines.translation.rewrite import plan_of
from moviegraph.sql import statements
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import RowLimits, Where, judge
from moviegraph.sql.render import same_tree
from moviegraph.sql.shapes import LARGEST_ID, Shape, Value, taken_apart
from moviegraph.sql.template import Template, template_of

LIMITS = RowLimits(60, 1000)
CONTRACTS = {"kitchen": toy_contract(), "cookbook": cookbook_contract()}
FILMS = load_contract()
HOSTILE = (
    "O'Brien's",
    "'; DROP TABLE Movie; --",
    "x' OR '1'='1",
    "/* a */ -- b",
    "@q [Name] ]]",
    "Amélie 東京 Ø 🎬",
    "İstanbul ß ŒUVRE",
    "N'quoted' IN (1, 2)",
    "Qzv0wqx and qzv1WQX",
    "2009000001",
    "the",
    "SELECT TOP (1) * FROM Movie LIMIT 3 GO",
    "100% _sure_ [a-z] \\",
    "Straße" * 40,
)
WORDS = st.sampled_from(HOSTILE) | st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=12
)
IDS = st.integers(0, LARGEST_ID) | st.sampled_from([0, 1, 2_009_000_001, LARGEST_ID])
NAMED = st.sampled_from(
    [(each, name, sql) for each in CONTRACTS for name, sql in tool_statements(CONTRACTS[each])]
)


def contents(value: Value) -> st.SearchStrategy[Any]:
    """Return what may stand in the place of a value."""
    if value.kind == "ids":
        return st.lists(IDS, min_size=2, max_size=12, unique=True).map(tuple)
    if value.kind == "id":
        return IDS.map(lambda each: (each,))
    if value.is_text:
        return WORDS.map(lambda text: text + " " * value.kind.endswith("blank"))
    whole, places = value.kind.split(".")
    first = "0" if whole == "0" else "[1-9]"
    return st.from_regex(rf"{first}\.[0-9]{{{places}}}", fullmatch=True)


def template(
    contract: Contract, sql: str, where: Where | None = None
) -> tuple[Shape, tuple[Value, ...], Template | None]:
    shape, values = taken_apart(sql)
    whole = judge(sql, contract, LIMITS, where=where)
    assert isinstance(whole, Allowed), sql

    def judged(text: str) -> Any:
        return judge(text, contract, LIMITS, where=where)

    return shape, values, template_of(shape, values, whole, judged, where)


def planned(contract: Contract, *, walked: bool) -> Callable[[Allowed], Plan]:
    edges = frozenset(edge.name for edge in contract.edges) if walked else frozenset[str]()
    return lambda allowed: plan_of(
        allowed, contract, complete=frozenset(), dimensions=8, walked=edges, counted=edges
    )


@pytest.mark.slow("long")
@pytest.mark.parametrize("domain", CONTRACTS)
def test_every_statement_of_a_tool_has_a_template_and_a_plan_of_one(domain: str) -> None:
    contract = CONTRACTS[domain]
    for name, sql in tool_statements(contract):
        _, values, made = template(contract, sql)
        assert made is not None, name
        if "APPROXIMATE" not in sql:
            plan = planned(contract, walked=True)
            known = plan_template(made, plan)
            assert known is not None, name
            assert known.filled(values) == plan(made.sample[0]), name


@pytest.mark.slow("fuzzing")
@given(st.data())
def test_a_shape_filled_with_values_is_what_judging_them_gives(data: st.DataObject) -> None:
    domain, name, sql = data.draw(NAMED)
    contract = CONTRACTS[domain]
    shape, values, made = template(contract, sql)
    assert made is not None
    others = tuple(Value(value.kind, data.draw(contents(value))) for value in values)
    text = shape.cut.filled([value.sql() for value in others])
    whole = judge(text, contract, LIMITS)
    filled = made.filled(others)
    if filled is None:
        return  # it is judged by itself
    assert isinstance(whole, Allowed), name
    for field in ("sql", "notes", "habits", "matches", "outputs", "cap", "capped", "uses_query"):
        assert getattr(filled, field) == getattr(whole, field), name
    assert same_tree(filled.tree, whole.tree), name
    if "APPROXIMATE" not in sql:
        plan = planned(contract, walked=data.draw(st.booleans()))
        known = plan_template(made, plan)
        assert known is not None
        assert known.filled(others) == plan(whole), name
        assert plan(filled) == plan(whole), name


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_a_statement_is_its_shape_and_its_values(names: list[str]) -> None:
    node = FILMS.nodes[0]
    sql = statements.nodes_named(node, names, 9)
    shape, values = taken_apart(sql)
    assert shape.cut.filled([value.sql() for value in values]) == sql
    assert {value.content for value in values} <= set(names)
    assert not any(name in piece for name in names for piece in shape.cut.pieces if len(name) > 60)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(["a"], ["b"], id="another-name"),
        pytest.param(["a", "b"], ["b", "c'd"], id="as-many-names"),
    ],
)
def test_equal_shapes_differ_in_values_alone(first: list[str], second: list[str]) -> None:
    node = FILMS.nodes[0]
    shapes = [taken_apart(statements.nodes_named(node, each, 9))[0] for each in (first, second)]
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize("odd", ["", " ", "a\tb", "a\u2028b", "x" * 1_001, "\ud800"], ids=ascii)
def test_a_text_that_may_be_read_otherwise_belongs_to_the_shape(odd: str) -> None:
    node = FILMS.nodes[0]
    assert taken_apart(statements.nodes_named(node, [odd], 9))[1] == ()


def test_a_list_of_one_is_of_another_shape_than_a_longer_one() -> None:
    node = FILMS.nodes[0]
    one, other, more = (
        taken_apart(statements.nodes_with_ids(node, ids, 9))[0] for ids in ([7], [8], [7, 8])
    )
    assert one == other != more


def test_ids_that_are_no_set_of_keys_belong_to_the_shape() -> None:
    node = FILMS.nodes[0]
    for ids in ([LARGEST_ID + 1], [-1], range(201), [7, 7]):
        assert taken_apart(statements.nodes_with_ids(node, list(ids), 9))[1] == ()


@pytest.mark.parametrize(
    "text", ['"ship', "ship AND", "x" * 999 + " AND"], ids=["quote", "operator", "long"]
)
def test_what_the_grammar_of_full_text_refuses_is_judged_by_itself(text: str) -> None:
    contract = FILMS
    sql = statements.matching_nodes(contract.nodes[0], "CONTAINSTABLE", "ship", 9)
    _, values, made = template(contract, sql)
    assert made is not None
    assert made.filled(values) is not None
    assert made.filled((Value("text", text),)) is None


def test_what_is_too_large_with_its_values_is_judged_by_itself() -> None:
    contract = FILMS
    sql = statements.named_or_matching_nodes(contract.nodes[0], [1, 2], "FREETEXTTABLE", "sea", 9)
    _, values, made = template(contract, sql)
    assert made is not None
    many = Value("ids", tuple(range(1_000_000_000, 1_000_000_200)))
    long = tuple(many if value.kind == "ids" else value for value in values)
    filled, whole = made.filled(long), judge(made.text.filled([v.sql() for v in long]), contract)
    assert filled is None or isinstance(whole, Allowed)


def test_a_condition_that_holds_a_mark_is_no_shape() -> None:
    contract = FILMS
    node = contract.nodes[0]
    sql = statements.matching_nodes(node, "FREETEXTTABLE", "ship", 9)
    assert template(contract, sql, Where("Id > 3", node.name, "n"))[2] is not None
    assert template(contract, sql, Where("Name <> 'QZV0wqx'", node.name, "n"))[2] is None


def test_notes_on_what_is_searched_for_are_those_of_the_words_given() -> None:
    contract = FILMS
    node = contract.nodes[0]
    _, _, made = template(contract, statements.matching_nodes(node, "FREETEXTTABLE", "the", 9))
    assert made is not None
    of = [made.filled((Value("text", text),)) for text in ("the", "ship", "of the")]
    assert [len(each.notes) if each else None for each in of] == [1, 0, 1]
