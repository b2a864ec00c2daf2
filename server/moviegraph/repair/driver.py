"""The rules in their order, and the loop that applies them until the guard accepts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import FunctionType

from moviegraph.contract.model import EDGE_PSEUDO_COLUMNS, NODE_PSEUDO_COLUMNS, Contract
from moviegraph.repair import (
    clauses,
    cypher,
    dialects,
    full_text,
    names,
    patterns,
    relational,
    rewrites,
    slips,
    vectors,
    wrapping,
)
from moviegraph.repair.context import (
    Correction,
    Edit,
    RefusedStatement,
    Repaired,
    RuleChange,
    apply,
    describe_change,
)
from moviegraph.repair.equivalence import FACT_KINDS, FactKind, changed_facts
from moviegraph.repair.rewrites import PatternRule
from moviegraph.repair.tokens import RawToken
from moviegraph.sql.decision import Allowed, Decision, Refused
from moviegraph.sql.guard import RowLimits, judge
from moviegraph.sql.input_checks import MAX_CHARACTERS

__all__ = ["RULES", "Repaired", "Rule", "RuleChange", "repair"]
UNREAD = ("syntax", "not_select", "multiple_statements", "not_allowed", "unsupported")
INTERNAL = frozenset({"internal_error"})
EVERYTHING = " ".join(FACT_KINDS)
"""What goes or comes with text around a statement, and with a pattern of Cypher."""
MAX_CHANGES = 16
MAX_USES_OF_ONE_RULE = 4
PSEUDO_COLUMNS = frozenset({*NODE_PSEUDO_COLUMNS, *EDGE_PSEUDO_COLUMNS})


@dataclass(frozen=True, slots=True)
class Rule:
    """A pure function, its name, when it runs, and what it may change.

    Attributes:
        name: The function's name, as it is reported.
        apply: Returns what it would change, or None.
        codes: Codes of refusal that it answers; none: any.
        engine: Whether it repairs what the guard accepts and no engine runs.
        changes: Kinds of facts that it may change; a rewrite that changes others is not applied.
    """

    name: str
    apply: Callable[[RefusedStatement], Correction | None]
    codes: frozenset[str] = frozenset()
    engine: bool = False
    changes: frozenset[FactKind] = frozenset()


def _rule(
    function: PatternRule | FunctionType,
    *codes: str,
    changes: str = "",
    engine: bool = False,
) -> Rule:
    kinds = frozenset[FactKind](kind for kind in FACT_KINDS if kind in changes.split())
    name = function.name if isinstance(function, PatternRule) else function.__name__
    return Rule(name, function, frozenset(codes), engine, kinds)


RULES: tuple[Rule, ...] = (
    _rule(wrapping.json_wrapper, *UNREAD, changes=EVERYTHING),
    _rule(wrapping.quoted_whole, *UNREAD, changes=EVERYTHING),
    _rule(rewrites.escaped_breaks, *UNREAD),
    _rule(wrapping.code_fence, *UNREAD, changes=EVERYTHING),
    _rule(wrapping.prose_before, *UNREAD, changes=EVERYTHING),
    _rule(rewrites.text_after, *UNREAD, changes=EVERYTHING),
    _rule(wrapping.harmless_preamble, *UNREAD, changes=EVERYTHING),
    _rule(wrapping.declaration, *UNREAD, changes=EVERYTHING),
    _rule(cypher.cypher_statement, *UNREAD, changes=EVERYTHING),
    _rule(cypher.cypher_pattern, *UNREAD, "match_syntax", changes=EVERYTHING),
    _rule(wrapping.typographic_characters, "syntax", changes="literals operators"),
    _rule(wrapping.doubled_quotes, "syntax", changes="literals"),
    _rule(wrapping.escaped_apostrophe, "syntax"),
    _rule(wrapping.apostrophe, "syntax"),
    _rule(slips.double_quoted_text, changes="literals"),
    _rule(clauses.derived_alias, "syntax"),
    _rule(rewrites.match_form, "syntax", "match_syntax", "for_path", changes="operators"),
    _rule(
        dialects.foreign_dialect,
        *dialects.UNREAD,
        "order_by_needs_top",
        *dialects.NAMES_OF_ORACLE,
        changes="operators measures literals",
    ),
    _rule(full_text.match_against, changes="literals operators measures"),
    _rule(full_text.column_match, changes="columns operators measures"),
    _rule(full_text.joined_texts, changes="columns operators"),
    _rule(full_text.infix_contains, changes="operators measures"),
    _rule(full_text.enclosed_columns, changes="columns literals operators"),
    _rule(rewrites.first_rows, *UNREAD, changes="measures"),
    _rule(rewrites.half_comparison, "syntax", changes="columns operators"),
    _rule(rewrites.bare_pattern, "syntax", changes="literals"),
    _rule(rewrites.cast_query, changes="literals"),
    _rule(rewrites.compared_predicate, changes="literals operators"),
    _rule(rewrites.top_place),
    _rule(rewrites.top_and_limit, changes="literals measures"),
    _rule(vectors.query_parameter, changes="literals", engine=True),
    _rule(vectors.vector_functions, changes="measures"),
    _rule(vectors.distance_arguments, changes="literals"),
    _rule(full_text.unquoted_text, changes="literals"),
    _rule(full_text.argument_order),
    _rule(
        full_text.ranked_table,
        "unknown_table",
        "wrong_arguments",
        "syntax",
        changes="tables columns literals",
    ),
    _rule(full_text.leading_not, changes="operators", engine=True),
    _rule(full_text.searched_text, engine=True),
    _rule(rewrites.sure_slip, *slips.UNREAD, changes="operators measures"),
    _rule(rewrites.query_hint, "not_allowed", "syntax"),
    _rule(rewrites.bare_list, "syntax"),
    _rule(clauses.listed_condition, "syntax", changes="operators measures"),
    _rule(clauses.named_window, "not_allowed", changes="columns operators measures"),
    _rule(patterns.match_shape, "match_syntax", "missing_edge_alias", changes="operators"),
    _rule(
        names.misspelt_keyword,
        "syntax",
        "not_select",
        "unknown_function",
        changes="operators measures",
    ),
    _rule(names.foreign_schema, "unknown_table", "not_allowed"),
    _rule(relational.joining_table, "unknown_table", changes="tables"),
    _rule(names.unknown_tables, "unknown_table", changes="tables"),
    _rule(full_text.ranked_column, "unknown_column", "pseudo_column_output", changes="columns"),
    _rule(names.table_as_alias, "unknown_alias", "unknown_column"),
    _rule(relational.edge_keys, "unknown_column", "pseudo_column_output", changes="columns"),
    _rule(relational.edge_end, "unknown_column"),
    _rule(relational.concept_column, "unknown_column", changes="tables columns operators measures"),
    _rule(
        clauses.select_alias, "unknown_column", "not_allowed", changes="columns operators measures"
    ),
    _rule(names.unknown_column, "unknown_column", changes="columns"),
    _rule(clauses.selected_embedding, "embedding_output", changes="columns"),
    _rule(patterns.match_under_or, "match_place", changes="columns operators measures"),
    _rule(
        patterns.match_with_join,
        "match_with_join",
        "match_place",
        "syntax",
        "missing_edge_alias",
        changes="literals operators",
    ),
    _rule(patterns.turned_arrow, "wrong_arrow"),
    _rule(patterns.for_path, "for_path"),
    _rule(patterns.missing_edge, "missing_edge_alias", changes="tables"),
    _rule(patterns.missing_node, "unknown_alias", changes="tables columns operators"),
    _rule(patterns.repeated_edge, "edge_used_twice"),
    _rule(clauses.group_position, "syntax", changes="columns literals operators measures"),
    _rule(
        clauses.counted_columns, "wrong_arguments", changes="columns literals operators measures"
    ),
    _rule(clauses.aggregate_in_where, "syntax", changes="columns operators measures"),
    _rule(clauses.inner_order, "order_by_needs_top", changes="columns literals operators measures"),
    _rule(clauses.missing_group, "not_grouped", changes="columns measures"),
    _rule(
        slips.likely_slip,
        *slips.UNREAD,
        "unknown_column",
        "unknown_function",
        "unknown_alias",
        changes="operators",
    ),
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
        refused: How the guard refused it, where that is known.
        error: What the engine said, where the guard had accepted it.
        limits: Row limits of the guard; by default those of the contract.
    """
    decision: Decision = refused or judge(sql, contract, limits)
    if len(sql) > 2 * MAX_CHARACTERS or (isinstance(decision, Allowed) and not error):
        return Repaired(sql)
    changes: list[RuleChange] = []
    statement = RefusedStatement(sql, contract)
    while len(changes) < MAX_CHANGES and not _is_internal(decision):
        statement = _with_decision(statement, decision, error or "")
        step = _first_step(statement)
        if step is None:
            break
        while step is not None and len(changes) < MAX_CHANGES:
            statement = RefusedStatement(step[0], contract, decisions=statement.decisions)
            changes.append(step[1])
            # Rules without a code need no refusal, and judging costs more than all of them.
            rules = COLUMNS if changes[-1].rule in NAMING[:2] else ALWAYS
            step = None if _repeats(changes) else _first_step(statement, rules)
        if _repeats(changes):
            break
        decision = statement.decisions.get(statement.sql) or judge(statement.sql, contract, limits)
    if isinstance(decision, Refused):
        return Repaired(sql, (), decision)
    return Repaired(statement.sql, tuple(changes)) if changes else Repaired(sql)


