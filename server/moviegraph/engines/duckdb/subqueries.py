"""Subqueries of a translation: computed once each, and conditions in them that can be stopped."""

from collections import Counter

from sqlglot import exp

from moviegraph.engines.duckdb.conversions import QUANTIFIED
from moviegraph.engines.duckdb.expressions import Node, binary, call, duckdb_text, let, number, when
from moviegraph.engines.duckdb.json_functions import PREFIX
from moviegraph.engines.duckdb.plan import NodesNeed
from moviegraph.errors import ExecutionError
from moviegraph.sql.syntax_tree import (
    annotations,
    children,
    conjuncts,
    nodes,
    nodes_above,
    nodes_of,
)

PULSE = "__pulse"
PARAMETER = "pulse"
# DuckDB looks for an interrupt between chunks of rows, and checks a condition inside a join for
# every partner of the 2,048 rows of a chunk: without a look of its own it went on for minutes.
SHARE = 0.002  # of the pairs: four looks in a chunk, at a cost that cannot be measured


def is_paired(condition: Node) -> bool:
    """Whether a judged condition, one of a chain of ANDs, is more than a key that a join hashes."""
    if condition.find(exp.Query) is not None:
        return False
    if len(_sources(condition)) < 2:
        return False
    if not isinstance(condition.unnest(), exp.EQ):
        return True
    sides = (condition.unnest().this, condition.unnest().expression)
    return any(len(_sources(side)) > 1 for side in sides)


def _sources(node: Node) -> set[tuple[str, bool]]:
    columns = node.find_all(exp.Column)
    return {(annotations(column).alias, bool(annotations(column).outer)) for column in columns}


def pulsed(condition: Node) -> Node:
    """Return a translated condition that fails when the statement has been stopped."""
    seldom = binary(exp.LT, call("random"), number(SHARE))
    looked = call(PULSE, _parameter())
    alive = when(seldom, looked, exp.Boolean(this=True))
    return when(alive, condition, exp.Boolean(this=False))


def attend(tree: Node) -> bool:
    """Give every JSON function of a translated tree the pulse; return whether there was one."""
    calls = [
        function for function in tree.find_all(exp.Anonymous) if function.name.startswith(PREFIX)
    ]
    for item in calls:
        if not isinstance(item.expressions[-1], exp.Var):
            item.append("expressions", _parameter())
    return bool(calls)


def _parameter() -> Node:
    return exp.Var(this=f"${PARAMETER}")


# DuckDB plans each copy of a correlated subquery again, for minutes, without an interrupt.
ATOMS = (exp.Column, exp.Identifier, exp.Literal)
FEW = 8  # SELECTs: whatever copies they are, DuckDB plans them in milliseconds
MOST = 40  # subqueries in the expressions of one SELECT: planned in 2 s


def written(tree: Node) -> str:
    """Return a translated tree as DuckDB text that computes each subquery of an expression once.

    Raises:
        ExecutionError: More remain than DuckDB plans in a short time.
        SqlglotError: DuckDB has no such construct.
    """
    sql = duckdb_text(tree)
    return duckdb_text(_bound(tree)) if sql.count("SELECT ") > FEW else sql


def aggregated(aggregate: Node) -> Node:
    """Return what an aggregate became, with a note that it is no value of its row."""
    annotations(aggregate).is_shared = True
    return aggregate


def _bound(tree: Node) -> Node:
    bound = tree.copy()
    for select in nodes_of(bound, exp.Select):
        _note_keys(select)
        for expression in _expressions(select):
            _bind(expression)
    for values in nodes_of(bound, exp.Values):
        for cell in _cells(values):
            _bind(cell)
    several = [_expressions(item) for item in nodes_of(bound, exp.Select)]
    several += [_cells(values_node) for values_node in nodes_of(bound, exp.Values)]
    if any(_number(expressions) > MOST for expressions in several):
        raise ExecutionError(
            f"A SELECT comes to more than {MOST} subqueries once its functions are written out.",
            code="too_complex",
            hint="Compute a subquery once with CROSS APPLY (SELECT ...) AS x, and use its columns.",
        )
    return bound


def _note_keys(select: exp.Select) -> None:
    """Mark what a SELECT groups by as shared: its columns no longer determine it."""
    group = select.args.get("group")
    keys = {key for key in nodes(group) if not isinstance(key, ATOMS)} if group else set[Node]()
    for item in _expressions(select) if keys else ():
        for node in _outside_values(item):
            if node in keys:
                annotations(node).is_shared = True


