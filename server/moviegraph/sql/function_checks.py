"""Checks of function calls: arity, position, arguments, repetition, and numbers as dates."""

from collections.abc import Callable

from sqlglot import exp

from moviegraph.errors import ExecutionError
from moviegraph.sql.contains import check_length, notes_on_search, parse_contains
from moviegraph.sql.decision import DialectError, RefusalError
from moviegraph.sql.functions import (
    CALL_FORMS,
    DATEPART_FIRST,
    FULLTEXT,
    FUNCTIONS,
    METRICS,
    PERCENTILES,
    Function,
    has_group_aggregate,
    is_along_path,
    unknown_function,
    window_of,
)
from moviegraph.sql.rowset_functions import read_series
from moviegraph.sql.scope import column_text, no_vector
from moviegraph.sql.syntax_tree import TEXTS, annotations, nodes, nodes_of
from moviegraph.sql.types import ARITHMETIC, MAX, UNKNOWN, WHOLE, sql_type, type_family

INTERNAL = frozenset({"__MATCH", "__LANGUAGE"})
DATE_FAMILIES = ("DATE", "DATETIME", "DATETIMEOFFSET")
COMPARED_SIDES = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)  # unknown beside NULL
COMPARISON_OPERATORS = (*COMPARED_SIDES, exp.NullSafeEQ, exp.NullSafeNEQ)
COMPARED = (*COMPARISON_OPERATORS, exp.Between, exp.In)
MAX_REPEATED = 8_000
CUT_FIRST = "cut it first: REPLICATE(CAST(x AS NVARCHAR(100)), 3)."
PARTS = frozenset({"__YEAR", "__MONTH", "__DAY", "__DATEPART"})
# Where a function takes a date.
DATE_ARGUMENTS: dict[str, slice] = {
    **dict.fromkeys(("__YEAR", "__MONTH", "__DAY", "__EOMONTH"), slice(1)),
    **dict.fromkeys(("__DATEPART", "__DATENAME", "__DATETRUNC"), slice(1, 2)),
    **dict.fromkeys(("__DATEDIFF", "__DATEDIFF_BIG"), slice(1, 3)),
    "__DATEADD": slice(2, 3),
}
# Where a function takes a text, and no number in its place.
TEXT_ARGUMENT = {"SUBSTRING": 0, "TRIM": -1}
# Of which arguments one may not be the constant NULL.
NULLABLE = {"COALESCE": slice(None), "IIF": slice(1, None), "NULLIF": slice(1)}


def _check_split(node: exp.Anonymous) -> None:
    """The separator is one character, and whether there are ordinals is a constant."""
    separator, ordinal = node.expressions[1], node.expressions[2:]
    if isinstance(separator, exp.Literal | exp.National) and len(separator.name) != 1:
        raise RefusalError("wrong_arguments", "STRING_SPLIT splits at one character.")
    if ordinal and not (isinstance(ordinal[0], exp.Null) or ordinal[0].name in ("0", "1")):
        raise RefusalError("wrong_arguments", "The third argument of STRING_SPLIT is 1 or 0.")


def _check_separator(node: exp.Anonymous) -> None:
    """The separator is the same for all rows, as in SQL Server (error 8733)."""
    separator = node.expressions[1]
    if isinstance(separator, exp.Order):  # ORDER BY inside the call has its own refusal
        return
    if any(isinstance(part, exp.Column | exp.Query) for part in nodes(separator)):
        raise RefusalError(
            "wrong_arguments",
            "The separator of STRING_AGG is a string literal. To add a column to each text, "
            "concatenate it: STRING_AGG(CONCAT(x, y), ', ').",
        )


def _check_offset(node: exp.Anonymous) -> None:
    """LAG and LEAD look one way only."""
    offset = node.expressions[1].unnest() if len(node.expressions) > 1 else None
    digits = offset.this.unnest().name if isinstance(offset, exp.Neg) else ""
    if digits.isdigit() and int(digits) > 0:
        other = {"LAG": "LEAD", "LEAD": "LAG"}[node.name[2:]]
        raise RefusalError(
            "wrong_arguments",
            f"The offset of {node.name[2:]} is 0 or more; {other}(x, n) looks the other way.",
        )


