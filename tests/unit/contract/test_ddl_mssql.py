import re

import pytest
from fakes.toy_graph import toy_contract

from moviegraph.contract.ddl import reader_statements, script
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.errors import ContractError

CONTRACTS = [
    pytest.param(load_contract(), id="movies"),
    pytest.param(toy_contract(), id="kitchen"),
]


@pytest.mark.parametrize("contract", CONTRACTS)
def test_whatever_is_created_is_created_only_where_it_is_missing(contract: Contract) -> None:
    ddl_script = re.sub(r"^--.*\n", "", script(contract, 8, vector_index=True), flags=re.MULTILINE)
    for batch in ddl_script.split("\nGO\n"):
        assert "IF " in batch.partition("CREATE")[0] or "CREATE" not in batch, batch


def test_a_title_of_multiple_lines_stays_in_its_comment() -> None:
    contract = load_contract().model_copy(update={"title": "Films\nDROP TABLE Movie"})
    assert "\nDROP" not in script(contract, 8)


@pytest.mark.parametrize("contract", CONTRACTS)
def test_every_table_column_and_searchable_column_of_the_contract_is_there(
    contract: Contract,
) -> None:
    ddl_script = script(contract, 8)
    for node in contract.nodes:
        table = f"[{contract.schema_name}].[{node.name}]"
        body = ddl_script.partition(f"CREATE TABLE {table} (")[2].partition(") AS NODE")[0]
        assert re.findall(r"^    \[(\w+)\]", body, re.MULTILINE) == [c.name for c in node.columns]
        index = ddl_script.partition(f"CREATE FULLTEXT INDEX ON {table} (")[2].partition(")\n")[0]
        assert re.findall(r"\[(\w+)\] LANGUAGE 1033", index) == list(node.searchable)
    for edge in contract.edges:
        pairs = ", ".join(
            " TO ".join(f"[{contract.schema_name}].[{end}]" for end in (p.from_table, p.to_table))
            for p in edge.pairs
        )
        assert f"CONNECTION ({pairs}) ON DELETE NO ACTION" in ddl_script


def test_the_catalog_is_before_the_indexes_and_the_tables_before_both() -> None:
    ddl_script = script(load_contract(), 8, vector_index=True)
    order = ["AS NODE", "AS EDGE", "FULLTEXT CATALOG", "FULLTEXT INDEX", "VECTOR INDEX", "GRANT"]
    places = [ddl_script.index(statement) for statement in order]
    assert places == sorted(places)
    assert max(match.start() for match in re.finditer("AS NODE", ddl_script)) < ddl_script.index(
        "AS EDGE"
    )


@pytest.mark.parametrize("contract", CONTRACTS)
def test_the_reader_is_granted_each_table_and_denied_every_change(contract: Contract) -> None:
    statements = reader_statements(contract)
    granted = [statement for statement in statements if statement.startswith("GRANT")]
    assert len(granted) == len(contract.table_names) + 2, "the manifest and the aliases too"
    assert all(statement.startswith("GRANT SELECT ON OBJECT::") for statement in granted)
    denied = [statement for statement in statements if statement.startswith("DENY")]
    for schema in (contract.schema_name, "moviegraph"):
        assert any(f"ON SCHEMA::[{schema}] TO " in statement for statement in denied)
    for statement in denied:
        assert {"INSERT", "UPDATE", "DELETE", "EXECUTE", "ALTER"} <= set(
            re.findall(r"\w+", statement)
        )
        assert "CONTROL" not in statement, "it would take SELECT away"
        assert "SELECT" not in statement


def test_vector_indexes_are_left_out_unless_asked_for() -> None:
    assert "VECTOR INDEX" not in script(load_contract(), 8)
    assert script(load_contract(), 8, vector_index=True).count("CREATE VECTOR INDEX") == 6


@pytest.mark.parametrize("dimensions", [0, 1999, 3072])
def test_more_dimensions_than_a_vector_column_has_are_refused(dimensions: int) -> None:
    with pytest.raises(ContractError, match="1 to 1998"):
        script(load_contract(), dimensions)


def test_a_contract_in_our_own_schema_may_not_take_our_tables() -> None:
    contract = toy_contract()
    node = contract.nodes[2].model_copy(update={"name": "Manifest"})
    renamed = contract.model_copy(
        update={"schema_name": "moviegraph", "nodes": (*contract.nodes, node)}
    )
    with pytest.raises(ContractError, match="internal table"):
        script(renamed, 8)


def test_a_label_too_long_for_an_index_gets_none() -> None:
    contract = toy_contract()
    columns = tuple(
        column.model_copy(update={"type": "NVARCHAR(MAX)"}) if column.name == "Title" else column
        for column in contract.nodes[0].columns
    )
    long = contract.nodes[0].model_copy(update={"columns": columns})
    ddl_script = script(contract.model_copy(update={"nodes": (long, *contract.nodes[1:])}), 8)
    assert "IX_Recipe_label" not in ddl_script
    assert "IX_Ingredient_label" in ddl_script
