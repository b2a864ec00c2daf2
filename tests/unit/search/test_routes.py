import pytest
from fakes.toy_graph import toy_contract

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract, EdgeTable, NodeTable, Pair
from moviegraph.errors import ArgumentError
from moviegraph.search.walks import Route, routes_along, routes_within
from moviegraph.sql.match_patterns import Hop, hops_from


@pytest.fixture(scope="module")
def kitchen() -> Contract:
    """The toy contract with an edge table that joins nodes of the same kind."""
    contract = toy_contract()
    pairs = EdgeTable(
        name="GOES_WITH",
        pairs=(Pair(from_table="Ingredient", to_table="Ingredient"),),
        meaning="they agree",
    )
    return contract.model_copy(update={"edges": (*contract.edges, pairs)})


def test_a_hop_is_walked_with_or_against_its_direction(kitchen: Contract) -> None:
    assert hops_from(kitchen, "Recipe") == (
        Hop("NEEDS", forward=True, kind="Ingredient"),
        Hop("COMES_FROM", forward=True, kind="Cuisine"),
    )
    assert Hop("NEEDS", forward=False, kind="Recipe") in hops_from(kitchen, "Ingredient")


def table(contract: Contract, name: str) -> NodeTable:
    node = contract.node(name)
    assert node is not None
    return node


def between(contract: Contract, start: str, end: str, length: int) -> list[Route]:
    result = routes_within(contract, table(contract, start), table(contract, end), length)
    return [route for route in result.routes if len(route.hops) == length]


def test_an_edge_of_one_kind_can_be_walked_either_way(kitchen: Contract) -> None:
    path = ["NEEDS", "GOES_WITH", "NEEDS"]
    result = routes_along(kitchen, table(kitchen, "Recipe"), path, None)
    assert [[hop.forward for hop in route.hops] for route in result.routes] == [
        [True, True, False],
        [True, False, False],
    ]
    assert result.node.name == "Recipe"


def test_edges_that_do_not_follow_each_other_are_no_route(kitchen: Contract) -> None:
    with pytest.raises(ArgumentError, match="does not connect to Cuisine") as caught:
        routes_along(kitchen, table(kitchen, "Recipe"), ["COMES_FROM", "NEEDS"], None)
    assert caught.value.suggestions == ("COMES_FROM",)


def test_routes_between_kinds_have_the_length_asked_for() -> None:
    contract = load_contract()
    assert len(between(contract, "Movie", "Movie", 2)) == 5
    assert len(between(contract, "Movie", "Movie", 4)) == 25
    assert between(contract, "Movie", "Movie", 3) == []
    assert {route.end for route in between(contract, "Movie", "Theme", 3)} == {"Theme"}


def test_a_route_knows_the_kinds_it_passes_and_its_last_hop_backward() -> None:
    there = Hop("NEEDS", forward=True, kind="Ingredient")
    back = Hop("NEEDS", forward=False, kind="Recipe")
    route = Route("Recipe", (there, back))
    assert route.kinds == ("Recipe", "Ingredient", "Recipe")
    assert route.before == Route("Recipe", (there,))
    assert route.back == there
    assert route.returns
