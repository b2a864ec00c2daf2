"""Second spellings of T-SQL that sqlglot reads as the first, brought into that one form."""

from sqlglot.tokenizer_core import Token, TokenType

from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.gate import QUOTED
from moviegraph.sql.reader import Reader
from moviegraph.sql.reserved import RESERVED

ENDS_OF_VALUES = frozenset({")", "END", "NULL", "*"})
BEFORE_VALUES = frozenset(
    """
    SELECT DISTINCT , ( = < > <= >= <> != + - * / % & | ^ AND OR NOT WHEN THEN ELSE CASE BETWEEN
    WHERE HAVING ON LIKE
    """.split()
)
AGGREGATES = frozenset(name for name, f in FUNCTIONS.items() if f.kind == "aggregate")


def unified(tokens: list[Token]) -> list[Token]:
    """Return tokens in which TOP (n) is TOP n, .5 is 0.5, and idle words are left out."""
    reader, kept = Reader(tokens), list[Token]()
    while reader.at < len(tokens):
        kept += _next(reader)
        reader.at += 1
    return kept


def _next(reader: Reader) -> list[Token]:
    """Return what stands for the current token, and move to the last one that it covers."""
    token, word = reader.tokens[reader.at], reader.word()
    if word == "." and _is_fraction(reader):
        reader.at += 1
        return [_token(token, TokenType.NUMBER, "0." + reader.tokens[reader.at].text)]
    if word == "TOP" and _is_wrapped_number(reader):
        reader.at += 3
        return [token, reader.tokens[reader.at - 1]]
    if word in ("ROWS", "RANGE") and reader.word(1) != "BETWEEN":
        return _frame(reader)
    idle = word == "ALL" and _is_idle_all(reader)
    return [] if idle or (word == "+" and _is_prefix(reader)) else [token]


def _is_fraction(reader: Reader) -> bool:
    point, after = reader.tokens[reader.at], reader.token(1)
    return (
        after is not None
        and after.token_type is TokenType.NUMBER
        and after.start == point.end + 1
        and not _ends_value(reader)
    )


def _is_wrapped_number(reader: Reader) -> bool:
    number = reader.token(2)
    wrapped = reader.word(1) == "(" and reader.word(3) == ")"
    return wrapped and number is not None and number.token_type is TokenType.NUMBER


def _is_idle_all(reader: Reader) -> bool:
    """ALL is what SELECT and aggregates do anyway; after UNION or a comparison it counts."""
    if reader.word(-1) == "SELECT":
        return reader.word(1) != "DISTINCT"
    called = reader.word(-1) == "(" and reader.word(-2) in AGGREGATES
    return called and reader.word(1) not in ("*", ")", ",")


def _is_prefix(reader: Reader) -> bool:
    """Whether a plus stands before a number or parenthesis that no value precedes."""
    after = reader.token(1)
    if after is None or reader.word(-1) not in BEFORE_VALUES:
        return False
    return after.token_type is TokenType.NUMBER or reader.word(1) == "("


def _ends_value(reader: Reader) -> bool:
    before = reader.token(-1)
    if before is None:
        return False
    if before.token_type in (*QUOTED, TokenType.NUMBER):
        return reader.word(-2) != "TOP"
    word = reader.word(-1)
    return word in ENDS_OF_VALUES or (word[:1].isalpha() and word not in RESERVED)


def _frame(reader: Reader) -> list[Token]:
    """ROWS n PRECEDING is short for ROWS BETWEEN n PRECEDING AND CURRENT ROW."""
    head = reader.tokens[reader.at]
    short = reader.word(2) == "PRECEDING" or (reader.word(1), reader.word(2)) == ("CURRENT", "ROW")
    if not short:
        return [head]
    reader.at += 2
    return [
        head,
        _token(head, TokenType.BETWEEN, "BETWEEN"),
        *reader.tokens[reader.at - 1 : reader.at + 1],
        _token(head, TokenType.AND, "AND"),
        _token(head, TokenType.VAR, "CURRENT"),
        _token(head, TokenType.ROW, "ROW"),
    ]


def _token(here: Token, kind: TokenType, text: str) -> Token:
    return Token(kind, text, line=here.line, col=here.col, start=here.start, end=here.end)
