"""The T-SQL type of an expression, as far as the engines need it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from moviegraph.sql.functions import DISCRETE, FUNCTIONS
from moviegraph.sql.kinds import (
    LARGEST,
    LEAST_SCALE,
    MAX,
    SCALED,
    TEXTS,
    UNKNOWN,
    Kind,
    Operator,
    decimal,
    merged_kind,
    moment,
    operated,
    plain,
    settled,
)

NUMBERS = ("BIT", "INT", "BIGINT", "DECIMAL", "FLOAT")
LARGEST_INT = 2_147_483_647
SHORT_TEXT = 30
ANGLE_SCALE = 18
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
    **dict.fromkeys(("LEFT", "REPLICATE", "RIGHT", "SUBSTRING", "TRANSLATE", "UNISTR"), slice(1)),
    **dict.fromkeys(SIZED, slice(-1, None)),  # TRIM names its characters first
    **dict.fromkeys(("LTRIM", "RTRIM", "STRING_AGG"), slice(1)),
    "STUFF": slice(None, None, 3),
}
ENDLESS = frozenset({"JSON_ARRAY", "JSON_MODIFY", "JSON_OBJECT", "JSON_QUERY", "STRING_ESCAPE"})


def type_of(node: exp.Expr) -> str:
    """Return the sort of a resolved expression, or UNKNOWN: INT also stands for SMALLINT."""
    return kind_of(node).family


def kind_of(node: exp.Expr) -> Kind:
    """Return the type of a resolved expression with its sizes."""
    if type(node) in ARITHMETIC:
        return _chain(node)
    rule = RULES.get(type(node))
    return rule(node) if rule else UNKNOWN


def result_kinds(query: exp.Expr) -> list[Kind]:
    """Return the types of the columns of a resolved query."""
    stack, rows = [query], list[list[Kind]]()
    while stack:
        here = stack.pop()
        if isinstance(here, exp.SetOperation):
            stack += [here.expression, here.this]
        elif isinstance(here, exp.Subquery):
            stack.append(here.this)
        elif isinstance(here, exp.Select):
            endless = here.args.get("for_") is not None
            kinds = [kind_of(item) for item in here.expressions]
            rows.append([Kind("NVARCHAR", size=MAX)] if endless else kinds)
    return [merged_kind(column) for column in zip(*rows, strict=False)]


def declared_kind(text: str) -> Kind:
    """Return the type of a column of the contract, such as NVARCHAR(200)."""
    name, _, size = text.partition("(")
    size = size.rstrip(")")
    return replace(plain(name), size=(MAX if size == "MAX" else int(size)) if size else 0)


def target_kind(kind: exp.Expr) -> Kind:
    """Return the type that a CAST names."""
    name = type_name(kind)
    name = SYNONYMS.get(name, name)
    if name not in TYPES:
        return UNKNOWN
    sizes = [parameter.this.name for parameter in kind.expressions]
    if name in TEXTS:
        return Kind(name, size=_size(sizes[0]) if sizes else SHORT_TEXT)
    if name in SCALED and sizes and sizes[0].isdigit():
        return moment(name, int(sizes[0]))
    if name != "DECIMAL" or not sizes:
        return plain(name)
    precision, scale = (*(int(size) if size.isdigit() else 0 for size in sizes), 0)[:2]
    return decimal(precision, scale)


def type_name(kind: exp.Expr) -> str:
    """Return sqlglot's name of a data type, upper-case."""
    named = kind.this
    return str(named.value if isinstance(named, exp.DataType.Type) else named).upper()


def _size(text: str) -> int:
    return int(text) if text.isdigit() else MAX


def _chain(node: exp.Expr) -> Kind:
    """A chain of arithmetic may be long: it is walked, and what was found is kept."""
    links: list[exp.Expr] = []
    here = node
    while type(here) in ARITHMETIC and "kind" not in here.meta:
        links.append(here)
        here = here.this
    found = here.meta["kind"] if type(here) in ARITHMETIC else kind_of(here)
    for link in reversed(links):
        found = operated(ARITHMETIC[type(link)], found, kind_of(link.expression))
        link.meta["kind"] = found
    return found


