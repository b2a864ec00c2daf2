from collections.abc import Callable

import pytest

from moviegraph.contract.model import Contract
from moviegraph.sql.repair.nearness import distance, meant, one_slip
from moviegraph.sql.repair.rules import Repaired, repair

CASES = [
    pytest.param(
        "unknown_tables", "SELECT m.Name FROM Movies m", "SELECT m.Name FROM Movie m", id="plural"
    ),
    pytest.param(
        "unknown_tables",
        "SELECT s.Name FROM Settting s",
        "SELECT s.Name FROM Setting s",
        id="typo of a table",
    ),
    pytest.param(
        "unknown_tables",
        "SELECT m.Name FROM Movie m, features_characters f, Character c WHERE MATCH(m-(f)->c)",
        "SELECT m.Name FROM Movie m, FEATURES_CHARACTER f, Character c WHERE MATCH(m-(f)->c)",
        id="plural of an edge",
    ),
    pytest.param(
        "unknown_tables",
        "SELECT TOP 5 k.[KEY] FROM CONTAINSTABLE(Movies, Name, 'war') AS k",
        "SELECT TOP 5 k.[KEY] FROM CONTAINSTABLE(Movie, Name, 'war') AS k",
        id="table of CONTAINSTABLE",
    ),
    pytest.param(
        "foreign_schema",
        "SELECT m.Name FROM public.Movie m",
        "SELECT m.Name FROM Movie m",
        id="schema of another dialect",
    ),
    pytest.param(
        "table_as_alias",
        "SELECT Movie.Name FROM Movie m WHERE Movie.Id = 3",
        "SELECT m.Name FROM Movie m WHERE m.Id = 3",
        id="table where its alias belongs",
    ),
    pytest.param(
        "missing_alias",
        "SELECT m.Name FROM Movie WHERE m.Id = 3",
        "SELECT m.Name FROM Movie AS m WHERE m.Id = 3",
        id="alias never given",
    ),
    pytest.param(
        "unknown_column", "SELECT m.Title FROM Movie m", "SELECT m.Name FROM Movie m", id="Title"
    ),
    pytest.param(
        "unknown_column",
        "SELECT m.Name, m.plot FROM Movie m WHERE m.Plot LIKE '%Plot%'",
        "SELECT m.Name, m.Content FROM Movie m WHERE m.Content LIKE '%Plot%'",
        id="Plot, wherever it stands",
    ),
    pytest.param(
        "unknown_column",
        "SELECT m.Name FROM Movie m WHERE m.Year > 1999",
        "SELECT m.Name FROM Movie m WHERE m.ReleaseYear > 1999",
        id="Year",
    ),
    pytest.param(
        "unknown_column",
        "SELECT m.Name FROM Movie m WHERE m.release_year > 1999",
        "SELECT m.Name FROM Movie m WHERE m.ReleaseYear > 1999",
        id="underscore",
    ),
    pytest.param(
        "unknown_column", "SELECT m.Nmae FROM Movie m", "SELECT m.Name FROM Movie m", id="typo"
    ),
    pytest.param(
        "unknown_column",
        "SELECT Title FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)",
        "SELECT m.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)",
        id="the table whose column the contract describes by the word",
    ),
    pytest.param(
        "edge_keys",
        "SELECT m.Name FROM Movie m JOIN SET_IN e ON e.MovieId = m.Id "
        "JOIN Setting s ON s.Id = e.setting_id",
        "SELECT m.Name FROM Movie m JOIN SET_IN e ON e.$from_id = m.$node_id "
        "JOIN Setting s ON s.$node_id = e.$to_id",
        id="keys that an edge does not have",
    ),
]


@pytest.mark.parametrize(("rule", "broken", "mended"), CASES)
def test_a_wrong_name_becomes_the_one_it_must_mean(
    rule: str, broken: str, mended: str, outcome: Callable[[str], tuple[str, list[str]]]
) -> None:
    assert outcome(broken) == (mended, [rule])


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("SELECT m.Director FROM Movie m", id="a column that nothing resembles"),
        pytest.param("SELECT p.Name FROM Person p", id="a table that nothing resembles"),
        pytest.param("SELECT m.Rating FROM Movie m", id="what the graph does not hold"),
        pytest.param("SELECT o.name FROM sys.objects o", id="a system table"),
        pytest.param("SELECT m.Name FROM Archive.dbo.Movie m", id="another database"),
        pytest.param(
            "SELECT Description FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)",
            id="a word that fits two tables",
        ),
    ],
)
def test_a_name_that_could_mean_anything_is_left(sql: str, mend: Callable[[str], Repaired]) -> None:
    assert mend(sql).changes == ()


def test_names_come_from_the_contract_that_is_served(kitchen: Contract) -> None:
    repaired = repair("SELECT r.Name, r.Instructions2, r.Text FROM Recipes r", kitchen)
    assert repaired.changes == ()

    repaired = repair(
        "SELECT r.Name, r.Minuts, r.Text FROM Recipes r WHERE r.Vegan = true", kitchen
    )
    assert repaired.sql == "SELECT r.Title, r.Minutes, r.Method FROM Recipe r WHERE r.Vegan = 1"


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        pytest.param("Moveis", ("Movie", "Theme"), "Movie", id="swap and plural"),
        pytest.param("Them", ("Theme", "Thema"), None, id="two equally near"),
        pytest.param("xy", ("ab",), None, id="too short to guess"),
        pytest.param("Categories", ("Category",), "Category", id="plural in ies"),
    ],
)
def test_only_one_near_name_is_meant(name: str, known: tuple[str, ...], found: str | None) -> None:
    assert meant(name, known) == found


@pytest.mark.parametrize(
    ("left", "right", "slip"),
    [
        pytest.param("FORM", "FROM", True, id="swapped"),
        pytest.param("SELCT", "SELECT", True, id="missing"),
        pytest.param("COUNNT", "COUNT", True, id="too many"),
        pytest.param("CUONT", "COUNT", True, id="swapped inside"),
        pytest.param("COUNA", "COUNT", True, id="wrong at the end"),
        pytest.param("COUN", "COUNT", True, id="missing at the end"),
        pytest.param("COUNT", "COUNT", False, id="right"),
        pytest.param("COUNTIF", "COUNT", False, id="two letters"),
        pytest.param("CNUOT", "COUNT", False, id="farther apart"),
    ],
)
def test_one_slip_is_one_letter_or_one_swap(left: str, right: str, slip: bool) -> None:
    assert one_slip(left, right) is slip
    assert one_slip(right, left) is slip
    assert (distance(left, right) == 1) is slip
