"""T-SQL types with their sizes, and the type of an expression."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

from sqlglot import exp

from moviegraph.contract.column_types import ColumnType
from moviegraph.sql.functions import DISCRETE, FUNCTIONS
from moviegraph.sql.syntax_tree import FLOATS, MONEY, TEXTS, UNICODE, SqlType, annotations

MAX = -1
MAX_DIGITS = 38
MIN_SCALE = 6
MAX_WHOLE_DIGITS = 32
MAX_TEXT_BYTES = 8000  # bytes, unless the type is a large one
WHOLE = ("BIGINT", "INT", "SMALLINT", "TINYINT", "BIT")
EXACT = ("DECIMAL", *MONEY, *WHOLE)
# Highest first: https://learn.microsoft.com/en-us/sql/t-sql/data-types/data-type-precedence-transact-sql
PRECEDENCE = {
    name: rank
    for rank, name in enumerate(
        (
            *("DATETIMEOFFSET", "DATETIME2", "DATETIME", "SMALLDATETIME", "DATE", "TIME"),
            *(*FLOATS, *EXACT),
            *TEXTS,
        )
    )
}
DEFAULT_DIGITS = {
    "BIGINT": (19, 0),
    "INT": (10, 0),
    "SMALLINT": (5, 0),
    "TINYINT": (3, 0),
    "BIT": (1, 0),
    "MONEY": (19, 4),
    "SMALLMONEY": (10, 4),
    "DECIMAL": (18, 0),
    "DATETIME2": (0, 7),
    "TIME": (0, 7),
    "DATETIME": (0, 3),
    "SMALLDATETIME": (0, 3),
}
SCALED = ("DATETIME2", "TIME")  # the moments whose digits after the second are chosen
MAX_FRACTION = 7
Operator = Literal["+", "-", "*", "/", "%"]
NUMBERS = ("BIT", "INT", "BIGINT", "DECIMAL", "FLOAT")
LARGEST_INT = 2_147_483_647
DEFAULT_CAST_CHARS = 30
SYNONYMS = {
    "UTINYINT": "TINYINT",
    "BOOLEAN": "BIT",
    "DOUBLE": "FLOAT",
    "TIMESTAMPTZ": "DATETIMEOFFSET",
}
TYPES = frozenset(
    """
    TINYINT SMALLINT INT BIGINT BIT DECIMAL MONEY SMALLMONEY FLOAT CHAR VARCHAR NCHAR NVARCHAR
    DATE DATETIME DATETIME2 SMALLDATETIME DATETIMEOFFSET TIME
    """.split()
)
ARITHMETIC: dict[type[exp.Expr], Operator] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
}
BITWISE = (exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor)
OPERATORS = (*ARITHMETIC, *BITWISE)
MERGING = {"COALESCE": 0, "GREATEST": 0, "LEAST": 0, "CHOOSE": 1, "IIF": 1}
SIZED = frozenset({"UPPER", "LOWER", "LTRIM", "RTRIM", "TRIM", "REVERSE"})
NONE = slice(0)
# The arguments of which one of a large type makes the text one, too.
GROWING: dict[str, slice] = {
    **dict.fromkeys(("CONCAT", "CONCAT_WS"), slice(None)),
    **dict.fromkeys(("LEFT", "REPLACE", "REPLICATE", "RIGHT", "STRING_AGG"), slice(1)),
    **dict.fromkeys(("REGEXP_REPLACE", "REGEXP_SUBSTR", "SUBSTRING", "TRANSLATE"), slice(1)),
    "STUFF": slice(None, None, 3),
}
# The arguments that decide whether a text is Unicode, as the page of each function says.
DECIDING: dict[str, slice] = {
    **dict.fromkeys(("CONCAT", "CONCAT_WS", "REPLACE"), slice(None)),
    **dict.fromkeys(("LEFT", "REPLICATE", "RIGHT", "SUBSTRING", "TRANSLATE"), slice(1)),
    **dict.fromkeys(SIZED, slice(-1, None)),  # TRIM names its characters first
    **dict.fromkeys(("LTRIM", "RTRIM", "STRING_AGG"), slice(1)),
    "STUFF": slice(None, None, 3),
}
ENDLESS = frozenset({"JSON_QUERY"})


UNKNOWN = SqlType("UNKNOWN")


def type_named(name: str) -> SqlType:
    """Return a type of a name with the digits that the name implies."""
    return SqlType(name, *DEFAULT_DIGITS.get(name, (0, 0)))


def decimal_type(precision: int, scale: int) -> SqlType:
    """Return DECIMAL(precision, scale)."""
    return SqlType("DECIMAL", precision, scale)


def datetime_type(name: str, scale: int) -> SqlType:
    """Return DATETIME2(scale) or TIME(scale)."""
    return SqlType(name, scale=scale)


def max_characters(name: str) -> int:
    """Return how many characters a text of a type has at most, which is not a large one."""
    return MAX_TEXT_BYTES // 2 if name in UNICODE else MAX_TEXT_BYTES


def settle(kind: SqlType) -> SqlType:
    """Return the type that a value has once it is no literal in arithmetic: INT has 10 digits."""
    return type_named(kind.name) if kind.name in WHOLE else kind


def merge_types(kinds: Sequence[SqlType]) -> SqlType:
    """Return the type of CASE, COALESCE, UNION and the like: the one of highest precedence."""
    known_types = [settle(kind) for kind in kinds if kind.name != "UNKNOWN"]
    if len(known_types) < 2:
        return known_types[0] if known_types else UNKNOWN
    best = min(known_types, key=lambda kind: PRECEDENCE.get(kind.name, 99))
    if best.name == "DECIMAL":
        return _merge_decimals([kind for kind in known_types if kind.name in EXACT])
    if best.name in TEXTS:
        sizes = [kind.size for kind in known_types]
        return replace(best, size=MAX if MAX in sizes else 0 if 0 in sizes else max(sizes))
    if best.name in SCALED:
        # A text may have all digits of a second.
        scales = (MAX_FRACTION if kind.name in TEXTS else kind.scale for kind in known_types)
        return datetime_type(best.name, max(scales))
    return type_named(best.name) if best.name in DEFAULT_DIGITS else best


def _merge_decimals(kinds: list[SqlType]) -> SqlType:
    scale = max(kind.scale for kind in kinds)
    whole_digits = max(kind.whole_digits for kind in kinds)
    return decimal_type(
        min(whole_digits + scale, MAX_DIGITS), min(scale, max(MAX_DIGITS - whole_digits, 0))
    )


def arithmetic_type(operator: Operator, left: SqlType, right: SqlType) -> SqlType:
    """Return the type of an arithmetic operation."""
    if left.name in TEXTS and right.name in TEXTS:
        return _concat_type(left, right)
    best = min(left, right, key=lambda kind: PRECEDENCE.get(kind.name, 99))
    if best.name == "UNKNOWN" or best.name in TEXTS:
        return best if best.name in TEXTS else UNKNOWN
    if best.name != "DECIMAL":
        return type_named(best.name) if best.name in DEFAULT_DIGITS else best
    # Text and NULL combined with a decimal become decimals as wide.
    first, second = (kind if kind.name in EXACT else best for kind in (left, right))
    return _decimal_result(operator, first, second)


def _concat_type(left: SqlType, right: SqlType) -> SqlType:
    name = min(left, right, key=lambda kind: PRECEDENCE[kind.name]).name
    sizes = (left.size, right.size)
    size = min(sum(sizes), max_characters(name))
    return SqlType(name, size=MAX if MAX in sizes else 0 if 0 in sizes else size)


def _decimal_result(operator: Operator, left: SqlType, right: SqlType) -> SqlType:
    """Return the decimal of an operation on two exact numbers, at most 38 digits wide."""
    larger = max(left.scale, right.scale)
    if operator in ("+", "-"):
        whole_digits = max(left.whole_digits, right.whole_digits)
        precision = min(larger + whole_digits + 1, MAX_DIGITS)
        return decimal_type(precision, min(larger, precision - whole_digits))
    if operator == "%":
        return decimal_type(min(left.whole_digits, right.whole_digits) + larger, larger)
    if operator == "*":
        return _narrow(left.precision + right.precision + 1, left.scale + right.scale)
    scale = max(MIN_SCALE, left.scale + right.precision + 1)
    return _narrow(left.whole_digits + right.scale + scale, scale)


def _narrow(precision: int, scale: int) -> SqlType:
    """Return a product or quotient that gives up places after the point where it is too wide."""
    if precision <= MAX_DIGITS:
        return decimal_type(precision, scale)
    whole_digits = precision - scale
    if whole_digits < MAX_WHOLE_DIGITS:
        return decimal_type(MAX_DIGITS, min(scale, MAX_DIGITS - whole_digits))
    return decimal_type(MAX_DIGITS, min(scale, MIN_SCALE))


def type_family(node: exp.Expr) -> str:
    """Return the sort of a resolved expression, or UNKNOWN: INT includes SMALLINT."""
    return sql_type(node).family


def sql_type(node: exp.Expr) -> SqlType:
    """Return the type of a resolved expression with its sizes."""
    if type(node) in ARITHMETIC:
        return _chain(node)
    rule = RULES.get(type(node))
    return rule(node) if rule else UNKNOWN


def result_types(query: exp.Expr) -> list[SqlType]:
    """Return the types of the columns of a resolved query."""
    stack, rows = [query], list[list[SqlType]]()
    while stack:
        branch = stack.pop()
        if isinstance(branch, exp.SetOperation):
            stack += [branch.expression, branch.this]
        elif isinstance(branch, exp.Subquery):
            stack.append(branch.this)
        elif isinstance(branch, exp.Select):
            endless = branch.args.get("for_") is not None
            kinds = [sql_type(item) for item in branch.expressions]
            rows.append([SqlType("NVARCHAR", size=MAX)] if endless else kinds)
    return [merge_types(column) for column in zip(*rows, strict=False)]


def declared_type(declared: ColumnType) -> SqlType:
    """Return the type of a column of the contract."""
    if declared.name == "DECIMAL":
        return decimal_type(declared.precision, declared.scale)
    if not declared.is_text:
        return type_named(declared.name)
    return SqlType(
        "NVARCHAR", size=MAX if declared.max_chars > MAX_TEXT_BYTES else declared.max_chars
    )


def cast_type(kind: exp.Expr) -> SqlType:
    """Return the type that a CAST names."""
    name = type_name(kind)
    name = SYNONYMS.get(name, name)
    if name not in TYPES:
        return UNKNOWN
    sizes = [parameter.this.name for parameter in kind.expressions]
    if name in TEXTS:
        size = DEFAULT_CAST_CHARS if not sizes else int(sizes[0]) if sizes[0].isdigit() else MAX
        return SqlType(name, size=size)
    if name in SCALED and sizes and sizes[0].isdigit():
        return datetime_type(name, int(sizes[0]))
    if name != "DECIMAL" or not sizes:
        return type_named(name)
    precision, scale = (*(int(size) if size.isdigit() else 0 for size in sizes), 0)[:2]
    return decimal_type(precision, scale)


def type_name(kind: exp.Expr) -> str:
    """Return sqlglot's name of a data type, upper-case."""
    type_value = kind.this
    return str(
        type_value.value if isinstance(type_value, exp.DataType.Type) else type_value
    ).upper()


