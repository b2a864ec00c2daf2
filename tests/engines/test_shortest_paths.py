"""Paths found by breadth-first search, compared with a plain search over dictionaries."""

import random
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from fakes.limits import budget
from fakes.records import build_graph

from moviegraph.contract.model import Contract
from moviegraph.engines.base import Statement
from moviegraph.engines.embedded.embedded_engine import EmbeddedEngine, open_graph
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.errors import ExecutionError, QueryTimeoutError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

MOVIES, THEMES, GENRES = 40, 25, 6
PATHS = """
    FROM Movie AS s, INCLUDES_THEME FOR PATH AS a, Theme FOR PATH AS t,
         INCLUDES_THEME FOR PATH AS b, Movie FOR PATH AS d
    WHERE MATCH(SHORTEST_PATH({pattern}))
"""
EDGE_FIRST = "s(-(a)->t<-(b)-d){times}"
Edges = set[tuple[int, int]]
RandomGraph = tuple[EmbeddedEngine, Edges]


def wide(contract: Contract) -> Contract:
    """Return the contract with a limit that lets every path of these graphs through."""
    limits = contract.limits.model_copy(update={"top": 10_000})
    return contract.model_copy(update={"limits": limits})


def open_random(seed: int, folder: Path, contract: Contract) -> RandomGraph:
    dice = random.Random(seed)
    edges = {(dice.randrange(MOVIES), dice.randrange(THEMES)) for _ in range(20 + 12 * seed)}
    nodes = [NodeRecord("Movie", key, f"m{key}", "", {}) for key in range(MOVIES)]
    nodes += [NodeRecord("Theme", key, f"t{key}", "") for key in range(THEMES)]
    records = [EdgeRecord("INCLUDES_THEME", *ends) for ends in edges]
    build_graph(nodes, records, folder, contract, None, source="random")
    return open_graph(folder, contract), edges


@pytest.fixture(scope="module", params=range(5))
def graph(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, contract: Contract
) -> Iterator[RandomGraph]:
    folder = tmp_path_factory.mktemp("random") / "graph"
    engine = open_random(request.param, folder, contract)
    yield engine
    engine[0].close()


@pytest.fixture
def rows(graph: RandomGraph, contract: Contract) -> Callable[[str], list[tuple[object, ...]]]:
    def run(sql: str) -> list[tuple[object, ...]]:
        decision = judge(sql, wide(contract))
        assert isinstance(decision, Allowed), decision
        return graph[0].execute(Statement(decision), budget(rows=10_000)).rows

    return run


def shared(edges: Edges) -> dict[int, set[int]]:
    """Return for each film the films of which it shares a theme, itself among them."""
    films: defaultdict[int, set[int]] = defaultdict(set)
    for film, theme in edges:
        films[theme].add(film)
    collected: defaultdict[int, set[int]] = defaultdict(set)
    for film, theme in edges:
        collected[film] |= films[theme]
    return collected


def hops_from(start: int, edges: Edges, limit: int) -> dict[int, int]:
    """Return the length of the shortest way to each film; the start is reached by a loop."""
    neighbours, result, queue = shared(edges), dict[int, int](), deque([(start, 0)])
    while queue:
        film, hops = queue.popleft()
        for other in sorted(neighbours[film]):
            if other not in result and hops < limit:
                result[other] = hops + 1
                queue.append((other, hops + 1))
    return result


def expected(edges: Edges, limit: int, starts: range) -> list[tuple[int, int, int]]:
    ways = ((start, hops_from(start, edges, limit)) for start in starts)
    return sorted((start, end, hops) for start, result in ways for end, hops in result.items())


@pytest.mark.parametrize(("times", "limit"), [("{1,1}", 1), ("{1,2}", 2), ("+", 1_000)])
def test_every_pair_of_films_has_one_path_of_the_shortest_length(
    graph: RandomGraph,
    rows: Callable[[str], list[tuple[object, ...]]],
    times: str,
    limit: int,
) -> None:
    text = PATHS.format(pattern=EDGE_FIRST.format(times=times))
    result_rows = rows(
        "SELECT TOP 9999 s.Id, LAST_VALUE(d.Id) WITHIN GROUP (GRAPH PATH) AS l, "
        f"COUNT(d.Id) WITHIN GROUP (GRAPH PATH) AS h {text}"
    )
    assert sorted(result_rows) == expected(graph[1], limit, range(MOVIES))


PATHS_QUERY = (
    "SELECT TOP 9999 s.Id AS s, LAST_VALUE(d.Id) WITHIN GROUP (GRAPH PATH) AS l, "
    "STRING_AGG(t.Id, ' ') WITHIN GROUP (GRAPH PATH) AS ts, "
    "STRING_AGG(d.Id, ' ') WITHIN GROUP (GRAPH PATH) AS ds, "
    "COUNT(d.Name) WITHIN GROUP (GRAPH PATH) AS h, "
    "LAST_VALUE(t.Id) WITHIN GROUP (GRAPH PATH) AS lt " + PATHS
)


def check_ways(items: list[tuple[object, ...]], edges: Edges) -> None:
    """Check that every row is a way along edges, from its start to its end."""
    for start, last, themes, films, hops, theme in items:
        theme_ids = [int(part) for part in str(themes).split()]
        stops = [int(str(start)), *(int(part) for part in str(films).split())]
        assert len(theme_ids) == hops == len(stops) - 1
        assert (stops[-1], theme_ids[-1]) == (last, theme)
        for (stop_id, there), between in zip(pairwise(stops), theme_ids, strict=True):
            assert {(stop_id, between), (there, between)} <= edges


