"""Finds the source and field that a name stands for, from the inner scope outwards."""

from sqlglot import exp

from moviegraph.contract.model import Contract, nearest
from moviegraph.sql.columns import span, unknown_column
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.scope import Field, Scope, Source


def find_column(
    column: exp.Column, scope: Scope, contract: Contract, *, nested: bool = False
) -> tuple[Source, Field]:
    """Return the source and field that a column names. Raises RefusalError."""
    if isinstance(column.this, exp.Star):
        raise RefusalError("syntax", "A * stands in the select list or in COUNT(*) only.")
    database = column.args.get("db")
    if database is not None:
        if database.name.lower() != contract.schema_name.lower():
            raise RefusalError(
                "unknown_column", f"{column.sql()} has too many parts; write alias.Column."
            )
        column.set("db", None)
    try:
        source = _owner(column, scope, nested=nested)
        return source, field_of(source, column)
    except RefusalError as error:
        advice = _edge_advice(column, scope, contract)
        if error.refused.code != "unknown_column" or not advice:
            raise
        refused = error.refused
        message = f"{refused.message} {advice}"
        raise RefusalError(refused.code, message, refused.span, refused.suggestions) from error


def _edge_advice(column: exp.Column, scope: Scope, contract: Contract) -> str:
    """Say which edge joins two tables, for a foreign key such as GenreId that no table has."""
    name = column.name.lower().replace("_", "")
    other = next(
        (n for n in contract.nodes if name in (f"{n.name.lower()}id", n.name.lower())), None
    )
    tables = {source.table for source in scope.sources.values() if source.kind == "node"}
    if other is None:
        return ""
    for edge in contract.connections:
        if other.name in edge.ends and edge.ends & (tables - {other.name}):
            alike = contract.between(edge.from_table, edge.to_table)
            named = " or ".join(dict.fromkeys(each.name for each in alike))
            return (
                f"No table holds keys of another: {edge.from_table} and {edge.to_table} are joined "
                f"by the edge table {named}, as in FROM {edge.from_table} AS a, {edge.name} AS "
                f"e, {edge.to_table} AS b WHERE MATCH(a-(e)->b)."
            )
    return ""


def _owner(column: exp.Column, scope: Scope, *, nested: bool) -> Source:
    here: Scope | None = scope
    while here is not None:
        if column.table:
            found = [s for s in here.sources.values() if s.alias.lower() == column.table.lower()]
        else:
            found = [s for s in here.sources.values() if column.name.lower() in s.fields]
        if len(found) > 1:
            listed = " or ".join(f"{s.alias}.{column.name}" for s in found)
            raise RefusalError(
                "ambiguous_column",
                f"{column.name} stands in several tables; write {listed}.",
                suggestions=tuple(f"{s.alias}.{column.name}" for s in found),
            )
        if found:
            if here is not scope or nested:
                here.touched.add(found[0].alias.lower())
            return found[0]
        here = here.outer
    raise _unresolved(column, scope)


def _unresolved(column: exp.Column, scope: Scope) -> RefusalError:
    if not column.table:
        is_alias = column.name.lower() in scope.aliases
        return unknown_column(column, list(scope.sources.values()), is_alias=is_alias)
    wanted = column.table.lower()
    if wanted in scope.hidden:
        return RefusalError(
            "unknown_alias",
            f"This ON cannot see {column.table}: it knows the tables of its own JOIN only, none "
            "before a comma or outside its parentheses. Move the condition to WHERE.",
            span(column),
        )
    same = [s.alias for s in scope.sources.values() if (s.table or "").lower() == wanted]
    close = (*same, *nearest(column.table, scope.names(), 2))[:2]
    guess = f"; did you mean {close[0]}?" if close else "."
    listed = ", ".join(scope.names()) or "none"
    return RefusalError(
        "unknown_alias",
        f"No table in FROM has the alias {column.table}{guess} Aliases here: {listed}.",
        span(column),
        close,
    )


def field_of(source: Source, column: exp.Column) -> Field:
    """Return the field of one source. Raises RefusalError."""
    field = source.fields.get(column.name.lower())
    if field is None:
        raise unknown_column(column, [source])
    return field


def unknown_table(name: str, contract: Contract) -> RefusalError:
    """Return the refusal of a table that the contract does not hold, with the nearest ones."""
    close = nearest(name, contract.table_names)
    guess = f"; did you mean {close[0]}?" if close else "."
    return RefusalError(
        "unknown_table",
        f"There is no table {name}{guess} The tables are {', '.join(contract.table_names)}.",
        suggestions=close,
    )
