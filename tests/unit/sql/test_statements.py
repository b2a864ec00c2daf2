from collections.abc import Iterator

import pytest
from fakes.toy_graph import toy_contract
from moviegraph.sql.fusion_statements import (
    Link,
    Links,
    Lists,
    ends_of,
    fused_nodes,
    links_of,
    near_ends,
    nearest_likeness,
)
from moviegraph.sql.walks import Hubs, Walk

from moviegraph.contract.load import load_contract
from moviegraph.contract.model import Contract, EdgeTable, NodeTable, Pair
from moviegraph.sql import statements, traversal_statements
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import RowLimits, Where, judge
from moviegraph.sql.routes import Route, hops_from, routes_between


def kitchen() -> Contract:
    contract = toy_contract()
    pairs = EdgeTable(
        name="GOES_WITH",
        pairs=(Pair(from_table="Ingredient", to_table="Ingredient"),),
        meaning="they agree",
    )
    return contract.model_copy(update={"edges": (*contract.edges, pairs)})


CONTRACTS = [load_contract(), kitchen()]


def built(contract: Contract, node: NodeTable) -> Iterator[tuple[str, str]]:
    """Yield every statement that the fixed tools build for a kind of node."""
    name = node.name
    yield f"{name} nearest", statements.nearest_nodes(node, 20)
    yield f"{name} by index", statements.nearest_by_index(node, 20)
    by_index = fused_nodes(node, "sea", 20, Lists(200, 20, by_index=True))
    yield f"{name} fused by index", by_index
    yield (
        f"{name} matching",
        statements.matching_nodes(node, "CONTAINSTABLE", "ship AND sea", 20),
    )
    named = statements.named_or_matching_nodes(node, [1, 2], "FREETEXTTABLE", "captain's", 20)
    yield f"{name} named or matching", named
    yield f"{name} scored", statements.scored_nodes(node, {1: 3, 2: 4.5}, "Rank", 20)
    yield f"{name} fused", fused_nodes(node, "ship sea", 20, Lists(200, 20))
    led = fused_nodes(node, "sea", 20, Lists(200, 20, named={1: 0.5}, kept=[f"m.{node.key} <> 2"]))
    yield f"{name} fused behind a name", led
    yield from linked(contract, node)
    yield f"{name} named", statements.nodes_named(node, ["a'b", "c"], 20)
    column = next((each.name for each in node.extra if each.type == "INT"), node.key)
    dated = node.model_copy(update={"disambiguated_by": column})
    yield f"{name} apart", statements.nodes_disambiguated(dated, [("O'Hara", 1), ("b", 2)], 20)
    yield f"{name} by id", statements.nodes_with_ids(node, [1, -2], 20)
    yield f"{name} pieces", statements.nodes_sharing_pieces(node, ["ab", "c'"], 20)
    yield f"{name} beginning", statements.nodes_beginning(node, ["ab"], 100, 20)
    yield f"{name} records", statements.whole_records(node, [1], 20)
    yield f"{name} edges", statements.edge_counts(contract, node, [1], 20) or ""
    yield f"{name} hubs", traversal_statements.hub_nodes(contract, node, 20)


def linked(contract: Contract, node: NodeTable) -> Iterator[tuple[str, str]]:
    """Yield the statements of the list by links; none for a kind from which no edge leads."""
    links = links_of(contract, node)
    if links:
        yield f"{node.name} nearest", nearest_likeness(node)
        yield f"{node.name} near ends", near_ends(links, 20)
        yield f"{node.name} ends of an example", ends_of(node, links, [3], 20)
        keyed = tuple(Link(each.edge, each.end, tuple(range(8))) for each in links)
        lists = Lists(200, 20, 0.5, links=Links(keyed, 1.25), kept=[f"m.{node.key} <> 2"])
        yield f"{node.name} fused with links", fused_nodes(node, "sea", 20, lists)


def walked(contract: Contract, start: NodeTable, end: NodeTable) -> Iterator[tuple[str, str]]:
    """Yield the statements of traversal of up to four hops: of the shortest and longest routes."""
    first, second = contract.nodes[0], contract.nodes[1]
    hubs = Hubs({second.name: (3, 4)}, {second.name: None, first.name: (9,)})
    walk = Walk(contract, (1, 2), hubs)
    near = [Route(start.name, (hop,)) for hop in hops_from(contract, start.name)]
    yield "near", traversal_statements.neighbours(walk, near, {}, 20)
    yield "cosine", traversal_statements.cosine_of_starts(walk, start)
    routes = [
        route
        for length in (1, 2, 3, 4)
        for route in routes_between(contract, start.name, end.name, length)
    ]
    mean = traversal_statements.similarity_to_starts(walk, end, start, 0.5)
    query = traversal_statements.similarity_to_query(end)
    packs = list(traversal_statements.packed(walk, routes))
    for name, pack in (("short", packs[0]), ("long", packs[-1])):
        yield f"{name} ways", traversal_statements.ways(walk, pack, 5, 20)
        yield f"{name} shared", traversal_statements.reached(walk, pack, "r.Ways", 20)
        yield f"{name} query", traversal_statements.reached(walk, pack, query, 20)
        yield f"{name} mean", traversal_statements.reached_keys(walk, pack, mean, 20)
    score = "COUNT(*) OVER (PARTITION BY r.Id)"
    yield "path", traversal_statements.paths(walk, routes[:1], score, 20)
    yield "merged", traversal_statements.merged(first, {1: (3, 2), 2: (0.5, 4)}, 20)


def judged_unchanged(contract: Contract, named: Iterator[tuple[str, str]]) -> None:
    for name, sql in named:
        decision = judge(sql, contract, RowLimits(20, 1000))
        assert isinstance(decision, Allowed), (name, decision, sql)
        assert decision.notes == (), (name, decision.notes)


