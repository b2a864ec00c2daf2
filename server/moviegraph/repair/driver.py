"""The rules in their order, and the loop that applies them until the guard accepts."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import FunctionType, ModuleType
from typing import Literal

from moviegraph.contract.model import Contract
from moviegraph.contract.statement_limits import MAX_CHARACTERS
from moviegraph.repair import (
    clauses,
    cypher,
    dialects,
    foreign_forms,
    full_text,
    names,
    patterns,
    vectors,
    wrapping,
)
from moviegraph.repair.comparison import FACT_KINDS, FactKind, changed_facts
from moviegraph.repair.context import (
    Change,
    Correction,
    RefusedStatement,
    Repaired,
    apply,
    describe_change,
)
from moviegraph.sql.decision import Allowed, Decision, Refused
from moviegraph.sql.guard import RowLimits, judge

__all__ = ["RULES", "Change", "Repaired", "Rule", "repair"]
Family = Literal[
    "wrapping", "other dialects", "names", "clauses", "graph patterns", "search functions"
]
FAMILIES: tuple[tuple[ModuleType, Family], ...] = (
    (wrapping, "wrapping"),
    (dialects, "other dialects"),
    (foreign_forms, "other dialects"),
    (names, "names"),
    (clauses, "clauses"),
    (cypher, "graph patterns"),
    (patterns, "graph patterns"),
    (full_text, "search functions"),
    (vectors, "search functions"),
)
UNREAD = ("syntax", "not_select", "multiple_statements", "not_allowed", "unsupported")
EVERYTHING = " ".join(FACT_KINDS)
REWRITTEN = "tables columns literals operators measures"
MAX_CHANGES = 16
MAX_USES_OF_ONE_RULE = 4


@dataclass(frozen=True, slots=True)
class Rule:
    """A pure function, its name, when it runs, and what it may change.

    Attributes:
        name: The function's name, as it is reported.
        family: The kind of mistakes that it repairs.
        apply: Returns what it would change, or None.
        codes: Codes of refusal that it answers; none: any.
        engine: Whether it repairs what the guard accepts and no engine runs.
        changes: Kinds of facts that it may change; a rewrite that changes others is not applied.
    """

    name: str
    family: Family
    apply: Callable[[RefusedStatement], Correction | None]
    codes: frozenset[str] = frozenset()
    engine: bool = False
    changes: frozenset[FactKind] = frozenset()


def _rule(function: FunctionType, *codes: str, changes: str = "", engine: bool = False) -> Rule:
    kinds = frozenset[FactKind](kind for kind in FACT_KINDS if kind in changes.split())
    name = function.__name__
    family: Family = next(f for module, f in FAMILIES if vars(module).get(name) is function)
    return Rule(name, family, function, frozenset(codes), engine, kinds)


# Wrapping first: nothing else can be read before it is gone. Then other dialects, whose words mean
# something else in T-SQL; searches and vectors before clauses, as their arguments do not parse.
# Names before patterns, which need to know the tables; GROUP BY last, over the final columns.
RULES: tuple[Rule, ...] = (
    _rule(wrapping.escaped_breaks, *UNREAD),
    _rule(wrapping.code_fence, *UNREAD, changes=EVERYTHING),
    _rule(wrapping.prose_before, *UNREAD, changes=EVERYTHING),
    _rule(wrapping.text_after, *UNREAD, changes=EVERYTHING),
    _rule(wrapping.harmless_preamble, *UNREAD, changes=EVERYTHING),
    _rule(cypher.cypher_statement, *UNREAD, changes=REWRITTEN),
    _rule(cypher.cypher_pattern, *UNREAD, "match_syntax", "missing_edge_alias", changes=REWRITTEN),
    _rule(foreign_forms.escaped_apostrophe, "syntax"),
    _rule(foreign_forms.double_quoted_text, changes="columns literals operators"),
    _rule(foreign_forms.xml_list, *UNREAD, changes="literals measures operators"),
    _rule(clauses.derived_alias, "syntax"),
    _rule(patterns.match_form, "syntax", "match_syntax", "for_path", changes="operators"),
    _rule(
        dialects.foreign_dialect,
        *dialects.UNREAD,
        "order_by_needs_top",
        *dialects.NAMES_OF_ORACLE,
        changes=REWRITTEN,
    ),
    _rule(full_text.match_against, changes="literals operators measures"),
    _rule(vectors.cast_query, changes="literals measures"),
    _rule(clauses.top_place),
    _rule(vectors.query_parameter, changes="columns literals parameters", engine=True),
    _rule(vectors.vector_functions, changes="literals measures operators"),
    _rule(vectors.distance_arguments, changes="columns literals"),
    _rule(full_text.searched_text, changes="literals", engine=True),
    _rule(clauses.query_hint, "not_allowed", "syntax"),
    _rule(patterns.match_shape, "match_syntax", "missing_edge_alias", changes="operators"),
    _rule(names.foreign_schema, "unknown_table", "not_allowed"),
    _rule(names.unknown_tables, "unknown_table", changes="tables"),
    _rule(names.table_as_alias, "unknown_alias", "unknown_column"),
    _rule(patterns.edge_keys, "unknown_column", "pseudo_column_output", changes="columns"),
    _rule(
        clauses.select_alias,
        "unknown_column",
        "not_allowed",
        changes="columns literals operators measures parameters",
    ),
    _rule(names.unknown_column, "unknown_column", changes="columns"),
    _rule(
        patterns.match_with_join,
        "match_with_join",
        "match_place",
        "syntax",
        "missing_edge_alias",
        changes="literals operators",
    ),
    _rule(patterns.turned_arrow, "wrong_arrow"),
    _rule(patterns.missing_edge, "missing_edge_alias", changes="tables"),
    _rule(patterns.missing_node, "unknown_alias", changes="tables columns operators"),
    _rule(clauses.group_position, "syntax", changes="columns literals operators measures"),
    _rule(clauses.aggregate_in_where, "syntax", changes="operators measures"),
    _rule(clauses.inner_order, "order_by_needs_top", changes="columns literals operators measures"),
    _rule(clauses.missing_group, "not_grouped", changes="columns measures"),
)
"""Rules without a code look for what T-SQL never reads, whatever the refusal says."""
ALWAYS = tuple(rule for rule in RULES if not rule.codes and not rule.engine)
NAMING = ("unknown_tables", "edge_keys", "unknown_column")
COLUMNS = tuple(replace(rule, codes=frozenset()) for rule in RULES if rule.name in NAMING[1:])
"""What is likely wrong, too, where a name was: tried at once, because judging costs more."""


def repair(
    sql: str,
    contract: Contract,
    refused: Refused | None = None,
    error: str | None = None,
    limits: RowLimits | None = None,
) -> Repaired:
    """Return a statement that asks the same and that the guard accepts, with every change.

    Args:
        sql: The statement that failed.
        contract: What may be read.
        refused: How the guard refused it, if that is known.
        error: What the engine said, if the guard had accepted it.
        limits: Row limits of the guard; by default those of the contract.
    """
    decision: Decision = refused or judge(sql, contract, limits)
    if len(sql) > 2 * MAX_CHARACTERS or (isinstance(decision, Allowed) and not error):
        return Repaired(sql)
    changes: list[Change] = []
    statement = RefusedStatement(sql, contract)
    while len(changes) < MAX_CHANGES and getattr(decision, "code", "") != "internal_error":
        statement.accepted = isinstance(decision, Allowed)
        if isinstance(decision, Refused):
            statement.refuse(decision)
        step = _first_step(statement)
        if step is None:
            break
        while step is not None and len(changes) < MAX_CHANGES:
            statement, change = step
            changes.append(change)
            # Rules without a code need no refusal, and judging costs more than all of them.
            rules = COLUMNS if change.rule in NAMING[:2] else ALWAYS
            step = None if _repeats(changes) else _first_step(statement, rules)
        if _repeats(changes):
            break
        decision = statement.decisions.get(statement.sql) or judge(statement.sql, contract, limits)
    if isinstance(decision, Refused):
        return Repaired(sql, (), decision)
    return Repaired(statement.sql, tuple(changes)) if changes else Repaired(sql)


def _repeats(changes: list[Change]) -> bool:
    return sum(change.rule == changes[-1].rule for change in changes) > MAX_USES_OF_ONE_RULE


def _first_step(
    statement: RefusedStatement, rules: tuple[Rule, ...] | None = None
) -> tuple[RefusedStatement, Change] | None:
    """Apply the first rule that changes something; once accepted, only what no engine runs."""
    for rule in RULES if rules is None else rules:
        answers = not rule.codes or statement.code in rule.codes
        if not answers or (statement.accepted and not rule.engine):
            continue
        correction = rule.apply(statement)
        text = apply(statement.sql, correction.edits) if correction else statement.sql
        if correction is None or text == statement.sql:
            continue
        changed = RefusedStatement(text, statement.contract, decisions=statement.decisions)
        if not changed_facts(statement, changed, rule.changes):
            return changed, describe_change(rule.name, statement.sql, correction)
    return None
