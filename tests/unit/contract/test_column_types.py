"""Column types: what a contract may state, what is stored, and the names on both engines."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from fakes.parcels import CONTRACT, parcel_contract

from moviegraph.contract.column_types import UnfitValueError, column_type
from moviegraph.contract.ddl import node_ddl, script
from moviegraph.contract.loader import contract_of
from moviegraph.contract.markdown import rules_markdown, to_markdown
from moviegraph.errors import ContractError


@pytest.mark.parametrize(
    "text",
    [
        *("DECIMAL", "DECIMAL(39,2)", "DECIMAL(5,6)", "DECIMAL(0,0)", "NVARCHAR", "NVARCHAR(0)"),
        *("NVARCHAR(4001)", "NVARCHAR(10,2)", "INT(4)", "JSON(MAX)", "TIME", "int", "VECTOR(3)"),
    ],
)
def test_another_type_is_refused_with_those_that_exist(text: str) -> None:
    with pytest.raises(ContractError, match="DECIMAL"):
        column_type(text)


@pytest.mark.parametrize(
    ("text", "value", "stored"),
    [
        ("INT", 1999.0, 1999),
        ("BIGINT", 2**62, 2**62),
        ("FLOAT", 3, 3.0),
        ("DECIMAL(10,2)", 12.5, "12.50"),
        ("DECIMAL(10, 2)", "-0.10", "-0.10"),
        ("DECIMAL(38,0)", Decimal("1e30"), "1" + "0" * 30),
        ("BIT", 1, True),
        ("DATE", "20240229", "2024-02-29"),
        ("DATETIME2", "2024-02-29", "2024-02-29T00:00:00"),
        ("DATETIME2", "2024-02-29 08:00:00.1234560", "2024-02-29T08:00:00.123456"),
        ("DATETIME2", datetime(2024, 2, 29, 8, tzinfo=UTC), "2024-02-29T08:00:00"),
        ("JSON", {"a": [1, "é"]}, '{"a": [1, "é"]}'),
        ("JSON", "[1,2]", "[1,2]"),
        ("NVARCHAR(2)", "😀", "😀"),
    ],
)
def test_a_value_is_stored_as_it_is(text: str, value: Any, stored: Any) -> None:
    assert column_type(text).stored_value(value) == stored


@pytest.mark.parametrize(
    ("text", "value", "problem"),
    [
        ("INT", 2**31, "out of range"),
        ("INT", "7", "wrong type"),
        ("INT", True, "wrong type"),
        ("FLOAT", float("inf"), "out of range"),
        ("DECIMAL(5,2)", 1000, "out of range"),
        ("DECIMAL(5,2)", "1.005", "out of range"),
        ("DECIMAL(5,2)", "1,5", "wrong type"),
        ("DECIMAL(5,2)", True, "wrong type"),
        ("DECIMAL(5,2)", float("nan"), "wrong type"),
        ("DATE", "2024-02-30", "wrong type"),
        ("DATE", "2024-02-29T00:00:00", "wrong type"),
        ("DATETIME2", "2024-02-29T08:00:00.1234567", "out of range"),
        ("DATETIME2", "yesterday", "wrong type"),
        ("DATETIME2", 5, "wrong type"),
        ("JSON", '"text"', "wrong type"),
        ("JSON", "{", "wrong type"),
        ("JSON", "[NaN]", "wrong type"),
        ("NVARCHAR(1)", "😀", "too long"),
        ("NVARCHAR(9)", "a\0b", "NUL"),
        ("NVARCHAR(9)", "\ud800", "lone surrogate"),
        ("VECTOR", [1.0], "wrong type"),
    ],
)
def test_a_value_that_would_change_is_refused(text: str, value: Any, problem: str) -> None:
    with pytest.raises(UnfitValueError) as refused:
        column_type(text).stored_value(value)
    assert refused.value.problem == problem


def test_both_engines_have_columns_of_every_type() -> None:
    contract = parcel_contract()
    embedded = node_ddl(contract.nodes[0], 8)
    for column in (
        '"Weight" DECIMAL(8, 2)',
        '"Scanned" TIMESTAMP',
        '"Details" VARCHAR',
        '"Embedding" FLOAT[8]',
    ):
        assert column in embedded
    server = script(contract, 8, vector_index=True)
    for line in (
        "[Id] BIGINT NOT NULL CONSTRAINT PK_Parcel PRIMARY KEY CLUSTERED",
        "[Weight] DECIMAL(8, 2) NULL",
        "[Scanned] DATETIME2 NULL",
        "[Details] NVARCHAR(MAX) NULL",
        "[_Code] AS ([Code] COLLATE Latin1_General_100_BIN2)",
        "CONSTRAINT UQ_Parcel_source UNIQUE NONCLUSTERED ([_Code])",
        "INDEX IX_Parcel_source NONCLUSTERED ([Code])",
        "CREATE VECTOR INDEX VX_Parcel",
    ):
        assert line in server
    assert "VX_Depot" not in server
    assert "AS EDGE" not in server


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("NVARCHAR(40)", "NVARCHAR(451)", "at most 450"),
        ("NVARCHAR(40)", "BIGINT", "must be NVARCHAR"),
        ('source_key = "Code"', 'source_key = "Cod"', "no column 'Cod'"),
        ('source_key = "Code"', 'source_key = "Name"', "two roles"),
        ('"NVARCHAR(40)", nullable = false', '"NVARCHAR(40)"', "nullable = false"),
    ],
)
def test_a_source_key_is_a_short_text_of_every_node(before: str, after: str, message: str) -> None:
    with pytest.raises(ContractError, match=message):
        contract_of({"contract.toml": CONTRACT.replace(before, after)})


def test_the_hash_knows_the_source_key() -> None:
    other = contract_of({"contract.toml": CONTRACT.replace('source_key = "Code"\n', "")})
    assert other.hash != parcel_contract().hash


def test_a_graph_without_edges_is_described_without_paths() -> None:
    contract = parcel_contract()
    assert "the graph has no edges" in to_markdown(contract)
    assert "## Graph" not in rules_markdown(contract)
    assert "## Vectors" in rules_markdown(contract)
    assert "tools take it like an id" in to_markdown(contract)