def _chain(node: exp.Expr) -> SqlType:
    """A chain of arithmetic may be long: it is traversed, and the types are cached."""
    links: list[exp.Expr] = []
    operand = node
    while type(operand) in ARITHMETIC and annotations(operand).sql_type is None:
        links.append(operand)
        operand = operand.this
    sql_type_so_far = annotations(operand).sql_type or sql_type(operand)
    for link in reversed(links):
        sql_type_so_far = arithmetic_type(
            ARITHMETIC[type(link)], sql_type_so_far, sql_type(link.expression)
        )
        annotations(link).sql_type = sql_type_so_far
    return sql_type_so_far


def _cached(rule: Callable[[Any], SqlType]) -> Callable[[Any], SqlType]:
    """Remember what a rule finds that looks at many nodes."""

    def cached(node: exp.Expr) -> SqlType:
        kind = annotations(node).sql_type
        if kind is None:
            kind = annotations(node).sql_type = rule(node)
        return kind

    return cached


def _literal(node: exp.Literal) -> SqlType:
    literal_text = node.name
    if node.is_string:
        return SqlType("VARCHAR", size=max(len(literal_text), 1))
    if "e" in literal_text.lower():
        return type_named("FLOAT")
    whole_part, _, places = literal_text.partition(".")
    digits = max(len(whole_part.lstrip("0")) + len(places), 1)
    if literal_text.isdigit() and digits <= 10 and int(literal_text) <= LARGEST_INT:
        return SqlType("INT", digits)
    return decimal_type(digits, len(places))


