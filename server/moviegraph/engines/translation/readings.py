"""Reads numbers and moments from text as T-SQL reads them, which is stricter than DuckDB."""

import re

from sqlglot import exp

from moviegraph.engines.translation.nodes import (
    Node,
    call,
    cast,
    concatenated,
    number,
    text,
    try_cast,
    when,
)

WHOLE = r"\s*([+-]?\d+)?\s*"
EXACT = r"\s*[+-]?(\d+\.?\d*|\.\d+)\s*"
FLOAT = r"\s*([+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)?\s*"
FORMS = {
    "UTINYINT": WHOLE,
    "SMALLINT": WHOLE,
    "INT": WHOLE,
    "BIGINT": WHOLE,
    "DECIMAL": EXACT,
    "DOUBLE": FLOAT,
}
SHOWN = 60
UNSEPARATED = r"^(\d{4})(\d{2})(\d{2})( |$)"
DASHED = r"\1-\2-\3\4"


def number_in(node: Node, kind: str, *sizes: int, safe: bool = False) -> Node:
    """Return the number in a text: no fraction or exponent in a whole one; blank text is 0."""
    make = try_cast if safe else cast
    if kind not in FORMS:
        return make(node, kind, *sizes)
    filled = call("coalesce", call("nullif", call("trim", node.copy()), text("")), text("0"))
    readable = call("regexp_full_match", node.copy(), text(FORMS[kind]), text("i"))
    return when(readable, make(filled, kind, *sizes), None if safe else _refused(node, kind))


def bit_in(node: Node) -> Node:
    """Return the BIT in a text: true, false, or a whole number that is 0 or not."""
    word = call("lower", call("trim", node.copy()))
    branches = [
        exp.If(
            this=exp.EQ(this=word.copy(), expression=text(name)),
            true=exp.Boolean(this=name == "true"),
        )
        for name in ("true", "false")
    ]
    return exp.Case(ifs=branches, default=cast(number_in(node, "INT"), "BOOLEAN"))


def _refused(node: Node, kind: str) -> Node:
    """Fail as DuckDB does, so that `failures` knows it; NULL stays NULL."""
    shown = concatenated(text("Could not convert string '"), call("left", node, number(SHOWN)))
    return call("error", concatenated(shown, text(f"' to {kind}")))


def is_float(node: Node) -> Node:
    """Return whether a text is a number of any kind."""
    blank = exp.EQ(this=call("trim", node.copy()), expression=text(""))
    matches = call("regexp_full_match", node, text(FLOAT), text("i"))
    return exp.And(this=matches, expression=exp.Not(this=blank))


def separated(node: Node) -> Node:
    """Return a text that may be a date, `yyyymmdd` written as `yyyy-mm-dd`, which DuckDB reads."""
    if isinstance(node, exp.Literal):
        return text(re.sub(UNSEPARATED, DASHED, node.name)) if node.is_string else node
    return call("regexp_replace", node, text(UNSEPARATED), text(DASHED))
