"""Operators of an expression: arithmetic, comparisons, CASE, LIKE and COLLATE."""

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from moviegraph.engines.duckdb.conversions import (
    NUMBERS,
    QUANTIFIED,
    Outputs,
    clash,
    comparison_side,
    comparison_sides,
    convert_implicitly,
    days,
    duckdb_type,
    invalid,
    merge_results,
)
from moviegraph.engines.duckdb.expressions import (
    Node,
    binary,
    cast,
    concat,
    enclose,
    number,
    unsupported,
)
from moviegraph.engines.duckdb.function_call import translated_text
from moviegraph.engines.duckdb.refusals import QUANTIFIED_TEXT
from moviegraph.engines.duckdb.text_patterns import is_open, like_condition
from moviegraph.engines.duckdb.text_rules import (
    check_agreement,
    collation,
    limit_length,
    max_length,
    may_trail,
    named_collation,
    sort_value,
    trim_spaces,
    with_collation,
)
from moviegraph.engines.duckdb.text_values import store_timestamp
from moviegraph.errors import ExecutionError
from moviegraph.sql.syntax_tree import FLOATS, TEXTS, SqlType, annotations, string_value
from moviegraph.sql.types import (
    ARITHMETIC,
    MAX_DIGITS,
    UNKNOWN,
    WHOLE,
    Operator,
    decimal_type,
    merge_types,
    result_types,
    sql_type,
    type_family,
    type_named,
)

NAMES = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "modulo"}
NODES: dict[Operator, type[exp.Binary]] = {
    "+": exp.Add,
    "-": exp.Sub,
    "*": exp.Mul,
    "/": exp.Div,
    "%": exp.Mod,
}
NARROW = ("BIT", "TINYINT", "SMALLINT")
FITTING = 18  # digits of a BIGINT
Side = tuple[Node, SqlType]


def arithmetic(operator: Operator, left: Side, right: Side, result: SqlType) -> Node:
    """Return an operation on two translated operands.

    Raises:
        ExecutionError: T-SQL has no such operation, or this engine cannot reproduce it.
    """
    kinds = left[1], right[1]
    names = [kind.name for kind in kinds if kind.name != "UNKNOWN"]
    if names and not all(name in (*NUMBERS, *TEXTS) for name in names):
        return _on_moments(operator, left, right)
    if names and set(names) <= {"BIT"}:
        raise invalid(kinds[0], f"the {NAMES[operator]} operator")
    if len(names) == 2 and all(name in TEXTS for name in names):
        raise invalid(kinds[0], f"the {NAMES[operator]} operator")
    if names and all(name in TEXTS for name in names):
        result = type_named("INT")  # of NULL
    if result.name in FLOATS:
        return _on_floats(operator, left, right, result)
    if result.family == "DECIMAL":
        return _on_decimals(operator, left, right, result)
    return _on_whole(operator, left, right, result)


def _on_moments(operator: Operator, left: Side, right: Side) -> Node:
    """Only DATETIME counts in days."""
    date_type = left[1] if left[1].name not in (*NUMBERS, *TEXTS, "UNKNOWN") else right[1]
    other = right[1] if date_type is left[1] else left[1]
    if operator not in ("+", "-"):
        raise invalid(date_type, f"the {NAMES[operator]} operator", "Compute with DATEDIFF.")
    if date_type.name != "DATETIME":
        raise clash(other, date_type)
    if other.name == "UNKNOWN":
        return exp.Null()
    if other.name not in NUMBERS or (operator == "-" and date_type is right[1]):
        raise unsupported("sum or difference of two dates", "Use DATEADD or DATEDIFF.")
    operands = [node if kind is date_type else days(node, kind) for node, kind in (left, right)]
    moved = binary(NODES[operator], operands[0], operands[1])
    return store_timestamp(moved, date_type.name, failure=f"moved {date_type.name.lower()}")


def _on_whole(operator: Operator, left: Side, right: Side, result: SqlType) -> Node:
    operands = [_whole(node, kind, result) for node, kind in (left, right)]
    translated = binary(NODES[operator], operands[0], operands[1])
    has_types = all(_has_type(side, result) for side in operands) or result.name == "UNKNOWN"
    return translated if has_types else cast(translated, *duckdb_type(result))


def _whole(node: Node, kind: SqlType, result: SqlType) -> Node:
    if kind.name in NARROW and kind.name != result.name:
        return cast(node, "INT")
    return convert_implicitly(node, kind, result)


