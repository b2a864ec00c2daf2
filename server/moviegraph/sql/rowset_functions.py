"""Functions that return rows: CONTAINSTABLE, OPENJSON, STRING_SPLIT and others."""

from dataclasses import dataclass
from decimal import Decimal

from sqlglot import exp

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.sql.decision import DialectError, RefusalError
from moviegraph.sql.derived_tables import MAX_BOUNDED, source_of
from moviegraph.sql.scope import (
    Scope,
    Source,
    annotate_column,
    base_source,
    field_of,
    find_column,
    typed_field,
    unknown_table,
)
from moviegraph.sql.syntax_tree import Field, SqlType, annotations
from moviegraph.sql.types import (
    MAX,
    cast_type,
    decimal_type,
    declared_type,
    has_unicode,
    sql_type,
    type_name,
    type_named,
)

MAX_VALUES = 10_000
MAX_COLUMNS = 40
DEFAULT_FIELDS = (
    Field("key", type_named("NVARCHAR")),
    typed_field("value", SqlType("NVARCHAR", size=MAX)),
    Field("type", type_named("INT")),
)


def check_search(call: exp.Anonymous, scope: Scope, contract: Contract) -> None:
    """Check CONTAINS or FREETEXT: columns of one node table of this FROM, full-text indexed."""
    target = call.expressions[0]
    column_nodes = target.expressions if isinstance(target, exp.Tuple) else [target.unnest()]
    owners: set[str] = set()
    for column in column_nodes:
        owners.add(_searched(column, scope, call.name[2:], contract))
    if len(owners) != 1:
        raise RefusalError(
            "wrong_arguments", f"{call.name[2:]} searches columns of one table at a time."
        )


def _searched(column: exp.Expr, scope: Scope, name: str, contract: Contract) -> str:
    star = isinstance(column, exp.Star) or isinstance(column.this, exp.Star)
    if isinstance(column, exp.Star):
        nodes = [s for s in scope.sources.values() if s.kind == "node"]
        if len(nodes) != 1:
            raise RefusalError("wrong_arguments", f"{name}: write alias.* instead of *.")
        _check_rows(nodes[0], name)
        return nodes[0].alias
    assert isinstance(column, exp.Column)
    if star:
        source = scope.sources.get(column.table.lower())
        if source is None or source.kind != "node":
            raise _no_text(source, name, contract)
        _check_rows(source, name)
        column.set("table", exp.to_identifier(source.alias, quoted=True))
        annotations(column).alias, annotations(column).table = source.alias, source.table or ""
        return source.alias
    source, field = find_column(column, scope, contract)
    if source.kind != "node" or source.alias.lower() not in scope.sources:
        raise RefusalError(
            "wrong_arguments", f"{name} searches columns of a node table of the same FROM."
        )
    _check_rows(source, name)
    _check_searchable(field, contract)
    annotate_column(column, source, field)
    return source.alias


def _check_rows(source: Source, name: str) -> None:
    if source.path:
        raise RefusalError(
            "path_column",
            f"{source.alias} is FOR PATH, and {name} searches the rows of a table. Search the "
            "anchor, or name LAST_VALUE(x.Id) WITHIN GROUP (GRAPH PATH) in a CTE and join it.",
        )


def _no_text(source: Source | None, name: str, contract: Contract) -> RefusalError:
    nodes = tuple(node.name for node in contract.nodes)
    is_edge = source is not None and source.kind == "edge"
    holds = f"{source.table} holds edges, which have no text; " if source and is_edge else ""
    return RefusalError(
        "wrong_arguments", f"{holds}{name} searches node tables only: {', '.join(nodes)}."
    )


def _check_searchable(field: Field, contract: Contract) -> None:
    table = contract.node(field.table or "")
    if table is None or field.column not in table.searchable:
        searchable = table.searchable if table else ()
        is_of_edge = table is None and contract.edge(field.table or "") is not None
        reason = ", for it is of an edge" if is_of_edge else ", for it is computed"
        advice = f"; searchable are {', '.join(searchable)}" if searchable else reason
        raise RefusalError(
            "not_searchable",
            f"{field.name} has no full-text index{advice}. For other columns write LIKE.",
            suggestions=searchable,
        )


def name_function(item: exp.Expr) -> None:
    """Give a table function without an alias its own name; T-SQL lets it go without."""
    if item.args.get("alias") is None:
        called = "openjson" if isinstance(item.this, exp.OpenJSON) else item.this.name[2:].lower()
        name = exp.to_identifier(called, quoted=True)
        item.set("alias", exp.TableAlias(this=name))


def ranked_source(call: exp.Anonymous, alias: str, contract: Contract) -> Source:
    """CONTAINSTABLE and FREETEXTTABLE: the first argument is a node table."""
    table = _searched_table(call, contract)
    columns = call.expressions[1]
    source = base_source(table, table.name)
    column_nodes = columns.expressions if isinstance(columns, exp.Tuple) else [columns.unnest()]
    for column in column_nodes:
        if isinstance(column, exp.Column) and not isinstance(column.this, exp.Star):
            if column.table:
                raise DialectError("Write the columns here without an alias.")
            field = field_of(source, column)
            _check_searchable(field, contract)
            annotate_column(column, source, field)
    key_column = table.column(table.key)
    assert key_column is not None, "the contract is checked when it is read"
    key = Field("KEY", declared_type(key_column.column_type), table.name, table.key)
    return source_of(alias, [key, Field("RANK", type_named("INT"))])


