"""Queries of ours that run before a statement, for the ids of some nodes."""

from sqlglot import exp

from moviegraph.engines.translation.plan import NodesNeed
from moviegraph.engines.translation.pulses import PARAMETER, attend
from moviegraph.engines.translation.repeated import written


def asked(query: exp.Select) -> NodesNeed:
    """Return a translated query as a need, with the parameters that it uses."""
    attend(query)
    names = {each.name.partition(":")[0] for each in query.find_all(exp.Var)}
    return NodesNeed(written(query), "$q" in names, f"${PARAMETER}" in names)
