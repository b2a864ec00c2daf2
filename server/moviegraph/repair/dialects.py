"""Statements of other dialects, read by sqlglot, and written as T-SQL."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from sqlglot import exp, parse
from sqlglot.errors import ErrorLevel, SqlglotError

from moviegraph.contract.model import Contract
from moviegraph.repair.context import Correction, Edit, RefusedStatement, correct, flat
from moviegraph.repair.statement_tree import read_tree
from moviegraph.repair.tokens import TokenRange, past_parenthesis
from moviegraph.sql.decision import Allowed
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.lowering import FOREIGN_TYPES

MAX_DIALECTS = 2
FAILURES = (SqlglotError, ValueError, TypeError, AttributeError, LookupError, RecursionError)
"""What sqlglot may raise on strange texts."""
UNREAD = frozenset(
    "syntax not_select multiple_statements not_allowed unsupported unknown_function "
    "wrong_arguments recursive_cte".split()
)
FOREIGN_WORDS = (
    r"\b(?:LIMIT|FETCH|NULLS|ILIKE|FILTER|LATERAL|USING|RECURSIVE|MATERIALIZED|QUALIFY)\b"
    r"|\b(?:OVER|TRUE|FALSE|REGEXP|EXTRACT|POSITION|SUBSTR\w*|STRING_AGG|INSTR|STRPOS|\w*LENGTH)\b"
    r"|\b(?:IFNULL|MOD|CEIL|POW|LN|REPEAT|STARTS_WITH|ENDS_WITH|ANY|AS\s+TEXT|AS\s+STRING)\b"
    r"|\bSUM\s*\([^()]*[<>=]|[=>]\s*NULL\b|(?<!\bIS )\bNOT\s+NULL\b|\|\||==|<=>|::"
)
HINTS = (
    ("sqlite", r"\bSTRFTIME\b|\bIS\s+(?:NOT\s+)?['\d]|\bGROUP_CONCAT\s*\([^()]*,\s*'"),
    ("mysql", r"`|\bRLIKE\b|\bGROUP_CONCAT\b|\bDIV\b|\bLIMIT\s+\d+\s*,|\bIF\s*\(|\bLOCATE\b|&&"),
    ("oracle", r"\bNVL2?\b|\bDECODE\b|\bMINUS\b|\bLISTAGG\b|\bTO_CHAR\b|\bSYSDATE\b|\bDUAL\b"),
    ("bigquery", r"\bSAFE_CAST\b|\bCOUNT_?IF\b|\bINT64\b"),
    ("snowflake", r"\bIFF\b|\bZEROIFNULL\b"),
    ("postgres", r"\bDATE_PART\b|::|\bNOW\b|\bCURRENT_DATE\b|~"),
    ("duckdb", r"\A\s*FROM\b"),
    ("tsql", FOREIGN_WORDS),
    ("mysql", r"\bREGEXP\b|\bNOW\b|\bCURDATE\b"),
)
DIALECTS = tuple((dialect, re.compile(form, re.IGNORECASE)) for dialect, form in HINTS)
BACKTICKED = frozenset({"mysql", "bigquery"})
WORDED = frozenset({"FROM", "ORDER", "SEPARATOR", "FOR", "IN"})
FOREIGN_ARITIES = frozenset(
    {("DATEDIFF", 2), ("ISNULL", 1), ("STRING_AGG", 1), ("ROUND", 1), ("CURRENT_TIMESTAMP", 0)}
)
TEXT_TYPES = frozenset({exp.DType.VARCHAR, exp.DType.TEXT, exp.DType.CHAR})
FREE_TO_GO = frozenset(
    {("table", "dual")}
    | {("literal", word) for word in ("year", "month", "day", "quarter", "week", "now", "y", "i")}
)
NAMES_OF_ORACLE = frozenset({"unknown_column", "unknown_table"})
ORACLE_NAME = re.compile(r"\bDUAL\b|\|\|", re.IGNORECASE)
AMBIGUOUS_MARKS = frozenset({"//", "#"})
"""Marks that begin a comment in one dialect, and compute in another."""
UNTRANSLATED = (exp.TimeToStr, exp.Interval, exp.Array, exp.SimilarTo, exp.IntDiv)
WHY = "The statement was written for another dialect; this is the T-SQL form."


class UntranslatableError(Exception):
    """Signal that a tree has no form in T-SQL that surely asks the same."""


@dataclass(slots=True)
class Translation:
    """The tree of a statement on its way to T-SQL, its text, and the contract."""

    tree: exp.Query
    sql: str
    contract: Contract


@dataclass(slots=True)
class MaskedText:
    """A statement in which what is T-SQL already has names that sqlglot leaves alone."""

    sql: str
    patterns: list[str] = field(default_factory=list[str])

    def restore(self, text: str) -> str:
        """Return a text with the hidden words back in their places."""
        text = re.sub(
            r"__match(\d+)\(\)", lambda match: self.patterns[int(match[1])], text, flags=re.I
        )
        text = re.sub(r"__dollar_(\w+)", r"$\1", text, flags=re.IGNORECASE)
        text = re.sub(r"__at_q\b", "@q", text, flags=re.IGNORECASE)
        return re.sub(r"\b__([A-Za-z])", r"\1", text)


def foreign_dialect(statement: RefusedStatement) -> Correction | None:
    """A statement of PostgreSQL, MySQL, Oracle and their like is written as T-SQL.

    SELECT Name || '!' AS n FROM Movie ORDER BY Id NULLS FIRST
    -> SELECT Name + '!' AS n FROM Movie ORDER BY Id
    """
    symbols = {token.text for token in statement.tokens if token.kind == "mark"}
    if not statement.tokens or "__" in statement.sql or symbols & AMBIGUOUS_MARKS:
        return None
    if statement.code in NAMES_OF_ORACLE and not ORACLE_NAME.search(statement.sql):
        return None
    for dialect in _dialects(statement.sql):
        text = _translate(statement, dialect)
        if text is None:
            continue
        decision = statement.decide(text)
        code = "" if isinstance(decision, Allowed) else decision.code
        tree = read_tree(text, statement.contract) if code == "syntax" else None
        is_guess = "<=>" in symbols or " <> 0" in text  # distances, and values read as conditions
        is_readable = tree is not None and tree.is_faithful() and not is_guess
        if code not in UNREAD or is_readable:
            return correct([Edit(0, len(statement.sql), text)], WHY)
    return None


def _dialects(sql: str) -> list[str]:
    hinted = [dialect for dialect, form in DIALECTS if form.search(sql)]
    return list(dict.fromkeys(hinted))[:MAX_DIALECTS]


def _translate(statement: RefusedStatement, dialect: str) -> str | None:
    masked = _mask(statement, "`" if dialect in BACKTICKED else '"')
    tree = _parse(masked.sql, dialect)
    if tree is None:
        return None
    translation = Translation(tree, statement.sql, statement.contract)
    before = _tree_facts(tree)
    try:
        for rewrite in REWRITES:
            rewrite(translation)
    except UntranslatableError:
        return None
    if before - _tree_facts(translation.tree) - FREE_TO_GO:
        return None
    text = _generate(translation.tree)
    return None if text is None else masked.restore(text)


def _parse(sql: str, dialect: str) -> exp.Query | None:
    """Return the one query that a dialect reads."""
    try:
        trees = parse(sql, read=dialect)
    except FAILURES:
        return None
    tree = trees[0] if len(trees) == 1 else None
    return tree if isinstance(tree, exp.Select | exp.SetOperation) else None


def _generate(tree: exp.Query) -> str | None:
    try:
        return tree.sql(dialect="tsql", unsupported_level=ErrorLevel.RAISE)
    except FAILURES:
        return None


def _tree_facts(tree: exp.Query) -> set[tuple[str, str]]:
    """Return the tables, the columns, the words of texts and the numbers of a tree."""
    facts = set[tuple[str, str]]()
    for node in tree.find_all(exp.Table, exp.Column, exp.Literal):
        if isinstance(node, exp.Literal):
            facts |= {("literal", word) for word in re.findall(r"\w+", node.name.lower())}
        else:
            facts.add((node.key, node.name.lower()))
    return facts


def _mask(statement: RefusedStatement, quote: str) -> MaskedText:
    """Hide patterns, pseudo-columns, @q and known functions; write names as the dialect does."""
    masked, parts, end, index = MaskedText(""), list[str](), 0, 0
    while index < len(statement.tokens):
        token, last = statement.tokens[index], index + 1
        text = token.text
        if statement.words(index, "MATCH", "("):
            last = past_parenthesis(statement.tokens, index + 1)
            start, stop = token.start, statement.tokens[last - 1].end
            masked.patterns.append(statement.sql[start:stop])
            text = f"__match{len(masked.patterns) - 1}()"
        elif token.kind == "word" and text[0] == "$":
            text = f"__dollar_{text[1:]}"
        elif text.lower() == "@q":
            text = "__at_q"
        elif token.kind == "name" and statement.upper(index - 1) != "ARRAY":
            text = f"{quote}{token.name}{quote}"
        elif _is_known_call(statement, index):
            text = f"__{text}"
        parts += [statement.sql[end : token.start], text]
        end, index = statement.tokens[last - 1].end, last
    masked.sql = "".join([*parts, statement.sql[end:]])
    return masked


def _is_known_call(statement: RefusedStatement, index: int) -> bool:
    """Return whether a call is T-SQL's own, with arguments between commas."""
    name = statement.upper(index)
    call = statement.call_at(index) if name in FUNCTIONS else None
    if call is None or (name, len(call.arguments)) in FOREIGN_ARITIES:
        return False
    inner = flat(statement, TokenRange(index + 2, call.last - 1))
    return not any(statement.upper(position) in WORDED for position in inner)


