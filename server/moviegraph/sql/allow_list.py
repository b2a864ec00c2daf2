"""Allow-list of sqlglot node classes and of their arguments, with the checks of single nodes.

Hints, INTO, catalogs, samples, locks and options are all arguments, so a class alone decides
nothing. What is not listed is refused; a new sqlglot that adds an argument fails closed.
"""

from collections.abc import Callable, Iterator
from typing import Any

from sqlglot import exp

from moviegraph.contract.statement_limits import MAX_OPERATORS, MAX_TABLES, MAX_VALUES_OF_IN
from moviegraph.sql.decision import DialectError, RefusalError
from moviegraph.sql.derived_tables import check_pivot
from moviegraph.sql.function_checks import check_function
from moviegraph.sql.functions import FULLTEXT, FUNCTIONS
from moviegraph.sql.grouping import (
    check_frame,
    check_group,
    check_nulls,
    check_percentile,
    check_window,
)
from moviegraph.sql.joins import PIVOTED_JOIN
from moviegraph.sql.lexer import RECURSIVE, RESERVED
from moviegraph.sql.match_checks import check_within_group
from moviegraph.sql.parser import TOP_AND_OFFSET
from moviegraph.sql.rowset_functions import check_openjson, check_openjson_column
from moviegraph.sql.scope import check_for, check_option
from moviegraph.sql.syntax_tree import annotations, children, nodes, nodes_of
from moviegraph.sql.types import MAX_FRACTION, OPERATORS, SCALED, SYNONYMS, TYPES, type_name

