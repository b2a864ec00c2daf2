"""Checks of single nodes beyond their class: arity, place, options, types, literals."""

from typing import Any

from sqlglot import exp

from moviegraph.sql.call_checks import CALL_CHECKS
from moviegraph.sql.columns import no_vector
from moviegraph.sql.for_json import check_for, check_option
from moviegraph.sql.forms import FORMS
from moviegraph.sql.functions import DATEPART_FIRST, FULLTEXT, FUNCTIONS, METRICS
from moviegraph.sql.groups import check_group
from moviegraph.sql.lowering import unknown_function
from moviegraph.sql.openjson import check_openjson, check_openjson_column
from moviegraph.sql.own_syntax import MARKS, check_mark
from moviegraph.sql.path_aggregates import check_within_group, is_along_path
from moviegraph.sql.pivots import check_pivot
from moviegraph.sql.positions import POSITIONS
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.reserved import RESERVED
from moviegraph.sql.search_texts import check_search_text
from moviegraph.sql.types import type_name
from moviegraph.sql.walk import nodes
from moviegraph.sql.windows import (
    PERCENTILES,
    check_frame,
    check_nulls,
    check_percentile,
    check_window,
    check_window_name,
    names_whole_window,
    own_window,
)

MAX_ITEMS = 200
MAX_LENGTH = 8_000
JOIN_KINDS = frozenset({"", "INNER", "CROSS", "OUTER"})
JOIN_SIDES = frozenset({"", "LEFT", "RIGHT", "FULL"})
TYPE_NAMES = frozenset(
    """
    INT BIGINT SMALLINT TINYINT UTINYINT BIT BOOLEAN DECIMAL FLOAT DOUBLE CHAR VARCHAR NCHAR
    NVARCHAR
    DATE DATETIME DATETIME2 SMALLDATETIME TIME TIMESTAMPTZ MONEY SMALLMONEY
    """.split()
)

COLLATIONS = frozenset(
    f"LATIN1_GENERAL_{version}{kind}"
    for version in ("", "100_")
    for kind in ("CI_AI", "CI_AS", "CS_AS", "CS_AI", "BIN", "BIN2")
) | {"SQL_LATIN1_GENERAL_CP1_CI_AS", "SQL_LATIN1_GENERAL_CP1_CS_AS", "DATABASE_DEFAULT"}

COMPARING = frozenset({"__VECTOR_DISTANCE", "__VECTOR_SEARCH"})

COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)

INTERNAL = frozenset({"__MATCH", "__LANGUAGE", "__APPROXIMATE", *MARKS})

APPLIED = frozenset({"__STRING_SPLIT", "__GENERATE_SERIES", "__VECTOR_SEARCH"})


def _check_function(node: exp.Anonymous) -> None:
    name = node.name
    if not name.startswith("__"):
        raise unknown_function(name.upper(), None)
    if name == "__LANGUAGE" and not _is_search(node.parent):
        raise RefusalError("syntax", "LANGUAGE n stands in full-text functions only.")
    if name in MARKS:
        check_mark(node)
    if name in INTERNAL:
        return
    function = FUNCTIONS[name[2:]]
    count = len(node.expressions)
    if not function.low <= count <= function.high:
        wanted = (
            str(function.low)
            if function.low == function.high
            else f"{function.low} to {function.high}"
        )
        form = FORMS.get(function.name)
        raise RefusalError(
            "wrong_arguments",
            f"{function.name} takes {wanted} argument(s), not {count}"
            + (f"; write {form}." if form else "."),
        )
    _check_place(node, function.kind, function.name)
    if function.name in DATEPART_FIRST:
        _check_datepart(node, function.name)
    if function.name in FULLTEXT:
        _check_fulltext(node, function.name)
    if function.name == "VECTOR_DISTANCE":
        _check_metric(node)
    if function.name in CALL_CHECKS:
        CALL_CHECKS[function.name](node)
    _check_stars(node, function.name)


def _is_search(node: exp.Expr | None) -> bool:
    return isinstance(node, exp.Anonymous) and node.name[2:] in FULLTEXT


