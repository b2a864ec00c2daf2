"""T-SQL of the retrieval primitives, built from the contract.

Arguments travel as parameters, never in the text: ids, names, words and weights as one JSON
document each, a vector as JSON behind @q, a full-text condition as a variable. So the text depends
on the contract, on the form of the selection and on the columns that are read; only the condition
of a selection, which the guard has judged, is placed in it as a subquery.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from moviegraph.contract.ddl import bracketed, table_name
from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.sqlserver.batch import LARGEST_TEXT, Batch, unicode_literals, vector_type
from moviegraph.sql.match_patterns import Hop, hops_from
from moviegraph.text import fold_name

PRELUDE = f"SET NOCOUNT ON; SET TEXTSIZE {LARGEST_TEXT};"
MAX_CONDITION = 4_000  # characters of a full-text condition, and of a name
WEIGHT_DECIMALS = 9  # the order in which the server adds up is not defined
# Names are compared without case and accents, but what counts as punctuation is looked for exactly.
EXACT = "COLLATE Latin1_General_100_BIN2"
WITHOUT_ACCENTS = "COLLATE Latin1_General_100_CI_AI"
WITHOUT_CASE = "COLLATE Latin1_General_100_CI_AS"
# What is neither letter nor digit: Latin, general punctuation, East Asian, full width.
MARK_RANGES = (
    *((0x20, 0x7F), (0xA0, 0xAD), (0xAE, 0xC0), (0xD7, 0xD8), (0xF7, 0xF8)),
    *((0x2010, 0x2028), (0x202F, 0x2060), (0x2605, 0x2607), (0x2660, 0x2668)),
    *((0x3000, 0x3020), (0x30FB, 0x30FC), (0xFF01, 0xFF10), (0xFF1A, 0xFF21)),
)
TYPES = {"k": "INT", "text": f"NVARCHAR({MAX_CONDITION})", "marks": f"NVARCHAR({MAX_CONDITION})"}
TableFunction = Literal["CONTAINSTABLE", "FREETEXTTABLE"]


def _marks() -> str:
    """Return the punctuation, symbols and spaces that `fold_name` removes from European names."""
    characters = (chr(code) for first, last in MARK_RANGES for code in range(first, last))
    return "".join(character for character in characters if fold_name(f"a{character}b") == "ab")


MARKS = _marks()


@dataclass(frozen=True, slots=True)
class Query:
    """A batch and the variables that its parameters fill, in order."""

    text: str
    variables: tuple[str, ...]

    def batch(self, values: Mapping[str, Any]) -> Batch:
        """Return what is sent with these values; others than those needed are omitted."""
        return Batch(self.text, tuple(values[name] for name in self.variables))


@dataclass(frozen=True, slots=True)
class Restriction:
    """Which nodes a statement may return.

    Attributes:
        ids: Whether only those in the document @among.
        condition: A judged SELECT of the ids that are allowed, or "".
        excluded: Whether those in the document @excluded are omitted.
    """

    ids: bool = False
    condition: str = ""
    excluded: bool = False

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that it needs."""
        names = {"among": self.ids, "excluded": self.excluded}
        return tuple(name for name, needed in names.items() if needed)

    def conditions(self, column: str) -> list[str]:
        """Return the conditions on a column of ids, for WHERE."""
        parts = [_in_document(column, "among")] if self.ids else []
        if self.condition:
            parts.append(f"{column} IN (\n    {unicode_literals(self.condition)})")
        if self.excluded:
            parts.append(_in_document(column, "excluded", negated=True))
        return parts


ALL = Restriction()


def nearest_nodes(
    contract: Contract, node: NodeTable, dimensions: int, among: Restriction = ALL
) -> Query:
    """Return id and cosine distance of the @k nodes nearest to @q, compared one by one."""
    key, vector = _column("n", node.key), _column("n", node.vector)
    conditions = [f"{vector} IS NOT NULL", *among.conditions(key)]
    sql = (
        f"SELECT TOP (@k) {key}, VECTOR_DISTANCE('cosine', {vector}, @q) AS Distance\n"
        f"FROM {_table(contract, node)}\n"
        f"{_where(conditions)}ORDER BY Distance, {key};"
    )
    return _query(sql, "k", "q", *among.variables, dimensions=dimensions)


def nearest_by_index(
    contract: Contract, node: NodeTable, dimensions: int, among: Restriction = ALL
) -> Query:
    """Return id and cosine distance of the @k nodes nearest to @q by the vector index.

    The index continues until enough rows satisfy the WHERE; the server takes no second sort key.
    """
    key = _column("n", node.key)
    sql = (
        f"SELECT TOP (@k) WITH APPROXIMATE {key}, s.distance AS Distance\n"
        f"FROM VECTOR_SEARCH(TABLE = {_table(contract, node)}, "
        f"COLUMN = {bracketed(node.vector)}, SIMILAR_TO = @q, METRIC = 'cosine') AS s\n"
        f"{_where(among.conditions(key))}ORDER BY s.distance;"
    )
    return _query(sql, "k", "q", *among.variables, dimensions=dimensions)


