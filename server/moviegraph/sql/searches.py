"""Functions that return rows: which columns they search, and which they return."""

from typing import TypeGuard

from sqlglot import exp

from moviegraph.contract.model import Contract
from moviegraph.sql.columns import annotate
from moviegraph.sql.derived import MAX_BOUNDED, source_of
from moviegraph.sql.kinds import Kind, decimal, plain
from moviegraph.sql.lookup import field_of, find_column, unknown_table
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.scope import Field, Scope, Source, base_source, typed
from moviegraph.sql.series import series
from moviegraph.sql.types import holds_unicode, kind_of


def check_search(call: exp.Anonymous, scope: Scope, contract: Contract) -> None:
    """Check CONTAINS or FREETEXT: columns of one node table of this FROM, full-text indexed."""
    given = call.expressions[0]
    listed = given.expressions if isinstance(given, exp.Tuple) else [given.unnest()]
    owners: set[str] = set()
    for column in listed:
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
        column.meta["alias"], column.meta["table"] = source.alias, source.table
        return source.alias
    source, field = find_column(column, scope, contract)
    if source.kind != "node" or source.alias.lower() not in scope.sources:
        raise RefusalError(
            "wrong_arguments", f"{name} searches columns of a node table of the same FROM."
        )
    _check_rows(source, name)
    _check_searchable(field, contract)
    annotate(column, source, field)
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
    holds = (
        f"{source.table} holds edges, which have no text; " if _is_edge(source, contract) else ""
    )
    return RefusalError(
        "wrong_arguments", f"{holds}{name} searches node tables only: {', '.join(nodes)}."
    )


def _is_edge(source: Source | None, contract: Contract) -> TypeGuard[Source]:
    return source is not None and contract.edge(source.table or "") is not None


def _check_searchable(field: Field, contract: Contract) -> None:
    table = contract.node(field.table or "")
    if table is None or field.column not in table.searchable:
        known = table.searchable if table else ()
        advice = f"; searchable are {', '.join(known)}" if known else ", for it is computed"
        raise RefusalError(
            "not_searchable",
            f"{field.name} has no full-text index{advice}. For other columns write LIKE.",
            suggestions=known,
        )


def name_function(item: exp.Expr) -> None:
    """Give a table function without an alias its own name; T-SQL lets it go without."""
    if item.args.get("alias") is None:
        called = "openjson" if isinstance(item.this, exp.OpenJSON) else item.this.name[2:].lower()
        name = exp.to_identifier(called, quoted=True)
        item.set("alias", exp.TableAlias(this=name))


def ranked_source(call: exp.Anonymous, alias: str, contract: Contract) -> Source:
    """CONTAINSTABLE and FREETEXTTABLE: the first argument is a node table."""
    named, columns = call.expressions[0], call.expressions[1]
    schema = named.args.get("table") if isinstance(named, exp.Column) else None
    foreign = schema is not None and schema.name.lower() != contract.schema_name.lower()
    if not isinstance(named, exp.Column) or named.args.get("db") is not None or foreign:
        raise _no_node_table(call, contract)
    table = contract.node(named.name)
    if table is None and contract.edge(named.name) is not None:
        raise _no_node_table(call, contract, f"{named.name} holds edges, which have no text; ")
    if table is None:
        raise unknown_table(named.name, contract)
    named.replace(exp.column(table.name, table=contract.schema_name, quoted=True))
    source = base_source(table, table.name)
    listed = columns.expressions if isinstance(columns, exp.Tuple) else [columns.unnest()]
    for column in listed:
        if isinstance(column, exp.Column) and not isinstance(column.this, exp.Star):
            if column.table:
                raise RefusalError("syntax", "Columns stand here without an alias.")
            field = field_of(source, column)
            _check_searchable(field, contract)
            annotate(column, source, field)
    key = Field("KEY", "INT", table.name, table.key)
    return source_of(alias, [key, Field("RANK", "INT")])


def rows_source(call: exp.Anonymous, alias: str, *, bounded: bool) -> Source:
    """STRING_SPLIT and GENERATE_SERIES: one column `value`, and for the first maybe `ordinal`."""
    if call.name == "__GENERATE_SERIES":
        made = series(call)
        kind = decimal(18, made.scale) if made.kind == "DECIMAL" else plain(made.kind)
        return source_of(alias, [typed("value", kind)], bounded=made.count <= MAX_BOUNDED)
    name = "NVARCHAR" if holds_unicode(call.expressions[:2]) else "VARCHAR"
    fields = [typed("value", Kind(name, size=kind_of(call.expressions[0]).size))]
    if any(each.name == "1" for each in call.expressions[2:]):
        fields.append(Field("ordinal", "BIGINT"))
    return source_of(alias, fields, bounded=bounded)


def _no_node_table(call: exp.Anonymous, contract: Contract, why: str = "") -> RefusalError:
    names = tuple(node.name for node in contract.nodes)
    return RefusalError(
        "unknown_table",
        f"{why}{call.name[2:]} searches one node table, named first: {', '.join(names)}.",
        suggestions=names,
    )