def _check_place(node: exp.Anonymous, kind: str, name: str) -> None:
    in_from = isinstance(node.parent, exp.Table | exp.Lateral)
    if (kind == "table") != in_from:
        where = "only in FROM" if kind == "table" else "nowhere in FROM"
        raise RefusalError("syntax", f"{name} may stand {where}.")
    if is_along_path(node.parent):
        return
    windowed = own_window(node) is not None
    if kind == "ranking" and not windowed:
        along = ", or WITHIN GROUP (GRAPH PATH) along a SHORTEST_PATH" * (name == "LAST_VALUE")
        raise RefusalError("syntax", f"{name} needs OVER ({_usual_window(name)}){along}.")
    if kind == "aggregate" and not windowed:
        _check_nested(node, name)
    if kind in ("aggregate", "ranking") and not isinstance(node.parent, exp.Pivot):
        _check_clause(node, name, windowed=windowed)
    if windowed and kind not in ("aggregate", "ranking"):
        raise RefusalError("syntax", f"{name} takes no OVER.")


def _usual_window(name: str) -> str:
    return "" if name in PERCENTILES else "ORDER BY x"


def _check_clause(node: exp.Anonymous, name: str, *, windowed: bool) -> None:
    """Refuse an aggregate before the groups exist, and a window function before the result."""
    clause = node.find_ancestor(exp.Where, exp.Join, exp.Group, exp.Having, exp.Select)
    if isinstance(clause, exp.Having) and not windowed:
        return
    if windowed and not isinstance(clause, exp.Select):
        raise RefusalError(
            "syntax",
            f"{name} with OVER stands in the select list or in ORDER BY; filter it in a CTE around "
            "this SELECT.",
        )
    if not isinstance(clause, exp.Select):
        raise RefusalError(
            "syntax",
            f"{name} cannot stand in WHERE, ON or GROUP BY; filter groups with HAVING.",
        )


def _check_nested(node: exp.Anonymous, name: str) -> None:
    """Refuse a subquery or another aggregate inside an aggregate."""
    for inner in nodes(node):
        aggregate = inner is not node and isinstance(inner, exp.Anonymous)
        aggregate = aggregate and not is_along_path(inner.parent)
        known = FUNCTIONS.get(inner.name[2:]) if aggregate else None
        if isinstance(inner, exp.Query) or (known is not None and known.kind == "aggregate"):
            raise RefusalError(
                "syntax",
                f"{name} takes no subquery and no other aggregate; compute that in a CTE or with "
                "CROSS APPLY first.",
            )


def _check_datepart(node: exp.Anonymous, name: str) -> None:
    if not isinstance(node.expressions[0], exp.Var):
        raise RefusalError(
            "wrong_arguments",
            f"The first argument of {name} is a date part such as year, month or day, unquoted.",
        )


def _check_fulltext(node: exp.Anonymous, name: str) -> None:
    table = name.endswith("TABLE")
    given = node.expressions[1:] if table else node.expressions
    columns, text, rest = given[0], given[1], given[2:]
    listed = columns.expressions if isinstance(columns, exp.Tuple) else [columns.unnest()]
    if not listed or not all(isinstance(each, exp.Column | exp.Star) for each in listed):
        raise RefusalError(
            "wrong_arguments",
            f"The column comes first, as x, (a, b) or *, and then the text: {FORMS[name]}.",
        )
    if not (isinstance(text, exp.Literal) and text.is_string) and not isinstance(
        text, exp.National
    ):
        form = f"{name}(Table, Content, " if table else f"{name}(x.Content, "
        raise RefusalError(
            "wrong_arguments",
            f"{name} takes its search text as a string literal, a phrase in inner double quotes: "
            f"{form}'\"space pirates\"').",
        )
    check_search_text(name, text.name)
    if rest and isinstance(rest[0], exp.Anonymous) and rest[0].name == "__LANGUAGE":
        rest = rest[1:]
    if rest and not (table and len(rest) == 1 and _is_count(rest[0])):
        wanted = "LANGUAGE n and then a row count" if table else "LANGUAGE n at most"
        raise RefusalError("wrong_arguments", f"After its search text {name} takes {wanted}.")


