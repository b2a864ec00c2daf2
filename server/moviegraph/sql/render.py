"""Rendering of a checked tree as T-SQL, and the check that the tree contains the words written."""

import itertools
import logging
from collections import Counter
from typing import Any, cast

from sqlglot import exp
from sqlglot.errors import SqlglotError, UnsupportedError
from sqlglot.tokenizer_core import Token, TokenType

from moviegraph.sql.decision import DialectError, RefusalError
from moviegraph.sql.functions import DATEPART_FIRST, is_along_path
from moviegraph.sql.lexer import DIALECT, STRINGS
from moviegraph.sql.lowering import Lowered
from moviegraph.sql.match_patterns import Match
from moviegraph.sql.syntax_tree import annotations, nodes, nodes_of
from moviegraph.sql.types import type_name

FREE = frozenset({"AS", "ASC"})
SAME = {
    "!=": "<>",
    "BIT": "BOOLEAN",
    "FIRST": "NEXT",
    "INTEGER": "INT",
    "NUMERIC": "DECIMAL",
    "ROW": "ROWS",
    "||": "+",
}
LACKING = {
    "AND": "BETWEEN takes two values with AND: x BETWEEN 1 AND 5",
    "IS": "a test for NULL is written x IS NULL or x IS NOT NULL",
    "NEXT": "rows are cut by ORDER BY x OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY",
    "OFFSET": "FETCH needs an OFFSET: ORDER BY x OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY",
    "PERCENT": "TOP takes a plain number of rows: SELECT TOP 10 ...",
    "ROWS": "rows are cut by ORDER BY x OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY",
    "SELECT": "OFFSET needs an ORDER BY before it: ORDER BY x OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY",
    "THEN": "each WHEN of a CASE takes a THEN: CASE WHEN x = 1 THEN 'a' ELSE 'b' END",
    ",": "a JOIN lacks its ON condition (JOIN x ON x.Id = y.Id), or a comma is missing",
    ")": "an opened parenthesis is not closed",
}
NAMELESS = "_COL_"
BEFORE_ALIAS = frozenset({"SELECT", "DISTINCT", ",", "PERCENT", "TIES"})


logging.getLogger("sqlglot").setLevel(logging.CRITICAL)


def render(tree: exp.Expr, matches: tuple[Match, ...]) -> str:
    """Return the T-SQL of a lowered tree; the tree itself is left as it is."""
    copy = tree.copy()
    for node in reversed(nodes(copy)):  # inner calls first: some are printed here
        if isinstance(node, exp.Anonymous):
            _restore(node, matches)
        elif isinstance(node, exp.Version):
            node.replace(exp.Var(this="FOR PATH"))
        elif is_along_path(node):
            # The generator of WITHIN GROUP drops the first character of its content.
            node.args["expression"].replace(exp.Var(this=" GRAPH PATH"))
        elif isinstance(node, exp.DataType):
            _name_type(node)
        elif annotations(node).added_parentheses:
            node.replace(node.this)
    return to_sql(copy)


def to_sql(tree: exp.Expr) -> str:
    """Return a tree as text, without the passes of sqlglot over what other dialects allow.

    The tree may be changed; it is one that the grammar admits. Raises UnsupportedError.
    """
    generator = DIALECT.generator(comments=False, normalize=False)
    text = generator.sql(tree)
    if generator.unsupported_messages:
        raise UnsupportedError(generator.unsupported_messages[0])
    return text


def _restore(call: exp.Anonymous, matches: tuple[Match, ...]) -> None:
    name = call.name[2:]
    if name == "MATCH":
        call.replace(exp.Var(this=matches[int(call.expressions[0].name)].sql()))
    elif name == "LANGUAGE":
        call.replace(exp.Var(this=f"LANGUAGE {call.expressions[0].name}"))
    elif name == "TRIM":
        call.replace(exp.Var(this=f"TRIM({' FROM '.join(map(to_sql, call.expressions))})"))
    else:
        call.set("this", name)
        if name in DATEPART_FIRST:
            call.expressions[0].replace(exp.Var(this=call.expressions[0].name))


def _name_type(node: exp.DataType) -> None:
    """Write a type by its usual name, where sqlglot has another: INTEGER, NUMERIC."""
    name = type_name(node)
    if name in ("INT", "DECIMAL"):
        node.set("this", exp.DataType.Type.USERDEFINED)
        node.set("kind", name)


