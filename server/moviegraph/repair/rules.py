"""The rules in their order, and the driver that applies them until the guard accepts."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from moviegraph.contract.model import Contract
from moviegraph.repair import (
    aggregates,
    bare,
    clauses,
    columns,
    comments,
    comparisons,
    concepts,
    conditional,
    cypher,
    dialect,
    either,
    filters,
    fulltext,
    functions,
    gathered,
    graph,
    graph_table,
    grouping,
    joins,
    keys,
    linked,
    listing,
    lists,
    names,
    orders,
    parameters,
    paths,
    patterns,
    ranked,
    regular,
    running,
    searches,
    series,
    slips,
    spelling,
    syntax,
    truths,
    vectors,
    windowed,
    wrapping,
    years,
)
from moviegraph.repair.changes import Correction, Repaired, RuleChange, apply, describe
from moviegraph.repair.placeholders import keeps_placeholders
from moviegraph.repair.context import RefusedStatement
from moviegraph.sql.decision import Allowed, Decision, Refused
from moviegraph.sql.gate import MAX_CHARACTERS
from moviegraph.sql.guard import RowLimits, judge

__all__ = ["RULES", "Repaired", "Rule", "RuleChange", "repair"]
UNREAD = ("syntax", "not_select", "multiple_statements", "not_allowed", "unsupported")
MOST_CHANGES = 16
MOST_OF_ONE_RULE = 4


@dataclass(frozen=True, slots=True)
class Rule:
    """A small pure function, its name, and when it runs.

    Attributes:
        name: The function's name, as it is reported.
        apply: Returns what it would change, or None.
        codes: Codes of refusal that it answers; none: any.
        engine: Whether it mends what the guard accepts and no engine runs.
    """

    name: str
    apply: Callable[[RefusedStatement], Correction | None]
    codes: frozenset[str] = frozenset()
    engine: bool = False


def _rule(
    function: Callable[[RefusedStatement], Correction | None], *codes: str, engine: bool = False
) -> Rule:
    return Rule(function.__name__, function, frozenset(codes), engine)


RULES: tuple[Rule, ...] = (
    _rule(wrapping.json_wrapper, *UNREAD),
    _rule(wrapping.quoted_whole, *UNREAD),
    _rule(wrapping.escaped_breaks, *UNREAD),
    _rule(wrapping.html_entities, *UNREAD),
    _rule(syntax.code_fence, *UNREAD),
    _rule(syntax.prose_before, *UNREAD),
    _rule(wrapping.harmless_preamble, *UNREAD),
    _rule(wrapping.prose_behind, *UNREAD),
    _rule(parameters.declaration, *UNREAD),
    _rule(cypher.cypher_statement, *UNREAD),
    _rule(cypher.cypher_pattern, *UNREAD, "match_syntax"),
    _rule(syntax.typographic_characters, "syntax"),
    _rule(searches.doubled_quotes, "syntax"),
    _rule(syntax.escaped_apostrophe, "syntax"),
    _rule(syntax.apostrophe, "syntax"),
    _rule(comments.foreign_comment, *UNREAD),
    _rule(wrapping.backticks),
    _rule(wrapping.early_semicolon, *UNREAD),
    _rule(wrapping.from_first, *UNREAD),
    _rule(wrapping.block, *UNREAD),
    _rule(graph_table.graph_table, *UNREAD, "unknown_function"),
    _rule(searches.match_against),
    _rule(searches.text_query),
    _rule(searches.column_match),
    _rule(searches.joined_texts),
    _rule(searches.infix_contains),
    _rule(searches.enclosed_columns),
    _rule(dialect.operators),
    _rule(vectors.named_arguments),
    _rule(dialect.turned_operator, "syntax"),
    _rule(truths.bitwise_and, "syntax"),
    _rule(bare.stray_is, "syntax"),
    _rule(bare.open_call, *UNREAD, "unknown_column"),
    _rule(bare.first_rows, *UNREAD),
    _rule(bare.late_from, "syntax"),
    _rule(bare.columns_by_or, "syntax"),
    _rule(bare.mixed_default, engine=True),
    _rule(bare.open_pattern, *UNREAD, "match_syntax"),
    _rule(bare.embedded_query, "unknown_function", "wrong_arguments"),
    _rule(conditional.half_comparison, "syntax"),
    _rule(conditional.joined_using, "syntax", "unknown_function", "not_allowed"),
    _rule(comparisons.null_safe_equality),
    _rule(comparisons.listed_any),
    _rule(comparisons.unnested),
    _rule(comparisons.tilde_like),
    _rule(comparisons.row_values, *UNREAD),
    _rule(comparisons.between_to, "syntax"),
    _rule(comparisons.split_sign, "syntax"),
    _rule(comparisons.bare_pattern, "syntax"),
    _rule(comparisons.negated_sign, "syntax"),
    _rule(comparisons.chained, "syntax"),
    _rule(comparisons.similar_to, *UNREAD),
    _rule(comparisons.worded_sign, "syntax", "unknown_column"),
    _rule(comparisons.null_word, "syntax"),
    _rule(comparisons.tested_condition, "syntax"),
    _rule(comparisons.case_free_collation, *UNREAD),
    _rule(dialect.escape_string, "syntax"),
    _rule(dialect.ilike),
    _rule(regular.regular_expression),
    _rule(regular.integer_division),
    _rule(regular.dated_form),
    _rule(regular.padded),
    _rule(regular.decoded),
    _rule(regular.ended_text),
    _rule(vectors.cast_query),
    _rule(functions.double_colon),
    _rule(functions.typed_literal),
    _rule(functions.intervals),
    _rule(functions.worded_arguments),
    _rule(functions.renamed_functions),
    _rule(functions.bare_functions),
    _rule(functions.cast_types),
    _rule(dialect.compared_predicate),
    _rule(truths.compared_condition),
    _rule(truths.null_by_sign),
    _rule(dialect.truth_values),
    _rule(dialect.double_quoted_text),
    _rule(dialect.concatenation),
    _rule(conditional.filtered_aggregate),
    _rule(conditional.counted_condition),
    _rule(conditional.counted_pairs, "wrong_arguments"),
    _rule(conditional.lateral),
    _rule(listing.xml_listing),
    _rule(listing.distinct_listing),
    _rule(gathered.median),
    _rule(gathered.grouped_percentile),
    _rule(gathered.group_by_all, *UNREAD),
    _rule(gathered.nested_aggregate, *UNREAD),
    _rule(gathered.extreme_row, *UNREAD),
    _rule(gathered.json_listing),
    _rule(clauses.top_place),
    _rule(clauses.top_and_limit),
    _rule(clauses.top_and_fetch, *UNREAD),
    _rule(dialect.limit_offset),
    _rule(dialect.fetch_first),
    _rule(dialect.nulls_order),
    _rule(dialect.dual, "unknown_table"),
    _rule(dialect.row_number_limit, "unknown_column"),
    _rule(dialect.star_without, "syntax", "not_allowed", "multiple_statements"),
    _rule(vectors.query_parameter, engine=True),
    _rule(vectors.dotted_function),
    _rule(vectors.vector_functions),
    _rule(vectors.distance_arguments),
    _rule(ranked.placed_search, "syntax", "wrong_arguments", "unknown_function"),
    _rule(fulltext.unquoted_text),
    _rule(fulltext.argument_order),
    _rule(searches.whole_table),
    _rule(searches.ranked_table, "unknown_table", "wrong_arguments", "syntax"),
    _rule(fulltext.leading_not, engine=True),
    _rule(searches.either_not, "fulltext_syntax"),
    _rule(fulltext.searched_text, engine=True),
    _rule(syntax.recursive_word),
    _rule(series.counted_series, "recursive_cte"),
    _rule(syntax.stray_comma, "syntax", "multiple_statements"),
    _rule(syntax.second_with, *UNREAD),
    _rule(clauses.doubled_word, "syntax", "multiple_statements"),
    _rule(clauses.direction_word, "syntax"),
    _rule(clauses.comma_for_and, "syntax"),
    _rule(clauses.dangling_operator, "syntax"),
    _rule(clauses.missing_by, "syntax"),
    _rule(clauses.second_where, "syntax"),
    _rule(clauses.query_hint, "not_allowed", "syntax"),
    _rule(lists.missing_comma, "syntax"),
    _rule(lists.blank_alias, "syntax"),
    _rule(lists.is_value, "syntax"),
    _rule(lists.missing_end, "syntax"),
    _rule(lists.else_when, "syntax", "multiple_statements"),
    _rule(lists.listed_and, "syntax"),
    _rule(lists.bare_list, "syntax"),
    _rule(lists.bracketed_list, "syntax", "unknown_column", "not_allowed"),
    _rule(conditional.listed_condition, "syntax"),
    _rule(graph.bare_match, "syntax", "match_syntax"),
    _rule(patterns.named_in_match, "syntax", "match_syntax", "missing_edge_alias"),
    _rule(patterns.dotted_range, "syntax", "match_syntax", "path_shape"),
    _rule(graph.match_shape, "match_syntax", "missing_edge_alias"),
    _rule(patterns.filtered_match, "match_syntax", "syntax"),
    _rule(slips.edge_parenthesis, *UNREAD, "match_syntax"),
    _rule(slips.unpaired_quote, "syntax"),
    _rule(slips.unopened_parenthesis, *UNREAD, "unknown_column", "unknown_function"),
    _rule(syntax.closing_parenthesis, "syntax"),
    _rule(slips.doubled_parenthesis, *UNREAD),
    _rule(syntax.missing_parenthesis, "syntax", "match_syntax"),
    _rule(patterns.loose_match, "syntax", "match_place"),
    _rule(spelling.misspelt_keyword, "syntax", "not_select", "unknown_function"),
    _rule(spelling.misspelt_function, "unknown_function"),
    _rule(spelling.glued_keyword, *UNREAD, "unknown_column"),
    _rule(slips.missing_word, *UNREAD, "unknown_alias", "unknown_column", "unknown_function"),
    _rule(linked.unlinked_edges, "syntax", "unknown_table"),
    _rule(joins.join_without_on, "syntax"),
    _rule(names.foreign_schema),
    _rule(concepts.foreign_database, "not_allowed"),
    _rule(concepts.joining_table),
    _rule(names.unknown_tables),
    _rule(graph.edge_by_ends, "unknown_table"),
    _rule(ranked.ranked_column, "unknown_column"),
    _rule(names.table_as_alias, "unknown_alias", "unknown_column"),
    _rule(names.missing_alias, "unknown_alias"),
    _rule(names.near_alias, "unknown_alias"),
    _rule(columns.edge_keys),
    _rule(keys.foreign_key, "unknown_column"),
    _rule(columns.edge_end),
    _rule(columns.node_columns),
    _rule(keys.key_of_end, "pseudo_column_output"),
    _rule(columns.table_value, "unknown_column"),
    _rule(concepts.own_key, "pseudo_column_output"),
    _rule(years.year_of_date, "unknown_column", "wrong_arguments"),
    _rule(years.years_apart, "unknown_column", "wrong_arguments"),
    _rule(years.year_beside_date, "unknown_column", "wrong_arguments"),
    _rule(years.year_of_day, "unknown_column"),
    _rule(years.year_shown, "unknown_column"),
    _rule(concepts.concept_column, "unknown_column"),
    _rule(linked.grouped_concept, "unknown_column"),
    _rule(bare.function_as_column, "unknown_column"),
    _rule(aggregates.select_alias, "unknown_column", "not_allowed"),
    _rule(columns.unknown_column, "unknown_column"),
    _rule(comparisons.bare_text, "unknown_column"),
    _rule(vectors.compared_text, "wrong_arguments"),
    _rule(vectors.selected_embedding, "embedding_output"),
    _rule(either.same_match, "match_place"),
    _rule(either.match_under_or, "match_place"),
    _rule(either.match_in_outer_join, "match_place", "match_with_join"),
    _rule(joins.match_with_join, "match_with_join", "match_place", "syntax", "missing_edge_alias"),
    _rule(graph.turned_arrow, "wrong_arrow", "match_syntax"),
    _rule(keys.turned_ends, "wrong_arrow"),
    _rule(paths.for_path, "for_path"),
    _rule(graph.missing_edge, "missing_edge_alias"),
    _rule(graph.missing_node, "unknown_alias"),
    _rule(graph.outer_node, "unknown_alias"),
    _rule(graph.repeated_edge, "edge_used_twice"),
    _rule(aggregates.group_position, engine=True),
    _rule(lists.value_names, "syntax", "unknown_column"),
    _rule(lists.derived_alias, "syntax"),
    _rule(lists.derived_name, "syntax"),
    _rule(filters.aggregate_in_where, "syntax"),
    _rule(filters.having_without_group, engine=True),
    _rule(windowed.window_filter, "syntax", "not_allowed", "unsupported"),
    _rule(windowed.distinct_on, *UNREAD),
    _rule(orders.outer_order, "order_by_needs_top"),
    _rule(orders.inner_order, "order_by_needs_top"),
    _rule(orders.inner_json, "syntax"),
    _rule(orders.unlisted_order, "syntax"),
    _rule(orders.sorted_arms, "syntax"),
    _rule(orders.arm_order, "syntax"),
    _rule(grouping.missing_group, engine=True),
    _rule(running.joined_number, engine=True),
    _rule(running.tried_cast, engine=True),
    _rule(running.guarded_division, engine=True),
    _rule(running.several_values, engine=True),
    _rule(gathered.grouped_listing, "wrong_arguments", "syntax", "not_allowed"),
    _rule(slips.unclosed_parenthesis, *UNREAD, "wrong_arguments"),
)
"""Rules without a code look for what T-SQL never reads, whatever the refusal says."""
GROUPING = next(index for index, rule in enumerate(RULES) if rule.name == "group_position")
ALWAYS = tuple(rule for rule in RULES[:GROUPING] if not rule.codes)
ALWAYS_NAMED = frozenset(rule.name for rule in ALWAYS)


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
    statement, settled = RefusedStatement(sql, contract), False
    while len(changes) < MOST_CHANGES:
        step = _step(_told(statement, decision, error or ""), settled=settled)
        if step is None:
            break
        statement, settled = _settled(step, changes, contract)
        if _repeats(changes):
            break
        decision = judge(statement.sql, contract, limits)
    if isinstance(decision, Refused):
        return Repaired(sql, (), decision)
    return Repaired(statement.sql, tuple(changes)) if changes else Repaired(sql)


def _settled(
    step: tuple[str, RuleChange], changes: list[RuleChange], contract: Contract
) -> tuple[RefusedStatement, bool]:
    """Note a change and what rules without a code make of the text behind it, unjudged.

    Judging is dear, and such rules need no refusal. Say whether none of them has more to change.
    """
    following: tuple[str, RuleChange] | None = step
    statement = RefusedStatement(step[0], contract)
    while following is not None:
        statement = RefusedStatement(following[0], contract)
        changes.append(following[1])
        if len(changes) >= MOST_CHANGES or _repeats(changes):
            return statement, False
        following = _first(ALWAYS, statement)
    return statement, True


def _repeats(changes: list[RuleChange]) -> bool:
    return sum(each.rule == changes[-1].rule for each in changes) > MOST_OF_ONE_RULE


def _told(statement: RefusedStatement, decision: Decision, error: str) -> RefusedStatement:
    if isinstance(decision, Refused):
        return statement.refused(decision)
    return RefusedStatement(statement.sql, statement.contract, message=error, accepted=True)


def _step(statement: RefusedStatement, *, settled: bool) -> tuple[str, RuleChange] | None:
    """Apply the first rule that changes something; once accepted, only what no engine runs."""
    fitting = (
        rule
        for rule in RULES
        if (rule.engine or not statement.accepted)
        and (
            statement.code in rule.codes
            if rule.codes
            else not (settled and rule.name in ALWAYS_NAMED)
        )
    )
    return _first(fitting, statement)


def _first(rules: Iterable[Rule], statement: RefusedStatement) -> tuple[str, RuleChange] | None:
    for rule in rules:
        correction = rule.apply(statement)
        if correction is not None:
            text = apply(statement.sql, correction.edits)
            if text != statement.sql and keeps_placeholders(statement, correction.edits, text):
                return text, describe(rule.name, statement.sql, correction)
    return None
