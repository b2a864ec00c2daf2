"""The contract as frozen records: tables, columns, edges, limits, glossary, examples."""

import hashlib
import json
import re
from collections import defaultdict
from functools import cached_property
from typing import Annotated, Any, Self, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from moviegraph.contract.column_types import ColumnType, column_type
from moviegraph.contract.published_tools import PublishedTool
from moviegraph.contract.samples import NO_SAMPLES, Samples
from moviegraph.errors import ContractError
from moviegraph.names import closest_names

Identifier = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]


def _as_type(text: str) -> str:
    try:
        column_type(text)
    except ContractError as error:
        raise PydanticCustomError("column_type", "{message}", {"message": error.message}) from None
    return text


TypeName = Annotated[str, AfterValidator(_as_type)]
Strings = Annotated[tuple[str, ...], Field(strict=False)]  # TOML has lists
USUAL_COLUMNS = {"text": "Content", "vector": "Embedding"}
NODE_PSEUDO_COLUMNS = ("$node_id",)
EDGE_PSEUDO_COLUMNS = ("$edge_id", "$from_id", "$to_id")


def _with_names(tables: Any) -> Any:
    """Return tables of TOML, each under its name, as records that include the name."""
    if not isinstance(tables, dict):
        return tables
    records: list[Any] = []
    for name, table in cast("dict[str, Any]", tables).items():
        if isinstance(table, dict) and "name" in table:
            raise PydanticCustomError("named_twice", "remove `name`: the key is the name")
        records.append({"name": name, **table} if isinstance(table, dict) else table)
    return tuple(records)


ByName = BeforeValidator(_with_names)


class FrozenRecord(BaseModel):
    """A frozen record that refuses unknown keys."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True
    )


class TomlRecord(FrozenRecord):
    """A record that contract.toml states; its values have exactly the types of its fields."""

    model_config = ConfigDict(strict=True)


class Column(TomlRecord):
    """One column of a node table or an edge table.

    `type` is the T-SQL type; VECTOR has no dimension, because that belongs to the vector space.
    JSON is NVARCHAR(MAX) that contains an object or a list in JSON. `field` names the column's
    field in JSON Lines; by default the name in lower case.
    """

    name: Identifier
    type: TypeName
    nullable: bool = True
    searchable: bool = False
    description: str = Field(min_length=1)
    field: str | None = Field(default=None, min_length=1)

    @property
    def source_field(self) -> str:
        """Name of the column's field in JSON Lines."""
        return self.field or self.name.lower()

    @property
    def column_type(self) -> ColumnType:
        """The type with its sizes."""
        return column_type(self.type)

    @property
    def is_text(self) -> bool:
        """Whether the column contains text."""
        return self.column_type.is_text

    @property
    def max_chars(self) -> int:
        """How many UTF-16 units a text column may contain, as SQL Server counts."""
        return self.column_type.max_chars


