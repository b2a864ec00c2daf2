"""The allow-list: node classes of sqlglot, and for each the arguments it may carry.

Hints, INTO, catalogs, samples, locks and options are all arguments, so a class alone decides
nothing. What is not listed is refused; a new sqlglot that adds an argument fails closed.
"""

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from moviegraph.sql.checks import CHECKS
from moviegraph.sql.froms import PIVOTED_JOIN
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.reserved import RECURSIVE
from moviegraph.sql.walk import children, nodes

MAX_TABLES = 10
BINARY = "this expression"
ALLOWED: dict[str, frozenset[str]] = {
    name: frozenset(arguments.split())
    for name, arguments in {
        "Add": BINARY,
        "Alias": "this alias",
        "All": "this",
        "And": BINARY,
        "Anonymous": "this expressions",
        "Any": "this",
        "Between": "this low high",
        "BitwiseAnd": BINARY,
        "BitwiseNot": "this",
        "BitwiseOr": BINARY,
        "BitwiseXor": BINARY,
        "CTE": "this alias",
        "Case": "this ifs default",
        "Cast": "this to",
        "Collate": BINARY,
        "Column": "this table db",
        "Convert": "this expression style safe",
        "Cube": "expressions",
        "DataType": "this expressions nested",
        "DataTypeParam": "this",
        "Distinct": "expressions",
        "Div": "this expression typed safe",
        "EQ": BINARY,
        "Escape": BINARY,
        "Except": "this expression distinct with_ order limit offset",
        "Exists": "this",
        "Fetch": "count direction limit_options",
        "ForClause": "kind expressions",
        "From": "this",
        "GT": BINARY,
        "GTE": BINARY,
        "Group": "expressions rollup cube grouping_sets",
        "GroupingSets": "expressions",
        "Having": "this",
        "Identifier": "this quoted",
        "If": "this true",
        "IgnoreNulls": "this",
        "In": "this expressions query",
        "Intersect": "this expression distinct with_ order limit offset",
        "Is": BINARY,
        "Join": "this kind side on",
        "LT": BINARY,
        "LTE": BINARY,
        "Lateral": "this alias cross_apply",
        "Like": "this expression negate",
        "Limit": "expression limit_options",
        "LimitOptions": "rows percent with_ties",
        "Literal": "this is_string",
        "Mod": BINARY,
        "Mul": BINARY,
        "NEQ": BINARY,
        "National": "this",
        "Neg": "this",
        "Not": "this",
        "Null": "",
        "NullSafeEQ": BINARY,
        "NullSafeNEQ": BINARY,
        "Offset": "expression",
        "OpenJSON": "this path expressions",
        "OpenJSONColumnDef": "this kind path as_json",
        "Or": BINARY,
        "Order": "expressions",
        "Ordered": "this desc nulls_first",
        "Parameter": "this",
        "Paren": "this",
        "Pivot": "expressions fields unpivot alias value_columns_first pivot_column_naming",
        "QueryOption": "this expression",
        "RespectNulls": "this",
        "Rollup": "expressions",
        "Select": "expressions from_ joins where group having windows order limit offset distinct "
        "with_ for_",
        "Star": "",
        "Sub": BINARY,
        "Subquery": "this alias joins pivots",
        "Table": "this db alias version joins pivots",
        "TableAlias": "this columns",
        "TryCast": "this to safe",
        "Tuple": "expressions",
        "Union": "this expression distinct with_ order limit offset",
        "Values": "expressions alias pivots",
        "Var": "this",
        "Version": "this kind",
        "Where": "this",
        "Window": "this partition_by order spec alias over",
        "WindowSpec": "kind start start_side end end_side",
        "With": "expressions",
        "WithinGroup": BINARY,
        "XMLKeyValueOption": BINARY,
    }.items()
}
TEMPORARY = "Temporary tables cannot be read; use a CTE: WITH x AS (SELECT ...)."
ADVICE = {
    "Command": ("not_select", "Only a SELECT is run."),
    "AtTimeZone": (
        "unsupported",
        "AT TIME ZONE is not part of the dialect: zones depend on the server. Use DATEADD.",
    ),
    "BitwiseLeftShift": ("syntax", "Write LEFT_SHIFT(x, n) instead of <<."),
    "BitwiseRightShift": ("syntax", "Write RIGHT_SHIFT(x, n) instead of >>."),
    "Concat": ("syntax", "Two strings stand side by side; join them with +."),
    "ILike": ("syntax", "T-SQL has no ILIKE; LIKE already ignores case here."),
    "Boolean": ("syntax", "T-SQL has no TRUE or FALSE; compare with 1 or 0."),
    "Bracket": ("syntax", "Brackets delimit names; they do not index."),
    "Dot": ("unknown_function", "Functions and names of more than two parts are not allowed."),
    "WithTableHint": ("not_allowed", "Table hints are not allowed. Drop WITH (...)."),
    "PivotAlias": ("syntax", "The columns of a PIVOT are renamed in the select list."),
    "Interval": ("syntax", "T-SQL has no INTERVAL; use DATEADD."),
    "CurrentDate": ("syntax", "T-SQL writes the date of today as CAST(GETDATE() AS DATE)."),
    "CurrentTime": ("syntax", "T-SQL writes the time of day as CAST(GETDATE() AS TIME)."),
    "JSONExtract": ("syntax", "JSON is read with JSON_VALUE(x, '$.key')."),
    "HexString": ("syntax", "Binary literals are not read; write a number."),
}
ARGUMENT_ADVICE = {
    ("Column", "catalog"): "Columns are named alias.Column.",
    ("DataType", "kind"): "Types of one's own are not part of the dialect; use INT, NVARCHAR(n)...",
    ("Distinct", "on"): "T-SQL has no DISTINCT ON; number rows with ROW_NUMBER() in a CTE.",
    ("Group", "all"): "GROUP BY ALL is not part of the dialect; name the columns.",
    ("Identifier", "global_"): TEMPORARY,
    ("Identifier", "global"): TEMPORARY,
    ("Identifier", "temporary"): TEMPORARY,
    ("In", "field"): "IN takes a list or a subquery in parentheses: x IN (1, 2).",
    ("Join", "hint"): "Join hints are not allowed; write a plain JOIN ... ON.",
    ("Join", "method"): "NATURAL and similar joins are not T-SQL; write JOIN ... ON.",
    ("Join", "pivots"): PIVOTED_JOIN,
    ("Join", "using"): "T-SQL has no USING; write JOIN ... ON a.Id = b.Id.",
    ("Order", "this"): "The order of an aggregate follows it: STRING_AGG(x, ', ') WITHIN GROUP "
    "(ORDER BY x).",
    ("Select", "into"): "SELECT ... INTO creates a table; nothing can be written. Drop the INTO.",
    ("Select", "options"): "Query hints are not allowed. Drop the OPTION clause.",
    ("Select", "qualify"): "T-SQL has no QUALIFY; filter a window function in a CTE around it.",
    ("Star", "except"): "T-SQL has no * EXCEPT; name the columns.",
    ("Star", "except_"): "T-SQL has no * EXCEPT; name the columns.",
    ("Subquery", "for_"): "FOR JSON stands inside the parentheses; or drop the parentheses.",
    ("Subquery", "order"): "ORDER BY stands inside the parentheses; or drop the parentheses.",
    ("Table", "catalog"): "Other databases cannot be read; name tables alone or with the schema.",
    ("Table", "hints"): "Table hints are not allowed. Drop WITH (...).",
    ("Union", "for_"): "FOR JSON takes one SELECT; wrap the UNION in a CTE.",
    ("WindowSpec", "exclude"): "T-SQL has no EXCLUDE in a window frame; leave it out.",
    ("With", "recursive"): RECURSIVE,
}
CONDITIONS = (
    exp.And,
    exp.Or,
    exp.Not,
    exp.EQ,
    exp.NEQ,
    exp.GT,
    exp.GTE,
    exp.LT,
    exp.LTE,
    exp.Like,
    exp.Is,
    exp.In,
    exp.Between,
    exp.Escape,
    exp.Exists,
    exp.NullSafeEQ,
    exp.NullSafeNEQ,
)


