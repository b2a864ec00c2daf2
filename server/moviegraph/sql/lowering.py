"""Tokens to text that stock sqlglot reads: MATCH lifted out, functions kept anonymous.

`F(` of an allowed function becomes `__F(`, MATCH(...) becomes `__MATCH(n)`, LANGUAGE n becomes
`__LANGUAGE(n)`; sqlglot then rewrites no function, and rendering strips the marks again. Parser and
generator of sqlglot are not subclassed, because its compiled build cannot be.
"""

from dataclasses import dataclass, field

from sqlglot.tokenizer_core import Token, TokenType

from moviegraph.contract.model import nearest
from moviegraph.errors import Span
from moviegraph.sql.functions import FOREIGN, FUNCTIONS
from moviegraph.sql.gate import QUOTED, Admitted
from moviegraph.sql.patterns import Chain, Match, Step
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.reserved import FOREIGN_WORDS, RESERVED, STATEMENT_WORDS

OWN_SYNTAX = frozenset({"CAST", "TRY_CAST", "CONVERT", "TRY_CONVERT"})
BEFORE_PARENTHESIS = frozenset(
    """
    SELECT ALL DISTINCT FROM WHERE AND OR NOT IN EXISTS ANY SOME BY ON AS VALUES OVER GROUP JOIN
    APPLY UNION
    EXCEPT INTERSECT WHEN THEN ELSE CASE HAVING TOP BETWEEN LIKE ESCAPE IS ROLLUP CUBE SETS CAST
    TRY_CAST CONVERT TRY_CONVERT ROOT WITH OFFSET FETCH NEXT FIRST PARTITION ORDER MATCH PATH
    """.split()
)
TYPES = frozenset(
    """
    INT INTEGER BIGINT SMALLINT TINYINT BIT DECIMAL NUMERIC FLOAT REAL CHAR VARCHAR NCHAR
    NVARCHAR DATE
    DATETIME DATETIME2 SMALLDATETIME TIME DATETIMEOFFSET MONEY SMALLMONEY
    """.split()
)
UNSUPPORTED = {
    "SHORTEST_PATH": "SHORTEST_PATH is not part of this version; use graph_traverse with `to`, "
    "or a MATCH with the hops written out.",
    "VECTOR_SEARCH": "VECTOR_SEARCH is not part of this version; write TOP (n) with ORDER BY "
    "VECTOR_DISTANCE('cosine', t.Embedding, @q), which is exact.",
    "OPENJSON": "OPENJSON is not part of this version.",
    "PIVOT": "PIVOT is not part of this version; use SUM(CASE WHEN ... THEN 1 ELSE 0 END).",
    "UNPIVOT": "UNPIVOT is not part of this version; use CROSS APPLY (VALUES ...).",
}
REFUSED_WORDS = {
    "INTO": "SELECT ... INTO creates a table; nothing can be written. Drop the INTO.",
    "OPTION": "Query hints are not allowed. Drop the OPTION clause.",
    "TABLESAMPLE": "TABLESAMPLE is not part of the dialect; use TOP with an ORDER BY.",
}


@dataclass(frozen=True, slots=True)
class Lowered:
    """The tokens for sqlglot, at their original positions, and the patterns lifted out."""

    sql: str
    tokens: list[Token]
    matches: tuple[Match, ...]
    notes: tuple[str, ...]