def rows_source(call: exp.Anonymous, alias: str, *, correlated: bool) -> Source:
    """STRING_SPLIT and GENERATE_SERIES: one column `value`, and for the first maybe `ordinal`."""
    if call.name == "__GENERATE_SERIES":
        series = read_series(call)
        kind = (
            decimal_type(18, series.scale) if series.kind == "DECIMAL" else type_named(series.kind)
        )
        rows = max(1, series.count) if series.count <= MAX_BOUNDED else None
        return source_of(alias, [typed_field("value", kind)], rows=rows)
    name = "NVARCHAR" if has_unicode(call.expressions[:2]) else "VARCHAR"
    fields = [typed_field("value", SqlType(name, size=sql_type(call.expressions[0]).size))]
    if any(argument.name == "1" for argument in call.expressions[2:]):
        fields.append(Field("ordinal", type_named("BIGINT")))
    return source_of(alias, fields, rows=None if correlated else MAX_BOUNDED)


def _searched_table(call: exp.Anonymous, contract: Contract) -> NodeTable:
    """Return the node table that a search names first, and write its full name."""
    table_node = call.expressions[0]
    schema = table_node.args.get("table")
    foreign = schema is not None and schema.name.lower() != contract.schema_name.lower()
    misnamed = (
        not isinstance(table_node, exp.Column) or table_node.args.get("db") is not None or foreign
    )
    table = None if misnamed else contract.node(table_node.name)
    if table is None and (misnamed or contract.edge(table_node.name) is not None):
        names = tuple(node.name for node in contract.nodes)
        holds = "" if misnamed else f"{table_node.name} holds edges; "
        raise RefusalError(
            "unknown_table",
            f"{holds}{call.name[2:]} searches one node table, named first: {', '.join(names)}.",
            suggestions=names,
        )
    if table is None:
        raise unknown_table(table_node.name, contract)
    table_node.replace(exp.column(table.name, table=contract.schema_name, quoted=True))
    return table


@dataclass(frozen=True, slots=True)
class NumberSeries:
    """The numbers of one call."""

    start: Decimal
    step: Decimal
    count: int
    kind: str

    @property
    def scale(self) -> int:
        """Digits after the point."""
        return max(0, *(-int(n.as_tuple().exponent) for n in (self.start, self.step)))


def read_series(call: exp.Anonymous) -> NumberSeries:
    """Read a call. Raises RefusalError where its length is not known, or too long."""
    numbers = [_number(argument) for argument in call.expressions]
    start, stop = numbers[:2]
    if _is_whole(start) != _is_whole(stop):
        raise RefusalError(
            "wrong_arguments", "Start and stop of GENERATE_SERIES have the same type: both whole."
        )
    step = numbers[2] if len(numbers) == 3 else Decimal(1 if start <= stop else -1)
    if step == 0:
        raise RefusalError("wrong_arguments", "The step of GENERATE_SERIES cannot be 0.")
    count = max(0, int((stop - start) / step) + 1) if (stop - start) / step >= 0 else 0
    if count > MAX_VALUES:
        raise RefusalError(
            "too_large", f"GENERATE_SERIES makes at most {MAX_VALUES:,} rows; this one {count:,}."
        )
    integer_type = "INT" if abs(start) < 2**31 and abs(stop) < 2**31 else "BIGINT"
    return NumberSeries(start, step, count, integer_type if _is_whole(start) else "DECIMAL")


def _is_whole(number: Decimal) -> bool:
    return number.as_tuple().exponent == 0


def _number(node: exp.Expr) -> Decimal:
    sign = -1 if isinstance(node, exp.Neg) else 1
    inner = node.this if isinstance(node, exp.Neg) else node
    text = inner.name if isinstance(inner, exp.Literal) and not inner.is_string else ""
    if not text.replace(".", "", 1).isdigit() or len(text) > 18:
        raise RefusalError(
            "wrong_arguments",
            "GENERATE_SERIES takes plain numbers, as in GENERATE_SERIES(1970, 2020, 10); for other "
            "bounds filter its values.",
        )
    return sign * Decimal(text)


def check_openjson(node: exp.OpenJSON) -> None:
    """Refuse OPENJSON outside FROM, or with too many columns."""
    if not isinstance(node.parent, exp.Table | exp.Lateral):
        raise DialectError("OPENJSON is allowed only in FROM or under APPLY.")
    if len(node.expressions) > MAX_COLUMNS:
        raise RefusalError("too_large", f"OPENJSON takes at most {MAX_COLUMNS} columns.")


def check_openjson_column(node: exp.OpenJSONColumnDef) -> None:
    """Refuse a column AS JSON of another type than NVARCHAR(MAX)."""
    kind = node.args["kind"]
    longest = [item.name.upper() for item in kind.expressions] == ["MAX"]
    if node.args.get("as_json") and not (type_name(kind) == "NVARCHAR" and longest):
        raise DialectError("A column AS JSON has the type NVARCHAR(MAX).")


def openjson_source(node: exp.OpenJSON, alias: str, *, correlated: bool) -> Source:
    """Return the rows of a judged OPENJSON as a source; of a literal they are few."""
    fields = [
        typed_field(argument.name, cast_type(argument.args["kind"]))
        for argument in node.expressions
    ]
    is_literal = not correlated and node.find(exp.Select) is None
    rows = MAX_BOUNDED if is_literal else None
    return source_of(alias, fields or list(DEFAULT_FIELDS), rows=rows)