def check_grammar(tree: exp.Expr) -> None:
    """Refuse every node, argument, function, type or option that is not on the lists.

    Raises RefusalError.
    """
    tables = 0
    for node in nodes(tree):
        _check_node(node)
        _check_condition_slot(node)
        tables += isinstance(node, exp.Table)
        check = CHECKS.get(type(node))
        if check is not None:
            check(node)
    if tables > 4 * MAX_TABLES:
        raise RefusalError("too_large", f"The statement names {tables} tables; that is too many.")


def _check_node(node: exp.Expr) -> None:
    name = type(node).__name__
    allowed = ALLOWED.get(name)
    if allowed is None:
        code, message = ADVICE.get(name, ("not_allowed", ""))
        shown = message or f"{_words(name).upper()} is not part of the dialect; leave it out."
        raise RefusalError(code, shown)
    for argument, value in node.args.items():
        if argument not in allowed and _truthy(value):
            raise RefusalError("not_allowed", _argument_message(name, argument))
    if name not in ("Literal", "National", "Identifier") and node.comments:
        node.comments = None


def _truthy(value: Any) -> bool:
    return value not in (None, False, [], ())


def _words(name: str) -> str:
    return "".join(f" {c.lower()}" if c.isupper() else c for c in name).strip()


def _argument_message(name: str, argument: str) -> str:
    known = ARGUMENT_ADVICE.get((name, argument))
    usual = f"`{argument.strip('_')}` of a {_words(name)} is not part of the dialect; leave it out."
    return known or usual


