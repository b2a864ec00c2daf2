"""The functions of T-SQL that choose between values."""

from sqlglot import exp

from moviegraph.engines.translation.calls import TEXT, Call, Translation, duckdb_number, is_number
from moviegraph.engines.translation.nodes import Node, binary, call, cast, number, when
from moviegraph.engines.translation.readings import number_in
from moviegraph.sql.types import common

WHOLE = ("INT", "BIGINT")
FRACTIONAL = ("DECIMAL", "FLOAT")


def _adapted(given: Call, at: int, kind: str) -> Node:
    """Return an argument in the type of the result: text beside a number is read as one."""
    if is_number(kind) and given.type(at) == TEXT:
        return number_in(given[at], duckdb_number(kind))
    if kind == TEXT and given.type(at) not in (TEXT, "UNKNOWN"):
        return given.text(at)
    return given[at]


def _coalesce(given: Call) -> Node:
    kind = common([given.type(at) for at in range(len(given))])
    return call("coalesce", *(_adapted(given, at, kind) for at in range(len(given))))


def _isnull(given: Call) -> Node:
    """The result has the type of the first argument."""
    kind, other = given.type(0), _adapted(given, 1, given.type(0))
    if kind in WHOLE and given.type(1) in FRACTIONAL:
        other = cast(call("trunc", other), duckdb_number(kind))
    return call("coalesce", given[0], other)


def _iif(given: Call) -> Node:
    kind = common([given.type(1), given.type(2)])
    return when(given[0], _adapted(given, 1, kind), _adapted(given, 2, kind))


def _choose(given: Call) -> Node:
    kind = common([given.type(at) for at in range(1, len(given))])
    branches = [
        exp.If(this=number(at), true=_adapted(given, at, kind)) for at in range(1, len(given))
    ]
    return exp.Case(this=cast(given[0], "INT"), ifs=branches)


def _extreme(name: str, better: type[exp.Binary]) -> Translation:
    """GREATEST and LEAST; of texts by comparison, which knows the collation."""

    def translate(given: Call) -> Node:
        kind = common([given.type(at) for at in range(len(given))])
        if kind != TEXT:
            return call(name, *(_adapted(given, at, kind) for at in range(len(given))))
        best = given.text(0)
        for at in range(1, len(given)):
            missing = exp.Is(this=given.text(at), expression=exp.Null())
            holds = exp.Or(this=missing, expression=binary(better, best.copy(), given.text(at)))
            best = when(holds, best, given.text(at))
        return best

    return translate


def _nullif(given: Call) -> Node:
    return call("nullif", given[0], _adapted(given, 1, given.type(0)))


LOGIC: dict[str, Translation] = {
    "CHOOSE": _choose,
    "COALESCE": _coalesce,
    "GREATEST": _extreme("greatest", exp.GTE),
    "IIF": _iif,
    "ISNULL": _isnull,
    "LEAST": _extreme("least", exp.LTE),
    "NULLIF": _nullif,
}
