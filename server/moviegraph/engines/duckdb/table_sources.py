"""Items of FROM: table-valued functions, joins, APPLY and PIVOT."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from moviegraph.engines.duckdb.conversions import convert
from moviegraph.engines.duckdb.expressions import (
    Node,
    call,
    cast,
    column,
    identifier,
    number,
    table_alias,
    text,
    unsupported,
)
from moviegraph.engines.duckdb.function_call import TEXT, FunctionCall
from moviegraph.engines.duckdb.json_functions import json_text
from moviegraph.engines.duckdb.refusals import COMPUTED
from moviegraph.engines.duckdb.search_functions import TABLES, Searches
from moviegraph.engines.duckdb.text_rules import check_searched
from moviegraph.sql.derived_tables import pivots_of
from moviegraph.sql.rowset_functions import read_series
from moviegraph.sql.syntax_tree import Field, PivotSpec, annotations, string_value
from moviegraph.sql.types import NUMBERS, cast_type, type_name, type_named


def pivot_query(item: Node) -> exp.Subquery:
    """Return a validated item of FROM with its PIVOT clauses written out."""
    rotated = item.copy()
    rotated.set("joins", None)
    rotated.set("pivots", None)
    for pivot in pivots_of(item):
        rotation = annotations(pivot).pivot
        assert rotation is not None
        select = _grouped(rotated, rotation)
        rotated = exp.Subquery(this=select, alias=pivot.args["alias"].copy())
    assert isinstance(rotated, exp.Subquery)
    return rotated


def _column(alias: str, field: Field) -> exp.Column:
    quoted_name = exp.Identifier(this=field.name, quoted=not field.name.startswith("$"))
    built = exp.Column(this=quoted_name, table=identifier(alias))
    annotations(built).sql_type, annotations(built).alias = field.sql_type, alias
    return built


def _grouped(source: Node, rotation: PivotSpec) -> exp.Select:
    alias = rotation.source
    items = [(_column(alias, field), field) for field in rotation.unchanged]
    items += [(_aggregated(rotation, field.name), field) for field in rotation.listed]
    groups = [_column(alias, field) for field in rotation.unchanged]
    return exp.Select(
        expressions=[
            exp.alias_(item, field.name, quoted=True, copy=False) for item, field in items
        ],
        from_=exp.From(this=source),
        group=exp.Group(expressions=groups) if groups else None,
    )


def _aggregated(rotation: PivotSpec, name: str) -> exp.Anonymous:
    """Return the aggregate over the rows whose key is one value of the IN list."""
    key = _column(rotation.source, rotation.key)
    number = rotation.key.type in NUMBERS
    key_value = exp.Literal(this=name.strip(), is_string=False) if number else text(name)
    value = _column(rotation.source, rotation.value)
    case = exp.Case(ifs=[exp.If(this=exp.EQ(this=key, expression=key_value), true=value)])
    return exp.Anonymous(this=f"__{rotation.aggregate}", expressions=[case])


ITEM = "__item"


@dataclass(frozen=True, slots=True)
class Sources:
    """Translates the functions of one statement that return rows."""

    searches: Searches
    node: Callable[[Node], Node]
    call_of: Callable[[exp.Anonymous], FunctionCall]

    def source(self, function: Node, alias: exp.TableAlias | None) -> Node:
        """Return the item of FROM for a function."""
        if isinstance(function, exp.Anonymous) and function.name in TABLES:
            return self.searches.source(function, alias)
        return _named(self.rows(function), alias)

    def rows(self, function: Node) -> exp.Select:
        """Return the SELECT of a function's rows."""
        if isinstance(function, exp.OpenJSON):
            return self._openjson(function)
        assert isinstance(function, exp.Anonymous)
        if function.name == "__STRING_SPLIT":
            check_searched("STRING_SPLIT", tuple(function.expressions))
            return _split(self.call_of(function))
        if function.name == "__GENERATE_SERIES":
            return _series(function)
        raise unsupported(f"table function {function.name[2:]}")

    def _openjson(self, function: exp.OpenJSON) -> exp.Select:
        args = FunctionCall("OPENJSON", (function.this,), (self.node(function.this),))
        path = function.args.get("path")
        steps = text(string_value(path) or "$") if path else text("$")
        unfold = "__json_items" if function.expressions else "__json_entries"
        unnested = call("unnest", call(unfold, args.text(0), steps))
        items = exp.Select(expressions=[exp.alias_(unnested, ITEM, quoted=True)])
        read = [_json_column(argument) for argument in function.expressions] or [
            exp.alias_(call("struct_extract", column(None, ITEM), text(key)), key, quoted=True)
            for key in ("key", "value", "type")
        ]
        return exp.Select(
            expressions=read, from_=exp.From(this=_named(items, table_alias("__items")))
        )


def _named(select: exp.Select, alias: exp.TableAlias | None) -> exp.Subquery:
    return exp.Subquery(this=select, alias=alias.copy() if alias else None)


def _json_column(definition: Node) -> Node:
    """Return one column of OPENJSON ... WITH; without a path it is the key of its name."""
    name, kind = definition.name, definition.args["kind"]
    path = definition.args.get("path")
    path_text = string_value(path) if path else None
    steps = text(f"$.{json_text(name)}" if path_text is None else path_text)
    item = column(None, ITEM)
    if definition.args.get("as_json"):
        return exp.alias_(call("__json_part", item, steps), name, quoted=True)
    value = call("__json_column", item, steps, number(_length(kind)))
    read = column(None, ITEM)
    annotations(read).sql_type = type_named(TEXT)
    return exp.alias_(convert(value, read, cast_type(kind)), name, quoted=True)


def _length(kind: exp.Expr) -> int:
    """Return how long a text may be that a column takes, or -1 where there is no limit."""
    if not type_name(kind).endswith("CHAR"):
        return -1
    sizes = [item.name for item in kind.expressions]
    return int(sizes[0]) if sizes and sizes[0].isdigit() else -1 if sizes else 1


def _split(args: FunctionCall) -> exp.Select:
    if args.literal(1) is None:
        raise COMPUTED.error("STRING_SPLIT with a computed separator")
    parts = call("string_split", args.text(0), args.text(1))
    columns = [exp.alias_(call("unnest", parts), "value", quoted=True)]
    if len(args) == 3 and args.number(2) == 1:
        ordinal = call("generate_subscripts", parts.copy(), number(1))
        columns.append(exp.alias_(cast(ordinal, "BIGINT"), "ordinal", quoted=True))
    return exp.Select(expressions=columns)


def _series(function: exp.Anonymous) -> exp.Select:
    """Return start + n * step; how many there are is known."""
    series = read_series(function)
    step_number = call("unnest", call("range", number(0), number(series.count)))
    sizes = (18, series.scale) if series.kind == "DECIMAL" else ()
    first, step = (cast(number(str(n)), series.kind, *sizes) for n in (series.start, series.step))
    value = exp.Add(this=first, expression=exp.Mul(this=step_number, expression=step))
    value = cast(exp.Paren(this=value), series.kind, *sizes)
    return exp.Select(expressions=[exp.alias_(value, "value", quoted=True)])
