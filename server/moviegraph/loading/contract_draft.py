"""A draft of a contract: its contract.toml and examples, and that of a database's tables."""

import hashlib
import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from unicodedata import normalize

from moviegraph.contract.ddl import EDGE_DIGEST, OWN_SCHEMA
from moviegraph.contract.loader import SOURCE
from moviegraph.contract.model import Column, Contract, EdgeTable, NodeTable, Pair
from moviegraph.contract.validation import RESERVED, UNRESERVED_STATEMENTS
from moviegraph.engines.sqlserver.metadata import FULLTEXT
from moviegraph.engines.sqlserver.metadata_connection import Read, rows_or_none
from moviegraph.errors import DatabaseError

MAX_IDENTIFIER_CHARS = 64


@dataclass(frozen=True, slots=True)
class ContractDraft:
    """A drafted contract, and the omitted tables and columns.

    Attributes:
        contract: The tables.
        left_out: What of the source the contract has no place for, and why.
    """

    contract: Contract
    left_out: dict[str, str]


def unique_identifier(
    text: str, used: Iterable[str], *, fallback: str, of_kind: bool = False
) -> str:
    """Return a name in Pascal case for a table or column, unlike those that are taken.

    A word that T-SQL reserves, or that begins a statement, becomes a plural or a value.
    """
    name = "".join(word[0].upper() + word[1:] for word in words_of(text))
    name = name[: MAX_IDENTIFIER_CHARS - 8]
    if not name or not name[0].isalpha():
        name = f"{fallback}{name}"
    if name.upper() in RESERVED | UNRESERVED_STATEMENTS:
        name += "s" if of_kind else "Value"
    lowered, number, unique = {other.lower() for other in used}, 2, name
    while unique.lower() in lowered:
        unique, number = f"{name}{number}", number + 1
    return unique


def words_of(text: str) -> list[str]:
    """Return the words of a header or a file name, without accents."""
    letters = normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.findall(r"[A-Za-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", letters))


CHECKSUM = "# checksum of the draft, which a load may replace: "


def with_checksum(files: Mapping[str, str]) -> dict[str, str]:
    """Return the files of a drafted contract, with a line that tells whether they were edited."""
    return {**files, SOURCE: f"{CHECKSUM}{_checksum(files)}\n{files[SOURCE]}"}


def is_untouched_draft(files: Mapping[str, str]) -> bool:
    """Return whether the files of a contract are a draft: none edited, added or removed."""
    line, _, rest = files[SOURCE].partition("\n")
    return line == CHECKSUM + _checksum({**files, SOURCE: rest})


def _checksum(files: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(sorted(files.items())).encode()).hexdigest()[:16]


def contract_toml(contract: Contract) -> str:
    """Return contract.toml, with comments for who edits it."""
    return "\n".join(_lines(contract)).rstrip() + "\n"


def _lines(contract: Contract) -> Iterator[str]:
    yield "# A draft by moviegraph. Models read the descriptions: say what a row is and what a"
    yield "# column means."
    yield ""
    fields = ("name", "title", "version", "description")
    yield from _entries({field: getattr(contract, field) for field in fields})
    yield f"schema = {quoted(contract.schema_name)}"
    yield '# not_held = "prices, ratings" # what people may request and the graph lacks'
    for node in contract.nodes:
        roles = {"key": "Id", "label": "Name", "text": "Content", "vector": "Embedding"}
        others = {role: getattr(node, role) for role in roles}
        yield f"\n[nodes.{node.name}]"
        yield from _entries({"description": node.description})
        yield from _entries(
            {role: name for role, name in others.items() if name not in (None, roles[role])}
        )
        if node.source_key:
            yield "# the source's own identifier, as it was written"
            yield from _entries({"source_key": node.source_key})
        if node.disambiguated_by:
            yield "# tells nodes of one name apart: NAME (1984)"
            yield from _entries({"disambiguated_by": node.disambiguated_by})
        yield f"[nodes.{node.name}.columns]"
        yield from map(_column_line, node.columns)
    for edge in contract.edges:
        pairs = [[pair.from_table, pair.to_table] for pair in edge.pairs]
        yield f"\n[edges.{edge.name}]"
        start, end = pairs[0]
        ends = {"from": start, "to": end} if len(pairs) == 1 else {"connects": pairs}
        text = {"in_text": True} if edge.in_text else {}
        yield from _entries({**ends, "meaning": edge.meaning, **text})
        if edge.columns:
            yield f"[edges.{edge.name}.columns]"
            yield from map(_column_line, edge.columns)
    yield "\n# Other words for a table, as people and models write them:"
    yield "# [glossary.tables]"
    yield f'# {contract.nodes[0].name} = ["item"]'


def _column_line(column: Column) -> str:
    options = {"nullable": False} if not column.nullable else {}
    options |= {"searchable": True} if column.searchable else {}
    options |= {"field": column.field} if column.field else {}
    entries = {"type": column.type, **options, "description": column.description}
    return f"{column.name} = {{ {', '.join(_entries(entries))} }}"


