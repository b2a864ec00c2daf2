"""What a resolved column is, how it may be used, and what is said of one that does not exist."""

from sqlglot import exp

from moviegraph.contract.model import nearest
from moviegraph.sql.for_json import check_names
from moviegraph.sql.gate import LITERALS
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.scope import Field, Source

SERVER_COLUMNS = frozenset({"$action", "$identity", "$partition", "$rowguid"})


def embedding_output(place: str) -> RefusalError:
    """Return the refusal of a vector that would leave."""
    return RefusalError(
        "embedding_output",
        f"An embedding cannot stand in {place}; it is only compared, as in "
        "VECTOR_DISTANCE('cosine', t.Embedding, @q), or tested for NULL.",
    )


def annotate(column: exp.Column, source: Source, field: Field, *, outer: bool = False) -> None:
    """Write canonical names into a column, and what it is into its meta."""
    column.set("this", exp.to_identifier(field.name, quoted=not field.name.startswith("$")))
    if column.table:
        column.set("table", exp.to_identifier(source.alias, quoted=True))
    column.meta.update(
        type=field.type,
        kind=field.kind,
        table=source.table,
        alias=source.alias,
        lineage=(field.table, field.column),
        outer=outer,
    )


def check_use(column: exp.Column, field: Field) -> None:
    """Vectors are compared, pseudo-columns join; neither is computed with."""
    parent = column.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    listed = isinstance(parent, exp.Select) or (
        isinstance(parent, exp.Alias) and isinstance(parent.parent, exp.Select)
    )
    if listed or isinstance(parent, exp.Is):
        return
    if field.type == "VECTOR":
        if not (isinstance(parent, exp.Anonymous) and parent.name == "__VECTOR_DISTANCE"):
            raise embedding_output("an expression")
    elif field.type == "NODE_ID":
        _check_pseudo_use(field, parent)
    elif isinstance(parent, exp.Anonymous) and parent.name == "__VECTOR_DISTANCE":
        raise no_vector(field.name)


def _check_pseudo_use(field: Field, parent: exp.Expr | None) -> None:
    counted = isinstance(parent, exp.Distinct) or (
        isinstance(parent, exp.Anonymous) and parent.name in ("__COUNT", "__COUNT_BIG")
    )
    grouped = isinstance(parent, exp.Group | exp.Ordered | exp.Window)
    if isinstance(parent, exp.Ordered) and parent.parent is not None:
        # PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY x) returns values of x.
        grouped = not isinstance(parent.parent.parent, exp.WithinGroup)
    if not (counted or grouped or _joins_nodes(parent)):
        raise _pseudo_output(field)


def _joins_nodes(comparison: exp.Expr | None) -> bool:
    """Whether all sides are pseudo-columns; what a subquery returns is checked on its own."""
    if isinstance(comparison, exp.In):
        sides = [comparison.this.unnest(), *(each.unnest() for each in comparison.expressions)]
    elif isinstance(comparison, exp.EQ | exp.NEQ):
        sides = [comparison.this.unnest(), comparison.expression.unnest()]
    else:
        return False
    columns = [side for side in sides if isinstance(side, exp.Column)]
    others = (exp.Column, exp.Query, exp.Any, exp.All)
    return (
        bool(columns)
        and all(column.meta.get("type") == "NODE_ID" for column in columns)
        and all(isinstance(side, others) for side in sides)
    )


def _pseudo_output(field: Field) -> RefusalError:
    return RefusalError(
        "pseudo_column_output",
        f"{field.name} only joins tables ($from_id = $node_id); for values use the key columns.",
    )


def check_query_use(query: exp.Expr, fields: tuple[Field, ...]) -> None:
    """What a subquery in an expression returns is used as a column of that type may be."""
    holder = query.parent
    while isinstance(holder, exp.Subquery | exp.Paren):
        holder = holder.parent
    if isinstance(holder, exp.Exists):
        return
    if len(fields) != 1:
        raise RefusalError(
            "syntax", f"A subquery in an expression returns one column, and this one {len(fields)}."
        )
    compared = isinstance(holder, exp.Anonymous) and holder.name == "__VECTOR_DISTANCE"
    for field in fields:
        if field.type == "VECTOR" and not compared:
            raise embedding_output("an expression")
        if field.type != "VECTOR" and compared:
            raise no_vector(field.name or "what the subquery returns")
        comparison = holder.parent if isinstance(holder, exp.Any | exp.All) else holder
        if (field.type == "NODE_ID") != _joins_nodes(comparison):
            raise _pseudo_output(field)


