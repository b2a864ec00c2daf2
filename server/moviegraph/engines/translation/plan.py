"""A rewritten statement: the DuckDB text, and what must be registered beside it."""

from dataclasses import dataclass, field

from moviegraph.sql.conditions import Condition


@dataclass(frozen=True, slots=True)
class DistanceNeed:
    """The distances from @q to a table's vectors; with `count` only the nearest and their ties."""

    table: str
    metric: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class SearchNeed:
    """The hits of a full-text search: a condition, or free text."""

    table: str
    columns: tuple[str, ...]
    condition: Condition | None
    freetext: str = ""
    ranked: bool = False
    count: int | None = None


Need = DistanceNeed | SearchNeed


@dataclass(frozen=True, slots=True)
class Plan:
    """DuckDB text and its side tables by name.

    `vector` says that $q is a parameter of it, `paired` that $pulse is one (`pulses` says why).
    """

    sql: str
    needs: tuple[tuple[str, Need], ...]
    vector: bool
    paired: bool = False


@dataclass(slots=True)
class Needs:
    """The side tables of a statement under translation; equal needs share one table."""

    names: dict[Need, str] = field(default_factory=dict[Need, str])

    def name(self, need: Need) -> str:
        """Return the name of the side table of a need."""
        return self.names.setdefault(need, f"__side{len(self.names)}")
