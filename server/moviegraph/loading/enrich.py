"""Ends the text of a node with one line of the names that its edges lead to."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from moviegraph.contract.model import Contract
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord

MOST = 20
FORM = "text ends with one line: KIND: NAME, NAME; KIND: NAME."
Key = tuple[str, int]


def enrichment(contract: Contract) -> Mapping[str, Any] | None:
    """Return what `enriched` does under a contract, for the recipe; None if nothing."""
    edges = [edge.name for edge in contract.edges if edge.in_text]
    return {"form": FORM, "edges": edges, "most": MOST} if edges else None


def enriched(
    nodes: Sequence[NodeRecord], edges: Iterable[EdgeRecord], contract: Contract
) -> list[NodeRecord]:
    """Return the nodes, the names of their neighbours in their texts where the contract says so.

    Names stand in the order of the edges, at most `MOST` of a kind.
    """
    lines = _lines(nodes, edges, contract)
    return [
        _ended(node, lines[node.kind, node.id]) if (node.kind, node.id) in lines else node
        for node in nodes
    ]


def _lines(
    nodes: Iterable[NodeRecord], edges: Iterable[EdgeRecord], contract: Contract
) -> dict[Key, str]:
    names = {(node.kind, node.id): node.name.strip() for node in nodes}
    spelt = {node.name.lower(): node.name for node in contract.nodes}
    kinds = {
        edge.name: [
            (spelt[pair.from_table.lower()], spelt[pair.to_table.lower()]) for pair in edge.pairs
        ]
        for edge in contract.edges
        if edge.in_text
    }
    found: dict[Key, dict[str, dict[str, None]]] = {}
    for edge in edges:
        if edge.kind in kinds:
            start, end = kinds[edge.kind][edge.pair]
            of_node = found.setdefault((start, edge.source), {})
            of_node.setdefault(end, {})[names[end, edge.target]] = None
    order = list(dict.fromkeys(end for pairs in kinds.values() for _, end in pairs))
    return {key: _line(order, of_node) for key, of_node in found.items()}


def _line(order: list[str], names: Mapping[str, Iterable[str]]) -> str:
    parts = [f"{kind}: {', '.join(list(names[kind])[:MOST])}" for kind in order if kind in names]
    return "; ".join(parts) + "."


def _ended(node: NodeRecord, line: str) -> NodeRecord:
    text = node.content.rstrip()
    return node if text.endswith(line) else replace(node, content=f"{text}\n{line}")