def _is_internal(decision: Decision) -> bool:
    """Return whether the guard itself failed, which no change of the statement repairs."""
    return isinstance(decision, Refused) and decision.code in INTERNAL


def _repeats(changes: list[RuleChange]) -> bool:
    return sum(change.rule == changes[-1].rule for change in changes) > MAX_USES_OF_ONE_RULE


def _with_decision(statement: RefusedStatement, decision: Decision, error: str) -> RefusedStatement:
    if isinstance(decision, Refused):
        return statement.refused(decision)
    return replace(statement, message=error, accepted=True)


def _first_step(
    statement: RefusedStatement, rules: tuple[Rule, ...] | None = None
) -> tuple[str, RuleChange] | None:
    """Apply the first rule that changes something; once accepted, only what no engine runs."""
    for rule in RULES if rules is None else rules:
        answers = not rule.codes or statement.code in rule.codes
        if not answers or (statement.accepted and not rule.engine):
            continue
        correction = rule.apply(statement)
        text = apply(statement.sql, correction.edits) if correction else statement.sql
        if correction and text != statement.sql and _is_faithful(statement, rule, correction, text):
            return text, describe_change(rule.name, statement.sql, correction)
    return None


def _is_faithful(
    statement: RefusedStatement, rule: Rule, correction: Correction, text: str
) -> bool:
    """Return whether a rewrite changes no more than its rule declares, and no placeholder."""
    changed = changed_facts(statement.sql, text, statement.contract)
    return changed <= rule.changes and _keeps_placeholders(statement, correction.edits, text)


def _keeps_placeholders(statement: RefusedStatement, edits: tuple[Edit, ...], text: str) -> bool:
    """Return whether each $name is still one, went with prose around it, or became @q."""
    placeholders = list(_placeholders(statement))
    dropped = [
        token
        for token in placeholders
        if any(not e.text and e.start <= token.start and token.end <= e.end for e in edits)
    ]
    if len(placeholders) == len(dropped):
        return True
    after = RefusedStatement(text, statement.contract)
    vectors = _vectors(after) - _vectors(statement)
    return len(placeholders) <= len(dropped) + sum(1 for _ in _placeholders(after)) + vectors


def _placeholders(statement: RefusedStatement) -> Iterator[RawToken]:
    """Yield each $name without a table before it that is no pseudo-column."""
    for index, token in enumerate(statement.tokens if "$" in statement.sql else ()):
        unqualified = token.text[0] == "$" and statement.upper(index - 1) != "."
        if unqualified and token.kind == "word" and token.text.lower() not in PSEUDO_COLUMNS:
            yield token


def _vectors(statement: RefusedStatement) -> int:
    return sum(token.text.lower() == "@q" for token in statement.tokens)
