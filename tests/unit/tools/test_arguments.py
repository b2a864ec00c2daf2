"""Arguments are checked once, before anything runs, within the bounds of contract and caps."""

from typing import Any

import pytest

from moviegraph.contract.loader import load_contract
from moviegraph.errors import ArgumentError
from moviegraph_tools import DEFINITIONS
from moviegraph_tools.tool_definition import Arguments, ArgumentScope, parse_arguments

SCOPE = ArgumentScope(load_contract(), top=20, top_expanded=60)
TOOLS = {definition.name: definition for definition in DEFINITIONS}
SEARCHES = ["semantic_search", "fulltext_search", "hybrid_search"]
LISTS = [("semantic_search", "like"), ("semantic_search", "exclude"), ("get_records", "names")]


def parsed(tool: str, **values: Any) -> Arguments:
    return parse_arguments(TOOLS[tool], values, SCOPE)


def error(tool: str, **values: Any) -> ArgumentError:
    with pytest.raises(ArgumentError) as wrong:
        parsed(tool, **values)
    return wrong.value


@pytest.mark.parametrize("tool", SEARCHES)
@pytest.mark.parametrize(
    ("values", "message"),
    [
        pytest.param({"top": 0}, "top is 0; it must be from 1 to 20", id="top of 0"),
        pytest.param({"top": -1}, "top is -1; it must be from 1 to 20", id="top of -1"),
        pytest.param({"top": 10**9}, "it must be from 1 to 20", id="top of 10^9"),
        pytest.param({"top": "ten"}, "'top': input should be", id="top as text"),
        pytest.param({"top": True}, "'top': input should be a number", id="top as a truth value"),
        pytest.param({"kind": "Film"}, "Use one of Movie, ", id="unknown kind"),
        pytest.param({"detail": "brief"}, "'concise' or 'full'", id="unknown detail"),
        pytest.param({"query": ""}, "query is empty", id="empty query"),
        pytest.param({"query": " \n "}, "query is empty", id="blank query"),
        pytest.param({"query": "x" * 100_000}, "100,000 characters", id="query of 100 kB"),
        pytest.param({"query": "a\0b"}, "NUL", id="NUL"),
        pytest.param({"query": "a\ud800b"}, "surrogate", id="lone surrogate"),
        pytest.param({"where": " "}, "where is empty", id="blank where"),
    ],
)
def test_a_search_names_an_argument_outside_its_bounds(
    tool: str, values: dict[str, Any], message: str
) -> None:
    assert message in error(tool, **{"query": "x", **values}).message


@pytest.mark.parametrize(
    ("tool", "values", "argument"),
    [
        pytest.param("get_records", {"name": "Alien"}, "names", id="name"),
        pytest.param("get_records", {"id": 4}, "ids", id="id"),
        pytest.param("expand_strategy", {"id": "x"}, "execution_id", id="id of an execution"),
        pytest.param("graph_traverse", {"query": "loss"}, "start_query", id="query"),
        pytest.param("get_planning_context", {"query": "loss"}, "question", id="question"),
        pytest.param("semantic_search", {"query": "loss", "limit": 3}, "top", id="limit"),
    ],
)
def test_a_habitual_name_means_an_argument(
    tool: str, values: dict[str, Any], argument: str
) -> None:
    value = list(values.values())[-1]
    arguments = parsed(tool, **values)
    assert getattr(arguments, argument) in (value, (value,))


def test_a_habitual_name_beside_the_argument_is_refused() -> None:
    assert "names" in error("get_records", name="a", names=["b"]).suggestions


def test_hybrid_search_takes_nodes_to_resemble_without_a_query() -> None:
    assert parsed("hybrid_search", like="Alien").model_dump()["query"] is None
    assert "'query' is missing" in error("hybrid_search").message


@pytest.mark.parametrize(("tool", "argument"), LISTS)
@pytest.mark.parametrize(
    ("items", "message"),
    [
        pytest.param(["x"] * 101, "at most 100 items", id="too many"),
        pytest.param(["a\x1bb"], "control characters", id="control character"),
        pytest.param(["a\nb"], "control characters", id="line break"),
        pytest.param(["a\0b"], "NUL", id="NUL"),
        pytest.param(["a\ud800b"], "surrogate", id="lone surrogate"),
        pytest.param(["   "], "is empty", id="blank name"),
        pytest.param([True], "an integer (an id) or a string (a name)", id="truth value"),
        pytest.param([1.5], "an integer (an id) or a string (a name)", id="fraction"),
        pytest.param([2**53], f"the largest id is {2**53 - 1}", id="too large an id"),
        pytest.param([-(2**53)], f"the largest id is {2**53 - 1}", id="too small an id"),
        pytest.param(["y" * 401], "401 characters; the maximum is 400", id="too long a name"),
    ],
)
def test_malformed_references_are_named(
    tool: str, argument: str, items: list[Any], message: str
) -> None:
    assert message in error(tool, **{argument: items}).message


