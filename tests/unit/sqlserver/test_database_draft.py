"""A contract drafted from the catalog of a database fits its tables."""

import pytest
from fakes.graph_catalog import Row, graph_catalog
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
    contract = contract_of({"contract.toml": SHOP.replace("DECIMAL(8,2)", "FLOAT")})
    draft = draft_database(reading(graph_catalog(contract)))
    assert contract_of({"contract.toml": contract_toml(draft.contract)}).hash == contract.hash
    assert draft.left_out == {}


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
        pytest.param("COLUMNS", ("Ingredient", "vector"), "lacks a VECTOR column", id="vector"),
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


def test_without_a_matching_edge_table_the_reason_is_reported() -> None:
    catalog = graph_catalog(CONTRACT) | {database_draft.CONSTRAINTS: []}
    with pytest.raises(DatabaseError, match=r"no edge table.*NEEDS: it has no CONNECTION"):
        drafted(catalog)


def test_columns_of_other_types_are_left_out_with_the_reason() -> None:
    catalog = graph_catalog(CONTRACT)
    schema = CONTRACT.schema_name
    odd = (schema, "Recipe", 1, "Photo", "varbinary", "varbinary", -1, 1, 0)
    catalog[database_draft.COLUMNS].append(odd)
    draft = draft_database(reading(catalog))
    assert "type varbinary" in draft.left_out["Recipe.Photo"]
