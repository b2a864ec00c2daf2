"""Checks of single nodes beyond their class: place, options, types, literals."""

from typing import Any

from sqlglot import exp

from moviegraph.sql.call_checks import check_function
from moviegraph.sql.for_json import check_for, check_option
from moviegraph.sql.groups import check_group
from moviegraph.sql.kinds import MOST_FRACTION, SCALED
from moviegraph.sql.openjson import check_openjson, check_openjson_column
from moviegraph.sql.path_aggregates import check_within_group
from moviegraph.sql.pivots import check_pivot
from moviegraph.sql.positions import POSITIONS
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.reserved import RESERVED
from moviegraph.sql.syntax import TOP_AND_OFFSET
from moviegraph.sql.types import OPERATORS, type_name
from moviegraph.sql.windows import (
    check_frame,
    check_nulls,
    check_percentile,
    check_window,
    check_window_name,
    names_whole_window,
)

MAX_ITEMS = 200
MAX_LENGTH = 8_000
MAX_OPERATORS = 100  # translating a longer chain comes near the depth that the interpreter has
FRACTIONS = {name: name for name in SCALED} | {"TIMESTAMPTZ": "DATETIMEOFFSET"}
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


APPLIED = frozenset({"__STRING_SPLIT", "__GENERATE_SERIES", "__VECTOR_SEARCH"})


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
        if name in FRACTIONS and (not value.name.isdigit() or int(value.name) > MOST_FRACTION):
            written = FRACTIONS[name]
            raise RefusalError("syntax", f"{written} has 0 to 7 digits of a second: {written}(3).")


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


def _check_chain(node: exp.Binary) -> None:
    if isinstance(node.parent, OPERATORS) and node.parent.this is node:
        return
    count, here = 0, node.unnest()
    while isinstance(here, OPERATORS):
        count, here = count + (3 if isinstance(here, exp.Div) else 1), here.this.unnest()
    if count > MAX_OPERATORS:
        raise RefusalError(
            "too_large",
            f"{count} operators stand in one chain, a division counted as three; {MAX_OPERATORS} "
            "are the most. Join texts with CONCAT, add up with SUM over VALUES, or compute a part "
            "in a CTE.",
        )


def _check_collate(node: exp.Collate) -> None:
    if node.expression.name.upper() not in COLLATIONS:
        raise RefusalError("not_allowed", f"The collation {node.expression.name} is not known.")
    if isinstance(node.this, exp.Collate):
        raise RefusalError("syntax", "COLLATE stands once behind a value.")


def _check_offset(node: exp.Offset) -> None:
    query = node.parent
    if query is not None and isinstance(query.args.get("limit"), exp.Limit):
        raise RefusalError("syntax", TOP_AND_OFFSET)


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
    exp.Anonymous: check_function,
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
    exp.Offset: _check_offset,
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
    **dict.fromkeys(OPERATORS, _check_chain),
}