def _entries(values: Mapping[str, Any]) -> Iterator[str]:
    return (f"{key} = {quoted(value)}" for key, value in values.items())


def quoted(value: Any) -> str:
    """Return a text, a list of texts or a boolean as TOML."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


COLUMNS = """SELECT s.name, t.name, CAST(t.is_node AS INT), c.name, TYPE_NAME(c.system_type_id),
  TYPE_NAME(c.user_type_id), CAST(c.max_length AS INT), CAST(c.is_nullable AS INT),
  CASE WHEN EXISTS (SELECT 1 FROM sys.indexes AS i JOIN sys.index_columns AS k
    ON k.object_id = i.object_id AND k.index_id = i.index_id WHERE i.object_id = t.object_id
    AND i.is_primary_key = 1 AND k.column_id = c.column_id) THEN 1 ELSE 0 END
FROM sys.tables AS t JOIN sys.schemas AS s ON s.schema_id = t.schema_id
LEFT JOIN sys.columns AS c ON c.object_id = t.object_id AND c.graph_type IS NULL
WHERE t.is_node = 1 OR t.is_edge = 1 ORDER BY s.name, t.name, c.column_id"""
CONSTRAINTS = """SELECT OBJECT_SCHEMA_NAME(e.parent_object_id), OBJECT_NAME(e.parent_object_id),
  OBJECT_NAME(c.from_object_id), OBJECT_NAME(c.to_object_id)
FROM sys.edge_constraints AS e
JOIN sys.edge_constraint_clauses AS c ON c.object_id = e.object_id
ORDER BY 1, 2, c.clause_number"""
LABELS = ("Name", "Title", "Label", "Caption")
TEXTS = ("Content", "Text", "Description", "Body", "Plot", "Summary")
TYPES = {"int": "INT", "bigint": "BIGINT", "float": "FLOAT", "bit": "BIT", "date": "DATE"}
MISSING = {
    "key": "an INT NOT NULL column as primary key",
    "label": "an NVARCHAR NOT NULL column for the name",
    "text": "a second NVARCHAR column for the text",
    "vector": "a VECTOR column for the embedding of name and text",
    "words": "a full-text index on the name or the text",
}
NAME = re.compile("[A-Za-z][A-Za-z0-9_]{0,63}")
ODD_NAME = "its name has more than letters, digits and underscores"
DDL = "`moviegraph ddl --engine mssql` writes such tables for a contract."


class CatalogColumn(NamedTuple):
    """One column of a graph table; the name is None where an edge table has no columns."""

    schema: str
    table: str
    is_node: int
    name: str
    system_type: str | None
    user_type: str | None
    size: int
    nullable: int
    is_key: int

    @property
    def type(self) -> str:
        """The type as a contract writes it, or the server's name of one that it lacks."""
        system, user = self.system_type or "", self.user_type or ""
        if "vector" in (system, user):
            return "VECTOR"
        if system == "nvarchar":
            return "NVARCHAR(MAX)" if self.size < 0 else f"NVARCHAR({self.size // 2})"
        return TYPES.get(system, system or user)


def draft_database(read: Read) -> ContractDraft:
    """Return a draft of the contract for the graph tables of a database.

    Args:
        read: Runs a query and returns its rows.

    Raises:
        DatabaseError: The database has no graph tables that fit; the message names the gaps.
    """
    indexed = {tuple(row) for row in rows_or_none(read, FULLTEXT) or []}
    columns = [
        column
        for row in read(COLUMNS)
        if (column := CatalogColumn(*row)).schema.lower() != OWN_SCHEMA
    ]
    schemas = [schema for schema, _ in {(c.schema, c.table) for c in columns if c.is_node}]
    if not schemas:
        raise DatabaseError(
            "The login can see no node tables in the database (CREATE TABLE ... AS NODE).",
            hint=f"Grant SELECT on them, or create graph tables: {DDL}",
        )
    schema = max(sorted(schemas), key=schemas.count)
    omitted: dict[str, str] = {}
    tables: dict[str, list[CatalogColumn]] = {}
    for column in columns:
        if column.schema != schema:
            omitted[f"{column.schema}.{column.table}"] = f"in a different schema than {schema}"
        elif not NAME.fullmatch(column.table):
            omitted[column.table] = ODD_NAME
        elif column.table.upper() in RESERVED | UNRESERVED_STATEMENTS:
            omitted[column.table] = "its name is a word of T-SQL"
        else:
            tables.setdefault(column.table, []).append(column)
    nodes = [
        node
        for table in tables.values()
        if table[0].is_node and (node := _node(table, indexed, omitted))
    ]
    if not nodes:
        raise DatabaseError(f"No node table is usable. {_listed(omitted)}.", hint=DDL)
    pairs: dict[str, list[tuple[str, str]]] = {}
    for edge_schema, edge, start, end in rows_or_none(read, CONSTRAINTS) or []:
        if edge_schema == schema:
            pairs.setdefault(edge, []).append((start, end))
    names = {node.name for node in nodes}
    edges = [
        edge
        for name, table in tables.items()
        if not table[0].is_node and (edge := _edge(table, pairs.get(name, []), names, omitted))
    ]
    if not edges:
        raise DatabaseError(
            f"The database has no edge table that connects such nodes. {_listed(omitted)}".rstrip(),
            hint="Create one with CREATE TABLE ... AS EDGE and a CONNECTION constraint. " + DDL,
        )
    sources = {pair.from_table for edge in edges for pair in edge.pairs}
    contract = Contract(
        name="database",
        title="Graph of a database",
        version="1.0",
        description=f"The graph tables of the schema {schema}.",
        schema_name=schema,
        nodes=tuple(sorted(nodes, key=lambda node: node.name not in sources)),
        edges=tuple(edges),
    )
    return ContractDraft(contract, omitted)


