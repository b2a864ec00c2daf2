"""Facts that a load states about its data: losses, counts and ranges."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from moviegraph.contract.samples import NO_SAMPLES, Samples

MAX_LISTED = 5
Of = Literal["from", "to"]
Range = tuple[str, str]


def _shortened(items: list[str]) -> str:
    more = len(items) - MAX_LISTED
    return ", ".join([*items[:MAX_LISTED], *([f"and {more} more"] if more > 0 else [])])


@dataclass(frozen=True, slots=True)
class Losses:
    """What of a source is not in the graph, as `load` counted it.

    Attributes:
        records: Rejected records by reason.
        cells: By node table and column, the cells that could not be read and are NULL.
        columns: By file or table of the source, its columns that were left out, with the reason.
    """

    records: Mapping[str, int] = field(default_factory=dict[str, int])
    cells: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, dict[str, int]])
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, dict[str, str]])

    def __bool__(self) -> bool:
        """Return whether anything was lost."""
        return bool(self.records or self.cells or self.columns)

    @property
    def described(self) -> list[str]:
        """What was lost, in a line for each sort: records, cells and columns."""
        lines: list[str] = []
        if self.records:
            commonest = sorted(self.records.items(), key=lambda item: (-item[1], item[0]))
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in commonest)
            lines.append(f"{sum(self.records.values()):,} records rejected ({reasons})")
        if self.cells:
            cells = [
                f"{kind}.{column} {count:,}"
                for kind, columns in self.cells.items()
                for column, count in columns.items()
            ]
            lines.append(f"unreadable cells, now NULL: {_shortened(cells)}")
        if self.columns:
            columns = [
                f"{column} of {source} ({reason})"
                for source, left_out in self.columns.items()
                for column, reason in left_out.items()
            ]
            lines.append(f"columns left out: {_shortened(columns)}")
        return lines


@dataclass(frozen=True, slots=True)
class EdgeCounts:
    """How many edges of a table, between one pair of node tables, the nodes at one end have.

    Attributes:
        edge: The edge table.
        from_table: Where the edges of the pair start.
        to_table: Where they end.
        of: Whose edges are counted: those of the nodes at the start or at the end.
        least: Edges of the node that has the fewest.
        most: Edges of the node that has the most.
        mean: Edges per node, to two digits.
        without: Nodes without such an edge.
    """

    edge: str
    from_table: str
    to_table: str
    of: Of
    least: int
    most: int
    mean: float
    without: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts and ranges of the data, computed by the load; no file of the contract states them.

    Attributes:
        edges: For each pair of an edge table, the edges of the nodes at either end.
        ranges: By node table and column, the least and greatest date or number, as text.
        samples: Nodes that examples for clients name.
    """

    edges: tuple[EdgeCounts, ...] = ()
    ranges: Mapping[str, Mapping[str, Range]] = field(default_factory=dict[str, dict[str, Range]])
    samples: Samples = NO_SAMPLES

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Return the statistics that `asdict` made, after JSON."""
        return cls(
            tuple(EdgeCounts(**counts) for counts in record["edges"]),
            {
                kind: {name: (least, most) for name, (least, most) in columns.items()}
                for kind, columns in record["ranges"].items()
            },
            Samples.from_record(record["samples"]),
        )


NO_LOSSES = Losses()
NO_STATISTICS = Statistics()
