"""Says whether a tree holds the words that were written, no more and no fewer.

sqlglot reads more than T-SQL: it forgives a missing THEN, a frame without PRECEDING, a comma too
many. What it would complete or drop is refused, so that the judged text is the written one.
"""

import itertools
from collections import Counter

from sqlglot import exp
from sqlglot.dialects.tsql import TSQL
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from moviegraph.sql.gate import STRINGS
from moviegraph.sql.lowering import Lowered
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.render import written
from moviegraph.sql.walk import copied, of_kind

DIALECT = TSQL()
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
BEFORE_ALIAS = frozenset({"SELECT", "DISTINCT", ",", "PERCENT", "TIES"})


def check_faithful(lowered: Lowered, tree: exp.Expr) -> None:
    """Compare the words of a tree, written out, with those it was read from.

    Raises RefusalError.
    """
    _check_texts(lowered.tokens, tree)
    tokens, tree = _without_limit(lowered.tokens, tree)
    try:
        shown = DIALECT.tokenize(written(copied(tree)))
    except (SqlglotError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise _unfaithful("it holds what has no form in T-SQL") from error
    given, made = Counter(map(_word, tokens)), Counter(map(_word, shown))
    for word, count in (made - given).items():
        if word not in FREE and not _is_added(word, count, given, shown):
            raise _unfaithful(_lacking(word))
    spare = given - made
    spare["="] -= _aliases_by_equals(tokens)
    for word, count in spare.items():
        if word not in FREE and count > 0:
            raise _unfaithful(f"there is one {word} too many")


def _check_texts(tokens: list[Token], tree: exp.Expr) -> None:
    """Refuse a string as a name: T-SQL takes one as the alias of a column only."""
    texts = {token.start for token in tokens if token.token_type in STRINGS}
    for name in of_kind(tree, exp.Identifier) if texts else ():
        if name.meta_get("start") in texts and not isinstance(name.parent, exp.Alias):
            raise RefusalError(
                "syntax",
                f"A string names a column of the select list only; write {name.name[:40]} here "
                "without quotes, or in brackets.",
            )


def _lacking(word: str) -> str:
    if word == "$":
        return "double quotes hold names, and text stands in single ones, as in '$.name'"
    return LACKING.get(word, f"{word} is missing")


def _word(token: Token) -> str:
    text = " ".join(token.text.upper().split())
    return SAME.get(text, text)


def _without_limit(tokens: list[Token], tree: exp.Expr) -> tuple[list[Token], exp.Expr]:
    """Leave LIMIT n out: it is no T-SQL, and a note says that it was read as TOP n."""
    at = next((n for n, t in enumerate(tokens) if t.token_type is TokenType.LIMIT), None)
    root = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    limit = root.args.get("limit")
    if at is None or not isinstance(limit, exp.Limit) or limit.meta.get("top"):
        return tokens, tree
    copy = root.copy()
    copy.set("limit", None)
    return tokens[:at] + tokens[at + 2 :], copy


def _is_added(word: str, count: int, given: Counter[str], shown: list[Token]) -> bool:
    """Whether sqlglot adds a word by itself: parentheses of INTERSECT, names of CTE columns."""
    if word in ("(", ")"):
        return count <= given["INTERSECT"] + given["FOR"]
    named = {_word(b) for a, b in itertools.pairwise(shown) if a.token_type is TokenType.ALIAS}
    return word in named and given[word] > 0


def _aliases_by_equals(tokens: list[Token]) -> int:
    """Count the `name = expression` of select lists, which are written out with AS."""
    words = ["", "", "", *map(_word, tokens)]
    found = 0
    for at in range(3, len(words)):
        if words[at] == "=":
            before = words[at - 2]
            found += before in BEFORE_ALIAS or (before.isdigit() and words[at - 3] == "TOP")
    return found


def _unfaithful(what: str) -> RefusalError:
    return RefusalError(
        "syntax",
        f"The statement is not T-SQL as it stands: {what}. Check the keywords, commas and "
        "parentheses there.",
    )