def matching_nodes(
    contract: Contract, node: NodeTable, function: TableFunction, among: Restriction = ALL
) -> Query:
    """Return id and rank of the @k nodes that best match the condition or the words in @text."""
    key = _column("n", node.key)
    sql = (
        f"SELECT TOP (@k) {key}, k.[RANK] AS Rank\n"
        f"FROM {_matches(contract, node, function, '@text')}\n"
        f"JOIN {_table(contract, node)} ON {key} = k.[KEY]\n"
        f"{_where(among.conditions(key))}ORDER BY k.[RANK] DESC, {key};"
    )
    return _query(sql, "k", "text", *among.variables)


def document_counts(contract: Contract, node: NodeTable) -> Query:
    """Return place and number of matching nodes for each condition in the document @words.

    A full-text function takes its condition from a variable, not from a column: hence the loop.
    """
    sql = (
        "DECLARE @counts TABLE (Place INT NOT NULL, Nodes BIGINT NOT NULL);\n"
        "DECLARE @place INT = 0, @last INT = (SELECT COUNT(*) FROM OPENJSON(@words)) - 1;\n"
        f"DECLARE @word NVARCHAR({MAX_CONDITION});\n"
        "WHILE @place <= @last\n"
        "BEGIN\n"
        "    SELECT @word = w.[value] FROM OPENJSON(@words) AS w\n"
        "    WHERE w.[key] = CAST(@place AS NVARCHAR(10));\n"
        "    INSERT @counts (Place, Nodes)\n"
        f"    SELECT @place, COUNT_BIG(*) FROM "
        f"{_matches(contract, node, 'CONTAINSTABLE', '@word')};\n"
        "    SET @place += 1;\n"
        "END;\n"
        "SELECT c.Place, c.Nodes FROM @counts AS c ORDER BY c.Place;"
    )
    return _query(sql, "words")


def named_nodes(contract: Contract, node: NodeTable) -> Query:
    """Return place, id and name of the nodes that have one of the folded names in @names.

    The stored name is folded as `fold_name` does, as near as T-SQL comes to it; @marks holds what
    counts as punctuation.
    """
    label = _column("n", node.label)
    spaces = "REPLICATE(N' ', DATALENGTH(@marks) / 2)"
    bare = f"REPLACE(TRANSLATE({label} {EXACT}, @marks, {spaces}), N' ', N'')"
    folded = f"COALESCE(NULLIF({bare}, N''), LTRIM(RTRIM({label})))"
    sql = (
        f"SELECT w.Place, {_column('n', node.key)}, {label}\n"
        f"FROM OPENJSON(@names) WITH (Place INT '$[0]', Name NVARCHAR({MAX_CONDITION}) '$[1]') "
        "AS w\n"
        f"JOIN {_table(contract, node)}\n"
        f"    ON {folded} {WITHOUT_ACCENTS} = w.Name {WITHOUT_ACCENTS}\n"
        f"ORDER BY w.Place, {_column('n', node.key)};"
    )
    return _query(sql, "names", "marks")


def all_names(contract: Contract, node: NodeTable) -> Query:
    """Return id and name of every node that has a name."""
    key, label = _column("n", node.key), _column("n", node.label)
    return _query(
        f"SELECT {key}, {label}\nFROM {_table(contract, node)}\n"
        f"WHERE {label} IS NOT NULL\nORDER BY {key};"
    )


def names_with(contract: Contract, node: NodeTable) -> Query:
    """Return id and name of the @k nodes whose name contains most of the parts in @parts."""
    key, label = _column("n", node.key), _column("n", node.label)
    sql = (
        f"SELECT TOP (@k) {key}, {label}\n"
        f"FROM OPENJSON(@parts) WITH (Part NVARCHAR({MAX_CONDITION}) '$') AS p\n"
        f"JOIN {_table(contract, node)}\n"
        f"    ON CHARINDEX(p.Part {WITHOUT_CASE}, {label} {WITHOUT_CASE}) > 0\n"
        f"GROUP BY {key}, {label}\n"
        f"ORDER BY COUNT(*) DESC, LEN({label}), {key};"
    )
    return _query(sql, "k", "parts")


def neighbors(contract: Contract, node: NodeTable, hop: Hop) -> Query:
    """Return both ids of every edge that leads along a hop from the nodes in @ids."""
    source = _column("s", node.key)
    sql = (
        f"SELECT {_ends(contract, node, hop)}\n"
        f"    AND {_in_document(source, 'ids')}\n"
        f"ORDER BY Source, Target;"
    )
    return _query(sql, "ids")


def spread(contract: Contract, node: NodeTable, hop: Hop, among: Restriction = ALL) -> Query:
    """Return the @k ids reached along a hop with the largest sums of the weights in @weights."""
    sql = (
        f"SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), {WEIGHT_DECIMALS}) AS Total\n"
        "FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w\n"
        f"JOIN (SELECT {_ends(contract, node, hop)}) AS p ON p.Source = w.Id\n"
        f"{_where(among.conditions('p.Target'))}"
        "GROUP BY p.Target\n"
        "ORDER BY Total DESC, p.Target;"
    )
    return _query(sql, "k", "weights", *among.variables)