def _is_count(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.name.isdigit() and len(node.name) <= 9


def _check_metric(node: exp.Anonymous) -> None:
    metric = node.expressions[0]
    if not (
        isinstance(metric, exp.Literal) and metric.is_string and metric.name.lower() in METRICS
    ):
        raise RefusalError(
            "wrong_arguments",
            "The first argument of VECTOR_DISTANCE is 'cosine', 'euclidean' or 'dot'.",
            suggestions=METRICS,
        )
    for argument in node.expressions[1:]:
        if not isinstance(argument.unnest(), exp.Column | exp.Parameter | exp.Query):
            raise no_vector(argument.sql(dialect="tsql"))


def _check_stars(node: exp.Anonymous, name: str) -> None:
    if name in FULLTEXT:
        return
    for argument in node.expressions:
        if isinstance(argument, exp.Star) and name not in ("COUNT", "COUNT_BIG"):
            raise RefusalError("wrong_arguments", f"{name} takes no *.")
        if isinstance(argument, exp.Distinct):
            _check_distinct(argument, name)


def _check_distinct(node: exp.Distinct, name: str) -> None:
    if FUNCTIONS[name].kind != "aggregate" or name == "STRING_AGG":
        raise RefusalError(
            "wrong_arguments", f"{name} takes no DISTINCT; use a derived table of distinct rows."
        )
    if len(node.expressions) != 1:
        raise RefusalError("wrong_arguments", f"{name}(DISTINCT ...) takes one expression.")


def _check_join(node: exp.Join) -> None:
    kind, side = node.args.get("kind") or "", node.args.get("side") or ""
    if kind.upper() not in JOIN_KINDS or side.upper() not in JOIN_SIDES:
        named = " ".join(f"{side} {kind}".split())
        raise RefusalError(
            "not_allowed",
            f"A {named} JOIN is not T-SQL; write INNER, LEFT, RIGHT or FULL JOIN, or EXISTS.",
        )
    if side and kind.upper() not in ("", "OUTER"):
        raise RefusalError("syntax", f"A JOIN is either {side} or {kind}; drop one of the two.")
    on = node.args.get("on")
    if on is None and (side or kind.upper() in ("INNER", "OUTER")):
        raise RefusalError(
            "syntax",
            "This JOIN lacks its ON condition: JOIN x ON x.Id = y.Id. Tables of the graph are "
            "joined by MATCH: FROM A AS a, EDGE AS e, B AS b WHERE MATCH(a-(e)->b).",
        )
    if on is not None and kind.upper() == "CROSS":
        raise RefusalError("syntax", "A CROSS JOIN takes no ON.")


def _check_lateral(node: exp.Lateral) -> None:
    if not isinstance(node.args.get("cross_apply"), bool):
        raise RefusalError("not_allowed", "T-SQL has no LATERAL; write CROSS APPLY (...).")
    applied = node.this
    known = not isinstance(applied, exp.Anonymous) or applied.name in APPLIED
    if not known or not isinstance(
        applied, exp.Subquery | exp.Anonymous | exp.Values | exp.OpenJSON
    ):
        raise RefusalError(
            "not_allowed",
            "APPLY takes a subquery, VALUES, OPENJSON, STRING_SPLIT, GENERATE_SERIES or "
            "VECTOR_SEARCH.",
        )


def _check_type(node: exp.DataType) -> None:
    name = type_name(node)
    if name not in TYPE_NAMES or node.args.get("nested"):
        raise RefusalError("not_allowed", f"The type {name} is not part of the dialect.")
    for parameter in node.expressions:
        value = parameter.this if isinstance(parameter, exp.DataTypeParam) else parameter
        plain = isinstance(value, exp.Literal | exp.Var | exp.Column)
        if not plain or not (value.name.isdigit() or value.name.upper() == "MAX"):
            raise RefusalError("syntax", "The length of a type is a number or MAX.")
        if value.name.isdigit() and int(value.name[:9]) > MAX_LENGTH:
            raise RefusalError("syntax", f"The length of a type is at most {MAX_LENGTH:,}, or MAX.")


def _check_convert(node: exp.Convert) -> None:
    if not isinstance(node.this, exp.DataType) or node.args.get("expression") is None:
        raise RefusalError(
            "wrong_arguments", "CONVERT takes a type and then a value: CONVERT(NVARCHAR(10), x)."
        )


def _check_parameter(node: exp.Parameter) -> None:
    if not isinstance(node.this, exp.Var) or node.name.lower() != "q":
        raise RefusalError(
            "unknown_variable",
            f"The only variable is @q, the embedding of the query text, not {node.sql()[:40]}. "
            "Write other values as literals.",
        )
    node.this.set("this", "q")
    call = node.parent
    if not (isinstance(call, exp.Anonymous) and call.name in COMPARING):
        raise RefusalError(
            "embedding_output",
            "@q may only be an argument of VECTOR_DISTANCE, or SIMILAR_TO of VECTOR_SEARCH.",
        )


def _quote(node: exp.Identifier) -> None:
    """Bracket every name in the output; a pseudo-column and `OVER w` stay bare."""
    if not node.args.get("quoted") and node.name.upper() in RESERVED and not _after_dot(node):
        raise RefusalError(
            "syntax",
            f"{node.name} is a reserved word of T-SQL; as a name, write it in brackets: "
            f"[{node.name}].",
        )
    if names_whole_window(node):
        check_window_name(node)
        return
    pseudo = node.name.startswith("$")
    if pseudo and not isinstance(node.parent, exp.Column):
        raise RefusalError("syntax", f"The name {node.name} begins with $; write another.")
    node.set("quoted", not pseudo)


def _after_dot(node: exp.Identifier) -> bool:
    return isinstance(node.parent, exp.Column) and bool(node.parent.table)


def _check_in(node: exp.In) -> None:
    if not node.expressions and node.args.get("query") is None:
        raise RefusalError("syntax", "IN takes a list of values or a subquery: x IN (1, 2).")
    if len(node.expressions) > MAX_ITEMS:
        raise RefusalError(
            "too_large", f"IN takes at most {MAX_ITEMS} values; use a subquery or a range."
        )


def _check_collate(node: exp.Collate) -> None:
    if node.expression.name.upper() not in COLLATIONS:
        raise RefusalError("not_allowed", f"The collation {node.expression.name} is not known.")
    if isinstance(node.this, exp.Collate):
        raise RefusalError("syntax", "COLLATE stands once behind a value.")


def _check_escape(node: exp.Escape) -> None:
    if not isinstance(node.this, exp.Like) or len(node.expression.name) != 1:
        raise RefusalError("syntax", "ESCAPE takes one character.")


def _check_quantified(node: exp.Expr) -> None:
    if not isinstance(node.parent, COMPARISONS) or node.parent.args.get("expression") is not node:
        raise RefusalError(
            "syntax", "ANY and ALL stand on the right of a comparison: x > ALL (SELECT ...)."
        )
    if not isinstance(node.this.unnest(), exp.Query):
        raise RefusalError("syntax", "ANY and ALL take a subquery; for a list of values use IN.")


def _check_version(node: exp.Version) -> None:
    table = node.parent
    plain = isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier)
    if not plain or node.name != "TIMESTAMP" or node.args.get("kind") != "ALL":
        raise RefusalError("for_path", "FOR PATH stands behind the name of a table in FROM.")