def _refuse_untranslatable(translation: Translation) -> None:
    """Refuse what sqlglot drops or guesses."""
    for node in translation.tree.walk():
        joined_outer = isinstance(node, exp.Column) and node.args.get("join_mark")
        distinct_on = isinstance(node, exp.Distinct) and node.args.get("on")
        # sqlglot filters a window function in a SELECT around it, and keeps no order there.
        ordered = isinstance(node, exp.Select) and node.args.get("qualify") and _is_cut(node)
        from_end = isinstance(node, exp.Substring) and isinstance(node.args.get("start"), exp.Neg)
        if isinstance(node, UNTRANSLATED) or joined_outer or distinct_on or ordered or from_end:
            raise UntranslatableError
        if isinstance(node, exp.Or | exp.And | exp.Not):
            operands = [node.this] if isinstance(node, exp.Not) else [node.left, node.right]
            if any(isinstance(operand.unnest(), exp.Literal) for operand in operands):
                raise UntranslatableError


def _is_cut(select: exp.Select) -> bool:
    return any(select.args.get(name) for name in ("distinct", "order", "limit", "offset"))


def _order_as_written(translation: Translation) -> None:
    """Keep the order of NULL that T-SQL has, where the statement names none."""
    if "NULLS" not in translation.sql.upper():
        for term in translation.tree.find_all(exp.Ordered):
            term.set("nulls_first", not term.args.get("desc"))