def _listed(omitted: dict[str, str]) -> str:
    return "; ".join(f"{name}: {reason}" for name, reason in omitted.items())


def _node(
    columns: list[CatalogColumn], indexed: Container[tuple[str, ...]], omitted: dict[str, str]
) -> NodeTable | None:
    table = columns[0].table
    texts = [column for column in columns if column.type.startswith("NVARCHAR")]
    names = [c for c in texts if not c.nullable and c.type != "NVARCHAR(MAX)"]
    label = _preferred(names, LABELS) or next(iter(names), None)
    remaining = [column for column in texts if column != label]
    longest = max(remaining, key=lambda c: c.size if c.size > 0 else 1 << 31, default=None)
    text = _preferred(remaining, TEXTS) or longest
    key = next((c for c in columns if c.type == "INT" and c.is_key and not c.nullable), None)
    vector = next((column for column in columns if column.type == "VECTOR"), None)
    words = [column for column in texts if (column.schema, table, column.name) in indexed]
    roles = {"key": key, "label": label, "text": text, "vector": vector, "words": words}
    missing = [MISSING[role] for role, column in roles.items() if not column]
    if missing or not key or not label or not text or not vector:
        omitted[table] = f"it lacks {', '.join(missing)}"
        return None
    contract_columns: list[Column] = []
    for column in _usable(columns, (*texts, vector), omitted):
        about = "compare with @q, never select it" if column == vector else "describe its meaning"
        contract_columns.append(_contract_column(column, about, is_searchable=column in words))
    return NodeTable(
        name=table,
        description=f"One row of {table}.",
        columns=tuple(contract_columns),
        key=key.name,
        label=label.name,
        text=text.name,
        vector=vector.name,
    )


def _usable(
    columns: Iterable[CatalogColumn], known: Container[CatalogColumn], omitted: dict[str, str]
) -> Iterator[CatalogColumn]:
    """Yield the columns that a contract can have."""
    for column in columns:
        is_known = column.type in TYPES.values() or column in known
        if is_known and NAME.fullmatch(column.name):
            yield column
        elif column.name != EDGE_DIGEST:
            unsupported = f"type {column.type}, which contracts do not support"
            omitted[f"{column.table}.{column.name}"] = ODD_NAME if is_known else unsupported


def _contract_column(column: CatalogColumn, about: str, *, is_searchable: bool = False) -> Column:
    return Column(
        name=column.name,
        type=column.type,
        nullable=bool(column.nullable),
        searchable=is_searchable,
        description=f"{column.name}; {about}.",
    )


def _edge(
    columns: list[CatalogColumn],
    pairs: list[tuple[str, str]],
    nodes: set[str],
    omitted: dict[str, str],
) -> EdgeTable | None:
    name = columns[0].table
    fitting = [pair for pair in pairs if set(pair) <= nodes]
    if not fitting:
        omitted[name] = (
            "it has no CONNECTION constraint, which defines what it connects"
            if not pairs
            else f"it connects {' and '.join(sorted({n for p in pairs for n in p} - nodes))}"
        )
        return None
    words = name.replace("_", " ").lower()
    own: list[CatalogColumn] = [column for column in columns if column.name]
    texts = [column for column in own if column.type.startswith("NVARCHAR")]
    return EdgeTable(
        name=name,
        pairs=tuple(Pair(from_table=start, to_table=end) for start, end in fitting),
        meaning=words,
        columns=tuple(
            _contract_column(column, "describe its meaning")
            for column in _usable(own, texts, omitted)
        ),
    )


def _preferred(columns: list[CatalogColumn], names: tuple[str, ...]) -> CatalogColumn | None:
    """Return the column with the likeliest name."""
    by_name = {column.name.lower(): column for column in columns}
    return next((by_name[name.lower()] for name in names if name.lower() in by_name), None)
