"""A literal that no node of a column's table has gets a note, for any result."""

import pytest
from fakes.sessions import call

from moviegraph.query import readonly_sql
from moviegraph.query.session import Session
from moviegraph.search import semantic


def notes(session: Session, sql: str) -> tuple[str, ...]:
    rows = readonly_sql.run(session, call(), sql=sql)
    return rows.notes


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param("m.Name = 'Star Wrs'", id="equal"),
        pytest.param("'Star Wrs' = m.Name", id="turned"),
        pytest.param("m.Name <> 'Star Wrs'", id="not equal"),
        pytest.param("m.Name IN ('Dune', 'Star Wrs')", id="in a list"),
        pytest.param("m.Name NOT IN ('Star Wrs')", id="not in a list"),
        pytest.param("LOWER(m.Name) = 'star wrs'", id="in lower case"),
        pytest.param("NOT (m.Name = N'Star Wrs')", id="negated"),
        pytest.param("m.Name LIKE '%Star Wrs%'", id="a pattern"),
        pytest.param("m.Name NOT LIKE 'Star Wrs%' ESCAPE '!'", id="a negated pattern"),
    ],
)
def test_a_name_that_no_node_has_is_noted_with_the_nearest(films: Session, condition: str) -> None:
    sql = f"SELECT m.Id, m.Name FROM Movie AS m WHERE {condition} OR m.Id = 1"
    assert any("Movie:1 'Star Wars'" in note for note in notes(films, sql))


def test_names_under_not_exists_are_noted(films: Session) -> None:
    sql = (
        "SELECT m.Name FROM Movie AS m WHERE NOT EXISTS (SELECT 1 FROM Movie AS x, PART_OF_SERIES "
        "AS p, Series AS s WHERE MATCH(x-(p)->s) AND x.Id = m.Id AND s.Name = 'Star War Saga')"
    )
    assert any(
        note.startswith("No Series has the name 'Star War Saga'.") for note in notes(films, sql)
    )


def test_names_of_other_kinds_are_mentioned(films: Session) -> None:
    sql = "SELECT m.Name FROM Movie AS m WHERE m.Name = 'Chosen One'"
    assert "Nodes with that name: Theme:2 'Chosen One'." in notes(films, sql)[0]


def test_names_through_a_derived_table_are_noted(films: Session) -> None:
    sql = "SELECT d.Name FROM (SELECT m.Name FROM Movie AS m) AS d WHERE d.Name = 'Dunne'"
    assert "Movie:3 'Dune'" in notes(films, sql)[0]


@pytest.mark.parametrize(
    "condition",
    [
        "m.Name = 'dune'",
        "m.Name LIKE 'D_ne'",
        "m.Name IN ('Alien', 'The Matrix')",
        "m.Content = 'Dunne'",
        "m.Id = 3",
    ],
)
def test_names_that_exist_are_not_noted(films: Session, condition: str) -> None:
    assert notes(films, f"SELECT m.Name FROM Movie AS m WHERE {condition}") == ()


def test_an_accent_that_the_database_counts_is_noted(films: Session) -> None:
    (note,) = notes(films, "SELECT m.Name FROM Movie AS m WHERE m.Name = 'Amelie'")
    assert "It may mean Movie:5 'Amélie'" in note


def test_names_in_a_where_argument_are_noted(films: Session) -> None:
    rows = semantic.search(films, call(), query="a ship", where="Name <> 'Dunne'")
    assert rows.rows
    assert "Movie:3 'Dune'" in rows.notes[0]