class NodeTable(TomlRecord):
    """A node table: key, name, text and vector columns, and any additional ones.

    `text` and `vector` are None for a kind without such a column: by default the columns Content
    and Embedding, where it has them. `source_key` is the column with the source's own identifier
    as it was written, unique by its exact text; the tools take it like an id.

    A name means one node, unless `named_within` limits that: to the nodes that one of these edges
    points to, or to the node that names it. `common_nouns` are the same in the singular and in the
    plural. `disambiguated_by` is the INT column that distinguishes nodes of one name, as people
    write it after the name (for films: Dune (1984)). `name_suffixes` are words that names of this
    kind may end in, and without which a node is also found. `expected_nodes` is the lowest and
    highest number of nodes, of which `check` warns. `page` is the table's own markdown page.
    """

    name: Identifier
    description: str = Field(min_length=1)
    key: Identifier = "Id"
    label: Identifier = "Name"
    text: Identifier | None = None
    vector: Identifier | None = None
    source_key: Identifier | None = None
    named_within: Annotated[tuple[Identifier, ...] | None, Field(strict=False)] = None
    common_nouns: bool = False
    disambiguated_by: Identifier | None = None
    name_suffixes: Strings = ()
    expected_nodes: Annotated[tuple[int, int] | None, Field(strict=False)] = None
    columns: Annotated[tuple[Column, ...], ByName]
    page: str = ""

    @model_validator(mode="before")
    @classmethod
    def _with_usual_columns(cls, table: Any) -> Any:
        """Take Content for the text and Embedding for the vector, where there are such columns."""
        if not isinstance(table, dict):
            return table
        values = cast("dict[str, Any]", table)
        columns: Any = values.get("columns")
        if not isinstance(columns, dict):
            return values
        return {role: name for role, name in USUAL_COLUMNS.items() if name in columns} | values

    @model_validator(mode="after")
    def _is_range(self) -> Self:
        if self.expected_nodes and not 0 <= self.expected_nodes[0] <= self.expected_nodes[1]:
            raise PydanticCustomError(
                "expected_nodes", "expected_nodes is a lowest and a highest number: [100, 5000]"
            )
        return self

    def column(self, name: str) -> Column | None:
        """Return the column of that name, without regard to case."""
        return _named_column(self.columns, name)

    @cached_property
    def max_label_chars(self) -> int:
        """How many UTF-16 units the name of a node may have."""
        return self._max_chars(self.label)

    @cached_property
    def max_text_chars(self) -> int:
        """How many UTF-16 units the text of a node may have; 0 for a kind without text."""
        return self._max_chars(self.text) if self.text else 0

    def _max_chars(self, name: str) -> int:
        return next(column.max_chars for column in self.columns if column.name == name)

    @property
    def searchable(self) -> tuple[str, ...]:
        """Names of the full-text indexed columns."""
        return tuple(column.name for column in self.columns if column.searchable)

    @property
    def extra(self) -> tuple[Column, ...]:
        """The columns other than key, label, text and vector, in order (for films: ReleaseYear)."""
        usual = {self.key, self.label, self.text, self.vector}
        return tuple(column for column in self.columns if column.name not in usual)


def _named_column(columns: tuple[Column, ...], name: str) -> Column | None:
    return next((column for column in columns if column.name.lower() == name.lower()), None)


class Pair(TomlRecord):
    """Two node tables in the direction of an edge; in TOML a list of both."""

    from_table: Identifier = Field(validation_alias="from")
    to_table: Identifier = Field(validation_alias="to")

    @model_validator(mode="before")
    @classmethod
    def _of_list(cls, tables: Any) -> Any:
        if not isinstance(tables, list):
            return tables
        names = cast("list[Any]", tables)
        if len(names) != len(cls.model_fields):
            raise PydanticCustomError("pair", "expected two node tables: ['A', 'B']")
        return {"from": names[0], "to": names[1]}


class Connection(Pair):
    """One of the pairs of node tables that an edge table connects."""

    name: Identifier
    meaning: str

    @property
    def ends(self) -> set[str]:
        """The names of both node tables; one where they are the same."""
        return {self.from_table, self.to_table}


class EdgeTable(TomlRecord):
    """A directed edge table; it connects one pair of tables or multiple.

    TOML has `from` and `to`, or `connects` with multiple pairs of them. `in_text` lets loading end
    the text of the edge's start with the names of its targets. A table with columns keeps multiple
    edges between two nodes, each with other values; without columns there is at most one.
    """

    name: Identifier
    meaning: str = Field(min_length=1)
    in_text: bool = False
    pairs: Annotated[tuple[Pair, ...], Field(validation_alias="connects", strict=False)]
    columns: Annotated[tuple[Column, ...], ByName] = ()
    page: str = ""

    @model_validator(mode="before")
    @classmethod
    def _read_ends(cls, table: Any) -> Any:
        if not isinstance(table, dict) or "pairs" in table:
            return cast("Any", table)
        values = dict(cast("dict[str, Any]", table))
        ends = {key: values.pop(key) for key in ("from", "to") if key in values}
        if len(ends) != (0 if values.get("connects") else 2):
            raise PydanticCustomError(
                "edge_ends",
                "set `from` and `to`, or, for multiple pairs of tables, only `connects`: "
                "connects = [['A', 'B'], ['C', 'D']]",
            )
        return values | ({"connects": [ends]} if ends else {})

    def column(self, name: str) -> Column | None:
        """Return the column of that name, without regard to case."""
        return _named_column(self.columns, name)

    @property
    def extra(self) -> tuple[Column, ...]:
        """The columns other than both ends, in order."""
        return self.columns

    @property
    def required(self) -> tuple[str, ...]:
        """The columns that every edge needs."""
        return tuple(column.name for column in self.columns if not column.nullable)

    @property
    def connections(self) -> tuple[Connection, ...]:
        """The pairs of node tables, each with the edge's name and meaning."""
        return tuple(
            Connection(name=self.name, meaning=self.meaning, **dict(pair)) for pair in self.pairs
        )


