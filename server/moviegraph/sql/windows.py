"""Windows of functions: what each function wants of its OVER, and what a named window adds."""

import re
from dataclasses import dataclass

from sqlglot import exp

from moviegraph.sql.functions import FUNCTIONS, PERCENTILES
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.reserved import FOREIGN_WORDS, RESERVED
from moviegraph.sql.walk import nodes

WITHOUT_FRAME = frozenset(
    "ROW_NUMBER RANK DENSE_RANK NTILE LAG LEAD PERCENT_RANK CUME_DIST".split()
)
ORDERED = WITHOUT_FRAME | {"FIRST_VALUE", "LAST_VALUE"}
CHOOSING = frozenset({"FIRST_VALUE", "LAST_VALUE", "LAG", "LEAD"})
WITHOUT_OVER = frozenset(
    "STRING_AGG GROUPING GROUPING_ID APPROX_COUNT_DISTINCT APPROX_PERCENTILE_CONT "
    "APPROX_PERCENTILE_DISC".split()
)
PARTS = {"partition_by": "PARTITION BY", "order": "ORDER BY", "spec": "frame"}
WRAPPERS = (exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)
MAX_WINDOWS = 20
PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
EDGES = ("UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING")


@dataclass(frozen=True, slots=True)
class Parts:
    """What a window says once the named windows it refers to are written out."""

    partition_by: list[exp.Expr] | None
    order: exp.Order | None
    spec: exp.WindowSpec | None


def written_out(window: exp.Window) -> Parts:
    """Return a window with the parts of those it names. Raises RefusalError."""
    parts = {part: window.args.get(part) for part in PARTS}
    named, seen = _definitions(window), set[str]()
    name = window.args.get("alias")
    while name is not None:
        known = named.get(name.name.lower())
        if known is None:
            listed = ", ".join(each.this.name for each in named.values()) or "none"
            raise RefusalError(
                "syntax", f"There is no window {name.name}; the WINDOW clause defines {listed}."
            )
        if name.name.lower() in seen:
            raise RefusalError("syntax", f"The window {name.name} refers to itself.")
        seen.add(name.name.lower())
        for part, words in PARTS.items():
            if known.args.get(part) and parts[part]:
                raise RefusalError(
                    "syntax", f"The window {name.name} has its {words} already; leave it out here."
                )
            parts[part] = parts[part] or known.args.get(part)
        name = known.args.get("alias")
    return Parts(**parts)


def _definitions(window: exp.Window) -> dict[str, exp.Window]:
    select = window.find_ancestor(exp.Select)
    listed: list[exp.Window] = (select.args.get("windows") if select is not None else None) or []
    return {each.this.name.lower(): each for each in listed}


def own_window(call: exp.Expr) -> exp.Window | None:
    """Return the window of a function call, if it has one."""
    holder, below = call.parent, call
    while isinstance(holder, WRAPPERS) and holder.this is below:
        holder, below = holder.parent, holder
    return holder if isinstance(holder, exp.Window) and holder.this is below else None


def check_window(node: exp.Window) -> None:
    """Check one OVER, or one definition of a WINDOW clause. Raises RefusalError."""
    if node.arg_key == "windows":
        _check_definition(node)
        return
    if node.args.get("over") not in (None, "OVER"):
        raise RefusalError("not_allowed", "A window is written OVER (...).")
    call = node.this
    while isinstance(call, WRAPPERS):
        call = call.this
    if not isinstance(call, exp.Anonymous) or call.name[2:] not in FUNCTIONS:
        raise RefusalError("syntax", "OVER follows a function.")
    _check_alone(node, call.name[2:])
    _check_parts(written_out(node), call)


def names_whole_window(node: exp.Identifier) -> bool:
    """Whether a name is all there is behind OVER; T-SQL takes it there without brackets only."""
    window = node.parent
    if not isinstance(window, exp.Window) or window.args.get("alias") is not node:
        return False
    return window.arg_key != "windows" and not any(map(window.args.get, PARTS))


def check_window_name(node: exp.Identifier) -> None:
    """Write the name of `OVER w` without brackets. Raises RefusalError."""
    word = node.name.upper()
    if word in RESERVED or word in FOREIGN_WORDS or not PLAIN_NAME.fullmatch(word):
        raise RefusalError(
            "syntax",
            f"OVER takes the name of a window without brackets, and {node.name[:40]!r} needs "
            "them; call the window w in its WINDOW clause and here: OVER w ... WINDOW w AS (...).",
        )
    node.set("quoted", False)


def _check_definition(node: exp.Window) -> None:
    if not isinstance(node.this, exp.Identifier):
        raise RefusalError("syntax", "A WINDOW clause is written WINDOW w AS (PARTITION BY ...).")
    name = node.this.name.lower()
    select = node.parent
    listed: list[exp.Window] = (select.args.get("windows") if select is not None else None) or []
    if len(listed) > MAX_WINDOWS:
        raise RefusalError(
            "too_large",
            f"A WINDOW clause defines at most {MAX_WINDOWS} windows, and this one {len(listed)}.",
        )
    if sum(each.this.name.lower() == name for each in listed) > 1:
        raise RefusalError("syntax", f"Two windows are called {node.this.name}; rename one.")
    _check_order(written_out(node).order)