def _check_repetition(node: exp.Anonymous) -> None:
    """Bound what REPLICATE and SPACE make: the count is a literal."""
    name, count = node.name[2:], node.expressions[-1].unnest()
    if isinstance(count, exp.Neg):
        count = count.this.unnest()
    if isinstance(count, exp.Null):
        return
    if not isinstance(count, exp.Literal) or count.is_string or "e" in count.name.lower():
        raise _unbounded(
            f"The count of {name} is a number, no expression. To fill up a text, cut a longer one: "
            "RIGHT(REPLICATE('0', 8) + x, 8)."
        )
    if float(count.name) >= MAX_REPEATED + 1:
        raise _unbounded(f"The count of {name} is at most {MAX_REPEATED:,}.")
    calls = nodes(node.expressions[0]) if name == "REPLICATE" else []
    if any(isinstance(call, exp.Anonymous) and call.name == node.name for call in calls):
        raise _unbounded("REPLICATE repeats no REPLICATE; write one count.")


def check_types(tree: exp.Query) -> None:
    """Check what depends on the types of arguments, once names are resolved. Raises RefusalError.

    SQL Server refuses a number in SUBSTRING and TRIM (error 8116) and a value that can only be the
    constant NULL (4127, 4151, 8133); a number of the graph read as a date it would run.
    """
    for node in nodes(tree):
        if isinstance(node, exp.Anonymous):
            _check_argument_types(node)
        elif isinstance(node, COMPARED):
            _check_compared(node)
        elif isinstance(node, exp.Case):
            results = [branch.args["true"] for branch in node.args["ifs"]]
            _check_not_null("CASE", [*results, node.args.get("default")])


def _check_argument_types(call: exp.Anonymous) -> None:
    name, arguments = call.name[2:], call.expressions
    if name in TEXT_ARGUMENT:
        _check_text(name, arguments[TEXT_ARGUMENT[name]])
    elif name in NULLABLE:
        _check_not_null(name, arguments[NULLABLE[name]])
    elif call.name in DATE_ARGUMENTS:
        for argument in arguments[DATE_ARGUMENTS[call.name]]:
            _check_no_number(argument, f"{name} would read")


def _check_text(name: str, argument: exp.Expr) -> None:
    kind = sql_type(argument)
    if kind.name in TEXTS or kind == UNKNOWN:
        return
    shown = column_text(argument) if isinstance(argument, exp.Column) else "x"
    rest = ", 1, 4)" if name == "SUBSTRING" else ")"
    raise RefusalError(
        "wrong_arguments",
        f"{name} takes a text, and {'this' if shown == 'x' else shown} is {kind.name}; write "
        f"{name}(CAST({shown} AS VARCHAR(30)){rest}. LEFT and RIGHT take numbers too.",
    )


def _check_not_null(name: str, results: list[exp.Expr | None]) -> None:
    if all(result is None or isinstance(result.unnest(), exp.Null) for result in results):
        raise RefusalError(
            "wrong_arguments",
            f"{name} has no result but NULL; give one of them a value or a type: "
            "CAST(NULL AS INT).",
        )


def check_repeated_texts(tree: exp.Query) -> None:
    """Refuse a REPLICATE of a large text, once types are known. Raises RefusalError.

    Types follow columns through derived tables, CTEs and every arm of a UNION. A REPLICATE that is
    repeated through a computed column, as in WITH a AS (SELECT REPLICATE('ab', 4000) AS x) SELECT
    REPLICATE(x, 8000) FROM a, is not followed: beside another one it repeats no such column.
    """
    calls = [
        node
        for node in nodes(tree)
        if isinstance(node, exp.Anonymous) and node.name == "__REPLICATE"
    ]
    for call in calls:
        repeated = call.expressions[0].unnest()
        kind = sql_type(repeated)
        is_known = kind.name != "UNKNOWN" or isinstance(repeated, exp.Null)
        if kind.size == MAX or not is_known:
            raise _unbounded(f"REPLICATE does not repeat text of a MAX type; {CUT_FIRST}")
        if len(calls) > 1 and any(map(_is_computed, nodes_of(repeated, exp.Column))):
            raise _unbounded(
                f"REPLICATE does not repeat a column that another one may have made; {CUT_FIRST}"
            )


