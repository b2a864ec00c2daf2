"""CTEs, subqueries in FROM and set operations as sources with named fields."""

from collections.abc import Iterable
from dataclasses import replace

from sqlglot import exp

from moviegraph.plural import plural
from moviegraph.sql.approximate import plain_count
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.kinds import merged_kind, plain
from moviegraph.sql.path_aggregates import carried, is_along_path
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.scope import Field, Scope, Source, typed
from moviegraph.sql.types import kind_of

MAX_ARMS = 40
MAX_COLUMNS = 200
MAX_BOUNDED = 20
WALKED = "For a path of any length write MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+))."
COUNTED = (
    "Numbers in a row are SELECT s.value FROM GENERATE_SERIES(1990, 2000) AS s; for dates add them "
    "with DATEADD."
)


def arms(query: exp.SetOperation) -> list[exp.Expr]:
    """Return the operands from left to right, without recursion."""
    stack: list[exp.Expr] = [query.expression, query.this]
    found: list[exp.Expr] = []
    while stack:
        node = stack.pop()
        inner = node.unnest() if isinstance(node, exp.Subquery) else node
        if isinstance(inner, exp.SetOperation) and not any(
            inner.args.get(name) for name in ("order", "limit", "offset", "with_")
        ):
            stack += [inner.expression, inner.this]
        else:
            found.append(inner)
    if len(found) > MAX_ARMS:
        raise RefusalError("too_large", f"At most {MAX_ARMS} queries can be united.")
    return found


def merged(fields: list[Field]) -> Field:
    """Return the field of one column of a set operation; lineage survives where all arms agree."""
    first = fields[0]
    same = all((f.table, f.column) == (first.table, first.column) for f in fields)
    kind = merged_kind([f.kind or plain(f.type) for f in fields])
    table, column = (first.table, first.column) if same else (None, None)
    return Field(first.name, kind.family, table, column, kind)


def _name_outputs(query: exp.Expr) -> None:
    """Write the names of bare columns out, because the generator does so in derived tables."""
    selects = [query] if isinstance(query, exp.Select) else []
    if isinstance(query, exp.SetOperation):
        selects = [arm for arm in arms(query) if isinstance(arm, exp.Select)]
    for select in selects:
        items = [
            exp.alias_(item.copy(), item.name, quoted=True)
            if isinstance(item, exp.Column) and not item.name.startswith("$")
            else item
            for item in select.expressions
        ]
        select.set("expressions", items)


def derived(
    name: str, alias: exp.Expr | None, fields: tuple[Field, ...], query: exp.Expr
) -> Source:
    """Return a CTE or subquery as a source, its columns renamed by the alias if it lists any."""
    columns = alias.columns if isinstance(alias, exp.TableAlias) else []
    _name_outputs(query)
    if columns:
        if len(columns) != len(fields):
            raise RefusalError(
                "syntax",
                f"{name} lists {plural(len(columns), 'column')}, but its query has {len(fields)}.",
            )
        fields = tuple(
            replace(field, name=column.name) for column, field in zip(columns, fields, strict=True)
        )
    source = source_of(name, list(fields), bounded=_is_bounded(query))
    source.held = is_held(query)
    return source


def value_fields(names: list[str], rows: list[list[exp.Expr]]) -> list[Field]:
    """Return the columns of VALUES; each has the type of highest precedence among its cells."""
    columns = zip(*rows, strict=True)
    kinds = [merged_kind([kind_of(cell) for cell in cells]) for cells in columns]
    return [typed(name, kind) for name, kind in zip(names, kinds, strict=True)]


def source_of(alias: str, fields: list[Field], *, bounded: bool = False) -> Source:
    """Return a source of named fields. Raises RefusalError for a nameless or doubled one."""
    by_name: dict[str, Field] = {}
    for field in fields:
        if field.name.startswith("$"):
            raise RefusalError(
                "syntax", f"Give {field.name} of {alias} a name of its own: {field.name} AS node."
            )
        if not field.name:
            raise RefusalError("syntax", f"Every column of {alias} needs a name: expression AS x.")
        if field.name.lower() in by_name:
            raise RefusalError("syntax", f"{alias} has two columns {field.name}; rename one.")
        by_name[field.name.lower()] = field
    return Source(alias, "derived", by_name, bounded=bounded)


