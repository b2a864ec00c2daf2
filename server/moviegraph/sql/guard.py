"""Guard: SQL text in, decision out. Pure; it never raises, never executes, and fails closed."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from sqlglot import exp

from moviegraph.contract.model import Contract
from moviegraph.contract.statement_limits import MAX_CHARACTERS
from moviegraph.errors import Span
from moviegraph.names import closest_names, fold_plural
from moviegraph.sql.allow_list import check_grammar, check_parenthesised
from moviegraph.sql.decision import (
    Allowed,
    ComparedName,
    Decision,
    DialectError,
    Output,
    RefusalError,
    Refused,
)
from moviegraph.sql.function_checks import (
    COMPARED_SIDES,
    check_repeated_texts,
    check_types,
    search_notes,
)
from moviegraph.sql.hints import with_hint
from moviegraph.sql.input_checks import check_input
from moviegraph.sql.joins import items_of
from moviegraph.sql.limits import (
    RowLimits,
    apply_limits,
    root_count,
    separate_tops,
)
from moviegraph.sql.lowering import Lowered, lower, lower_text
from moviegraph.sql.match_patterns import Match, bracket
from moviegraph.sql.parameters import QUERY, bind_parameters
from moviegraph.sql.parser import (
    check_concat,
    check_expansion,
    parse,
    replace_concat_operator,
    wrap_sorted,
)
from moviegraph.sql.render import check_faithful, render, same_tree
from moviegraph.sql.resolver import Resolver
from moviegraph.sql.scope import column_span
from moviegraph.sql.syntax_tree import annotations, nodes, nodes_of, string_value

INTERNAL_ERROR = "internal_error"
FAULT = (
    "The statement was not checked, because the server failed while it read it; the statement "
    "itself may be valid. Try another form, or report it to the operator of the server."
)
MAX_COMPARED = 8
MAX_NAME_CHARS = 400
CASE_FUNCTIONS = frozenset({"__LOWER", "__UPPER"})
NAMING_FUNCTIONS = ("__CONTAINSTABLE", "__FREETEXTTABLE")
MAX_WHERE_CHARS = 2_000
NO_PARAMETERS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Where:
    """A condition over the columns of one table, for the FROM sources with one alias.

    `argument` is what a tool calls it.
    """

    text: str
    table: str
    alias: str
    argument: str = "where"


NULL_COMPARED = (
    "A comparison with NULL is never true, so it selects no row. Write IS NULL or IS NOT NULL."
)
LIMIT_AS_TOP = "LIMIT n was read as TOP n."
NULL_LISTED = "NOT IN a list that holds NULL is never true. Leave NULL out of the list."


def judge(
    sql: str,
    contract: Contract,
    limits: RowLimits | None = None,
    *,
    where: Where | None = None,
    parameters: Mapping[str, str] = NO_PARAMETERS,
) -> Decision:
    """Judge one statement against a contract.

    Args:
        sql: T-SQL of at most 8,000 characters.
        contract: What may be read.
        limits: Row limits; by default those of the contract.
        where: A condition to AND into the SELECTs that read one alias.
        parameters: Of a published statement, the parameters beside @q by name, each with its type:
            int, bigint, float, date or text. Their values are bound.

    Returns:
        Allowed, with the only text that may run, or Refused, with a stable code.
    """
    try:
        return _judge(sql, contract, limits or contract_limits(contract), where, parameters)
    except RefusalError as error:
        return with_hint(error.refused, sql[:MAX_CHARACTERS], contract)
    except RecursionError:
        return Refused("too_large", "The statement nests too deeply; flatten it with CTEs.")
    except Exception as error:  # noqa: BLE001 - whatever fails here, nothing may run
        return Refused(INTERNAL_ERROR, FAULT, fault=error)


def contract_limits(contract: Contract, *, expanded: bool = False) -> RowLimits:
    """Return the row limits that a contract states."""
    top = contract.limits.top_expanded if expanded else contract.limits.top
    return RowLimits(top=top, inner=contract.limits.inner_top)


def _judge(
    sql: str,
    contract: Contract,
    limits: RowLimits,
    where: Where | None,
    parameters: Mapping[str, str],
) -> Allowed:
    # Sizes are limited on the tokens, before anything recurses: 12,000 parentheses end the process
    # in the compiled build of sqlglot.
    admitted, lowered = lower_text(sql)
    notes = [*admitted.notes, *lowered.notes]
    tree, used = _read(lowered, notes, parameters)
    # The condition joins the tree before names are resolved, so that it is resolved in its place.
    # It was parsed and judged alone, or `1 = 1) OR (1 = 1` would reach around the parentheses.
    if where is not None:
        apply_where(tree, where, contract)
        check_grammar(tree)
    # Sorted branches become derived tables before the resolver, which has to know their columns:
    # `(SELECT TOP 3 a ... ORDER BY a) UNION b` -> `SELECT * FROM (SELECT TOP 3 ...) AS s UNION b`
    if wrap_sorted(tree, notes):
        check_grammar(tree)
    check_parenthesised(tree)
    # From here on every column has its table, its type and its canonical name. What needs a type
    # follows; what needs the text only came before, because its messages name the words as written.
    resolver = Resolver(contract, lowered.matches)
    fields, aliases = resolver.resolve(tree)
    matches = resolver.matches
    check_concat(tree)
    check_types(tree)
    check_repeated_texts(tree)
    habits = tuple(notes)  # what was no T-SQL; the notes that follow are on valid statements
    notes += resolver.notes + _null_notes(tree)
    # Sort columns before the limits: these may add ORDER BY 1, which the author did not write, and
    # put a UNION into a derived table, whose branches are no longer at the root.
    sorted_by = _sort_columns(tree, [field.name for field in fields])
    tree = separate_tops(tree)
    capped = apply_limits(tree, limits, notes)
    notes += [capped.note] if capped.note else []
    # Only now is the tree complete. A name that no pass resolved would be sent as the caller wrote
    # it, so it is an internal error; then the text is rendered, and read once more: what the server
    # will see must be the tree that was judged.
    check_resolved(tree)
    rendered = render(tree, matches)
    notes += search_notes(tree)
    _check_stable(tree, matches, rendered)
    outputs = tuple(
        Output(field.name, field.table, field.column, alias)
        for field, alias in zip(fields, aliases, strict=True)
    )
    return Allowed(
        sql=rendered,
        notes=tuple(notes),
        tree=tree,
        matches=matches,
        outputs=outputs,
        cap=capped.rows,
        cap_note=capped.note,
        uses_query=any(node.name == QUERY for node in nodes_of(tree, exp.Parameter)),
        parameters=used,
        json=tree.args.get("for_") is not None,
        habits=habits,
        compared_names=compared_names(tree, contract),
        sort_columns=sorted_by,
    )


def with_one_more_row(allowed: Allowed) -> Allowed:
    """Return a statement that lists one row more, which shows whether there are more."""
    tree = allowed.tree.copy()
    root = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    count = root_count(root)
    if allowed.json or count is None:
        return allowed
    count.replace(exp.Literal.number(int(count.name) + 1))
    return replace(allowed, sql=render(tree, allowed.matches), tree=tree, cap=allowed.cap + 1)


def _sort_columns(tree: exp.Query, names: list[str]) -> tuple[int, ...]:
    """Return the places in the result of all sort keys of the root, or nothing."""
    root = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    order: exp.Order | None = root.args.get("order")
    keys: list[exp.Ordered] = order.expressions if order is not None else []
    items = root.expressions if isinstance(root, exp.Select) else []
    lowered = [name.lower() for name in names]
    places: list[int] = []
    for key in keys:
        index = _sort_place(key.this.unnest(), lowered, items)
        if index is None:
            return ()
        places.append(index)
    return tuple(places)


def _sort_place(key: exp.Expr, names: list[str], items: list[exp.Expr]) -> int | None:
    if isinstance(key, exp.Literal):
        return int(key.name) - 1
    if isinstance(key, exp.Column) and not key.table and key.name.lower() in names:
        return names.index(key.name.lower())
    for index, item in enumerate(items):
        value = item.unalias()
        if value == key or (_named(value) is not None and _named(value) == _named(key)):
            return index
    return None


def _named(value: exp.Expr) -> tuple[str, str] | None:
    if not isinstance(value, exp.Column):
        return None
    return annotations(value).alias.lower(), value.name.lower()


def _null_notes(tree: exp.Query) -> list[str]:
    """Note comparisons with a literal NULL, which are never true."""
    notes: dict[str, None] = {}
    for node in nodes(tree):
        if isinstance(node, COMPARED_SIDES):
            if any(isinstance(side.unnest(), exp.Null) for side in (node.this, node.expression)):
                notes[NULL_COMPARED] = None
        elif isinstance(node, exp.Not):
            inner = node.this.unnest()
            if isinstance(inner, exp.In) and inner.find(exp.Null) in inner.expressions:
                notes[NULL_LISTED] = None
    return list(notes)


def _read(
    lowered: Lowered, notes: list[str], parameters: Mapping[str, str]
) -> tuple[exp.Query, dict[str, str]]:
    """Return a tree that is faithful to the text, within the grammar and the size limits.

    With it the parameters that occur in it, and their declared types.
    """
    tree = parse(lowered)
    used = bind_parameters(tree, parameters) if parameters else {}
    if any(not limit.meta.get("top") for limit in nodes_of(tree, exp.Limit)):
        notes.append(LIMIT_AS_TOP)
    # `a || b` -> `a + b`, marked, before the grammar, which has no node for ||.
    replace_concat_operator(tree)
    # The grammar first: it names what is refused. Then the words are counted, because sqlglot reads
    # some texts as another statement without an error: `SELECT a, FROM t` as `SELECT a FROM t`.
    check_grammar(tree)
    check_faithful(lowered, tree)
    # Parentheses around the whole go after the words were counted, or two would seem to be missing.
    tree = _without_parentheses(tree)
    check_expansion(tree)
    return tree, used


def _without_parentheses(tree: exp.Query) -> exp.Query:
    """Free a set operation of parentheses around the whole, which would hold its FETCH too."""
    inner = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    if inner is tree or not isinstance(inner, exp.SetOperation):
        return tree
    inner.pop()
    return inner


def _check_stable(tree: exp.Expr, matches: tuple[Match, ...], rendered: str) -> None:
    """Read the output again: it must be the tree that was judged, and nothing else."""
    try:
        lowered = lower(check_input(rendered))
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
        raise DialectError(
            "The statement cannot be rendered faithfully; write it in a simpler form."
        )


def compared_names(tree: exp.Expr, contract: Contract) -> tuple[ComparedName, ...]:
    """Return the literals that name columns are compared with: =, <>, IN, LIKE, negated or not."""
    names: dict[ComparedName, None] = {}
    for node in nodes(tree):
        names.update(dict.fromkeys(_compared(node, contract)))
    return tuple(names)[:MAX_COMPARED]


def _compared(node: exp.Expr, contract: Contract) -> Iterator[ComparedName]:
    if isinstance(node, exp.EQ | exp.NEQ):
        yield from _literals(contract, node.this, [node.expression])
        yield from _literals(contract, node.expression, [node.this])
    elif isinstance(node, exp.In):
        yield from _literals(contract, node.this, node.expressions)
    elif isinstance(node, exp.Like):
        yield from _patterns(contract, node, None)
    elif isinstance(node, exp.Escape) and isinstance(node.this, exp.Like):
        yield from _patterns(contract, node.this, string_value(node.expression))


def _patterns(contract: Contract, like: exp.Like, escape: str | None) -> Iterator[ComparedName]:
    if escape is None and isinstance(like.parent, exp.Escape):
        return
    for name in _literals(contract, like.this, [like.expression]):
        ending = f" ESCAPE {_quoted(escape)}" if escape else ""
        condition = f"n.{_label(contract, name)} LIKE {_quoted(name.text)}{ending}"
        yield ComparedName(name.table, name.text, condition)


def _literals(
    contract: Contract, column: exp.Expr, values: list[exp.Expr]
) -> Iterator[ComparedName]:
    """Yield the texts that a name column is compared with, if the column is one."""
    if isinstance(column, exp.Anonymous) and column.name in CASE_FUNCTIONS and column.expressions:
        column = column.expressions[0]
    table, name = annotations(column).lineage or (None, None)
    node = contract.node(table) if table else None
    if node is None or name != node.label:
        return
    for value in values:
        text = string_value(value)
        if text and text.strip() and len(text) <= MAX_NAME_CHARS:
            yield ComparedName(node.name, text.strip())


def _quoted(text: str) -> str:
    return "N'" + text.replace("'", "''") + "'"


def _label(contract: Contract, name: ComparedName) -> str:
    node = contract.node(name.table)
    assert node is not None
    return node.label


def check_resolved(tree: exp.Expr) -> None:
    """Refuse a tree with a table or column that the resolver never visited: an internal error."""
    for node in nodes(tree):
        is_visited = True
        if isinstance(node, exp.Table):
            is_visited = bool(annotations(node).source)
        elif isinstance(node, exp.Column):
            is_named = (
                isinstance(node.parent, exp.Anonymous) and node.parent.name in NAMING_FUNCTIONS
            )
            is_visited = (
                is_named
                or annotations(node).sql_type is not None
                or isinstance(node.this, exp.Star)
            )
        if not is_visited:
            raise DialectError("A name was not resolved. Simplify the statement.")


def apply_where(tree: exp.Expr, where: Where, contract: Contract) -> None:
    """AND the condition into every SELECT that has a source with the alias.

    Raises RefusalError (code invalid_where).
    """
    selects = [
        select
        for select in tree.find_all(exp.Select)
        if where.alias.lower() in {item.alias_or_name.lower() for item in items_of(select)}
    ]
    assert selects, "a condition without a place would be lost"
    for select in selects:
        select.where(_condition(where, contract), copy=False)


def _condition(where: Where, contract: Contract) -> exp.Expr:
    """Parse and judge `SELECT 1 FROM table WHERE (text)`: the text cannot reach outside."""
    text = where.text.strip()
    if not text or len(text) > MAX_WHERE_CHARS:
        reason = f"it is empty or longer than {MAX_WHERE_CHARS:,} characters"
        raise invalid_where(where.argument, reason)
    head = f"SELECT 1 FROM {where.table} AS {bracket(where.alias)} WHERE ( "
    try:
        lowered = lower(check_input(f"{head}{text}\n)"))
        tree = parse(lowered)
        condition = _single_condition(tree, where)
        check_faithful(lowered, tree)
        _check_where(condition, where, contract)
        check_grammar(tree)
        Resolver(contract, lowered.matches).resolve(tree.copy())
    except RefusalError as error:
        refused = error.refused
        shift = len(head) - (len(where.text) - len(where.text.lstrip()))
        span = _shift_span(refused.span, shift, len(where.text))
        message = _shift_positions(refused.message, shift, text)
        if refused.code == "invalid_where":
            raise RefusalError(refused.code, message, span, refused.suggestions) from error
        reason = message.rstrip(".")
        raise invalid_where(where.argument, reason, refused.suggestions, span) from error
    return condition


def condition_columns(text: str) -> tuple[tuple[str, str], ...]:
    """Return qualifier and name of each column that a condition names, as written.

    None where it cannot be read; `judge` says why.
    """
    with suppress(RefusalError, RecursionError):
        if len(text) <= MAX_WHERE_CHARS:
            tree = parse(lower(check_input(f"SELECT 1 WHERE ( {text.strip()}\n)")))
            columns = [c for c in tree.find_all(exp.Column) if not isinstance(c.this, exp.Star)]
            return tuple(dict.fromkeys((column.table, column.name) for column in columns))
    return ()


def _shift_span(span: Span | None, shift: int, length: int) -> Span | None:
    """Return a place in the composed text as one in the text of the caller."""
    if span is None:
        return None
    start, end = max(0, span[0] - shift), min(length, span[1] - shift)
    return (start, end) if start < end else None


def _shift_positions(message: str, head: int, text: str) -> str:
    """Count lines, columns and characters of a message from where the caller's text begins."""

    def line(match: re.Match[str]) -> str:
        number, column = int(match[1]), int(match[2]) - (head if match[1] == "1" else 0)
        return f" (line {number}, column {column})" if number <= text.count("\n") + 1 else ""

    message = re.sub(r" \(line (\d+), column (\d+)\)", line, message)
    return re.sub(
        r"(?<=at character )\d+|(?<= at position )\d+(?= is outside)",
        lambda match: str(max(1, int(match[0]) - head)),
        message,
    )