def same_tree(left: exp.Expr, right: exp.Expr) -> bool:
    """Whether two trees agree in every class and argument; absent and empty are the same."""
    stack: list[tuple[Any, Any]] = [(left, right)]
    while stack:
        a, b = stack.pop()
        if isinstance(a, exp.Expr):
            if type(a) is not type(b):
                return False
            names = a.args.keys() | b.args.keys()
            stack.extend((a.args.get(name) or None, b.args.get(name) or None) for name in names)
        elif isinstance(a, list) and isinstance(b, list):
            left_items, right_items = cast("list[Any]", a), cast("list[Any]", b)
            if len(left_items) != len(right_items):
                return False
            stack.extend(zip(left_items, right_items, strict=True))
        elif a != b:
            return False
    return True


def check_faithful(lowered: Lowered, tree: exp.Expr) -> None:
    """Compare the words of a tree, written out, with those it was read from.

    Raises RefusalError.
    """
    _check_texts(lowered.tokens, tree)
    tokens, tree = _without_limit(lowered.tokens, tree)
    try:
        rendered_tokens = DIALECT.tokenize(to_sql(tree.copy()))
    except (SqlglotError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise _unfaithful("it holds what has no form in T-SQL") from error
    source_counts, rendered = Counter(map(_word, tokens)), Counter(map(_word, rendered_tokens))
    for word, count in (rendered - source_counts).items():
        if word not in FREE and not _is_added(word, count, source_counts, rendered_tokens):
            if word.startswith(NAMELESS):  # the name that sqlglot gives it
                at = int(word.removeprefix(NAMELESS)) + 1
                raise DialectError(
                    f"Column {at} of a derived table or CTE has no name; write AS after it: "
                    "COUNT(*) AS n."
                )
            raise _unfaithful(_lacking(word))
    spare = source_counts - rendered
    spare["="] -= _aliases_by_equals(tokens)
    for word, count in spare.items():
        if word not in FREE and count > 0:
            raise _unfaithful(f"there is one {word} too many")


def _check_texts(tokens: list[Token], tree: exp.Expr) -> None:
    """Refuse a string as a name: T-SQL takes one as the alias of a column only."""
    texts = {token.start for token in tokens if token.token_type in STRINGS}
    for name in nodes_of(tree, exp.Identifier) if texts else ():
        if name.meta_get("start") in texts and not isinstance(name.parent, exp.Alias):
            raise DialectError(
                f"A string names a column of the select list only; write {name.name[:40]} here "
                "without quotes, or in brackets."
            )


def _lacking(word: str) -> str:
    if word == "$":
        return "double quotes are for names, single quotes for text, as in '$.name'"
    return LACKING.get(word, f"{word} is missing")


def _word(token: Token) -> str:
    text = " ".join(token.text.upper().split())
    return SAME.get(text, text)


def _without_limit(tokens: list[Token], tree: exp.Expr) -> tuple[list[Token], exp.Expr]:
    """Omit LIMIT n: it is no T-SQL, and a note reports that it was read as TOP n."""
    at = next((n for n, t in enumerate(tokens) if t.token_type is TokenType.LIMIT), None)
    root = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    limit = root.args.get("limit")
    if at is None or not isinstance(limit, exp.Limit) or limit.meta.get("top"):
        return tokens, tree
    copy = root.copy()
    copy.set("limit", None)
    return tokens[:at] + tokens[at + 2 :], copy


def _is_added(
    word: str, count: int, source_counts: Counter[str], rendered_tokens: list[Token]
) -> bool:
    """Whether sqlglot adds a word by itself: parentheses of INTERSECT, names of CTE columns."""
    if word in ("(", ")"):
        return count <= source_counts["INTERSECT"] + source_counts["FOR"]
    alias_words = {
        _word(b) for a, b in itertools.pairwise(rendered_tokens) if a.token_type is TokenType.ALIAS
    }
    return word in alias_words and source_counts[word] > 0


def _aliases_by_equals(tokens: list[Token]) -> int:
    """Count the `name = expression` of select lists, which are written out with AS."""
    words = ["", "", "", *map(_word, tokens)]
    count = 0
    for at in range(3, len(words)):
        if words[at] == "=":
            before = words[at - 2]
            count += before in BEFORE_ALIAS or (before.isdigit() and words[at - 3] == "TOP")
    return count


def _unfaithful(problem: str) -> RefusalError:
    return DialectError(
        f"The statement is not T-SQL: {problem}. Check the keywords, commas and parentheses there."
    )
