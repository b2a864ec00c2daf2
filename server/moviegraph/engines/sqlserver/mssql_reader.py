"""The retrieval primitives of SQL Server: one constant statement each, arguments as parameters.

Ids, names, words and weights travel as one JSON document each, a vector as JSON behind @q, a
full-text condition as a variable. So a text depends on the contract, on the form of the selection
and on the columns that are read; only the condition of a selection, which the guard has validated,
is placed in it as a subquery.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.column_types import MAX_KEY_CHARS
from moviegraph.contract.ddl import bracketed, table_name
from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.base import Description, Vector
from moviegraph.engines.result_limits import Row
from moviegraph.engines.retrieval_primitives import (
    Ids,
    Linked,
    Pairs,
    Ranked,
    SearchFunction,
    SelectedIds,
    SelectedRows,
    Selection,
    Step,
)
from moviegraph.engines.sqlserver.batch import (
    LARGEST_TEXT,
    Batch,
    unicode_literals,
    vector_text,
    vector_type,
)
from moviegraph.engines.sqlserver.internal_tables import READ_ALIASES
from moviegraph.engines.sqlserver.odbc_driver import fix_surrogates
from moviegraph.errors import ExecutionError, UnavailableError, VectorSpaceError
from moviegraph.names import fold_name
from moviegraph.sql.contains import split_words
from moviegraph.sql.decision import Allowed
from moviegraph.sql.match_patterns import Hop, hops_from

NONE: Ids = np.zeros(0, dtype=np.int64)
NOTHING = Ranked(NONE, np.zeros(0))
MAX_K = 2**31 - 1
MAX_ROWS_BY_INDEX = 1_000  # of one search by a vector index
MAX_CONDITION_CHARS = 4_000  # of a full-text condition, and of a name
WEIGHT_DECIMALS = 9  # the order in which the server adds up is not defined
PRELUDE = f"SET NOCOUNT ON; SET TEXTSIZE {LARGEST_TEXT};"
SHORT_TEXT = f"NVARCHAR({MAX_CONDITION_CHARS})"
TYPES = {"k": "INT", "text": SHORT_TEXT, "marks": SHORT_TEXT}
# Names are compared without case and accents, but what counts as punctuation is looked for exactly.
EXACT = "COLLATE Latin1_General_100_BIN2"
WITHOUT_ACCENTS = "COLLATE Latin1_General_100_CI_AI"
WITHOUT_CASE = "COLLATE Latin1_General_100_CI_AS"
# Neither letters nor digits: Latin, general punctuation, East Asian, full width.
MARK_RANGES = (
    *((0x20, 0x7F), (0xA0, 0xAD), (0xAE, 0xC0), (0xD7, 0xD8), (0xF7, 0xF8)),
    *((0x2010, 0x2028), (0x202F, 0x2060), (0x2605, 0x2607), (0x2660, 0x2668)),
    *((0x3000, 0x3020), (0x30FB, 0x30FC), (0xFF01, 0xFF10), (0xFF1A, 0xFF21)),
)


def _marks() -> str:
    """Return the punctuation, symbols and spaces that `fold_name` removes from European names."""
    characters = (chr(code) for first, last in MARK_RANGES for code in range(first, last))
    return "".join(character for character in characters if fold_name(f"a{character}b") == "ab")


MARKS = _marks()
WITHOUT_MARKS = dict.fromkeys(map(ord, MARKS))


@dataclass(frozen=True, slots=True)
class AliasedTable:
    """A node table under an alias, as text of statements."""

    node: NodeTable
    name: str
    alias: str = "n"

    @property
    def source(self) -> str:
        """The item of FROM."""
        return f"{self.name} AS {self.alias}"

    @property
    def key(self) -> str:
        """The column of its ids."""
        return self.column(self.node.key)

    @property
    def label(self) -> str:
        """The column of its names."""
        return self.column(self.node.label)

    @property
    def vector(self) -> str | None:
        """The column of its vectors, unless the kind has none."""
        return self.column(self.node.vector) if self.node.vector else None

    def column(self, name: str) -> str:
        """Return one of its columns."""
        return f"{self.alias}.{bracketed(name)}"

    def matches(self, function: str, variable: str) -> str:
        """Return the item of FROM that searches its columns for the text in a variable."""
        columns = ", ".join(map(bracketed, self.node.searchable))
        return f"{function}({self.name}, ({columns}), {variable}) AS k"


class MssqlReader:
    """The primitives within one call; `read` runs batches in the transaction of that call."""

    def __init__(
        self, contract: Contract, description: Description, read: Callable[[Batch], list[Row]]
    ) -> None:
        self._contract = contract
        self._description = description
        self._read = read
        self._aliases: list[Row] | None = None

    def select(
        self,
        kind: str,
        condition: Allowed | None = None,
        excluded: Ids | None = None,
        linked: Sequence[Linked] = (),
    ) -> Selection | None:
        """Return the selection; nothing is sent before a search uses it."""
        if excluded is not None and not len(excluded):
            excluded = None
        if condition is None and excluded is None and not linked:
            return None
        if condition is not None and condition.uses_query:
            raise ExecutionError("A condition that selects nodes cannot use @q.")
        return SelectedRows(condition.sql if condition else "", excluded, tuple(linked))

    def existing(self, kind: str, ids: Ids) -> Ids:
        """Return those of the ids that are nodes of a kind, in their order."""
        return self._stored(kind, ids, None) if len(ids) else ids

    def has_any(self, kind: str, among: Selection | None) -> bool:
        """Return whether any node is in a selection."""
        if _is_empty(among, 1):
            return False
        table = self._table(kind)
        where = _where(self._restrictions(kind, among, table.key)).rstrip()
        return bool(self._rows(f"SELECT TOP (1) {table.key}\nFROM {table.source}\n{where};", among))

    def only(self, ids: Ids) -> SelectedIds:
        """Return the selection of these nodes."""
        return SelectedIds(np.unique(ids))

    def keep(self, kind: str, ids: Ids, among: Selection | None) -> Ids:
        """Return those of the ids that are in the selection, in their order."""
        if among is None or not len(ids):
            return ids
        if isinstance(among, SelectedIds):
            return ids[np.isin(ids, among.ids)]
        return self._stored(kind, ids, among)

    def _stored(self, kind: str, ids: Ids, among: Selection | None) -> Ids:
        """Return those of the ids that are nodes in a selection."""
        table = self._table(kind)
        selected = self._restrictions(kind, among, table.key)
        where = _where([_in_document(table.key, "ids"), *selected])
        sql = f"SELECT {table.key}\nFROM {table.source}\n{where}ORDER BY {table.key};"
        return ids[np.isin(ids, _column(self._rows(sql, among, ids=_document(ids)), 0))]

    def nearest(self, kind: str, vector: Vector, k: int, among: Selection | None = None) -> Ranked:
        """Return the k nodes nearest to a vector, with their cosine distance.

        A vector index continues until enough rows satisfy the WHERE; the server takes no second
        sort key there.
        """
        space, table = self._description.space, self._table(kind)
        if space is None or table.node.vector is None or _is_empty(among, k):
            return NOTHING
        if vector.shape != (space.dimensions,):
            raise VectorSpaceError(
                f"The vector has shape {vector.shape}; the stored vectors have "
                f"{space.dimensions} dimensions."
            )
        restrictions = self._restrictions(kind, among, table.key)
        has_index = self._has_index(kind, k, among)
        if has_index:
            sql = (
                f"SELECT TOP (@k) WITH APPROXIMATE {table.key}, s.distance AS Distance\n"
                f"FROM VECTOR_SEARCH(TABLE = {table.source}, "
                f"COLUMN = {bracketed(table.node.vector)}, SIMILAR_TO = @q, METRIC = 'cosine') "
                f"AS s\n{_where(restrictions)}ORDER BY s.distance;"
            )
        else:
            sql = (
                f"SELECT TOP (@k) {table.key}, "
                f"VECTOR_DISTANCE('cosine', {table.vector}, @q) AS Distance\n"
                f"FROM {table.source}\n{_where([f'{table.vector} IS NOT NULL', *restrictions])}"
                f"ORDER BY Distance, {table.key};"
            )
        ranked = _ranked(self._rows(sql, among, k=min(k, MAX_K), q=vector_text(vector)))
        order = np.lexsort((ranked.ids, ranked.values))  # an index does not order ties
        return Ranked(ranked.ids[order], ranked.values[order], is_exact=not has_index)

    def _has_index(self, kind: str, k: int, among: Selection | None) -> bool:
        """Return whether a vector index answers a search.

        Not among few ids, or those linked to a node, which are compared sooner than they are
        found; nor with a full-text condition, as it is undocumented whether the index continues
        until enough rows satisfy it.
        """
        if isinstance(among, SelectedIds) or k > MAX_ROWS_BY_INDEX:
            return False
        if isinstance(among, SelectedRows) and (among.is_fulltext or among.linked):
            return False
        return self._description.has_vector_index(kind)

    def matching(
        self,
        kind: str,
        text: str,
        k: int,
        among: Selection | None = None,
        *,
        function: SearchFunction = "CONTAINS",
    ) -> Ranked:
        """Return the k nodes that match a condition or words, with the rank that the server gives.

        Raises:
            ExecutionError: The condition is too long, or not in the CONTAINS grammar.
        """
        if _is_empty(among, k) or (function == "FREETEXT" and not split_words(text)):
            return NOTHING
        text = fix_surrogates(text)
        if len(text.encode("utf-16-le")) > 2 * MAX_CONDITION_CHARS:
            raise ExecutionError(
                f"A full-text condition has at most {MAX_CONDITION_CHARS:,} characters.",
                code="too_large",
                hint="Search for fewer words.",
            )
        table = self._table(kind)
        sql = (
            f"SELECT TOP (@k) {table.key}, k.[RANK] AS Rank\n"
            f"FROM {table.matches(f'{function}TABLE', '@text')}\n"
            f"JOIN {table.source} ON {table.key} = k.[KEY]\n"
            f"{_where(self._restrictions(kind, among, table.key))}"
            f"ORDER BY k.[RANK] DESC, {table.key};"
        )
        return _ranked(self._rows(sql, among, k=min(k, MAX_K), text=text))

    def document_counts(self, kind: str, words: Sequence[str]) -> dict[str, int]:
        """Return for each word how many nodes of a kind contain it.

        A full-text function takes its condition from a variable, not from a column: hence the loop.
        """
        parts = {word: split_words(word) for word in words}
        single = [word for word, tokens in parts.items() if len(tokens) == 1]
        if not single:
            return dict.fromkeys(words, 0)
        matches = self._table(kind).matches("CONTAINSTABLE", "@word")
        sql = (
            "DECLARE @counts TABLE (Place INT NOT NULL, Nodes BIGINT NOT NULL);\n"
            "DECLARE @place INT = 0, @last INT = (SELECT COUNT(*) FROM OPENJSON(@words)) - 1;\n"
            f"DECLARE @word {SHORT_TEXT};\n"
            "WHILE @place <= @last\n"
            "BEGIN\n"
            "    SELECT @word = w.[value] FROM OPENJSON(@words) AS w\n"
            "    WHERE w.[key] = CAST(@place AS NVARCHAR(10));\n"
            "    INSERT @counts (Place, Nodes)\n"
            f"    SELECT @place, COUNT_BIG(*) FROM {matches};\n"
            "    SET @place += 1;\n"
            "END;\n"
            "SELECT c.Place, c.Nodes FROM @counts AS c ORDER BY c.Place;"
        )
        counts = dict(self._rows(sql, words=_document([f'"{parts[word][0]}"' for word in single])))
        by_word = {word: int(counts.get(index, 0)) for index, word in enumerate(single)}
        return {word: by_word.get(word, 0) for word in words}

    def named(self, kind: str, names: Sequence[str]) -> list[tuple[str, int, Step]]:
        """Return (requested name, id, step) of each node that has one of the names.

        The server compares without case and accents, which is more than `fold_name` takes for
        equal; the names that come back are compared again.
        """
        ids = self._ids_by_name(kind, names)
        matches: list[tuple[str, int, Step]] = []
        for name in names:
            step: Step = "equal"
            normalized = fold_name(name)
            node_ids = ids.get(normalized, [])
            if not node_ids and normalized:
                step, node_ids = "alias", self._stored_aliases(kind).get(normalized, [])
            matches.extend((name, node_id, step) for node_id in dict.fromkeys(node_ids))
        return matches

    def keyed(self, kind: str, keys: Sequence[str]) -> list[tuple[str, int]]:
        """Return (source key, id) of each node whose source key is one of the texts.

        By the index on the column, whose collation ignores case.
        """
        table = self._table(kind)
        if table.node.source_key is None or not keys:
            return []
        column = table.column(table.node.source_key)
        sql = (
            f"SELECT {column}, {table.key}\nFROM {table.source}\n"
            f"WHERE {column} IN (SELECT i.SourceKey FROM OPENJSON(@keys) "
            f"WITH (SourceKey NVARCHAR({MAX_KEY_CHARS}) '$') AS i)\nORDER BY {table.key};"
        )
        document = _document([key for key in keys if len(key) <= MAX_KEY_CHARS])
        return [(str(key), int(node_id)) for key, node_id in self._rows(sql, keys=document)]

    def names(self, kind: str) -> list[tuple[int, str, Step]]:
        """Return (id, name, "equal") of each node that has a name, and (id, alias, "alias")."""
        table = self._table(kind)
        sql = (
            f"SELECT {table.key}, {table.label}\nFROM {table.source}\n"
            f"WHERE {table.label} IS NOT NULL\nORDER BY {table.key};"
        )
        names: list[tuple[int, str, Step]] = [
            (int(row[0]), str(row[1]), "equal") for row in self._rows(sql)
        ]
        names.extend((key, alias, "alias") for key, alias in self.aliases(kind))
        return names

    def aliases(self, kind: str) -> list[tuple[int, str]]:
        """Return (id, folded alias) for each alias of the nodes of a kind."""
        stored = self._stored_aliases(kind)
        return [(key, alias) for alias, keys in stored.items() for key in keys]

    def _ids_by_name(self, kind: str, names: Iterable[str]) -> dict[str, list[int]]:
        """Return, by folded name, the ids of the nodes that have one of the names.

        The stored name is folded as `fold_name` does, as near as T-SQL comes to it; @marks contains
        what counts as punctuation. A name is looked for as it is folded and, beyond ASCII, as it is
        without punctuation: the server does not take characters apart that mean several (½).
        """
        forms = {
            (form, fold_name(name)): None
            for name in names
            for form in (fold_name(name), *(() if name.isascii() else (_bare(name),)))
            if 0 < len(form) <= MAX_CONDITION_CHARS
        }
        requested = list(forms)
        ids: dict[str, list[int]] = {}
        if not requested:
            return ids
        table = self._table(kind)
        spaces = "REPLICATE(N' ', DATALENGTH(@marks) / 2)"
        bare = f"REPLACE(TRANSLATE({table.label} {EXACT}, @marks, {spaces}), N' ', N'')"
        folded_label = f"COALESCE(NULLIF({bare}, N''), LTRIM(RTRIM({table.label})))"
        sql = (
            f"SELECT w.Place, {table.key}, {table.label}\n"
            f"FROM OPENJSON(@names) WITH (Place INT '$[0]', Name {SHORT_TEXT} '$[1]') AS w\n"
            f"JOIN {table.source}\n"
            f"    ON {folded_label} {WITHOUT_ACCENTS} = w.Name {WITHOUT_ACCENTS}\n"
            f"ORDER BY w.Place, {table.key};"
        )
        document = _document([(index, form) for index, (form, _) in enumerate(requested)])
        for row in self._rows(sql, names=document, marks=MARKS):
            normalized = requested[int(row[0])][1]
            if fold_name(str(row[2])) == normalized:
                ids.setdefault(normalized, []).append(int(row[1]))
        return ids

    def names_with(self, kind: str, parts: Sequence[str], k: int) -> list[tuple[int, str]]:
        """Return id and name of the k nodes whose name contains most of the parts."""
        usable = [part for part in parts if 0 < len(part) <= MAX_CONDITION_CHARS]
        if not usable or k < 1:
            return []
        table = self._table(kind)
        sql = (
            f"SELECT TOP (@k) {table.key}, {table.label}\n"
            f"FROM OPENJSON(@parts) WITH (Part {SHORT_TEXT} '$') AS p\n"
            f"JOIN {table.source}\n"
            f"    ON CHARINDEX(p.Part {WITHOUT_CASE}, {table.label} {WITHOUT_CASE}) > 0\n"
            f"GROUP BY {table.key}, {table.label}\n"
            f"ORDER BY COUNT(*) DESC, LEN({table.label}), {table.key};"
        )
        rows = self._rows(sql, k=min(k, MAX_K), parts=_document(usable))
        return [(int(node_id), fix_surrogates(name)) for node_id, name in rows]

    def neighbors(self, kind: str, hop: Hop, ids: Ids, where: Allowed | None = None) -> Pairs:
        """Return the pairs that edges join from some nodes along one hop."""
        if not len(ids):
            return Pairs(NONE, NONE)
        pairs = (
            f"{self._edges(kind, hop)}\n    AND {_in_document(self._table(kind, 's').key, 'ids')}"
        )
        if where is not None:
            pairs = f"{_satisfying(where)}\nWHERE {_in_document('w.Source', 'ids')}"
        sql = f"{pairs}\nORDER BY Source, Target;"
        rows = self._rows(sql, ids=_document(ids))
        return Pairs(_column(rows, 0), _column(rows, 1))

    def spread(
        self,
        kind: str,
        hop: Hop,
        ids: Ids,
        weights: NDArray[np.float64],
        k: int,
        among: Selection | None = None,
        where: Allowed | None = None,
    ) -> Ranked:
        """Return the k nodes reached along one hop with the largest sums of their weights.

        Sums are rounded: the server adds in any order, and equal sums must stay equal.
        """
        if not len(ids) or _is_empty(among, k):
            return NOTHING
        sql = (
            f"SELECT TOP (@k) p.Target, ROUND(SUM(w.Weight), {WEIGHT_DECIMALS}) AS Total\n"
            "FROM OPENJSON(@weights) WITH (Id BIGINT '$[0]', Weight FLOAT '$[1]') AS w\n"
            f"JOIN ({_satisfying(where) if where else self._edges(kind, hop)}) AS p "
            "ON p.Source = w.Id\n"
            f"{_where(self._restrictions(hop.kind, among, 'p.Target'))}"
            "GROUP BY p.Target\n"
            "ORDER BY Total DESC, p.Target;"
        )
        pairs = list(zip(ids.tolist(), weights.tolist(), strict=True))
        return _ranked(self._rows(sql, among, k=min(k, MAX_K), weights=_document(pairs)))

    def degrees(self, kind: str, ids: Ids) -> dict[str, NDArray[np.int64]]:
        """Return by edge table how many pairs each node is in.

        An edge table between nodes of the kind itself appears twice: once for each end.
        """
        table = self._table(kind)
        ends = dict.fromkeys((hop.edge, hop.forward) for hop in hops_from(self._contract, kind))
        branches = [
            f"SELECT N'{edge}' AS Edge, {table.key} AS Id, "
            f"COUNT_BIG({self._counted(edge, forward=forward)}) AS Edges\n"
            f"FROM {table.source}\n"
            f"JOIN {table_name(self._contract, edge)} AS e "
            f"ON e.{'$from_id' if forward else '$to_id'} = n.$node_id\n"
            f"WHERE {_in_document(table.key, 'ids')}\nGROUP BY {table.key}"
            for edge, forward in ends
        ]
        edges = [edge.name for edge in self._contract.connections_of(kind)]
        counts = {edge: dict.fromkeys(ids.tolist(), 0) for edge in edges}
        if branches and len(ids):
            sql = "\nUNION ALL\n".join(branches) + ";"
            for edge, node_id, number in self._rows(sql, ids=_document(ids)):
                counts[edge][int(node_id)] += int(number)
        return {
            edge: np.array([of_edge[node_id] for node_id in ids.tolist()], dtype=np.int64)
            for edge, of_edge in counts.items()
        }

    def rows(self, statement: Allowed, limit: int) -> list[tuple[Any, ...]]:
        """Return rows of a statement of a tool that holds a caller's condition."""
        rows = self._rows(f"{unicode_literals(statement.sql)};")[:limit]
        return [tuple(map(fix_surrogates, row)) for row in rows]

    def fetch(self, kind: str, ids: Ids, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """Return columns of existing nodes, in the order of the ids.

        Raises:
            UnavailableError: A node was deleted meanwhile; in a snapshot none is.
        """
        if not len(ids):
            return []
        table = self._table(kind)
        names = ", ".join(table.column(name) for name in (table.node.key, *columns))
        sql = f"SELECT {names}\nFROM {table.source}\nWHERE {_in_document(table.key, 'ids')};"
        rows = self._rows(sql, ids=_document(np.unique(ids)))
        by_id = {int(row[0]): tuple(map(fix_surrogates, row[1:])) for row in rows}
        missing = [node_id for node_id in ids.tolist() if node_id not in by_id]
        if missing:
            raise UnavailableError(
                f"The {kind} {missing[0]} is no longer in the graph; the data changed.",
                hint="Make the same call again.",
            )
        return [by_id[node_id] for node_id in ids.tolist()]

    def vectors(self, kind: str, ids: Ids) -> Vector:
        """Return the unit vectors of those of the nodes that have one."""
        space, table = self._description.space, self._table(kind)
        if space is None or table.vector is None or not len(ids):
            return np.zeros((0, space.dimensions if space else 0), dtype=np.float32)
        sql = (
            f"SELECT {table.key}, CAST({table.vector} AS NVARCHAR(MAX)) AS Vector\n"
            f"FROM {table.source}\n"
            f"WHERE {table.vector} IS NOT NULL AND {_in_document(table.key, 'ids')}\n"
            f"ORDER BY {table.key};"
        )
        rows = self._rows(sql, ids=_document(np.unique(ids)))
        matrix = np.array([json.loads(text) for _, text in rows], dtype=np.float32)
        matrix = matrix.reshape(len(rows), space.dimensions)
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        return (matrix / np.where(lengths > 0, lengths, 1)).astype(np.float32)

    def _stored_aliases(self, kind: str) -> dict[str, list[int]]:
        """Return the nodes of each folded alias in the table of aliases, read once for a call."""
        if self._aliases is None:
            self._aliases = self._read(Batch(READ_ALIASES))
        ids: dict[str, list[int]] = {}
        for of_kind, key, alias in self._aliases:
            if of_kind == kind:
                ids.setdefault(fold_name(str(alias)), []).append(int(key))
        return ids

    def _rows(self, sql: str, among: Selection | None = None, **values: Any) -> list[Row]:
        """Run a statement whose variables have these values, and those that a selection needs."""
        values |= _documents(among)
        declared = ", ".join(map(self._declared, values))
        declarations = f"DECLARE {declared};\n" if declared else ""
        return self._read(Batch(f"{PRELUDE}\n{declarations}{sql}", tuple(values.values())))

    def _declared(self, name: str) -> str:
        """Return a variable with its parameter; `batch.batch` says why a vector is cast twice."""
        if name == "q":
            assert self._description.space is not None
            sql_type = vector_type(self._description.space.dimensions)
            return f"@q {sql_type} = CAST(CAST(? AS NVARCHAR(MAX)) AS {sql_type})"
        return f"@{name} {TYPES.get(name, 'NVARCHAR(MAX)')} = ?"

    def _table(self, kind: str, alias: str = "n") -> AliasedTable:
        node = self._contract.node(kind)
        assert node is not None
        return AliasedTable(node, table_name(self._contract, node.name), alias)

    def _restrictions(self, kind: str, among: Selection | None, column: str) -> list[str]:
        """Return the conditions by which a column of ids of a kind is in a selection."""
        if isinstance(among, SelectedIds):
            return [_in_document(column, "among")]
        if not isinstance(among, SelectedRows):
            return []
        subquery = f"{column} IN (\n    {unicode_literals(among.condition)})"
        conditions = [subquery] if among.condition else []
        if among.excluded is not None:
            conditions.append(_in_document(column, "excluded", operator="NOT IN"))
        for place, ends in enumerate(among.linked):
            ways = [
                f"EXISTS ({self._edges(end, hop)}\n"
                f"    AND {self._table(kind, 't').key} = {column}\n"
                f"    AND {_in_document(self._table(end, 's').key, f'linked{place}{end}')})"
                for end in ends
                for hop in hops_from(self._contract, end)
                if hop.kind == kind
            ]
            conditions.append(f"({' OR '.join(ways)})" if ways else "1 = 0")
        return conditions

    def _edges(self, kind: str, hop: Hop) -> str:
        """Return the SELECT of the pairs along a hop, up to the pattern in its WHERE."""
        start, end = self._table(kind, "s"), self._table(hop.kind, "t")
        edge = f"{table_name(self._contract, hop.edge)} AS e"
        pattern = "s-(e)->t" if hop.forward else "s<-(e)-t"
        select = "SELECT DISTINCT" if self._has_columns(hop.edge) else "SELECT"
        return (
            f"{select} {start.key} AS Source, {end.key} AS Target\n"
            f"FROM {start.source}, {edge}, {end.source}\nWHERE MATCH({pattern})"
        )

    def _has_columns(self, edge: str) -> bool:
        """Return whether several edges of a table may join the same two nodes."""
        table = self._contract.edge(edge)
        return table is not None and bool(table.columns)

    def _counted(self, edge: str, *, forward: bool) -> str:
        if not self._has_columns(edge):
            return "*"
        return f"DISTINCT e.{'$to_id' if forward else '$from_id'}"


def _satisfying(where: Allowed) -> str:
    """Return the SELECT of the pairs whose edges satisfy a condition."""
    return f"SELECT DISTINCT w.Source, w.Target FROM (\n    {unicode_literals(where.sql)}) AS w"


def _bare(name: str) -> str:
    """Return a name as the statement compares stored ones, apart from case and accents."""
    return name.translate(WITHOUT_MARKS)


def _documents(among: Selection | None) -> dict[str, str]:
    """Return the documents that the conditions of a selection use."""
    if isinstance(among, SelectedIds):
        return {"among": _document(among.ids)}
    if not isinstance(among, SelectedRows):
        return {}
    excluded = {} if among.excluded is None else {"excluded": _document(among.excluded)}
    return excluded | {
        f"linked{place}{end}": _document(ids)
        for place, ends in enumerate(among.linked)
        for end, ids in ends.items()
    }


def _is_empty(among: Selection | None, k: int) -> bool:
    """Return whether a search can return nothing."""
    return k < 1 or (isinstance(among, SelectedIds) and not len(among.ids))


def _in_document(column: str, variable: str, operator: str = "IN") -> str:
    ids = f"SELECT i.Id FROM OPENJSON(@{variable}) WITH (Id BIGINT '$') AS i"
    return f"{column} {operator} ({ids})"


def _where(conditions: Sequence[str]) -> str:
    combined = "\n    AND ".join(conditions)
    return f"WHERE {combined}\n" if conditions else ""


def _document(values: Ids | Sequence[Any]) -> str:
    """Return values as a JSON array, in ASCII."""
    items = values.tolist() if isinstance(values, np.ndarray) else values
    return json.dumps(items, separators=(",", ":"))


def _ranked(rows: Sequence[Row]) -> Ranked:
    return Ranked(_column(rows, 0), np.array([row[1] for row in rows], dtype=np.float64))


def _column(rows: Sequence[Row], index: int) -> Ids:
    return np.array([row[index] for row in rows], dtype=np.int64)
