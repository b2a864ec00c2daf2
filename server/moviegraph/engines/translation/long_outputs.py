"""Cuts long texts where they are made: a fetched value is whole in memory before it is cut here."""

from sqlglot import exp

from moviegraph.engines.translation.nodes import Node, call, column
from moviegraph.sql.decision import Allowed
from moviegraph.sql.types import MAX, TEXTS, result_types

LONGEST = "longest"
ANSWER = "__answer"


def cut_outputs(tree: Node, judged: exp.Query, allowed: Allowed) -> exp.Select | None:
    """Return a translated statement with $longest characters of each text that it makes.

    None where it makes no text of a MAX type: stored texts have a length that loading bounds.
    `judged` is the tree of the statement, which `allowed` would judge anew to give it again.
    """
    long = _made(judged, allowed)
    if not any(long):
        return None
    names = [f"__c{at}" for at in range(len(long))]
    cells = [
        call("left", column(ANSWER, name), exp.Var(this=f"${LONGEST}"))
        if is_long
        else column(ANSWER, name)
        for name, is_long in zip(names, long, strict=True)
    ]
    alias = exp.TableAlias(this=_quoted(ANSWER), columns=[_quoted(name) for name in names])
    return exp.Select(expressions=cells, from_=exp.From(this=exp.Subquery(this=tree, alias=alias)))


def _made(judged: exp.Query, allowed: Allowed) -> list[bool]:
    """Tell of each column whether it is a text of a MAX type that is not stored."""
    if allowed.json:
        return [True]
    kinds = result_types(judged)
    return [
        kind.name in TEXTS and kind.size == MAX and output.column is None
        for kind, output in zip(kinds, allowed.outputs, strict=True)
    ]


def _quoted(name: str) -> exp.Identifier:
    return exp.Identifier(this=name, quoted=True)
