"""Paths as arrays are those that are found by walking node by node."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import product
from typing import cast
from unittest.mock import Mock

import pytest
from fakes.memory_graph import MemoryGraph
from fakes.path_enumeration import Graph, Path
from fakes.toy_graph import toy_contract
from hypothesis import given
from hypothesis import strategies as st

from moviegraph.contract.model import Contract, EdgeTable, Pair
from moviegraph.engines.graph_records import EdgeRecord
from moviegraph.engines.retrieval_primitives import GraphReader, SelectedIds, node_ids
from moviegraph.errors import ArgumentError, ExecutionError, QueryTimeoutError
from moviegraph.search import walks as module
from moviegraph.search.walks import Route, Walks, routes_along, routes_within

KINDS = ("Recipe", "Ingredient", "Cuisine")
HUB_CUT = 4


def wide_contract() -> Contract:
    """Return the toy contract with two edge tables within one kind, and a second one of a pair."""
    contract = toy_contract()
    more = [
        ("GOES_WITH", "Ingredient", "Ingredient"),
        ("REPLACES", "Ingredient", "Ingredient"),
        ("FINISHED_WITH", "Recipe", "Ingredient"),
    ]
    tables = [
        EdgeTable(name=name, pairs=(Pair(from_table=start, to_table=there),), meaning="m")
        for name, start, there in more
    ]
    limits = contract.limits.model_copy(update={"hub_cut": HUB_CUT})
    return contract.model_copy(update={"edges": (*contract.edges, *tables), "limits": limits})


CONTRACT = wide_contract()
EDGES = st.builds(
    EdgeRecord,
    st.sampled_from([edge.name for edge in CONTRACT.edges]),
    st.integers(1, 6),
    st.integers(1, 5),
)
GRAPHS = st.lists(EDGES, min_size=1, max_size=28)
ENDS = st.tuples(st.sampled_from(KINDS), st.sampled_from(KINDS))
STARTS = st.lists(st.integers(1, 6), min_size=1, max_size=3)


def walks(
    edges: list[EdgeRecord], starts: list[int], *, is_open: bool = True, by_rarity: bool = False
) -> Walks:
    reader = cast("GraphReader", MemoryGraph(CONTRACT, edges))
    cut = HUB_CUT if is_open else None
    return Walks(reader, node_ids(starts), hub_cut=cut, by_rarity=by_rarity, check=lambda: None)


def routes_of(start: str, end: str, hops: int) -> tuple[Route, ...]:
    """Return the routes of up to so many hops; none where there is none."""
    first, last = CONTRACT.node(start), CONTRACT.node(end)
    assert first is not None
    assert last is not None
    try:
        return routes_within(CONTRACT, first, last, hops).routes
    except ArgumentError:
        return ()


def paths_of(
    edges: list[EdgeRecord], routes: Sequence[Route], starts: list[int], *, is_open: bool
) -> dict[int, list[Path]]:
    """Return the paths along all routes, by end, found node by node."""
    nodes = [(routes[0].start, key) for key in sorted(set(starts))]
    longest = max(len(route.hops) for route in routes)
    return Graph(CONTRACT, edges).ends(nodes, routes[0].end, longest, hubs=not is_open)


@given(GRAPHS, STARTS, ENDS, st.integers(1, 4), st.booleans())
def test_paths_are_counted_with_their_fewest_hops(
    edges: list[EdgeRecord], starts: list[int], ends: tuple[str, str], hops: int, is_open: bool
) -> None:
    routes = routes_of(*ends, hops)
    if not routes:
        return
    reached = walks(edges, starts, is_open=is_open).reached(routes, None)
    reached_paths = paths_of(edges, routes, starts, is_open=is_open)
    triples = zip(reached.ids.tolist(), reached.scores.tolist(), reached.hops.tolist(), strict=True)
    assert {key: (score, least) for key, score, least in triples} == {
        key: (len(node_paths), len(node_paths[0]) - 1) for key, node_paths in reached_paths.items()
    }


@given(GRAPHS, STARTS, ENDS, st.integers(1, 4), st.booleans())
def test_rare_nodes_between_count_more(
    edges: list[EdgeRecord], starts: list[int], ends: tuple[str, str], hops: int, is_open: bool
) -> None:
    routes = routes_of(*ends, hops)
    if not routes:
        return
    graph = Graph(CONTRACT, edges)
    reached = walks(edges, starts, is_open=is_open, by_rarity=True).reached(routes, None)
    reached_paths = paths_of(edges, routes, starts, is_open=is_open)
    scores = dict(zip(reached.ids.tolist(), reached.scores.tolist(), strict=True))
    sums = {key: sum(map(graph.rarity, node_paths)) for key, node_paths in reached_paths.items()}
    assert scores == pytest.approx(sums, abs=1e-4)


@given(GRAPHS, STARTS, ENDS, st.integers(1, 4), st.integers(1, 4), st.booleans())
def test_the_paths_shown_are_paths_and_as_many_as_are_wanted(
    edges: list[EdgeRecord],
    starts: list[int],
    ends: tuple[str, str],
    hops: int,
    limit: int,
    is_open: bool,
) -> None:
    routes = [route for route in routes_of(*ends, hops) if len(route.hops) == hops]
    if not routes:
        return
    finder = walks(edges, starts, is_open=is_open)
    finder.reached(routes, None)
    nodes = [(routes[0].start, key) for key in sorted(set(starts))]
    reached_paths: dict[int, list[Path]] = defaultdict(list)
    for reached_path in Graph(CONTRACT, edges).paths(nodes, hops, hubs=not is_open):
        if reached_path[-1][0] == routes[0].end and reached_path[-1] not in nodes:
            reached_paths[reached_path[-1][1]].append(reached_path)
    evidence = finder.evidence(routes, node_ids(list(reached_paths)), limit)
    assert evidence.scores == {key: len(node_paths) for key, node_paths in reached_paths.items()}
    for key, node_paths in reached_paths.items():
        evidence_paths = [
            tuple(zip(p.route.kinds, p.ids, strict=True)) for p in evidence.paths[key]
        ]
        assert len(evidence_paths) == min(limit, len(node_paths))
        assert not Counter(evidence_paths) - Counter(node_paths)
        if hops == 2 and routes[0].start == routes[0].end:
            between = {reached_path[1] for reached_path in node_paths}
            assert evidence.shared[key] == Counter(kind for kind, _ in between)


@given(GRAPHS, STARTS, ENDS, st.integers(1, 4))
def test_small_blocks_change_nothing(
    edges: list[EdgeRecord], starts: list[int], ends: tuple[str, str], hops: int
) -> None:
    routes = routes_of(*ends, hops)
    if not routes:
        return
    all_walks = walks(edges, starts)
    parts = walks(edges, starts)
    reached = all_walks.reached(routes, None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK_PATHS", 3)
        in_blocks = parts.reached(routes, None)
        assert in_blocks.ids.tolist() == reached.ids.tolist()
        assert in_blocks.scores.tolist() == reached.scores.tolist()
        longest = [route for route in routes if len(route.hops) == len(routes[-1].hops)]
        blockwise = parts.evidence(longest, reached.ids, 5)
    assert blockwise == all_walks.evidence(longest, reached.ids, 5)


def test_only_selected_ends_are_reached() -> None:
    edges = [EdgeRecord("NEEDS", recipe, 1) for recipe in range(1, 5)]
    routes = routes_of("Recipe", "Recipe", 2)
    reached = walks(edges, [1]).reached(routes, SelectedIds(node_ids([1, 3])))
    assert reached.ids.tolist() == [3]


def test_an_edge_within_one_kind_is_walked_both_ways() -> None:
    edges = [EdgeRecord("GOES_WITH", 1, 2), EdgeRecord("GOES_WITH", 3, 2)]
    ingredient = CONTRACT.node("Ingredient")
    assert ingredient is not None
    routes = routes_along(CONTRACT, ingredient, ["GOES_WITH", "GOES_WITH"], None).routes
    reached = walks(edges, [1]).reached(routes, None)
    assert (reached.ids.tolist(), reached.scores.tolist()) == ([3], [1])


def test_a_hub_is_named_with_its_degree_and_may_be_an_end() -> None:
    edges = [EdgeRecord("NEEDS", recipe, 1) for recipe in range(1, 7)]
    finder = walks(edges, [1])
    assert finder.reached(routes_of("Recipe", "Recipe", 2), None).ids.tolist() == []
    assert finder.hubs == {("Ingredient", 1): 6}
    assert finder.reached(routes_of("Recipe", "Ingredient", 1), None).ids.tolist() == [1]


def star(count: int) -> list[EdgeRecord]:
    """Return recipes that all need one ingredient."""
    return [EdgeRecord("NEEDS", recipe, 1) for recipe in range(1, count + 1)]


def dense(count: int) -> list[EdgeRecord]:
    """Return recipes that all need all ingredients."""
    pairs = product(range(1, count + 1), repeat=2)
    return [EdgeRecord("NEEDS", recipe, ingredient) for recipe, ingredient in pairs]


def test_a_star_is_walked_through_its_center() -> None:
    routes = routes_of("Recipe", "Recipe", 2)
    reached = walks(star(2_000), [1], is_open=False).reached(routes, None)
    assert reached.ids.tolist() == list(range(2, 2_001))
    assert set(reached.scores.tolist()) == {1}


def test_a_dense_graph_counts_every_path() -> None:
    recipe = CONTRACT.node("Recipe")
    assert recipe is not None
    routes = routes_along(CONTRACT, recipe, ["NEEDS"] * 4, None).routes
    reached = walks(dense(12), [1], is_open=False).reached(routes, None)
    assert set(reached.scores.tolist()) == {12 * 10 * 11}
    assert len(reached.ids) == 11


def test_a_walk_that_would_explode_says_so_before_it_is_walked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_PATHS", 10_000)
    recipe = CONTRACT.node("Recipe")
    assert recipe is not None
    routes = routes_along(CONTRACT, recipe, ["NEEDS"] * 4, None).routes
    mock = Mock(side_effect=module._numbers_within)
    monkeypatch.setattr(module, "_numbers_within", mock)
    with pytest.raises(ExecutionError, match="too many") as caught:
        walks(dense(40), [1], is_open=False).reached(routes, None)
    assert "fewer starts" in (caught.value.hint or "")
    assert sum(int(call.args[0].sum()) for call in mock.mock_calls) <= 10_000


def test_paths_to_an_end_are_not_more_than_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_PATHS", 500)
    recipe = CONTRACT.node("Recipe")
    assert recipe is not None
    routes = routes_along(CONTRACT, recipe, ["NEEDS"] * 4, None).routes
    with pytest.raises(ExecutionError, match="too many"):
        walks(dense(12), [1], is_open=False).evidence(routes, node_ids([2, 3]), 5)


def test_edges_are_not_read_where_they_would_be_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_EDGES", 100)
    reader = MemoryGraph(CONTRACT, star(200))
    finder = Walks(
        cast("GraphReader", reader),
        node_ids([1]),
        hub_cut=None,
        by_rarity=False,
        check=lambda: None,
    )
    cuisine = routes_of("Ingredient", "Cuisine", 2)
    with pytest.raises(ExecutionError, match="edges"):
        finder.reached(cuisine, None)
    assert reader.followed == 0


def test_a_hub_at_the_end_is_reached_by_the_few_edges_of_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_EDGES", 100)
    routes = routes_of("Recipe", "Ingredient", 1)
    evidence = walks(star(200), [7], is_open=False).evidence(routes, node_ids([1]), 5)
    assert [path.ids for path in evidence.paths[1]] == [(7, 1)]


def test_a_call_that_is_cancelled_ends_between_two_steps() -> None:
    steps = iter(range(2))

    def check() -> None:
        if next(steps, None) is None:
            raise QueryTimeoutError("cancelled")

    finder = Walks(
        cast("GraphReader", MemoryGraph(CONTRACT, dense(5))),
        node_ids([1]),
        hub_cut=None,
        by_rarity=False,
        check=check,
    )
    with pytest.raises(QueryTimeoutError):
        finder.reached(routes_of("Recipe", "Recipe", 4), None)
