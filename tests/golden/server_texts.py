"""Every T-SQL text that is made for SQL Server on our own account.

The files beside this one hold them as they were read with the grammar of SQL Server (180), `?`
standing for a parameter; docs/concepts/verification.md names those that were not.
To write them anew: PYTHONPATH=tests python -m golden.server_texts
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from fakes.cookbook import cookbook_contract
from fakes.toy_graph import toy_contract

from moviegraph.contract.ddl_mssql import script
from moviegraph.contract.load import load_contract
from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.odbc import aliases, manifest
from moviegraph.engines.odbc import load_statements as load
from moviegraph.sql import fusion_statements as fusion
from moviegraph.sql import statements as tools
from moviegraph.sql import traversal_statements as traversal
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import RowLimits, Where, judge
from moviegraph.sql.routes import Route, hops_from, routes_between
from moviegraph.sql.walks import Hubs, Walk

HERE = Path(__file__).parent
DIMENSIONS = 64
MOST_ROUTES = 8
Text = tuple[str, str]


def load_texts(contract: Contract) -> Iterator[Text]:
    """Yield the statements of a load."""
    yield "lock", load.LOCK
    yield "read the manifest", manifest.READ
    yield "write the manifest", manifest.WRITE
    yield "read the contract", manifest.READ_CONTRACT
    yield "write the contract", manifest.WRITE_CONTRACT
    yield "read aliases", aliases.READ
    yield "write aliases", aliases.WRITE
    yield "count", load.counts(contract)
    yield "full text", load.fulltext_states(contract)
    for node in contract.nodes:
        yield f"read {node.name}", load.stored_rows(contract, node)
        yield f"read vectors of {node.name}", load.stored_vectors(contract, node)
        yield f"write {node.name}", load.write_nodes(contract, node, DIMENSIONS)
        yield f"remove {node.name}", load.remove_nodes(contract, node)
    for edge in contract.connections:
        alike = [each for each in contract.connections if each.name == edge.name]
        ends = f" from {edge.from_table} to {edge.to_table}" if len(alike) > 1 else ""
        name = edge.name + ends
        yield f"read {name}", load.stored_edges(contract, edge)
        yield f"write {name}", load.write_edges(contract, edge)
        yield f"remove {name}", load.remove_edges(contract, edge)


def tool_texts(contract: Contract) -> Iterator[Text]:
    """Yield the statements of the fixed tools, as the guard renders them."""
    for name, sql in tool_statements(contract):
        yield name, _judged(sql, contract).sql
    node = contract.nodes[0]
    where = Where("Minutes < 30 AND CONTAINS(*, N'é')", node.name, "n")
    yield "nearest, filtered", _judged(tools.nearest_nodes(node, 5), contract, where).sql
    where = Where("Minutes < 30", node.name, "n")
    yield "by index, filtered", _judged(tools.nearest_by_index(node, 5), contract, where).sql


def tool_statements(contract: Contract) -> Iterator[Text]:
    """Yield the statements of the fixed tools as they are built."""
    yield from _searches(contract)
    yield from _walks(contract)


def _searches(contract: Contract) -> Iterator[Text]:
    node = contract.nodes[0]
    yield "nearest", tools.nearest_nodes(node, 5)
    yield "nearest by index", tools.nearest_by_index(node, 5)
    yield "matching", tools.matching_nodes(node, "CONTAINSTABLE", '"ripe tom*" AND basil', 5)
    named = tools.named_or_matching_nodes(node, [1], "FREETEXTTABLE", "cook's", 5)
    yield "named or matching", named
    yield "scored", tools.scored_nodes(node, {1: 3, 2: 4.5}, "Rank", 5)
    yield from _fusions(contract, node)
    yield "named", tools.nodes_named(node, ["cook's", "crème"], 5)
    dated = node.model_copy(update={"disambiguated_by": "Minutes"})
    yield "disambiguated", tools.nodes_disambiguated(dated, [("cook's", 20), ("crème", 5)], 5)
    yield "named first", tools.named_first(node, "Cook's")
    yield "by id", tools.nodes_with_ids(node, [1, 2], 5)
    yield "sharing pieces", tools.nodes_sharing_pieces(node, ["rat", "k's"], 5)
    yield "beginning", tools.nodes_beginning(node, ["Cut"], 100, 5)
    yield "records", tools.whole_records(node, [1], 5)
    yield "edges", tools.edge_counts(contract, node, [1], 5) or ""
    yield "hubs", traversal.hub_nodes(contract, node, 5)


def _fusions(contract: Contract, node: NodeTable) -> Iterator[Text]:
    yield "fused", fusion.fused_nodes(node, "tomato", 5, fusion.Lists(50, 20))
    by_index = fusion.Lists(50, 20, by_index=True)
    yield "fused by index", fusion.fused_nodes(node, "tomato", 5, by_index)
    led = fusion.Lists(50, 20, named={1: 0.5}, kept=["m.Number <> 2", "1 = 1"])
    yield "fused behind a name", fusion.fused_nodes(node, "tomato", 5, led)
    links = fusion.links_of(contract, node)
    yield "near ends", fusion.near_ends(links)
    yield "ends of an example", fusion.ends_of(node, links, [1])
    near = tuple(fusion.Link(each.edge, each.end, (1, 2)) for each in links)
    yield "nearest", fusion.nearest_likeness(node)
    lists = fusion.Lists(50, 20, 0.5, links=fusion.Links(near, 1.25), named={1: 0.5})
    yield "fused with links", fusion.fused_nodes(node, "tomato", 5, lists)


def _walks(contract: Contract) -> Iterator[Text]:
    start, end = contract.nodes[0], contract.nodes[1]
    walk = Walk(contract, (1, 2), Hubs({end.name: (3,)}, {end.name: None, start.name: (9,)}))
    near = [Route(start.name, (hop,)) for hop in hops_from(contract, start.name)]
    yield "neighbours", traversal.neighbours(walk, near, {}, 5)
    yield "cosine of starts", traversal.cosine_of_starts(walk, start)
    routes = list(routes_between(contract, start.name, end.name, 3))[:MOST_ROUTES]
    for number, pack in enumerate(traversal.packed(walk, routes)):
        query = traversal.similarity_to_query(end)
        mean = traversal.similarity_to_starts(walk, end, start, 0.5)
        yield f"ways {number}", traversal.ways(walk, pack, 5, 5)
        yield f"reached by ways {number}", traversal.reached(walk, pack, "r.Ways", 5)
        yield f"reached by query {number}", traversal.reached(walk, pack, query, 5)
        yield f"reached by starts {number}", traversal.reached_keys(walk, pack, mean, 5)
    yield "paths", traversal.paths(walk, routes[:1], "COUNT(*) OVER (PARTITION BY r.Id)", 5)
    yield "merged", traversal.merged(start, {1: (3, 2), 2: (0.5, 4)}, 5)


def _judged(sql: str, contract: Contract, where: Where | None = None) -> Allowed:
    decision = judge(sql, contract, RowLimits(60, 1000), where=where)
    assert isinstance(decision, Allowed), decision
    return decision


def _file(texts: Iterator[Text]) -> str:
    return "".join(f"-- {name}\n{sql}\nGO\n\n" for name, sql in texts)


FILES: dict[str, Callable[[], str]] = {
    "ddl_movies.sql": lambda: script(load_contract(), 384, vector_index=True),
    "ddl_kitchen.sql": lambda: script(toy_contract(), DIMENSIONS),
    "load_kitchen.sql": lambda: _file(load_texts(toy_contract())),
    "tools_kitchen.sql": lambda: _file(tool_texts(toy_contract())),
    "ddl_cookbook.sql": lambda: script(cookbook_contract(), DIMENSIONS, vector_index=True),
    "load_cookbook.sql": lambda: _file(load_texts(cookbook_contract())),
    "tools_cookbook.sql": lambda: _file(tool_texts(cookbook_contract())),
}

if __name__ == "__main__":
    for file, made in FILES.items():
        (HERE / file).write_text(made(), encoding="utf-8", newline="\n")
