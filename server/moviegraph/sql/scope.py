"""Scopes, their sources and fields; lookup of columns, and where a column may be used."""

import dataclasses
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from moviegraph.contract.model import (
    EDGE_PSEUDO_COLUMNS,
    NODE_PSEUDO_COLUMNS,
    Contract,
    EdgeTable,
    NodeTable,
)
from moviegraph.contract.statement_limits import MAX_DERIVED, MAX_ON_PATHS, MAX_SOURCES
from moviegraph.names import closest_names
from moviegraph.sql.decision import DialectError, RefusalError
from moviegraph.sql.lexer import LITERALS
from moviegraph.sql.syntax_tree import Field, SqlType, annotations
from moviegraph.sql.types import declared_type, settle

SourceKind = Literal["node", "edge", "derived"]
NODE_ID = SqlType("NODE_ID")
SERVER_COLUMNS = frozenset({"$action", "$identity", "$partition", "$rowguid"})


@dataclass(slots=True)
class Source:
    """One item of a FROM.

    Attributes:
        alias: The name that columns use.
        fields: Fields by lower-case name.
        table: The contract table, for a base table.
        rows: How many rows it has, where they are few by construction; else None.
        narrowed: Whether a given value, a search, GROUP BY or TOP leaves few rows of a table.
        joined: Whether it takes part in JOIN or APPLY, rather than being listed between commas.
        tied: Aliases of the same FROM that a correlated APPLY refers to.
        path: Whether it is FOR PATH: the rows that a path passes, in their order.
    """

    alias: str
    kind: SourceKind
    fields: dict[str, Field]
    table: str | None = None
    rows: int | None = None
    narrowed: bool = False
    joined: bool = False
    tied: set[str] = dataclasses.field(default_factory=set[str])
    path: bool = False

    @property
    def visible(self) -> list[Field]:
        """The fields that `*` selects."""
        return [f for f in self.fields.values() if f.type not in ("VECTOR", "NODE_ID")]


@dataclass(slots=True)
class Scope:
    """The sources of one SELECT, the scope around it, and the aliases of its select list."""

    outer: "Scope | None" = None
    sources: dict[str, Source] = dataclasses.field(default_factory=dict[str, Source])
    touched: set[str] = dataclasses.field(default_factory=set[str])
    aliases: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()

    def names(self) -> tuple[str, ...]:
        """Return the aliases visible here, inner ones first."""
        names: list[str] = []
        scope: Scope | None = self
        while scope is not None:
            names.extend(source.alias for source in scope.sources.values())
            scope = scope.outer
        return tuple(names)

    def only(self, aliases: set[str]) -> "Scope":
        """Return the scope in which just some of the sources are visible."""
        visible = {key: source for key, source in self.sources.items() if key in aliases}
        hidden = frozenset(self.sources) - frozenset(visible)
        return Scope(self.outer, visible, self.touched, self.aliases, hidden)


def base_source(table: NodeTable | EdgeTable, alias: str) -> Source:
    """Return a contract table as a source."""
    is_node = isinstance(table, NodeTable)
    kind: SourceKind = "node" if is_node else "edge"
    pseudo = NODE_PSEUDO_COLUMNS if is_node else EDGE_PSEUDO_COLUMNS
    fields = [
        Field(c.name, declared_type(c.column_type), table.name, c.name) for c in table.columns
    ]
    fields += [Field(name, NODE_ID, table.name, name) for name in pseudo]
    return Source(alias, kind, {field.name.lower(): field for field in fields}, table.name)


def typed_field(
    name: str, kind: SqlType, table: str | None = None, column: str | None = None
) -> Field:
    """Return a field of the type that a value has outside of arithmetic."""
    return Field(name, settle(kind), table, column)


def add_source(scope: Scope, source: Source) -> None:
    """Add an item of the FROM. Raises RefusalError where its alias is taken."""
    key = source.alias.lower()
    if key in scope.sources:
        raise DialectError(f"Two items of FROM have the alias {source.alias}; rename one.")
    scope.sources[key] = source


