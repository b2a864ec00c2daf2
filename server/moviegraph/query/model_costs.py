"""What requests to language models cost one call."""

import threading

from moviegraph.journal.execution_records import ModelCost

COUNTED = ("calls", "prompt_tokens", "completion_tokens", "untold")


class Ledger:
    """The costs of models in one call, filled by its threads.

    They wait under the statement or question that a model was asked about, until the execution of
    that is recorded: a cost is charged to the one record it belongs to.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, list[ModelCost]] = {}
        self.costs: list[ModelCost] = []

    def add(self, about: str, cost: ModelCost) -> None:
        """Add what a request about a text cost."""
        with self._lock:
            self._waiting.setdefault(about, []).append(cost)
            self.costs.append(cost)

    def take(self, about: str | None = None) -> tuple[ModelCost, ...]:
        """Charge the costs of a text, or of all texts, that are not charged yet; return them."""
        with self._lock:
            keys = list(self._waiting) if about is None else [about]
            return summed([cost for key in keys for cost in self._waiting.pop(key, ())])

    @property
    def total(self) -> tuple[ModelCost, ...]:
        """All costs of the call."""
        with self._lock:
            return summed(self.costs)


def summed(costs: list[ModelCost]) -> tuple[ModelCost, ...]:
    """Return one cost for each stage, model and purpose."""
    sums: dict[tuple[str, str | None, str], ModelCost] = {}
    for cost in costs:
        key = (cost.by, cost.model, cost.purpose)
        if key in sums:
            counts = {name: getattr(sums[key], name) + getattr(cost, name) for name in COUNTED}
            cost = cost.model_copy(update=counts)
        sums[key] = cost
    return tuple(sums.values())
