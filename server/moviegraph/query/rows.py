"""The rows that a tool returns, with what belongs to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from moviegraph.repair.context import Change
    from moviegraph.sql.decision import Output

Key = tuple[str, int]
"""A node: its kind and its id."""


class PathStep(NamedTuple):
    """A node on a path, with the edge table that leads to it; the first node has none."""

    kind: str
    id: int
    name: str
    edge: str | None
    forward: bool | None


RowPaths = tuple[tuple[PathStep, ...], ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """The result of every tool that returns rows (cells as Python values).

    `sql` is a statement that returns the rows, runnable with the same query text, if there is one.
    `extra` holds further members of the result, e.g. `chosen_because`. `paths` are, for each row of
    a traversal, the paths that it shows. `keys` are the nodes among the rows, `lineage` the columns
    of the contract. Rows without an `execution_id` are not recorded.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    truncated: str | None = None
    execution_id: str = ""
    sql: str | None = None
    notes: tuple[str, ...] = ()
    elapsed_ms: float = 0.0
    changes: tuple[Change, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict[str, Any])
    paths: tuple[RowPaths, ...] | None = None
    keys: tuple[Key, ...] = ()
    lineage: tuple[Output, ...] = ()
