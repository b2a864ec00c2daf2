"""CHARINDEX and PATINDEX: where one text stands in another, without regard to case."""

from sqlglot import exp

from moviegraph.engines.translation.calls import LONGEST_READ, Call, Translation
from moviegraph.engines.translation.conversions import whole
from moviegraph.engines.translation.likes import bracket_regex, wildcard_regex, within_steps
from moviegraph.engines.translation.nodes import (
    Node,
    binary,
    call,
    concatenated,
    let,
    number,
    present,
    raised,
    text,
    when,
)


def _charindex(given: Call) -> Node:
    needle, text_ = (
        call("lower", given.text(0, LONGEST_READ)),
        call("lower", given.text(1, LONGEST_READ)),
    )
    found = call("strpos", text_, needle)
    if len(given) == 3:
        start = call("greatest", whole(given, 2), number(1))
        later = call("strpos", call("substring", text_, start), needle)
        place = binary(exp.Sub, binary(exp.Add, later.copy(), start.copy()), number(1))
        found = when(binary(exp.EQ, later, number(0)), number(0), place)
    if not given.literal(0):
        found = when(binary(exp.EQ, needle.copy(), text("")), number(0), found)
    return present(given[2], found) if len(given) == 3 and given.number(2) is None else found


def _patindex(given: Call) -> Node:
    pattern = given.literal(0)
    if pattern is None:
        return _computed_patindex(given)
    if not pattern.strip("%"):
        return number(1)
    before = "" if pattern.startswith("%") else "^"
    after = "" if pattern.endswith("%") else "$"
    regex = text(f"(?is:{before}{bracket_regex(pattern.strip('%'))}{after})")
    return _place(given.text(1, LONGEST_READ), regex, at_end=bool(after))


def _place(subject: Node, regex: Node, *, at_end: bool) -> Node:
    """Return where a regular expression first matches; 0 where it does not."""
    matches = call("regexp_matches", subject, regex)
    found = call("regexp_extract", subject.copy(), regex.copy())
    place = call("strpos", subject.copy(), found)
    if at_end:  # what was found stands at the end, and perhaps before it, too
        before_it = binary(exp.Sub, call("length", subject.copy()), call("length", found))
        place = binary(exp.Add, before_it, number(1))
    branches = [exp.If(this=matches, true=place)]
    branches.append(exp.If(this=exp.Not(this=matches.copy()), true=number(0)))
    return exp.Case(ifs=branches)


def _computed_patindex(given: Call) -> Node:
    """The pattern becomes a regular expression as it comes; brackets are not read then."""
    pair = call("list_value", given.text(0), given.text(1))
    return let(pair, _place_of_pattern)


def _place_of_pattern(pair: Node) -> Node:
    pattern, subject = (call("list_extract", pair.copy(), number(at)) for at in (1, 2))
    inner = wildcard_regex(call("trim", pattern.copy(), text("%")))
    starts = _fixed(pattern, "%", "left", "^")
    ends = _fixed(pattern, "%", "right", "$")
    regex = concatenated(concatenated(concatenated(text("(?is:"), starts), inner), ends)
    bracketed = call("contains", pattern.copy(), text("["))
    free = binary(exp.EQ, call("trim", pattern.copy(), text("%")), text(""))
    ended = binary(exp.EQ, call("right", pattern.copy(), number(1)), text("%"))
    place = when(
        ended,
        _place(subject, concatenated(regex, text(")")), at_end=False),
        _place(subject.copy(), concatenated(regex.copy(), text(")")), at_end=True),
    )
    place = within_steps(subject.copy(), pattern.copy(), place)
    return when(bracketed, raised("pattern"), when(free, number(1), place))


def _fixed(pattern: Node, sign: str, side: str, anchor: str) -> Node:
    """Return an anchor where a pattern is not open on a side."""
    is_open = binary(exp.EQ, call(side, pattern.copy(), number(1)), text(sign))
    return when(is_open, text(""), text(anchor))


PLACES: dict[str, Translation] = {
    "CHARINDEX": _charindex,
    "PATINDEX": _patindex,
}
