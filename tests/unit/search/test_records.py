from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fakes.sessions import call, column, made_session, recorded

from moviegraph.engines.graph_records import NodeRecord
from moviegraph.errors import ArgumentError, NotFoundError
from moviegraph.query.session import Session
from moviegraph.search import records


def test_records_come_whole_in_the_order_given(films: Session) -> None:
    rows = records.fetch(films, call(), ids=[3, 1])
    assert rows.columns == ("Id", "Name", "ReleaseYear", "Content", "Edges")
    assert column(rows, "Id") == [3, 1]
    assert rows.rows[1][4] == {
        "IN_GENRE": 1,
        "SET_IN": 1,
        "INCLUDES_THEME": 2,
        "FEATURES_CHARACTER": 1,
        "PART_OF_SERIES": 1,
    }


def test_a_node_without_edges_counts_none(films: Session) -> None:
    assert set(records.fetch(films, call(), ids=[6]).rows[0][4].values()) == {0}


def test_a_name_means_every_node_of_that_name(films: Session) -> None:
    rows = records.fetch(films, call(), names=["alien"])
    assert column(rows, "Id") == [4, 7]
    assert "Movie:4, Movie:7" in rows.notes[0]


@pytest.mark.parametrize(
    ("name", "ids", "read_as"),
    [
        pytest.param("Alien (1979)", [4], None, id="parentheses"),
        pytest.param("alien, 1999", [7], None, id="a comma"),
        pytest.param("Alien 1979", [4], None, id="bare"),
        pytest.param("A New Hope (1977)", [1], None, id="another name"),
        pytest.param("The Matrix (1999)", [8], None, id="blanks at the end"),
    ],
)
def test_a_name_may_be_followed_by_what_distinguishes_it(
    films: Session, name: str, ids: list[int], read_as: str | None
) -> None:
    rows = records.fetch(films, call(), names=[name])
    assert column(rows, "Id") == ids
    assert rows.notes == ((f"{name!r} was interpreted as {read_as}.",) if read_as else ())


def test_the_nearest_names_do_not_depend_on_what_distinguishes_a_name(films: Session) -> None:
    with pytest.raises(NotFoundError) as missing:
        records.fetch(films, call(), names=["Star Wars (1942)"])
    assert "Movie:1 'Star Wars'" in (missing.value.hint or "")
    with pytest.raises(NotFoundError):
        records.fetch(films, call(), kind="Theme", names=["Rebellion (1999)"])


def test_unknown_ids_are_noted_unless_none_is_known(films: Session) -> None:
    rows = records.fetch(films, call(), ids=[1, 4711])
    assert column(rows, "Id") == [1]
    assert rows.notes == ("No Movie has the id 4711.",)
    with pytest.raises(NotFoundError, match="4711"):
        records.fetch(films, call(), ids=[4711])


def test_an_unknown_name_offers_the_nearest(films: Session) -> None:
    with pytest.raises(NotFoundError) as missing:
        records.fetch(films, call(), names=["Stellar Wards"])
    assert "Movie:1 'Star Wars'" in (missing.value.hint or "")
    assert missing.value.suggestions == ("Star Wars",)


def test_a_misspelled_name_is_read_as_the_only_one_it_can_mean(films: Session) -> None:
    rows = records.fetch(films, call(), names=["Star Wrs"])
    assert column(rows, "Name") == ["Star Wars"]
    assert rows.notes == ("'Star Wrs' was interpreted as Movie:1 'Star Wars'.",)


def test_unknown_names_beside_known_ones_are_noted_with_the_nearest(films: Session) -> None:
    rows = records.fetch(films, call(), names=["Dune", "Stellar Wards", "Ellen Ripley"])
    assert column(rows, "Name") == ["Dune"]
    wrong, elsewhere = rows.notes
    assert wrong.startswith("No Movie is named 'Stellar Wards'. Nearest: Movie:1 'Star Wars'")
    assert "It is Character:2 'Ellen Ripley'." in elsewhere


def test_a_kind_in_front_of_every_name_is_their_kind(films: Session) -> None:
    rows = records.fetch(films, call(), names=["Theme:Survival", "Theme:1"])
    assert column(rows, "Name") == ["Survival", "Rebellion"]


@pytest.mark.parametrize("argument", ["ids", "names"])
@pytest.mark.parametrize("item", [4, "4"])
def test_a_number_is_an_id_where_no_node_has_that_name(
    films: Session, argument: str, item: int | str
) -> None:
    known: dict[str, Any] = {argument: [item]}
    unknown: dict[str, Any] = {argument: [type(item)(4711)]}
    assert column(records.fetch(films, call(), **known), "Name") == ["Alien"]
    with pytest.raises(NotFoundError, match="4711"):
        records.fetch(films, call(), **unknown)


def test_a_number_among_names_is_a_name_first(tmp_path: Path) -> None:
    films = [
        NodeRecord("Movie", 1, "300", "Spartans hold a pass.", {"ReleaseYear": 2006}),
        NodeRecord("Movie", 300, "Pi", "A man looks for a number.", {"ReleaseYear": 1998}),
    ]
    session = made_session(tmp_path, films, [])
    with closing(session.engine):
        names: list[int | str] = [300]
        assert column(records.fetch(session, call(), names=names), "Id") == [1]
        assert column(records.fetch(session, call(), names=["300"]), "Id") == [1]
        assert column(records.fetch(session, call(), ids=names), "Id") == [300]
        assert column(records.fetch(session, call(), ids=["300"]), "Id") == [1]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="neither"),
        pytest.param({"ids": [1], "names": ["Alien"]}, id="both"),
    ],
)
def test_arguments_outside_their_bounds_are_errors(
    films: Session, arguments: dict[str, object]
) -> None:
    with pytest.raises(ArgumentError):
        records.fetch(films, call(), **arguments)  # pyright: ignore[reportArgumentType]


def test_the_record_of_the_fetch_names_its_keys(kitchen: Session) -> None:
    rows = records.fetch(kitchen, call(), kind="Ingredient", names=["cilantro", "Onion"])
    assert recorded(kitchen, rows).keys == (("Ingredient", 6), ("Ingredient", 3))
    assert column(rows, "Edges") == [{"NEEDS": 3}, {"NEEDS": 5}]