def _kept(rule: Callable[[Any], Kind]) -> Callable[[Any], Kind]:
    """Remember what a rule finds that looks at many nodes."""

    def found(node: exp.Expr) -> Kind:
        kind = node.meta.get("kind")
        if kind is None:
            kind = node.meta["kind"] = rule(node)
        return kind

    return found


def _column(node: exp.Column) -> Kind:
    return node.meta.get("kind") or plain(str(node.meta.get("type", "UNKNOWN")))


def _literal(node: exp.Literal) -> Kind:
    written = node.name
    if node.is_string:
        return Kind("VARCHAR", size=max(len(written), 1))
    if "e" in written.lower():
        return plain("FLOAT")
    whole, _, places = written.partition(".")
    digits = max(len(whole.lstrip("0")) + len(places), 1)
    if written.isdigit() and digits <= 10 and int(written) <= LARGEST_INT:
        return Kind("INT", digits)
    return decimal(digits, len(places))


def _national(node: exp.National) -> Kind:
    return Kind("NVARCHAR", size=max(len(str(node.this)), 1))


def _case(node: exp.Case) -> Kind:
    results = [branch.args["true"] for branch in node.args["ifs"]]
    return merged_kind([kind_of(each) for each in [*results, node.args.get("default")] if each])


def _negative(node: exp.Neg) -> Kind:
    """TINYINT has no sign: its negative is a SMALLINT."""
    kind = kind_of(node.this)
    return plain("SMALLINT") if kind.name == "TINYINT" else kind


def _bitwise(node: exp.Binary) -> Kind:
    found = operated("+", kind_of(node.this), kind_of(node.expression))
    return found if found.name == "BIGINT" else plain("INT")


def _subquery(node: exp.Expr) -> Kind:
    kinds = result_kinds(node)
    return kinds[0] if kinds else UNKNOWN


def _within_group(node: exp.WithinGroup) -> Kind:
    if node.this.name[2:] in DISCRETE:
        return kind_of(node.expression.expressions[0].this)
    return kind_of(node.this)


def _function(node: exp.Anonymous) -> Kind:
    function = FUNCTIONS.get(node.name[2:])
    if function is None:
        return UNKNOWN
    name, given = function.name, node.expressions
    if name in MERGING:
        return merged_kind([kind_of(each) for each in given[MERGING[name] :]])
    if name in COMPUTED:
        return COMPUTED[name](given)
    if not isinstance(function.result, str):
        return kind_of(given[function.result])
    if function.result != "NVARCHAR":
        return plain(function.result)
    return text_kind(name, given)


def text_kind(name: str, given: Sequence[exp.Expr]) -> Kind:
    """Return the type of a function that makes a text."""
    if name in ENDLESS:
        return Kind("NVARCHAR", size=MAX)
    deciding = given[DECIDING.get(name, NONE)]
    if name in SIZED and kind_of(deciding[0]).name in TEXTS:
        return kind_of(deciding[0])
    endless = any(kind_of(each).size == MAX for each in given[GROWING.get(name, NONE)])
    numbers = name == "STRING_AGG" and kind_of(given[0]).name not in TEXTS
    narrow = bool(deciding) and not numbers and not holds_unicode(deciding)
    return Kind("VARCHAR" if narrow else "NVARCHAR", size=MAX if endless else 0)


def holds_unicode(given: Sequence[exp.Expr]) -> bool:
    """Whether any of these values makes a text of all of them Unicode; NULL does not."""
    return any(kind_of(each).is_unicode for each in given if not isinstance(each, exp.Null))


def sum_kind(kind: Kind) -> Kind:
    """Return the type of SUM."""
    if kind.name == "DECIMAL":
        return decimal(LARGEST, kind.scale)
    return plain({"SMALLMONEY": "MONEY", "MONEY": "MONEY"}.get(kind.name, kind.family))


def average_kind(kind: Kind) -> Kind:
    """Return the type of AVG."""
    if kind.name == "DECIMAL":
        return decimal(LARGEST, max(kind.scale, LEAST_SCALE))
    return sum_kind(kind)