def degrees(contract: Contract, node: NodeTable) -> Query | None:
    """Return edge table, id and number of edges of the nodes in @ids; None without edge tables.

    An edge table between nodes of the kind itself stands twice: once for each end.
    """
    key = _column("n", node.key)
    ends = dict.fromkeys((hop.edge, hop.forward) for hop in hops_from(contract, node.name))
    arms = [
        f"SELECT N'{edge}' AS Edge, {key} AS Id, COUNT_BIG(*) AS Edges\n"
        f"FROM {_table(contract, node)}\n"
        f"JOIN {table_name(contract, edge)} AS e ON e.{'$from_id' if forward else '$to_id'} "
        f"= n.$node_id\n"
        f"WHERE {_in_document(key, 'ids')}\nGROUP BY {key}"
        for edge, forward in ends
    ]
    return _query("\nUNION ALL\n".join(arms) + ";", "ids") if arms else None


def fetched_columns(contract: Contract, node: NodeTable, columns: Sequence[str]) -> Query:
    """Return id and columns of the nodes in @ids."""
    listed = ", ".join(_column("n", name) for name in (node.key, *columns))
    sql = (
        f"SELECT {listed}\nFROM {_table(contract, node)}\n"
        f"WHERE {_in_document(_column('n', node.key), 'ids')};"
    )
    return _query(sql, "ids")


def stored_vectors(contract: Contract, node: NodeTable) -> Query:
    """Return id and vector, as JSON, of those of the nodes in @ids that have one."""
    key, vector = _column("n", node.key), _column("n", node.vector)
    sql = (
        f"SELECT {key}, CAST({vector} AS NVARCHAR(MAX)) AS Vector\n"
        f"FROM {_table(contract, node)}\n"
        f"WHERE {vector} IS NOT NULL AND {_in_document(key, 'ids')}\nORDER BY {key};"
    )
    return _query(sql, "ids")


def kept_nodes(contract: Contract, node: NodeTable, among: Restriction) -> Query:
    """Return those of the ids in @ids that a selection allows."""
    key = _column("n", node.key)
    conditions = [_in_document(key, "ids"), *among.conditions(key)]
    sql = f"SELECT {key}\nFROM {_table(contract, node)}\n{_where(conditions)}ORDER BY {key};"
    return _query(sql, "ids", *among.variables)


def any_node(contract: Contract, node: NodeTable, among: Restriction) -> Query:
    """Return one id that a selection allows, if there is any."""
    key = _column("n", node.key)
    where = _where(among.conditions(key)).rstrip()
    sql = f"SELECT TOP (1) {key}\nFROM {_table(contract, node)}\n{where};"
    return _query(sql, *among.variables)


def _query(sql: str, *variables: str, dimensions: int = 0) -> Query:
    declared = ", ".join(_declared(name, dimensions) for name in variables)
    declarations = f"DECLARE {declared};\n" if declared else ""
    return Query(f"{PRELUDE}\n{declarations}{sql}", variables)


def _declared(name: str, dimensions: int) -> str:
    """Declare a variable with its parameter; `batch.batch` says why a vector is cast twice."""
    if name == "q":
        kind = vector_type(dimensions)
        return f"@q {kind} = CAST(CAST(? AS NVARCHAR(MAX)) AS {kind})"
    return f"@{name} {TYPES.get(name, 'NVARCHAR(MAX)')} = ?"


def _table(contract: Contract, node: NodeTable) -> str:
    return f"{table_name(contract, node.name)} AS n"


def _column(alias: str, name: str) -> str:
    return f"{alias}.{bracketed(name)}"


def _matches(contract: Contract, node: NodeTable, function: TableFunction, variable: str) -> str:
    columns = ", ".join(bracketed(name) for name in node.searchable)
    return f"{function}({table_name(contract, node.name)}, ({columns}), {variable}) AS k"


def _ends(contract: Contract, node: NodeTable, hop: Hop) -> str:
    """Return the columns, sources and pattern of the edges along a hop, up to their WHERE."""
    end = contract.node(hop.kind)
    assert end is not None
    tables = ((node.name, "s"), (hop.edge, "e"), (hop.kind, "t"))
    sources = ", ".join(f"{table_name(contract, name)} AS {alias}" for name, alias in tables)
    pattern = "s-(e)->t" if hop.forward else "s<-(e)-t"
    columns = f"{_column('s', node.key)} AS Source, {_column('t', end.key)} AS Target"
    return f"{columns}\nFROM {sources}\nWHERE MATCH({pattern})"


def _in_document(column: str, variable: str, *, negated: bool = False) -> str:
    ids = f"SELECT i.Id FROM OPENJSON(@{variable}) WITH (Id BIGINT '$') AS i"
    return f"{column} {'NOT IN' if negated else 'IN'} ({ids})"


def _where(conditions: Iterable[str]) -> str:
    joined = "\n    AND ".join(conditions)
    return f"WHERE {joined}\n" if joined else ""
