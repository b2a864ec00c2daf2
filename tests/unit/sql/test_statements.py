from collections.abc import Iterator

import pytest
from fakes.toy_graph import toy_contract

from moviegraph.contract.load import load_contract
from moviegraph.contract.model import Contract, EdgeTable, NodeTable, Pair
from moviegraph.sql import statements
from moviegraph.sql.decision import Allowed
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
from moviegraph.sql.guard import RowLimits, Where, judge


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


@pytest.mark.parametrize(("contract", "node"), NODES)
def test_the_guard_accepts_every_statement_of_search(contract: Contract, node: NodeTable) -> None:
    judged_unchanged(contract, built(contract, node))


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