def _case(node: exp.Case) -> SqlType:
    results = [branch.args["true"] for branch in node.args["ifs"]]
    return merge_types(
        [sql_type(result) for result in [*results, node.args.get("default")] if result]
    )


def _negative(node: exp.Neg) -> SqlType:
    """TINYINT has no sign: its negative is a SMALLINT."""
    kind = sql_type(node.this)
    return type_named("SMALLINT") if kind.name == "TINYINT" else kind


def _bitwise(node: exp.Binary) -> SqlType:
    common = arithmetic_type("+", sql_type(node.this), sql_type(node.expression))
    return common if common.name == "BIGINT" else type_named("INT")


def _subquery(node: exp.Expr) -> SqlType:
    kinds = result_types(node)
    return kinds[0] if kinds else UNKNOWN


def _within_group(node: exp.WithinGroup) -> SqlType:
    if node.this.name[2:] in DISCRETE:
        return sql_type(node.expression.expressions[0].this)
    return sql_type(node.this)


def _function(node: exp.Anonymous) -> SqlType:
    function = FUNCTIONS.get(node.name[2:])
    if function is None:
        return UNKNOWN
    name, arguments = function.name, node.expressions
    if name in MERGING:
        return merge_types([sql_type(argument) for argument in arguments[MERGING[name] :]])
    if name in COMPUTED:
        return COMPUTED[name](arguments)
    if not isinstance(function.result, str):
        return sql_type(arguments[function.result])
    if function.result != "NVARCHAR":
        return type_named(function.result)
    return text_type(name, arguments)


