from pathlib import Path

from moviegraph.contract.ddl import edge_ddl, node_ddl
from moviegraph.contract.loader import load_contract

TOY = load_contract(Path(__file__).parents[2] / "toy" / "contract")


def test_a_node_table_has_the_types_of_the_embedded_engine() -> None:
    assert node_ddl(TOY.nodes[0], 384) == (
        'CREATE TABLE "Recipe" ("$node_id" BIGINT NOT NULL, "Number" INTEGER NOT NULL, '
        '"Title" VARCHAR NOT NULL, "Minutes" INTEGER, "Vegan" BOOLEAN NOT NULL, "Added" DATE, '
        '"Price" DOUBLE, "Tip" VARCHAR, "Method" VARCHAR, "Meaning" FLOAT[384])'
    )


def test_an_edge_table_has_its_pseudo_columns() -> None:
    assert edge_ddl(TOY.edges[-1]) == (
        'CREATE TABLE "COMES_FROM" ("$edge_id" BIGINT NOT NULL, "$from_id" BIGINT NOT NULL, '
        '"$to_id" BIGINT NOT NULL)'
    )
