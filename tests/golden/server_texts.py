"""Every T-SQL text that is made for SQL Server on our own account.

The files beside this one hold them as they were read with the grammar of SQL Server (180), `?`
standing for a parameter; docs/concepts/verification.md names those that were not.
To write them anew: PYTHONPATH=tests python -m golden.server_texts
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from fakes.cookbook import cookbook_contract
from fakes.toy_graph import toy_contract

from moviegraph.contract.ddl import script
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.sqlserver import internal_tables
from moviegraph.engines.sqlserver import reader_statements as reader
from moviegraph.engines.sqlserver import writing as load
from moviegraph.engines.sqlserver.reader_statements import Query
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import RowLimits, Where, judge
from moviegraph.sql.match_patterns import hops_from

HERE = Path(__file__).parent
DIMENSIONS = 64
EVERY_ROW = RowLimits(2**31 - 1, 1000)
BY_IDS = reader.Restriction(ids=True)
Text = tuple[str, str]


def load_texts(contract: Contract) -> Iterator[Text]:
    """Yield the statements of a load."""
    yield "lock", load.LOCK
    yield "read the manifest", internal_tables.READ_MANIFEST
    yield "write the manifest", internal_tables.WRITE_MANIFEST
    yield "read the contract", internal_tables.READ_CONTRACT
    yield "write the contract", internal_tables.WRITE_CONTRACT
    yield "read aliases", internal_tables.READ_ALIASES
    yield "write aliases", internal_tables.WRITE_ALIASES
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


def reader_texts(contract: Contract) -> Iterator[Text]:
    """Yield the statements of the retrieval primitives for the first kind of node."""
    for name, query in reader_queries(contract, contract.nodes[0]):
        yield name, query.text


def reader_queries(contract: Contract, node: NodeTable) -> Iterator[tuple[str, Query]]:
    """Yield the statements of the retrieval primitives for a kind, each form of selection once."""
    yield from _ranked_primitives(contract, node)
    yield "named", reader.named_nodes(contract, node)
    yield "names", reader.all_names(contract, node)
    yield "names with parts", reader.names_with(contract, node)
    hops = hops_from(contract, node.name)
    for hop in hops:
        along = f"{'along' if hop.forward else 'against'} {hop.edge} to {hop.kind}"
        yield f"neighbors {along}", reader.neighbors(contract, node, hop)
        yield f"spread {along}", reader.spread(contract, node, hop)
    if hops:
        yield "spread of some", reader.spread(contract, node, hops[0], BY_IDS)
    if (counted := reader.degrees(contract, node)) is not None:
        yield "degrees", counted
    columns = [column.name for column in node.columns if column.name != node.vector]
    yield "fetch", reader.fetched_columns(contract, node, columns)
    yield "vectors", reader.stored_vectors(contract, node)
    yield "keep", reader.kept_nodes(contract, node, _by_condition(contract, node))
    yield "existing", reader.kept_nodes(contract, node, reader.ALL)
    yield "has_any", reader.any_node(contract, node, _by_condition(contract, node))


def _ranked_primitives(contract: Contract, node: NodeTable) -> Iterator[tuple[str, Query]]:
    selections = {
        "": reader.ALL,
        " of some": BY_IDS,
        " where": _by_condition(contract, node),
        " without some": reader.Restriction(excluded=True),
    }
    for name, among in selections.items():
        yield f"nearest{name}", reader.nearest_nodes(contract, node, DIMENSIONS, among)
        if not among.ids:
            by_index = reader.nearest_by_index(contract, node, DIMENSIONS, among)
            yield f"nearest by index{name}", by_index
        yield f"matching{name}", reader.matching_nodes(contract, node, "CONTAINSTABLE", among)
    yield "matching words", reader.matching_nodes(contract, node, "FREETEXTTABLE")
    yield "document counts", reader.document_counts(contract, node)


def _by_condition(contract: Contract, node: NodeTable) -> reader.Restriction:
    where = Where(f"{node.key} > 3 AND {node.label} <> 'é'", node.name, "n")
    decision = judge(f"SELECT n.{node.key} FROM {node.name} AS n", contract, EVERY_ROW, where=where)
    assert isinstance(decision, Allowed), decision
    return reader.Restriction(condition=decision.sql, excluded=True)


def _file(texts: Iterator[Text]) -> str:
    return "".join(f"-- {name}\n{sql}\nGO\n\n" for name, sql in texts)


FILES: dict[str, Callable[[], str]] = {
    "ddl_movies.sql": lambda: script(load_contract(), 384, vector_index=True),
    "ddl_kitchen.sql": lambda: script(toy_contract(), DIMENSIONS),
    "reader_movies.sql": lambda: _file(reader_texts(load_contract())),
    "reader_kitchen.sql": lambda: _file(reader_texts(toy_contract())),
    "reader_cookbook.sql": lambda: _file(reader_texts(cookbook_contract())),
    "load_kitchen.sql": lambda: _file(load_texts(toy_contract())),
    "ddl_cookbook.sql": lambda: script(cookbook_contract(), DIMENSIONS, vector_index=True),
    "load_cookbook.sql": lambda: _file(load_texts(cookbook_contract())),
}

if __name__ == "__main__":
    for file, made in FILES.items():
        (HERE / file).write_text(made(), encoding="utf-8", newline="\n")
