"""OPENJSON(text, path) WITH (column type 'path' AS JSON, ...): read, checked, and as a source."""

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from moviegraph.sql.derived import source_of
from moviegraph.sql.gate import STRINGS
from moviegraph.sql.kinds import MAX, Kind
from moviegraph.sql.reader import Reader
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.scope import Field, Source, typed
from moviegraph.sql.types import target_kind, type_name

MAX_COLUMNS = 40
FORM = "OPENJSON(x, '$.path') WITH (Name NVARCHAR(200) '$.name', Tags NVARCHAR(MAX) AS JSON) AS j"
DEFAULT = (
    Field("key", "NVARCHAR"),
    typed("value", Kind("NVARCHAR", size=MAX)),
    Field("type", "INT"),
)
Part = tuple[TokenType, str]


class SchemaReader(Reader):
    """Reads the columns of one WITH clause, from its parenthesis on."""

    def schema(self) -> list[Part | Token]:
        """Return the tokens of the clause; the reader stands behind it."""
        out = [self._expect("(")]
        while True:
            out += self._column()
            if self.word() != ",":
                return [*out, self._expect(")")]
            out.append(self._expect(","))

    def _column(self) -> list[Part | Token]:
        named, kind = self._take(), self.word()
        if not (named.token_type is TokenType.IDENTIFIER or named.text[:1].isalpha()):
            raise self._fail()
        if kind == "REAL":
            self.at += 1
            float24 = (TokenType.L_PAREN, "("), (TokenType.NUMBER, "24"), (TokenType.R_PAREN, ")")
            out: list[Part | Token] = [named, (TokenType.FLOAT, "FLOAT"), *float24]
        elif kind[:1].isalpha():
            out = [named, self._take(), *self._length()]
        else:
            raise self._fail()
        token = self.token()
        if token is not None and token.token_type in STRINGS:
            self.at += 1
            out.append((TokenType.STRING, token.text))
        if self.word() == "AS":
            out += [self._expect("AS"), self._expect("JSON")]
        return out

    def _length(self) -> list[Part | Token]:
        if self.word() != "(":
            return []
        out = [self._expect("(")]
        while self.word() not in (")", ""):
            out.append(self._take())
        return [*out, self._expect(")")]

    def _take(self) -> Token:
        token = self.token()
        if token is None:
            raise self._fail()
        self.at += 1
        return token

    def _expect(self, word: str) -> Token:
        if self.word() != word:
            raise self._fail()
        return self._take()

    def _fail(self) -> RefusalError:
        return RefusalError("syntax", f"OPENJSON is written {FORM}.", self.span())


def check_openjson(node: exp.OpenJSON) -> None:
    """Refuse OPENJSON outside FROM, or with too many columns."""
    if not isinstance(node.parent, exp.Table | exp.Lateral):
        raise RefusalError("syntax", "OPENJSON may stand only in FROM or under APPLY.")
    if len(node.expressions) > MAX_COLUMNS:
        raise RefusalError("too_large", f"OPENJSON takes at most {MAX_COLUMNS} columns.")


def check_openjson_column(node: exp.OpenJSONColumnDef) -> None:
    """Refuse a column AS JSON of another type than NVARCHAR(MAX)."""
    kind = node.args["kind"]
    longest = [each.name.upper() for each in kind.expressions] == ["MAX"]
    if node.args.get("as_json") and not (type_name(kind) == "NVARCHAR" and longest):
        raise RefusalError("syntax", "A column AS JSON has the type NVARCHAR(MAX).")


def openjson_source(node: exp.OpenJSON, alias: str, *, bounded: bool) -> Source:
    """Return the rows of a judged OPENJSON as a source."""
    fields = [typed(each.name, target_kind(each.args["kind"])) for each in node.expressions]
    return source_of(alias, fields or list(DEFAULT), bounded=bounded)