def check_sizes(scope: Scope) -> None:
    """Refuse a FROM of too many tables. Raises RefusalError."""
    sources = scope.sources.values()
    nested = sum(source.kind == "derived" for source in sources)
    on_paths = sum(source.path for source in sources)
    if len(sources) - on_paths > MAX_SOURCES or nested > MAX_DERIVED:
        raise RefusalError(
            "too_large",
            f"One FROM holds at most {MAX_SOURCES} tables, {MAX_DERIVED} of them "
            "derived; run the statement in steps.",
        )
    if on_paths > MAX_ON_PATHS:
        raise RefusalError(
            "too_large",
            f"One FROM holds at most {MAX_ON_PATHS} tables FOR PATH; run the statement in steps.",
        )


def embedding_output(construct: str) -> RefusalError:
    """Return the refusal of a vector that would leave."""
    return RefusalError(
        "embedding_output",
        f"An embedding is not allowed in {construct}; it is only compared, as in "
        "VECTOR_DISTANCE('cosine', t.Embedding, @q), or tested for NULL.",
    )


def annotate_column(
    column: exp.Column, source: Source, field: Field, *, outer: bool = False
) -> None:
    """Write canonical names into a column, and what it is into its meta."""
    column.set("this", exp.to_identifier(field.name, quoted=not field.name.startswith("$")))
    if column.table:
        column.set("table", exp.to_identifier(source.alias, quoted=True))
    notes = annotations(column)
    notes.sql_type, notes.lineage, notes.outer = field.sql_type, (field.table, field.column), outer
    notes.table, notes.alias = source.table or "", source.alias
    notes.few_values = field.few_values


