"""Parsers for syntax that sqlglot does not read: MATCH, VECTOR_SEARCH, OPENJSON, WITH APPROXIMATE.

`TOP (n) WITH APPROXIMATE` becomes `TOP (__APPROXIMATE(n))`, VECTOR_SEARCH(TABLE = t AS m, ...)
`__VECTOR_SEARCH(t, m, column, q, 'cosine', n)`; rendering writes them back.
"""

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from moviegraph.sql.decision import RefusalError
from moviegraph.sql.lexer import QUOTED, RESERVED, STRINGS, Parts, TokenCursor, call_tokens
from moviegraph.sql.match_patterns import Chain, Match, Pattern, SameLast, ShortestPath, Step

MAX_REPETITIONS = 100
ARROWS = ("-", "<", "<-")
OPENJSON_FORM = (
    "OPENJSON(x, '$.path') WITH (Name NVARCHAR(200) '$.name', Tags NVARCHAR(MAX) AS JSON) AS j"
)
Part = tuple[TokenType, str]
VECTOR_SEARCH = "__VECTOR_SEARCH"
SEARCH_FORM = (
    "VECTOR_SEARCH(TABLE = NodeTable AS m, COLUMN = VectorColumn, SIMILAR_TO = @q, "
    "METRIC = 'cosine', TOP_N = 10) AS s"
)
SEARCH_CALL = TokenType.VAR, VECTOR_SEARCH
OPEN, CLOSE, COMMA = (
    (TokenType.L_PAREN, "("),
    (TokenType.R_PAREN, ")"),
    (TokenType.COMMA, ","),
)
APPROXIMATE = "__APPROXIMATE"
APPROXIMATE_WORDS = ("APPROX", "APPROXIMATE")


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


class CallParser(TokenCursor):
    """Reads a call of a form of its own; whatever does not fit it is refused with that form."""

    __slots__ = ()

    form = ""

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
        return self.error(f"{self.form.partition('(')[0]} is written {self.form}.")


class SchemaParser(CallParser):
    """Reads the columns of one WITH clause, from its parenthesis on."""

    __slots__ = ()

    form = OPENJSON_FORM

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


class SearchParser(CallParser):
    """Reads one VECTOR_SEARCH from its name on."""

    __slots__ = ()

    form = SEARCH_FORM

    def search(self) -> list[Part | Token]:
        """Return the tokens of the lowered call, and move past it."""
        self.at += 2
        self.expect("TABLE", "=")
        table = self._dotted()
        alias = table[-1]
        if self.word() == "AS":
            self.at += 1
            alias = self.name()
        self.expect(",", "COLUMN", "=")
        column = self._column(table[-1], alias)
        self.expect(",", "SIMILAR_TO", "=")
        similar = self._similar()
        self.expect(",")
        metric = self._literal("METRIC", STRINGS)
        arguments = [table, [alias], [column], similar, [metric]]
        if self.word() == ",":
            self.at += 1
            arguments.append([self._literal("TOP_N", (TokenType.NUMBER,))])
        self.expect(")")
        # Between `)` and the alias SQL Server takes a table hint, and no other word than AS.
        if self.word() == "WITH" and self.word(1) == "(":
            raise self.error("Table hints such as FORCE_ANN_ONLY are not allowed.", "not_allowed")
        separated = [part for argument in arguments for part in (COMMA, *argument)]
        return [SEARCH_CALL, OPEN, *separated[1:], CLOSE]

    def _column(self, *owners: Part | Token) -> Part | Token:
        """Read the column; a name before it is that of the table or its alias."""
        *owner, column = self._dotted()
        if owner and _name_of(owner[-2]) not in map(_name_of, owners):
            raise self.error(
                "COLUMN of VECTOR_SEARCH names a column of the table after TABLE.",
                "wrong_arguments",
            )
        return column

    def _dotted(self) -> list[Part | Token]:
        names: list[Part | Token] = [self.name()]
        while self.word() == ".":
            names += [self.advance(), self.name()]
        return names

    def _similar(self) -> list[Part | Token]:
        if self.word() == "@":
            return [self.advance(), self.name()]
        if self.word() in ("(", "CAST") or self.word(1) == "(":
            raise self.error(
                "SIMILAR_TO takes @q or a vector column of an earlier source, no expression and "
                "no subquery; with CROSS APPLY it may be x.Embedding of a source before it.",
                "wrong_arguments",
            )
        return self._dotted()

    def _literal(self, word: str, kinds: tuple[TokenType, ...]) -> Token:
        self.expect(word, "=")
        token = self.token()
        if token is None or token.token_type not in kinds:
            raise self.error(
                f"{word} of VECTOR_SEARCH is a literal: {SEARCH_FORM}.", "wrong_arguments"
            )
        return self.advance()


def is_vector_search(node: object) -> bool:
    """Whether a node is a lowered call."""
    return isinstance(node, exp.Anonymous) and node.name == VECTOR_SEARCH


def _name_of(part: Part | Token) -> str:
    return (part.text if isinstance(part, Token) else part[1]).lower()


def vector_search_sql(call: exp.Anonymous) -> str:
    """Return a resolved call in T-SQL."""
    table, alias, column, similar, metric, *count = [
        part.sql(dialect="tsql") for part in call.expressions
    ]
    parts = [
        f"TABLE = {table} AS {alias}",
        f"COLUMN = {column}",
        f"SIMILAR_TO = {similar}",
        f"METRIC = {metric}",
        *(f"TOP_N = {item}" for item in count),
    ]
    return f"VECTOR_SEARCH({', '.join(parts)})"


def read_approximate(reader: TokenCursor, word: str) -> tuple[Parts, int] | None:
    """Return what replaces TOP and the words after it, and how many these are.

    Raises RefusalError.
    """
    if word == "FETCH" and reader.word(1) in APPROXIMATE_WORDS:
        raise reader.error(
            "The nearest rows by a vector index are taken with TOP: SELECT TOP (10) WITH "
            "APPROXIMATE ... ORDER BY s.distance. Write that instead of FETCH."
        )
    if word == "TOP":
        wrapped = reader.word(1) == "("
        number, after = reader.token(2 if wrapped else 1), 4 if wrapped else 2
        closed = reader.word(3) == ")" if wrapped else True
        approximate = reader.word(after) == "WITH" and reader.word(after + 1) in APPROXIMATE_WORDS
        if closed and approximate and number and number.token_type is TokenType.NUMBER:
            top = (TokenType.TOP, "TOP"), (TokenType.L_PAREN, "(")
            return (
                *top,
                *call_tokens(APPROXIMATE, number.text),
                (TokenType.R_PAREN, ")"),
            ), after + 2
    return None


def is_approximate(node: object) -> bool:
    """Whether a count is approximate."""
    return isinstance(node, exp.Anonymous) and node.name == APPROXIMATE


def plain_count(limit: exp.Expr) -> exp.Expr | None:
    """Return the count of TOP, without its mark."""
    count = limit.args.get("expression")
    return (
        count.expressions[0]
        if isinstance(count, exp.Anonymous) and is_approximate(count)
        else count
    )


def approximate_text(call: exp.Anonymous) -> None:
    """Write an approximate count of TOP as T-SQL, in a tree that is printed next."""
    limit, number = call.parent, call.expressions[0].name
    if limit is not None:
        limit.set("expression", exp.Literal.number(f"({number}) WITH APPROXIMATE"))
