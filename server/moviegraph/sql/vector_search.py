"""VECTOR_SEARCH(TABLE = t AS m, COLUMN = c, SIMILAR_TO = q, METRIC = 'cosine', TOP_N = n) AS s.

To sqlglot it is `__VECTOR_SEARCH(t, m, c, q, 'cosine', n) AS s`. The columns of the table are
known by its own alias, `distance` by that of the result.
"""

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from moviegraph.contract.model import Contract
from moviegraph.sql.columns import annotate
from moviegraph.sql.functions import METRICS
from moviegraph.sql.gate import STRINGS
from moviegraph.sql.lookup import field_of, find_column, unknown_table
from moviegraph.sql.reader import Reader
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.scope import Field, Scope, Source, base_source

NAME = "__VECTOR_SEARCH"
FORM = (
    "VECTOR_SEARCH(TABLE = NodeTable AS m, COLUMN = VectorColumn, SIMILAR_TO = @q, "
    "METRIC = 'cosine', TOP_N = 10) AS s"
)
SMALL = 20
MARK = TokenType.VAR, NAME
OPEN, CLOSE, COMMA = (
    (TokenType.L_PAREN, "("),
    (TokenType.R_PAREN, ")"),
    (TokenType.COMMA, ","),
)
Part = tuple[TokenType, str]


class SearchReader(Reader):
    """Reads one VECTOR_SEARCH from its name on."""

    def search(self) -> list[Part | Token]:
        """Return the tokens of the lowered call; the reader stands behind it."""
        self.at += 2
        table = self._named("TABLE")
        alias = table[-1]
        if self.word() == "AS":
            self.at += 1
            alias = self._name()
        self._comma()
        column = self._column(table[-1], alias)
        self._comma()
        similar = self._similar()
        self._comma()
        metric = self._literal("METRIC", STRINGS)
        out = [MARK, OPEN, *table, COMMA, alias, COMMA, column, COMMA, *similar, COMMA, metric]
        if self.word() == ",":
            self.at += 1
            out += [COMMA, self._literal("TOP_N", (TokenType.NUMBER,))]
        self._expect(")")
        self._check_hint()
        return [*out, CLOSE]

    def _fail(self) -> RefusalError:
        return RefusalError("syntax", f"VECTOR_SEARCH is written {FORM}.", self.span())

    def _expect(self, *words: str) -> None:
        for word in words:
            if self.word() != word:
                raise self._fail()
            self.at += 1

    def _comma(self) -> None:
        self._expect(",")

    def _name(self) -> Token:
        token = self.token()
        quoted = token is not None and token.token_type is TokenType.IDENTIFIER
        plain = self.word()
        if token is None or not (quoted or plain[:1].isalpha() or plain[:1] == "_"):
            raise self._fail()
        self.at += 1
        return token

    def _named(self, word: str) -> list[Part | Token]:
        """Read `WORD = name.name`."""
        self._expect(word, "=")
        return self._dotted()

    def _column(self, *owners: Part | Token) -> Part | Token:
        """Read `COLUMN = name`; what stands before the name is the table or its alias."""
        *before, column = self._named("COLUMN")
        if before and _name_of(before[-2]) not in [_name_of(owner) for owner in owners]:
            raise RefusalError(
                "wrong_arguments",
                "COLUMN of VECTOR_SEARCH names a column of the table behind TABLE.",
                self.span(),
            )
        return column

    def _dotted(self) -> list[Part | Token]:
        found: list[Part | Token] = [self._name()]
        while self.word() == ".":
            self.at += 1
            found += [(TokenType.DOT, "."), self._name()]
        return found

    def _similar(self) -> list[Part | Token]:
        self._expect("SIMILAR_TO", "=")
        if self.word() == "@":
            at, name = self.tokens[self.at], self.token(1)
            if name is None:
                raise self._fail()
            self.at += 2
            return [at, name]
        if self.word() in ("(", "CAST") or self.word(1) == "(":
            raise RefusalError(
                "wrong_arguments",
                "SIMILAR_TO takes @q or a vector column of an earlier source, no expression and "
                "no subquery; with CROSS APPLY it may be x.Embedding of what stands before.",
                self.span(),
            )
        return self._dotted()

    def _literal(self, word: str, kinds: tuple[TokenType, ...]) -> Token:
        self._expect(word, "=")
        token = self.token()
        if token is None or token.token_type not in kinds:
            raise RefusalError(
                "wrong_arguments",
                f"{word} of VECTOR_SEARCH is a literal: {FORM}.",
                self.span(),
            )
        self.at += 1
        return token

    def _check_hint(self) -> None:
        """Between `)` and the alias SQL Server takes a table hint, and no other word than AS."""
        if self.word() == "WITH" and self.word(1) == "(":
            raise RefusalError(
                "not_allowed", "Table hints such as FORCE_ANN_ONLY are not allowed.", self.span()
            )