def _single_condition(tree: exp.Expr, where: Where) -> exp.Paren:
    names = {"expressions", "from_", "where"}
    if isinstance(tree, exp.Select) and set(_set_arguments(tree)) == names:
        condition = tree.args["where"].this
        if isinstance(condition, exp.Paren):
            return condition
    reason = "it is not a single condition with balanced parentheses"
    raise invalid_where(where.argument, reason)


def _set_arguments(tree: exp.Expr) -> list[str]:
    return [name for name, value in tree.args.items() if value not in (None, [], False)]


def _check_where(condition: exp.Expr, where: Where, contract: Contract) -> None:
    for node in condition.walk():
        if isinstance(node, exp.Query | exp.Parameter):
            raise invalid_where(where.argument, "subqueries and @q are not allowed in it")
        if isinstance(node, exp.Anonymous) and node.name == "__MATCH":
            reason = "MATCH is not allowed in it"
            raise invalid_where(where.argument, reason)
        if isinstance(node, exp.Anonymous) and node.name in ("__CONTAINS", "__FREETEXT"):
            _qualify_star(node, where)
        if isinstance(node, exp.Column):
            _qualify(node, where, contract)


def _qualify_star(call: exp.Anonymous, where: Where) -> None:
    if call.expressions and isinstance(call.expressions[0], exp.Star):
        alias = exp.to_identifier(where.alias, quoted=True)
        call.expressions[0].replace(exp.Column(this=exp.Star(), table=alias))


