"""Translation of a validated statement into a plan for DuckDB."""

from collections.abc import Callable
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from moviegraph.contract.model import Contract
from moviegraph.engines.duckdb.aggregates import (
    AGGREGATES,
    is_plain_limit,
    limit_by_rank,
    ordered_string_agg,
    percentile,
    skip_nulls,
    write_rollup,
)
from moviegraph.engines.duckdb.conversions import Outputs, convert, duckdb_type, merge_results
from moviegraph.engines.duckdb.expressions import (
    Node,
    cast,
    column,
    duckdb_text,
    nested_too_deeply,
    stored_table,
    text,
    unsupported,
)
from moviegraph.engines.duckdb.function_call import FunctionCall
from moviegraph.engines.duckdb.json_text import json_select, json_shape
from moviegraph.engines.duckdb.match import Paths
from moviegraph.engines.duckdb.operators import Operators
from moviegraph.engines.duckdb.plan import VALUE_PREFIX, Needs, StatementPlan
from moviegraph.engines.duckdb.scalar_functions import translate_scalar
from moviegraph.engines.duckdb.search_functions import (
    PREDICATES,
    Distances,
    Searches,
    is_distance,
)
from moviegraph.engines.duckdb.table_sources import Sources, pivot_query
from moviegraph.engines.duckdb.text_rules import (
    check_searched,
    cut_outputs,
    group_texts,
    is_same,
    trim_spaces,
)
from moviegraph.sql.decision import Allowed
from moviegraph.sql.derived_tables import pivots_of
from moviegraph.sql.functions import is_along_path
from moviegraph.sql.joins import joins_of
from moviegraph.sql.limits import has_ties
from moviegraph.sql.syntax_tree import annotations, whole_number
from moviegraph.sql.types import WHOLE, cast_type, result_types, sql_type

OVERFLOWING = ("__ABS", "__POWER", "__ROUND")
KEYED = ("__GROUPING", "__GROUPING_ID")
GROUPED = ("expressions", "group", "having", "order")
WINDOW_PARTS = ("partition_by", "order", "spec")
NULL_TREATMENTS = (exp.IgnoreNulls, exp.RespectNulls)
MAX_NODES = 10_000
MAX_TOTAL_NODES = 20_000


def plan_of(
    allowed: Allowed,
    contract: Contract,
    *,
    complete: frozenset[str],
    dimensions: int,
) -> StatementPlan:
    """Translate a validated statement; its tree stays as it is, but for notes in its meta.

    Args:
        allowed: The validated statement.
        contract: The contract that it was validated against.
        complete: The node tables every row of which has a vector.
        dimensions: Length of the vectors.

    Raises:
        ExecutionError: The engine cannot reproduce something, or the text of a CONTAINS is wrong.
    """
    rewriter = _Rewriter(allowed, contract, complete, dimensions)
    judged = allowed.tree
    try:
        tree = rewriter.node(judged)
        _cap_ties(tree, judged, allowed.cap)
        truncating = cut_outputs(tree, judged, allowed)
        sql = duckdb_text(truncating or tree)
    except SqlglotError as error:
        raise unsupported("way to run this statement") from error
    except RecursionError as error:
        raise nested_too_deeply("expressions", "Compute parts of them in a CTE.") from error
    return StatementPlan(
        sql,
        tuple((name, need) for need, name in rewriter.needs.names.items()),
        rewriter.distances.vector,
        long=truncating is not None,
    )


def _cap_ties(tree: Node, judged: exp.Query, cap: int) -> None:
    """Let TOP n WITH TIES at the root end one row beyond the cap, which shows that there are more.

    It has no LIMIT of its own: all 10,000 rows may tie for the last place.
    """
    limit = judged.args.get("limit")
    if limit is not None and has_ties(limit):
        tree.set("limit", exp.Limit(expression=exp.Literal.number(cap + 1)))