class ContractLimits(TomlRecord):
    """Row limits that the guard and the tools keep."""

    top: int = Field(default=20, ge=1)
    top_expanded: int = Field(default=60, ge=1)
    inner_top: int = Field(default=1000, ge=1)
    hub_cut: int = Field(default=250, ge=2)


class TableWord(TomlRecord):
    """A word that people use for a table: Film for Movie."""

    word: str
    table: Identifier


def _read_words(tables: Any) -> Any:
    if not isinstance(tables, dict):
        return tables
    words = _parse(tables, dict[str, list[str]], "TABLE = ['word', ...]")
    return tuple({"word": word, "table": table} for table in words for word in words[table])


def _parse(value: Any, shape: Any, form: str) -> Any:
    try:
        return TypeAdapter(shape, config=ConfigDict(strict=True)).validate_python(value)
    except ValidationError as error:
        key = ".".join(map(str, error.errors()[0]["loc"]))
        values = {"key": f"{key}: " if key else "", "form": form}
        raise PydanticCustomError("glossary", "{key}expected {form}", values) from None


class Glossary(TomlRecord):
    """Abbreviations, synonyms of tables, and keywords that refer to a table.

    In TOML, synonyms and keywords are TABLE = [words]. An abbreviation in capitals matches only in
    capitals: "LA" is not the "La" of a title. Aliases of nodes are data, not part of a contract.
    """

    abbreviations: dict[str, str] = {}
    tables: Annotated[tuple[TableWord, ...], BeforeValidator(_read_words)] = ()
    keywords: Annotated[tuple[TableWord, ...], BeforeValidator(_read_words)] = ()


class Example(TomlRecord):
    """A few-shot example: a question, the text of @q, the T-SQL, and what it shows."""

    id: Identifier
    question: str = Field(min_length=1)
    query: str | None = Field(default=None, min_length=1)
    shows: tuple[Identifier, ...] = Field(min_length=1)
    sql: str = Field(min_length=1)

    @model_validator(mode="after")
    def _uses_its_query(self) -> Self:
        if (re.search(r"@q\b", self.sql, re.IGNORECASE) is None) != (self.query is None):
            raise PydanticCustomError("query", "set `query` if and only if the statement uses @q")
        return self


