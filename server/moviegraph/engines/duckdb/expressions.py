"""Constructors of the DuckDB nodes that translations are made of."""

from sqlglot import ErrorLevel, exp
from sqlglot.dialects.duckdb import DuckDB

from moviegraph.engines.duckdb.plan import CATALOG, MACRO_PREFIX, NodesNeed
from moviegraph.errors import ExecutionError

Node = exp.Expr
ATOMS = (
    exp.Literal,
    exp.Column,
    exp.Anonymous,
    exp.Cast,
    exp.TryCast,
    exp.Paren,
    exp.Subquery,
    exp.Case,
    exp.Null,
    exp.Var,
)


def call(name: str, *arguments: Node) -> exp.Anonymous:
    """Return a function call."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def macro(name: str, *arguments: Node) -> exp.Anonymous:
    """Return a call of one of the macros in `macros.sql`."""
    return call(MACRO_PREFIX + name, *arguments)


def number(value: float | str) -> exp.Literal:
    """Return a number."""
    return exp.Literal(this=str(value), is_string=False)


def text(value: str) -> exp.Literal:
    """Return a string."""
    return exp.Literal(this=value, is_string=True)


def cast(node: Node, kind: str, *sizes: int) -> exp.Cast:
    """Return a cast to a DuckDB type."""
    return exp.Cast(this=node, to=data_type(kind, *sizes))


def try_cast(node: Node, kind: str, *sizes: int) -> exp.TryCast:
    """Return a cast that returns NULL on failure."""
    return exp.TryCast(this=node, to=data_type(kind, *sizes))


def data_type(kind: str, *sizes: int) -> exp.DataType:
    """Return a DuckDB type."""
    parameters = [exp.DataTypeParam(this=number(size)) for size in sizes]
    return exp.DataType(this=exp.DataType.Type[kind], expressions=parameters, nested=False)


def binary(kind: type[exp.Binary], left: Node, right: Node) -> exp.Binary:
    """Return an operation, its operands in parentheses where they need them."""
    return kind(this=enclose(left), expression=enclose(right))


def enclose(node: Node) -> Node:
    """Return the node in parentheses, unless it is an atom."""
    return node if isinstance(node, ATOMS) else exp.Paren(this=node)


def when(condition: Node, value: Node, otherwise: Node | None = None) -> exp.Case:
    """Return CASE WHEN condition THEN value ELSE otherwise END (without ELSE: NULL)."""
    return exp.Case(ifs=[exp.If(this=condition, true=value)], default=otherwise)


def unless_null(value: Node, result: Node) -> exp.Case:
    """Return a node where a value is not NULL; DuckDB's greatest, least and concat skip NULL."""
    return when(exp.Not(this=is_null(enclose(value))), result)


def concat(left: Node, right: Node) -> exp.DPipe:
    """Return left || right, NULL when either is."""
    return exp.DPipe(this=enclose(left), expression=enclose(right), safe=False)


def column(alias: str | None, name: str) -> exp.Column:
    """Return a column of an alias."""
    return exp.Column(this=identifier(name), table=identifier(alias) if alias else None)


def identifier(name: str) -> exp.Identifier:
    """Return a quoted name."""
    return exp.Identifier(this=name, quoted=True)


def table_alias(name: str, *columns: str) -> exp.TableAlias:
    """Return the alias of a table, with names for its columns if any are listed."""
    return exp.TableAlias(this=identifier(name), columns=[identifier(column) for column in columns])


def is_null(node: Node) -> exp.Is:
    """Return node IS NULL."""
    return exp.Is(this=node, expression=exp.Null())


def table(name: str, alias: str | None = None) -> exp.Table:
    """Return a side table or CTE in FROM."""
    return exp.Table(this=identifier(name), alias=table_alias(alias) if alias else None)


def stored_table(name: str, alias: str) -> exp.Table:
    """Return a table of the graph in FROM."""
    stored = table(name, alias)
    stored.set("db", identifier("main"))
    stored.set("catalog", identifier(CATALOG))
    return stored


def error_call(failure: str) -> exp.Anonymous:
    """Return a call that fails at run time with one of the codes in `errors.toml`."""
    return macro("fail", text(failure))


def duckdb_text(tree: Node) -> str:
    """Return a translated tree as DuckDB text. Raises SqlglotError."""
    return DuckDB().generate(
        tree, identify=True, unsupported_level=ErrorLevel.RAISE, comments=False
    )


def nodes_need(query: exp.Select) -> NodesNeed:
    """Return a translated query as a need, with the parameters that it uses."""
    names = {variable.name.partition(":")[0] for variable in query.find_all(exp.Var)}
    return NodesNeed(duckdb_text(query), "$q" in names)


def unsupported(construct: str, hint: str | None = None) -> ExecutionError:
    """Return the error for what this engine cannot reproduce."""
    return ExecutionError(
        f"The embedded engine has no {construct}.", code="unsupported_by_engine", hint=hint
    )


def nested_too_deeply(construct: str, hint: str) -> ExecutionError:
    """Return the error for a statement that cannot be translated within bounds."""
    return ExecutionError(
        f"The {construct} of this statement are nested too deeply.", code="too_complex", hint=hint
    )
