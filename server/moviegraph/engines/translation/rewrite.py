"""Translates a judged statement into a plan for DuckDB."""

from collections.abc import Callable
from typing import Any

from sqlglot import ErrorLevel, exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import SqlglotError

from moviegraph.contract.model import Contract
from moviegraph.engines.translation.aggregates import AGGREGATES, ordered_string_agg, percentile
from moviegraph.engines.translation.calls import (
    MOMENTS,
    TEXT,
    Call,
    as_text,
    bounded_text,
    comparable,
    operand,
)
from moviegraph.engines.translation.casts import converted
from moviegraph.engines.translation.distances import Distances, is_distance
from moviegraph.engines.translation.functions import translate_scalar
from moviegraph.engines.translation.json_texts import json_select, json_shape
from moviegraph.engines.translation.likes import like
from moviegraph.engines.translation.nodes import (
    Node,
    binary,
    call,
    column,
    concatenated,
    enclosed,
    string_value,
    text,
    unsupported,
    whole_number,
)
from moviegraph.engines.translation.plan import Needs, Plan
from moviegraph.engines.translation.pulses import is_paired, pulsed
from moviegraph.engines.translation.searches import PREDICATES, TABLES, Searches
from moviegraph.errors import ExecutionError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.types import type_of

CATALOG = "graph"
MOST_NODES = 10_000
SIDES = ("this", "expression", "low", "high")


def plan_of(
    allowed: Allowed, contract: Contract, *, complete: frozenset[str], dimensions: int
) -> Plan:
    """Translate a judged statement; the judged tree is not touched.

    Args:
        allowed: The judged statement.
        contract: The contract that it was judged against.
        complete: The node tables every row of which has a vector.
        dimensions: Length of the vectors.

    Raises:
        ExecutionError: The engine cannot reproduce something, or the text of a CONTAINS is wrong.
    """
    rewriter = _Rewriter(allowed, contract, complete, dimensions)
    try:
        tree = rewriter.node(allowed.tree)
        sql = DuckDB().generate(
            tree, identify=True, unsupported_level=ErrorLevel.RAISE, comments=False
        )
    except SqlglotError as error:
        raise unsupported("way to run this statement") from error
    needs = tuple((name, need) for need, name in rewriter.needs.names.items())
    return Plan(sql, needs, rewriter.distances.vector, rewriter.paired)


