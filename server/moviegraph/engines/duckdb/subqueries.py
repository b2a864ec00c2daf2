"""Subqueries of a translation: computed once each, and conditions in them that can be stopped."""

from sqlglot import exp

from moviegraph.engines.duckdb.expressions import Node, binary, call, duckdb_text, number, when
from moviegraph.engines.duckdb.json_functions import PREFIX
from moviegraph.engines.duckdb.plan import NodesNeed
from moviegraph.errors import ExecutionError
from moviegraph.sql.syntax_tree import (
    annotations,
    nodes_above,
    nodes_of,
)

PULSE = "__pulse"
PARAMETER = "pulse"
# DuckDB looks for an interrupt between chunks of rows, and checks a condition inside a join for
# every partner of the 2,048 rows of a chunk: without this check it continued for minutes.
SHARE = 0.002  # of the pairs: four looks in a chunk, at a cost that cannot be measured


def is_paired(condition: Node) -> bool:
    """Return whether a validated conjunct is more than a key that a join hashes."""
    if condition.find(exp.Query) is not None:
        return False
    if len(_sources(condition)) < 2:
        return False
    if not isinstance(condition.unnest(), exp.EQ):
        return True
    operands = (condition.unnest().this, condition.unnest().expression)
    return any(len(_sources(side)) > 1 for side in operands)


def _sources(node: Node) -> set[tuple[str, bool]]:
    columns = node.find_all(exp.Column)
    return {(annotations(column).alias, bool(annotations(column).outer)) for column in columns}


def with_pulse(condition: Node) -> Node:
    """Return a translated condition that fails when the statement has been stopped."""
    seldom = binary(exp.LT, call("random"), number(SHARE))
    looked = call(PULSE, _parameter())
    alive = when(seldom, looked, exp.Boolean(this=True))
    return when(alive, condition, exp.Boolean(this=False))


def add_pulses(tree: Node) -> bool:
    """Add the pulse to every JSON function of a translated tree; return whether there was one."""
    calls = [
        function for function in tree.find_all(exp.Anonymous) if function.name.startswith(PREFIX)
    ]
    for item in calls:
        if not isinstance(item.expressions[-1], exp.Var):
            item.append("expressions", _parameter())
    return bool(calls)


def _parameter() -> Node:
    return exp.Var(this=f"${PARAMETER}")


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
    add_pulses(query)
    names = {variable.name.partition(":")[0] for variable in query.find_all(exp.Var)}
    return NodesNeed(duckdb_sql(query), "$q" in names, f"${PARAMETER}" in names)
