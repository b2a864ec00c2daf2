"""Lexer: regions of the text, tokens, reserved words, and a cursor over tokens."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from sqlglot.dialects.tsql import TSQL
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from moviegraph.contract.validation import RESERVED, UNRESERVED_STATEMENTS
from moviegraph.errors import Span
from moviegraph.sql.decision import DialectError, RefusalError

# Words that the dialect itself uses; as a name they need brackets.
DIALECT_WORDS = frozenset(
    """
    ALL AND ANY AS ASC BETWEEN BY CASE COALESCE COLLATE CONTAINS CONTAINSTABLE CONVERT CROSS
    CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DESC DISTINCT DOUBLE ELSE END ESCAPE EXCEPT EXISTS
    FETCH FOR FREETEXT FREETEXTTABLE FROM FULL GROUP HAVING IN INNER INTERSECT IS JOIN KEY LEFT LIKE
    NOT NULL NULLIF ON OR ORDER OUTER OVER PERCENT PIVOT RIGHT SELECT SOME THEN TOP TRY_CONVERT
    UNION UNPIVOT VALUES VARYING WHEN WHERE WITH WITHIN
    """.split()
)
# A word with no place in a SELECT: bare, SQL Server may start a second statement there.
FOREIGN_WORDS = (RESERVED | UNRESERVED_STATEMENTS) - DIALECT_WORDS
# Statements other than SELECT, for a refusal that names the kind of text.
STATEMENT_WORDS = UNRESERVED_STATEMENTS | frozenset(
    """
    INSERT UPDATE DELETE MERGE DROP CREATE ALTER TRUNCATE EXEC EXECUTE DECLARE SET USE GRANT REVOKE
    DENY BACKUP RESTORE BULK KILL SHUTDOWN WAITFOR PRINT RAISERROR BEGIN COMMIT ROLLBACK SAVE
    DBCC RECONFIGURE CHECKPOINT REVERT IF WHILE GOTO RETURN BREAK CONTINUE OPEN CLOSE FETCH
    DEALLOCATE READTEXT WRITETEXT UPDATETEXT GO CALL EXPLAIN SHOW DESCRIBE PRAGMA ATTACH COPY
    INSTALL LOAD VACUUM ANALYZE
    """.split()
)
RECURSIVE = (
    "T-SQL has no RECURSIVE, and no CTE may read itself. Drop the word; for a path of any length "
    "write MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+))."
)
Kind = Literal["code", "string", "name", "comment"]
OPENING = re.compile(r"""['"\[]|--|/\*""")
CLOSING = {"'": "'", '"': '"', "[": "]"}
OPENED = {"'": "a string literal", '"': "a quoted name", "[": "a bracketed name"}
CONTINUED = re.compile(r"(?<=\\)(?=[\r\n])")
"""Where SQL Server joins two lines of a literal: it drops the backslash and the line break.

https://learn.microsoft.com/sql/t-sql/language-elements/sql-server-utilities-statements-backslash
"""
DIALECT = TSQL()
BEFORE_SIGN = re.compile(r"(?<![\w.@#$])(?:\d+(?:\.\d*)?|\.\d+)(e)\d+(?=[+-])", re.IGNORECASE)
NUMBER = re.compile(r"\d+(?:\.\d*)?(?:e(?:[+-]?\d+)?)?", re.IGNORECASE)
Parts = tuple[tuple[TokenType, str], ...]
STRINGS = (TokenType.STRING, TokenType.NATIONAL_STRING)
QUOTED = (*STRINGS, TokenType.IDENTIFIER)
TWO_WORDS = frozenset({"GROUP BY", "ORDER BY", "PARTITION BY", "GROUPING SETS"})
TWO_WORD_TYPES = frozenset({"CHAR VARYING", "CHARACTER VARYING", "DOUBLE PRECISION"})
COLON = (
    "A colon is not T-SQL; the only parameter is @q, and MATCH takes aliases only. For JSON write "
    "SELECT ... FOR JSON PATH."
)
LITERALS = "The only parameter is @q; write other values as literals."


@dataclass(frozen=True, slots=True)
class Region:
    """A half-open range of the text that is of one kind."""

    kind: Kind
    start: int
    end: int


def regions(sql: str) -> Iterator[Region]:
    """Yield the regions in order; together they cover the text."""
    at = 0
    while at < len(sql):
        opening = OPENING.search(sql, at)
        begun = opening.start() if opening else len(sql)
        if at < begun:
            yield Region("code", at, begun)
        if opening is None:
            return
        kind, at = _special(sql, begun)
        yield Region(kind, begun, at)


def check_lines(sql: str, part: Region) -> None:
    """Refuse a string or name whose lines SQL Server would join. Raises RefusalError."""
    continued = CONTINUED.search(sql, part.start, part.end)
    if continued:
        raise DialectError(
            "SQL Server drops a backslash at the end of a line within quotes or brackets, and the "
            "line break. Write the text on one line; for both, write 'a\\' + CHAR(10) + 'b'.",
            (continued.start() - 1, continued.start() + 1),
        )


def _special(sql: str, at: int) -> tuple[Kind, int]:
    char = sql[at]
    if char in CLOSING:
        return "string" if char == "'" else "name", _closed(sql, at, CLOSING[char])
    if char == "-":
        ends = [end for end in (sql.find("\n", at), sql.find("\r", at)) if end >= 0]
        return "comment", min(ends, default=len(sql))
    return "comment", _comment_end(sql, at)


def _closed(sql: str, at: int, closing: str) -> int:
    """Return the position after the closing character; doubled, it is part of the text."""
    start = at + 1
    while (end := sql.find(closing, start)) >= 0:
        if sql[end + 1 : end + 2] != closing:
            return end + 1
        start = end + 2
    raise DialectError(
        f"The statement ends inside {OPENED[sql[at]]} that begins at character {at + 1}; "
        f"close it with {closing}, and double a {closing} that belongs to the text.",
        (at, len(sql)),
    )


def _comment_end(sql: str, at: int) -> int:
    """Return the position after a block comment; T-SQL nests them."""
    depth, position = 0, at
    while position < len(sql):
        if sql.startswith("/*", position):
            depth, position = depth + 1, position + 2
        elif sql.startswith("*/", position):
            depth, position = depth - 1, position + 2
            if depth == 0:
                return position
        else:
            position += 1
    raise DialectError(
        f"The comment that begins at character {at + 1} is not closed with */.", (at, len(sql))
    )


def tokenize(text: str, parts: Iterable[Region]) -> list[Token]:
    """Return the tokens of a text, in which `parts` marks the code. Raises RefusalError.

    sqlglot takes the sign after `1e0` for a part of it: while it reads, a digit replaces the e.
    """
    masked = list(text)
    for part in parts:
        if part.kind == "code":
            for number in BEFORE_SIGN.finditer(text, part.start, part.end):
                masked[number.start(1)] = "0"
    try:
        tokens = DIALECT.tokenize("".join(masked))
    except (TokenError, ValueError, IndexError) as error:
        raise DialectError(
            "The text cannot be split into T-SQL tokens; check quotes and brackets."
        ) from error
    return [
        _as_written(token, text) if token.token_type is TokenType.NUMBER else token
        for token in tokens
    ]


def _as_written(token: Token, text: str) -> Token:
    """Return a number as it is written."""
    source = text[token.start : token.end + 1]
    if not NUMBER.fullmatch(source):
        raise DialectError(
            f"{source[:40]} is not a number; write 1.5 or 1.5e0, with spaces around operators.",
            (token.start, token.end + 1),
        )
    if source == token.text:
        return token
    line, start, end = token.line, token.start, token.end
    return Token(TokenType.NUMBER, source, line=line, col=token.col, start=start, end=end)


def call_tokens(name: str, number: str, kind: TokenType = TokenType.VAR) -> Parts:
    """Return the tokens of `name(number)`."""
    return (
        (kind, name),
        (TokenType.L_PAREN, "("),
        (TokenType.NUMBER, number),
        (TokenType.R_PAREN, ")"),
    )


@dataclass(slots=True)
class TokenCursor:
    """Tokens and a position that moves forward."""

    tokens: list[Token]
    at: int = 0

    def word(self, ahead: int = 0) -> str:
        """Return the upper-case text of a token that is no literal or quoted name, else ''."""
        index = self.at + ahead
        if not 0 <= index < len(self.tokens) or self.tokens[index].token_type in QUOTED:
            return ""
        return keyword_text(self.tokens[index])

    def token(self, ahead: int = 0) -> Token | None:
        """Return a token, or None before the first and after the last."""
        index = self.at + ahead
        return self.tokens[index] if 0 <= index < len(self.tokens) else None

    def error(
        self, message: str, code: str = "syntax", suggestions: tuple[str, ...] = ()
    ) -> RefusalError:
        """Return a refusal of the current token."""
        return RefusalError(code, message, self.span(), suggestions)

    def advance(self) -> Token:
        """Return the current token, and move past it."""
        token = self.tokens[self.at]
        self.at += 1
        return token

    def span(self) -> Span:
        """Return the span of the current token, or of the last one at the end."""
        token = self.tokens[min(self.at, len(self.tokens) - 1)]
        return (token.start, token.end + 1)


def keyword_text(token: Token) -> str:
    """Return the text of a token in upper case, a keyword of two words with one space."""
    text = token.text.upper()
    return text if token.token_type in QUOTED or text.isalnum() else " ".join(text.split()) or text
