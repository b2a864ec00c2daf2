"""Resolver: every table and column is looked up in the contract, scope by scope."""

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from moviegraph.contract.model import Contract
from moviegraph.names import closest_names
from moviegraph.sql.decision import DialectError, RefusalError
from moviegraph.sql.derived_tables import (
    branches,
    cte_source,
    derived_source,
    expand_stars,
    merge_fields,
    pivot_source,
    pivots_of,
    root_aliases,
    source_of,
    value_fields,
)
from moviegraph.sql.edge_ends import check_ends
from moviegraph.sql.grouping import check_groups, check_order, check_ordinal, union_order_refusal
from moviegraph.sql.joins import (
    PIVOTED_JOIN,
    check_connected,
    first_item,
    has_few_values,
    is_comma,
    joins_of,
)
from moviegraph.sql.match_checks import (
    bound_repetitions,
    carried_column,
    check_graph,
    check_path_aggregates,
    check_path_column,
    patterns_of,
    spell_out_counts,
)
from moviegraph.sql.match_patterns import GRAPH_PATH, Match
from moviegraph.sql.rowset_functions import (
    check_search,
    name_function,
    openjson_source,
    ranked_source,
    rows_source,
)
from moviegraph.sql.scope import (
    Scope,
    Source,
    add_source,
    annotate_column,
    base_source,
    check_merged,
    check_outputs,
    check_query_use,
    check_sizes,
    check_use,
    embedding_output,
    find_column,
    typed_field,
    unknown_table,
)
from moviegraph.sql.syntax_tree import Field, SqlType, annotations, nodes_above, nodes_of
from moviegraph.sql.types import MAX, UNKNOWN, sql_type

Ctes = Mapping[str, "Source | None"]
FOREIGN_SCHEMAS = ("sys", "information_schema", "master", "tempdb", "msdb")