BINARY = "this expression"
ALLOWED_NODES: dict[str, frozenset[str]] = {
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
        "Select": "expressions from_ joins where group having order limit offset distinct with_ "
        "for_",
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
        "Window": "this partition_by order spec over",
        "WindowSpec": "kind start start_side end end_side",
        "With": "expressions",
        "WithinGroup": BINARY,
        "XMLKeyValueOption": BINARY,
    }.items()
}
NAMED_WINDOW = (
    "Windows have no names here; write each out: SUM(x) OVER (PARTITION BY y ORDER BY z). Drop the "
    "WINDOW clause."
)
NODE_HINTS = {
    "AtTimeZone": (
        "unsupported",
        "AT TIME ZONE is not part of the dialect: zones depend on the server. Use DATEADD.",
    ),
    "BitwiseLeftShift": ("syntax", "Multiply by a power of two instead of <<: x * 4."),
    "BitwiseRightShift": ("syntax", "Divide by a power of two instead of >>: x / 4."),
    "Concat": ("syntax", "Two strings follow each other; join them with +."),
    "ILike": ("syntax", "T-SQL has no ILIKE; LIKE already ignores case here."),
    "Boolean": ("syntax", "T-SQL has no TRUE or FALSE; compare with 1 or 0."),
    "Bracket": ("syntax", "Brackets delimit names; they do not index."),
    "Dot": ("unknown_function", "Functions and names of more than two parts are not allowed."),
    "WithTableHint": ("not_allowed", "Table hints are not allowed. Drop WITH (...)."),
    "Interval": ("syntax", "T-SQL has no INTERVAL; use DATEADD."),
    "CurrentTime": ("syntax", "The time of day is CONVERT(VARCHAR(8), GETDATE(), 108)."),
}
ARGUMENT_HINTS = {
    ("Column", "catalog"): "Columns are named alias.Column.",
    ("DataType", "kind"): "Types of one's own are not part of the dialect; use INT, NVARCHAR(n)...",
    ("Distinct", "on"): "T-SQL has no DISTINCT ON; number rows with ROW_NUMBER() in a CTE.",
    ("Group", "all"): "GROUP BY ALL is not part of the dialect; name the columns.",
    ("In", "field"): "IN takes a list or a subquery in parentheses: x IN (1, 2).",
    ("Join", "hint"): "Join hints are not allowed; write a plain JOIN ... ON.",
    ("Join", "method"): "NATURAL and similar joins are not T-SQL; write JOIN ... ON.",
    ("Join", "pivots"): PIVOTED_JOIN,
    ("Order", "this"): "The order of an aggregate follows it: STRING_AGG(x, ', ') WITHIN GROUP "
    "(ORDER BY x).",
    ("Select", "qualify"): "T-SQL has no QUALIFY; filter a window function in a CTE around it.",
    ("Select", "windows"): NAMED_WINDOW,
    ("Star", "except_"): "T-SQL has no * EXCEPT; name the columns.",
    ("Subquery", "for_"): "FOR JSON belongs inside the parentheses; or drop the parentheses.",
    ("Subquery", "order"): "ORDER BY belongs inside the parentheses; or drop the parentheses.",
    ("Table", "catalog"): "Other databases cannot be read; name tables alone or with the schema.",
    ("Table", "hints"): "Table hints are not allowed. Drop WITH (...).",
    ("Union", "for_"): "FOR JSON takes one SELECT; wrap the UNION in a CTE.",
    ("Window", "alias"): NAMED_WINDOW,
    ("WindowSpec", "exclude"): "T-SQL has no EXCLUDE in a window frame; remove it.",
    ("With", "recursive"): RECURSIVE,
}
CONDITIONS = (exp.Connector, exp.Not, exp.Predicate, exp.Escape)
MAX_TYPE_LENGTH = 8_000
FRACTIONS = {name: name for name in SCALED} | {"TIMESTAMPTZ": "DATETIMEOFFSET"}
JOIN_KINDS = frozenset({"", "INNER", "CROSS", "OUTER"})
JOIN_SIDES = frozenset({"", "LEFT", "RIGHT", "FULL"})
TYPE_NAMES = TYPES - {"DATETIMEOFFSET"} | SYNONYMS.keys()  # as sqlglot calls them
COLLATIONS = frozenset(
    f"LATIN1_GENERAL_{version}{kind}"
    for version in ("", "100_")
    for kind in ("CI_AI", "CI_AS", "CS_AS", "CS_AI", "BIN", "BIN2")
) | {"SQL_LATIN1_GENERAL_CP1_CI_AS", "SQL_LATIN1_GENERAL_CP1_CS_AS", "DATABASE_DEFAULT"}
COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
APPLIED = frozenset({"__STRING_SPLIT", "__GENERATE_SERIES"})


def check_grammar(tree: exp.Expr) -> None:
    """Refuse every node, argument, function, type or option that is not on the lists.

    Raises RefusalError.
    """
    tables = 0
    for node in nodes(tree):
        _check_node(node)
        _check_condition_slot(node)
        tables += isinstance(node, exp.Table)
        check = NODE_CHECKS.get(type(node))
        if check is not None:
            check(node)
    if tables > MAX_TABLES:
        raise RefusalError(
            "too_large",
            f"The statement names {tables} tables, and at most {MAX_TABLES} are read. Name a CTE "
            "once instead of its tables, or run the statement in steps.",
        )


def _check_node(node: exp.Expr) -> None:
    name = type(node).__name__
    allowed = ALLOWED_NODES.get(name)
    if allowed is None:
        code, message = NODE_HINTS.get(name, ("not_allowed", ""))
        text = message or f"{_words(name).upper()} is not part of the dialect; remove it."
        raise RefusalError(code, text)
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
    hint = ARGUMENT_HINTS.get((name, argument))
    usual = f"`{argument.strip('_')}` of a {_words(name)} is not part of the dialect; remove it."
    return hint or usual