@dataclass(slots=True)
class Lowering:
    """One pass over the tokens of one statement."""

    sql: str
    tokens: list[Token]
    at: int = 0
    out: list[Token] = field(default_factory=list[Token])
    matches: list[Match] = field(default_factory=list[Match])
    notes: list[str] = field(default_factory=list[str])
    depth: int = 0

    def run(self) -> Lowered:
        """Lower every token."""
        while self.at < len(self.tokens):
            self._token()
        return Lowered(self.sql, self.out, tuple(self.matches), tuple(self.notes))

    def word(self, ahead: int = 0) -> str:
        """Return the upper-case text of a token that is no literal or quoted name, else ''."""
        index = self.at + ahead
        if not 0 <= index < len(self.tokens) or self.tokens[index].token_type in QUOTED:
            return ""
        return self.tokens[index].text.upper()

    def span(self) -> Span:
        """Return the span of the current token, or of the last one at the end."""
        token = self.tokens[min(self.at, len(self.tokens) - 1)]
        return (token.start, token.end + 1)

    def _keep(self) -> None:
        self.out.append(self.tokens[self.at])
        self.at += 1

    def _emit(self, *parts: tuple[TokenType, str]) -> None:
        """Put tokens of our own in the place of the current one."""
        here = self.tokens[self.at]
        for kind, text in parts:
            self.out.append(
                Token(kind, text, line=here.line, col=here.col, start=here.start, end=here.end)
            )
        self.at += 1

    def _call_of(self, name: str, number: str) -> None:
        """Emit `name(number)`."""
        self._emit(
            (TokenType.VAR, name),
            (TokenType.L_PAREN, "("),
            (TokenType.NUMBER, number),
            (TokenType.R_PAREN, ")"),
        )

    def _token(self) -> None:
        word = self.word()
        if not word:
            self._keep()
        elif word == "MATCH" and self.word(1) == "(":
            self._match()
        elif word == "LANGUAGE" and self.at + 1 < len(self.tokens):
            self._language()
        elif word in UNSUPPORTED and self.word(1) == "(":
            raise RefusalError("unsupported", UNSUPPORTED[word], self.span())
        elif self.word(1) == "(" and self._is_name():
            self._call(word)
        else:
            self._plain(word)

    def _is_name(self) -> bool:
        first = self.tokens[self.at].text[:1]
        return first.isalpha() or first == "_"

    def _plain(self, word: str) -> None:
        self.depth += (word == "(") - (word == ")")
        if word == "SELECT":
            self._check_select()
        if word in FOREIGN_WORDS and not (word == "CURRENT" and self.word(1) == "ROW"):
            self._foreign_word(word)
        elif word == "REAL" and self.word(-1) == "AS":
            self._emit(
                (TokenType.FLOAT, "FLOAT"),
                (TokenType.L_PAREN, "("),
                (TokenType.NUMBER, "24"),
                (TokenType.R_PAREN, ")"),
            )
        else:
            self._keep()

    def _foreign_word(self, word: str) -> None:
        """A reserved word without a use here: after AS a slip, elsewhere maybe a statement."""
        if self.word(-1) == "AS":
            self.notes.append(f"The alias {word} is a reserved word and was put in brackets.")
            self._emit((TokenType.IDENTIFIER, self.tokens[self.at].text))
            return
        if word in REFUSED_WORDS:
            raise RefusalError("not_allowed", REFUSED_WORDS[word], self.span())
        if word in STATEMENT_WORDS:
            raise RefusalError(
                "multiple_statements",
                f"{word} can begin a second statement here. One call runs one SELECT; "
                f"as a name, write it in brackets: [{word}].",
                self.span(),
            )
        raise RefusalError(
            "syntax",
            f"{word} is a reserved word with no place in a SELECT; as a name, "
            f"write it in brackets: [{word}].",
            self.span(),
        )

    def _check_select(self) -> None:
        """SELECT may only stand where one statement continues, else it begins another."""
        before = self.word(-1)
        if self.at == 0 or before in ("(", "UNION", "ALL", "EXCEPT", "INTERSECT"):
            return
        after_ctes = before == ")" and self.depth == 0 and self.tokens[0].text.upper() == "WITH"
        if after_ctes and not self._queries_before():
            return
        raise RefusalError(
            "multiple_statements",
            "A second SELECT begins here. Join the two with UNION ALL, or send them one at a time.",
            self.span(),
        )

    def _queries_before(self) -> bool:
        """Whether a query has already begun outside all parentheses."""
        depth = 0
        for token in self.tokens[: self.at]:
            text = "" if token.token_type in QUOTED else token.text.upper()
            depth += (text == "(") - (text == ")")
            if depth == 0 and text in ("SELECT", "UNION", "EXCEPT", "INTERSECT"):
                return True
        return False

    def _call(self, word: str) -> None:
        if self.word(-1) == ".":
            raise RefusalError(
                "unknown_function",
                "Functions of a schema or of a column type cannot be called.",
                self.span(),
            )
        is_type = word in TYPES and (
            self.word(-1) == "AS"
            or (self.word(-1) == "(" and self.word(-2) in ("CONVERT", "TRY_CONVERT"))
        )
        if word in FUNCTIONS and not is_type:
            self._emit((TokenType.VAR, f"__{word}"))
        elif is_type or word in OWN_SYNTAX or word in BEFORE_PARENTHESIS or self._names_columns():
            self._plain(word)
        else:
            raise unknown_function(word, self.span())

    def _names_columns(self) -> bool:
        """A name before a parenthesis that lists columns: `WITH c (x)` or `) AS v (x, y)`."""
        return self.word(-1) in ("AS", "WITH", ",", ")") and self._columns_follow()

    def _columns_follow(self) -> bool:
        at = self.at + 2
        while at < len(self.tokens) and self.tokens[at].text != ")":
            token = self.tokens[at]
            if token.token_type in (TokenType.STRING, TokenType.NUMBER) or token.text == "(":
                return False
            at += 1
        after = self.tokens[at + 1].text.upper() if at + 1 < len(self.tokens) else ""
        if self.word(-1) in ("WITH", ","):
            return after == "AS"
        return True

    def _language(self) -> None:
        if not self.tokens[self.at + 1].text.isdigit():
            raise RefusalError(
                "syntax", "LANGUAGE takes the number of a language, such as 1033.", self.span()
            )
        self._call_of("__LANGUAGE", self.tokens[self.at + 1].text)
        self.at += 1

    def _match(self) -> None:
        number, start = len(self.matches), self.at
        self.at += 2
        chains = [self._chain()]
        while self.word() == "AND":
            self.at += 1
            chains.append(self._chain())
        if self.word() != ")":
            raise self._bad_match("the patterns of MATCH are joined by AND only")
        self.matches.append(Match(tuple(chains)))
        end, self.at = self.at, start
        self._call_of("__MATCH", str(number))
        self.at = end + 1

    def _chain(self) -> Chain:
        if self.word() in UNSUPPORTED:
            raise RefusalError("unsupported", UNSUPPORTED[self.word()], self.span())
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
                "An arrow in MATCH names an edge: list the edge table in FROM with an alias, "
                "such as dbo.IN_GENRE AS e, and write m-(e)->g.",
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


def unknown_function(name: str, span: Span | None) -> RefusalError:
    """Return the refusal of a function that the dialect does not hold, with the nearest ones."""
    close = (FOREIGN[name],) if name in FOREIGN else nearest(name, tuple(FUNCTIONS))
    advice = f"; write {close[0]} instead" if close else ""
    return RefusalError(
        "unknown_function", f"The function {name} is not available{advice}.", span, close
    )


def lower(admitted: Admitted) -> Lowered:
    """Lower an admitted statement. Raises RefusalError."""
    return Lowering(admitted.sql, admitted.tokens).run()