def cte_source(item: exp.Table, source: Source | None) -> Source:
    """Return the source that a FROM item naming a CTE stands for."""
    if source is None:
        instead = COUNTED if _counts(item) else WALKED
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
        bounded=source.bounded,
        held=source.held,
    )


def _counts(item: exp.Table) -> bool:
    """Whether a CTE that reads itself begins without a table, and joins none."""
    select = item.find_ancestor(exp.Select)
    cte = item.find_ancestor(exp.CTE)
    while cte is not None and cte.alias.lower() != item.name.lower():
        cte = cte.find_ancestor(exp.CTE)
    first = cte.this.find(exp.Select) if cte is not None else None
    joined = select is not None and select.args.get("joins")
    return first is not None and first.args.get("from_") is None and not joined


def _is_bounded(query: exp.Expr) -> bool:
    """Whether a derived table is one aggregate row, cut to a handful by TOP, or made of such."""
    query = query.unnest()
    if isinstance(query, exp.SetOperation):
        return all(_is_bounded(arm) for arm in arms(query))
    if not isinstance(query, exp.Select):
        return False
    tiny = query.meta.get("extent") == "tiny"
    return tiny or _is_handful(query.args.get("limit")) or is_one_row(query)


def is_one_row(query: exp.Select) -> bool:
    """Whether a query returns one row at most: an aggregate without groups, or no FROM."""
    if query.args.get("group") is not None:
        return False
    if query.args.get("from_") is None:
        return True
    return any(_is_aggregate(item) for item in query.expressions)


def is_held(query: exp.Expr) -> bool:
    """Whether a derived table hangs on a literal, is grouped, or cut by TOP."""
    query = query.unnest()
    if isinstance(query, exp.SetOperation):
        return all(is_held(arm) for arm in arms(query))
    extent, limit = query.meta.get("extent"), query.args.get("limit")
    if extent or query.args.get("group") or query.args.get("distinct"):
        return True
    return isinstance(limit, exp.Limit) and not limit.args.get("limit_options")


def _is_handful(limit: exp.Expr | None) -> bool:
    plain = isinstance(limit, exp.Limit) and not limit.args.get("limit_options")
    number = plain_count(limit) if isinstance(limit, exp.Limit) and plain else None
    count = number.name if number is not None else ""
    return count.isdigit() and int(count) <= MAX_BOUNDED


def _is_aggregate(item: exp.Expr) -> bool:
    for node in item.walk(prune=lambda n: isinstance(n, exp.Window | exp.Select)):
        grouped = not isinstance(node.parent, exp.Window) and not is_along_path(node.parent)
        if isinstance(node, exp.Anonymous) and grouped:
            function = FUNCTIONS.get(node.name[2:])
            if function is not None and function.kind == "aggregate":
                return True
    return False


def expand_stars(select: exp.Select, scope: Scope) -> None:
    """Replace * and alias.* by the columns they stand for, without vectors and pseudo-columns."""
    if not select.expressions:
        raise RefusalError("syntax", "SELECT names no column; write what you want to see.")
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
        items += _visible_columns([scope.sources[alias]] if alias else scope.sources.values())
        if len(items) > MAX_COLUMNS:
            raise RefusalError(
                "too_large", f"A SELECT returns at most {MAX_COLUMNS} columns; name those you need."
            )
    if not items:
        raise RefusalError(
            "syntax",
            "This SELECT would return no column, for edge tables have none of their own; name "
            "columns of the node tables that they join.",
        )
    select.set("expressions", items)


def _visible_columns(sources: Iterable[Source]) -> list[exp.Expr]:
    return [
        exp.column(field.name, table=source.alias, quoted=True)
        for source in sources
        for field in source.visible
    ]


def root_aliases(tree: exp.Query) -> list[str | None]:
    """Return, for each output of a root SELECT, the FROM alias it carries a column of."""
    query = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    if not isinstance(query, exp.Select):
        arms = query.find(exp.Select)
        return [None] * len(arms.expressions) if arms else []
    found: list[str | None] = []
    for item in query.expressions:
        column = carried(item)
        found.append(column.meta.get("alias") if column is not None else None)
    return found