def text_type(name: str, arguments: Sequence[exp.Expr]) -> SqlType:
    """Return the type of a function that makes a text."""
    if name in ENDLESS:
        return SqlType("NVARCHAR", size=MAX)
    deciding = arguments[DECIDING.get(name, NONE)]
    if name in SIZED and sql_type(deciding[0]).name in TEXTS:
        return sql_type(deciding[0])
    endless = any(sql_type(argument).size == MAX for argument in arguments[GROWING.get(name, NONE)])
    numbers = name == "STRING_AGG" and sql_type(arguments[0]).name not in TEXTS
    narrow = bool(deciding) and not numbers and not has_unicode(deciding)
    return SqlType("VARCHAR" if narrow else "NVARCHAR", size=MAX if endless else 0)


def has_unicode(arguments: Sequence[exp.Expr]) -> bool:
    """Whether any of these values makes a text of all of them Unicode; NULL does not."""
    return any(
        sql_type(argument).is_unicode
        for argument in arguments
        if not isinstance(argument, exp.Null)
    )


def sum_type(kind: SqlType) -> SqlType:
    """Return the type of SUM."""
    if kind.name == "DECIMAL":
        return decimal_type(MAX_DIGITS, kind.scale)
    return type_named({"SMALLMONEY": "MONEY", "MONEY": "MONEY"}.get(kind.name, kind.family))


