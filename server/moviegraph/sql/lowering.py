"""Lowering: tokens of T-SQL to tokens that stock sqlglot reads.

`F(` of an allowed function becomes `__F(`, MATCH(...) becomes `__MATCH(n)`, LANGUAGE n becomes
`__LANGUAGE(n)`; sqlglot then rewrites no function, and
rendering strips the marks again. Tokens are normalized first (`TOP (5)` -> `TOP 5`, `.5` ->
`0.5`), so that the lowering meets one spelling of each; both keep the positions of the tokens that
the caller wrote, to which refusals point. Parser and generator of sqlglot are not subclassed,
because its compiled build cannot be.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from sqlglot.dialects.tsql import TSQL
from sqlglot.tokenizer_core import Token, TokenType

from moviegraph.sql.contains import locale_of
from moviegraph.sql.decision import DialectError
from moviegraph.sql.functions import FUNCTIONS, unknown_function
from moviegraph.sql.input_checks import TABLE_HINTS, CheckedInput, check_input, check_place
from moviegraph.sql.lexer import (
    FOREIGN_WORDS,
    QUOTED,
    RECURSIVE,
    RESERVED,
    STATEMENT_WORDS,
    STRINGS,
    TWO_WORD_TYPES,
    TWO_WORDS,
    TokenCursor,
    call_tokens,
)
from moviegraph.sql.match_patterns import GRAPH_PATH, Match
from moviegraph.sql.special_syntax import (
    MatchParser,
    SchemaParser,
)
from moviegraph.sql.types import TYPES

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
BEFORE_PARENTHESIS = TWO_WORDS.union(
    """
    SELECT ALL DISTINCT FROM WHERE AND OR NOT IN EXISTS ANY SOME BY ON AS VALUES OVER GROUP JOIN
    APPLY UNION
    EXCEPT INTERSECT WHEN THEN ELSE CASE HAVING TOP BETWEEN LIKE ESCAPE IS ROLLUP CUBE SETS CAST
    TRY_CAST CONVERT TRY_CONVERT ROOT WITH OFFSET FETCH NEXT FIRST PARTITION ORDER MATCH PATH
    OPENJSON PIVOT UNPIVOT
    """.split()
)
TRIM_SIDES = frozenset({"LEADING", "TRAILING", "BOTH"})
TYPE_WORDS = TYPES | {"INTEGER", "NUMERIC", "REAL"}
NUMBERS = (TokenType.NUMBER, TokenType.HEX_STRING)
TYPE_TOKENS = frozenset({*TSQL.parser_class.TYPE_TOKENS, TokenType.INTERVAL})
SLIPS = frozenset({"ASC", "DESC", "GROUP", "KEY", "ORDER", "PERCENT"})
ONLY_IN_MATCH = (
    "SHORTEST_PATH and LAST_NODE are allowed only in MATCH: WHERE "
    "MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+) AND LAST_NODE(b)-(g)->c). For values of the last node "
    "write LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH)."
)
BEFORE_TABLE = frozenset({"FROM", ",", "JOIN", "APPLY"})
UNSUPPORTED = {
    "PROPERTY": "PROPERTY searches properties of stored documents, and the graph stores none; "
    "name the column: CONTAINS(x.Content, '...').",
}
REFUSED_WORDS = {
    "INTO": "SELECT ... INTO creates a table; nothing can be written. Drop the INTO.",
    "OPTION": "Query hints are not allowed. Drop the OPTION clause.",
    "TABLESAMPLE": "TABLESAMPLE is not part of the dialect; use TOP with an ORDER BY.",
}


@dataclass(slots=True)
class TokenNormalizer(TokenCursor):
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
        """Whether the current token is a type: CAST(x AS type) or CONVERT(type, x)."""
        caller = self.callers[-1] if self.callers else ""
        before = self.word(-1)
        in_cast = before == "AS" and caller in ("CAST", "TRY_CAST")
        return in_cast or (before == "(" and caller in ("CONVERT", "TRY_CONVERT"))


def normalize_tokens(tokens: list[Token]) -> list[Token]:
    """Return tokens in which TOP (n) is TOP n, .5 is 0.5, and redundant words are omitted.

    Raises RefusalError at a type of another dialect.
    """
    reader, normalized = TokenNormalizer(tokens), list[Token]()
    while reader.at < len(tokens):
        reader.follow()
        normalized += _normalize_type(reader) if reader.at_type() else _normalize(reader)
        reader.at += 1
    return normalized


def _normalize_type(reader: TokenCursor) -> list[Token]:
    """Return the usual name of the current type."""
    token, word = reader.tokens[reader.at], reader.word()
    if word in FOREIGN_TYPES:
        raise reader.error(
            f"{word} is not a type of this dialect; write {FOREIGN_TYPES[word]} instead.",
            "not_allowed",
        )
    if word == "REAL":
        texts = (TokenType.L_PAREN, "("), (TokenType.NUMBER, "24"), (TokenType.R_PAREN, ")")
        return [_token(token, TokenType.FLOAT, "FLOAT"), *(_token(token, *t) for t in texts)]
    if word == "NATIONAL" and reader.word(1):
        word = f"{word} {reader.word(1)}"
        reader.at += word in TYPE_SYNONYMS
    return [_token(token, *TYPE_SYNONYMS[word])] if word in TYPE_SYNONYMS else [token]


def _normalize(reader: TokenNormalizer) -> list[Token]:
    """Return what replaces the current token, and move to the last token that is replaced."""
    token, word = reader.tokens[reader.at], reader.word()
    if word in TWO_WORD_TYPES:
        raise DialectError(f"{word} is a type; it is allowed only in CAST and CONVERT.")
    if word == "." and _is_fraction(reader):
        reader.at += 1
        return [_token(token, TokenType.NUMBER, "0." + reader.tokens[reader.at].text)]
    if word == "TOP" and _is_wrapped_number(reader):
        reader.at += 3
        return [token, reader.tokens[reader.at - 1]]
    if word in ("ROWS", "RANGE") and reader.word(1) != "BETWEEN":
        return _frame(reader)
    if reader.callers[-1:] == ["TRIM"]:
        return [_trim_separator(reader, word)]
    idle = word == "ALL" and _is_idle_all(reader)
    return [] if idle or (word == "+" and _is_prefix(reader)) else [token]


def _trim_separator(reader: TokenCursor, word: str) -> Token:
    """Return the current token within TRIM; TRIM('x' FROM y) is lowered to TRIM('x', y)."""
    if word == "," or (word in TRIM_SIDES and reader.word(-1) == "(" and reader.word(1) != ")"):
        raise reader.error(
            "TRIM is written TRIM(x) or TRIM('chars' FROM x); for one side write LTRIM(x, 'chars') "
            "or RTRIM(x, 'chars')."
        )
    token = reader.tokens[reader.at]
    return _token(token, TokenType.COMMA, ",") if word == "FROM" else token


def _is_fraction(reader: TokenCursor) -> bool:
    point, after = reader.tokens[reader.at], reader.token(1)
    return (
        after is not None
        and after.token_type is TokenType.NUMBER
        and after.start == point.end + 1
        and not _ends_value(reader)
    )


def _is_wrapped_number(reader: TokenCursor) -> bool:
    number = reader.token(2)
    wrapped = reader.word(1) == "(" and reader.word(3) == ")"
    return wrapped and number is not None and number.token_type is TokenType.NUMBER


def _is_idle_all(reader: TokenCursor) -> bool:
    """ALL is what SELECT and aggregates do anyway; after UNION or a comparison it counts."""
    if reader.word(-1) == "SELECT":
        return reader.word(1) != "DISTINCT"
    called = reader.word(-1) == "(" and reader.word(-2) in AGGREGATES
    return called and reader.word(1) not in ("*", ")", ",")


def _is_prefix(reader: TokenCursor) -> bool:
    """Whether a plus is the sign of a number or parenthesis."""
    after = reader.token(1)
    if after is None or reader.word(-1) not in BEFORE_VALUES:
        return False
    return after.token_type is TokenType.NUMBER or reader.word(1) == "("


def _ends_value(reader: TokenCursor) -> bool:
    before = reader.token(-1)
    if before is None:
        return False
    if before.token_type in (*QUOTED, TokenType.NUMBER):
        return reader.word(-2) != "TOP"
    word = reader.word(-1)
    return word in ENDS_OF_VALUES or (word[:1].isalpha() and word not in RESERVED)


def _frame(reader: TokenCursor) -> list[Token]:
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


def _token(original: Token, kind: TokenType, text: str) -> Token:
    return Token(
        kind, text, line=original.line, col=original.col, start=original.start, end=original.end
    )


@dataclass(frozen=True, slots=True)
class Lowered:
    """The tokens for sqlglot, at their original positions, and the patterns lifted out."""

    sql: str
    tokens: list[Token]
    matches: tuple[Match, ...]
    notes: tuple[str, ...]


@dataclass(slots=True)
class Lowering(TokenCursor):
    """One pass over the tokens of one statement."""

    out: list[Token] = field(default_factory=list[Token])
    matches: list[Match] = field(default_factory=list[Match])
    notes: list[str] = field(default_factory=list[str])
    depth: int = 0

    def run(self, sql: str) -> Lowered:
        """Lower every token."""
        while self.at < len(self.tokens):
            word = self.word()
            if not word:
                self._quoted()
            elif word == "WITH" and self.word(1) == "(" and self._after_openjson():
                schema = SchemaParser(self.tokens, self.at + 1)
                self._put([self.tokens[self.at], *schema.schema()], schema.at)
            else:
                self._token(word)
        return Lowered(sql, self.out, tuple(self.matches), tuple(self.notes))

    def _keep(self) -> None:
        self.out.append(self.tokens[self.at])
        self.at += 1

    def _emit(self, *parts: tuple[TokenType, str]) -> None:
        """Put tokens of our own in the place of the current one."""
        self._put(parts, self.at + 1)

    def _put(self, parts: Iterable[Token | tuple[TokenType, str]], at: int) -> None:
        """Put tokens, read or made, in the place of all up to a position."""
        current = self.tokens[self.at]
        for part in parts:
            if isinstance(part, tuple):
                line, start, end = current.line, current.start, current.end
                self.out.append(Token(*part, line=line, col=current.col, start=start, end=end))
            else:
                self.out.append(part)
        self.at = at

    def _after_openjson(self) -> bool:
        """Whether the parenthesis just closed is that of OPENJSON."""
        depth, back = 0, -1
        while self.token(back) is not None:
            depth += (self.word(back) == ")") - (self.word(back) == "(")
            if depth <= 0:
                return depth == 0 and self.word(back - 1) == "OPENJSON" and back < -1
            back -= 1
        return False

    def _token(self, word: str) -> None:
        if word == "MATCH" and self.word(1) == "(":
            self._match()
        elif word == "LANGUAGE" and self.word(-1) == "," and self._value_follows():
            self._language()
        elif self._is_type_with_text():
            self._emit((TokenType.IDENTIFIER, self.tokens[self.at].text))
        elif word == "FOR" and self.word(1) == "PATH":
            self._for_path()
        elif word == "GRAPH" and self.word(1) == "PATH":
            self._graph_path()
        elif word in ("SHORTEST_PATH", "LAST_NODE") and self.word(1) == "(":
            raise self.error(ONLY_IN_MATCH, "match_place")
        elif word in UNSUPPORTED and self.word(1) == "(":
            raise self.error(UNSUPPORTED[word], "unsupported")
        elif self.word(1) == "(" and self._is_name():
            self._call(word)
        else:
            self._plain(word)

    def _quoted(self) -> None:
        is_identifier = self.tokens[self.at].token_type is TokenType.IDENTIFIER
        if is_identifier and self.word(1) == "(" and not self._names_columns():
            name = self.tokens[self.at].text
            is_function = name.upper() in FUNCTIONS
            raise self.error(
                f"{name!r} in brackets is not a function; "
                + (
                    f"write {name.upper()}( without them."
                    if is_function
                    else "it does not accept arguments."
                ),
                "unknown_function",
            )
        self._keep()

    def _is_type_with_text(self) -> bool:
        """`DATE '2020-01-01'` is a column with an alias in T-SQL, and a cast to sqlglot."""
        token, after = self.tokens[self.at], self.token(1)
        return token.token_type in TYPE_TOKENS and bool(after) and after.token_type in STRINGS

    def _is_name(self) -> bool:
        first = self.tokens[self.at].text[:1]
        return first.isalpha() or first == "_"

    def _plain(self, word: str) -> None:
        self.depth += (word == "(") - (word == ")")
        if word in SLIPS and self.word(-1) == "AS":
            self._bracket(word)
        elif word in FOREIGN_WORDS and not (word == "CURRENT" and self.word(1) == "ROW"):
            self._foreign_word(word)
        elif not self._synonym(word):
            check_place(self, word, self.depth)
            self._keep()

    def _synonym(self, word: str) -> bool:
        """Emit the spelling that sqlglot keeps; return whether there was one."""
        if word == "SOME":
            self._emit((TokenType.ANY, "ANY"))
        elif word == "CURRENT_TIMESTAMP":
            self._emit(
                (TokenType.VAR, "__GETDATE"), (TokenType.L_PAREN, "("), (TokenType.R_PAREN, ")")
            )
        elif word == "CURRENT_DATE" and self.word(1) != "(" and self.word(-1) not in (".", "AS"):
            self._current_date()
        elif word in ("ISNULL", "NOTNULL"):
            self._emit((TokenType.VAR, word))
        elif word == "!" and self.word(1) in ("<", ">"):
            self.at += 1
            not_less = self.word() == "<"
            self._emit((TokenType.GTE, ">=") if not_less else (TokenType.LTE, "<="))
        else:
            return False
        return True

    def _current_date(self) -> None:
        """Emit CAST(GETDATE() AS DATE), which is the same and which older servers have, too."""
        self._emit(
            (TokenType.VAR, "CAST"),
            (TokenType.L_PAREN, "("),
            (TokenType.VAR, "__GETDATE"),
            (TokenType.L_PAREN, "("),
            (TokenType.R_PAREN, ")"),
            (TokenType.ALIAS, "AS"),
            (TokenType.DATE, "DATE"),
            (TokenType.R_PAREN, ")"),
        )

    def _in_convert(self) -> bool:
        return self.word(-1) == "(" and self.word(-2) in ("CONVERT", "TRY_CONVERT")

    def _bracket(self, word: str) -> None:
        self.notes.append(f"The alias {word} is a reserved word and was put in brackets.")
        self._emit((TokenType.IDENTIFIER, self.tokens[self.at].text))

    def _foreign_word(self, word: str) -> None:
        """A reserved word without a use here: after AS a slip, elsewhere maybe a statement."""
        if self.word(-1) == "AS":
            self._bracket(word)
            return
        if word in REFUSED_WORDS:
            raise self.error(REFUSED_WORDS[word], "not_allowed")
        if word == "IF" and self.word(1) == "(":
            raise self.error(
                "The function IF is not available; write IIF(x = 1, 'a', 'b') instead.",
                "unknown_function",
                suggestions=("IIF",),
            )
        if word in STATEMENT_WORDS:
            raise self.error(
                f"{word} can begin a second statement here. One call runs one SELECT; "
                f"as a name, write it in brackets: [{word}].",
                "multiple_statements",
            )
        raise self.error(
            f"{word} is a reserved word with no place in a SELECT; as a name, "
            f"write it in brackets: [{word}]."
        )

    def _call(self, word: str) -> None:
        if self.word(-1) == ".":
            raise self.error(
                "Functions of a schema or of a column type cannot be called.", "unknown_function"
            )
        if self.word(-1) == "RECURSIVE" and self.word(-2) == "WITH":
            raise self.error(RECURSIVE, "not_allowed")
        is_type = word in TYPE_WORDS and (self.word(-1) == "AS" or self._in_convert())
        if word in FUNCTIONS and not is_type:
            self._emit((TokenType.VAR, f"__{word}"))
        elif word in FOREIGN_WORDS and not word.startswith("OPEN"):
            self._foreign_word(word)
        elif is_type or word in BEFORE_PARENTHESIS or self._names_columns():
            self._plain(word)
        elif self.word(2) in TABLE_HINTS:
            self._keep()
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
            return after == "AS" and at + 2 < len(self.tokens) and self.tokens[at + 2].text == "("
        return True

    def _value_follows(self) -> bool:
        after = self.token(1)
        return after is not None and after.token_type in (*NUMBERS, *STRINGS)

    def _language(self) -> None:
        """A language by number, hexadecimal number or name; its number is what runs."""
        term = self.tokens[self.at + 1]
        locale = locale_of(term.text, hexadecimal=term.token_type is TokenType.HEX_STRING)
        if locale is None:
            raise self.error(
                "LANGUAGE takes the number or the name of a language: 1033 or 'English'."
            )
        self._emit(*call_tokens("__LANGUAGE", str(locale)))
        self.at += 1

    def _match(self) -> None:
        inner = MatchParser(self.tokens, self.at + 2)
        self.matches.append(inner.match())
        self._emit(*call_tokens("__MATCH", str(len(self.matches) - 1)))
        self.at = inner.at + 1

    def _for_path(self) -> None:
        """`Table FOR PATH AS x` becomes `Table FOR SYSTEM_TIME ALL AS x`, which sqlglot reads."""
        at = -1
        while self.word(at - 1) == ".":
            at -= 2
        if not self._ends_name() or self.word(at - 1) not in BEFORE_TABLE:
            raise self.error(
                "FOR PATH follows the name of a table in FROM, before its alias: "
                "FROM StartNodes AS a, EDGES FOR PATH AS e, OtherNodes FOR PATH AS t.",
                "for_path",
            )
        self._keep()
        self._emit((TokenType.VAR, "SYSTEM_TIME"), (TokenType.ALL, "ALL"))

    def _ends_name(self) -> bool:
        before = self.token(-1)
        return before is not None and (
            before.token_type is TokenType.IDENTIFIER or self.word(-1)[:1].isalpha()
        )

    def _graph_path(self) -> None:
        """`WITHIN GROUP (GRAPH PATH)` becomes an order by a name that no statement may use."""
        words = (self.word(-3), self.word(-2), self.word(-1), self.word(2))
        if words != ("WITHIN", "GROUP", "(", ")"):
            raise self.error(
                "GRAPH PATH follows an aggregate along a path: STRING_AGG(b.Name, '->') "
                "WITHIN GROUP (GRAPH PATH).",
                "path_aggregate",
            )
        self._emit((TokenType.ORDER_BY, "ORDER BY"), (TokenType.IDENTIFIER, GRAPH_PATH))
        self.at += 1


def lower(admitted: CheckedInput) -> Lowered:
    """Lower an admitted statement. Raises RefusalError."""
    return Lowering(normalize_tokens(admitted.tokens)).run(admitted.sql)


@lru_cache(maxsize=4)
def lower_text(sql: str) -> tuple[CheckedInput, Lowered]:
    """Check a text and lower it; repair reads what the guard has just read. Raises RefusalError."""
    checked = check_input(sql)
    return checked, lower(checked)
