"""Traversal over edges with columns: conditions, values in Via, and pairs that are counted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.journals import MemoryJournal
from fakes.limits import limits
from fakes.records import build_graph
from fakes.sessions import call, column
from fakes.shop_graph import BOUGHT, TOML, build_shop, shop_contract

from moviegraph.contract.loader import contract_of
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.errors import ArgumentError, RefusedError
from moviegraph.query.rows import Rows
from moviegraph.query.session import Session
from moviegraph.search.records import fetch
from moviegraph.search.traverse import traverse


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    contract = shop_contract()
    engine = open_graph(build_shop(tmp_path_factory.mktemp("shop") / "graph"), contract)
    session = Session(contract, engine, HashedEmbedder(), MemoryJournal(), limits())
    yield session
    engine.close()


def by_name(rows: Rows, name: str) -> dict[str, Any]:
    return dict(zip(column(rows, "Name"), column(rows, name), strict=True))


@pytest.mark.parametrize(
    ("condition", "places"),
    [
        ("Amount >= 2", [0, 2, 4, 5]),
        ("Price > 100 OR Note = 'OFFICE'", [3, 4]),
        ("BOUGHT.Bought >= '2024-01-01'", [0, 1, 2, 3, 6]),
        ("Note LIKE '%100[%]%'", [5]),
        ("Price IS NULL", [5]),
        ("Amount > 99", []),
    ],
)
def test_every_edge_of_the_walk_satisfies_the_condition(
    shop: Session, condition: str, places: list[int]
) -> None:
    """The places of the purchases that satisfy it were read from the list."""
    pairs = {BOUGHT[place][:2] for place in places}
    starts = [1, 2, 3, 4]
    rows = traverse(
        shop, call(), start=starts, path=["BOUGHT"], to_kind="Product", where_edge=condition
    )
    counts = {end: sum(pair[1] == end for pair in pairs) for _, end in pairs}
    assert ("No reached node satisfies `where_edge`." in rows.notes) is (not places)
    assert dict(zip(column(rows, "Id"), column(rows, "Score"), strict=True)) == counts
    both = traverse(shop, call(), start=[1], path=["BOUGHT", "BOUGHT"], where_edge=condition)
    bought = {end for start, end in pairs if start == 1}
    assert set(column(both, "Id")) == {s for s, end in pairs if end in bought and s != 1}


@pytest.mark.parametrize(("count", "is_shown"), [(536, True), (560, False)])
def test_values_beside_a_long_condition_are_shown_or_a_note_says_why_not(
    shop: Session, count: int, is_shown: bool
) -> None:
    """The condition with the ids of all pairs exceeds the guard's limit of 1,200 tokens."""
    numbers = ["9"] * (count // 4)
    condition = " AND ".join(f"Amount NOT IN ({', '.join(numbers)})" for _ in range(4))
    rows = traverse(shop, call(), start=[1, 2, 3, 4], path=["BOUGHT"], where_edge=condition)
    assert ("Price 150.00" in by_name(rows, "Via")["Desk"]) is is_shown
    assert any("Via has no values" in note for note in rows.notes) is not is_shown


def test_several_edges_of_two_nodes_are_one_path_and_their_number_is_shown(shop: Session) -> None:
    rows = traverse(shop, call(), start=["Ada"], path=["BOUGHT"])
    assert by_name(rows, "Score") == {"Lamp": 1, "Desk": 1}
    assert by_name(rows, "Via") == {
        "Lamp": "Ada #1 -[BOUGHT (3 edges)]-> Lamp #1",
        "Desk": "Ada #1 -[BOUGHT: Amount 1, Price 150.00, Bought 2024-01-05]-> Desk #2",
    }


def test_only_edges_that_satisfy_the_condition_are_shown(shop: Session) -> None:
    rows = traverse(
        shop, call(), start=["Ada"], to=["Lamp"], to_kind="Product", where_edge="Amount = 1"
    )
    assert column(rows, "Via") == [
        "Ada #1 -[BOUGHT: Amount 1, Price 9.00, Bought 2024-03-01]-> Lamp #1",
        "Ada #1 -[RATED: Stars 4.5, Note bright]-> Lamp #1",
    ]
    assert "`where_edge` is about edges of BOUGHT, not of RATED, KNOWS." in rows.notes


def test_a_condition_on_what_is_shared_shows_the_values(shop: Session) -> None:
    plain = traverse(shop, call(), start=["Ben"], path=["BOUGHT", "BOUGHT"])
    assert by_name(plain, "Via") == {"Ada": "Product: Lamp #1", "Cy": "Product: Chair #3"}
    rows = traverse(
        shop, call(), start=["Ben"], path=["BOUGHT", "BOUGHT"], where_edge="Note IS NOT NULL"
    )
    assert by_name(rows, "Via") == {
        "Ada": "Product: Lamp #1 [Amount 5, Price 8.00, Bought 2023-12-24, Note office; (2 edges)]",
        "Cy": "Product: Chair #3 [Amount 4, Note It's 100% oak; "
        "Amount 1, Price 45.25, Bought 2024-02-02, Note gift]",
    }


def test_a_condition_leaves_tables_without_its_columns_alone(shop: Session) -> None:
    rows = traverse(shop, call(), start=["Cy"], path=["KNOWS", "BOUGHT"], where_edge="Amount >= 4")
    assert by_name(rows, "Via") == {
        "Lamp": "Cy #3 <-[KNOWS]- Ben #2 -[BOUGHT: Amount 5, Price 8.00, Bought 2023-12-24, "
        "Note office]-> Lamp #1",
        "Chair": "Cy #3 <-[KNOWS]- Ben #2 -[BOUGHT: Amount 4, Note It's 100% oak]-> Chair #3",
    }


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("Colour = 'red'", "no edge table of this walk has Colour; with columns there are BOUGHT"),
        ("Amount > 1 AND Stars > 1", "no edge table of this walk has Amount, Stars"),
        ("Stars > 1", "no edge table of this walk has Stars"),
        ("RATED.Note = 'x'", "no edge table of this walk has RATED.Note"),
        ("p.Name = 'Lamp'", "no edge table of this walk has p.Name"),
        ("Amount > (SELECT 1)", "subqueries"),
        ("Amount > 1) OR (1 = 1", "balanced parentheses"),
        ("Amount > 1; DROP TABLE BOUGHT", "`where_edge` cannot be used"),
        ("$from_id = $to_id", "no edge table"),
        ("MATCH(s-(e)->t)", "MATCH is not allowed"),
        ("CONTAINS(Note, 'gift')", "`where_edge` cannot be used"),
        ("Amount > @q", "`where_edge` cannot be used"),
        ("SLEEP(9) = 1 AND Amount = 1", "`where_edge` cannot be used"),
        ("Amount = 1 " + "AND Amount = 1 " * 200, "longer than 2,000 characters"),
    ],
)
def test_what_is_no_condition_on_the_edges_of_the_walk_is_refused(
    shop: Session, condition: str, says: str
) -> None:
    with pytest.raises(RefusedError) as caught:
        traverse(shop, call(), start=[1], path=["BOUGHT"], where_edge=condition)
    assert caught.value.code == "invalid_where"
    assert says in caught.value.message


