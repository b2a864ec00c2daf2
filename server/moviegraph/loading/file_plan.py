"""Which file of a source is read as what: JSON Lines of a graph, a table of nodes, one of edges."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from moviegraph.contract.model import Contract
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ColumnMap, require_fitting
from moviegraph.loading.mapped_edges import MappedEdges
from moviegraph.loading.mapped_rows import MappedRows
from moviegraph.loading.source import is_lines_file

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class FilePlan:
    """The files of a source by what they hold; `left_out` are those that a map does not name."""

    lines: list[Path] = field(default_factory=list[Path])
    nodes: list[tuple[Path, MappedRows]] = field(default_factory=list[tuple[Path, MappedRows]])
    edges: list[tuple[Path, MappedEdges]] = field(default_factory=list[tuple[Path, MappedEdges]])
    left_out: list[str] = field(default_factory=list[str])


def file_plan(files: list[Path], columns: ColumnMap | None, contract: Contract) -> FilePlan:
    """Sort the files of a source; without a map, tables go by equal names.

    Raises:
        SourceError: The map does not fit the contract, or names files that are not there.
    """
    plan = FilePlan()
    if columns is not None:
        require_fitting(columns, contract)
    if columns is not None and columns.files:
        _sort_by_name(plan, files, columns, contract)
        return plan
    plan.lines.extend(each for each in files if columns is None and is_lines_file(each))
    if tables := [each for each in files if each not in plan.lines]:
        _add(plan, tables, columns or ColumnMap(), contract)
    return plan


def shifted_sizes(
    files: list[Path], stage: str, progress: Progress
) -> Iterator[tuple[Path, Callable[[int], None]]]:
    """Yield each file with what to call with the bytes of it that are read."""
    sizes = [path.stat().st_size for path in files]
    total, before = sum(sizes), 0
    for path, size in zip(files, sizes, strict=True):
        progress(stage, before, total)
        yield path, lambda done, before=before: progress(stage, before + done, total)
        before += size
    progress(stage, total, total)


def _sort_by_name(
    plan: FilePlan, files: list[Path], columns: ColumnMap, contract: Contract
) -> None:
    found: dict[str, list[Path]] = {pattern: [] for pattern in columns.files}
    for path in files:
        if (pattern := columns.pattern(path.name)) is not None:
            found[pattern].append(path)
        elif is_lines_file(path):
            plan.lines.append(path)
        else:
            plan.left_out.append(path.name)
    for pattern, paths in found.items():
        if not paths:
            names = ", ".join(path.name for path in files[:20])
            raise SourceError(
                f"The column map contains files.{pattern!r}, but no file matches it.",
                hint=f"Files: {names}. The first pattern that matches a name is used.",
            )
        _add(plan, paths, columns.under(pattern), contract)


def _add(plan: FilePlan, paths: list[Path], columns: ColumnMap, contract: Contract) -> None:
    if columns.edge:
        edges = MappedEdges(columns, contract)
        plan.edges.extend((path, edges) for path in paths)
    else:
        rows = MappedRows(columns, contract)
        plan.nodes.extend((path, rows) for path in paths)
