"""Derived tables: CTEs, subqueries in FROM, set operations and PIVOT."""

import re
from dataclasses import replace

from sqlglot import exp

from moviegraph.contract.statement_limits import MAX_BRANCHES
from moviegraph.sql.decision import DialectError, RefusalError
from moviegraph.sql.functions import has_group_aggregate
from moviegraph.sql.match_checks import carried_column
from moviegraph.sql.scope import (
    Scope,
    Source,
    annotate_column,
    embedding_output,
    typed_field,
    unknown_column,
)
from moviegraph.sql.syntax_tree import Field, PivotSpec, annotations, whole_number
from moviegraph.sql.types import (
    NUMBERS,
    merge_types,
    sql_type,
)
from moviegraph.text import plural

MAX_COLUMNS = 200
MAX_BOUNDED = 20  # rows that may meet every row of a table
INSTEAD_OF_PATHS = "For a path of any length write MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+))."
INSTEAD_OF_NUMBERS = (
    "Numbers in a row are SELECT s.value FROM GENERATE_SERIES(1990, 2000) AS s; for dates add them "
    "with DATEADD."
)
PIVOT_AGGREGATES = frozenset("AVG COUNT COUNT_BIG MAX MIN STDEV STDEVP SUM VAR VARP".split())
NUMERIC_NAME = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)")
PIVOT_FORM = "PIVOT (SUM(x) FOR y IN ([a], [b])) AS p"


def branches(query: exp.SetOperation) -> list[exp.Expr]:
    """Return the operands from left to right, without recursion."""
    stack: list[exp.Expr] = [query.expression, query.this]
    operands: list[exp.Expr] = []
    while stack:
        node = stack.pop()
        inner = node.unnest() if isinstance(node, exp.Subquery) else node
        if isinstance(inner, exp.SetOperation) and not any(
            inner.args.get(name) for name in ("order", "limit", "offset", "with_")
        ):
            stack += [inner.expression, inner.this]
        else:
            operands.append(inner)
    if len(operands) > MAX_BRANCHES:
        raise RefusalError("too_large", f"At most {MAX_BRANCHES} queries can be united.")
    return operands


def merge_fields(fields: list[Field]) -> Field:
    """Return the field of one column of a set operation; equal lineage of all operands stays."""
    first = fields[0]
    same = all((f.table, f.column) == (first.table, first.column) for f in fields)
    kind = merge_types([f.sql_type for f in fields])
    table, column = (first.table, first.column) if same else (None, None)
    return Field(first.name, kind, table, column, all(f.few_values for f in fields))


def name_outputs(query: exp.Expr) -> None:
    """Write the names of bare columns out, because the generator does so in derived tables."""
    selects = [query] if isinstance(query, exp.Select) else []
    if isinstance(query, exp.SetOperation):
        selects = [operand for operand in branches(query) if isinstance(operand, exp.Select)]
    for select in selects:
        items = [
            exp.alias_(item.copy(), item.name, quoted=True)
            if isinstance(item, exp.Column) and not item.name.startswith("$")
            else item
            for item in select.expressions
        ]
        select.set("expressions", items)


def derived_source(
    name: str, alias: exp.Expr | None, fields: tuple[Field, ...], query: exp.Expr
) -> Source:
    """Return a CTE or subquery as a source, its columns renamed by the alias if it lists any."""
    columns = alias.columns if isinstance(alias, exp.TableAlias) else []
    name_outputs(query)
    if columns:
        if len(columns) != len(fields):
            raise DialectError(
                f"{name} lists {plural(len(columns), 'column')}, but its query has {len(fields)}."
            )
        fields = tuple(
            replace(field, name=column.name) for column, field in zip(columns, fields, strict=True)
        )
    source = source_of(name, list(fields), rows=_rows_of(query))
    source.narrowed = _is_narrowed(query)
    return source


def value_fields(names: list[str], rows: list[list[exp.Expr]]) -> list[Field]:
    """Return the columns of VALUES; each has the type of highest precedence among its cells."""
    columns = zip(*rows, strict=True)
    kinds = [merge_types([sql_type(cell) for cell in cells]) for cells in columns]
    return [typed_field(name, kind) for name, kind in zip(names, kinds, strict=True)]


def source_of(alias: str, fields: list[Field], *, rows: int | None = None) -> Source:
    """Return a source of named fields. Raises RefusalError for a nameless or doubled one."""
    by_name: dict[str, Field] = {}
    for field in fields:
        if field.name.startswith("$"):
            raise DialectError(
                f"Give {field.name} of {alias} a name of its own: {field.name} AS node."
            )
        if not field.name:
            raise DialectError(f"Every column of {alias} needs a name: expression AS x.")
        if field.name.lower() in by_name:
            raise DialectError(f"{alias} has two columns {field.name}; rename one.")
        by_name[field.name.lower()] = field
    return Source(alias, "derived", by_name, rows=rows)


