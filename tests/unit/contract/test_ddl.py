from pathlib import Path

from moviegraph.contract.ddl import embedded_ddl
from moviegraph.contract.load import load_contract

TOY = load_contract(Path(__file__).parents[2] / "toy" / "contract")


def test_each_table_is_created_with_the_types_of_the_embedded_engine() -> None:
    statements = embedded_ddl(TOY, 384)
    assert len(statements) == len(TOY.nodes) + len(TOY.edges)
    assert statements[0] == (
        'CREATE TABLE "Recipe" ("$node_id" BIGINT NOT NULL UNIQUE, "Number" INTEGER PRIMARY KEY, '
        '"Title" VARCHAR NOT NULL, "Minutes" INTEGER, "Vegan" BOOLEAN NOT NULL, "Added" DATE, '
        '"Price" DOUBLE, "Tip" VARCHAR, "Method" VARCHAR, "Meaning" FLOAT[384])'
    )
    assert statements[-1] == (
        'CREATE TABLE "COMES_FROM" ("$edge_id" BIGINT NOT NULL, "$from_id" BIGINT NOT NULL, '
        '"$to_id" BIGINT NOT NULL)'
    )


def test_without_vectors_the_vector_columns_are_left_out() -> None:
    assert not any("FLOAT[" in statement for statement in embedded_ddl(TOY, None))
    assert "Meaning" not in embedded_ddl(TOY, None)[0]