def _check_alone(node: exp.Window, name: str) -> None:
    """Refuse a window inside another one or inside an aggregate."""
    parent = node.parent
    while parent is not None and not isinstance(parent, exp.Select):
        inside = isinstance(parent, exp.Anonymous) and parent.name[2:] in FUNCTIONS
        if isinstance(parent, exp.Window) or (
            inside and FUNCTIONS[parent.name[2:]].kind == "aggregate"
        ):
            raise RefusalError(
                "syntax",
                f"{name} with OVER stands inside another window or aggregate; compute it in a CTE "
                "first.",
            )
        parent = parent.parent


def _check_parts(parts: Parts, call: exp.Anonymous) -> None:
    name = call.name[2:]
    _check_order(parts.order)
    if name in WITHOUT_OVER:
        raise RefusalError("syntax", f"{name} takes no OVER; group in a CTE and join it.")
    if any(isinstance(argument, exp.Distinct) for argument in call.expressions):
        raise RefusalError(
            "syntax", f"{name}(DISTINCT ...) takes no OVER; count distinct values in a CTE."
        )
    if name in ORDERED and parts.order is None:
        raise RefusalError("syntax", f"{name} needs an order: {name}(...) OVER (ORDER BY x).")
    if name in PERCENTILES and (parts.order is not None or parts.spec is not None):
        raise RefusalError(
            "syntax",
            f"{name} takes its order WITHIN GROUP, and OVER (PARTITION BY ...) or OVER ().",
        )
    if parts.spec is not None:
        _check_framed(name, parts)


def _check_framed(name: str, parts: Parts) -> None:
    if name in WITHOUT_FRAME:
        raise RefusalError("syntax", f"{name} takes no ROWS or RANGE frame; leave it out.")
    if parts.order is None:
        raise RefusalError("syntax", "A ROWS or RANGE frame needs an ORDER BY before it in OVER.")


def _check_order(order: exp.Order | None) -> None:
    if order is not None and any(is_constant(each.this) for each in order.expressions):
        raise RefusalError(
            "syntax",
            "ORDER BY in OVER takes columns, no numbers or other constants; for any order write "
            "ORDER BY (SELECT NULL).",
        )


def is_constant(node: exp.Expr) -> bool:
    """Whether an expression is made of literals only."""
    varying = (exp.Column, exp.Anonymous, exp.Query, exp.Parameter)
    return not any(isinstance(each, varying) for each in nodes(node))


def check_frame(node: exp.WindowSpec) -> None:
    """Check the bounds of a frame. Raises RefusalError."""
    kind = str(node.args.get("kind", "")).upper()
    bounds = [node.args.get("start"), node.args.get("end")]
    if kind not in ("ROWS", "RANGE"):
        raise RefusalError("syntax", f"T-SQL has no {kind} frame; write ROWS BETWEEN ... AND ...")
    sides = [node.args.get("start_side"), node.args.get("end_side")]
    if any(not s and b not in (None, "CURRENT ROW") for b, s in zip(bounds, sides, strict=True)):
        raise RefusalError("syntax", "A frame bound is n PRECEDING, n FOLLOWING or CURRENT ROW.")
    for bound in bounds:
        counted = isinstance(bound, exp.Literal) and bound.name.isdigit()
        if isinstance(bound, exp.Expr) and not (counted and kind == "ROWS"):
            raise RefusalError(
                "syntax",
                "A frame is bounded by UNBOUNDED, CURRENT ROW or, with ROWS, a plain number: "
                "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW.",
            )
    first, last = _edge(node, "start"), _edge(node, "end")
    short = node.meta.get("short") and first > EDGES.index("CURRENT ROW")
    if first > last or first == len(EDGES) - 1 or last == 0 or short:
        raise RefusalError(
            "syntax", "A frame ends no earlier than it begins: ROWS BETWEEN start AND end."
        )


def _edge(node: exp.WindowSpec, which: str) -> int:
    bound, side = node.args.get(which), str(node.args.get(f"{which}_side") or "").upper()
    if bound == "CURRENT ROW":
        return EDGES.index("CURRENT ROW")
    return EDGES.index(f"UNBOUNDED {side}" if bound == "UNBOUNDED" else side)


def check_nulls(node: exp.Expr) -> None:
    """IGNORE NULLS and RESPECT NULLS follow the parenthesis of four functions."""
    call = node.this
    named = call.name[2:] if isinstance(call, exp.Anonymous) else ""
    if named not in CHOOSING or not isinstance(node.parent, exp.Window):
        raise RefusalError(
            "syntax",
            "IGNORE NULLS and RESPECT NULLS stand between FIRST_VALUE(x), LAST_VALUE(x), LAG(x) or "
            "LEAD(x) and its OVER.",
        )


def check_percentile(node: exp.WithinGroup) -> None:
    """A percentile is a literal from 0 to 1 and orders by one expression."""
    call = node.this
    name = call.name[2:] if isinstance(call, exp.Anonymous) else ""
    if name not in PERCENTILES:
        return
    share = call.expressions[0].unnest()
    if not isinstance(share, exp.Literal) or share.is_string or not 0 <= float(share.name) <= 1:
        raise RefusalError("wrong_arguments", f"{name} takes a number from 0 to 1: {name}(0.5).")
    order = node.expression
    if not isinstance(order, exp.Order) or len(order.expressions) != 1:
        raise RefusalError("wrong_arguments", f"{name} is ordered by one expression.")
