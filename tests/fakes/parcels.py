"""A graph without edges: a kind of every column type with a source key, and one of names only."""

from pathlib import Path
from typing import Any

from fakes.hashed_embedder import HashedEmbedder
from fakes.journals import MemoryJournal
from fakes.limits import limits
from fakes.sources import source

from moviegraph.contract.loader import contract_of
from moviegraph.contract.model import Contract
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.loading.folder_loader import load
from moviegraph.query.session import Session

CONTRACT = """
name = "parcels"
title = "Parcels"
version = "1"
description = "Parcels of a depot."

[nodes.Parcel]
description = "One parcel."
source_key = "Code"
[nodes.Parcel.columns]
Id = { type = "BIGINT", nullable = false, description = "Key." }
Code = { type = "NVARCHAR(40)", nullable = false, description = "Number on the label." }
Name = { type = "NVARCHAR(80)", nullable = false, searchable = true, description = "Goods." }
Weight = { type = "DECIMAL(8,2)", description = "Kilograms." }
Units = { type = "BIGINT", description = "Pieces." }
Rate = { type = "FLOAT", description = "Share of the price." }
Fragile = { type = "BIT", description = "Whether it can break." }
Sent = { type = "DATE", description = "Day on which it left." }
Scanned = { type = "DATETIME2", description = "When it was last seen." }
Details = { type = "JSON", description = "Size and tags." }
Content = { type = "NVARCHAR(MAX)", searchable = true, description = "What is in it." }
Embedding = { type = "VECTOR", description = "Vector of name and text." }

[nodes.Depot]
description = "A place where parcels wait."
[nodes.Depot.columns]
Id = { type = "INT", nullable = false, description = "Key." }
Name = { type = "NVARCHAR(80)", nullable = false, searchable = true, description = "Usual name." }
"""
LAMP_UNITS = 2**53 + 1
ROWS: list[dict[str, Any]] = [
    {
        "kind": "Parcel",
        "id": "PX-1",
        "name": "Lamp",
        "content": "A lamp of brass with a green shade.",
        "weight": 12.5,
        "units": LAMP_UNITS,
        "rate": 0.5,
        "fragile": True,
        "sent": "2024-02-29",
        "scanned": "2024-03-01T08:15:30.25",
        "details": {"size": {"width": 3}, "tags": ["brass", "light"]},
    },
    {
        "kind": "Parcel",
        "id": "px-1",
        "name": "Chair",
        "content": "A chair of oak.",
        "weight": "7.25",
        "units": 4,
        "sent": "2023-12-31",
        "scanned": "2023-12-31T23:59:59+01:00",
        "details": '{"size": {"width": 40}, "tags": []}',
    },
    {"kind": "Parcel", "id": "0042", "name": "Rug", "content": "A rug of wool."},
    {"kind": "Parcel", "id": 2**70, "name": "Vase", "content": "A vase, broken."},
    {"kind": "Parcel", "id": 15, "name": "px-2", "content": "A name like a number on a label."},
    {"kind": "Parcel", "id": "PX-2", "name": "Desk", "content": "A desk of pine."},
    {"kind": "Depot", "id": 1, "name": "North"},
    {"kind": "Depot", "id": 2, "name": "South"},
]


def parcel_contract() -> Contract:
    return contract_of({"contract.toml": CONTRACT})


def build_parcels(folder: Path) -> Path:
    """Load the parcels into a graph folder, and return it."""
    files = source(folder.with_name(f"{folder.name}-source"), ROWS)
    load(files, folder, parcel_contract(), HashedEmbedder())
    return folder


def parcel_session(folder: Path) -> Session:
    contract = parcel_contract()
    engine = open_graph(build_parcels(folder), contract)
    return Session(contract, engine, HashedEmbedder(), MemoryJournal(), limits())
