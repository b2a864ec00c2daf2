"""Numbers written as text by CAST and CONVERT."""

from sqlglot import exp

from moviegraph.engines.translation.nodes import Node, call, cast, joined, text, unsupported

EXPONENT = r"e([+-])(\d\d)$"
FLOAT_STYLES = {0: "%.6g", 1: "%.7e", 2: "%.15e", 3: "%.16e"}


def float_text(node: Node, style: int = 0) -> Node:
    """Return a FLOAT as text: six digits or, in scientific notation, 8, 16 or 17."""
    if style not in FLOAT_STYLES:
        raise unsupported(f"CONVERT style {style} for FLOAT")
    shown = call("printf", text(FLOAT_STYLES[style]), node)
    return call("regexp_replace", shown, text(EXPONENT), text(r"e\10\2"))


def money_text(node: Node, style: int = 0) -> Node:
    """Return MONEY as text: two places, with commas in style 1; four places in style 2."""
    if style in (2, 126):
        return cast(cast(node, "DECIMAL", 19, 4), "VARCHAR")
    if style not in (0, 1):
        raise unsupported(f"CONVERT style {style} for MONEY")
    rounded = cast(cast(node, "DECIMAL", 19, 2), "VARCHAR")
    return _with_commas(rounded) if style else rounded


def _with_commas(shown: Node) -> Node:
    """Put a comma before every three digits: from behind, where the groups begin."""
    whole = call("split_part", shown.copy(), text("."), exp.Literal.number(1))
    places = call("split_part", shown, text("."), exp.Literal.number(2))
    reversed_ = call(
        "regexp_replace", call("reverse", whole), text(r"(\d{3})"), text(r"\1,"), text("g")
    )
    grouped = call("regexp_replace", call("reverse", reversed_), text(r"^(-?),"), text(r"\1"))
    return joined(grouped, text("."), places)
