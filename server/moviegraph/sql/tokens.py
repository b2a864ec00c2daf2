"""Splits T-SQL into sqlglot's tokens, each number ending where T-SQL ends it."""

import re
from collections.abc import Iterable

from sqlglot.dialects.tsql import TSQL
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.scan import Region

DIALECT = TSQL()
BEFORE_SIGN = re.compile(r"(?<![\w.@#$])(?:\d+(?:\.\d*)?|\.\d+)(e)\d+(?=[+-])", re.IGNORECASE)
NUMBER = re.compile(r"\d+(?:\.\d*)?(?:e(?:[+-]?\d+)?)?", re.IGNORECASE)


def tokenized(text: str, parts: Iterable[Region]) -> list[Token]:
    """Return the tokens of a text, of which `parts` says what is code. Raises RefusalError.

    sqlglot takes the sign behind `1e0` for a part of it: while it reads, a digit stands for the e.
    """
    masked = list(text)
    for part in parts:
        if part.kind == "code":
            for found in BEFORE_SIGN.finditer(text, part.start, part.end):
                masked[found.start(1)] = "0"
    try:
        tokens = DIALECT.tokenize("".join(masked))
    except (TokenError, ValueError, IndexError) as error:
        raise RefusalError(
            "syntax", "The text cannot be split into T-SQL tokens; check quotes and brackets."
        ) from error
    return [_number(each, text) if each.token_type is TokenType.NUMBER else each for each in tokens]


def _number(token: Token, text: str) -> Token:
    """Return a number as it is written."""
    written = text[token.start : token.end + 1]
    if not NUMBER.fullmatch(written):
        raise RefusalError(
            "syntax",
            f"{written[:40]} is no number; write 1.5 or 1.5e0, with blanks around operators.",
            (token.start, token.end + 1),
        )
    if written == token.text:
        return token
    line, start, end = token.line, token.start, token.end
    return Token(TokenType.NUMBER, written, line=line, col=token.col, start=start, end=end)
