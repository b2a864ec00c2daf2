"""Parameters of a published statement: their types, and where they may stand."""

from collections.abc import Mapping

from sqlglot import exp

from moviegraph.sql.decision import RefusalError
from moviegraph.sql.syntax_tree import SqlType, annotations, nodes

MAX_TEXT_CHARS = 200
QUERY = "q"
TYPES = {
    "int": SqlType("INT", 10),
    "bigint": SqlType("BIGINT", 19),
    "float": SqlType("FLOAT"),
    "date": SqlType("DATE"),
    "text": SqlType("NVARCHAR", size=MAX_TEXT_CHARS),
}
# A parameter stands in a comparison or a column, itself or computed. What a value could turn into
# text that is read (a pattern, a path, a condition) or into an amount (TOP, REPLICATE) is no such
# place, and neither is a column of a derived table, which could be used as one of these.
COMPARING = (
    *(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE),
    *(exp.In, exp.Between, exp.Ordered),
)
COMPUTING = (
    *(exp.Paren, exp.Neg, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod),
    *(exp.Case, exp.If, exp.Cast, exp.TryCast, exp.Alias),
)
FUNCTIONS = frozenset(
    f"__{name}"
    for name in """
    ABS AVG CEILING CHARINDEX COALESCE CONCAT DATEADD DATEDIFF DATENAME DATEPART DAY EOMONTH FLOOR
    GREATEST IIF ISNULL LEAST LEN LOWER LTRIM MAX MIN MONTH NULLIF POWER RTRIM SIGN SQRT SUM TRIM
    UPPER YEAR
    """.split()
)


def bind_parameters(tree: exp.Expr, types: Mapping[str, str]) -> dict[str, str]:
    """Give each parameter of the tree its type; return the declared types of those that occur.

    Raises RefusalError (code parameter_place). A name without a type is left to the grammar.
    """
    used: dict[str, str] = {}
    for node in nodes(tree):
        name = node.name.lower() if isinstance(node, exp.Parameter) else QUERY
        if name == QUERY or name not in types or not isinstance(node.this, exp.Var):
            continue
        node.this.set("this", name)
        _check_place(node, name)
        kind = annotations(node).sql_type = TYPES[types[name]]
        used[name] = f"{kind.name}({kind.size})" if kind.size else kind.name
    return used


def _check_place(node: exp.Expr, name: str) -> None:
    child, place = node, node.parent
    while isinstance(place, COMPUTING) or (
        isinstance(place, exp.Anonymous) and place.name in FUNCTIONS
    ):
        child, place = place, place.parent
    is_column = (
        isinstance(place, exp.Select) and child.arg_key == "expressions" and _is_result(place)
    )
    is_position = isinstance(place, exp.Ordered) and place.find(exp.Column) is None
    if is_position or not (is_column or isinstance(place, COMPARING)):
        raise RefusalError(
            "parameter_place",
            f"@{name} may only be compared (=, <, IN, BETWEEN ...) or be a column, itself or in "
            "arithmetic, CASE or a function such as ABS or CONCAT; not in TOP, LIKE, CONTAINS, a "
            "JSON path, or in a column of a subquery.",
        )


def _is_result(select: exp.Expr) -> bool:
    """Return whether a SELECT makes rows of the result, not of a subquery."""
    while isinstance(select.parent, exp.SetOperation):
        select = select.parent
    return select.parent is None