def check_use(column: exp.Column, field: Field) -> None:
    """Vectors are compared, pseudo-columns join; neither is computed with."""
    parent = column.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    is_output = isinstance(parent, exp.Select) or (
        isinstance(parent, exp.Alias) and isinstance(parent.parent, exp.Select)
    )
    if is_output or isinstance(parent, exp.Is):
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
        operands = [comparison.this.unnest(), *(item.unnest() for item in comparison.expressions)]
    elif isinstance(comparison, exp.EQ | exp.NEQ):
        operands = [comparison.this.unnest(), comparison.expression.unnest()]
    else:
        return False
    columns = [side for side in operands if isinstance(side, exp.Column)]
    others = (exp.Column, exp.Query, exp.Any, exp.All)
    return (
        bool(columns)
        and all(annotations(column).type == "NODE_ID" for column in columns)
        and all(isinstance(side, others) for side in operands)
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
        raise DialectError(
            f"A subquery in an expression returns one column, and this one {len(fields)}."
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


def no_vector(construct: str) -> RefusalError:
    """Return the refusal of an argument of VECTOR_DISTANCE that is no embedding."""
    return RefusalError(
        "wrong_arguments",
        f"VECTOR_DISTANCE compares embeddings; {construct} is none. Its form is "
        "VECTOR_DISTANCE('cosine', t.Embedding, @q).",
    )


def column_text(column: exp.Column) -> str:
    """Return a column as a message names it: m.Name, or Name where no alias is written."""
    return f"{column.table}.{column.name}" if column.table else column.name


def column_span(column: exp.Column) -> tuple[int, int] | None:
    """Return the span of a column in the text, if the parser recorded it."""
    start, end = column.this.meta.get("start"), column.this.meta.get("end")
    return (start, end + 1) if start is not None and end is not None else None


def unknown_column(
    column: exp.Column, sources: list[Source], *, is_alias: bool = False
) -> RefusalError:
    """Return the refusal of a column that no source has, with the nearest ones.

    A lone $name is a parameter of Cypher or PostgreSQL, unless it is near a pseudo-column.
    """
    column_names = [field.name for source in sources for field in source.fields.values()]
    close = _sort_key(column) or closest_names(column.name, column_names)
    if column.name.startswith("$") and not column.table and not _is_pseudo(column.name, close):
        return RefusalError("unknown_variable", LITERALS, column_span(column))
    if is_alias:
        in_order = isinstance(column.find_ancestor(exp.Order, exp.Select), exp.Order)
        place = "only alone in ORDER BY, not in an expression" if in_order else "only in ORDER BY"
        return RefusalError(
            "unknown_column",
            f"{column.name} is an alias of the select list, which T-SQL allows {place}; repeat its "
            "expression here, or put the SELECT into a CTE.",
            column_span(column),
        )
    if not sources:
        return RefusalError(
            "unknown_column",
            f"There is no column {column.name}: the SELECT has no FROM. Write SELECT "
            f"{column.name} FROM a table; write text in single quotes.",
            column_span(column),
        )
    guess = f"; did you mean {close[0]}?" if close else "."
    where = f" of {sources[0].alias}" if len(sources) == 1 else ""
    available = ", ".join(dict.fromkeys(column_names)) or "none"
    return RefusalError(
        "unknown_column",
        f"There is no column {column.name}{where}{guess} Available: {available}."
        f"{_joining(sources)}",
        column_span(column),
        close,
    )


def _sort_key(column: exp.Column) -> tuple[str, ...]:
    """Return the item of the select list that a sort key names by its function, or nearly by alias.

    `ORDER BY count` means the alias of a COUNT(*), or the COUNT(*) itself.
    """
    select = column.find_ancestor(exp.Select)
    if column.table or select is None or not isinstance(column.parent, exp.Ordered):
        return ()
    name = f"__{column.name.upper()}"
    for item in select.expressions:
        call = item.unalias()
        if isinstance(call, exp.Anonymous) and call.name == name:
            return (item.alias or call.sql("tsql").replace("__", ""),)
    return closest_names(column.name, [item.alias for item in select.expressions if item.alias])


def _is_pseudo(name: str, close: tuple[str, ...]) -> bool:
    """Whether a name with $ is meant for a pseudo-column, of the graph or of the server."""
    return name.lower() in SERVER_COLUMNS or "".join(close).startswith("$")


def _joining(sources: list[Source]) -> str:
    """Return how to join a source that has no columns of the tables it joins."""
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
                f"{field.name} may join tables, but not be returned; "
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


def find_column(
    column: exp.Column, scope: Scope, contract: Contract, *, nested: bool = False
) -> tuple[Source, Field]:
    """Return the source and field that a column names. Raises RefusalError."""
    if isinstance(column.this, exp.Star):
        raise DialectError("A * is allowed only in the select list and in COUNT(*).")
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
    """Return which edge joins two tables, for a foreign key such as GenreId that no table has."""
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
            edge_names = " or ".join(dict.fromkeys(item.name for item in alike))
            return (
                f"No table holds keys of another: {edge.from_table} and {edge.to_table} are joined "
                f"by the edge table {edge_names}, as in FROM {edge.from_table} AS a, {edge.name} "
                f"AS e, {edge.to_table} AS b WHERE MATCH(a-(e)->b)."
            )
    return ""


def _owner(column: exp.Column, scope: Scope, *, nested: bool) -> Source:
    level: Scope | None = scope
    while level is not None:
        if column.table:
            owners = [s for s in level.sources.values() if s.alias.lower() == column.table.lower()]
        else:
            owners = [s for s in level.sources.values() if column.name.lower() in s.fields]
        if len(owners) > 1:
            columns = " or ".join(f"{s.alias}.{column.name}" for s in owners)
            raise RefusalError(
                "ambiguous_column",
                f"{column.name} is a column of several tables; write {columns}.",
                suggestions=tuple(f"{s.alias}.{column.name}" for s in owners),
            )
        if owners:
            if level is not scope or nested:
                level.touched.add(owners[0].alias.lower())
            return owners[0]
        level = level.outer
    raise _unresolved(column, scope)


def _unresolved(column: exp.Column, scope: Scope) -> RefusalError:
    if not column.table:
        is_alias = column.name.lower() in scope.aliases
        return unknown_column(column, list(scope.sources.values()), is_alias=is_alias)
    alias = column.table.lower()
    if alias in scope.hidden:
        return RefusalError(
            "unknown_alias",
            f"This ON cannot see {column.table}: it knows the tables of its own JOIN only, none "
            "before a comma or outside its parentheses. Move the condition to WHERE.",
            column_span(column),
        )
    same = [s.alias for s in scope.sources.values() if (s.table or "").lower() == alias]
    close = (*same, *closest_names(column.table, scope.names(), 2))[:2]
    guess = f"; did you mean {close[0]}?" if close else "."
    names = ", ".join(scope.names()) or "none"
    return RefusalError(
        "unknown_alias",
        f"No table in FROM has the alias {column.table}{guess} Aliases here: {names}.",
        column_span(column),
        close,
    )


def field_of(source: Source, column: exp.Column) -> Field:
    """Return the field of one source. Raises RefusalError."""
    field = source.fields.get(column.name.lower())
    if field is None:
        raise unknown_column(column, [source])
    return field


def unknown_table(name: str, contract: Contract) -> RefusalError:
    """Return the refusal of a table that the contract does not have, with the nearest ones."""
    close = closest_names(name, contract.table_names)
    guess = f"; did you mean {close[0]}?" if close else "."
    return RefusalError(
        "unknown_table",
        f"There is no table {name}{guess} The tables are {', '.join(contract.table_names)}.",
        suggestions=close,
    )


def check_option(node: exp.QueryOption) -> None:
    """Refuse what is no option of FOR JSON."""
    if node.find_ancestor(exp.ForClause) is None:
        raise RefusalError("not_allowed", "Query hints are not allowed.")
    value = node.this
    if isinstance(value, exp.XMLKeyValueOption):
        name = value.name.upper()
        literal = value.expression
        if name != "ROOT" or not (literal is None or isinstance(literal, exp.Literal)):
            raise RefusalError("not_allowed", f"{name} is not an option of FOR JSON.")
        return
    name = value.name.upper() if isinstance(value, exp.Expr) else str(value).upper()
    if name not in ("PATH", "AUTO", "INCLUDE_NULL_VALUES", "WITHOUT_ARRAY_WRAPPER", "ROOT"):
        raise RefusalError(
            "not_allowed",
            f"FOR JSON {name} is not part of the dialect; write FOR JSON PATH or AUTO, with "
            "ROOT('x'), INCLUDE_NULL_VALUES or WITHOUT_ARRAY_WRAPPER.",
        )


def check_for(node: exp.ForClause) -> None:
    """Refuse another clause than FOR JSON, and options that exclude one another."""
    if str(node.args.get("kind", "")).upper() != "JSON":
        raise RefusalError("unsupported", "Only FOR JSON is part of the dialect; use STRING_AGG.")
    words = option_words(node)
    if "ROOT" in words and "WITHOUT_ARRAY_WRAPPER" in words:
        raise DialectError("FOR JSON takes ROOT or WITHOUT_ARRAY_WRAPPER, not both.")
    if "PATH" not in words and "AUTO" not in words:
        raise DialectError("FOR JSON is followed by PATH or AUTO.")
    select = node.parent
    if "AUTO" in words and isinstance(select, exp.Select) and select.args.get("from_") is None:
        raise DialectError("FOR JSON AUTO needs a FROM; write FOR JSON PATH.")


def option_words(node: exp.ForClause) -> frozenset[str]:
    """Return the options of a clause, in upper case."""
    return frozenset(_word(option.this) for option in node.expressions)


def _word(option: exp.Expr) -> str:
    name = option.this if isinstance(option, exp.XMLKeyValueOption) else option
    return str(name.name).upper()


def check_names(select: exp.Select, fields: tuple[Field, ...]) -> None:
    """Refuse a column of FOR JSON without a name, and two that would be one property.

    AUTO writes the columns of each table into an object of their own.
    """
    auto = "AUTO" in option_words(select.args["for_"])
    names: set[tuple[str, str]] = set()
    for item, field in zip(select.expressions, fields, strict=True):
        if not field.name:
            raise DialectError("Every column of FOR JSON needs a name: expression AS x.")
        key = (json_level(item) if auto else "", field.name)
        if key in names:
            raise DialectError(f"FOR JSON would write two properties {field.name}; rename one.")
        names.add(key)


def json_level(item: exp.Expr) -> str:
    """Return the alias whose object AUTO writes a column into; empty for a computed one."""
    inner = item.unalias()
    return annotations(inner).alias if isinstance(inner, exp.Column) else ""
