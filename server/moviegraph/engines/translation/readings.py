"""Reads numbers and moments from text as T-SQL reads them, which is stricter than DuckDB."""

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
MONEY = r"\s*[+-]?\s*[$\x{A3}\x{A5}\x{20AC}]?\s*[+-]?[\d,]*(\.[\d,]*)?\s*"  # no grouping rules
MONEY_MARKS = r"[,\s$\x{A3}\x{A5}\x{20AC}]"
NUMERIC = rf"{MONEY}|\s*[+-]?(\d+\.?\d*|\.\d+)([ed][+-]?\d+)?\s*"


def number_in(node: Node, kind: str, *sizes: int, safe: bool = False) -> Node:
    """Return the number in a text: no fraction or exponent in a whole one; blank text is 0."""
    make = try_cast if safe else cast
    if kind not in FORMS:
        return make(node, kind, *sizes)
    filled = call("coalesce", call("nullif", call("trim", node.copy()), text("")), text("0"))
    readable: Node = call("regexp_full_match", node.copy(), text(FORMS[kind]), text("i"))
    if kind == "DOUBLE":
        finite = call("isfinite", try_cast(filled.copy(), kind))
        readable = exp.And(this=readable, expression=finite)
    return when(readable, make(filled, kind, *sizes), None if safe else _refused(node, kind))


def _refused(node: Node, kind: str) -> Node:
    """Fail as DuckDB does, so that `failures` knows it; NULL stays NULL."""
    shown = concatenated(text("Could not convert string '"), call("left", node, number(SHOWN)))
    return call("error", concatenated(shown, text(f"' to {kind}")))


def is_numeric(node: Node) -> Node:
    """Return whether a text is a number of any kind, MONEY and a lone sign among them."""
    blank = exp.EQ(this=call("trim", node.copy()), expression=text(""))
    matches = call("regexp_full_match", node, text(NUMERIC), text("i"))
    return exp.And(this=matches, expression=exp.Not(this=blank))


def money_in(node: Node, name: str, *sizes: int, safe: bool = False) -> Node:
    """Return the MONEY in a text, which may have commas and a sign; without digits it is 0."""
    bare = call("regexp_replace", node.copy(), text(MONEY_MARKS), text(""), text("g"))
    has_digits = call("regexp_matches", node.copy(), text(r"\d"))
    filled = when(has_digits, bare, text("0"))
    made = (try_cast if safe else cast)(filled, "DECIMAL", *sizes)
    readable = call("regexp_full_match", node.copy(), text(MONEY))
    return when(readable, made, None if safe else _refused(node, name.lower()))


def bit_in(node: Node, *, safe: bool = False) -> Node:
    """Return the BIT in a text: TRUE, FALSE, or a number, which is 1 unless it is 0."""
    word = call("lower", call("trim", node.copy()))
    branches = [
        exp.If(this=exp.EQ(this=word, expression=text("true")), true=exp.Boolean(this=True)),
        exp.If(
            this=exp.EQ(this=word.copy(), expression=text("false")), true=exp.Boolean(this=False)
        ),
    ]
    return exp.Case(ifs=branches, default=cast(number_in(node, "INT", safe=safe), "BOOLEAN"))
