"""Columns of edge tables: in contract.toml, as Markdown, in table definitions and the hash."""

import pytest
from fakes.shop_graph import TOML, shop_contract

from moviegraph.contract.ddl import edge_ddl, script
from moviegraph.contract.loader import contract_of
from moviegraph.contract.markdown import rules_markdown, table_markdown, to_json, to_markdown
from moviegraph.errors import ContractError
from moviegraph.loading.contract_draft import contract_toml


def test_the_columns_of_an_edge_table_survive_writing_and_reading() -> None:
    contract = shop_contract()
    again = contract_of({"contract.toml": contract_toml(contract)})
    assert [edge.columns for edge in again.edges] == [edge.columns for edge in contract.edges]
    assert again.hash == contract.hash


def test_the_hash_knows_the_columns_of_edges() -> None:
    hashes = {
        contract_of({"contract.toml": text}).hash
        for text in (
            TOML,
            TOML.replace("Stars = ", "Marks = "),
            TOML.replace('Stars = { type = "FLOAT"', 'Stars = { type = "INT"'),
            TOML.replace("Stars = {", "Stars = { nullable = false,"),
        )
    }
    assert len(hashes) == 4


def test_a_reader_of_the_contract_sees_the_columns_of_edges() -> None:
    contract = shop_contract()
    for text in (to_markdown(contract, "edges"), table_markdown(contract, "BOUGHT")):
        assert "Amount INT NOT NULL: Pieces." in text
        assert "Price DECIMAL(8,2): Paid for one." in text
    assert "BOUGHT (Amount, Price, Bought, Note); RATED (Stars, Note)" in rules_markdown(contract)
    edge = next(edge for edge in to_json(contract)["edges"] if edge["name"] == "BOUGHT")
    assert [column["name"] for column in edge["columns"]] == ["Amount", "Price", "Bought", "Note"]


def test_both_engines_create_the_columns() -> None:
    contract = shop_contract()
    bought, knows, _ = contract.edges
    assert edge_ddl(bought) == (
        'CREATE TABLE "BOUGHT" ("$edge_id" BIGINT NOT NULL, "$from_id" BIGINT NOT NULL, '
        '"$to_id" BIGINT NOT NULL, "Amount" INTEGER NOT NULL, "Price" DECIMAL(8, 2), '
        '"Bought" DATE, "Note" VARCHAR)'
    )
    text = script(contract, 8)
    start = text.index("CREATE TABLE [dbo].[BOUGHT]")
    assert text[start : text.index("AS EDGE", start)].splitlines()[1:8] == [
        "    [Amount] INT NOT NULL,",
        "    [Price] DECIMAL(8, 2) NULL,",
        "    [Bought] DATE NULL,",
        "    [Note] NVARCHAR(40) NULL,",
        "    _Digest CHAR(32) NOT NULL,",
        "    INDEX UX_BOUGHT_from UNIQUE NONCLUSTERED ($from_id, $to_id, _Digest),",
        "    INDEX IX_BOUGHT_to NONCLUSTERED ($to_id, $from_id),",
    ]
    assert "INDEX UX_KNOWS_from UNIQUE NONCLUSTERED ($from_id, $to_id)," in text
    assert '"Amount"' not in edge_ddl(knows)


@pytest.mark.parametrize(
    ("column", "problem"),
    [
        ('V = { type = "VECTOR", description = "x" }', "only a node table can have a VECTOR"),
        (
            'T = { type = "NVARCHAR(9)", searchable = true, description = "x" }',
            "only columns of nodes can be searchable",
        ),
        ('From = { type = "INT", description = "x" }', "'From' is a reserved word of T-SQL"),
        ('From_Kind = { type = "INT", description = "x" }', "has the member from_kind already"),
        ('K = { type = "INT", field = "Kind", description = "x" }', "has the member kind already"),
        ('stars = { type = "INT", description = "x" }', "differs from edges.RATED.columns.Stars"),
        ('X = { type = "MONEY", description = "x" }', "is not INT"),
    ],
)
def test_a_column_that_no_edge_can_have_is_refused_with_its_key(column: str, problem: str) -> None:
    with pytest.raises(ContractError, match=r"edges\.RATED\.columns") as caught:
        contract_of({"contract.toml": f"{TOML}{column}\n"})
    assert problem in caught.value.message
