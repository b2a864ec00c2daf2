"""Second spellings of T-SQL that sqlglot reads as the first, brought into that one form."""

from dataclasses import dataclass, field

from sqlglot.tokenizer_core import Token, TokenType

from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.gate import QUOTED, TWO_WORD_TYPES
from moviegraph.sql.reader import Reader
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.reserved import RESERVED

ENDS_OF_VALUES = frozenset({")", "END", "NULL", "*"})
BEFORE_VALUES = frozenset(
    """
    SELECT DISTINCT , ( = < > <= >= <> != + - * / % & | ^ AND OR NOT WHEN THEN ELSE CASE BETWEEN
    WHERE HAVING ON LIKE
    """.split()
)
AGGREGATES = frozenset(name for name, f in FUNCTIONS.items() if f.kind == "aggregate")


# Synonyms as Microsoft Learn lists them ("Data type synonyms"); sysname is a name of a server.
TYPE_SYNONYMS = {
    "CHAR VARYING": (TokenType.VARCHAR, "VARCHAR"),
    "CHARACTER": (TokenType.CHAR, "CHAR"),
    "CHARACTER VARYING": (TokenType.VARCHAR, "VARCHAR"),
    "DEC": (TokenType.DECIMAL, "DECIMAL"),
    "DOUBLE PRECISION": (TokenType.FLOAT, "FLOAT"),
    "NATIONAL CHAR": (TokenType.NCHAR, "NCHAR"),
    "NATIONAL CHAR VARYING": (TokenType.NVARCHAR, "NVARCHAR"),
    "NATIONAL CHARACTER": (TokenType.NCHAR, "NCHAR"),
    "NATIONAL CHARACTER VARYING": (TokenType.NVARCHAR, "NVARCHAR"),
}
FOREIGN_TYPES = {
    "BOOL": "BIT",
    "BOOLEAN": "BIT",
    "DOUBLE": "FLOAT",
    "FLOAT8": "FLOAT",
    "INT4": "INT",
    "INT8": "BIGINT",
    "LONG": "BIGINT",
    "NUMBER": "DECIMAL(18, 4)",
    "SIGNED": "INT",
    "STRING": "NVARCHAR(MAX)",
    "SYSNAME": "NVARCHAR(128)",
    "TEXT": "NVARCHAR(MAX)",
    "NTEXT": "NVARCHAR(MAX)",
    "TIMESTAMP": "DATETIME2",
    "TIMESTAMPTZ": "DATETIMEOFFSET",
    "UNSIGNED": "INT",
    "VARCHAR2": "NVARCHAR(200)",
}


@dataclass(slots=True)
class Spelling(Reader):
    """One pass over tokens that knows which function the innermost parenthesis is of."""

    callers: list[str] = field(default_factory=list[str])

    def follow(self) -> None:
        """Take note of the parenthesis that the current token opens or closes."""
        word = self.word()
        if word == "(":
            self.callers.append(self.word(-1))
        elif word == ")" and self.callers:
            self.callers.pop()

    def at_type(self) -> bool:
        """Whether a type stands here: CAST(x AS type) or CONVERT(type, x)."""
        caller = self.callers[-1] if self.callers else ""
        before = self.word(-1)
        in_cast = before == "AS" and caller in ("CAST", "TRY_CAST")
        return in_cast or (before == "(" and caller in ("CONVERT", "TRY_CONVERT"))


def unified(tokens: list[Token]) -> list[Token]:
    """Return tokens in which TOP (n) is TOP n, .5 is 0.5, and idle words are left out.

    Raises RefusalError at a type of another dialect.
    """
    reader, kept = Spelling(tokens), list[Token]()
    while reader.at < len(tokens):
        reader.follow()
        kept += _type(reader) if reader.at_type() else _next(reader)
        reader.at += 1
    return kept


def _type(reader: Reader) -> list[Token]:
    """Return the usual name of the type that stands here."""
    token, word = reader.tokens[reader.at], reader.word()
    if word in FOREIGN_TYPES:
        raise RefusalError(
            "not_allowed",
            f"{word} is no type of this dialect; write {FOREIGN_TYPES[word]} instead.",
            reader.span(),
        )
    if word == "REAL":
        texts = (TokenType.L_PAREN, "("), (TokenType.NUMBER, "24"), (TokenType.R_PAREN, ")")
        return [_token(token, TokenType.FLOAT, "FLOAT"), *(_token(token, *t) for t in texts)]
    if word == "NATIONAL" and reader.word(1):
        word = f"{word} {reader.word(1)}"
        reader.at += word in TYPE_SYNONYMS
    return [_token(token, *TYPE_SYNONYMS[word])] if word in TYPE_SYNONYMS else [token]


def _next(reader: Reader) -> list[Token]:
    """Return what stands for the current token, and move to the last one that it covers."""
    token, word = reader.tokens[reader.at], reader.word()
    if word in TWO_WORD_TYPES:
        raise RefusalError("syntax", f"{word} is a type; it stands in CAST and CONVERT only.")
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
