"""Columns of edge tables in statements: what each engine answers, beside a model in Python."""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.limits import budget
from fakes.scratch_database import ADMIN_VARIABLE, READER_VARIABLE, scratch_database
from fakes.shop_graph import (
    BOUGHT,
    CUSTOMERS,
    PRODUCTS,
    RATED,
    build_shop,
    shop_contract,
    shop_rows,
)
from fakes.sources import source
from golden.dialect import Writer

from moviegraph.engines.base import Engine, Statement
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.retrieval_primitives import GraphReader, node_ids
from moviegraph.errors import ExecutionError, RefusedError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import RowLimits, Where, judge
from moviegraph.sql.match_patterns import Hop

CONTRACT = shop_contract()
SQL_SERVER = READER_VARIABLE in os.environ
MATCH = "FROM Customer AS c, BOUGHT AS b, Product AS p WHERE MATCH(c-(b)->p)"


@pytest.fixture(scope="module", params=["embedded", *(["mssql"] if SQL_SERVER else [])])
def engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("shop")
    if request.param == "embedded":
        engine: Engine = open_graph(build_shop(folder / "graph"), CONTRACT)
        yield engine
        engine.close()
        return
    lines = source(folder / "source", shop_rows())
    reader, admin = os.environ[READER_VARIABLE], os.environ[ADMIN_VARIABLE]
    with scratch_database(
        CONTRACT, HashedEmbedder(), lines, admin=admin, reader=reader
    ) as database:
        engine = database.engine()
        yield engine
        engine.close()


def rows(engine: Engine, sql: str) -> list[tuple[Any, ...]]:
    decision = judge(sql, CONTRACT)
    assert isinstance(decision, Allowed), decision
    return [*engine.execute(Statement(decision, None), budget(rows=100)).rows]


def name(names: tuple[str, ...], key: int) -> str:
    return names[key - 1]


def test_a_pattern_yields_a_row_for_each_edge_with_its_values(engine: Engine) -> None:
    found = rows(engine, f"SELECT c.Name, p.Name, b.Amount, b.Price, b.Bought, b.Note {MATCH}")
    assert sorted(found, key=str) == sorted(
        (
            (
                name(CUSTOMERS, start),
                name(PRODUCTS, end),
                amount,
                Decimal(price) if price else None,
                day,
                note,
            )
            for start, end, amount, price, day, note in BOUGHT
        ),
        key=str,
    )


def test_an_edge_is_filtered_grouped_summed_and_sorted_by_its_values(engine: Engine) -> None:
    spent: dict[str, Decimal] = defaultdict(Decimal)
    for start, _, amount, price, day, _ in BOUGHT:
        if day and day >= date(2024, 1, 1) and price:
            spent[name(CUSTOMERS, start)] += amount * Decimal(price)
    found = rows(
        engine,
        f"SELECT c.Name, SUM(b.Amount * b.Price) AS Spent, COUNT(*) AS Purchases {MATCH} "
        "AND b.Bought >= '2024-01-01' GROUP BY c.Name ORDER BY Spent DESC",
    )
    assert [row[:2] for row in found] == sorted(spent.items(), key=lambda item: -item[1])
    by_note = rows(
        engine,
        f"SELECT b.Note, MAX(b.Amount) AS Most {MATCH} GROUP BY b.Note ORDER BY b.Note",
    )
    assert by_note == [(None, 1), ("gift", 2), ("It's 100% oak", 4), ("office", 5)]
    assert rows(engine, f"SELECT TOP 1 p.Name {MATCH} ORDER BY b.Price DESC, p.Id") == [("Desk",)]


def test_texts_of_edges_compare_as_texts_of_nodes_do(engine: Engine) -> None:
    for condition, count in (
        ("b.Note = 'GIFT'", 3),
        ("b.Note LIKE '%100[%]%'", 1),
        ("b.Note IS NULL", 2),
        ("b.Note <> 'gift'", 2),
        ("b.Note IN ('Office', 'gift')", 4),
        ("c.Name = b.Note", 0),
    ):
        assert rows(engine, f"SELECT COUNT(*) AS n {MATCH} AND {condition}") == [(count,)], (
            condition
        )


def test_two_edges_of_one_table_are_compared_on_a_path_of_two_hops(engine: Engine) -> None:
    expected = {
        (name(CUSTOMERS, one[0]), name(CUSTOMERS, other[0]))
        for one in BOUGHT
        for other in BOUGHT
        if one[1] == other[1] and one[0] != other[0] and one[2] < other[2]
    }
    found = rows(
        engine,
        "SELECT DISTINCT c.Name, o.Name FROM Customer AS c, BOUGHT AS b, Product AS p, "
        "BOUGHT AS d, Customer AS o WHERE MATCH(c-(b)->p<-(d)-o) AND b.Amount < d.Amount "
        "AND c.Id <> o.Id",
    )
    assert set(found) == expected


def test_the_values_of_an_edge_between_several_pairs_belong_to_that_pair(engine: Engine) -> None:
    for end, pair in (("Product", 0), ("Customer", 1)):
        stars = [row[3] for row in RATED if row[0] == pair]
        found = rows(
            engine,
            f"SELECT r.Stars FROM Customer AS c, RATED AS r, {end} AS t WHERE MATCH(c-(r)->t)",
        )
        assert sorted(found, key=str) == sorted(((value,) for value in stars), key=str)