def is_condition(node: Any) -> bool:
    """Return whether a node is a condition, rather than a value."""
    if isinstance(node, exp.Paren):
        return is_condition(node.this)
    if isinstance(node, exp.Anonymous):
        name = node.name[2:]
        return name == "MATCH" or (name in FUNCTIONS and FUNCTIONS[name].kind == "predicate")
    return isinstance(node, CONDITIONS) and not isinstance(node, exp.Any | exp.All)


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
        if not is_condition(slot):
            _check_node(slot)
            raise DialectError(
                "A condition is expected here instead of a value; compare it, "
                "as in ISNULL(x, 0) = 1."
            )
    if isinstance(node, exp.Paren):
        return
    for child in children(node):
        if is_condition(child) and not any(child is slot for slot in slots):
            raise DialectError(
                "A value is expected here instead of a condition (CONTAINS and comparisons are no "
                "values in T-SQL). Wrap it: CASE WHEN ... THEN 1 ELSE 0 END."
            )


def _check_join(node: exp.Join) -> None:
    kind, side = node.args.get("kind") or "", node.args.get("side") or ""
    if kind.upper() not in JOIN_KINDS or side.upper() not in JOIN_SIDES:
        join_name = " ".join(f"{side} {kind}".split())
        raise RefusalError(
            "not_allowed",
            f"A {join_name} JOIN is not T-SQL; write INNER, LEFT, RIGHT or FULL JOIN, or EXISTS.",
        )
    if side and kind.upper() not in ("", "OUTER"):
        raise DialectError(f"A JOIN is either {side} or {kind}; drop one of the two.")
    on = node.args.get("on")
    if on is None and (side or kind.upper() in ("INNER", "OUTER")):
        raise DialectError(
            "This JOIN lacks its ON condition: JOIN x ON x.Id = y.Id. Tables of the graph are "
            "joined by MATCH: FROM A AS a, EDGE AS e, B AS b WHERE MATCH(a-(e)->b)."
        )
    if on is not None and kind.upper() == "CROSS":
        raise DialectError("A CROSS JOIN does not accept ON.")


def _check_lateral(node: exp.Lateral) -> None:
    if not isinstance(node.args.get("cross_apply"), bool):
        raise RefusalError("not_allowed", "T-SQL has no LATERAL; write CROSS APPLY (...).")
    applied = node.this
    is_supported = not isinstance(applied, exp.Anonymous) or applied.name in APPLIED
    if not is_supported or not isinstance(
        applied, exp.Subquery | exp.Anonymous | exp.Values | exp.OpenJSON
    ):
        raise RefusalError(
            "not_allowed",
            "APPLY takes a subquery, VALUES, OPENJSON, STRING_SPLIT or GENERATE_SERIES.",
        )


def _check_type(node: exp.DataType) -> None:
    name = type_name(node)
    if name not in TYPE_NAMES or node.args.get("nested"):
        raise RefusalError("not_allowed", f"The type {name} is not part of the dialect.")
    for parameter in node.expressions:
        value = parameter.this if isinstance(parameter, exp.DataTypeParam) else parameter
        plain = isinstance(value, exp.Literal | exp.Var | exp.Column)
        if not plain or not (value.name.isdigit() or value.name.upper() == "MAX"):
            raise DialectError("The length of a type is a number or MAX.")
        if value.name.isdigit() and int(value.name[:9]) > MAX_TYPE_LENGTH:
            raise DialectError(f"The length of a type is at most {MAX_TYPE_LENGTH:,}, or MAX.")
        if name in FRACTIONS and (not value.name.isdigit() or int(value.name) > MAX_FRACTION):
            max_digits = FRACTIONS[name]
            raise DialectError(f"{max_digits} has 0 to 7 digits of a second: {max_digits}(3).")


def _check_convert(node: exp.Convert) -> None:
    if not isinstance(node.this, exp.DataType) or node.args.get("expression") is None:
        raise RefusalError(
            "wrong_arguments", "CONVERT takes a type and then a value: CONVERT(NVARCHAR(10), x)."
        )