@pytest.mark.parametrize(
    ("values", "message"),
    [
        pytest.param({"max_hops": 0}, "greater than or equal to 1", id="no hops"),
        pytest.param({"max_hops": 5}, "less than or equal to 4", id="five hops"),
        pytest.param({"to_kind": "Film"}, "to_kind 'Film' is not in the graph", id="kind"),
        pytest.param({"path": []}, "at least 1 item", id="empty path"),
        pytest.param({"path": ["SET_IN"] * 5}, "at most 4 items", id="long path"),
        pytest.param({"path": ["SETIN"]}, "path 'SETIN' is not in the graph", id="edge"),
        pytest.param({"rank_by": "fame"}, "'shared', 'rarity' or 'similarity'", id="rank"),
        pytest.param({"start": []}, "at least 1 item", id="no start"),
    ],
)
def test_a_traversal_names_an_argument_outside_its_bounds(
    values: dict[str, Any], message: str
) -> None:
    assert message in error("graph_traverse", **{"start": [1], **values}).message


STRATEGY = {"id": "a", "message_to_user": "x", "command": "SELECT 1"}


@pytest.mark.parametrize(
    ("tool", "values", "message"),
    [
        pytest.param("get_planning_context", {"section": "table"}, "'tables'", id="section"),
        pytest.param("get_planning_context", {"question": " "}, "is empty", id="no question"),
        pytest.param("get_planning_context", {"question": "a\0b"}, "NUL", id="NUL in a question"),
        pytest.param("expand_strategy", {"execution_id": "x" * 65}, "65 characters", id="long id"),
        pytest.param("expand_strategy", {"question": "x", "top": 61}, "1 to 60", id="expanded"),
        pytest.param("expand_strategy", {"question": "x", "top": 0}, "1 to 60", id="expanded to 0"),
        pytest.param("run_readonly_sql", {"sql": "SELECT 1", "top": 21}, "1 to 20", id="rows"),
        pytest.param(
            "run_readonly_sql",
            {"sql": "SELECT 1", "purpose": "x" * 1_001},
            "the maximum is 1,000",
            id="purpose",
        ),
    ],
)
def test_other_tools_name_an_argument_outside_its_bounds(
    tool: str, values: dict[str, Any], message: str
) -> None:
    assert message in error(tool, **values).message


@pytest.mark.parametrize(
    ("strategies", "message"),
    [
        pytest.param([], "at least 1 item", id="none"),
        pytest.param([STRATEGY] * 11, "at most 10 items", id="eleven"),
        pytest.param([STRATEGY | {"id": " "}], "strategies.0.id is empty", id="no id"),
        pytest.param(
            [STRATEGY, STRATEGY | {"query": "x" * 3_000}],
            "strategies.1.query has 3,000 characters",
            id="a page as query",
        ),
        pytest.param(
            [STRATEGY | {"message_to_user": "x" * 2_001}], "2,001 characters", id="long message"
        ),
    ],
)
def test_a_plan_names_an_argument_outside_its_bounds(strategies: list[Any], message: str) -> None:
    assert message in error("run_strategies", question="x", strategies=strategies).message


def test_wrong_names_come_before_wrong_values() -> None:
    assert "'qery' is not an argument" in error("semantic_search", qery="x", top=0).message


def test_the_nearest_kinds_are_offered() -> None:
    assert error("semantic_search", query="x", kind="Moovie").suggestions == ("Movie",)


def test_names_of_kinds_and_edge_tables_need_no_case() -> None:
    arguments = parsed("graph_traverse", start_kind="movie", start=1, path=["includes_theme"])
    assert vars(arguments)["path"] == ("INCLUDES_THEME",)
    assert vars(arguments)["start_kind"] == "Movie"


def test_references_count_once_and_without_outer_spaces() -> None:
    arguments = parsed("semantic_search", like=[" Alien ", "Alien", 1, 1])
    assert vars(arguments)["like"] == ("Alien", 1)


def test_what_is_omitted_has_its_default() -> None:
    assert vars(parsed("hybrid_search", query="x"))["kind"] == "Movie"
    assert vars(parsed("semantic_search", query="x"))["top"] is None
    assert vars(parsed("expand_strategy", question="x"))["top"] == 60