def _plain_conditions(translation: Translation) -> None:
    """Write ILIKE as LIKE, IS 1999 and = NULL by the sign that goes with the value."""
    for node in list(translation.tree.find_all(exp.ILike, exp.Is, exp.NullSafeEQ, exp.EQ, exp.NEQ)):
        value = node.expression
        if isinstance(node, exp.ILike):
            node.replace(exp.Like(**{**node.args, "expression": _pattern(value)}))
        elif isinstance(value, exp.Null) and not isinstance(node, exp.Is):
            test = exp.Is(this=node.this, expression=exp.Null())
            node.replace(exp.not_(test) if isinstance(node, exp.NEQ) else test)
        elif isinstance(value, exp.Boolean) and isinstance(node.this.unnest(), exp.Predicate):
            if isinstance(node.parent, exp.Not):
                raise UntranslatableError
            node.replace(node.this if value.this else exp.not_(node.this))
        elif isinstance(value, exp.Literal) and isinstance(node, exp.Is | exp.NullSafeEQ):
            node.replace(exp.EQ(this=node.this, expression=value))


def _pattern(value: exp.Expr) -> exp.Expr:
    """Return a pattern of another dialect, where [ is a character like any other."""
    if value.is_string:
        return exp.Literal.string(value.name.replace("[", "[[]"))
    if any("[" in text.name for text in value.find_all(exp.Literal)):
        raise UntranslatableError
    return value