def _is_computed(column: exp.Column) -> bool:
    """Return whether a column is computed in another SELECT, and not cut by a CAST here."""
    is_cut = isinstance(column.parent, exp.Cast | exp.TryCast)
    return annotations(column).lineage[0] is None and not is_cut


def _unbounded(message: str) -> RefusalError:
    return RefusalError("too_large", message)


def _check_tiles(node: exp.Anonymous) -> None:
    """NTILE divides into one group or more."""
    count = node.expressions[0].unnest()
    if isinstance(count, exp.Neg) or (isinstance(count, exp.Literal) and not count.name.strip("0")):
        raise RefusalError("wrong_arguments", "NTILE takes a number of 1 or more: NTILE(4).")


def _check_ordered(node: exp.Anonymous) -> None:
    if not isinstance(node.parent, exp.WithinGroup):
        name = node.name[2:]
        raise RefusalError("wrong_arguments", f"{name} is written {CALL_FORMS[name]}.")


CALL_CHECKS: dict[str, Callable[[exp.Anonymous], object]] = {
    **dict.fromkeys(PERCENTILES, _check_ordered),
    "GENERATE_SERIES": read_series,
    "LAG": _check_offset,
    "LEAD": _check_offset,
    "NTILE": _check_tiles,
    "REPLICATE": _check_repetition,
    "SPACE": _check_repetition,
    "STRING_AGG": _check_separator,
    "STRING_SPLIT": _check_split,
}


def check_function(node: exp.Anonymous) -> None:
    """Check one call. Raises RefusalError."""
    name = node.name
    if not name.startswith("__"):
        raise unknown_function(name.upper(), None)
    if name == "__LANGUAGE" and not _is_search(node.parent):
        raise DialectError("LANGUAGE n is allowed only in full-text functions.")
    if name in INTERNAL:
        return
    function = FUNCTIONS[name[2:]]
    _check_count(function, len(node.expressions))
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


def _check_count(function: Function, count: int) -> None:
    low, high = function.low, function.high
    if not low <= count <= high:
        expected = str(low) if low == high else f"{low} to {high}"
        form = CALL_FORMS.get(function.name)
        raise RefusalError(
            "wrong_arguments",
            f"{function.name} takes {expected} argument(s), not {count}"
            + (f"; write {form}." if form else "."),
        )


def _is_search(node: exp.Expr | None) -> bool:
    return isinstance(node, exp.Anonymous) and node.name[2:] in FULLTEXT


def _check_place(node: exp.Anonymous, kind: str, name: str) -> None:
    in_from = isinstance(node.parent, exp.Table | exp.Lateral)
    if (kind == "table") != in_from:
        where = "only in FROM" if kind == "table" else "nowhere in FROM"
        raise DialectError(f"{name} is allowed {where}.")
    if is_along_path(node.parent):
        return
    windowed = window_of(node) is not None
    if kind == "ranking" and not windowed:
        raise DialectError(f"{name} needs {_usual_window(name)}.")
    if kind == "aggregate" and not windowed:
        _check_nested(node, name)
    if kind in ("aggregate", "ranking") and not isinstance(node.parent, exp.Pivot):
        _check_clause(node, name, windowed=windowed)
    if windowed and kind not in ("aggregate", "ranking"):
        raise DialectError(f"{name} does not accept OVER.")


def _usual_window(name: str) -> str:
    if name in PERCENTILES:
        return f"OVER (); of groups APPROX_{name} is the aggregate"
    along = ", or WITHIN GROUP (GRAPH PATH) along a SHORTEST_PATH" * (name == "LAST_VALUE")
    return f"OVER (ORDER BY x){along}"


