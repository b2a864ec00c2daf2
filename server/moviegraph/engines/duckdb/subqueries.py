"""Subqueries of a translation: how many there may be, and those that run by themselves."""

from sqlglot import exp

from moviegraph.engines.duckdb.expressions import Node, duckdb_text
from moviegraph.engines.duckdb.plan import NodesNeed
from moviegraph.errors import ExecutionError
from moviegraph.sql.syntax_tree import (
    nodes_above,
    nodes_of,
)

STOPS = (exp.Query, exp.From, exp.With, exp.Lateral)
MAX_SUBQUERIES = (
    40  # subqueries in the expressions of one SELECT: DuckDB plans them in 2 s, without a look
)


def duckdb_sql(tree: Node) -> str:
    """Return a translated tree as DuckDB text.

    Raises:
        ExecutionError: It has more subqueries than DuckDB plans in a short time.
        SqlglotError: DuckDB has no such construct.
    """
    sql = duckdb_text(tree)
    if sql.count("SELECT ") > MAX_SUBQUERIES:
        clauses = [*nodes_of(tree, exp.Select), *nodes_of(tree, exp.Values)]
        if any(_subqueries(clause) > MAX_SUBQUERIES for clause in clauses):
            raise ExecutionError(
                f"A SELECT comes to more than {MAX_SUBQUERIES} subqueries once its functions are "
                "translated.",
                code="too_complex",
                hint="Compute a subquery once with CROSS APPLY (SELECT ...) AS x, and use its "
                "columns.",
            )
    return sql


def _subqueries(clause: Node) -> int:
    """Return how many subqueries the expressions of a SELECT or of VALUES have."""
    inside = nodes_above(clause, lambda node: node is not clause and isinstance(node, STOPS))
    return sum(isinstance(node, exp.Query) for node in inside if node is not clause)


def nodes_need(query: exp.Select) -> NodesNeed:
    """Return a translated query as a need, with the parameters that it uses."""
    names = {variable.name.partition(":")[0] for variable in query.find_all(exp.Var)}
    return NodesNeed(duckdb_sql(query), "$q" in names)
