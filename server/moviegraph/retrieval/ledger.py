"""What one call leaves behind: what models cost it and drafted in vain, and whether it is known."""

import threading

from moviegraph.journal.execution_records import Attempt, ModelCost


class Ledger:
    """Filled by the threads of a call; a cost is charged to the one record it belongs to.

    Costs wait under the statement or question that a model was asked about, until the execution of
    that is recorded.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, list[ModelCost]] = {}
        self._all: list[ModelCost] = []
        self._rejected: dict[str, list[Attempt]] = {}
        self.recorded = False

    def add(self, about: str, cost: ModelCost) -> None:
        """Note what a model was asked about a text."""
        with self._lock:
            self._waiting.setdefault(about, []).append(cost)
            self._all.append(cost)

    def waits(self, about: str) -> bool:
        """Whether nobody was charged yet with something asked about a text."""
        with self._lock:
            return about in self._waiting

    def take(self, about: str) -> tuple[ModelCost, ...]:
        """Return what nobody was charged with yet for a text, and charge it."""
        with self._lock:
            return summed(self._waiting.pop(about, []))

    def take_all(self) -> tuple[ModelCost, ...]:
        """Return what nobody was charged with yet, and charge it."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
            return summed([cost for costs in waiting.values() for cost in costs])

    def reject(self, about: str, drafts: list[Attempt]) -> None:
        """Note what a model drafted in vain for a statement, before another model is asked."""
        if drafts:
            with self._lock:
                self._rejected[about] = list(drafts)

    def take_rejected(self, about: str) -> list[Attempt]:
        """Return what no record tells yet of drafts in vain for a statement."""
        with self._lock:
            return self._rejected.pop(about, [])

    def take_all_rejected(self) -> tuple[Attempt, ...]:
        """Return what no record tells yet of drafts in vain."""
        with self._lock:
            waiting, self._rejected = self._rejected, {}
            return tuple(draft for drafts in waiting.values() for draft in drafts)

    @property
    def total(self) -> tuple[ModelCost, ...]:
        """All costs of the call."""
        with self._lock:
            return summed(self._all)


def summed(costs: list[ModelCost]) -> tuple[ModelCost, ...]:
    """Return one cost for each rung, model and purpose."""
    found: dict[tuple[str, str | None, str], ModelCost] = {}
    for each in costs:
        key = (each.by, each.model, each.purpose)
        found[key] = _plus(found[key], each) if key in found else each
    return tuple(found.values())


def _plus(one: ModelCost, other: ModelCost) -> ModelCost:
    counted = ("calls", "prompt_tokens", "completion_tokens", "untold")
    return one.model_copy(
        update={name: getattr(one, name) + getattr(other, name) for name in counted}
    )
