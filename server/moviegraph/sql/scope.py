"""What is visible where: fields of a source, sources of a FROM, and the scopes around it."""

from dataclasses import dataclass, field
from typing import Literal

from moviegraph.contract.model import (
    EDGE_PSEUDO_COLUMNS,
    NODE_PSEUDO_COLUMNS,
    EdgeTable,
    NodeTable,
)
from moviegraph.sql.kinds import Kind, settled
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.types import declared_kind

MAX_DERIVED = 4
MAX_SOURCES = 10
MAX_ON_PATHS = 16
SourceKind = Literal["node", "edge", "derived"]


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a source: its T-SQL type, and the contract column it carries unchanged.

    `kind` is the type with its sizes, where these are known.
    """

    name: str
    type: str
    table: str | None = None
    column: str | None = None
    kind: Kind | None = None


@dataclass(slots=True)
class Source:
    """One item of a FROM.

    Attributes:
        alias: The name that columns use.
        fields: Fields by lower-case name.
        table: The contract table, for a base table.
        bounded: Whether it holds a handful of rows by construction.
        held: Whether what it holds hangs on a literal, or is cut by TOP.
        joined: Whether it takes part in JOIN or APPLY, rather than standing between commas.
        tied: Aliases of the same FROM that a correlated APPLY refers to.
        path: Whether it is FOR PATH: the rows that a path passes, in their order.
    """

    alias: str
    kind: SourceKind
    fields: dict[str, Field]
    table: str | None = None
    bounded: bool = False
    held: bool = False
    joined: bool = False
    tied: set[str] = field(default_factory=set[str])
    path: bool = False

    @property
    def visible(self) -> list[Field]:
        """The fields that `*` stands for."""
        return [f for f in self.fields.values() if f.type not in ("VECTOR", "NODE_ID")]


@dataclass(slots=True)
class Scope:
    """The sources of one SELECT, the scope around it, and the aliases of its select list."""

    outer: "Scope | None" = None
    sources: dict[str, Source] = field(default_factory=dict[str, Source])
    touched: set[str] = field(default_factory=set[str])
    aliases: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()

    def names(self) -> tuple[str, ...]:
        """Return the aliases visible here, inner ones first."""
        found: list[str] = []
        scope: Scope | None = self
        while scope is not None:
            found.extend(source.alias for source in scope.sources.values())
            scope = scope.outer
        return tuple(found)

    def only(self, aliases: set[str]) -> "Scope":
        """Return the scope in which just some of the sources are visible."""
        kept = {key: source for key, source in self.sources.items() if key in aliases}
        hidden = frozenset(self.sources) - frozenset(kept)
        return Scope(self.outer, kept, self.touched, self.aliases, hidden)


def base_source(table: NodeTable | EdgeTable, alias: str) -> Source:
    """Return a contract table as a source."""
    if isinstance(table, NodeTable):
        fields = {
            c.name.lower(): Field(
                c.name, base_type(c.type), table.name, c.name, declared_kind(c.type)
            )
            for c in table.columns
        }
        pseudo, kind = NODE_PSEUDO_COLUMNS, "node"
    else:
        fields, pseudo, kind = dict[str, Field](), EDGE_PSEUDO_COLUMNS, "edge"
    fields |= {name: Field(name, "NODE_ID", table.name, name) for name in pseudo}
    return Source(alias, "node" if kind == "node" else "edge", fields, table.name)


def typed(name: str, kind: Kind, table: str | None = None, column: str | None = None) -> Field:
    """Return a field of a type with its sizes."""
    return Field(name, kind.family, table, column, settled(kind))


def add_source(scope: Scope, source: Source) -> None:
    """Add an item of the FROM. Raises RefusalError where its alias is taken."""
    key = source.alias.lower()
    if key in scope.sources:
        raise RefusalError(
            "syntax", f"The alias {source.alias} stands twice in FROM; give each its own."
        )
    scope.sources[key] = source


def base_type(declared: str) -> str:
    """Return a type without its length: NVARCHAR(200) is NVARCHAR."""
    return declared.split("(")[0]


def check_sizes(scope: Scope) -> None:
    """Refuse a FROM of too many tables. Raises RefusalError."""
    sources = scope.sources.values()
    nested = sum(source.kind == "derived" for source in sources)
    on_paths = sum(source.path for source in sources)
    if len(sources) - on_paths > MAX_SOURCES or nested > MAX_SOURCES - MAX_DERIVED:
        raise RefusalError(
            "too_large",
            f"One FROM holds at most {MAX_SOURCES} tables, {MAX_SOURCES - MAX_DERIVED} of them "
            "derived; run the statement in steps.",
        )
    if on_paths > MAX_ON_PATHS:
        raise RefusalError(
            "too_large",
            f"One FROM holds at most {MAX_ON_PATHS} tables FOR PATH; run the statement in steps.",
        )