def cte_source(item: exp.Table, source: Source | None) -> Source:
    """Return the source of a FROM item that names a CTE."""
    if source is None:
        instead = INSTEAD_OF_NUMBERS if _counts_numbers(item) else INSTEAD_OF_PATHS
        raise RefusalError(
            "recursive_cte",
            f"The CTE {item.name} reads itself; recursive CTEs are not run. {instead}",
        )
    if item.args.get("version") is not None:
        raise RefusalError("for_path", f"FOR PATH takes a table, and {item.name} is a CTE.")
    item.set("this", exp.to_identifier(source.alias, quoted=True))
    return Source(
        item.alias or source.alias,
        "derived",
        source.fields,
        rows=source.rows,
        narrowed=source.narrowed,
    )


def _counts_numbers(item: exp.Table) -> bool:
    """Whether a CTE that reads itself begins without a table, and joins none."""
    select = item.find_ancestor(exp.Select)
    cte = item.find_ancestor(exp.CTE)
    while cte is not None and cte.alias.lower() != item.name.lower():
        cte = cte.find_ancestor(exp.CTE)
    first = cte.this.find(exp.Select) if cte is not None else None
    joins = select is not None and select.args.get("joins")
    return first is not None and first.args.get("from_") is None and not joins


def _rows_of(query: exp.Expr) -> int | None:
    """Return how many rows a derived table has if they are few: aggregates, TOP 5, VALUES."""
    query = query.unnest()
    if isinstance(query, exp.SetOperation):
        counts = [_rows_of(operand) for operand in branches(query)]
        return None if None in counts else sum(filter(None, counts))
    if not isinstance(query, exp.Select):
        return None
    if is_one_row(query):
        return 1
    top, rows = _top(query), annotations(query).rows
    if top is None or top > MAX_BOUNDED:
        return rows
    return top if rows is None else min(top, rows)


def is_one_row(query: exp.Select) -> bool:
    """Whether a query returns one row at most: an aggregate without groups, or no FROM."""
    if query.args.get("group") is not None:
        return False
    if query.args.get("from_") is None:
        return True
    return any(map(has_group_aggregate, query.expressions))


def _is_narrowed(query: exp.Expr) -> bool:
    """Whether given values, a search, groups or TOP leave few rows of a derived table."""
    query = query.unnest()
    if isinstance(query, exp.SetOperation):
        return all(_is_narrowed(operand) for operand in branches(query))
    grouped = query.args.get("group") or query.args.get("distinct")
    return annotations(query).narrowed or bool(grouped) or _top(query) is not None


def _top(query: exp.Expr) -> int | None:
    """Return the number of a plain TOP; None without one, and for PERCENT and WITH TIES."""
    limit = query.args.get("limit")
    if not isinstance(limit, exp.Limit) or limit.args.get("limit_options"):
        return None
    return whole_number(limit.expression)


def expand_stars(select: exp.Select, scope: Scope) -> None:
    """Replace * and alias.* by their columns, without vectors and pseudo-columns."""
    if not select.expressions:
        raise DialectError("SELECT names no column; write what you want to see.")
    if isinstance(select.parent, exp.Exists) and isinstance(select.expressions[0], exp.Star):
        select.set("expressions", [exp.Literal.number(1)])
    items: list[exp.Expr] = []
    for item in select.expressions:
        star = item.this if isinstance(item, exp.Column) else item
        if not isinstance(star, exp.Star):
            items.append(item)
            continue
        alias = item.table.lower() if isinstance(item, exp.Column) else ""
        if alias and alias not in scope.sources:
            raise RefusalError(
                "unknown_alias",
                f"No table in FROM has the alias {item.table}.",
                suggestions=scope.names()[:5],
            )
        items += [
            exp.column(field.name, table=source.alias, quoted=True)
            for source in ([scope.sources[alias]] if alias else scope.sources.values())
            for field in source.visible
        ]
        if len(items) > MAX_COLUMNS:
            raise RefusalError(
                "too_large", f"A SELECT returns at most {MAX_COLUMNS} columns; name those you need."
            )
    if not items:
        raise DialectError(
            "This SELECT would return no column, for the edge tables in FROM have none; name "
            "columns of the node tables that they join."
        )
    select.set("expressions", items)


