"""Waits until the server's full-text indexes have caught up with what was loaded."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from moviegraph.engines.embedded.graph_builder import Progress

STAGE = "Indexing words"
# TableFulltextPopulateStatus: at rest, or only watching for changes (4); 6 is an error.
AT_REST = frozenset({0, 4, 6})
BROKEN = 6
States = Mapping[str, tuple[int, int] | None]


@dataclass(frozen=True, slots=True)
class FulltextWait:
    """How long and how often to ask.

    Attributes:
        seconds: When to stop waiting; the server goes on by itself.
        interval: Seconds between two questions, at first and at most; it doubles.
        clock: Tells the time in seconds.
        pause: Waits some seconds.
    """

    seconds: float = 900.0
    interval: tuple[float, float] = (0.5, 8.0)
    clock: Callable[[], float] = time.monotonic
    pause: Callable[[float], None] = time.sleep

    def until_searchable(self, ask: Callable[[], States], progress: Progress) -> tuple[str, ...]:
        """Return what the operator should know when the waiting is over; nothing if all is well.

        Args:
            ask: Gives status and pending changes of each table; None where there is no index.
            progress: Called with stage, done and total.
        """
        end = self.clock() + self.seconds
        wait, longest = self.interval
        while busy := _busy(states := ask()):
            progress(STAGE, len(states) - len(busy), len(states))
            if self.clock() + wait > end:
                return (_unfinished(busy),)
            self.pause(wait)
            wait = min(wait * 2, longest)
        progress(STAGE, len(states), len(states))
        return tuple(_notes(states))


def _busy(states: States) -> list[str]:
    return [
        name for name, state in states.items() if state and (state[0] not in AT_REST or state[1])
    ]


def _unfinished(busy: list[str]) -> str:
    return (
        f"Full text is still being indexed in {', '.join(busy)}; full-text search is "
        "complete when the server has finished."
    )


def _notes(states: States) -> list[str]:
    notes: list[str] = []
    without = [name for name, state in states.items() if state is None]
    broken = [name for name, state in states.items() if state and state[0] == BROKEN]
    if without:
        notes.append(
            f"No full-text index on {', '.join(without)}: CONTAINS and FREETEXT fail there. "
            "Install full text on the server, and run the script of `moviegraph ddl` again."
        )
    if broken:
        notes.append(
            f"The full-text index of {', '.join(broken)} reports an error. Read the server's "
            "crawl log."
        )
    return notes