def _regular_expressions(translation: Translation) -> None:
    """Write the operators of regular expressions as REGEXP_LIKE; ~ alone heeds case."""
    for node in list(translation.tree.find_all(exp.RegexpLike, exp.RegexpILike)):
        is_caseless = isinstance(node, exp.RegexpILike) or "~" not in translation.sql
        flags = [exp.Literal.string("i")] if is_caseless else []
        node.replace(_call("REGEXP_LIKE", node.this, node.expression, *flags))


def _text_functions(translation: Translation) -> None:
    """Write STARTS_WITH and ENDS_WITH as LIKE."""
    for node in list(translation.tree.find_all(exp.StartsWith, exp.EndsWith)):
        value = node.args.get("expression")
        if value is not None and value.is_string and not re.search(r"[%_\[]", value.name):
            pattern = f"{value.name}%" if isinstance(node, exp.StartsWith) else f"%{value.name}"
            node.replace(exp.Like(this=node.this, expression=exp.Literal.string(pattern)))


def _call(name: str, *arguments: exp.Expr) -> exp.Anonymous:
    return exp.Anonymous(this=f"__{name}", expressions=list(arguments))


def _counted_conditions(translation: Translation) -> None:
    """Write an aggregate's FILTER, and SUM of a condition, by CASE."""
    for node in list(translation.tree.find_all(exp.Filter)):
        aggregate = node.this
        conditions = (
            aggregate.expressions if isinstance(aggregate, exp.Anonymous) else [aggregate.this]
        )
        if len(conditions) != 1 or isinstance(conditions[0], exp.Distinct):
            raise UntranslatableError
        value = (
            exp.Literal.number(1) if isinstance(conditions[0], exp.Star) else conditions[0].copy()
        )
        case = exp.Case().when(node.expression.this, value)
        conditions[0].replace(case)
        node.replace(aggregate)
    for node in list(translation.tree.find_all(exp.Anonymous)):
        if node.name.upper() == "__SUM" and isinstance(node.expressions[0], exp.Predicate):
            condition = node.expressions[0]
            case = exp.Case().when(condition.copy(), exp.Literal.number(1))
            condition.replace(case.else_(exp.Literal.number(0)))


def _t_sql_types(translation: Translation) -> None:
    """Write text types as NVARCHAR, a DECIMAL without digits with them."""
    for node in list(translation.tree.find_all(exp.DataType)):
        if node.this in TEXT_TYPES:
            size = [expression.copy() for expression in node.expressions] or [
                exp.DataTypeParam(this=exp.var("MAX"))
            ]
            node.replace(exp.DataType(this=exp.DType.NVARCHAR, expressions=size))
        elif node.this == exp.DType.DECIMAL and not node.args.get("expressions"):
            node.replace(exp.DataType.build(FOREIGN_TYPES["NUMBER"], dialect="tsql"))
    for cast in list(translation.tree.find_all(exp.Cast)):
        average = cast.this
        fractional = cast.to.this in (exp.DType.DECIMAL, exp.DType.FLOAT, exp.DType.DOUBLE)
        if isinstance(average, exp.Anonymous) and average.name.upper() == "__AVG" and fractional:
            inner = exp.Cast(this=average.expressions[0].copy(), to=cast.to.copy())
            cast.replace(_call("AVG", inner))


