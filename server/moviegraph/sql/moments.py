"""Dates and numbers: T-SQL reads a whole number as days since 1900, and no column means that."""

from sqlglot import exp

from moviegraph.sql.columns import shown
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.kinds import WHOLE
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.types import ARITHMETIC, kind_of, type_of
from moviegraph.sql.walk import nodes

MOMENTS = ("DATE", "DATETIME", "DATETIMEOFFSET")
SIGNS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
COMPARED = (*SIGNS, exp.Between, exp.In)
PARTS = frozenset({"__YEAR", "__MONTH", "__DAY", "__DATEPART"})
# Where a function takes a date.
DATED: dict[str, slice] = {
    **dict.fromkeys(("__YEAR", "__MONTH", "__DAY", "__EOMONTH"), slice(1)),
    **dict.fromkeys(("__DATEPART", "__DATENAME", "__DATETRUNC"), slice(1, 2)),
    **dict.fromkeys(("__DATEDIFF", "__DATEDIFF_BIG"), slice(1, 3)),
    "__DATEADD": slice(2, 3),
    "__DATE_BUCKET": slice(2, 4),
}


def check_moments(tree: exp.Query) -> None:
    """Refuse a number of the graph as a date, once types are known. Raises RefusalError."""
    for node in nodes(tree):
        if isinstance(node, exp.Anonymous) and node.name in DATED:
            for argument in node.expressions[DATED[node.name]]:
                _check(argument, f"{node.name[2:]} would read")
        elif isinstance(node, COMPARED):
            _check_compared(node)


def _check_compared(node: exp.Expr) -> None:
    names = ("this", "expression", "low", "high", "query")
    sides = [node.args[name] for name in names if isinstance(node.args.get(name), exp.Expr)]
    sides += node.args.get("expressions") or []
    if any(type_of(side) in MOMENTS for side in sides):
        for side in sides:
            _check(side, "beside a date T-SQL reads")


def _check(value: exp.Expr, reading: str) -> None:
    number = _number(value)
    if number is None:
        return
    name, held = f"{number.name[2:]}(...)", number.name
    cure = "Make a date of it first: DATEFROMPARTS(y, 1, 1)."
    if isinstance(number, exp.Column):
        name, held = shown(number), number.meta["lineage"][1]
    if "YEAR" in held.upper():
        cure = f"It is the year itself: {name} >= YEAR(GETDATE()) - 10."
    raise RefusalError(
        "wrong_arguments",
        f"{name} is a number and no date; {reading} it as days since 1900. {cure}",
    )


def _number(value: exp.Expr) -> exp.Expr | None:
    """Return the column or the part of a date that a whole number is computed from, if any."""
    stack = [value] if kind_of(value).name in WHOLE else []
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Paren | exp.Neg | exp.Window):
            stack.append(node.this)
        elif type(node) in ARITHMETIC:
            stack += [node.args["expression"], node.this]
        elif isinstance(node, exp.Column):
            if node.meta.get("lineage", (None,))[-1]:
                return node
        elif isinstance(node, exp.Anonymous) and node.name in PARTS:
            return node
        elif isinstance(node, exp.Case):
            stack += [each.args["true"] for each in node.args["ifs"]]
            stack += [node.args["default"]] if node.args.get("default") else []
        elif isinstance(node, exp.Cast) and kind_of(node).name in WHOLE:
            stack.append(node.this)
        elif isinstance(node, exp.Anonymous) and _carries(node):
            stack.append(node.expressions[0])
    return None


def _carries(node: exp.Anonymous) -> bool:
    """Whether a function returns its first argument, or a number of its type."""
    function = FUNCTIONS.get(node.name[2:])
    return function is not None and function.result == 0