def _check_clause(node: exp.Anonymous, name: str, *, windowed: bool) -> None:
    """Refuse an aggregate before the groups exist, and a window function before the result."""
    clause = node.find_ancestor(exp.Where, exp.Join, exp.Group, exp.Having, exp.Select)
    if isinstance(clause, exp.Having) and not windowed:
        return
    if windowed and not isinstance(clause, exp.Select):
        raise DialectError(
            f"{name} with OVER is allowed only in the select list and in ORDER BY; filter it in a "
            "CTE around this SELECT."
        )
    if not isinstance(clause, exp.Select):
        raise DialectError(
            f"{name} is not allowed in WHERE, ON or GROUP BY; filter groups with HAVING."
        )


def _check_nested(node: exp.Anonymous, name: str) -> None:
    """Refuse a subquery or another aggregate inside an aggregate.

    A percentile aggregates what it is ordered by.
    """
    parent = node.parent if name in PERCENTILES else None
    for inner in nodes(parent or node):
        aggregate = inner is not node and isinstance(inner, exp.Anonymous)
        aggregate = aggregate and not is_along_path(inner.parent)
        inner_function = FUNCTIONS.get(inner.name[2:]) if aggregate else None
        if isinstance(inner, exp.Query) or (
            inner_function is not None and inner_function.kind == "aggregate"
        ):
            raise DialectError(
                f"{name} does not accept a subquery or another aggregate; compute it for each row "
                f"in a CTE first: {_in_cte(node, name)}."
            )


def _in_cte(node: exp.Anonymous, name: str) -> str:
    """Return the aggregate over a CTE, with the names of the statement.

    SELECT g.Name, SUM(CASE WHEN EXISTS (SELECT ...) THEN 1 ELSE 0 END) ... GROUP BY g.Name
    -> WITH r AS (SELECT g.Name, CASE WHEN EXISTS(...) THEN 1 ELSE 0 END AS n FROM ...)
       SELECT r.Name, SUM(r.n) AS n FROM r GROUP BY r.Name
    """
    argument = node.expressions[0].copy()
    for query in list(argument.find_all(exp.Select, exp.SetOperation)):
        query.replace(exp.Var(this="..."))
    is_nested = has_group_aggregate(argument)
    for call in argument.find_all(exp.Anonymous):
        call.set("this", call.name.removeprefix("__"))
    select = node.find_ancestor(exp.Select)
    group = select.args.get("group") if select is not None else None
    grouped: list[exp.Expr] = group.expressions if group is not None else []
    keys = [key for key in grouped if isinstance(key, exp.Column)]
    if is_nested:  # of MAX(COUNT(*)) the inner one needs the groups
        by = ", ".join(map(column_text, keys)) or "x.Id"
        inner = f"SELECT {by}, {argument.sql(dialect='tsql')} AS n FROM ... GROUP BY {by}"
        return f"WITH r AS ({inner}) SELECT {name}(r.n) AS n FROM r"
    rows = ", ".join([*map(column_text, keys), f"{argument.sql(dialect='tsql')} AS n"])
    names = ", ".join(f"r.{key.name}" for key in keys)
    by = f" GROUP BY {names}" if keys else ""
    listed = ", ".join([*([names] if keys else []), f"{name}(r.n) AS n"])
    return f"WITH r AS (SELECT {rows} FROM ...) SELECT {listed} FROM r{by}"


def _check_datepart(node: exp.Anonymous, name: str) -> None:
    if not isinstance(node.expressions[0], exp.Var):
        raise RefusalError(
            "wrong_arguments",
            f"The first argument of {name} is a date part such as year, month or day, unquoted.",
        )