def _texts_joined(translation: Translation) -> None:
    """Cast what || joins, and is no text, to a text; TO_CHAR without a form likewise."""
    for node in list(translation.tree.find_all(exp.ToChar)):
        if node.args.get("format") is None:
            node.replace(_as_text(node.this.copy()))
    for node in list(translation.tree.find_all(exp.Coalesce)):
        texts = [
            expression
            for expression in node.expressions
            if expression.is_string and not expression.name.isdigit()
        ]
        if texts and not _is_text(node.this, translation.contract):
            node.set("this", _as_text(node.this.copy()))
    for node in list(translation.tree.find_all(exp.DPipe)):
        for operand in (node.this, node.expression):
            if not isinstance(operand, exp.DPipe) and not _is_text(operand, translation.contract):
                operand.replace(_as_text(operand.copy()))


def _as_text(value: exp.Expr) -> exp.Cast:
    return exp.Cast(this=value, to=exp.DataType.build("NVARCHAR(MAX)", dialect="tsql"))


def _is_text(value: exp.Expr, contract: Contract) -> bool:
    value = value.unnest()
    if isinstance(value, exp.Column):
        columns = [node_table.column(value.name) for node_table in contract.nodes]
        return any(column is not None and "CHAR" in column.type for column in columns)
    if isinstance(value, exp.Anonymous):
        function = FUNCTIONS.get(value.name.upper().removeprefix("__"))
        return function is not None and "CHAR" in str(function.result)
    if isinstance(value, exp.Cast):
        return "CHAR" in value.to.sql(dialect="tsql")
    return value.is_string or isinstance(value, exp.Coalesce | exp.Case | exp.Substring | exp.Upper)


def _t_sql_joins(translation: Translation) -> None:
    """Write LATERAL as APPLY, and leave out DUAL and MATERIALIZED."""
    for cte in translation.tree.find_all(exp.CTE):
        cte.set("materialized", None)
    for join in list(translation.tree.find_all(exp.Join)):
        if isinstance(join.this, exp.Lateral) and join.this.args.get("cross_apply") is None:
            _apply(join)
    for source in list(translation.tree.find_all(exp.From)):
        select = source.parent
        if source.this.name.upper() == "DUAL" and select and not select.args.get("joins"):
            select.set("from_", None)


def _apply(join: exp.Join) -> None:
    on = join.args.get("on")
    if on is not None and not (isinstance(on.unnest(), exp.Boolean) and on.unnest().this):
        raise UntranslatableError
    join.this.set("cross_apply", join.side != "LEFT")
    for name in ("on", "side", "kind"):
        join.set(name, None)


def _bits_for_values(translation: Translation) -> None:
    """Write TRUE and FALSE as 1 and 0 where a value is expected."""
    for node in list(translation.tree.find_all(exp.Boolean)):
        parent = node.parent
        if (isinstance(parent, exp.If) and node.arg_key == "true") or (
            isinstance(parent, exp.Case) and node.arg_key == "default"
        ):
            node.replace(exp.Literal.number(int(node.this)))


REWRITES: tuple[Callable[[Translation], None], ...] = (
    _plain_conditions,
    _refuse_untranslatable,
    _order_as_written,
    _regular_expressions,
    _text_functions,
    _counted_conditions,
    _t_sql_types,
    _texts_joined,
    _t_sql_joins,
    _bits_for_values,
)