class _Rewriter:
    """Rebuilds a tree from the top; a node without a rule is copied with its children."""

    def __init__(
        self,
        allowed: Allowed,
        contract: Contract,
        complete: frozenset[str],
        dimensions: int,
    ) -> None:
        self.needs = Needs()
        self.distances = Distances(contract, self.needs, complete, dimensions, self.node)
        self._searches = Searches(contract, self.needs)
        self._sources = Sources(self._searches, self.node, self._call_of)
        self._paths = Paths(
            contract, self.needs, allowed.matches, self.node, self._separate_condition
        )
        self._selects: list[exp.Select] = []
        self._depth = self._size = 0
        self._outputs = Outputs()
        self._keys: list[Node] = []
        self._rules = Operators(self.node, self._outputs).rules | self._own_rules()

    def _own_rules(self) -> dict[type[Node], Callable[[Any], Node]]:
        return {
            exp.Anonymous: self._call,
            exp.Cast: self._cast,
            exp.Column: self._column,
            exp.Convert: self._convert,
            exp.Except: self._set_operation,
            exp.Fetch: lambda node: exp.Limit(expression=self.node(node.args["count"])),
            exp.Group: lambda node: write_rollup(self._same(node)),
            exp.Intersect: self._set_operation,
            exp.Join: self._join,
            exp.National: lambda node: text(str(node.this)),
            exp.Parameter: self._parameter,
            exp.Select: self._select,
            exp.Subquery: self._source,
            exp.Table: self._source,
            exp.TryCast: self._cast,
            exp.Values: self._source,
            exp.Union: self._set_operation,
            exp.Window: self._window,
            exp.WithinGroup: self._within_group,
        }

    def node(self, node: Node) -> Node:
        """Translate a node."""
        rule = self._rules.get(type(node))
        translated = rule(node) if rule else self._same(node)
        if self._keys and any(is_same(key, node) for key in self._keys):
            return trim_spaces(node, translated)
        return translated

    def _same(self, node: Node, *without: str) -> Node:
        translated = type(node)()
        for name, value in node.args.items():
            if name not in without:
                translated.set(name, self._value(value))
        return translated

    def _value(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._value(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
        return self.node(value) if isinstance(value, exp.Expr) else value

    def _call_of(self, node: exp.Anonymous) -> FunctionCall:
        self._depth += 1
        args = FunctionCall(
            node.name[2:], tuple(node.expressions), tuple(map(self.node, node.expressions))
        )
        self._depth -= 1
        self._check_size(args)
        return args

    def _check_size(self, args: FunctionCall) -> None:
        """Some functions copy their argument, and each level of a nest doubles it."""
        size = sum(1 for argument in args.arguments for _ in argument.walk())
        self._size += 0 if self._depth else size
        if size > MAX_NODES or self._size > MAX_TOTAL_NODES:
            hint = "Nest fewer calls of REPLACE, STUFF and the like, or in fewer columns."
            raise nested_too_deeply("functions", hint)

    def _call(self, node: exp.Anonymous) -> Node:
        if node.name == "__MATCH":
            return self._paths.match(node)
        if node.name in PREDICATES:
            return self._searches.condition(node, self._selects[-1] if self._selects else None)
        if is_distance(node):
            return self.distances.translate(node)
        if node.name[2:] in AGGREGATES:
            args = self._call_of(node) if node.name in KEYED else self._ungrouped(node)
            return AGGREGATES[node.name[2:]](args, lambda core: core)
        check_searched(node.name[2:], tuple(node.expressions))
        translated = translate_scalar(self._call_of(node))
        kind = sql_type(node)
        typed = kind.family == "DECIMAL" or (kind.name in WHOLE and node.name in OVERFLOWING)
        return cast(translated, *duckdb_type(kind)) if typed else translated

    def _ungrouped(self, node: exp.Anonymous) -> FunctionCall:
        """Return the call of an aggregate, which sees the rows of a group as they are."""
        keys, self._keys = self._keys, []
        args = self._call_of(node)
        self._keys = keys
        return args

    def _column(self, node: exp.Column) -> Node:
        alias = str(annotations(node).alias or node.table)
        return column(alias or None, node.name)

    def _source(self, node: Node) -> Node:
        """Translate an item of FROM: a PIVOT is written out, a nested join put in parentheses."""
        if pivots_of(node):
            source = self.node(pivot_query(node))
        elif isinstance(node, exp.Table):
            source = self._table(node)
        elif isinstance(node, exp.Values):
            source = self._values(node)
        else:
            source = self._same(node, "joins")
        joins = joins_of(node)
        if not joins:
            return source
        source.set("joins", [self.node(join) for join in joins])
        return source if isinstance(node.parent, exp.Subquery) else exp.Subquery(this=source)

    def _table(self, node: exp.Table) -> Node:
        source, alias = node.this, node.args.get("alias")
        if isinstance(source, exp.Anonymous | exp.OpenJSON):
            return self._sources.source(source, alias)
        if node.args.get("db"):
            return stored_table(node.name, node.alias_or_name)
        table_alias = alias.copy() if alias else exp.TableAlias(this=source.copy())
        return exp.Table(this=source.copy(), alias=table_alias)

    def _join(self, node: exp.Join) -> Node:
        """APPLY is LATERAL, which DuckDB wants with ON."""
        lateral = node.this
        if not isinstance(lateral, exp.Lateral):
            return self._same(node)
        inner, alias = lateral.this, lateral.args.get("alias")
        if isinstance(inner, exp.Anonymous | exp.OpenJSON):
            inner = exp.Subquery(this=self._sources.rows(inner))
        else:
            inner = self.node(inner)
        join = exp.Lateral(this=inner, alias=alias.copy() if alias else None)
        if lateral.args.get("cross_apply"):
            return exp.Join(this=join, kind="CROSS")
        return exp.Join(this=join, side="LEFT", on=exp.Boolean(this=True))

    def _separate_condition(self, node: Node) -> Node:
        """Translate a condition for a separate statement."""
        keys, self._keys = self._keys, []
        translated = self.node(node)
        self._keys = keys
        return translated

    def _select(self, node: exp.Select) -> Node:
        outer = self._selects[-1] if self._selects else None
        self._selects.append(node)
        try:
            # The order matters. Side tables of paths first: the clauses read their columns.
            # Distances before the clauses, which then find them joined and compute none again.
            # MATCH is added at `leave`, when the clauses are there; only then can the rank of WITH
            # TIES be taken around the SELECT; FOR JSON wraps it all.
            ctes = self._paths.ctes(node)
            self._paths.enter(node, outer)
            joins, keeping = self.distances.joins(node)
            select = self._clauses(node, ctes)
            if keeping:
                select.set("where", None)
            if joins or node.args.get("joins"):
                select.set("joins", joins or self._value(node.args["joins"]))
            self._paths.leave(select)
            if not is_plain_limit(node.args.get("limit")):
                select = limit_by_rank(select)
            return json_select(select, json_shape(node)) if node.args.get("for_") else select
        finally:
            self._selects.pop()

    def _clauses(self, node: exp.Select, ctes: exp.With | None) -> exp.Select:
        select, keys, outer_keys = exp.Select(with_=ctes), group_texts(node), self._keys
        for name, value in node.args.items():
            self._keys = keys if name in GROUPED else []
            if name not in ("for_", "with_"):
                select.set(name, self._value(value))
        self._keys = outer_keys
        self._outputs.shape(node, select)
        return select

    def _set_operation(self, node: exp.SetOperation) -> Node:
        self._outputs.want(node, result_types(node), trim=bool(node.args.get("distinct")))
        ctes = self._paths.ctes(node)
        translated = self._same(node, "with_")
        translated.set("with_", ctes)
        return translated

    def _values(self, node: exp.Values) -> Node:
        """The cells of a column have one type."""
        rows = [row.expressions for row in node.expressions]
        columns = [
            merge_results(cells, [self.node(cell) for cell in cells])
            for cells in zip(*rows, strict=True)
        ]
        translated = [exp.Tuple(expressions=list(row)) for row in zip(*columns, strict=True)]
        return exp.Values(expressions=translated, alias=self._value(node.args.get("alias")))

    def _parameter(self, node: exp.Parameter) -> Node:
        kind = annotations(node).sql_type
        if kind is None:
            return self.distances.parameter()
        return exp.Var(this=f"${VALUE_PREFIX}{node.name}::{duckdb_type(kind)[0]}")

    def _cast(self, node: exp.Cast) -> Node:
        safe = isinstance(node, exp.TryCast)
        return convert(self.node(node.this), node.this, cast_type(node.args["to"]), safe=safe)

    def _convert(self, node: exp.Convert) -> Node:
        style = node.args.get("style")
        number = whole_number(style) if style is not None else None
        if style is not None and number is None:
            raise unsupported("CONVERT with a computed style")
        safe = bool(node.args.get("safe"))
        target = cast_type(node.this)
        return convert(self.node(node.expression), node.expression, target, safe=safe, style=number)

    def _window(self, node: exp.Window) -> Node:
        parts = {name: self._value(node.args.get(name)) for name in WINDOW_PARTS}
        partition = node.args.get("partition_by")
        if partition:
            parts["partition_by"] = list(map(trim_spaces, partition, parts["partition_by"]))
        inner = node.this
        skips_nulls = isinstance(inner, exp.IgnoreNulls)

        def over(core: Node) -> Node:  # copied: AVG is a sum and a count over one window
            core = skip_nulls(core) if skips_nulls else core
            return exp.Window(this=core, over="OVER", **parts).copy()

        called = inner.this if isinstance(inner, NULL_TREATMENTS) else inner
        if isinstance(called, exp.WithinGroup):
            return over(self._within_group(called))
        assert isinstance(called, exp.Anonymous)
        return AGGREGATES[called.name[2:]](self._call_of(called), over)

    def _within_group(self, node: exp.WithinGroup) -> Node:
        keys, self._keys = self._keys, []
        args = self._call_of(node.this)
        order = self._same(node.expression)
        self._keys = keys
        if is_along_path(node):
            return self._paths.aggregate(args)
        assert isinstance(order, exp.Order)
        if args.name == "STRING_AGG":
            return ordered_string_agg(args, order)
        kind = sql_type(node.expression.expressions[0].this)
        return percentile(args, order, kind)
