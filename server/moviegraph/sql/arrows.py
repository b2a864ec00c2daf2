"""Reads the patterns of MATCH, which sqlglot cannot, from tokens into records."""

from sqlglot.tokenizer_core import TokenType

from moviegraph.sql.gate import QUOTED
from moviegraph.sql.patterns import Chain, Match, Pattern, SameLast, ShortestPath, Step
from moviegraph.sql.reader import Reader
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.reserved import RESERVED

MAX_TIMES = 100
ARROWS = ("-", "<", "<-")


class MatchReader(Reader):
    """Reads what stands between the parentheses of MATCH."""

    __slots__ = ()

    def match(self) -> Match:
        """Return the patterns, and stop at the closing parenthesis. Raises RefusalError."""
        found = self._patterns()
        while self.word() == "AND":
            self.at += 1
            found += self._patterns()
        if self.word() != ")":
            raise self._bad_match("the patterns of MATCH are joined by AND only")
        return Match(tuple(found))

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
        found: list[Step] = []
        while self.word() in ARROWS:
            edge, forward = self._arrow()
            node, last = self._node(repeated=repeated)
            found.append(Step(edge, node, forward, last))
        return tuple(found)

    # shortest paths

    def _paths(self) -> list[Pattern]:
        """Read SHORTEST_PATH(...); several paths in one, as documented, become one each."""
        self.at += 2
        found: list[Pattern] = [self._path()]
        while self.word() == "AND":
            self.at += 1
            found.append(self._path())
        if self.word() != ")":
            raise self._bad_path("nothing stands behind its quantifier, or its anchor")
        self.at += 1
        return found

    def _path(self) -> ShortestPath:
        if self.word() == "(":
            return self._node_first()
        start, last = self._node()
        if self.word() != "(":
            raise self._bad_path("the steps that repeat stand in parentheses behind the anchor")
        self.at += 1
        steps = self._steps(repeated=True)
        self._close_unit(steps)
        return ShortestPath(start, steps, self._times(), last)

    def _node_first(self) -> ShortestPath:
        """Read (b-(f)->t<-(e)-)+a; its steps, seen from the anchor, run backwards."""
        self.at += 1
        steps: list[Step] = []
        while self.word() != ")":
            node, _ = self._node(repeated=True)
            if self.word() not in ARROWS:
                raise self._bad_path("in parentheses before the anchor every node has its arrow")
            edge, forward = self._arrow()
            steps.insert(0, Step(edge, node, not forward))
        self._close_unit(tuple(steps))
        most = self._times()
        start, last = self._node()
        return ShortestPath(start, tuple(steps), most, last, node_first=True)

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
        if not 0 < int(texts[3]) <= MAX_TIMES:
            raise self._bad_path(f"the n of {{1,n}} is 1 to {MAX_TIMES}; + has no bound")
        self.at += 5
        return int(texts[3])

    # nodes and arrows

    def _node(self, *, repeated: bool = False) -> tuple[str, bool]:
        """Read an alias or LAST_NODE(alias), and say which."""
        if self.word() != "LAST_NODE" or self.word(1) != "(":
            return self._alias(), False
        if repeated:
            raise self._bad_path("LAST_NODE stands outside of what repeats")
        self.at += 2
        alias = self._alias()
        self._take(")")
        return alias, True

    def _arrow(self) -> tuple[str, bool]:
        """Read -(e)-> or <-(e)-; the tokenizer gives an arrow as one token or as two."""
        if self.word() in ("<", "<-"):
            whole = self.word() == "<-"
            self.at += 1
            if not whole:
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
            bare = "; a node is a bare alias, without parentheses" * (token.text == "(")
            raise self._bad_match(f"an alias is expected, not {token.text!r}{bare}")
        self.at += 1
        return token.text

    def _take(self, text: str) -> None:
        if self.word() != text:
            token = self.token()
            raise self._bad_match(
                "an edge stands in parentheses, as in a-(e)->b, not in brackets"
                if token is not None and token.token_type is TokenType.IDENTIFIER and text == "("
                else f"{text} is expected, not {token.text if token is not None else 'the end'}"
            )
        self.at += 1

    def _bad_match(self, what: str) -> RefusalError:
        return RefusalError(
            "match_syntax",
            f"MATCH cannot be read: {what}. Its form is MATCH(a-(e)->b<-(f)-c AND ...), "
            "with aliases of tables listed in FROM.",
            self.span(),
        )

    def _bad_path(self, what: str) -> RefusalError:
        return RefusalError(
            "match_syntax",
            f"SHORTEST_PATH cannot be read: {what}. Its form is "
            "MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) or ...{1,3}, where e, t, f and b are listed "
            "in FROM as Table FOR PATH AS x.",
            self.span(),
        )