class Contract(TomlRecord):
    """The single source from which schema, guard, DDL, prompts and docs derive.

    Node names are unique without regard to case, also against edge names. `language` is that of
    the texts, `not_held` what people may expect and the graph does not contain, in one line.
    `files` are the texts that it was read from, by name; a graph carries them, so that it can be
    served without them. `samples` are records of the graph that is served, for examples.
    """

    name: Identifier
    title: str = Field(min_length=1)
    version: str = Field(min_length=1)
    description: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    schema_name: Identifier = Field(default="dbo", validation_alias="schema")
    language: str = Field(default="en", min_length=2, max_length=40)
    not_held: Annotated[str, AfterValidator(lambda text: " ".join(text.split()))] = Field(
        default="", max_length=300
    )
    nodes: Annotated[tuple[NodeTable, ...], ByName] = Field(min_length=1)
    edges: Annotated[tuple[EdgeTable, ...], ByName] = ()
    limits: ContractLimits = ContractLimits()
    glossary: Glossary = Glossary()
    examples: tuple[Example, ...] = ()
    tools: tuple[PublishedTool, ...] = Field(default=(), exclude=True)
    files: dict[str, str] = Field(default_factory=dict[str, str], exclude=True, repr=False)
    samples: Samples = Field(default=NO_SAMPLES, exclude=True, repr=False)

    def with_samples(self, samples: Samples) -> "Contract":
        """Return the contract of a graph with these samples.

        Without vectors, examples that search by meaning are left out.
        """
        examples = (e for e in self.examples if samples.has_vectors or not e.query)
        return self.model_copy(update={"samples": samples, "examples": tuple(examples)})

    def node(self, name: str) -> NodeTable | None:
        """Return the node table of that name, without regard to case."""
        return next((n for n in self.nodes if n.name.lower() == name.lower()), None)

    def edge(self, name: str) -> EdgeTable | None:
        """Return the edge table of that name, without regard to case."""
        return next((e for e in self.edges if e.name.lower() == name.lower()), None)

    def edges_of(self, node: str) -> tuple[EdgeTable, ...]:
        """Return the edge tables that start or end at a node table."""
        touching = {connection.name for connection in self.connections_of(node)}
        return tuple(edge for edge in self.edges if edge.name in touching)

    @cached_property
    def connections(self) -> tuple[Connection, ...]:
        """Every pair of node tables that an edge table connects, in the order of the edges."""
        return tuple(connection for edge in self.edges for connection in edge.connections)

    def connections_of(self, node: str) -> tuple[Connection, ...]:
        """Return the connections that start or end at a node table."""
        lowered = node.lower()
        return tuple(
            connection
            for connection in self.connections
            if lowered in (connection.from_table.lower(), connection.to_table.lower())
        )

    def targets_from(self, node: str) -> dict[str, tuple[int, Connection]]:
        """Return, by edge table, its pair that starts at a node table, with the index of the pair.

        Edge tables with multiple such pairs are omitted, and those with columns that every edge
        needs.
        """
        targets: dict[str, list[tuple[int, Connection]]] = defaultdict(list)
        for edge in self.edges:
            for index, connection in enumerate(() if edge.required else edge.connections):
                if connection.from_table.lower() == node.lower():
                    targets[edge.name].append((index, connection))
        return {name: pairs[0] for name, pairs in targets.items() if len(pairs) == 1}

    def between(self, first: str, second: str) -> tuple[Connection, ...]:
        """Return the connections of two node tables, in either direction."""
        return tuple(
            connection for connection in self.connections if connection.ends == {first, second}
        )

    @property
    def default_connection(self) -> Connection | None:
        """The connection that examples show: the first that touches the first node table."""
        return next(iter((*self.connections_of(self.nodes[0].name), *self.connections)), None)

    @property
    def nodes_with_vectors(self) -> tuple[NodeTable, ...]:
        """The node tables that have a vector column."""
        return tuple(node for node in self.nodes if node.vector)

    @property
    def nodes_by_meaning(self) -> tuple[NodeTable, ...]:
        """The node tables with vectors in the graph that is served."""
        return self.nodes_with_vectors if self.samples.has_vectors else ()

    @property
    def table_names(self) -> tuple[str, ...]:
        """All table names, nodes first."""
        return tuple(n.name for n in self.nodes) + tuple(e.name for e in self.edges)

    @cached_property
    def hash(self) -> str:
        """Digest of the meaning of the contract, without pages, glossary and examples."""
        meaning = {
            "schema": self.schema_name,
            "nodes": [
                [n.name, n.key, n.label, n.text, n.vector]
                + [n.source_key] * bool(n.source_key)
                + [[c.name, c.type, c.nullable, c.searchable] for c in n.columns]
                for n in self.nodes
            ],
            "edges": [
                [e.name, *(name for pair in e.pairs for name in (pair.from_table, pair.to_table))]
                + [[c.name, c.type, c.nullable] for c in e.columns]
                for e in self.edges
            ],
        }
        return hashlib.sha256(json.dumps(meaning).encode()).hexdigest()[:16]


def suggestion(name: str, names: tuple[str, ...], label: str = "known") -> str:
    """Return the advice for an unknown name: the nearest known one, or all."""
    close = closest_names(name, names, 1)
    return f"did you mean '{close[0]}'?" if close else f"{label}: {', '.join(names)}"