class Resolver:
    """One statement against one contract; the tree is annotated in place."""

    def __init__(self, contract: Contract, matches: tuple[Match, ...]) -> None:
        self.contract = contract
        self.matches = matches
        self.notes: list[str] = []

    def resolve(self, tree: exp.Query) -> tuple[tuple[Field, ...], list[str | None]]:
        """Return the fields of the result and, for each, the root alias it came through.

        Raises RefusalError.
        """
        fields = self._query(tree, {}, None, root=True)
        return fields, root_aliases(tree)

    def _query(
        self, query: exp.Expr, ctes: Ctes, outer: Scope | None, *, root: bool = False
    ) -> tuple[Field, ...]:
        if isinstance(query, exp.Subquery):
            return self._query(query.this, ctes, outer, root=root)
        if isinstance(query, exp.SetOperation):
            return self._set_operation(query, ctes, outer, root=root)
        if isinstance(query, exp.Select):
            return self._select(query, ctes, outer, root=root)
        raise RefusalError("not_select", "A query is a SELECT here.")

    def _set_operation(
        self, query: exp.SetOperation, ctes: Ctes, outer: Scope | None, *, root: bool
    ) -> tuple[Field, ...]:
        ctes = self._ctes(query, ctes)
        parts = branches(query)
        if any(part.args.get("for_") is not None for part in parts):
            raise DialectError("FOR JSON takes one SELECT; wrap the UNION in a CTE.")
        results = [self._query(part, ctes, outer, root=root) for part in parts]
        first = results[0]
        if any(len(result) != len(first) for result in results):
            raise DialectError(
                "The queries of a UNION, EXCEPT or INTERSECT need equally many columns, and these "
                f"have {', '.join(str(len(result)) for result in results[:8])}."
            )
        vectors = ("VECTOR", "NODE_ID") if root else ("VECTOR",)
        if any(f.type in vectors for result in results for f in result):
            raise embedding_output("a set operation")
        columns = [[result[at] for result in results] for at in range(len(first))]
        for column in columns:
            check_merged(column)
        fields = tuple(merge_fields(column) for column in columns)
        self._order(query, fields, Scope(outer), ctes)
        return fields

    def _select(
        self, select: exp.Select, ctes: Ctes, outer: Scope | None, *, root: bool
    ) -> tuple[Field, ...]:
        ctes = self._ctes(select, ctes)
        scope = Scope(outer, aliases=_aliases(select))
        self._from(select, scope, ctes)
        expand_stars(select, scope)
        patterns = patterns_of(select, self.matches)
        check_graph(select, scope, self.contract, patterns)
        self.matches, notes = bound_repetitions(select, scope, self.contract, self.matches)
        self.notes += notes
        spell_out_counts(select, scope, self.contract, patterns)
        for name in ("expressions", "where", "group", "having"):
            for part in _parts(select, name):
                self._expression(part, scope, ctes)
        fields = tuple(self._field(item) for item in select.expressions)
        self._order(select, fields, scope, ctes)
        check_outputs(select, fields, root=root)
        if select.args.get("for_") is not None and not root:
            fields = (typed_field("", SqlType("NVARCHAR", size=MAX)),)
        check_path_aggregates(select, scope, patterns)
        check_groups(select)
        check_order(select)
        check_ends(select, self.contract)
        check_connected(select, scope, self.matches)
        return fields

    # FROM

    def _ctes(self, query: exp.Expr, ctes: Ctes) -> Ctes:
        clause = query.args.get("with_")
        if clause is None:
            return ctes
        visible = dict(ctes)
        for cte in clause.expressions:
            name = cte.alias
            if self.contract.node(name) or self.contract.edge(name):
                raise DialectError(f"{name} is a table; give the CTE another name.")
            if name.lower() in visible:
                raise DialectError(f"Two CTEs are called {name}; rename one.")
            visible[name.lower()] = None
            fields = self._query(cte.this, visible, None)
            visible[name.lower()] = derived_source(name, cte.args["alias"], fields, cte.this)
            _quote_alias(cte.args["alias"])
        return visible

    def _from(self, select: exp.Select, scope: Scope, ctes: Ctes) -> None:
        clause = select.args.get("from_")
        joins: list[exp.Join] = select.args.get("joins") or []
        if clause is None:
            if joins:
                raise DialectError("A JOIN needs a FROM.")
            return
        left = self._operand(clause.this, scope, ctes)
        for join in joins:
            left = self._join(join, left, scope, ctes)
        check_sizes(scope)

    def _operand(self, item: exp.Expr, scope: Scope, ctes: Ctes) -> set[str]:
        """Resolve one side of a join, a nested join as a whole; return the aliases in it."""
        before = set(scope.sources)
        first = first_item(item)
        if first is not item:
            self._operand(first, scope, ctes)
        else:
            self._source(item, scope, ctes)
        aliases = set(scope.sources) - before
        for join in joins_of(item):
            if is_comma(join):
                raise DialectError(
                    "Parentheses in FROM hold joins; list tables with commas outside of them: "
                    "FROM A AS a, B AS b."
                )
            aliases = self._join(join, aliases, scope, ctes)
        return aliases

    def _join(self, join: exp.Join, left: set[str], scope: Scope, ctes: Ctes) -> set[str]:
        """Resolve a join; ON sees its two sides only, and a comma begins a new join."""
        right = self._operand(join.this, scope, ctes)
        check_sizes(scope)
        on = join.args.get("on")
        if is_comma(join):
            return right
        both = left | right
        for alias in both:
            scope.sources[alias].joined = True
        if on is not None:
            self._expression(on, scope.only(both), ctes)
        elif join.this.args.get("pivots"):
            raise DialectError(PIVOTED_JOIN)
        return both

    def _source(self, item: exp.Expr, scope: Scope, ctes: Ctes) -> Source:
        if isinstance(item, exp.Table):
            source = self._table(item, scope, ctes)
        elif isinstance(item, exp.Subquery | exp.Values):
            source = self._derived_table(item, item, Scope(scope.outer), ctes)
        elif isinstance(item, exp.Lateral):
            source = self._apply(item, scope, ctes)
        else:
            raise DialectError("FROM lists tables, subqueries and table functions.")
        for pivot in pivots_of(item):
            source = pivot_source(source, pivot)
        add_source(scope, source)
        annotations(item).source = source.alias
        return source

    def _table(self, item: exp.Table, scope: Scope, ctes: Ctes) -> Source:
        alias = item.args.get("alias")
        if alias is not None:
            _quote_alias(alias)
        if isinstance(item.this, exp.Anonymous | exp.OpenJSON):
            name_function(item)
            # It sees no other source of its FROM, but those of the SELECT around.
            return self._table_function(item, Scope(scope.outer), ctes)
        if alias is not None and alias.columns:
            raise DialectError("A table alias does not accept a column list.")
        self._check_schema(item)
        name = item.name
        if item.args.get("db") is None and name.lower() in ctes:
            return cte_source(item, ctes[name.lower()])
        table = self.contract.node(name) or self.contract.edge(name)
        if table is None:
            raise unknown_table(name, self.contract)
        item.set("this", exp.to_identifier(table.name, quoted=True))
        item.set("db", exp.to_identifier(self.contract.schema_name, quoted=True))
        source = base_source(table, item.alias or table.name)
        source.path = item.args.get("version") is not None
        return source

    def _check_schema(self, item: exp.Table) -> None:
        schema = item.args.get("db")
        if schema is None:
            return
        if not isinstance(schema, exp.Identifier) or not schema.name:
            raise RefusalError("unknown_table", "A table name has an empty part.")
        if schema.name.lower() != self.contract.schema_name.lower():
            subject = (
                "The system tables" if schema.name.lower() in FOREIGN_SCHEMAS else "This schema"
            )
            raise RefusalError(
                "unknown_table",
                f"{subject} ({schema.name}) cannot be read; the tables are "
                f"{', '.join(self.contract.table_names)}, in the schema "
                f"{self.contract.schema_name}.",
                suggestions=closest_names(item.name, self.contract.table_names),
            )

    def _derived_table(
        self, item: exp.Expr, alias_node: exp.Expr, outer: Scope, ctes: Ctes
    ) -> Source:
        alias = alias_node.args.get("alias")
        if alias is None or not alias.name:
            raise DialectError("A subquery in FROM needs an alias: (SELECT ...) AS x.")
        _quote_alias(alias)
        query = item.this if isinstance(item, exp.Subquery) else item
        if isinstance(query, exp.Values):
            return self._values(query, alias, outer, ctes)
        fields = self._query(query, ctes, outer)
        return derived_source(alias.name, alias, fields, query)

    def _values(
        self, values: exp.Values, alias: exp.TableAlias, outer: Scope, ctes: Ctes
    ) -> Source:
        rows = [row.expressions for row in values.expressions]
        names = [column.name for column in alias.columns]
        if not names or any(len(row) != len(names) for row in rows):
            raise DialectError("VALUES needs an alias with one name a column.")
        for row in rows:
            for cell in row:
                self._expression(cell, outer, ctes)
        return source_of(alias.name, value_fields(names, rows), rows=len(rows))

    def _apply(self, item: exp.Lateral, scope: Scope, ctes: Ctes) -> Source:
        if isinstance(item.this, exp.Anonymous | exp.OpenJSON):
            name_function(item)
        alias = item.args.get("alias")
        if alias is None or not alias.name:
            raise DialectError("APPLY needs an alias: CROSS APPLY (SELECT ...) AS x.")
        scope.touched.clear()
        if isinstance(item.this, exp.Anonymous | exp.OpenJSON):
            _quote_alias(alias)
            source = self._table_function(item, scope, ctes)
        else:
            source = self._derived_table(item.this, item, scope, ctes)
        source.tied |= scope.touched
        return source

    def _table_function(self, item: exp.Expr, visible: Scope, ctes: Ctes) -> Source:
        """Return a function in FROM or under APPLY; its arguments resolve in `visible`."""
        call: exp.Expr = item.this
        alias = item.alias
        if item.args["alias"].columns:
            raise DialectError(f"The alias {alias} does not accept a column list here.")
        if isinstance(call, exp.OpenJSON):
            self._expression(call.this, visible, ctes, nested=True)
            return openjson_source(call, alias, correlated=bool(visible.touched))
        assert isinstance(call, exp.Anonymous)
        name = call.name[2:]
        if name in ("CONTAINSTABLE", "FREETEXTTABLE"):
            return ranked_source(call, alias, self.contract)
        for argument in call.expressions:
            self._expression(argument, visible, ctes, nested=True)
        return rows_source(call, alias, correlated=bool(visible.touched))

    # columns

    def _expression(
        self, node: exp.Expr, scope: Scope, ctes: Ctes, *, nested: bool = False
    ) -> None:
        columns: list[tuple[exp.Column, Field]] = []
        for inner in nodes_above(node, _is_query_or_text):
            if isinstance(inner, exp.Select | exp.SetOperation):
                check_query_use(inner, self._query(inner, ctes, scope))
            elif isinstance(inner, exp.Anonymous) and inner.name in ("__CONTAINS", "__FREETEXT"):
                check_search(inner, scope, self.contract)
            elif isinstance(inner, exp.Column) and inner.name == GRAPH_PATH:
                annotations(inner).sql_type = UNKNOWN
            elif isinstance(inner, exp.Column):
                source, field = find_column(inner, scope, self.contract, nested=nested)
                annotate_column(
                    inner, source, field, outer=source.alias.lower() not in scope.sources
                )
                if source.path:
                    check_path_column(inner, source)
                columns.append((inner, field))
        for column, field in columns:
            check_use(column, field)

    # outputs and order

    def _field(self, item: exp.Expr) -> Field:
        inner = item.this if isinstance(item, exp.Alias) else item
        name = item.alias if isinstance(item, exp.Alias) else ""
        carried = carried_column(item)
        if carried is not None:
            table, column = annotations(carried).lineage
            field = typed_field(name or inner.output_name, sql_type(inner), table, column)
            return replace(field, few_values=annotations(carried).few_values)
        return replace(typed_field(name, sql_type(inner)), few_values=has_few_values(inner))

    def _order(self, query: exp.Expr, fields: tuple[Field, ...], scope: Scope, ctes: Ctes) -> None:
        clause = query.args.get("order")
        if clause is None:
            return
        names = {field.name.lower(): field for field in fields if field.name}
        for item in clause.expressions:
            target = item.this
            source = names.get(target.name.lower()) if isinstance(target, exp.Column) else None
            if source is not None and isinstance(target, exp.Column) and not target.table:
                target.set("this", exp.to_identifier(source.name, quoted=source.name[0] != "$"))
                annotations(target).sql_type = source.sql_type
                if source.type == "VECTOR":
                    raise embedding_output("ORDER BY")
            elif isinstance(target, exp.Literal | exp.National):
                check_ordinal(target, fields)
            elif isinstance(query, exp.SetOperation):
                raise union_order_refusal(target)
            else:
                self._expression(target, scope, ctes)


def _is_query_or_text(node: exp.Expr) -> bool:
    if isinstance(node, exp.Anonymous):
        return node.name in ("__CONTAINS", "__FREETEXT", "__MATCH")
    return isinstance(node, exp.Select | exp.SetOperation | exp.Column)


def _aliases(select: exp.Select) -> frozenset[str]:
    return frozenset(
        item.alias.lower() for item in select.expressions if isinstance(item, exp.Alias)
    )


def _parts(select: exp.Select, name: str) -> list[exp.Expr]:
    parts = select.args.get(name)
    if isinstance(parts, exp.Expr):
        return [parts]
    nodes: list[exp.Expr] = parts or []
    return list(nodes)


def _quote_alias(alias: exp.Expr) -> None:
    for identifier in nodes_of(alias, exp.Identifier):
        identifier.set("quoted", True)
