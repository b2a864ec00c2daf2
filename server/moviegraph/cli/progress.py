"""Progress of a long step on standard error: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from moviegraph.cli.streams import complain

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

Progress = Callable[[str, int, int], None]
PAUSE = 10.0


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
    """A line for each stage, and one more whenever some seconds have passed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._stage = ""
        self._due = 0.0

    def show(self, stage: str, done: int, total: int) -> None:
        """Write a line if one is due."""
        now = self._clock()
        if stage == self._stage and now < self._due:
            return
        part = f": {100 * done // total} %" if stage == self._stage and total else ""
        complain(f"{stage}{part}")
        self._stage, self._due = stage, now + PAUSE


class _Drawn:
    """A bar for each stage."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}

    def show(self, stage: str, done: int, total: int) -> None:
        if stage not in self._tasks:
            self._tasks[stage] = self._bars.add_task(stage, total=total)
        self._bars.update(self._tasks[stage], completed=done, total=total)