def _has_type(node: Node, result: SqlType) -> bool:
    """Return whether DuckDB computes in the type of the result, which then cannot overflow."""
    if isinstance(node, exp.Literal):
        return result.name == "INT"
    kind = node.to.this if isinstance(node, exp.Cast) else None
    return kind is not None and kind == exp.DataType.Type[duckdb_type(result)[0]]


def _on_floats(operator: Operator, left: Side, right: Side, result: SqlType) -> Node:
    if operator == "%":
        raise invalid(result, "the modulo operator", "CAST both sides AS DECIMAL or INT.")
    operands = [convert_implicitly(node, kind, result) for node, kind in (left, right)]
    return binary(NODES[operator], operands[0], operands[1])


def _on_decimals(operator: Operator, left: Side, right: Side, result: SqlType) -> Node:
    first, second = _exact(left, right[1]), _exact(right, left[1])
    if operator == "/":
        return quotient(first, second, result)
    if operator == "*" and first[1].scale + second[1].scale > MAX_DIGITS:
        raise unsupported("product with so many places", "CAST a factor to fewer places.")
    if operator == "*":
        first = _widen(first, second[1]), first[1]
    translated = binary(NODES[operator], first[0], second[0])
    return cast(translated, *duckdb_type(result))


def _widen(side: Side, other: SqlType) -> Node:
    """Return a factor so that DuckDB has room for the product.

    Of two DECIMAL of at most 18 digits it computes the product in 18 digits, and fails beyond:
    `DECIMAL(14, 2) * DECIMAL(11, 2)` -> `CAST(a AS DECIMAL(19, 2)) * b`, which has 38.
    """
    node, kind = side
    if "DECIMAL" not in (kind.name, other.name) or kind.precision + other.precision <= FITTING:
        return node
    return cast(node, "DECIMAL", max(kind.precision, FITTING + 1), kind.scale)


def _exact(side: Side, other: SqlType) -> Side:
    """Return an operand as an exact number; text becomes one as wide as the other operand."""
    node, kind = side
    if kind.name in TEXTS or kind.name == "UNKNOWN":
        return convert_implicitly(node, kind, other), other
    if kind.name == "BIT":
        return cast(node, "INT"), kind
    return node, kind


def quotient(left: Side, right: Side, result: SqlType) -> Node:
    """Return the quotient of two exact numbers, truncated at the scale of the result.

    Whole numbers are divided, so that no digit is lost to floating point.
    """
    wide = "BIGINT" if result.precision <= FITTING else "INT128"
    shift = result.scale - left[1].scale + right[1].scale
    above, below = _unscaled(*left, wide), _unscaled(*right, wide)
    if shift > 0:
        above = binary(exp.Mul, above, cast(number(10**shift), wide))
    if shift < 0:
        below = binary(exp.Mul, below, cast(number(10**-shift), wide))
    integral = cast(binary(exp.Div, above, below), "DECIMAL", result.precision, 0)
    unit = cast(number(1), "DECIMAL", 1, 0) if not result.scale else _unit(result.scale)
    return cast(binary(exp.Mul, integral, unit), *duckdb_type(result))


def _unscaled(node: Node, kind: SqlType, wide: str) -> Node:
    if not kind.scale:
        return cast(node, wide)
    exact = cast(node, "DECIMAL", max(kind.precision, FITTING + 1), kind.scale)
    tens = cast(number(10**kind.scale), *duckdb_type(decimal_type(kind.scale + 1, 0)))
    return cast(binary(exp.Mul, exact, tens), wide)


def _unit(scale: int) -> Node:
    literal = exp.Literal(this="0." + "0" * (scale - 1) + "1", is_string=False)
    return cast(literal, "DECIMAL", scale, scale)


Rule = Callable[[Any], Node]
BITWISE = (exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor)
SORTING = (exp.GT, exp.GTE, exp.LT, exp.LTE)
UNPAIRED = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NEQ)