def _qualify(column: exp.Column, where: Where, contract: Contract) -> None:
    qualifier = column.table.lower()
    table = contract.node(where.table) or contract.edge(where.table)
    if (table is not None and table.column(column.name) is None) or qualifier:
        _require_no_kind(column, where, contract)
    if qualifier and qualifier not in (where.alias.lower(), where.table.lower()):
        reason = f"{column.table} is unknown; write columns without a table, such as Name"
        raise invalid_where(where.argument, reason)
    if column.name.startswith("$"):
        raise invalid_where(where.argument, "pseudo-columns are not allowed in it")
    if isinstance(column.this, exp.Star):
        return
    if table is not None and table.column(column.name) is None:
        column_names = tuple(c.name for c in table.columns if c.type != "VECTOR")
        raise invalid_where(
            where.argument,
            f"{where.table} has no column {column.name}; it has {', '.join(column_names)}",
            closest_names(column.name, column_names) or column_names,
            column_span(column),
        )
    column.set("table", exp.to_identifier(where.alias, quoted=True))


def _require_no_kind(column: exp.Column, where: Where, contract: Contract) -> None:
    """Raise RefusalError where a name is that of a linked kind: Genre = 'Crime'."""
    written = fold_plural((column.table or column.name).lower())
    words = {word.word: word.table for word in contract.glossary.tables}
    words |= {node.name: node.name for node in contract.nodes}
    kind = next(
        (table for word, table in words.items() if fold_plural(word.lower()) == written), ""
    )
    if not contract.between(where.table, kind):
        return
    comparison = column.parent
    parts = comparison.find_all(exp.Literal) if comparison else ()
    names = "|".join(part.name.strip("%") for part in parts if part.is_string)
    is_negated = isinstance(comparison, exp.NEQ) or (
        isinstance(comparison, exp.EQ | exp.In | exp.Like)
        and isinstance(comparison.parent, exp.Not)
    )
    argument = f'{"exclude" if is_negated else "only"}: ["{kind}:{names or "NAME"}"]'
    raise invalid_where(
        where.argument,
        f"{kind} is a kind of node, not a column of {where.table}; use {argument} instead",
        (argument,),
        column_span(column),
    )


def invalid_where(
    argument: str, reason: str, suggestions: tuple[str, ...] = (), span: Span | None = None
) -> RefusalError:
    """Return the refusal of a condition."""
    of_what = "the kind that is searched" if argument == "where" else "an edge table"
    return RefusalError(
        "invalid_where",
        f"`{argument}` cannot be used: {reason}. It is one condition over columns of {of_what}.",
        span,
        suggestions,
    )
