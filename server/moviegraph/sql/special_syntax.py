"""Parsers for syntax that sqlglot does not read: MATCH, and the column list of OPENJSON."""

from sqlglot.tokenizer_core import Token, TokenType

from moviegraph.sql.decision import RefusalError
from moviegraph.sql.lexer import QUOTED, RESERVED, STRINGS, TokenCursor
from moviegraph.sql.match_patterns import Chain, Match, Pattern, SameLast, ShortestPath, Step

MAX_REPETITIONS = 100
ARROWS = ("-", "<", "<-")
OPENJSON_FORM = (
    "OPENJSON(x, '$.path') WITH (Name NVARCHAR(200) '$.name', Tags NVARCHAR(MAX) AS JSON) AS j"
)
Part = tuple[TokenType, str]
OPEN, CLOSE = (TokenType.L_PAREN, "("), (TokenType.R_PAREN, ")")


class MatchParser(TokenCursor):
    """Reads the content of the parentheses of MATCH."""

    __slots__ = ()

    def match(self) -> Match:
        """Return the patterns, and stop at the closing parenthesis. Raises RefusalError."""
        patterns = self._patterns()
        while self.word() == "AND":
            self.at += 1
            patterns += self._patterns()
        if self.word() != ")":
            raise self._bad_match("the patterns of MATCH are joined by AND only")
        return Match(tuple(patterns))

    def _patterns(self) -> list[Pattern]:
        if self.word() == "SHORTEST_PATH" and self.word(1) == "(":
            return self._paths()
        start, last = self._node()
        if self.word() == "=":
            return [self._same_last(start, last=last)]
        steps = self._steps()
        if not steps:
            raise self._bad_match("a node is followed by an arrow")
        return [Chain(start, steps, last)]

    def _same_last(self, left: str, *, last: bool) -> SameLast:
        self.at += 1
        right, right_last = self._node()
        if not (last and right_last):
            raise self._bad_match(
                "only LAST_NODE(a) = LAST_NODE(b) is compared in it; to end a path at a known "
                "node, filter LAST_VALUE(b.Id) WITHIN GROUP (GRAPH PATH) in a SELECT around it"
            )
        return SameLast(left, right)

    def _steps(self, *, repeated: bool = False) -> tuple[Step, ...]:
        steps: list[Step] = []
        while self.word() in ARROWS:
            edge, forward = self._arrow()
            node, last = self._node(repeated=repeated)
            steps.append(Step(edge, node, forward, last))
        return tuple(steps)

    # shortest paths

    def _paths(self) -> list[Pattern]:
        """Read SHORTEST_PATH(...); several paths in one, as documented, become one each."""
        self.at += 2
        paths: list[Pattern] = [self._path()]
        while self.word() == "AND":
            self.at += 1
            paths.append(self._path())
        if self.word() != ")":
            raise self._bad_path("nothing may follow its quantifier, or its anchor")
        self.at += 1
        return paths

    def _path(self) -> ShortestPath:
        if self.word() == "(":
            raise self._bad_path("the anchor comes first, and its arrows are turned with it")
        start, last = self._node()
        if self.word() != "(":
            raise self._bad_path("the steps that repeat follow the anchor in parentheses")
        self.at += 1
        steps = self._steps(repeated=True)
        self._close_unit(steps)
        return ShortestPath(start, steps, self._times(), last)

    def _close_unit(self, steps: tuple[Step, ...]) -> None:
        if not steps or self.word() != ")":
            raise self._bad_path("what repeats is a row of arrows and nodes")
        self.at += 1

    def _times(self) -> int | None:
        """Read the quantifier: + is None, {1,n} is n."""
        if self.word() == "+":
            self.at += 1
            return None
        texts = [self.word(ahead) for ahead in range(5)]
        form = [texts[0], texts[2], texts[4]]
        if form != ["{", ",", "}"] or texts[1] != "1" or not texts[3].isdigit():
            raise self._bad_path(
                "its quantifier is + or {1,n}; for other lengths, filter COUNT(b.Id) WITHIN GROUP "
                "(GRAPH PATH) in a SELECT around it"
            )
        if not 0 < int(texts[3]) <= MAX_REPETITIONS:
            raise self._bad_path(f"the n of {{1,n}} is 1 to {MAX_REPETITIONS}; + has no bound")
        self.at += 5
        return int(texts[3])

    # nodes and arrows

    def _node(self, *, repeated: bool = False) -> tuple[str, bool]:
        """Read an alias or LAST_NODE(alias); return whether it is the latter."""
        if self.word() != "LAST_NODE" or self.word(1) != "(":
            return self._alias(), False
        if repeated:
            raise self._bad_path("LAST_NODE is not allowed in what repeats")
        self.at += 2
        alias = self._alias()
        self._take(")")
        return alias, True

    def _arrow(self) -> tuple[str, bool]:
        """Read -(e)-> or <-(e)-; the tokenizer gives an arrow as one token or as two."""
        if self.word() in ("<", "<-"):
            is_left_arrow = self.word() == "<-"
            self.at += 1
            if not is_left_arrow:
                self._take("-")
            return self._backward(), False
        self._take("-")
        edge = self._edge()
        if self.word() == "->":
            self.at += 1
        else:
            self._take("-")
            self._take(">")
        return edge, True

    def _backward(self) -> str:
        edge = self._edge()
        if self.word() == "->":
            raise self._bad_match("an arrow has one head: -(e)-> or <-(e)-")
        self._take("-")
        if self.word() == ">":
            raise self._bad_match("an arrow has one head: -(e)-> or <-(e)-")
        return edge

    def _edge(self) -> str:
        self._take("(")
        if self.word() == ")":
            raise self.error(
                "An arrow in MATCH names an edge: list the edge table in FROM with an alias "
                "(FROM Node AS a, EDGE AS e, Node AS b), and write a-(e)->b.",
                "missing_edge_alias",
            )
        edge = self._alias()
        self._take(")")
        return edge

    def _alias(self) -> str:
        if self.at >= len(self.tokens):
            raise self._bad_match("it ends too early")
        token = self.tokens[self.at]
        is_name = token.token_type is TokenType.IDENTIFIER or (
            token.token_type not in QUOTED
            and token.text.replace("_", "a").isalnum()
            and not token.text[0].isdigit()
            and token.text.upper() not in RESERVED
        )
        if not is_name:
            bare = "; a node is a bare alias, without parentheses" * (token.text == "(")
            raise self._bad_match(f"an alias is expected, not {token.text!r}{bare}")
        self.at += 1
        return token.text

    def _take(self, text: str) -> None:
        if self.word() != text:
            token = self.token()
            raise self._bad_match(
                "an edge is written in parentheses, as in a-(e)->b, not in brackets"
                if token is not None and token.token_type is TokenType.IDENTIFIER and text == "("
                else f"{text} is expected, not {token.text if token is not None else 'the end'}"
            )
        self.at += 1

    def _bad_match(self, problem: str) -> RefusalError:
        return self.error(
            f"MATCH cannot be read: {problem}. Its form is MATCH(a-(e)->b<-(f)-c AND ...), "
            "with aliases of tables listed in FROM.",
            "match_syntax",
        )

    def _bad_path(self, problem: str) -> RefusalError:
        return self.error(
            f"SHORTEST_PATH cannot be read: {problem}. Its form is "
            "MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) or ...{1,3}, where e, t, f and b are listed "
            "in FROM as Table FOR PATH AS x.",
            "match_syntax",
        )