def test_what_lies_along_a_path_leads_from_its_start_to_its_end(
    graph: RandomGraph, rows: Callable[[str], list[tuple[object, ...]]]
) -> None:
    result_rows = rows(PATHS_QUERY.format(pattern=EDGE_FIRST.format(times="+")))
    assert len(result_rows) == len(expected(graph[1], 1_000, range(MOVIES)))
    check_ways(result_rows, graph[1])


@pytest.mark.parametrize(
    ("inside", "starts"),
    [
        pytest.param("", range(MOVIES), id="searched from the few ends"),
        pytest.param(" AND s.Id = 7", range(7, 8), id="searched from the one start"),
        pytest.param(" AND s.Id IN (3, 4, 5, 6)", range(3, 7), id="from as many starts as ends"),
    ],
)
def test_a_condition_on_the_end_only_leaves_out_other_paths(
    graph: RandomGraph,
    rows: Callable[[str], list[tuple[object, ...]]],
    inside: str,
    starts: range,
) -> None:
    inner = PATHS_QUERY.replace("TOP 9999 ", "").format(pattern=EDGE_FIRST.format(times="{1,3}"))
    result_rows = rows(f"SELECT TOP 9999 * FROM ({inner}{inside}) AS p WHERE p.l BETWEEN 2 AND 5")
    everything = expected(graph[1], 3, starts)
    assert sorted(row[:2] + row[4:5] for row in result_rows) == [
        (start, end, hops) for start, end, hops in everything if 2 <= end <= 5
    ]
    check_ways(result_rows, graph[1])


@pytest.mark.parametrize(
    ("start", "end"),
    [
        pytest.param(3, 5, id="both there"),
        pytest.param(3, 3, id="the same"),
        pytest.param(MOVIES + 1_000, 5, id="no such start"),
        pytest.param(3, MOVIES + 1_000, id="no such end"),
        pytest.param(3, (1 << 40) + 5, id="an end beyond every id"),
    ],
)
def test_a_start_and_an_end_named_by_id_have_the_shortest_way_between_them(
    graph: RandomGraph, rows: Callable[[str], list[tuple[object, ...]]], start: int, end: int
) -> None:
    inner = PATHS_QUERY.replace("TOP 9999 ", "").format(pattern=EDGE_FIRST.format(times="{1,3}"))
    result_rows = rows(
        f"SELECT TOP 9999 * FROM ({inner} AND s.Id = {start}) AS p WHERE p.l = {end}",
    )
    ways = expected(graph[1], 3, range(start, start + 1)) if start < MOVIES else []
    assert [row[:2] + row[4:5] for row in result_rows] == [way for way in ways if way[1] == end]
    check_ways(result_rows, graph[1])


def test_a_path_goes_on_from_the_last_node_of_another(
    graph: RandomGraph, rows: Callable[[str], list[tuple[object, ...]]]
) -> None:
    result_rows = rows(
        """
        SELECT TOP 9999 LAST_VALUE(d.Id) WITHIN GROUP (GRAPH PATH) AS d,
               LAST_VALUE(n.Id) WITHIN GROUP (GRAPH PATH) AS n
        FROM Movie AS s, INCLUDES_THEME FOR PATH AS a, Theme FOR PATH AS t,
             INCLUDES_THEME FOR PATH AS b, Movie FOR PATH AS d, INCLUDES_THEME FOR PATH AS e,
             Theme FOR PATH AS u, INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS n
        WHERE MATCH(SHORTEST_PATH(s(-(a)->t<-(b)-d){1,2})
                    AND SHORTEST_PATH(LAST_NODE(d)(-(e)->u<-(f)-n){1,1}))
              AND s.Id = 7
        """
    )
    firsts = hops_from(7, graph[1], 2)
    pairs = [(film, other) for film in firsts for other in hops_from(film, graph[1], 1)]
    assert sorted(result_rows) == sorted(pairs)


@pytest.fixture(scope="module")
def dense(tmp_path_factory: pytest.TempPathFactory, contract: Contract) -> Iterator[EmbeddedEngine]:
    """Two thousand films that all share three themes: four million pairs."""
    folder = tmp_path_factory.mktemp("dense") / "graph"
    nodes = [NodeRecord("Movie", key, f"m{key}", "", {}) for key in range(2_000)]
    nodes += [NodeRecord("Theme", key, f"t{key}", "") for key in range(3)]
    edges = [EdgeRecord("INCLUDES_THEME", film, theme) for film in range(2_000) for theme in (0, 1)]
    build_graph(nodes, edges, folder, contract, None, source="dense")
    engine = open_graph(folder, contract)
    yield engine
    engine.close()


def lengths(condition: str) -> str:
    return (
        "SELECT COUNT(*) AS n, MAX(p.h) AS h FROM (SELECT COUNT(d.Id) WITHIN GROUP (GRAPH PATH) "
        f"AS h {PATHS.format(pattern=EDGE_FIRST.format(times='+'))} {condition}) AS p"
    )


@pytest.mark.slow("long")
def test_paths_between_too_many_pairs_end_with_a_hint(
    dense: EmbeddedEngine, contract: Contract
) -> None:
    judged = {text: judge(text, contract) for text in (lengths(""), lengths("AND s.Id = 1"))}
    everything, first_statement = (
        Statement(decision) for decision in judged.values() if isinstance(decision, Allowed)
    )
    with pytest.raises(ExecutionError) as failed:
        dense.execute(everything, budget())
    assert failed.value.code == "too_complex"
    assert "start" in str(failed.value.hint)
    assert dense.execute(first_statement, budget()).rows == [(2_000, 1)]


def test_a_search_ends_when_its_time_is_out(dense: EmbeddedEngine, contract: Contract) -> None:
    decision = judge(lengths(""), contract)
    assert isinstance(decision, Allowed)
    with pytest.raises(QueryTimeoutError):
        dense.execute(Statement(decision), budget(seconds=0))