def _check_fulltext(node: exp.Anonymous, name: str) -> None:
    table = name.endswith("TABLE")
    arguments = node.expressions[1:] if table else node.expressions
    columns, text, options = arguments[0], arguments[1], arguments[2:]
    column_nodes = columns.expressions if isinstance(columns, exp.Tuple) else [columns.unnest()]
    if not column_nodes or not all(
        isinstance(item, exp.Column | exp.Star) for item in column_nodes
    ):
        raise RefusalError(
            "wrong_arguments",
            f"The column comes first, as x, (a, b) or *, and then the text: {CALL_FORMS[name]}.",
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
    _check_search_text(name, text.name)
    if options and isinstance(options[0], exp.Anonymous) and options[0].name == "__LANGUAGE":
        options = options[1:]
    if options and not (table and len(options) == 1 and _is_count(options[0])):
        expected = "LANGUAGE n and then a row count" if table else "LANGUAGE n at most"
        raise RefusalError("wrong_arguments", f"After its search text {name} takes {expected}.")


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
            raise RefusalError("wrong_arguments", f"{name} does not accept *.")
        if isinstance(argument, exp.Distinct):
            _check_distinct(argument, name)


def _check_distinct(node: exp.Distinct, name: str) -> None:
    if FUNCTIONS[name].kind != "aggregate" or name == "STRING_AGG":
        raise RefusalError(
            "wrong_arguments",
            f"{name} does not accept DISTINCT; use a derived table of distinct rows.",
        )
    if len(node.expressions) != 1:
        raise RefusalError("wrong_arguments", f"{name}(DISTINCT ...) takes one expression.")


def _check_compared(node: exp.Expr) -> None:
    names = ("this", "expression", "low", "high", "query")
    operands = [node.args[name] for name in names if isinstance(node.args.get(name), exp.Expr)]
    operands += node.args.get("expressions") or []
    if any(type_family(side) in DATE_FAMILIES for side in operands):
        for side in operands:
            _check_no_number(side, "next to a date T-SQL reads")


def _check_no_number(value: exp.Expr, reading: str) -> None:
    number = _whole_number(value)
    if number is None:
        return
    name, function_name = f"{number.name[2:]}(...)", number.name
    cure = "Make a date of it first: DATEFROMPARTS(y, 1, 1)."
    if isinstance(number, exp.Column):
        name, function_name = column_text(number), annotations(number).lineage[1] or ""
    if "YEAR" in function_name.upper():
        cure = f"It is the year itself: {name} >= YEAR(GETDATE()) - 10."
    raise RefusalError(
        "wrong_arguments",
        f"{name} is a number and no date; {reading} it as days since 1900. {cure}",
    )


def _whole_number(value: exp.Expr) -> exp.Expr | None:
    """Return the column or the part of a date that a whole number is computed from, if any."""
    stack = [value] if sql_type(value).name in WHOLE else []
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Paren | exp.Neg | exp.Window):
            stack.append(node.this)
        elif type(node) in ARITHMETIC:
            stack += [node.args["expression"], node.this]
        elif isinstance(node, exp.Column):
            if annotations(node).lineage[-1]:
                return node
        elif isinstance(node, exp.Anonymous) and node.name in PARTS:
            return node
        elif isinstance(node, exp.Case):
            stack += [branch.args["true"] for branch in node.args["ifs"]]
            stack += [node.args["default"]] if node.args.get("default") else []
        elif isinstance(node, exp.Cast) and sql_type(node).name in WHOLE:
            stack.append(node.this)
        elif isinstance(node, exp.Anonymous) and _carries(node):
            stack.append(node.expressions[0])
    return None


def _carries(node: exp.Anonymous) -> bool:
    """Whether a function returns its first argument, or a number of its type."""
    function = FUNCTIONS.get(node.name[2:])
    return function is not None and function.result == 0


def _check_search_text(name: str, text: str) -> None:
    """Check the text of a full-text call against its grammar. Raises RefusalError."""
    try:
        if name.startswith("CONTAINS"):
            parse_contains(text)
        else:
            _check_free_text(name, text)
    except ExecutionError as error:
        raise RefusalError("fulltext_syntax", f"{name}: {error.message} {error.hint}") from error


def _check_free_text(name: str, text: str) -> None:
    check_length(text)
    if not text.strip():
        raise RefusalError(
            "fulltext_syntax", f"{name}: The text to search for is empty. Write the words wanted."
        )


def search_notes(tree: exp.Expr) -> list[str]:
    """Return a note on each full-text call that finds nothing because of stop words."""
    notes: list[str] = []
    for node in nodes(tree):
        if isinstance(node, exp.Anonymous) and node.name[2:] in FULLTEXT:
            notes += notes_on_search(*search_of(node))
    return list(dict.fromkeys(notes))


def search_of(call: exp.Anonymous) -> tuple[str, str]:
    """Return function and text of a full-text call."""
    name = call.name[2:]
    return name, str(call.expressions[2 if name.endswith("TABLE") else 1].this)