class SchemaParser(TokenCursor):
    """Reads the columns of one WITH clause of OPENJSON, from its parenthesis on."""

    __slots__ = ()

    def expect(self, *words: str) -> Token:
        """Move past these words, and return the last."""
        for word in words:
            if self.word() != word:
                raise self.misfit()
            self.at += 1
        return self.tokens[self.at - 1]

    def name(self) -> Token:
        """Move past a name."""
        token = self.token()
        quoted = token is not None and token.token_type is TokenType.IDENTIFIER
        if token is None or not (quoted or self.word()[:1].isalpha() or self.word()[:1] == "_"):
            raise self.misfit()
        return self.advance()

    def misfit(self) -> RefusalError:
        """Return the refusal of the current token."""
        return self.error(f"OPENJSON is written {OPENJSON_FORM}.")

    def schema(self) -> list[Part | Token]:
        """Return the tokens of the clause, and move past it."""
        out: list[Part | Token] = [self.expect("("), *self._column()]
        while self.word() == ",":
            out += [self.advance(), *self._column()]
        return [*out, self.expect(")")]

    def _column(self) -> list[Part | Token]:
        out: list[Part | Token] = [self.name()]
        if self.word() == "REAL":
            self.at += 1
            out += [(TokenType.FLOAT, "FLOAT"), OPEN, (TokenType.NUMBER, "24"), CLOSE]
        elif self.word()[:1].isalpha():
            out += [self.advance(), *self._length()]
        else:
            raise self.misfit()
        token = self.token()
        if token is not None and token.token_type in STRINGS:
            self.at += 1
            out.append((TokenType.STRING, token.text))
        if self.word() == "AS":
            out += [self.advance(), self.expect("JSON")]
        return out

    def _length(self) -> list[Part | Token]:
        if self.word() != "(":
            return []
        out: list[Part | Token] = [self.advance()]
        while self.word() not in (")", ""):
            out.append(self.advance())
        return [*out, self.expect(")")]
