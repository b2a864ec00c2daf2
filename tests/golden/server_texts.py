"""Every T-SQL text that is made for SQL Server on our own account.

The files beside this one hold them as they were read with the grammar of SQL Server (180), `?`
standing for a parameter; docs/concepts/verification.md names those that were not.
To write them anew: PYTHONPATH=tests python -m golden.server_texts
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from fakes.cookbook import cookbook_contract
from fakes.parcels import parcel_contract
from fakes.shop_graph import shop_contract
from fakes.toy_graph import toy_contract

from moviegraph.contract.ddl import script
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract, EdgeTable, NodeTable
from moviegraph.embeddings.embedder import VectorSpace
from moviegraph.engines.base import APPROXIMATE, Description
from moviegraph.engines.result_limits import Row
from moviegraph.engines.retrieval_primitives import SelectedIds, Selection, node_ids
from moviegraph.engines.sqlserver import internal_tables
from moviegraph.engines.sqlserver import writing as load
from moviegraph.engines.sqlserver.batch import Batch
from moviegraph.engines.sqlserver.mssql_reader import MssqlReader, SelectedRows
from moviegraph.errors import UnavailableError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import RowLimits, Where, judge
from moviegraph.sql.match_patterns import Hop, hops_from

FOLDER = Path(__file__).parent
DIMENSIONS = 64
EVERY_ROW = RowLimits(2**31 - 1, 1000)
IDS, ONES = node_ids([3, 5]), np.ones(2)
Text = tuple[str, str]
Primitive = Callable[[MssqlReader], Any]


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
        if node.vector:
            yield f"read vectors of {node.name}", load.stored_vectors(contract, node)
        yield f"write {node.name}", load.write_nodes(contract, node, DIMENSIONS)
        yield f"remove {node.name}", load.remove_nodes(contract, node)
    for edge in contract.connections:
        alike = [connection for connection in contract.connections if connection.name == edge.name]
        ends = f" from {edge.from_table} to {edge.to_table}" if len(alike) > 1 else ""
        name = edge.name + ends
        yield f"read {name}", load.stored_edges(contract, edge)
        yield f"write {name}", load.write_edges(contract, edge)
        yield f"remove {name}", load.remove_edges(contract, edge)


def reader_texts(contract: Contract) -> Iterator[Text]:
    """Yield the statements of the retrieval primitives for the first kind of node."""
    for name, batch in reader_batches(contract, contract.nodes[0]):
        yield name, batch.text


def reader_batches(contract: Contract, node: NodeTable) -> Iterator[tuple[str, Batch]]:
    """Yield what the retrieval primitives send for a kind, each form of selection once."""
    for name, call in (*_ranked_primitives(contract, node), *_primitives(contract, node)):
        yield name, sent_by(contract, call, frozenset({f"{APPROXIMATE}{node.name}"}))


def sent_by(
    contract: Contract,
    call: Primitive,
    capabilities: frozenset[str],
    dimensions: int = DIMENSIONS,
) -> Batch:
    """Return the batch that a primitive sends; a table with a vector index is a capability."""
    batches: list[Batch] = []

    def run_query(batch: Batch) -> list[Row]:
        if batch.text != internal_tables.READ_ALIASES:
            batches.append(batch)
        return []

    space = VectorSpace("test", "test", dimensions)
    description = Description("mssql", contract.hash, "", space, {}, capabilities)
    with suppress(UnavailableError):  # of the nodes that are to be fetched there are none
        call(MssqlReader(contract, description, run_query))
    (batch,) = batches
    return batch


def _primitives(contract: Contract, node: NodeTable) -> Iterator[tuple[str, Primitive]]:
    kind, hops, some = node.name, hops_from(contract, node.name), SelectedIds(IDS)
    columns = [column.name for column in node.columns if column.name != node.vector]
    judged = _condition(contract, node)
    yield "named", lambda graph: graph.named(kind, ["Name"])
    if node.source_key:
        yield "keyed", lambda graph: graph.keyed(kind, ["Key"])
    yield "names", lambda graph: graph.names(kind)
    yield "names with parts", lambda graph: graph.names_with(kind, ["part"], 3)
    for hop in hops:
        along = f"{'along' if hop.forward else 'against'} {hop.edge} to {hop.kind}"
        yield f"neighbors {along}", partial(MssqlReader.neighbors, kind=kind, hop=hop, ids=IDS)
        spread = partial(MssqlReader.spread, kind=kind, hop=hop, ids=IDS, weights=ONES, k=3)
        yield f"spread {along}", spread
    for hop in hops:
        edge = contract.edge(hop.edge)
        if edge and edge.columns:
            along = f"{'along' if hop.forward else 'against'} {hop.edge} to {hop.kind} where"
            where = _edge_condition(contract, kind, hop, edge)
            some_pairs = partial(MssqlReader.neighbors, kind=kind, hop=hop, ids=IDS, where=where)
            yield f"neighbors {along}", some_pairs
            spread = partial(MssqlReader.spread, kind=kind, hop=hop, ids=IDS, weights=ONES, k=3)
            yield f"spread {along}", partial(spread, where=where)
    if hops:
        yield "spread of some", lambda graph: graph.spread(kind, hops[0], IDS, ONES, 3, some)
        yield "degrees", lambda graph: graph.degrees(kind, IDS)
    yield "fetch", lambda graph: graph.fetch(kind, IDS, columns)
    yield "vectors", lambda graph: graph.vectors(kind, IDS)
    yield "keep", lambda graph: graph.keep(kind, IDS, graph.select(kind, judged, IDS))
    yield "existing", lambda graph: graph.existing(kind, IDS)
    yield "has_any", lambda graph: graph.has_any(kind, graph.select(kind, judged, IDS))


def _ranked_primitives(contract: Contract, node: NodeTable) -> Iterator[tuple[str, Primitive]]:
    kind, vector = node.name, np.ones(DIMENSIONS, dtype=np.float32)
    selections: dict[str, Selection | None] = {
        "": None,
        " of some": SelectedIds(IDS),
        " where": SelectedRows(_condition(contract, node).sql, IDS),
        " without some": SelectedRows(excluded=IDS),
    }
    for name, among in selections.items():
        nearest = partial(MssqlReader.nearest, kind=kind, vector=vector, among=among)
        yield f"nearest{name}", partial(nearest, k=5_000)
        if not isinstance(among, SelectedIds):
            yield f"nearest by index{name}", partial(nearest, k=3)
        matching = partial(MssqlReader.matching, kind=kind, text="words", k=3, among=among)
        yield f"matching{name}", matching
    if kinds := dict.fromkeys(hop.kind for hop in hops_from(contract, kind)):
        linked = SelectedRows(linked=tuple({end: IDS} for end in kinds))
        yield "nearest linked", lambda graph: graph.nearest(kind, vector, 3, linked)
    yield "matching words", lambda graph: graph.matching(kind, "words", 3, function="FREETEXT")
    yield "document counts", lambda graph: graph.document_counts(kind, ["words"])


def _edge_condition(contract: Contract, kind: str, hop: Hop, edge: EdgeTable) -> Allowed:
    arrow = "-(e)->" if hop.forward else "<-(e)-"
    start, end = contract.node(kind), contract.node(hop.kind)
    assert start is not None and end is not None
    column = edge.columns[-1]
    value = "'é'" if column.is_text else "3"
    decision = judge(
        f"SELECT s.{start.key} AS Source, t.{end.key} AS Target FROM {kind} AS s, {hop.edge} AS e, "
        f"{hop.kind} AS t WHERE MATCH(s{arrow}t)",
        contract,
        EVERY_ROW,
        where=Where(f"{column.name} <> {value}", hop.edge, "e"),
    )
    assert isinstance(decision, Allowed), decision
    return decision


def _condition(contract: Contract, node: NodeTable) -> Allowed:
    where = Where(f"{node.key} > 3 AND {node.label} <> 'é'", node.name, "n")
    decision = judge(f"SELECT n.{node.key} FROM {node.name} AS n", contract, EVERY_ROW, where=where)
    assert isinstance(decision, Allowed), decision
    return decision


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
    "ddl_parcels.sql": lambda: script(parcel_contract(), DIMENSIONS, vector_index=True),
    "reader_parcels.sql": lambda: _file(reader_texts(parcel_contract())),
    "load_parcels.sql": lambda: _file(load_texts(parcel_contract())),
    "ddl_shop.sql": lambda: script(shop_contract(), DIMENSIONS),
    "reader_shop.sql": lambda: _file(reader_texts(shop_contract())),
    "load_shop.sql": lambda: _file(load_texts(shop_contract())),
    "load_cookbook.sql": lambda: _file(load_texts(cookbook_contract())),
}

if __name__ == "__main__":
    for file, made in FILES.items():
        (FOLDER / file).write_text(made(), encoding="utf-8", newline="\n")
