"""Reads the patterns of MATCH, which sqlglot cannot, from tokens into records."""

from sqlglot.tokenizer_core import TokenType

from moviegraph.sql.gate import QUOTED
from moviegraph.sql.patterns import Chain, Match, Step
from moviegraph.sql.reader import Reader
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.reserved import RESERVED

SHORTEST_PATH = (
    "SHORTEST_PATH is not part of this version; use graph_traverse with `to`, "
    "or a MATCH with the hops written out."
)


class MatchReader(Reader):
    """Reads what stands between the parentheses of MATCH."""

    __slots__ = ()

    def match(self) -> Match:
        """Return the patterns, and stop at the closing parenthesis. Raises RefusalError."""
        chains = [self._chain()]
        while self.word() == "AND":
            self.at += 1
            chains.append(self._chain())
        if self.word() != ")":
            raise self._bad_match("the patterns of MATCH are joined by AND only")
        return Match(tuple(chains))

    def _chain(self) -> Chain:
        if self.word() == "SHORTEST_PATH":
            raise RefusalError("unsupported", SHORTEST_PATH, self.span())
        start, steps = self._alias(), list[Step]()
        while self.word() in ("-", "<", "<-"):
            steps.append(self._step())
        if not steps:
            raise self._bad_match("a node is followed by an arrow")
        return Chain(start, tuple(steps))

    def _step(self) -> Step:
        """Read -(e)->n or <-(e)-n; the tokenizer gives an arrow as one token or as two."""
        if self.word() in ("<", "<-"):
            whole = self.word() == "<-"
            self.at += 1
            if not whole:
                self._take("-")
            return self._backward()
        self._take("-")
        edge = self._edge()
        if self.word() == "->":
            self.at += 1
        else:
            self._take("-")
            self._take(">")
        return Step(edge, self._alias(), forward=True)

    def _backward(self) -> Step:
        edge = self._edge()
        self._take("-")
        if self.word() == ">":
            raise self._bad_match("an arrow has one head: -(e)-> or <-(e)-")
        return Step(edge, self._alias(), forward=False)

    def _edge(self) -> str:
        self._take("(")
        if self.word() == ")":
            raise RefusalError(
                "missing_edge_alias",
                "An arrow in MATCH names an edge: list the edge table in FROM with an alias "
                "(FROM Node AS a, EDGE AS e, Node AS b), and write a-(e)->b.",
                self.span(),
            )
        edge = self._alias()
        self._take(")")
        return edge

    def _alias(self) -> str:
        if self.at >= len(self.tokens):
            raise self._bad_match("it ends too early")
        token = self.tokens[self.at]
        named = token.token_type is TokenType.IDENTIFIER or (
            token.token_type not in QUOTED
            and token.text.replace("_", "a").isalnum()
            and not token.text[0].isdigit()
            and token.text.upper() not in RESERVED
        )
        if not named:
            raise self._bad_match(f"an alias is expected, not {token.text!r}")
        self.at += 1
        return token.text

    def _take(self, text: str) -> None:
        if self.word() != text:
            raise self._bad_match(f"{text} is expected, not {self.word() or 'this'}")
        self.at += 1

    def _bad_match(self, what: str) -> RefusalError:
        return RefusalError(
            "match_syntax",
            f"MATCH cannot be read: {what}. Its form is MATCH(a-(e)->b<-(f)-c AND ...), "
            "with aliases of tables listed in FROM.",
            self.span(),
        )
