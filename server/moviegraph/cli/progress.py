"""Progress of a long step on standard error: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from moviegraph.cli.streams import complain

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

Progress = Callable[[str, int, int], None]
LINES = 10


@contextmanager
def shown_progress() -> Generator[Progress]:
    """Give what to call with stage, done and total."""
    if not sys.stderr.isatty():
        yield Lines().show
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description:<16}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(compact=True),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        yield _Drawn(bars).show


class Lines:
    """A line for each tenth of a stage."""

    def __init__(self) -> None:
        self._stage = ""
        self._tenth = 0

    def show(self, stage: str, done: int, total: int) -> None:
        """Write a line where a tenth is full, or a stage begins."""
        tenth = LINES * done // total if total else LINES
        if (stage, tenth) == (self._stage, self._tenth):
            return
        self._stage, self._tenth = stage, tenth
        complain(f"{stage}: {100 * tenth // LINES} %")


class _Drawn:
    """A bar for each stage."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._tasks: dict[str, object] = {}

    def show(self, stage: str, done: int, total: int) -> None:
        task = self._tasks.get(stage)
        if task is None:
            task = self._tasks[stage] = self._bars.add_task(stage, total=total)
        self._bars.update(task, completed=done, total=total)  # pyright: ignore[reportArgumentType]
