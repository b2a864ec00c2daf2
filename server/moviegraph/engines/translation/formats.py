"""FORMAT: the patterns of .NET in the culture en-US."""

from moviegraph.engines.translation.calls import Call, as_timestamp, is_number
from moviegraph.engines.translation.date_formats import formatted_moment, formatted_time
from moviegraph.engines.translation.nodes import Node, unsupported
from moviegraph.engines.translation.number_formats import formatted_number

ENGLISH = ("en", "en-us")
HINT = "Known are date patterns such as 'yyyy-MM-dd' and number patterns such as 'N2' or '0.00'."


def formatted(given: Call) -> Node:
    """Translate FORMAT(value, pattern, culture)."""
    pattern = given.literal(1)
    culture = given.literal(2) if len(given) > 2 else ENGLISH[0]
    if pattern is None:
        raise unsupported("FORMAT with a computed pattern", HINT)
    if culture is None or culture.lower() not in ENGLISH:
        raise unsupported(f"FORMAT in the culture {culture}", "Known is 'en-US'.")
    kind = given.type(0)
    if is_number(kind):
        return formatted_number(given[0], given.kind(0), pattern)
    if kind == "TIME":
        return formatted_time(as_timestamp(given[0], kind), pattern)
    if kind not in ("DATE", "DATETIME"):
        raise unsupported(f"FORMAT of {kind}", "CAST the value to a number or a date first.")
    return formatted_moment(as_timestamp(given[0], kind), pattern)