def test_an_edge_table_is_read_without_a_pattern(engine: Engine) -> None:
    amounts = [row[2] for row in BOUGHT]
    assert rows(engine, "SELECT COUNT(*) AS n, SUM(Amount) AS s FROM BOUGHT") == [
        (len(amounts), sum(amounts))
    ]
    joined = (
        "SELECT c.Name, SUM(b.Amount) AS s FROM Customer AS c LEFT JOIN BOUGHT AS b "
        "ON b.$from_id = c.$node_id GROUP BY c.Name ORDER BY c.Name"
    )
    assert rows(engine, joined) == [("Ada", 6), ("Ben", 9), ("Cy", 1), ("Dora", None)]


def test_a_star_shows_the_columns_of_an_edge(engine: Engine) -> None:
    decision = judge(f"SELECT b.* {MATCH} AND b.Price > 100", CONTRACT)
    assert isinstance(decision, Allowed)
    result = engine.execute(Statement(decision, None), budget(rows=9))
    assert [output.name for output in decision.outputs] == ["Amount", "Price", "Bought", "Note"]
    assert [*result.rows] == [(1, Decimal("150.00"), date(2024, 1, 5), None)]


def test_a_shortest_path_takes_one_of_the_edges_between_two_nodes(engine: Engine) -> None:
    sql = (
        "SELECT a.Name, LAST_VALUE(o.Name) WITHIN GROUP (GRAPH PATH) AS Reached, "
        "COUNT(o.Id) WITHIN GROUP (GRAPH PATH) AS Hops FROM Customer AS a, BOUGHT FOR PATH AS b, "
        "Product FOR PATH AS p, BOUGHT FOR PATH AS d, Customer FOR PATH AS o "
        "WHERE MATCH(SHORTEST_PATH(a(-(b)->p<-(d)-o)+)) AND a.Name = 'Cy' ORDER BY Hops, Reached"
    )
    assert rows(engine, sql) == [("Cy", "Ben", 1), ("Cy", "Cy", 1), ("Cy", "Ada", 2)]


@pytest.mark.parametrize("block", range(4))
def test_what_the_guard_allows_over_edges_runs_or_is_refused_with_a_reason(
    engine: Engine, block: int
) -> None:
    ran = 0
    for seed in range(block * 15, block * 15 + 15):
        sql = Writer(Random(seed), CONTRACT, fuel=12).statement()
        decision = judge(sql, CONTRACT)
        if isinstance(decision, Allowed):
            ran += 1
            try:
                engine.execute(Statement(decision, None), budget())
            except (ExecutionError, RefusedError) as error:
                assert error.code != "internal", sql
    assert ran


def pairs(graph: GraphReader, hop: Hop, where: str | None = None) -> list[tuple[int, int]]:
    """Return the pairs that customers 1 to 3 or products are in, of edges with these values."""
    kind = "Customer" if hop.forward else "Product"
    judged = None
    if where:
        arrow = "s-(e)->t" if hop.forward else "s<-(e)-t"
        judged = judge(
            f"SELECT s.Id AS Source, t.Id AS Target FROM {kind} AS s, {hop.edge} AS e, "
            f"{hop.kind} AS t WHERE MATCH({arrow})",
            CONTRACT,
            RowLimits(2**31 - 1, 2**31 - 1),
            where=Where(where, hop.edge, "e", "where_edge"),
        )
        assert isinstance(judged, Allowed), judged
    found = graph.neighbors(kind, hop, node_ids([1, 2, 3]), judged)
    spread = graph.spread(kind, hop, node_ids([1, 2, 3]), np.ones(3), 9, None, judged)
    result = list(zip(found.sources.tolist(), found.targets.tolist(), strict=True))
    counts = Counter(target for _, target in result)
    assert dict(zip(spread.ids.tolist(), spread.values.tolist(), strict=True)) == counts
    return result


def test_pairs_are_followed_once_and_by_the_values_of_their_edges(engine: Engine) -> None:
    there, back = Hop("BOUGHT", True, "Product"), Hop("BOUGHT", False, "Customer")
    with engine.reader(budget()) as graph:
        every = sorted({row[:2] for row in BOUGHT})
        assert pairs(graph, there) == every
        assert pairs(graph, back) == sorted((end, start) for start, end in every)
        gifts = sorted({row[:2] for row in BOUGHT if row[5] == "gift"})
        assert pairs(graph, there, "Note = 'Gift'") == gifts
        assert pairs(graph, back, "Note = 'Gift'") == sorted((end, start) for start, end in gifts)
        assert pairs(graph, there, "Amount > 99") == []
        degrees = graph.degrees("Customer", node_ids([1, 4]))
        assert {edge: counts.tolist() for edge, counts in degrees.items()} == {
            "BOUGHT": [2, 0],
            "KNOWS": [1, 1],
            "RATED": [2, 0],
        }


def test_a_built_graph_keeps_its_manifest(tmp_path: Path) -> None:
    """Edges are counted, pairs make the statistics."""
    opened = open_graph(build_shop(tmp_path / "graph"), CONTRACT)
    description = opened.describe()
    opened.close()
    assert description.counts["BOUGHT"] == len(BOUGHT)
    ends = {of.of: of for of in description.statistics.edges if of.edge == "BOUGHT"}
    assert (ends["from"].most, ends["from"].mean) == (2, 1.25)