def root_aliases(tree: exp.Query) -> list[str | None]:
    """Return, for each output of a root SELECT, the FROM alias it carries a column of."""
    query = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    if not isinstance(query, exp.Select):
        first = query.find(exp.Select)
        return [None] * len(first.expressions) if first else []
    aliases: list[str | None] = []
    for item in query.expressions:
        column = carried_column(item)
        aliases.append(annotations(column).alias if column is not None else None)
    return aliases


def pivots_of(item: exp.Expr) -> list[exp.Pivot]:
    """Return the PIVOT clauses of an item of FROM."""
    pivots: list[exp.Pivot] = item.args.get("pivots") or []
    return pivots


def check_pivot(node: exp.Pivot) -> None:
    """Check the form of one PIVOT. Raises RefusalError."""
    if node.args.get("unpivot"):
        raise RefusalError(
            "unsupported",
            "UNPIVOT is not part of the dialect. Write CROSS APPLY (VALUES ('a', s.a), ('b', s.b)) "
            "AS u(Name, Value).",
        )
    alias = node.args.get("alias")
    fields: list[exp.Expr] = node.args.get("fields") or []
    if alias is None or not alias.name or alias.columns:
        raise DialectError(f"A PIVOT needs an alias, such as {PIVOT_FORM}.")
    has_list = len(fields) == 1 and isinstance(fields[0], exp.In)
    names: list[exp.Expr] = fields[0].expressions if has_list else []
    if not names or not all(isinstance(n, exp.Column) and not n.table for n in names):
        raise DialectError(
            f"The IN list names columns, in brackets, no values or subquery: {PIVOT_FORM}."
        )
    if len({name.name.lower() for name in names}) < len(names):
        raise DialectError("The IN list names a column twice; drop one.")
    if not _is_pivot((*node.expressions, fields[0].this)):
        raise DialectError(
            f"Its form is {PIVOT_FORM}, with one of {', '.join(sorted(PIVOT_AGGREGATES))} of one "
            "column."
        )


def _is_pivot(heads: tuple[exp.Expr, ...]) -> bool:
    if len(heads) != 2:
        return False
    call, key = heads
    if not isinstance(call, exp.Anonymous) or call.name[2:] not in PIVOT_AGGREGATES:
        return False
    columns = [*call.expressions, key]
    return len(columns) == 2 and all(
        isinstance(argument, exp.Column) and isinstance(argument.this, exp.Identifier)
        for argument in columns
    )


def pivot_source(source: Source, pivot: exp.Pivot) -> Source:
    """Return what a PIVOT makes of a source. Raises RefusalError."""
    call, condition = pivot.expressions[0], pivot.args["fields"][0]
    value = _pivot_column(call.expressions[0], source)
    key = _pivot_column(condition.this, source)
    _check_value(value, counted=call.name[2:].startswith("COUNT"))
    _check_value(key, counted=False)
    unchanged = [f for f in source.fields.values() if f not in (value, key)]
    if any(f.type == "VECTOR" for f in unchanged):
        raise RefusalError(
            "embedding_output",
            "PIVOT groups by every other column, also by the embedding; pivot a derived table of "
            "the columns you need: FROM (SELECT Id, ... ) AS s PIVOT (...) AS p.",
        )
    result = sql_type(call)
    spread = [typed_field(column.name, result) for column in condition.expressions]
    for column in condition.expressions:
        _check_converts(column.name, key)
        annotations(column).sql_type = result
    alias = str(pivot.args["alias"].name)
    rows = source.rows if unchanged else 1
    rotated = source_of(alias, [*unchanged, *spread], rows=rows)
    annotations(pivot).pivot = PivotSpec(
        source.alias,
        tuple(unchanged),
        tuple(spread),
        value,
        key,
        call.name[2:],
    )
    return rotated


def _pivot_column(column: exp.Column, source: Source) -> Field:
    """Return the field that a column of a PIVOT names; the alias of the source falls away."""
    field = source.fields.get(column.name.lower())
    if field is None or (column.table and column.table.lower() != source.alias.lower()):
        raise unknown_column(column, [source])
    column.set("table", None)
    annotate_column(column, source, field)
    return field


def _check_value(field: Field, *, counted: bool) -> None:
    if field.type == "VECTOR":
        raise embedding_output("a PIVOT")
    if field.type == "NODE_ID" and not counted:
        raise RefusalError(
            "pseudo_column_output",
            f"{field.name} may be counted in a PIVOT, but not spread; use the key column.",
        )


def _check_converts(name: str, key: Field) -> None:
    if key.type in NUMBERS and not NUMERIC_NAME.fullmatch(name.strip()):
        raise RefusalError(
            "wrong_arguments",
            f"[{name}] is not a value of {key.name}, which is {key.type}; the IN list of a PIVOT "
            "names values of the column after FOR.",
        )
