"""Conditions over pairs of rows, and JSON functions, that a statement can be stopped in.

DuckDB looks for an interrupt between chunks of rows. A condition that it checks inside a join runs
for every partner of the 2,048 rows of one chunk without such a look: distances between all pairs of
30,000 rows went on for minutes. So now and then such a condition asks whether its time is over. The
JSON functions ask it at every call: one chunk of them on long texts went on for ten seconds.
"""

from sqlglot import exp

from moviegraph.engines.json_functions import PREFIX
from moviegraph.engines.translation.nodes import Node, binary, call, number, when

PULSE = "__pulse"
PARAMETER = "pulse"
SHARE = 0.002  # of the pairs: four looks in a chunk, at a cost that cannot be measured


def is_paired(condition: Node) -> bool:
    """Whether a judged condition, one of a chain of ANDs, is more than a key that a join hashes."""
    if condition.find(exp.Query) is not None:
        return False
    if len(_sources(condition)) < 2:
        return False
    if not isinstance(condition.unnest(), exp.EQ):
        return True
    sides = (condition.unnest().this, condition.unnest().expression)
    return any(len(_sources(side)) > 1 for side in sides)


def _sources(node: Node) -> set[tuple[str, bool]]:
    columns = node.find_all(exp.Column)
    return {(str(each.meta.get("alias")), bool(each.meta.get("outer"))) for each in columns}


def pulsed(condition: Node) -> Node:
    """Return a translated condition that fails when the statement has been stopped."""
    seldom = binary(exp.LT, call("random"), number(SHARE))
    looked = call(PULSE, _parameter())
    alive = when(seldom, looked, exp.Boolean(this=True))
    return when(alive, condition, exp.Boolean(this=False))


def attend(tree: Node) -> bool:
    """Give every JSON function of a translated tree the pulse; say whether there was one."""
    found = [each for each in tree.find_all(exp.Anonymous) if each.name.startswith(PREFIX)]
    for each in found:
        if not isinstance(each.expressions[-1], exp.Var):
            each.append("expressions", _parameter())
    return bool(found)


def _parameter() -> Node:
    return exp.Var(this=f"${PARAMETER}")