def average_type(kind: SqlType) -> SqlType:
    """Return the type of AVG."""
    if kind.name == "DECIMAL":
        return decimal_type(MAX_DIGITS, max(kind.scale, MIN_SCALE))
    return sum_type(kind)


def _first(arguments: list[exp.Expr]) -> SqlType:
    """ISNULL has the type of its first argument, unless that is NULL itself."""
    kind = sql_type(arguments[0])
    return sql_type(arguments[1]) if kind == UNKNOWN else settle(kind)


def _power(arguments: list[exp.Expr]) -> SqlType:
    kind = sql_type(arguments[0])
    return decimal_type(MAX_DIGITS, kind.scale) if kind.name == "DECIMAL" else _number(arguments)


def _number(arguments: list[exp.Expr]) -> SqlType:
    """Functions of one number keep its type; text is read as FLOAT."""
    kind = sql_type(arguments[0])
    if kind.name in TEXTS or kind.name == "BIT":
        return type_named("FLOAT")
    return type_named("INT") if kind.family == "INT" else kind


def _whole(arguments: list[exp.Expr]) -> SqlType:
    kind = _number(arguments)
    return decimal_type(kind.precision, 0) if kind.name == "DECIMAL" else kind


def _date_kept(at: int, otherwise: str) -> Callable[[list[exp.Expr]], SqlType]:
    """DATEADD and DATETRUNC keep the type of a moment."""

    def result(arguments: list[exp.Expr]) -> SqlType:
        kind = sql_type(arguments[at])
        return type_named(otherwise) if kind.name in TEXTS or kind.family in NUMBERS else kind

    return result


COMPUTED: dict[str, Callable[[list[exp.Expr]], SqlType]] = {
    "ABS": _number,
    "AVG": lambda arguments: average_type(sql_type(arguments[0])),
    "CEILING": _whole,
    "DATEADD": _date_kept(2, "DATETIME"),
    "DATETRUNC": _date_kept(1, "DATETIME2"),
    "FLOOR": _whole,
    "ISNULL": _first,
    "POWER": _power,
    "ROUND": _number,
    "SIGN": _number,
    "SUM": lambda arguments: sum_type(sql_type(arguments[0])),
}
RULES: dict[type[exp.Expr], Callable[[Any], SqlType]] = {
    exp.Alias: lambda node: sql_type(node.this),
    exp.All: lambda node: _subquery(node.this),
    exp.Anonymous: _cached(_function),
    exp.Any: lambda node: _subquery(node.this),
    exp.BitwiseNot: lambda node: sql_type(node.this),
    exp.Case: _cached(_case),
    exp.Cast: lambda node: cast_type(node.args["to"]),
    exp.Collate: lambda node: sql_type(node.this),
    exp.Column: lambda node: annotations(node).sql_type or UNKNOWN,
    exp.Convert: lambda node: cast_type(node.this),
    exp.Distinct: lambda node: sql_type(node.expressions[0]),
    exp.Literal: _literal,
    exp.National: lambda node: SqlType("NVARCHAR", size=max(len(str(node.this)), 1)),
    exp.Neg: _negative,
    exp.Parameter: lambda node: annotations(node).sql_type or UNKNOWN,
    exp.Paren: lambda node: sql_type(node.this),
    exp.Select: _cached(_subquery),
    exp.Subquery: _cached(_subquery),
    exp.TryCast: lambda node: cast_type(node.args["to"]),
    exp.IgnoreNulls: lambda node: sql_type(node.this),
    exp.RespectNulls: lambda node: sql_type(node.this),
    exp.Window: lambda node: sql_type(node.this),
    exp.WithinGroup: _within_group,
    **dict.fromkeys(BITWISE, _cached(_bitwise)),
}