NODES = [
    pytest.param(contract, node, id=f"{contract.name}-{node.name}")
    for contract in CONTRACTS
    for node in contract.nodes
]
QUICK_WALKS = {("movies-Movie", 0), ("movies-Character", 0), ("kitchen-Cuisine", 0)}
WALKS = [
    pytest.param(
        *node.values,
        end,
        id=f"{node.id}-{end}",
        marks=() if (node.id, end) in QUICK_WALKS else pytest.mark.slow("long"),
    )
    for node in NODES
    for end in (0, 1)
]


@pytest.mark.parametrize(("contract", "node"), NODES)
def test_the_guard_accepts_every_statement_of_search(contract: Contract, node: NodeTable) -> None:
    judged_unchanged(contract, built(contract, node))


@pytest.mark.parametrize(("contract", "node", "end"), WALKS)
def test_the_guard_accepts_every_statement_of_traversal(
    contract: Contract, node: NodeTable, end: int
) -> None:
    judged_unchanged(contract, walked(contract, node, contract.nodes[end]))


@pytest.mark.slow("long")
@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.name)
def test_a_long_condition_fits_into_every_branch(contract: Contract) -> None:
    node = contract.nodes[0]
    text = " AND ".join(f"{node.label} <> 'x{i}'" for i in range(60))
    routes = list(routes_between(contract, node.name, node.name, 4))
    walk = Walk(contract, tuple(range(60)))
    for pack in traversal_statements.packed(walk, routes, condition=text):
        sql = traversal_statements.reached(walk, pack, "r.Ways", 20)
        decision = judge(sql, contract, where=Where(text, node.name, "n"))
        assert isinstance(decision, Allowed), decision


def test_a_caller_s_condition_reaches_every_list_of_a_fusion() -> None:
    contract = CONTRACTS[0]
    node = contract.nodes[0]
    links = Links(tuple(Link(each.edge, each.end, (1,)) for each in links_of(contract, node)))
    for lists, places in ((Lists(200, 20), 3), (Lists(200, 20, links=links), 4)):
        sql = fused_nodes(node, "a", 20, lists)
        decision = judge(sql, contract, where=Where("ReleaseYear > 1990", "Movie", "n"))
        assert isinstance(decision, Allowed)
        assert decision.sql.count("[ReleaseYear] > 1990") == places


def test_a_fusion_of_every_list_with_a_long_query_and_condition_keeps_the_guard_s_limits() -> None:
    contract = CONTRACTS[0]
    node = contract.nodes[0]
    keys = tuple(range(100_000, 100_008))
    links = Links(tuple(Link(each.edge, each.end, keys) for each in links_of(contract, node)))
    kept = [f"m.{node.label} <> N'a name of one'"] * 2
    lists = Lists(200, 20, links=links, named=dict.fromkeys(range(20), 0.5), kept=kept)
    sql = fused_nodes(node, "word " * 400, 20, lists)
    where = Where("ReleaseYear BETWEEN 1990 AND 1999", "Movie", "n")
    assert isinstance(judge(sql, contract, where=where), Allowed)


def test_nearest_nodes_of_a_recipe_read_like_this() -> None:
    assert statements.nearest_nodes(CONTRACTS[1].nodes[0], 5) == (
        "SELECT TOP (5) n.Number, n.Title, n.Minutes, n.Vegan, n.Added, n.Price, n.Tip, "
        "ROUND(1 - VECTOR_DISTANCE('cosine', n.Meaning, @q), 4) AS Similarity, n.Method\n"
        "FROM Recipe AS n\n"
        "WHERE n.Meaning IS NOT NULL\n"
        "ORDER BY VECTOR_DISTANCE('cosine', n.Meaning, @q), n.Number"
    )


def test_matching_films_read_like_this() -> None:
    node = CONTRACTS[0].nodes[0]
    assert statements.matching_nodes(node, "CONTAINSTABLE", '"it\'s" AND b', 5) == (
        "SELECT TOP (5) n.Id, n.Name, n.ReleaseYear, k.[RANK] AS Rank, n.Content\n"
        "FROM CONTAINSTABLE(Movie, (Name, Content), N'\"it''s\" AND b') AS k\n"
        "JOIN Movie AS n ON n.Id = k.[KEY]\n"
        "ORDER BY k.[RANK] DESC, n.Id"
    )


def test_ways_of_two_hops_read_like_this() -> None:
    contract = CONTRACTS[0]
    walk = Walk(contract, (1,), Hubs({"Theme": (7,)}))
    route = next(routes_between(contract, "Movie", "Movie", 2))
    kind = route.kinds[1]
    walk = Walk(contract, (1,), Hubs({kind: (7,)}), ends=(2, 3))
    edge = route.hops[0].edge
    assert traversal_statements.ways(walk, [route], 5, 20) == (
        "SELECT TOP (20) v.Id, v.Place, v.Via FROM (\n"
        "  SELECT n.Id AS Id, ROW_NUMBER() OVER (PARTITION BY n.Id ORDER BY s.Id, n1.Id) AS Place, "
        f"CONCAT(s.Name, N' -[{edge}]-> ', n1.Name, N' <-[{edge}]- ', n.Name) AS Via\n"
        f"  FROM Movie AS s, {edge} AS e1, {kind} AS n1, {edge} AS e2, Movie AS n\n"
        "  WHERE MATCH(s-(e1)->n1<-(e2)-n) AND s.Id IN (1) AND n.Id IN (2, 3) "
        "AND n.Id NOT IN (1) AND n1.Id NOT IN (7)) AS v\n"
        "WHERE v.Place <= 5 ORDER BY v.Id, v.Place, v.Via"
    )
