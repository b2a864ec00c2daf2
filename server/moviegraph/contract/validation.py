"""Cross-checks of a contract, and reserved words."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

from moviegraph.contract.column_types import MAX_KEY_CHARS
from moviegraph.contract.model import Contract, EdgeTable, NodeTable, suggestion

SOURCE = "contract.toml"
ROLE_TYPES = {
    "key": ("INT", "BIGINT"),
    "label": ("NVARCHAR",),
    "text": ("NVARCHAR",),
    "vector": ("VECTOR",),
    "source_key": ("NVARCHAR",),
}
REQUIRED = ("key", "label", "source_key")
EDGE_FIELDS = ("kind", "from", "to", "from_kind", "to_kind")
Item = TypeVar("Item", bound=Hashable)
Problem = tuple[str, str]  # the key, and what contradicts it


def find_problems(contract: Contract) -> Iterator[str]:
    """Yield each contradiction as a message that begins with file and key."""
    for key, problem in _problems(contract):
        yield f"{SOURCE}: {key}: {problem}"
    for name in _repeated(example.id.lower() for example in contract.examples):
        yield f"examples/{name}.sql: two examples have the id '{name}'"


def _problems(contract: Contract) -> Iterator[Problem]:
    tables = {f"nodes.{node.name}": node.name for node in contract.nodes}
    tables |= {f"edges.{edge.name}": edge.name for edge in contract.edges}
    yield from _names(tables)
    for key, name in tables.items():
        if name.upper() in UNRESERVED_STATEMENTS:
            yield key, f"'{name}' begins a statement of T-SQL; choose a different name"
    for node in contract.nodes:
        yield from _roles(node)
        yield from _columns(node)
        yield from _distinction(node, contract)
    yield from _edges(contract)
    yield from _limits(contract)
    yield from _glossary(contract)


def _names(names: Mapping[str, str]) -> Iterator[Problem]:
    keys: dict[str, list[str]] = defaultdict(list)
    for key, name in names.items():
        keys[name.lower()].append(key)
        if name.upper() in RESERVED:
            yield key, f"'{name}' is a reserved word of T-SQL; choose a different name"
    for first, *others in keys.values():
        if others:
            yield others[-1], f"the name differs from {first} at most by case"


def _unknown(key: str, name: str, names: Iterable[str], subject: str) -> Iterator[Problem]:
    candidates = tuple(names)
    if name not in candidates:
        yield key, f"no {subject} '{name}'; {suggestion(name, candidates)}"


def _columns(node: NodeTable) -> Iterator[Problem]:
    columns = f"nodes.{node.name}.columns"
    yield from _names({f"{columns}.{column.name}": column.name for column in node.columns})
    for column in node.columns:
        key = f"{columns}.{column.name}"
        if column.searchable and not column.is_text:
            problem = f"only NVARCHAR columns can be searchable, not {column.type}"
            yield f"{key}.searchable", problem
        if column.type == "VECTOR" and column.name != node.vector:
            only = f"only the column `{node.vector}` can be" if node.vector else "set `vector` to a"
            yield f"{key}.type", f"{only} VECTOR"
    if not node.searchable:
        yield columns, "no column is searchable; full-text search needs one"


def _roles(node: NodeTable) -> Iterator[Problem]:
    columns = {column.name: column for column in node.columns}
    for role, expected in ROLE_TYPES.items():
        name: str | None = getattr(node, role)
        key = f"nodes.{node.name}.{role}"
        if name is None:
            continue
        yield from _unknown(key, name, columns, "column")
        column = columns.get(name)
        if column and column.column_type.name not in expected:
            yield key, f"column '{name}' must be {' or '.join(expected)}, not {column.type}"
        elif column and role in REQUIRED and column.nullable:
            yield key, f"column '{name}' must have nullable = false"
        elif column and role == "source_key" and column.max_chars > MAX_KEY_CHARS:
            yield key, f"column '{name}' must be NVARCHAR of at most {MAX_KEY_CHARS}"
    names = [getattr(node, role) for role in ROLE_TYPES if getattr(node, role)]
    for name in _repeated(names):
        yield f"nodes.{node.name}", f"column '{name}' has two roles; use one column for each"


def _distinction(node: NodeTable, contract: Contract) -> Iterator[Problem]:
    edges = [edge.name for edge in contract.edges]
    for name in node.named_within or ():
        yield from _unknown(f"nodes.{node.name}.named_within", name, edges, "edge table")
    if name := node.disambiguated_by:
        key = f"nodes.{node.name}.disambiguated_by"
        types = {column.name: column.type for column in node.extra}
        yield from _unknown(key, name, types, "additional column")
        if types.get(name, "INT") not in {"INT", "BIGINT"}:
            yield key, f"column '{name}' must be INT or BIGINT, not {types[name]}"


def _edges(contract: Contract) -> Iterator[Problem]:
    nodes = [node.name for node in contract.nodes]
    for edge in contract.edges:
        key = f"edges.{edge.name}"
        for pair in edge.pairs:
            for end, name in (("from", pair.from_table), ("to", pair.to_table)):
                end_key = f"{key}.{'connects' if len(edge.pairs) > 1 else end}"
                yield from _unknown(end_key, name, nodes, "node table")
        for start, end in _repeated((pair.from_table, pair.to_table) for pair in edge.pairs):
            yield f"{key}.connects", f"duplicate pair {start} to {end}"
        yield from _edge_columns(f"{key}.columns", edge)


def _edge_columns(key: str, edge: EdgeTable) -> Iterator[Problem]:
    yield from _names({f"{key}.{column.name}": column.name for column in edge.columns})
    for column in edge.columns:
        if column.type == "VECTOR":
            yield f"{key}.{column.name}.type", "only a node table can have a VECTOR"
        if column.searchable:
            yield f"{key}.{column.name}.searchable", "only columns of nodes can be searchable"
        if (field := column.source_field.lower()) in EDGE_FIELDS:
            problem = f"an edge line has the member {field} already; set a different `field`"
            yield f"{key}.{column.name}", problem


def _limits(contract: Contract) -> Iterator[Problem]:
    limits = contract.limits
    if limits.top > limits.top_expanded:
        yield "limits.top", f"{limits.top} exceeds top_expanded, {limits.top_expanded}"
    if limits.top_expanded > limits.inner_top:
        yield "limits.top_expanded", f"{limits.top_expanded} exceeds inner_top, {limits.inner_top}"


def _glossary(contract: Contract) -> Iterator[Problem]:
    glossary, tables = contract.glossary, contract.table_names
    for key, words in (("keywords", glossary.keywords), ("tables", glossary.tables)):
        for table in dict.fromkeys(word.table for word in words):
            yield from _unknown(f"glossary.{key}.{table}", table, tables, "table")
    lowercase = {table.lower() for table in tables}
    for synonym in glossary.tables:
        if synonym.word.lower() in lowercase:
            yield f"glossary.tables.{synonym.table}", f"'{synonym.word}' is itself a table"


def _repeated(items: Iterable[Item]) -> list[Item]:
    return [item for item, count in Counter(items).items() if count > 1]


# Not reserved, and yet each begins a statement.
UNRESERVED_STATEMENTS = frozenset({"THROW", "ENABLE", "DISABLE", "SEND", "RECEIVE", "MOVE"})
RESERVED = frozenset(
    """
    ADD ALL ALTER AND ANY AS ASC AUTHORIZATION BACKUP BEGIN BETWEEN BREAK BROWSE BULK BY CASCADE
    CASE CHECK CHECKPOINT CLOSE CLUSTERED COALESCE COLLATE COLUMN COMMIT COMPUTE CONSTRAINT
    CONTAINS CONTAINSTABLE CONTINUE CONVERT CREATE CROSS CURRENT CURRENT_DATE CURRENT_TIME
    CURRENT_TIMESTAMP CURRENT_USER CURSOR DATABASE DBCC DEALLOCATE DECLARE DEFAULT DELETE DENY
    DESC DISK DISTINCT DISTRIBUTED DOUBLE DROP DUMP ELSE END ERRLVL ESCAPE EXCEPT EXEC EXECUTE
    EXISTS EXIT EXTERNAL FETCH FILE FILLFACTOR FOR FOREIGN FREETEXT FREETEXTTABLE FROM FULL
    FUNCTION GOTO GRANT GROUP HAVING HOLDLOCK IDENTITY IDENTITYCOL IDENTITY_INSERT IF IN INDEX
    INNER INSERT INTERSECT INTO IS JOIN KEY KILL LEFT LIKE LINENO LOAD MERGE NATIONAL NOCHECK
    NONCLUSTERED NOT NULL NULLIF OF OFF OFFSETS ON OPEN OPENDATASOURCE OPENQUERY OPENROWSET
    OPENXML OPTION OR ORDER OUTER OVER PERCENT PIVOT PLAN PRECISION PRIMARY PRINT PROC PROCEDURE
    PUBLIC RAISERROR READ READTEXT RECONFIGURE REFERENCES REPLICATION RESTORE RESTRICT RETURN
    REVERT REVOKE RIGHT ROLLBACK ROWCOUNT ROWGUIDCOL RULE SAVE SCHEMA SECURITYAUDIT SELECT
    SEMANTICKEYPHRASETABLE SEMANTICSIMILARITYDETAILSTABLE SEMANTICSIMILARITYTABLE SESSION_USER
    SET SETUSER SHUTDOWN SOME STATISTICS SYSTEM_USER TABLE TABLESAMPLE TEXTSIZE THEN TO TOP TRAN
    TRANSACTION TRIGGER TRUNCATE TRY_CONVERT TSEQUAL UNION UNIQUE UNPIVOT UPDATE UPDATETEXT USE
    USER VALUES VARYING VIEW WAITFOR WHEN WHERE WHILE WITH WITHIN WRITETEXT
    """.split()
)
