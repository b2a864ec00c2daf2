"""A scripted server whose catalogue says that it holds a contract's graph, for opening engines."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fakes.tds.script import Answers, Rows, Step
from fakes.tds.types import INT, NVARCHAR, NVARCHAR_MAX, Column

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.embeddings.embedder import VectorSpace
from moviegraph.engines.graph_records import FORMAT, Manifest
from moviegraph.engines.sqlserver.internal_tables import (
    State,
    StoredManifest,
    contract_document,
)
from moviegraph.engines.sqlserver.metadata import HEADER, NUMBER

TYPES = {"INT": "int", "BIGINT": "bigint", "FLOAT": "float", "BIT": "bit", "DATE": "date"}
SCHEMA: Sequence[Column] = [
    ("schema", NVARCHAR),
    ("table", NVARCHAR),
    ("is_node", INT),
    ("is_edge", INT),
    ("column", NVARCHAR),
    ("system_type", NVARCHAR),
    ("user_type", NVARCHAR),
    ("max_length", INT),
    ("dimensions", INT),
]
SERVER: Sequence[Column] = [
    ("version", NVARCHAR),
    ("edition", NVARCHAR),
    ("engine", INT),
    ("fulltext", INT),
    ("updateability", NVARCHAR),
    ("level", INT),
    ("snapshot", INT),
    ("collation", NVARCHAR),
]
AZURE = ("12.0.2000.8", "SQL Azure", 5, 1, "READ_WRITE", 170, 1, "SQL_Latin1_General_CP1_CI_AS")


def scripted_database(
    contract: Contract, space: VectorSpace, *, state: State | None = "whole"
) -> Answers:
    """Return a script that answers the questions of an opening; tests add statements to its table.

    Args:
        contract: The contract whose tables it claims to have.
        space: Where the vectors are from that it claims to have.
        state: The state of its load, or None for a database without a manifest.
    """
    carried = [(contract_document(contract),)] if state else []
    names = [(name, NVARCHAR) for name in ("schema", "table", "column")]
    document = [(_document(contract, space, state),)] if state else []
    table: Mapping[str, Sequence[Step]] = {
        "Name = N'contract'": [Rows([("Value", NVARCHAR_MAX)], carried)],
        "[Manifest]": [Rows([("Value", NVARCHAR_MAX)], document)],
        "FROM sys.tables": [Rows(SCHEMA, list(_columns(contract, space)))],
        "sys.fulltext_index_columns": [Rows(names, list(_searchable(contract)))],
        "TableFulltextPopulateStatus": [Rows([*names[:2], ("status", INT)], [])],
        "IsFullTextInstalled": [Rows(SERVER, [AZURE])],
        "sys.vector_indexes": [Rows([(str(n), NVARCHAR) for n in range(5)], [])],
        "COUNT_BIG": [Rows([("Name", NVARCHAR), ("Held", INT)], _counts(contract).items())],
    }
    return Answers(dict(table))


def _counts(contract: Contract) -> dict[str, int]:
    return dict.fromkeys(contract.table_names, 10)


def _document(contract: Contract, space: VectorSpace, state: State) -> str:
    counts = _counts(contract)
    manifest = Manifest(
        FORMAT, contract.hash, "content", space, counts, counts, {}, "scripted", contract.name
    )
    return StoredManifest(manifest, state).document()


def _columns(contract: Contract, space: VectorSpace) -> Iterable[tuple[Any, ...]]:
    schema = contract.schema_name
    for node in contract.nodes:
        for name, kind, dimensions in _of_node(node, space):
            size = HEADER + NUMBER * space.dimensions
            yield (schema, node.name, 1, 0, name, kind, kind, size, dimensions)
    for edge in contract.edges:
        yield (schema, edge.name, 0, 1, "graph_id", "bigint", "bigint", 8, None)


def _of_node(node: NodeTable, space: VectorSpace) -> Iterable[tuple[str, str, int | None]]:
    for column in node.columns:
        if column.type == "VECTOR":
            yield column.name, "vector", space.dimensions
        else:
            yield column.name, TYPES.get(column.type, "nvarchar"), None


def _searchable(contract: Contract) -> Iterable[tuple[str, str, str]]:
    for node in contract.nodes:
        for name in node.searchable:
            yield (contract.schema_name, node.name, name)
