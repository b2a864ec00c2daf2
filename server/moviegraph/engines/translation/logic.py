"""The functions of T-SQL that choose between values."""

from sqlglot import exp

from moviegraph.engines.translation.calls import Call, Translation
from moviegraph.engines.translation.casts import in_full
from moviegraph.engines.translation.collations import sortable
from moviegraph.engines.translation.comparisons import merged, sides
from moviegraph.engines.translation.conversions import implicit
from moviegraph.engines.translation.nodes import Node, binary, call, number, when
from moviegraph.sql.types import TEXTS, merge_types, type_named


def _all(given: Call, first: int) -> list[Node]:
    """Return the arguments from one on in the type that they share."""
    places = range(first, len(given))
    return merged([given.given[at] for at in places], [given[at] for at in places])


def _coalesce(given: Call) -> Node:
    return call("coalesce", *_all(given, 0))


def _isnull(given: Call) -> Node:
    """The result has the type of the first argument, also its length."""
    return call("coalesce", given[0], in_full(given[1], given.given[1], given.kind(0)))


def _iif(given: Call) -> Node:
    return when(given[0], *_all(given, 1))


def _choose(given: Call) -> Node:
    branches = [exp.If(this=number(at), true=each) for at, each in enumerate(_all(given, 1), 1)]
    return exp.Case(this=implicit(given[0], given.kind(0), type_named("INT")), ifs=branches)


def _extreme(name: str, better: type[exp.Binary]) -> Translation:
    """GREATEST and LEAST; of texts by comparison, which knows the collation."""

    def translate(given: Call) -> Node:
        if merge_types([given.kind(at) for at in range(len(given))]).name not in TEXTS:
            return call(name, *_all(given, 0))
        best = given.text(0)
        for at in range(1, len(given)):
            missing = exp.Is(this=given.text(at), expression=exp.Null())
            better_so_far = binary(better, sortable(given.given[at], best.copy()), given.text(at))
            holds = exp.Or(this=missing, expression=better_so_far)
            best = when(holds, best, given.text(at))
        return best

    return translate


def _nullif(given: Call) -> Node:
    left, right = sides(given.given, given.arguments)
    return when(binary(exp.EQ, left.copy(), right.copy()), exp.Null(), given[0])


LOGIC: dict[str, Translation] = {
    "CHOOSE": _choose,
    "COALESCE": _coalesce,
    "GREATEST": _extreme("greatest", exp.GTE),
    "IIF": _iif,
    "ISNULL": _isnull,
    "LEAST": _extreme("least", exp.LTE),
    "NULLIF": _nullif,
}
