"""The translated statement, and the side tables that it needs."""

from dataclasses import dataclass, field
from importlib.resources import files

from moviegraph.sql.contains import Condition

MACROS = files("moviegraph.engines.duckdb").joinpath("macros.sql")
MACRO_PREFIX = "tsql_"
CATALOG = "graph"  # as which the file of a graph is attached
EQUAL = "NOCASE"  # the collation of the tables: equal texts are those of `text_rules.DEFAULT`
LENGTH_PARAMETER = "longest"
VALUE_PREFIX = "value_"  # of the parameters of a published statement, by their types


@dataclass(frozen=True, slots=True)
class NodesNeed:
    """An internal query for the ids of some nodes, with the parameters of a plan."""

    sql: str
    vector: bool


@dataclass(frozen=True, slots=True)
class DistanceNeed:
    """The distances from @q to a table's vectors; with `count` only the nearest and their ties."""

    table: str
    metric: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class SearchNeed:
    """The hits of a full-text search: a condition, or free text.

    `count` takes so many of them.
    """

    table: str
    columns: tuple[str, ...]
    condition: Condition | None
    freetext: str = ""
    ranked: bool = False
    count: int | None = None


@dataclass(frozen=True, slots=True)
class PathHop:
    """One step of the repeated unit: tables, and whether the edge is followed forward."""

    edge: str
    forward: bool
    node: str


@dataclass(frozen=True, slots=True)
class PathNeed:
    """The shortest paths of one pattern.

    Attributes:
        start: The node table of the anchor.
        hops: The repeated unit.
        most: How often at most, or None.
        starts: The nodes to start from: a query, the side table of the paths at whose ends these
            begin, or None for all.
        ends: The nodes at which paths of use can end, or None for all.
    """

    start: str
    hops: tuple[PathHop, ...]
    most: int | None
    starts: NodesNeed | str | None = None
    ends: NodesNeed | None = None


@dataclass(frozen=True, slots=True)
class Passed:
    """The nodes that a path passes at one step of its unit, or the edges."""

    step: int
    edges: bool

    @property
    def column(self) -> str:
        """The column of their ids."""
        return f"{'edge' if self.edges else 'node'}{self.step}"


@dataclass(frozen=True, slots=True)
class AlongNeed:
    """What lies along the paths of a side table: a row for each repetition of the unit."""

    paths: str
    passed: tuple[Passed, ...]


Need = DistanceNeed | SearchNeed | PathNeed | AlongNeed


@dataclass(frozen=True, slots=True)
class StatementPlan:
    """DuckDB text and its side tables by name.

    `vector` is whether $q is a parameter of it, `long` whether $longest is one (see `text_rules`).
    """

    sql: str
    needs: tuple[tuple[str, Need], ...]
    vector: bool
    long: bool = False


@dataclass(slots=True)
class Needs:
    """The side tables of a statement under translation; equal needs share one table."""

    names: dict[Need, str] = field(default_factory=dict[Need, str])

    def name(self, need: Need) -> str:
        """Return the name of the side table of a need."""
        return self.names.setdefault(need, f"__side{len(self.names)}")