def _is_condition(node: Any) -> bool:
    if isinstance(node, exp.Paren):
        return _is_condition(node.this)
    if isinstance(node, exp.Anonymous):
        name = node.name[2:]
        return name == "MATCH" or (name in FUNCTIONS and FUNCTIONS[name].kind == "predicate")
    return isinstance(node, CONDITIONS)


def _condition_slots(node: exp.Expr) -> Iterator[Any]:
    """Yield the children that must be conditions; every other child must be a value."""
    if isinstance(node, exp.Where | exp.Having | exp.Not):
        yield node.this
    elif isinstance(node, exp.And | exp.Or):
        yield node.this
        yield node.expression
    elif isinstance(node, exp.Escape):
        yield node.this
    elif isinstance(node, exp.Join) and node.args.get("on") is not None:
        yield node.args["on"]
    elif isinstance(node, exp.If) and not _is_simple_case(node.parent):
        yield node.this
    elif isinstance(node, exp.Pivot):
        yield from node.args.get("fields") or []
    elif isinstance(node, exp.Anonymous) and node.name == "__IIF" and node.expressions:
        yield node.expressions[0]


def _is_simple_case(node: exp.Expr | None) -> bool:
    return isinstance(node, exp.Case) and node.this is not None


def _check_condition_slot(node: exp.Expr) -> None:
    slots = list(_condition_slots(node))
    for slot in slots:
        if not _is_condition(slot):
            _check_node(slot)
            raise RefusalError(
                "syntax",
                "A condition is expected here, and a value stands there; compare it, "
                "as in ISNULL(x, 0) = 1.",
            )
    if isinstance(node, exp.Paren):
        return
    for child in children(node):
        if _is_condition(child) and not any(child is slot for slot in slots):
            raise RefusalError(
                "syntax",
                "A condition stands where a value is expected (CONTAINS and comparisons are no "
                "values in T-SQL). Wrap it: CASE WHEN ... THEN 1 ELSE 0 END.",
            )