class _Rewriter:
    """Rebuilds a tree from the top; what has no rule of its own is copied with its children."""

    def __init__(
        self, allowed: Allowed, contract: Contract, complete: frozenset[str], dimensions: int
    ) -> None:
        self.needs = Needs()
        self.distances = Distances(contract, self.needs, complete, dimensions)
        self._searches = Searches(contract, self.needs)
        self._matches = allowed.matches
        self._selects: list[exp.Select] = []
        self.paired = False
        self._rules: dict[type[Node], Callable[[Any], Node]] = {
            exp.Add: self._add,
            exp.Between: self._comparison,
            exp.EQ: self._comparison,
            exp.In: self._comparison,
            exp.BitwiseAnd: self._bitwise,
            exp.BitwiseOr: self._bitwise,
            exp.BitwiseXor: self._bitwise,
            exp.Sub: self._arithmetic,
            exp.Mul: self._arithmetic,
            exp.Div: self._arithmetic,
            exp.Mod: self._arithmetic,
            exp.Anonymous: self._call,
            exp.Case: self._case,
            exp.Cast: self._cast,
            exp.Collate: self._collate,
            exp.Column: self._column,
            exp.Convert: self._convert,
            exp.Escape: self._escape,
            exp.Fetch: self._fetch,
            exp.GT: self._compared,
            exp.GTE: self._compared,
            exp.Is: self._is,
            exp.Join: self._join,
            exp.LT: self._compared,
            exp.LTE: self._compared,
            exp.Like: self._like,
            exp.NEQ: self._compared,
            exp.National: self._national,
            exp.Parameter: self._parameter,
            exp.Select: self._select,
            exp.Table: self._table,
            exp.TryCast: self._cast,
            exp.Where: self._where,
            exp.Window: self._window,
            exp.WithinGroup: self._within_group,
        }

    def node(self, node: Node) -> Node:
        """Translate a node."""
        rule = self._rules.get(type(node))
        return rule(node) if rule else self._same(node)

    def _same(self, node: Node, without: str = "") -> Node:
        made = type(node)()
        for name, value in node.args.items():
            if name == without:
                continue
            made.set(name, self._value(value))
        return made

    def _value(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._value(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
        return self.node(value) if isinstance(value, exp.Expr) else value

    def _all(self, nodes: list[Node]) -> tuple[Node, ...]:
        return tuple(self.node(each) for each in nodes)

    def _call_of(self, node: exp.Anonymous) -> Call:
        made = Call(node.name[2:], tuple(node.expressions), self._all(node.expressions))
        if sum(1 for argument in made.arguments for _ in argument.walk()) > MOST_NODES:
            raise ExecutionError(
                "The functions of this statement are nested too deeply.",
                code="too_complex",
                hint="Nest fewer calls of REPLACE, STUFF and the like.",
            )
        return made

    def _call(self, node: exp.Anonymous) -> Node:
        if node.name == "__MATCH":
            return self._match(node)
        if node.name in PREDICATES:
            return self._searches.condition(node, self._selects[-1] if self._selects else None)
        if is_distance(node):
            return self.distances.translate(node)
        if node.name[2:] in AGGREGATES:
            core, finish = AGGREGATES[node.name[2:]](self._call_of(node))
            return finish(core)
        return translate_scalar(self._call_of(node))

    def _match(self, node: exp.Anonymous) -> Node:
        conditions: list[Node] = []
        match = self._matches[int(node.expressions[0].name)]
        if match.paths or match.meetings:
            raise unsupported("SHORTEST_PATH")
        for chain in match.chains:
            for edge, start, end in chain.hops():
                conditions += [
                    exp.EQ(this=column(edge, "$from_id"), expression=column(start, "$node_id")),
                    exp.EQ(this=column(edge, "$to_id"), expression=column(end, "$node_id")),
                ]
        return exp.Paren(this=exp.and_(*conditions, copy=False))

    def _column(self, node: exp.Column) -> Node:
        alias = node.meta.get("alias") or node.table or None
        return column(str(alias) if alias else None, node.name)

    def _compared(self, node: exp.Binary) -> Node:
        """Hide an unequal comparison of two sources, or DuckDB may join by it, pair by pair.

        `a.Id <> b.Id` beside MATCH then asked for gigabytes; as a CASE it is a filter, and NULL
        stays NULL.
        """
        sides = (node.this.unnest(), node.expression.unnest())
        aliases = {side.meta.get("alias") for side in sides if isinstance(side, exp.Column)}
        if len(aliases) < len(sides):
            return self._comparison(node)
        made = self._same(node)
        opposite = exp.Not(this=exp.Paren(this=made.copy()))
        branches = [
            exp.If(this=made, true=exp.Boolean(this=True)),
            exp.If(this=opposite, true=exp.Boolean(this=False)),
        ]
        return exp.Case(ifs=branches)

    def _table(self, node: exp.Table) -> Node:
        source, alias = node.this, node.args.get("alias")
        if isinstance(source, exp.Anonymous):
            return self._table_function(source, alias)
        named = alias.copy() if alias else exp.TableAlias(this=source.copy())
        if not node.args.get("db"):
            return exp.Table(this=source.copy(), alias=named)
        return exp.Table(
            this=source.copy(),
            db=exp.Identifier(this="main", quoted=True),
            catalog=exp.Identifier(this=CATALOG, quoted=True),
            alias=named,
        )

    def _table_function(self, source: exp.Anonymous, alias: exp.TableAlias | None) -> Node:
        if source.name in TABLES:
            return self._searches.source(source, alias)
        if source.name != "__STRING_SPLIT":
            raise unsupported(f"table function {source.name[2:]}")
        given = self._call_of(source)
        if len(given) > 2:
            raise unsupported("STRING_SPLIT with ordinals")
        parts = call("unnest", call("string_split", given.text(0), given.text(1)))
        split = exp.Select(expressions=[exp.alias_(parts, "value", quoted=True)])
        return exp.Subquery(this=split, alias=alias.copy() if alias else None)

    def _join(self, node: exp.Join) -> Node:
        """APPLY is LATERAL, which DuckDB wants with ON."""
        lateral = node.this
        if not isinstance(lateral, exp.Lateral):
            made = self._same(node, without="on")
            if node.args.get("on") is not None:
                made.set("on", self._condition(node.args["on"]))
            return made
        inner, alias = lateral.this, lateral.args.get("alias")
        if isinstance(inner, exp.Anonymous):
            inner = self._table_function(inner, None)
        else:
            inner = self.node(inner)
        made = exp.Lateral(this=inner, alias=alias.copy() if alias else None)
        if lateral.args.get("cross_apply"):
            return exp.Join(this=made, kind="CROSS")
        return exp.Join(this=made, side="LEFT", on=exp.Boolean(this=True))

    def _where(self, node: exp.Where) -> Node:
        return exp.Where(this=self._condition(node.this))

    def _condition(self, node: Node) -> Node:
        """Translate a condition on the rows of a join."""
        if isinstance(node, exp.And):
            return exp.And(
                this=self._condition(node.this), expression=self._condition(node.expression)
            )
        made = self.node(node)
        if not is_paired(node):
            return made
        self.paired = True
        return pulsed(made)

    def _select(self, node: exp.Select) -> Node:
        self._selects.append(node)
        try:
            joins, keeping = self.distances.joins(node)
            made = self._same(node, without="for_")
            if keeping:
                made.set("where", None)
            if joins:
                made.set("joins", joins)
            if node.args.get("for_") and isinstance(made, exp.Select):
                return json_select(made, json_shape(node))
            return made
        finally:
            self._selects.pop()

    def _fetch(self, node: exp.Fetch) -> Node:
        return exp.Limit(expression=self.node(node.args["count"]))

    def _add(self, node: exp.Add) -> Node:
        """`+` joins texts; beside a number, text is read as one."""
        kinds = {type_of(node.this), type_of(node.expression)}
        if kinds <= {TEXT, "UNKNOWN"} and TEXT in kinds:
            sides = self.node(node.this), self.node(node.expression)
            given = node.this, node.expression
            return concatenated(*map(bounded_text, sides, given))
        return self._arithmetic(node)

    def _arithmetic(self, node: exp.Binary) -> Node:
        bitwise = (exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor)
        if isinstance(node, exp.Add | exp.Sub) and isinstance(node.expression, bitwise):
            raise unsupported("rule for mixed & | ^ + -", "Put each operation in parentheses.")
        left, right = type_of(node.this), type_of(node.expression)
        sides = (
            operand(self.node(node.this), left, right),
            operand(self.node(node.expression), right, left),
        )
        return binary(type(node), *sides)

    def _bitwise(self, node: exp.Binary) -> Node:
        """Between these operators sqlglot and T-SQL disagree on which binds closer."""
        mixed = (exp.Add, exp.Sub, exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor)
        sides = node.this, node.expression
        if any(isinstance(each, mixed) and type(each) is not type(node) for each in sides):
            raise unsupported("rule for mixed & | ^ + -", "Put each operation in parentheses.")
        return self._arithmetic(node)

    def _comparison(self, node: Node) -> Node:
        made = self._same(node)
        sides = [name for name in SIDES if node.args.get(name) is not None]
        moment = any(type_of(node.args[name]) in MOMENTS for name in sides)
        for name in sides:
            made.set(name, comparable(node.args[name], made.args[name], moment=moment))
        if node.expressions:
            listed = zip(node.expressions, made.expressions, strict=True)
            made.set("expressions", [comparable(*pair, moment=moment) for pair in listed])
        return made

    def _case(self, node: exp.Case) -> Node:
        """In a simple CASE each WHEN is a comparison."""
        made = self._same(node)
        if node.this is None:
            return made
        made.set("this", comparable(node.this, made.this))
        for given, branch in zip(node.args["ifs"], made.args["ifs"], strict=True):
            branch.set("this", comparable(given.this, branch.this))
        return made

    def _is(self, node: exp.Is) -> Node:
        return self.distances.presence(node) or self._same(node)

    def _like(self, node: exp.Like, escape: str | None = None) -> Node:
        subject, pattern = node.this, node.expression
        cased = any(_is_cased(side) for side in (subject, pattern))
        made = like(
            as_text(self.node(subject), type_of(subject)),
            as_text(self.node(pattern), type_of(pattern)),
            string_value(pattern),
            escape,
            cased,
        )
        return exp.Not(this=enclosed(made)) if node.args.get("negate") else made

    def _escape(self, node: exp.Escape) -> Node:
        escape = string_value(node.expression)
        if not isinstance(node.this, exp.Like) or escape is None or len(escape) != 1:
            raise unsupported("ESCAPE with anything but one literal character")
        return self._like(node.this, escape)

    def _collate(self, node: exp.Collate) -> Node:
        name = node.expression.name.upper()
        kind = exp.Var(this="NOCASE.NOACCENT" if name.endswith("CI_AI") else "NOCASE")
        if _is_cased(node):
            kind = exp.Var(this='"C"')
        return exp.Paren(this=exp.Collate(this=enclosed(self.node(node.this)), expression=kind))

    def _national(self, node: exp.National) -> Node:
        return text(str(node.this))

    def _parameter(self, node: exp.Parameter) -> Node:
        return self.distances.parameter()

    def _cast(self, node: exp.Cast) -> Node:
        safe = isinstance(node, exp.TryCast)
        return converted(self.node(node.this), type_of(node.this), node.args["to"], safe=safe)

    def _convert(self, node: exp.Convert) -> Node:
        style = node.args.get("style")
        number = whole_number(style) if style is not None else None
        if style is not None and number is None:
            raise unsupported("CONVERT with a computed style")
        value = node.expression
        safe = bool(node.args.get("safe"))
        return converted(self.node(value), type_of(value), node.this, safe=safe, style=number)

    def _window(self, node: exp.Window) -> Node:
        inner = node.this
        finish = None
        if isinstance(inner, exp.WithinGroup):
            core = self._within_group(inner)
        else:
            core, finish = AGGREGATES[inner.name[2:]](self._call_of(inner))
        made = exp.Window(this=core)
        for name, value in node.args.items():
            if name == "partition_by" and value:
                made.set(name, list(self._all(value)))
            elif name != "this":
                made.set(name, self._value(value))
        return finish(made) if finish else made

    def _within_group(self, node: exp.WithinGroup) -> Node:
        given = self._call_of(node.this)
        order = self._same(node.expression)
        assert isinstance(order, exp.Order)
        if given.name == "STRING_AGG":
            return ordered_string_agg(given, order)
        return percentile(given, order)


def _is_cased(node: Node) -> bool:
    """Whether a value is collated so that case counts."""
    if not isinstance(node, exp.Collate):
        return False
    name = node.expression.name.upper()
    return "_CS_" in name or name.endswith(("_BIN", "_BIN2"))