def _check_is(node: exp.Is) -> None:
    if not isinstance(node.expression, exp.Null):
        raise RefusalError("syntax", "IS takes NULL or NOT NULL; compare other values with =.")


def _check_within_group(node: exp.WithinGroup) -> None:
    check_within_group(node)
    check_percentile(node)


CHECKS: dict[type[exp.Expr], Any] = {
    **POSITIONS,
    exp.All: _check_quantified,
    exp.Anonymous: _check_function,
    exp.Any: _check_quantified,
    exp.Collate: _check_collate,
    exp.Convert: _check_convert,
    exp.DataType: _check_type,
    exp.Escape: _check_escape,
    exp.ForClause: check_for,
    exp.Group: check_group,
    exp.Identifier: _quote,
    exp.IgnoreNulls: check_nulls,
    exp.In: _check_in,
    exp.Is: _check_is,
    exp.Join: _check_join,
    exp.Lateral: _check_lateral,
    exp.OpenJSON: check_openjson,
    exp.OpenJSONColumnDef: check_openjson_column,
    exp.Parameter: _check_parameter,
    exp.Pivot: check_pivot,
    exp.QueryOption: check_option,
    exp.RespectNulls: check_nulls,
    exp.Version: _check_version,
    exp.Window: check_window,
    exp.WindowSpec: check_frame,
    exp.WithinGroup: _check_within_group,
}
