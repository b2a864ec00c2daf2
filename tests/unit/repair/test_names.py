import pytest

from moviegraph.contract.model import Contract
from moviegraph.repair.driver import repair
from moviegraph.repair.names import closest_name


def test_names_come_from_the_contract_that_is_served(kitchen: Contract) -> None:
    repaired = repair("SELECT r.Name, r.Instructions2, r.Text FROM Recipes r", kitchen)
    assert repaired.changes == ()

    repaired = repair(
        "SELECT r.Name, r.Minuts, r.Text FROM Recipes r WHERE r.Vegan = true", kitchen
    )
    assert repaired.sql == "SELECT r.Title, r.Minutes, r.Method FROM Recipe AS r WHERE r.Vegan = 1"


def test_other_names_of_tables_come_from_the_glossary(kitchen: Contract) -> None:
    sql = "SELECT c.Name FROM Dishes d, BELONGS_TO b, Cuisine c WHERE MATCH(d-(b)->c)"
    repaired_sql = (
        "SELECT c.Name FROM Recipe AS d, COMES_FROM AS b, Cuisine AS c WHERE MATCH([d]-([b])->[c])"
    )

    assert repair(sql, kitchen).sql == repaired_sql
    assert repair("SELECT f.Name FROM Film f", kitchen).changes == ()


@pytest.mark.parametrize(
    ("name", "candidates", "expected_name"),
    [
        pytest.param("Movei", ("Movie", "Theme"), "Movie", id="swapped letters"),
        pytest.param("Them", ("Theme", "Thema"), None, id="two equally near"),
        pytest.param("xy", ("ab",), None, id="too short to guess"),
        pytest.param("Categories", ("Category",), "Category", id="plural in ies"),
    ],
)
def test_only_one_near_name_is_meant(
    name: str, candidates: tuple[str, ...], expected_name: str | None
) -> None:
    assert closest_name(name, candidates) == expected_name