def is_search(node: object) -> bool:
    """Whether a node is a lowered call."""
    return isinstance(node, exp.Anonymous) and node.name == NAME


def _name_of(part: Part | Token) -> str:
    return (part.text if isinstance(part, Token) else part[1]).lower()


def check_arguments(call: exp.Anonymous) -> None:
    """Check metric and TOP_N of a lowered call. Raises RefusalError."""
    metric, count = call.expressions[4], call.expressions[5:]
    if metric.name.lower() not in METRICS:
        raise RefusalError(
            "wrong_arguments",
            "METRIC of VECTOR_SEARCH is 'cosine', 'euclidean' or 'dot'.",
            suggestions=METRICS,
        )
    for each in count:
        if not each.name.isdigit() or len(each.name) > 9 or int(each.name) == 0:
            raise RefusalError("wrong_arguments", "TOP_N is a whole number from 1 on.")


def search_sources(
    call: exp.Anonymous, alias: str, outer: Scope | None, contract: Contract
) -> tuple[Source, Source]:
    """Return the searched table and the result (with `distance`) as sources that hang together.

    Args:
        call: The lowered call; canonical names are written into it.
        alias: The alias of the result.
        outer: What SIMILAR_TO may refer to.
        contract: The contract.
    """
    named, given, column, similar = call.expressions[:4]
    schema = named.args.get("table")
    if named.args.get("db") is not None:
        raise _no_table(contract)
    if schema is not None and schema.name.lower() != contract.schema_name.lower():
        raise _no_table(contract)
    table = contract.node(named.name)
    if table is None:
        raise (
            _no_table(contract)
            if contract.edge(named.name)
            else unknown_table(named.name, contract)
        )
    known = given.name if given.name.lower() != named.name.lower() else table.name
    searched = base_source(table, known)
    named.replace(exp.column(table.name, table=contract.schema_name, quoted=True))
    given.replace(exp.column(known, quoted=True))
    field = field_of(searched, column)
    _check_vector(field, "COLUMN")
    annotate(column, searched, field)
    if isinstance(similar, exp.Column):
        _resolve_similar(similar, outer, contract)
    return _tied(searched, Source(alias, "derived", _distance()), call)


def join_searched(scope: Scope) -> None:
    """Mark the table of a search as joined where its result is: it cannot stand in MATCH."""
    for source in scope.sources.values():
        near = [scope.sources[key] for key in source.tied if key in scope.sources]
        source.joined |= any(each.joined for each in near)


def _distance() -> dict[str, Field]:
    return {"distance": Field("distance", "FLOAT")}


def _tied(searched: Source, result: Source, call: exp.Anonymous) -> tuple[Source, Source]:
    searched.tied = {result.alias.lower()}
    count = call.expressions[5:]
    searched.bounded = result.bounded = bool(count) and int(count[0].name) <= SMALL
    return searched, result


def _resolve_similar(column: exp.Column, outer: Scope | None, contract: Contract) -> None:
    if outer is None:
        node = contract.nodes[0]
        raise RefusalError(
            "wrong_arguments",
            "SIMILAR_TO is @q here; a vector column of another table needs CROSS APPLY: "
            f"FROM {node.name} AS x CROSS APPLY VECTOR_SEARCH(... SIMILAR_TO = x.{node.vector} "
            "...) AS s.",
        )
    source, field = find_column(column, outer, contract, nested=True)
    _check_vector(field, "SIMILAR_TO")
    annotate(column, source, field)


def _check_vector(field: Field, word: str) -> None:
    if field.type != "VECTOR":
        raise RefusalError(
            "wrong_arguments", f"{word} of VECTOR_SEARCH is an embedding; {field.name} is none."
        )


def _no_table(contract: Contract) -> RefusalError:
    names = tuple(node.name for node in contract.nodes)
    return RefusalError(
        "unknown_table",
        f"VECTOR_SEARCH searches one node table, named after TABLE: {', '.join(names)}.",
        suggestions=names,
    )


def search_text(call: exp.Anonymous) -> str:
    """Return a resolved call in T-SQL."""
    named, alias, column, similar, metric, *count = [
        part.sql(dialect="tsql") for part in call.expressions
    ]
    parts = [
        f"TABLE = {named} AS {alias}",
        f"COLUMN = {column}",
        f"SIMILAR_TO = {similar}",
        f"METRIC = {metric}",
        *(f"TOP_N = {each}" for each in count),
    ]
    return f"VECTOR_SEARCH({', '.join(parts)})"
