"""The T-SQL type of an expression, as far as the engines need it."""

from sqlglot import exp

from moviegraph.sql.functions import FUNCTIONS

NUMBERS = ("BIT", "INT", "BIGINT", "DECIMAL", "FLOAT")
BY_SQLGLOT = {
    "TINYINT": "INT",
    "UTINYINT": "INT",
    "SMALLINT": "INT",
    "INT": "INT",
    "BIGINT": "BIGINT",
    "BIT": "BIT",
    "BOOLEAN": "BIT",
    "DECIMAL": "DECIMAL",
    "MONEY": "DECIMAL",
    "SMALLMONEY": "DECIMAL",
    "FLOAT": "FLOAT",
    "DOUBLE": "FLOAT",
    "CHAR": "NVARCHAR",
    "VARCHAR": "NVARCHAR",
    "NCHAR": "NVARCHAR",
    "NVARCHAR": "NVARCHAR",
    "DATE": "DATE",
    "DATETIME": "DATETIME",
    "DATETIME2": "DATETIME",
    "SMALLDATETIME": "DATETIME",
    "TIMESTAMPTZ": "DATETIMEOFFSET",
    "TIME": "TIME",
}
ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)


def type_of(node: exp.Expr) -> str:
    """Return the type of a resolved expression, or UNKNOWN."""
    if isinstance(node, exp.Column):
        return str(node.meta.get("type", "UNKNOWN"))
    if isinstance(node, exp.Literal):
        return _literal(node)
    if isinstance(node, exp.National | exp.Collate):
        return "NVARCHAR"
    if isinstance(node, exp.Cast | exp.TryCast | exp.Convert):
        return _cast(node)
    if isinstance(node, exp.Anonymous):
        return _function(node)
    if isinstance(node, exp.Alias | exp.Paren | exp.Neg | exp.Window | exp.WithinGroup):
        return type_of(node.this)
    if isinstance(node, exp.Subquery):
        return _subquery(node)
    if isinstance(node, exp.Case):
        results = [branch.args["true"] for branch in node.args["ifs"]]
        return common([type_of(each) for each in [*results, node.args.get("default")] if each])
    return _operator(node)


def _operator(node: exp.Expr) -> str:
    if isinstance(node, ARITHMETIC):
        return common([type_of(each) for each in _operands(node)])
    if isinstance(node, exp.BitwiseAnd | exp.BitwiseOr | exp.BitwiseXor | exp.BitwiseNot):
        return "INT"
    return "UNKNOWN"


def _operands(node: exp.Expr) -> list[exp.Expr]:
    """Return the ends of a chain of arithmetic, without recursion."""
    stack, found = [node], list[exp.Expr]()
    while stack:
        here = stack.pop()
        if isinstance(here, ARITHMETIC):
            stack += [here.expression, here.this]
        else:
            found.append(here)
    return found


def common(types: list[str]) -> str:
    """Return the type of the highest precedence; UNKNOWN (such as NULL) gives way."""
    known = [each for each in types if each != "UNKNOWN"]
    if not known:
        return "UNKNOWN"
    for name in ("DATETIMEOFFSET", "DATETIME", "DATE", "TIME", *reversed(NUMBERS)):
        if name in known:
            return name
    return known[0]


def _literal(node: exp.Literal) -> str:
    if node.is_string:
        return "NVARCHAR"
    text = node.name
    if text.isdigit():
        return "INT" if len(text) < 10 else "DECIMAL" if len(text) > 18 else "BIGINT"
    return "FLOAT" if "e" in text.lower() else "DECIMAL"


def _cast(node: exp.Expr) -> str:
    kind = node.this if isinstance(node, exp.Convert) else node.args["to"]
    return BY_SQLGLOT.get(type_name(kind), "UNKNOWN")


def type_name(kind: exp.Expr) -> str:
    """Return sqlglot's name of a data type, upper-case."""
    named = kind.this
    return str(named.value if isinstance(named, exp.DataType.Type) else named).upper()


def _function(node: exp.Anonymous) -> str:
    function = FUNCTIONS.get(node.name[2:])
    if function is None:
        return "UNKNOWN"
    if isinstance(function.result, str):
        return function.result
    if function.name in ("COALESCE", "CHOOSE", "IIF", "GREATEST", "LEAST"):
        first = 0 if function.name in ("COALESCE", "GREATEST", "LEAST") else 1
        return common([type_of(each) for each in node.expressions[first:]])
    argument = node.expressions[function.result]
    if isinstance(argument, exp.Distinct):
        argument = argument.expressions[0]
    return type_of(argument)


def _subquery(node: exp.Subquery) -> str:
    query = node.this
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
    if isinstance(query, exp.Select) and query.args.get("for_") is not None:
        return "NVARCHAR"
    if isinstance(query, exp.Select) and query.expressions:
        return type_of(query.expressions[0])
    return "UNKNOWN"
