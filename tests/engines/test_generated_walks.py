"""Counting ways answers as joining does: generated statements over tangled graphs."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fakes.cookbook import cookbook_contract
from fakes.hashed_embedder import HashedEmbedder

from moviegraph.engines.base import Budget, Statement
from moviegraph.engines.duckdb.plan import WalkNeed
from moviegraph.engines.duckdb.translator import plan_of
from moviegraph.engines.embedded import engine as embedded
from moviegraph.engines.embedded.engine import EmbeddedEngine, open_graph
from moviegraph.engines.embedded.graph_builder import build_graph
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.errors import MoviegraphError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

CONTRACT = cookbook_contract()
SEEDS, COUNTED = range(3), 20
# Between the same tables, of a table with itself, and between several pairs of tables.
EDGES = [
    ("NEEDS", "Recipe", "Ingredient", 0),
    ("FINISHED_WITH", "Recipe", "Ingredient", 0),
    ("REPLACES", "Ingredient", "Ingredient", 0),
    ("GOES_WITH", "Recipe", "Recipe", 0),
    ("GOES_WITH", "Ingredient", "Ingredient", 1),
]
COLUMNS = {"Recipe": ("Number", "Title"), "Ingredient": ("Id", "Name")}
VALUES = {"Recipe": {"Vegetarian": True, "Vegan": False}, "Ingredient": {}}
NAMES = ("x", "X", "ab ", "ab", "é", "E")
COUNTS = ("COUNT(*)", "COUNT(*)", "COUNT_BIG(*)", "COUNT(*) * 2 - 1", "COUNT(*) / 2")
CONDITIONS = (
    "{any} <> {number}",
    "{any} NOT IN ({some})",
    "NOT {any} = {number}",
    "{last} <> {first}",
    "NOT ({first} = {last})",
    "{first} <> {number}",
    "{any} IN ({some})",
    "{name} <> N'X'",
    "({last} > 2 OR {name} LIKE 'a%')",
    "({last} <> {number} AND {any} <> {number})",
    "{last} NOT IN ({number}, NULL)",
)


def build(seed: int, folder: Path) -> None:
    """Build a graph with gaps between keys, equal names, loops and edges that stand twice."""
    draw = Random(seed)
    keys = {kind: draw.sample(range(12), 9) for kind in ("Recipe", "Ingredient")}
    nodes = [
        NodeRecord(kind, key, draw.choice(NAMES), "t", VALUES[kind])
        for kind, ids in keys.items()
        for key in ids
    ]
    edges = [
        EdgeRecord(edge, draw.choice(keys[source]), draw.choice(keys[target]), pair)
        for edge, source, target, pair in EDGES
        for _ in range(20)
    ]
    build_graph(nodes, edges, folder, CONTRACT, HashedEmbedder(), source="t")


@pytest.fixture(scope="module", params=SEEDS)
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[EmbeddedEngine, EmbeddedEngine, int]]:
    """Yield an engine that joins, one that counts ways, and the seed."""
    folder = tmp_path_factory.mktemp("walks") / "graph"
    build(request.param, folder)
    joins = open_graph(folder, CONTRACT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedded, "COUNTED", 0)
        counts = open_graph(folder, CONTRACT)
    yield joins, counts, request.param
    joins.close()
    counts.close()


def statement(draw: Random) -> str:
    """Return a SELECT that groups the ways along some hops by one of their nodes."""
    kinds, tables, pattern = [draw.choice(["Recipe", "Ingredient"])], list[str](), "n0"
    for at in range(draw.choice([1, 2, 2, 3])):
        ways = [(e, t, True) for e, s, t, _ in EDGES if s == kinds[-1]]
        ways += [(e, s, False) for e, s, t, _ in EDGES if t == kinds[-1]]
        edge, kind, forward = draw.choice(ways)
        kinds.append(kind)
        tables.append(f"{edge} AS e{at}")
        pattern += f"-(e{at})->n{at + 1}" if forward else f"<-(e{at})-n{at + 1}"
    tables += [f"{kind} AS n{at}" for at, kind in enumerate(kinds)]
    nodes = [tuple(f"n{at}.{name}" for name in COLUMNS[kind]) for at, kind in enumerate(kinds)]
    start, end = (nodes[0], nodes[-1]) if draw.random() < 0.7 else (nodes[-1], nodes[0])
    words = {"first": start[0], "last": end[0], "name": end[1]}
    chosen = [draw.choice(["{first} = {number}", "{first} IN ({some})"])]
    chosen += draw.choices(CONDITIONS, k=draw.choice([0, 1, 1, 2]))
    written = [
        each.format(
            **words,
            any=draw.choice(nodes)[0],
            number=draw.randint(0, 12),
            some=", ".join(str(draw.randint(0, 12)) for _ in range(draw.choice([1, 2, 4]))),
        )
        for each in chosen
    ]
    conditions = draw.sample([f"MATCH({pattern})", *written], len(written) + 1)
    groups = draw.choice(["{last}", "{name}, {last}"]).format(**words)
    count = draw.choice(COUNTS)
    top = draw.choice(["", "TOP (2) "])
    order = draw.choice(["n DESC, {last}", "{last} DESC, n"]).format(**words)
    return (
        f"SELECT {top}{groups}, {count} AS n FROM {', '.join(tables)} WHERE "
        f"{' AND '.join(conditions)} GROUP BY {groups} ORDER BY {order}"
    )


def answer(engine: EmbeddedEngine, allowed: Allowed) -> Any:
    try:
        rows = engine.execute(Statement(allowed), Budget()).rows
    except MoviegraphError as error:
        return error.code
    return [tuple((type(cell), cell) for cell in row) for row in rows]


def is_counted(allowed: Allowed) -> bool:
    names = frozenset(edge.name for edge in CONTRACT.edges)
    plan = plan_of(allowed, CONTRACT, complete=frozenset(), dimensions=4, counted=names)
    return any(isinstance(need, WalkNeed) for _, need in plan.needs)


@pytest.mark.slow("long")
def test_generated_ways_are_counted_as_they_are_joined(
    pair: tuple[EmbeddedEngine, EmbeddedEngine, int],
) -> None:
    joins, counts, seed = pair
    draw, found = Random(100 + seed), list[bool]()
    while len(found) < COUNTED:
        allowed = judge(statement(draw), CONTRACT)
        if isinstance(allowed, Allowed) and is_counted(allowed):  # others run as they are
            joined, counted = answer(joins, allowed), answer(counts, allowed)
            assert counted == joined, allowed.sql
            found.append(bool(joined))
    assert sum(found) > COUNTED // 3
