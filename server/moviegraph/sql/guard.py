"""The guard: text in, a decision out. Pure; it never raises, never executes, and fails closed."""

from sqlglot import exp
from sqlglot.errors import SqlglotError

from moviegraph.contract.model import Contract
from moviegraph.sql.advice import advised
from moviegraph.sql.approximate import mark, unmark
from moviegraph.sql.arms import wrap_sorted
from moviegraph.sql.compared_names import compared_names
from moviegraph.sql.complete import check_complete
from moviegraph.sql.concatenations import as_plus, check_joined
from moviegraph.sql.decision import Allowed, Decision, Output, Refused
from moviegraph.sql.expansion import check_expansion
from moviegraph.sql.faithful import check_faithful
from moviegraph.sql.gate import MAX_CHARACTERS, Admitted, admit
from moviegraph.sql.grammar import check_grammar
from moviegraph.sql.limits import RowLimits, cap
from moviegraph.sql.lowering import Lowered, lower
from moviegraph.sql.moments import check_moments
from moviegraph.sql.names import Resolver
from moviegraph.sql.patterns import Match
from moviegraph.sql.positions import check_parenthesised
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.render import render, same_tree
from moviegraph.sql.search_texts import search_notes
from moviegraph.sql.syntax import parse
from moviegraph.sql.where import Where, place

__all__ = ["RowLimits", "Where", "judge"]


def judge(
    sql: str,
    contract: Contract,
    limits: RowLimits | None = None,
    *,
    where: Where | None = None,
) -> Decision:
    """Judge one statement against a contract.

    Args:
        sql: T-SQL of at most 8,000 characters.
        contract: What may be read.
        limits: Row limits; by default those of the contract.
        where: A condition to AND into the SELECTs that read one alias.

    Returns:
        Allowed, with the only text that may run, or Refused, with a stable code.
    """
    try:
        return _judge(sql, contract, limits or contract_limits(contract), where)
    except RefusalError as error:
        return advised(error.refused, sql[:MAX_CHARACTERS], contract)
    except RecursionError:
        return Refused("too_large", "The statement nests too deeply; flatten it with CTEs.")
    except (SqlglotError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
        # A fault of ours or of sqlglot: what cannot be judged is refused.
        return Refused("syntax", "The statement cannot be read as T-SQL of this dialect.")


def contract_limits(contract: Contract, *, expanded: bool = False) -> RowLimits:
    """Return the row limits that a contract states."""
    top = contract.limits.top_expanded if expanded else contract.limits.top
    return RowLimits(top=top, inner=contract.limits.inner_top)


def _judge(sql: str, contract: Contract, limits: RowLimits, where: Where | None) -> Allowed:
    admitted = admit(sql)
    lowered = lower(admitted)
    notes = [*admitted.notes, *lowered.notes]
    tree = _read(admitted, lowered, notes)
    if where is not None:
        place(tree, where, contract)
        check_grammar(tree)
    if wrap_sorted(tree, notes):
        check_grammar(tree)
    check_parenthesised(tree)
    fields, aliases = Resolver(contract, lowered.matches).resolve(tree)
    if "||" in admitted.sql:
        check_joined(tree)
    check_moments(tree)
    habits = tuple(notes)
    approximate = unmark(tree)
    capped = cap(tree, limits, notes)
    mark(approximate)
    check_complete(tree)
    rendered = render(tree, lowered.matches)
    if "CONTAINS" in rendered or "FREETEXT" in rendered:
        notes += search_notes(tree)
    _check_stable(tree, lowered.matches, rendered)
    outputs = tuple(
        Output(field.name, field.table, field.column, alias)
        for field, alias in zip(fields, aliases, strict=True)
    )
    return Allowed(
        sql=rendered,
        notes=tuple(notes),
        judged=tree,
        matches=lowered.matches,
        outputs=outputs,
        cap=capped.rows,
        capped=capped.by_guard,
        uses_query="@" in rendered and tree.find(exp.Parameter) is not None,
        json=tree.args.get("for_") is not None,
        habits=habits,
        compared_names=compared_names(tree, contract),
    )


def _read(admitted: Admitted, lowered: Lowered, notes: list[str]) -> exp.Query:
    """Return the tree of a text that says what the text does, in the grammar and of fair size."""
    tree = parse(lowered)
    if "LIMIT" in admitted.sql.upper():
        _note_limit(tree, notes)
    if "||" in admitted.sql:
        as_plus(tree)
    check_grammar(tree)
    check_faithful(lowered, tree)
    tree = _without_parentheses(tree)
    check_expansion(tree)
    return tree


def _without_parentheses(tree: exp.Query) -> exp.Query:
    """Free a set operation of parentheses around the whole, which would hold its FETCH too."""
    inner = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    if inner is tree or not isinstance(inner, exp.SetOperation):
        return tree
    inner.pop()
    return inner


def _note_limit(tree: exp.Expr, notes: list[str]) -> None:
    limits = [node for node in tree.find_all(exp.Limit) if not node.meta.get("top")]
    if limits:
        notes.append("LIMIT n was read as TOP n.")


def _check_stable(tree: exp.Expr, matches: tuple[Match, ...], rendered: str) -> None:
    """Read the output again: it must be the tree that was judged, and nothing else."""
    try:
        lowered = lower(admit(rendered))
        again = parse(lowered)
    except RefusalError as error:
        if error.refused.code != "too_large":
            raise
        raise RefusalError(
            "too_large",
            "Written out (names in brackets, * as columns), the statement is too large: "
            f"{error.refused.message}",
        ) from error
    if not same_tree(again, tree) or lowered.matches != matches:
        raise RefusalError(
            "syntax", "The statement cannot be rendered faithfully; write it in a simpler form."
        )