def _check_parameter(node: exp.Parameter) -> None:
    if annotations(node).sql_type is not None:  # of a published statement: checked when bound
        return
    if not isinstance(node.this, exp.Var) or node.name.lower() != "q":
        raise RefusalError(
            "unknown_variable",
            f"The only variable is @q, the embedding of the query text, not {node.sql()[:40]}. "
            "Write other values as literals.",
        )
    node.this.set("this", "q")
    call = node.parent
    if not (isinstance(call, exp.Anonymous) and call.name == "__VECTOR_DISTANCE"):
        raise RefusalError("embedding_output", "@q may only be an argument of VECTOR_DISTANCE.")


def _quote_name(node: exp.Identifier) -> None:
    """Bracket every name in the output but pseudo-columns."""
    if not node.args.get("quoted") and node.name.upper() in RESERVED and not _after_dot(node):
        raise DialectError(
            f"{node.name} is a reserved word of T-SQL; as a name, write it in brackets: "
            f"[{node.name}]."
        )
    pseudo = node.name.startswith("$")
    if pseudo and not isinstance(node.parent, exp.Column):
        raise DialectError(f"The name {node.name} begins with $; write another.")
    node.set("quoted", not pseudo)


def _after_dot(node: exp.Identifier) -> bool:
    return isinstance(node.parent, exp.Column) and bool(node.parent.table)


def _check_in(node: exp.In) -> None:
    if not node.expressions and node.args.get("query") is None:
        raise DialectError("IN takes a list of values or a subquery: x IN (1, 2).")
    if len(node.expressions) > MAX_VALUES_OF_IN:
        raise RefusalError(
            "too_large", f"IN takes at most {MAX_VALUES_OF_IN} values; use a subquery or a range."
        )


def _check_chain(node: exp.Binary) -> None:
    if isinstance(node.parent, OPERATORS) and node.parent.this is node:
        return
    count, operand = 0, node.unnest()
    while isinstance(operand, OPERATORS):
        count, operand = count + (3 if isinstance(operand, exp.Div) else 1), operand.this.unnest()
    if count > MAX_OPERATORS:
        raise RefusalError(
            "too_large",
            f"One chain has {count} operators, a division counted as three; {MAX_OPERATORS} "
            "are the most. Join texts with CONCAT, add up with SUM over VALUES, or compute a part "
            "in a CTE.",
        )


def _check_collate(node: exp.Collate) -> None:
    if node.expression.name.upper() not in COLLATIONS:
        raise RefusalError("not_allowed", f"The collation {node.expression.name} is not known.")
    if isinstance(node.this, exp.Collate):
        raise DialectError("A value takes one COLLATE only; remove the other.")


def _check_offset(node: exp.Offset) -> None:
    query = node.parent
    if query is not None and isinstance(query.args.get("limit"), exp.Limit):
        raise DialectError(TOP_AND_OFFSET)


def _check_escape(node: exp.Escape) -> None:
    if not isinstance(node.this, exp.Like) or len(node.expression.name) != 1:
        raise DialectError("ESCAPE takes one character.")


def _check_quantified(node: exp.Expr) -> None:
    if not isinstance(node.parent, COMPARISONS) or node.parent.args.get("expression") is not node:
        raise DialectError("ANY and ALL go on the right of a comparison: x > ALL (SELECT ...).")
    if not isinstance(node.this.unnest(), exp.Query):
        raise DialectError("ANY and ALL take a subquery; for a list of values use IN.")


def _check_version(node: exp.Version) -> None:
    table = node.parent
    plain = isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier)
    if not plain or node.name != "TIMESTAMP" or node.args.get("kind") != "ALL":
        raise RefusalError("for_path", "FOR PATH follows the name of a table in FROM.")


def _check_is(node: exp.Is) -> None:
    if not isinstance(node.expression, exp.Null):
        raise DialectError("IS takes NULL or NOT NULL; compare other values with =.")


def _check_within_group(node: exp.WithinGroup) -> None:
    check_within_group(node)
    check_percentile(node)