def no_vector(what: str) -> RefusalError:
    """Return the refusal of an argument of VECTOR_DISTANCE that is no embedding."""
    return RefusalError(
        "wrong_arguments",
        f"VECTOR_DISTANCE compares embeddings; {what} is none. Its form is "
        "VECTOR_DISTANCE('cosine', t.Embedding, @q).",
    )


def shown(column: exp.Column) -> str:
    """Return a column as a message names it: m.Name, or Name where no alias is written."""
    return f"{column.table}.{column.name}" if column.table else column.name


def span(column: exp.Column) -> tuple[int, int] | None:
    """Return where a column stands in the text, if the parser kept it."""
    start, end = column.this.meta.get("start"), column.this.meta.get("end")
    return (start, end + 1) if start is not None and end is not None else None


def unknown_column(
    column: exp.Column, sources: list[Source], *, is_alias: bool = False
) -> RefusalError:
    """Return the refusal of a column that no source has, with the nearest ones.

    A lone $name is a parameter of Cypher or PostgreSQL, unless it is near a pseudo-column.
    """
    known = [field.name for source in sources for field in source.fields.values()]
    close = nearest(column.name, known)
    if column.name.startswith("$") and not column.table and not _is_pseudo(column.name, close):
        return RefusalError("unknown_variable", LITERALS, span(column))
    if is_alias:
        return RefusalError(
            "unknown_column",
            f"{column.name} is an alias of the select list, which T-SQL knows in ORDER BY only; "
            "repeat its expression here, or put the SELECT into a CTE.",
            span(column),
        )
    if not sources:
        return RefusalError(
            "unknown_column",
            f"There is no column {column.name}: the SELECT has no FROM. Write SELECT "
            f"{column.name} FROM a table; text stands in single quotes.",
            span(column),
        )
    guess = f"; did you mean {close[0]}?" if close else "."
    where = f" of {sources[0].alias}" if len(sources) == 1 else ""
    listed = ", ".join(dict.fromkeys(known)) or "none"
    return RefusalError(
        "unknown_column",
        f"There is no column {column.name}{where}{guess} Available: {listed}.{_joining(sources)}",
        span(column),
        close,
    )


def _is_pseudo(name: str, close: tuple[str, ...]) -> bool:
    """Whether a name with $ is meant for a pseudo-column, of the graph or of the server."""
    return name.lower() in SERVER_COLUMNS or "".join(close).startswith("$")


def _joining(sources: list[Source]) -> str:
    """Say how a source is joined that holds no columns of what it is joined with."""
    if len(sources) != 1:
        return ""
    alias = sources[0].alias
    if sources[0].kind == "edge":
        return f" An edge table holds no keys; it joins two tables in MATCH(a-({alias})->b)."
    if {"key", "rank"} == sources[0].fields.keys():
        return f" Join the searched table for its columns: JOIN Table AS x ON x.Id = {alias}.[KEY]."
    return ""


def check_outputs(select: exp.Select, fields: tuple[Field, ...], *, root: bool) -> None:
    """Neither vectors nor pseudo-columns leave in a result."""
    json = select.args.get("for_") is not None
    if json:
        check_names(select, fields)
    for field in fields:
        leaves = root or json or (select.args.get("distinct") and field.type == "VECTOR")
        if field.type == "VECTOR" and leaves:
            raise embedding_output("the select list")
        if field.type == "NODE_ID" and (root or json):
            raise RefusalError(
                "pseudo_column_output",
                f"{field.name} may join tables, but not stand in the result; "
                "select the key column instead.",
            )


def check_merged(column: list[Field]) -> None:
    """A pseudo-column may only meet pseudo-columns, or its values would pass for text."""
    kinds = {field.type for field in column} - {"UNKNOWN"}
    if "NODE_ID" in kinds and len(kinds) > 1:
        raise RefusalError(
            "pseudo_column_output",
            "A UNION, EXCEPT or INTERSECT cannot mix pseudo-columns with other columns; use the "
            "key columns.",
        )
