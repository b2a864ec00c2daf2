"""The further members of an edge line, and the further columns of a link table."""

import json
from pathlib import Path
from typing import Any

import pytest
from fakes.records import SourceRecords, read_records
from fakes.shop_graph import CUSTOMERS, PRODUCTS, shop_contract

from moviegraph.engines.graph_records import EdgeRecord
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import read_column_map
from moviegraph.loading.row_validation import Reason, Rejects

NODES = [
    {"kind": kind, "id": key, "name": name, "content": name}
    for kind, names in (("Customer", CUSTOMERS), ("Product", PRODUCTS))
    for key, name in enumerate(names, 1)
]
LINE = {"kind": "BOUGHT", "from": 1, "to": 1, "amount": 2, "price": 9.5, "on": "2024-01-05"}
VALUES = (2, "9.50", "2024-01-05", None)


def read_lines(folder: Path, *edges: dict[str, Any]) -> tuple[SourceRecords, Rejects]:
    text = "".join(json.dumps(row) + "\n" for row in (*NODES, *edges))
    (folder / "all.jsonl").write_text(text, encoding="utf-8")
    rejects = Rejects()
    return read_records(folder, shop_contract(), rejects), rejects


def test_further_members_of_an_edge_line_are_its_columns(tmp_path: Path) -> None:
    records, rejects = read_lines(tmp_path, LINE, {"kind": "KNOWS", "from": 1, "to": 2})
    assert records.edges == [
        EdgeRecord("BOUGHT", 1, 1, 0, VALUES),
        EdgeRecord("KNOWS", 1, 2),
    ]
    assert not rejects.counts


def test_a_member_that_no_column_takes_is_reported(tmp_path: Path) -> None:
    records, _ = read_lines(tmp_path, LINE | {"shop": "North"})
    assert records.found.unused["all.jsonl"] == ["shop"]


def test_edges_with_different_values_are_kept_and_equal_ones_are_one(tmp_path: Path) -> None:
    records, rejects = read_lines(tmp_path, LINE, LINE | {"note": "gift"}, LINE)
    assert records.edges == [
        EdgeRecord("BOUGHT", 1, 1, 0, VALUES),
        EdgeRecord("BOUGHT", 1, 1, 0, (*VALUES[:3], "gift")),
    ]
    assert dict(rejects.counts) == {Reason.DUPLICATE_EDGE: 1}


@pytest.mark.parametrize(
    ("change", "reason", "message"),
    [
        ({"amount": None}, Reason.MISSING, "the field amount is missing"),
        ({"amount": "two"}, Reason.WRONG_TYPE, "the field amount is 'two', not a whole number"),
        ({"amount": 2**31}, Reason.OUT_OF_RANGE, "the field amount is 2147483648"),
        ({"on": "5 January"}, Reason.WRONG_TYPE, "the field on is '5 January', not an ISO date"),
        ({"note": "x" * 41}, Reason.TEXT_TOO_LONG, "the field note has 41 characters"),
    ],
)
def test_a_value_that_does_not_fit_is_reported_with_its_member(
    tmp_path: Path, change: dict[str, Any], reason: Reason, message: str
) -> None:
    records, rejects = read_lines(tmp_path, LINE | change)
    assert records.edges == []
    assert dict(rejects.counts) == {reason: 1}
    assert rejects.first[0].message.startswith(message)


def test_the_further_columns_of_a_mapped_link_table_are_read(tmp_path: Path) -> None:
    files = {
        "customers.csv": "id,name,content\n1,Ada,a\n2,Ben,b\n",
        "products.csv": "id,name,content\n1,Lamp,a\n",
        "orders.csv": (
            "customer,product,amount,price,when,note\n"
            "1,1,2,9.5,15.1.2024,gift\n1,1,2,9.5,16.1.2024,\n2,1,,8,17.1.2024,\n"
        ),
        "map.toml": (
            "tables.'customers.*' = { kind = 'Customer' }\n"
            "tables.'products.*' = { kind = 'Product' }\n"
            "[tables.'orders.*']\nedge = 'BOUGHT'\n"
            "columns = { from = 'customer', to = 'product', on = 'when' }\n"
        ),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    columns, rejects = read_column_map(tmp_path / "map.toml"), Rejects()
    records = read_records(tmp_path, shop_contract(), rejects, columns)
    assert records.edges == [
        EdgeRecord("BOUGHT", 1, 1, 0, (2, "9.50", "2024-01-15", "gift")),
        EdgeRecord("BOUGHT", 1, 1, 0, (2, "9.50", "2024-01-16", None)),
    ]
    assert dict(rejects.counts) == {Reason.MISSING: 1}


@pytest.mark.parametrize(
    "entry", ["lists.bought = { edge = 'BOUGHT', split = '|' }", "links.bought.edge = 'BOUGHT'"]
)
def test_a_column_of_names_makes_no_edges_that_need_values(tmp_path: Path, entry: str) -> None:
    (tmp_path / "customers.csv").write_text("id,name,content,bought\n1,Ada,a,Lamp|Desk\n")
    (tmp_path / "map.toml").write_text(f"kind = 'Customer'\n{entry}\n")
    columns = read_column_map(tmp_path / "map.toml")
    with pytest.raises(SourceError, match="BOUGHT requires Amount"):
        read_records(tmp_path / "customers.csv", shop_contract(), Rejects(), columns)


def test_extraction_omits_edges_that_need_values() -> None:
    assert "BOUGHT" not in shop_contract().targets_from("Customer")