def _check_star(node: exp.Star) -> None:
    holder = node.parent.parent if isinstance(node.parent, exp.Column) else node.parent
    called = isinstance(holder, exp.Anonymous) or (
        isinstance(holder, exp.Paren)
        and isinstance(holder.parent, exp.Anonymous)
        and holder.parent.name[2:] in FULLTEXT
    )
    if not (isinstance(holder, exp.Select) or called):
        raise DialectError(
            "A * is allowed only in the select list and in COUNT(*); it does not accept an alias."
        )


def _check_alias(node: exp.Alias) -> None:
    if not isinstance(node.parent, exp.Select):
        raise DialectError("Only a column of the select list can be named with AS.")


def _check_query(node: exp.Expr) -> None:
    if isinstance(node.parent, exp.Anonymous):
        raise DialectError("A subquery needs its own parentheses: F((SELECT ...)).")


def check_parenthesised(tree: exp.Expr) -> None:
    """Refuse ORDER BY in a parenthesized query, alone or as an operand of a set operation."""
    for node in nodes_of(tree, exp.Subquery):
        bare = node.parent is None or isinstance(node.parent, exp.SetOperation | exp.Subquery)
        if bare and not node.args.get("alias") and node.this.args.get("order") is not None:
            raise DialectError(
                "ORDER BY is not allowed inside these parentheses. Drop them, or make the query a "
                "derived table: SELECT * FROM (SELECT TOP 5 ... ORDER BY ...) AS x."
            )


def _check_tuple(node: exp.Tuple) -> None:
    parent = node.parent
    rows = isinstance(parent, exp.Values | exp.GroupingSets | exp.Cube | exp.Rollup)
    columns = isinstance(parent, exp.Anonymous) and parent.name[2:] in FULLTEXT
    if isinstance(parent, exp.Group) and not node.expressions:
        raise DialectError("GROUP BY () groups nothing: drop it, an aggregate is over all rows.")
    if not (rows or columns):
        raise DialectError("A list in parentheses is not a value in T-SQL.")


def _check_values(node: exp.Values) -> None:
    holder = node.parent
    while isinstance(holder, exp.Subquery):
        holder = holder.parent
    if not isinstance(holder, exp.From | exp.Join | exp.Lateral):
        raise DialectError("VALUES is allowed only in FROM: FROM (VALUES (1), (2)) AS v(x).")


NODE_CHECKS: dict[type[exp.Expr], Callable[[Any], None]] = {
    exp.Alias: _check_alias,
    exp.All: _check_quantified,
    exp.Anonymous: check_function,
    exp.Any: _check_quantified,
    exp.Collate: _check_collate,
    exp.Convert: _check_convert,
    exp.DataType: _check_type,
    exp.Escape: _check_escape,
    exp.Except: _check_query,
    exp.ForClause: check_for,
    exp.Group: check_group,
    exp.Identifier: _quote_name,
    exp.IgnoreNulls: check_nulls,
    exp.In: _check_in,
    exp.Intersect: _check_query,
    exp.Is: _check_is,
    exp.Join: _check_join,
    exp.Lateral: _check_lateral,
    exp.Offset: _check_offset,
    exp.OpenJSON: check_openjson,
    exp.OpenJSONColumnDef: check_openjson_column,
    exp.Parameter: _check_parameter,
    exp.Pivot: check_pivot,
    exp.QueryOption: check_option,
    exp.RespectNulls: check_nulls,
    exp.Select: _check_query,
    exp.Star: _check_star,
    exp.Tuple: _check_tuple,
    exp.Union: _check_query,
    exp.Values: _check_values,
    exp.Version: _check_version,
    exp.Window: check_window,
    exp.WindowSpec: check_frame,
    exp.WithinGroup: _check_within_group,
    **dict.fromkeys(OPERATORS, _check_chain),
}