def _expressions(select: exp.Select) -> list[Node]:
    """Return the expressions of a SELECT, its conditions one by one, those inside others first."""
    expressions = [item.unalias() for item in select.expressions]
    joins: list[exp.Join] = select.args.get("joins") or []
    order = select.args.get("order")
    expressions += [key.this for key in order.expressions] if order else []
    tests = [select.args[name].this for name in ("where", "having") if select.args.get(name)]
    tests += [join.args["on"] for join in joins if join.args.get("on")]
    expressions += [part for test in tests for part in conjuncts(test)]
    within = [node for item in expressions for node in _outside_queries(item) if _is_value(node)]
    return [*(part for node in within for part in _parts(node)), *expressions]


def _parts(value: Node) -> list[Node]:
    """Return the expressions inside a value that is bound as a whole."""
    if isinstance(value, exp.Window):
        order = value.args.get("order")
        sorted_by = [key.this for key in order.expressions] if order else []
        function = value.this
        while isinstance(function, exp.IgnoreNulls | exp.RespectNulls):
            function = function.this
        return [*children(function), *(value.args.get("partition_by") or []), *sorted_by]
    return [value.this] if isinstance(value, exp.Binary | exp.In) else []


def _cells(values: exp.Values) -> list[Node]:
    return [cell for row in values.expressions for cell in row.expressions]


def _number(expressions: list[Node]) -> int:
    within = (node for expression in expressions for node in _outside_queries(expression))
    return len({id(node) for node in within if isinstance(node, exp.Query)})


def _bind(expression: Node) -> None:
    values = [node for node in _outside_values(expression) if _is_value(node)]
    counts = Counter(node for node in values if node.find(exp.Query) is not None)
    repeated = [node for node in values if counts[node] > 1]
    if repeated:
        place = _around(repeated)
        place.replace(_over_values(place))


def _over_values(place: Node) -> Node:
    """Return an expression over a row of what it needs, each value made once."""
    body = place.copy()
    needed = [node for node in _outside_values(body) if _is_value(node) or _is_column(node)]
    places = {value: at for at, value in enumerate(dict.fromkeys(needed), 1)}
    values = [value.copy() for value in places]

    def named(row: Node) -> Node:
        for item in needed:
            item.replace(call("struct_extract", row.copy(), number(places[item])))
        return body

    return let(call("row", *values), named)


def _around(values: list[Node]) -> Node:
    """Return the smallest expression that holds all of these nodes."""
    paths = [_path(item) for item in values]
    shared = [node for node, *others in zip(*paths, strict=False) if all(o is node for o in others)]
    place = shared[-1]
    while isinstance(place, exp.If) or not isinstance(place, exp.Condition):
        assert place.parent is not None
        place = place.parent
    return place


def _path(node: Node) -> list[Node]:
    """Return a node and those around it within its SELECT, the outermost first."""
    path = [node]
    while path[-1].parent is not None and not isinstance(path[-1].parent, exp.Select):
        path.append(path[-1].parent)
    return path[::-1]


def _is_value(node: Node) -> bool:
    """Whether a node is a value of its row that no lambda can make."""
    if isinstance(node, exp.Exists | exp.Subquery | exp.Window) or annotations(node).is_shared:
        return True
    if isinstance(node, exp.In):
        return node.args.get("query") is not None
    return isinstance(node, exp.Binary) and isinstance(node.expression, QUANTIFIED)


def _is_column(node: Node) -> bool:
    """Whether a node is a column, not the value that a lambda names."""
    return isinstance(node, exp.Column) and node.find_ancestor(exp.Lambda) is None


def _outside_values(expression: Node) -> list[Node]:
    return nodes_above(expression, lambda node: isinstance(node, exp.Query) or _is_value(node))


def _outside_queries(expression: Node) -> list[Node]:
    return nodes_above(expression, lambda node: isinstance(node, exp.Query))


def asked(query: exp.Select) -> NodesNeed:
    """Return a translated query as a need, with the parameters that it uses."""
    attend(query)
    names = {variable.name.partition(":")[0] for variable in query.find_all(exp.Var)}
    return NodesNeed(written(query), "$q" in names, f"${PARAMETER}" in names)
