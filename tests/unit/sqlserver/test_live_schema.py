from collections.abc import Callable
from typing import Any

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.spoilable_server import SpoilableServer
from fakes.tds.script import Fail
from fakes.toy_graph import toy_contract

from moviegraph.engines.sqlserver import metadata
from moviegraph.engines.sqlserver.metadata import (
    dimensions,
    populating,
    read_live_schema,
    schema_mismatches,
    unsearchable,
)
from moviegraph.errors import DatabaseError

Row = tuple[Any, ...]


@pytest.fixture
def live() -> SpoilableServer:
    return SpoilableServer.of(toy_contract(), HashedEmbedder().space)


def change(live: SpoilableServer, edit: Callable[[Row], Row | None]) -> None:
    rows = live.answers[metadata.COLUMNS]
    assert isinstance(rows, list)
    live.answers[metadata.COLUMNS] = [new for row in rows if (new := edit(row)) is not None]


def test_tables_as_the_contract_names_them_fit(live: SpoilableServer) -> None:
    contract, result = toy_contract(), read_live_schema(live.read)
    assert schema_mismatches(result, contract) == []
    assert unsearchable(result, contract) == []
    assert populating(result, contract) == []
    assert set(dimensions(result, contract).values()) == {HashedEmbedder().space.dimensions}


def of(row: Row, table: str, column: str | None = None) -> bool:
    return row[1] == table and (column is None or row[4] == column)


def no_recipe(row: Row) -> Row | None:
    return None if of(row, "Recipe") else row


def no_needs(row: Row) -> Row | None:
    return None if of(row, "NEEDS") else row


def no_title(row: Row) -> Row | None:
    return None if of(row, "Recipe", "Title") else row


def title_in_one_byte(row: Row) -> Row:
    return (*row[:5], "varchar", "varchar", *row[7:]) if of(row, "Recipe", "Title") else row


def plain_recipe(row: Row) -> Row:
    return (row[0], row[1], 0, 0, *row[4:]) if of(row, "Recipe") else row


def needs_as_node(row: Row) -> Row:
    return (row[0], row[1], 1, 0, *row[4:]) if of(row, "NEEDS") else row


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        pytest.param(no_recipe, "table kitchen.Recipe is missing, or not granted", id="node table"),
        pytest.param(no_needs, "table kitchen.NEEDS is missing, or not granted", id="edge table"),
        pytest.param(no_title, "column Recipe.Title is missing", id="column"),
        pytest.param(title_in_one_byte, "Recipe.Title is VARCHAR, not NVARCHAR", id="type"),
        pytest.param(plain_recipe, "Recipe is not a node table", id="plain table"),
        pytest.param(needs_as_node, "NEEDS is not an edge table", id="node for edge"),
    ],
)
def test_what_does_not_fit_is_named(
    live: SpoilableServer, edit: Callable[[Row], Row | None], says: str
) -> None:
    change(live, edit)
    (result,) = schema_mismatches(read_live_schema(live.read), toy_contract())
    assert says in result


def test_names_are_compared_without_regard_to_case(live: SpoilableServer) -> None:
    change(live, lambda row: (row[0].upper(), row[1].lower(), *row[2:4], row[4].upper(), *row[5:]))
    assert schema_mismatches(read_live_schema(live.read), toy_contract()) == []


def test_a_user_defined_type_is_read_as_its_base_type(live: SpoilableServer) -> None:
    change(live, lambda row: (*row[:6], "OurText", *row[7:]) if row[5] == "nvarchar" else row)
    assert schema_mismatches(read_live_schema(live.read), toy_contract()) == []


def test_dimensions_follow_from_the_length_where_no_column_has_them(
    live: SpoilableServer,
) -> None:
    rows = live.answers[metadata.COLUMNS]
    assert isinstance(rows, list)
    live.answers[metadata.COLUMNS] = Fail(207, "Invalid column name 'vector_dimensions'.")
    live.answers[metadata.COLUMNS_WITHOUT_DIMENSIONS] = [(*row[:8], None) for row in rows]
    result = dimensions(read_live_schema(live.read), toy_contract())
    assert set(result.values()) == {HashedEmbedder().space.dimensions}


def test_columns_without_full_text_are_named(live: SpoilableServer) -> None:
    rows = live.answers[metadata.FULLTEXT]
    assert isinstance(rows, list)
    live.answers[metadata.FULLTEXT] = [row for row in rows if row[2] != "Title"]
    result = unsearchable(read_live_schema(live.read), toy_contract())
    assert "Recipe.Title" in result
    assert all(name.endswith(".Title") for name in result)


def test_an_index_that_is_being_filled_is_named(live: SpoilableServer) -> None:
    live.answers[metadata.POPULATION] = [("kitchen", "Recipe", 1)]
    assert populating(read_live_schema(live.read), toy_contract()) == ["Recipe"]


def test_a_server_that_lists_no_tables_is_an_error(live: SpoilableServer) -> None:
    live.answers[metadata.COLUMNS] = Fail(916, "no")
    live.answers[metadata.COLUMNS_WITHOUT_DIMENSIONS] = Fail(916, "no")
    with pytest.raises(DatabaseError):
        read_live_schema(live.read)
