"""Traversal of the cookbook: edge tables between several pairs of tables, and within one kind."""

from collections.abc import Iterator

import pytest
from fakes.cookbook import cookbook_edges, cookbook_session
from fakes.path_enumeration import Graph
from fakes.sessions import call, column

from moviegraph.errors import ArgumentError
from moviegraph.query.session import Session
from moviegraph.search.traverse import traverse


@pytest.fixture(scope="module")
def cookbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    session = cookbook_session(tmp_path_factory.mktemp("cookbook") / "graph")
    yield session
    session.engine.close()
    session.journal.close()


@pytest.mark.parametrize(
    ("kind", "start", "path", "end"),
    [
        pytest.param("Recipe", 1, ("NEEDS", "IN_SEASON"), "Season", id="a chain"),
        pytest.param("Season", 4, ("IN_SEASON", "NEEDS"), "Recipe", id="back along it"),
        pytest.param("Ingredient", 130, ("REPLACES",), "Ingredient", id="of one kind, both ways"),
        pytest.param("Ingredient", 12, ("GOES_WITH", "GOES_WITH"), "Ingredient", id="second pair"),
        pytest.param("Recipe", 95, ("GOES_WITH", "GOES_WITH"), "Recipe", id="first pair"),
        pytest.param("Region", 11, ("PART_OF", "PART_OF"), "Region", id="up and down"),
        pytest.param("Region", 5, ("PART_OF", "COMES_FROM"), "Recipe", id="to one of two kinds"),
        pytest.param("Region", 5, ("PART_OF", "COMES_FROM"), "Ingredient", id="to the other"),
        pytest.param(
            "Recipe", 31, ("COMES_FROM", "COMES_FROM"), "Ingredient", id="from pair to pair"
        ),
    ],
)
def test_a_path_is_walked_along_every_pair_that_fits(
    cookbook: Session, kind: str, start: int, path: tuple[str, ...], end: str
) -> None:
    graph = Graph(cookbook.contract, cookbook_edges())
    reached: dict[int, int] = {}
    for reached_path in graph.paths([(kind, start)], len(path), path, hubs=True):
        if reached_path[-1][0] == end:
            reached[reached_path[-1][1]] = reached.get(reached_path[-1][1], 0) + 1
    several = (kind == "Region" and path[-1] == "COMES_FROM") or path[0] == path[-1] == "COMES_FROM"
    rows = traverse(
        cookbook, call(), start_kind=kind, start=[start], path=list(path), top=20,
        to_kind=end if several else None,
    )  # fmt: skip
    key = cookbook.contract.node(end)
    assert key is not None
    result = dict(zip(column(rows, key.key), column(rows, "Score"), strict=True))
    best = sorted(reached, key=lambda key: (-reached[key], key))[:20]
    assert result
    assert result == {key: reached[key] for key in best}


@pytest.mark.parametrize("rank_by", ["shared", "rarity"])
def test_what_is_shared_has_a_name_beside_direct_edges(cookbook: Session, rank_by: str) -> None:
    rows = traverse(
        cookbook,
        call(),
        start_kind="Ingredient",
        start=[1, 2, 3, 4],
        to_kind="Ingredient",
        rank_by=rank_by,
        top=60,
    )
    assert any("-[" in via and ": " in via for via in column(rows, "Via"))
    assert not [via for via in column(rows, "Via") if ": (+" in via]


def test_a_path_to_nodes_of_several_kinds_asks_which(cookbook: Session) -> None:
    with pytest.raises(ArgumentError) as caught:
        traverse(cookbook, call(), start_kind="Region", start=["Italy"], path=["COMES_FROM"])
    assert "leads to Recipe and to Ingredient" in caught.value.message
    assert caught.value.suggestions == ("Recipe", "Ingredient")
    with pytest.raises(ArgumentError, match="leads to Recipe and to Ingredient"):
        traverse(
            cookbook, call(), start_kind="Region", start=[5], path=["COMES_FROM"], to_kind="Season"
        )


def test_where_longer_routes_are_too_many_shorter_ones_are_walked_and_that_is_said(
    cookbook: Session,
) -> None:
    rows = traverse(cookbook, call(), start=["Falafel"], to_kind="Recipe", max_hops=4)
    assert set(column(rows, "Hops")) <= {1, 2, 3}
    assert (
        "Only paths of up to 3 hops were searched: with 4 hops there are more than 100"
        in rows.notes[0]
    )
