"""A shop: edge tables with columns, more than one edge between two nodes, and two pairs."""

from datetime import date
from pathlib import Path
from typing import Any

from fakes.hashed_embedder import HashedEmbedder
from fakes.records import build_graph

from moviegraph.contract.loader import contract_of
from moviegraph.contract.model import Contract
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord

NODE = """
[nodes.{name}]
description = "One {name}."
[nodes.{name}.columns]
Id = {{ type = "INT", nullable = false, description = "Key." }}
Name = {{ type = "NVARCHAR(100)", nullable = false, searchable = true, description = "Name." }}
Content = {{ type = "NVARCHAR(MAX)", searchable = true, description = "Text." }}
Embedding = {{ type = "VECTOR", description = "Vector." }}
"""
EDGES = """
[edges.BOUGHT]
from = "Customer"
to = "Product"
meaning = "a purchase"
[edges.BOUGHT.columns]
Amount = { type = "INT", nullable = false, description = "Pieces." }
Price = { type = "DECIMAL(8,2)", description = "Paid for one." }
Bought = { type = "DATE", field = "on", description = "Day of the purchase." }
Note = { type = "NVARCHAR(40)", description = "What the customer said." }

[edges.KNOWS]
from = "Customer"
to = "Customer"
meaning = "a friend"

[edges.RATED]
connects = [["Customer", "Product"], ["Customer", "Customer"]]
meaning = "an opinion"
[edges.RATED.columns]
Stars = { type = "FLOAT", description = "0 to 5." }
Note = { type = "NVARCHAR(40)", description = "Why." }
"""
TOML = (
    'name = "shop"\ntitle = "A shop"\nversion = "1"\ndescription = "Customers and products."\n'
    + NODE.format(name="Customer")
    + NODE.format(name="Product")
    + EDGES
)
CUSTOMERS = ("Ada", "Ben", "Cy", "Dora")
PRODUCTS = ("Lamp", "Desk", "Chair")
BOUGHT = (
    (1, 1, 2, "9.50", date(2024, 1, 5), "gift"),
    (1, 1, 1, "9.00", date(2024, 3, 1), None),
    (1, 1, 2, "9.50", date(2024, 6, 9), "gift"),
    (1, 2, 1, "150.00", date(2024, 1, 5), None),
    (2, 1, 5, "8.00", date(2023, 12, 24), "office"),
    (2, 3, 4, None, None, "It's 100% oak"),
    (3, 3, 1, "45.25", date(2024, 2, 2), "gift"),
)
RATED = ((0, 1, 1, 4.5, "bright"), (0, 2, 1, 2.0, None), (0, 2, 3, None, "?"), (1, 1, 2, 5.0, "ok"))
KNOWS = ((1, 2), (2, 3), (3, 4))


def shop_contract() -> Contract:
    return contract_of({"contract.toml": TOML})


def shop_nodes() -> list[NodeRecord]:
    kinds = (("Customer", CUSTOMERS), ("Product", PRODUCTS))
    return [
        NodeRecord(kind, key, name, f"{name} of the shop.")
        for kind, names in kinds
        for key, name in enumerate(names, 1)
    ]


def shop_edges() -> list[EdgeRecord]:
    bought = [
        EdgeRecord("BOUGHT", start, end, 0, (amount, price, day and day.isoformat(), note))
        for start, end, amount, price, day, note in BOUGHT
    ]
    rated = [
        EdgeRecord("RATED", start, end, pair, (stars, note))
        for pair, start, end, stars, note in RATED
    ]
    return [*bought, *rated, *(EdgeRecord("KNOWS", *ends) for ends in KNOWS)]


def shop_rows() -> list[dict[str, Any]]:
    """The same as JSON Lines."""
    rows: list[dict[str, Any]] = [
        {"kind": node.kind, "id": node.id, "name": node.name, "content": node.content}
        for node in shop_nodes()
    ]
    contract = shop_contract()
    for edge in shop_edges():
        table = contract.edge(edge.kind)
        assert table is not None
        pair = table.pairs[edge.pair]
        fields = [column.source_field for column in table.columns]
        rows.append(
            {
                "kind": edge.kind,
                "from": edge.source,
                "to": edge.target,
                "from_kind": pair.from_table,
                "to_kind": pair.to_table,
                **dict(zip(fields, edge.values, strict=False)),
            }
        )
    return rows


def build_shop(folder: Path) -> Path:
    contract = shop_contract()
    build_graph(shop_nodes(), shop_edges(), folder, contract, HashedEmbedder(), source="the shop")
    return folder