def _first(given: list[exp.Expr]) -> Kind:
    """ISNULL has the type of its first argument, unless that is NULL itself."""
    kind = kind_of(given[0])
    return kind_of(given[1]) if kind == UNKNOWN else settled(kind)


def _power(given: list[exp.Expr]) -> Kind:
    kind = kind_of(given[0])
    return decimal(LARGEST, kind.scale) if kind.name == "DECIMAL" else _number(given)


def _number(given: list[exp.Expr]) -> Kind:
    """Functions of one number keep its type; text is read as FLOAT."""
    kind = kind_of(given[0])
    if kind.name in TEXTS or kind.name == "BIT":
        return plain("FLOAT")
    return plain("INT") if kind.family == "INT" else kind


def _whole(given: list[exp.Expr]) -> Kind:
    kind = _number(given)
    return decimal(kind.precision, 0) if kind.name == "DECIMAL" else kind


def _angle(given: list[exp.Expr]) -> Kind:
    kind = _number(given)
    return decimal(LARGEST, ANGLE_SCALE) if kind.name == "DECIMAL" else kind


def _made(at: int, name: str) -> Callable[[list[exp.Expr]], Kind]:
    """DATETIME2FROMPARTS and TIMEFROMPARTS name the digits of their fraction."""

    def found(given: list[exp.Expr]) -> Kind:
        digits = given[at].name
        return moment(name, int(digits)) if digits.isdigit() else plain(name)

    return found


def _moved(at: int, otherwise: str) -> Callable[[list[exp.Expr]], Kind]:
    """DATEADD and DATETRUNC keep the type of a moment."""

    def found(given: list[exp.Expr]) -> Kind:
        kind = kind_of(given[at])
        return plain(otherwise) if kind.name in TEXTS or kind.family in NUMBERS else kind

    return found


COMPUTED: dict[str, Callable[[list[exp.Expr]], Kind]] = {
    "ABS": _number,
    "AVG": lambda given: average_kind(kind_of(given[0])),
    "CEILING": _whole,
    "DEGREES": _angle,
    "LEFT_SHIFT": _number,
    "RADIANS": _angle,
    "RIGHT_SHIFT": _number,
    "SET_BIT": _number,
    "DATEADD": _moved(2, "DATETIME"),
    "DATETIME2FROMPARTS": _made(7, "DATETIME2"),
    "DATETRUNC": _moved(1, "DATETIME2"),
    "FLOOR": _whole,
    "ISNULL": _first,
    "POWER": _power,
    "ROUND": _number,
    "SIGN": _number,
    "SUM": lambda given: sum_kind(kind_of(given[0])),
    "TIMEFROMPARTS": _made(4, "TIME"),
}
RULES: dict[type[exp.Expr], Callable[[Any], Kind]] = {
    exp.Alias: lambda node: kind_of(node.this),
    exp.All: lambda node: _subquery(node.this),
    exp.Anonymous: _kept(_function),
    exp.Any: lambda node: _subquery(node.this),
    exp.BitwiseNot: lambda node: kind_of(node.this),
    exp.Case: _kept(_case),
    exp.Cast: lambda node: target_kind(node.args["to"]),
    exp.Collate: lambda node: kind_of(node.this),
    exp.Column: _column,
    exp.Convert: lambda node: target_kind(node.this),
    exp.Distinct: lambda node: kind_of(node.expressions[0]),
    exp.Literal: _literal,
    exp.National: _national,
    exp.Neg: _negative,
    exp.Paren: lambda node: kind_of(node.this),
    exp.Select: _kept(_subquery),
    exp.Subquery: _kept(_subquery),
    exp.TryCast: lambda node: target_kind(node.args["to"]),
    exp.IgnoreNulls: lambda node: kind_of(node.this),
    exp.RespectNulls: lambda node: kind_of(node.this),
    exp.Window: lambda node: kind_of(node.this),
    exp.WithinGroup: _within_group,
    **dict.fromkeys(BITWISE, _kept(_bitwise)),
}