class Operators:
    """Translates operators; `translate` is the rule for their operands."""

    def __init__(self, translate: Callable[[Node], Node], outputs: Outputs) -> None:
        self._node = translate
        self._outputs = outputs
        self.rules: dict[type[Node], Rule] = {
            exp.Add: self._add,
            exp.Between: self._between,
            exp.BitwiseNot: self._complement,
            exp.Case: self._case,
            exp.Collate: self._collate,
            exp.EQ: self._comparison,
            exp.Escape: self._escape,
            exp.In: self._in,
            exp.Like: self._like,
            exp.Literal: self._literal,
            exp.Neg: self._negative,
            exp.NullSafeEQ: self._comparison,
            exp.NullSafeNEQ: self._comparison,
            exp.Ordered: self._ordered,
            **dict.fromkeys(UNPAIRED, self._unpaired),
            **dict.fromkeys(BITWISE, self._bitwise),
            **dict.fromkeys((exp.Sub, exp.Mul, exp.Div, exp.Mod), self._arithmetic),
        }

    def _literal(self, node: exp.Literal) -> Node:
        """An integer literal too large for INT is a decimal."""
        kind = sql_type(node)
        if kind.name != "DECIMAL":
            return node.copy()
        if kind.precision > MAX_DIGITS:
            raise ExecutionError(
                f"The number {node.name[:20]}... is out of the range of numeric: 38 digits.",
                code="conversion_failed",
                hint="Write it as a FLOAT: 1e40.",
            )
        return node.copy() if kind.scale else cast(node.copy(), "DECIMAL", kind.precision, 0)

    def _add(self, node: exp.Add) -> Node:
        """`+` joins texts; combined with a number, text is read as one."""
        kinds = {type_family(node.this), type_family(node.expression)}
        if kinds <= {"NVARCHAR", "UNKNOWN"} and "NVARCHAR" in kinds:
            judged = node.this, node.expression
            translated = concat(*map(self._node, judged))
            return limit_length(translated, sql_type(node), sum(map(max_length, judged)))
        return self._arithmetic(node)

    def _arithmetic(self, node: exp.Binary) -> Node:
        if isinstance(node, exp.Add | exp.Sub) and isinstance(node.expression, BITWISE):
            raise unsupported("rule for mixed & | ^ + -", "Put each operation in parentheses.")
        left, right = ((self._node(side), sql_type(side)) for side in (node.this, node.expression))
        return arithmetic(ARITHMETIC[type(node)], left, right, sql_type(node))

    def _bitwise(self, node: exp.Binary) -> Node:
        """Between these operators sqlglot and T-SQL disagree on which binds closer."""
        mixed = (exp.Add, exp.Sub, *BITWISE)
        judged = node.this, node.expression
        if any(
            isinstance(argument, mixed) and type(argument) is not type(node) for argument in judged
        ):
            raise unsupported("rule for mixed & | ^ + -", "Put each operation in parentheses.")
        target = sql_type(node)
        for kind in map(sql_type, judged):
            if kind.family not in ("INT", "BIGINT", "BIT", "UNKNOWN"):
                raise invalid(kind, "the bitwise operators", "CAST the operand AS INT first.")
        translated = [
            convert_implicitly(self._node(side), sql_type(side), target) for side in judged
        ]
        return binary(type(node), translated[0], translated[1])

    def _complement(self, node: exp.BitwiseNot) -> Node:
        """`~` of a BIT is the other bit."""
        translated = self._node(node.this)
        is_bit = sql_type(node.this).family == "BIT"
        return exp.Not(this=enclose(translated)) if is_bit else exp.BitwiseNot(this=translated)

    def _negative(self, node: exp.Neg) -> Node:
        kind = sql_type(node.this)
        if kind.name != "UNKNOWN" and (kind.name not in NUMBERS or kind.name == "BIT"):
            raise invalid(kind, "the minus operator")
        translated, result = self._node(node.this), sql_type(node)
        if result.name not in WHOLE or isinstance(translated, exp.Literal):
            return exp.Neg(this=translated)
        if kind.name != result.name:
            translated = cast(translated, *duckdb_type(result))
        # DuckDB widens the type of the negative of a constant that does not fit its own.
        return cast(exp.Neg(this=translated), *duckdb_type(result))

    # comparisons

    def _comparison(self, node: exp.Binary) -> Node:
        judged = node.this, node.expression
        check_agreement(judged)
        target = merge_types([sql_type(argument) for argument in judged])
        translated = [comparison_side(side, self._side(side, target), target) for side in judged]
        if isinstance(node, SORTING):
            translated = self._sorted(judged, translated)
        return type(node)(this=translated[0], expression=translated[1])

    def _sorted(self, judged: tuple[Node, ...], translated: list[Node]) -> list[Node]:
        """Compare texts in the order of the collation, unless a side names a different one."""
        if not all(sql_type(argument).family in ("NVARCHAR", "UNKNOWN") for argument in judged):
            return translated
        if any(isinstance(argument, QUANTIFIED) for argument in judged):
            raise QUANTIFIED_TEXT.error()
        has_collation = any(argument.find(exp.Collate) is not None for argument in judged)
        texts = [at for at, argument in enumerate(judged) if sql_type(argument) != UNKNOWN]
        if texts and not has_collation:
            translated[texts[0]] = with_collation(translated[texts[0]])
        return translated

    def _side(self, side: Node, target: Any) -> Node:
        if isinstance(side, QUANTIFIED):
            self._outputs.want(side.this, [target], trim=True)
        return self._node(side)

    def _unpaired(self, node: exp.Binary) -> Node:
        """Hide an unequal comparison of two sources, or DuckDB may join by it, pair by pair.

        `a.Id <> b.Id` with MATCH then took gigabytes; as a CASE it is a filter, and NULL
        stays NULL.
        """
        translated = self._comparison(node)
        plain = (node.this.unnest(), node.expression.unnest())
        aliases = {annotations(side).alias for side in plain if isinstance(side, exp.Column)}
        if len(aliases) < len(plain):
            return translated
        opposite = exp.Not(this=exp.Paren(this=translated.copy()))
        branches = [
            exp.If(this=translated, true=exp.Boolean(this=True)),
            exp.If(this=opposite, true=exp.Boolean(this=False)),
        ]
        return exp.Case(ifs=branches)

    def _between(self, node: exp.Between) -> Node:
        judged = node.this, node.args["low"], node.args["high"]
        check_agreement(judged)
        translated = comparison_sides(judged, [self._node(argument) for argument in judged])
        translated = self._sorted(judged, translated)
        return exp.Between(this=translated[0], low=translated[1], high=translated[2])

    def _in(self, node: exp.In) -> Node:
        query = node.args.get("query")
        if query is None:
            judged = [node.this, *node.expressions]
            check_agreement(judged)
            translated = comparison_sides(judged, [self._node(argument) for argument in judged])
            return exp.In(this=translated[0], expressions=translated[1:])
        target = merge_types([sql_type(node.this), *result_types(query)[:1]])
        self._outputs.want(query, [target], trim=True)
        made_this = comparison_side(node.this, self._node(node.this), target)
        return exp.In(this=made_this, query=self._node(query))

    def _case(self, node: exp.Case) -> Node:
        """In a simple CASE each WHEN is a comparison; the results get one type."""
        ifs = node.args["ifs"]
        tests = [branch.this for branch in ifs]
        made_tests = [self._node(test) for test in tests]
        made_this = None
        if node.this is not None:
            first = self._node(node.this)
            made_this, *made_tests = comparison_sides([node.this, *tests], [first, *made_tests])
        judged = [branch.args["true"] for branch in ifs]
        if node.args.get("default") is not None:
            judged.append(node.args["default"])
        results = merge_results(judged, [self._node(argument) for argument in judged])
        branches = [
            exp.If(this=test, true=result)
            for test, result in zip(made_tests, results[: len(ifs)], strict=True)
        ]
        default = results[len(ifs)] if len(results) > len(ifs) else None
        return exp.Case(this=made_this, ifs=branches, default=default)

    # texts

    def _like(self, node: exp.Like, escaping: Node | None = None) -> Node:
        """Trailing spaces of a text count where a side is Unicode, and in the pattern always."""
        subject, pattern = node.this, node.expression
        plain = pattern.unnest()
        check_agreement((subject, pattern))
        escape = string_value(escaping) if escaping is not None else None
        unicode = any(sql_type(item).is_unicode for item in (subject, pattern, escaping) if item)
        translated = like_condition(
            translated_text(self._node(subject), sql_type(subject)),
            translated_text(self._node(pattern), sql_type(pattern)),
            string_value(plain.this if isinstance(plain, exp.Collate) else plain),
            escape,
            named_collation(node),
            padded=may_trail(subject) and not unicode and not is_open(pattern, escape),
        )
        return exp.Not(this=enclose(translated)) if node.args.get("negate") else translated

    def _escape(self, node: exp.Escape) -> Node:
        escape = string_value(node.expression)
        if not isinstance(node.this, exp.Like) or escape is None or len(escape) != 1:
            raise unsupported("ESCAPE with anything but one literal character")
        return self._like(node.this, node.expression)

    def _collate(self, node: exp.Collate) -> Node:
        kind = sql_type(node.this)
        if kind.name not in (*TEXTS, "UNKNOWN"):
            raise invalid(kind, "the COLLATE clause", "CAST it AS NVARCHAR(200) first.")
        return with_collation(self._node(node.this), collation(node.expression.name))

    def _ordered(self, node: exp.Ordered) -> Node:
        translated = trim_spaces(node.this, self._node(node.this))
        ordered = node.parent.parent if node.parent is not None else None
        if isinstance(node.this, exp.Literal) and isinstance(ordered, exp.Query):
            kinds = result_types(ordered)
            if kinds[int(node.this.name) - 1].name in TEXTS:
                translated = with_collation(translated)
        translated = sort_value(node.this, translated)
        options = {name: value for name, value in node.args.items() if name != "this"}
        return exp.Ordered(this=translated, **options)
