"""The graph of the toy contract, built from its JSON Lines into a folder."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fakes.hashed_embedder import HashedEmbedder
from fakes.records import build_graph

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract, NodeTable
from moviegraph.embeddings.embedder import Embedder
from moviegraph.engines.graph_records import AliasRecord, EdgeRecord, NodeRecord, node_columns
from moviegraph.loading.aliases import read_alias_rows, resolve_aliases
from moviegraph.loading.row_validation import Rejects

TOY = Path(__file__).parents[1] / "toy"


def toy_contract() -> Contract:
    return load_contract(TOY / "contract")


def toy_edges() -> list[EdgeRecord]:
    return [EdgeRecord(line["kind"], line["from"], line["to"]) for line in _lines("edges_*.jsonl")]


def build_toy_graph(folder: Path, embedder: Embedder | None = None) -> Path:
    contract = toy_contract()
    build_graph(
        [_node(contract, line) for line in _lines("nodes_*.jsonl")],
        toy_edges(),
        folder,
        contract,
        embedder or HashedEmbedder(),
        source="the toy",
        aliases=toy_aliases(contract),
    )
    return folder


def toy_aliases(contract: Contract) -> list[AliasRecord]:
    nodes = node_columns(contract, (_node(contract, line) for line in _lines("nodes_*.jsonl")))
    rows = read_alias_rows(TOY / "data" / "aliases.jsonl", contract, Rejects())
    return resolve_aliases(rows, nodes, {}, Rejects())


def _lines(pattern: str) -> Iterator[dict[str, Any]]:
    for path in sorted((TOY / "data").glob(pattern)):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def _node(contract: Contract, line: dict[str, Any]) -> NodeRecord:
    table = contract.node(line["kind"])
    assert isinstance(table, NodeTable)
    values = {column.name: line.get(column.source_field) for column in table.extra}
    return NodeRecord(line["kind"], line["id"], line["name"], line["content"], values)
