import pytest
from fakes.toy_graph import toy_contract

from moviegraph.contract.load import load_contract
from moviegraph.contract.model import Contract, EdgeTable, Pair
from moviegraph.sql.routes import Hop, Route, hops_from, routes_between, routes_through


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


def test_an_edge_of_one_kind_can_be_walked_either_way(kitchen: Contract) -> None:
    routes = routes_through(kitchen, "Recipe", ("NEEDS", "GOES_WITH", "NEEDS"))
    assert [[hop.forward for hop in route.hops] for route in routes] == [
        [True, True, False],
        [True, False, False],
    ]


def test_edges_that_do_not_follow_each_other_are_no_route(kitchen: Contract) -> None:
    assert routes_through(kitchen, "Recipe", ("COMES_FROM", "NEEDS")) == ()


def test_routes_between_kinds_have_the_length_asked_for() -> None:
    contract = load_contract()
    assert len(list(routes_between(contract, "Movie", "Movie", 2))) == 5
    assert len(list(routes_between(contract, "Movie", "Movie", 4))) == 25
    assert list(routes_between(contract, "Movie", "Movie", 3)) == []
    assert {r.end for r in routes_between(contract, "Movie", "Theme", 3)} == {"Theme"}


def test_a_route_is_a_from_list_and_a_match() -> None:
    there = Hop("NEEDS", forward=True, kind="Ingredient")
    back = Hop("NEEDS", forward=False, kind="Recipe")
    route = Route("Recipe", (there, back))
    assert route.source() == "Recipe AS s, NEEDS AS e1, Ingredient AS n1, NEEDS AS e2, Recipe AS n"
    assert route.pattern() == "MATCH(s-(e1)->n1<-(e2)-n)"
