"""A contract drafted from the catalog of a database fits its tables."""

import pytest
from fakes.graph_catalog import Row, catalog_row, graph_catalog
from fakes.shop_graph import TOML as SHOP
from fakes.toy_graph import toy_contract

from moviegraph.contract.drafted_examples import example_files
from moviegraph.contract.loader import contract_of
from moviegraph.contract.model import Contract
from moviegraph.engines.sqlserver import database_draft
from moviegraph.engines.sqlserver.database_draft import draft_database
from moviegraph.engines.sqlserver.metadata_connection import Read
from moviegraph.errors import DatabaseError
from moviegraph.loading.contract_draft import contract_toml
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

CONTRACT = toy_contract()
Catalog = dict[str, list[Row]]


def reading(catalog: Catalog) -> Read:
    def query_rows(sql: str) -> list[Row]:
        if sql not in catalog:
            raise DatabaseError("Invalid column name.")
        return catalog[sql]

    return query_rows


def drafted(catalog: Catalog) -> Contract:
    contract = draft_database(reading(catalog)).contract
    return contract_of({"contract.toml": contract_toml(contract), **example_files(contract, "")})


def without(catalog: Catalog, question: str, *unwanted: str) -> Catalog:
    rows = [row for row in catalog[question] if not set(unwanted) <= {*map(str, row)}]
    assert len(rows) < len(catalog[question])
    return catalog | {question: rows}


def test_the_draft_of_a_contracts_own_tables_is_that_contract() -> None:
    assert drafted(graph_catalog(CONTRACT)).hash == CONTRACT.hash


def test_the_columns_of_edge_tables_are_drafted() -> None:
    contract = contract_of({"contract.toml": SHOP})
    draft = draft_database(reading(graph_catalog(contract)))
    assert contract_of({"contract.toml": contract_toml(draft.contract)}).hash == contract.hash
    assert draft.left_out == {}


ALL_TYPES = """
name = "parts"
title = "Parts"
version = "1"
description = "Parts of machines."
[nodes.Part]
description = "One part."
source_key = "Code"
[nodes.Part.columns]
Id = { type = "BIGINT", nullable = false, description = "Key." }
Code = { type = "NVARCHAR(40)", nullable = false, description = "As the maker writes it." }
Name = { type = "NVARCHAR(100)", nullable = false, searchable = true, description = "Name." }
Pieces = { type = "BIGINT", description = "In store." }
Weight = { type = "FLOAT", description = "In kg." }
Price = { type = "DECIMAL(10,2)", description = "In euros." }
Sold = { type = "BIT", description = "Whether it is sold." }
Made = { type = "DATE", description = "Day." }
Changed = { type = "DATETIME2", description = "Moment." }
Sizes = { type = "JSON", description = "Sizes." }
"""


def test_every_type_of_a_contract_is_drafted_also_without_text_vector_and_edges() -> None:
    contract = contract_of({"contract.toml": ALL_TYPES})
    assert draft_database(reading(graph_catalog(contract))).left_out == {}
    draft = drafted(graph_catalog(contract))
    assert draft.hash == contract.hash
    assert all(isinstance(judge(example.sql, draft), Allowed) for example in draft.examples)


def test_a_unique_text_column_identifies_the_rows_and_a_key_of_two_columns_does_not() -> None:
    catalog = {
        database_draft.COLUMNS: [
            catalog_row("Part", "Id", "int", nullable=False, identifies=1),
            catalog_row("Part", "Number", "nvarchar", 80, nullable=False, identifies=1),
            catalog_row("Part", "Title", "nvarchar", 80, nullable=False),
            catalog_row("Line", "Part", "int", nullable=False),
            catalog_row("Line", "Title", "nvarchar", 80, nullable=False),
        ],
        database_draft.FULLTEXT: [("dbo", "Part", "Title"), ("dbo", "Line", "Title")],
    }
    draft = draft_database(reading(catalog))
    (part,) = draft.contract.nodes
    assert (part.key, part.source_key, part.label) == ("Id", "Number", "Title")
    assert "alone is the primary key" in draft.left_out["Line"]


@pytest.mark.parametrize(
    ("column", "kind", "says"),
    [
        ("Photo", "varbinary", "type varbinary"),
        ("Amount", "money", "type money"),
        ("Order", "int", "a word of T-SQL"),
        ("Net price", "int", "its name has more than letters"),
        ("Second", "vector", "one vector"),
    ],
)
def test_a_column_that_a_contract_cannot_have_is_left_out_with_the_reason(
    column: str, kind: str, says: str
) -> None:
    catalog = graph_catalog(CONTRACT)
    row = catalog_row("Recipe", column, kind, schema=CONTRACT.schema_name)
    catalog[database_draft.COLUMNS].append(row)
    draft = draft_database(reading(catalog))
    assert says in draft.left_out[f"Recipe.{column}"]
    assert contract_of({"contract.toml": contract_toml(draft.contract)}).hash == CONTRACT.hash


def test_a_column_of_edges_named_as_a_member_of_their_lines_gets_another_field() -> None:
    catalog = graph_catalog(CONTRACT)
    row = catalog_row("NEEDS", "Kind", "int", schema=CONTRACT.schema_name, is_node=False)
    catalog[database_draft.COLUMNS].append(row)
    needs = next(edge for edge in drafted(catalog).edges if edge.name == "NEEDS")
    assert [column.source_field for column in needs.columns] == ["edge_kind"]


def test_the_examples_of_a_draft_are_allowed() -> None:
    contract = drafted(graph_catalog(CONTRACT))
    assert contract.examples
    assert all(isinstance(judge(example.sql, contract), Allowed) for example in contract.examples)


def test_without_graph_tables_the_missing_ones_are_reported() -> None:
    with pytest.raises(DatabaseError, match="no node tables") as caught:
        drafted({database_draft.COLUMNS: []})
    assert "moviegraph ddl" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("question", "unwanted", "says"),
    [
        pytest.param("COLUMNS", ("Ingredient", "int"), "lacks an INT or BIGINT", id="key"),
        pytest.param("FULLTEXT", ("Ingredient",), "lacks a full-text index", id="full text"),
    ],
)
def test_a_table_that_cannot_be_served_is_left_out_with_the_reason(
    question: str, unwanted: tuple[str, ...], says: str
) -> None:
    catalog = graph_catalog(CONTRACT)
    name = getattr(database_draft, question)
    draft = draft_database(reading(without(catalog, name, *unwanted)))
    assert "Ingredient" not in {node.name for node in draft.contract.nodes}
    assert says in draft.left_out["Ingredient"]
    assert "it connects Ingredient" in draft.left_out["NEEDS"]


def test_an_edge_table_without_a_constraint_is_left_out_with_the_reason() -> None:
    catalog = graph_catalog(CONTRACT)
    draft = draft_database(reading(without(catalog, database_draft.CONSTRAINTS, "NEEDS")))
    assert "no CONNECTION constraint" in draft.left_out["NEEDS"]
    assert "NEEDS" not in {edge.name for edge in draft.contract.edges}