def test_a_column_that_no_table_has_is_answered_with_those_there_are(shop: Session) -> None:
    with pytest.raises(RefusedError) as caught:
        traverse(shop, call(), start=[1], path=["KNOWS"], where_edge="Amount > 1")
    assert "no edge table of this walk has Amount." in caught.value.message


def test_edges_limits_what_an_open_walk_and_shortest_paths_may_use(shop: Session) -> None:
    assert {"Ben", "Cy"} <= set(
        column(traverse(shop, call(), start=["Ada"], to_kind="Customer"), "Name")
    )
    rows = traverse(shop, call(), start=["Ada"], to_kind="Customer", edges=["KNOWS"])
    assert by_name(rows, "Hops") == {"Ben": 1, "Cy": 2}
    shortest = traverse(
        shop, call(), start=["Ada"], to=["Chair"], to_kind="Product", edges=["KNOWS", "BOUGHT"]
    )
    assert column(shortest, "Via") == [
        "Ada #1 -[KNOWS]-> Ben #2 -[BOUGHT: Amount 4, Note It's 100% oak]-> Chair #3"
    ]
    with pytest.raises(ArgumentError, match="over KNOWS within 2 hops") as caught:
        traverse(shop, call(), start=["Ada"], to_kind="Product", edges=["KNOWS"])
    assert caught.value.hint == "Add edge tables to `edges`, or omit it."
    with pytest.raises(ArgumentError, match="`edges` limits"):
        traverse(shop, call(), start=["Ada"], path=["KNOWS"], edges=["KNOWS"])


def test_fewer_hops_come_first_and_what_is_far_is_said(shop: Session) -> None:
    rows = traverse(shop, call(), start=["Ada"], to_kind="Customer", max_hops=3)
    assert column(rows, "Hops") == sorted(column(rows, "Hops"))
    far = traverse(shop, call(), start=["Ada"], to=["Cy"], edges=["BOUGHT", "KNOWS"], max_hops=4)
    assert "Not linked directly to a start: Cy (3): 2 hops." in far.notes
    assert "Score counts the paths to a node." in far.notes
    none = traverse(
        shop, call(), start=["Dora"], to_kind="Product", edges=["KNOWS", "BOUGHT"], max_hops=2
    )
    assert (
        "No Product in the result is linked directly to a start: each path has at least 2 hops."
        in none.notes
    )


def test_records_count_edges(shop: Session) -> None:
    rows = fetch(shop, call(), kind="Customer", names=["Cy", "Ada"])
    assert column(rows, "Edges") == [
        {"BOUGHT": 1, "KNOWS": 2, "RATED": 0},
        {"BOUGHT": 4, "KNOWS": 1, "RATED": 2},
    ]


def test_values_of_every_type_are_shown(tmp_path: Path) -> None:
    types = ("BIT", "DATETIME2", "JSON", "BIGINT", "NVARCHAR(MAX)", "FLOAT", "INT", "DATE")
    columns = "".join(
        f'C{at} = {{ type = "{kind}", description = "x" }}\n' for at, kind in enumerate(types)
    )
    contract = contract_of({"contract.toml": TOML + columns})
    nodes = [NodeRecord("Customer", 1, "Ada", "a"), NodeRecord("Product", 1, "Lamp", "b")]
    values = (
        None,
        None,
        True,
        "2024-01-05T08:30:00",
        '{"a": [1]}',
        2**40,
        "long " * 20,
        0.5,
        7,
        None,
    )
    edges = [EdgeRecord("RATED", 1, 1, 0, values)]
    build_graph(nodes, edges, tmp_path / "graph", contract, None, source="x")
    engine = open_graph(tmp_path / "graph", contract)
    session = Session(contract, engine, HashedEmbedder(), MemoryJournal(), limits())
    rows = traverse(session, call(), start=[1], path=["RATED"], to_kind="Product")
    assert column(rows, "Via") == [
        (
            'Ada #1 -[RATED: C0 true, C1 2024-01-05 08:30:00, C2 {"a": [1]}, C3 1099511627776, '
            "C4 long long long long long long long long…, C5 0.5, (+2)]-> Lamp #1"
        )
    ]
    none = traverse(
        session, call(), start=[1], path=["RATED"], to_kind="Product", where_edge="C0 = 0"
    )
    assert none.rows == []
    engine.close()
