"""A position in the tokens of a statement, and the words around it."""

from dataclasses import dataclass

from sqlglot.tokenizer_core import Token, TokenType

from moviegraph.errors import Span
from moviegraph.sql.gate import QUOTED, plain

Parts = tuple[tuple[TokenType, str], ...]


def numbered(name: str, number: str, kind: TokenType = TokenType.VAR) -> Parts:
    """Return the tokens of `name(number)`."""
    return (
        (kind, name),
        (TokenType.L_PAREN, "("),
        (TokenType.NUMBER, number),
        (TokenType.R_PAREN, ")"),
    )


@dataclass(slots=True)
class Reader:
    """Tokens and a position that moves forward."""

    tokens: list[Token]
    at: int = 0

    def word(self, ahead: int = 0) -> str:
        """Return the upper-case text of a token that is no literal or quoted name, else ''."""
        index = self.at + ahead
        if not 0 <= index < len(self.tokens) or self.tokens[index].token_type in QUOTED:
            return ""
        return plain(self.tokens[index])

    def token(self, ahead: int = 0) -> Token | None:
        """Return a token, or None before the first and after the last."""
        index = self.at + ahead
        return self.tokens[index] if 0 <= index < len(self.tokens) else None

    def span(self) -> Span:
        """Return the span of the current token, or of the last one at the end."""
        token = self.tokens[min(self.at, len(self.tokens) - 1)]
        return (token.start, token.end + 1)
