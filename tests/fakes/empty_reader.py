"""The retrieval primitives of a graph without nodes."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from moviegraph.engines.base import Budget
from moviegraph.engines.retrieval_primitives import Ids, Pairs, Ranked, SelectedIds, Selection

NONE: Ids = np.zeros(0, dtype=np.int64)


class EmptyReader:
    """Implements `GraphReader`; finds nothing."""

    def __init__(self, budget: Budget) -> None:
        budget.cancellation.check()

    def select(self, *arguments: Any) -> Selection | None:
        return None

    def existing(self, kind: str, ids: Ids) -> Ids:
        return NONE

    def only(self, ids: Ids) -> Selection:
        return SelectedIds(ids)

    def has_any(self, kind: str, among: Selection | None) -> bool:
        return False

    def keep(self, kind: str, ids: Ids, among: Selection | None) -> Ids:
        return NONE

    def nearest(self, *arguments: Any) -> Ranked:
        return Ranked(NONE, np.zeros(0))

    def matching(self, *arguments: Any, **keywords: Any) -> Ranked:
        return Ranked(NONE, np.zeros(0))

    def document_counts(self, kind: str, words: Sequence[str]) -> dict[str, int]:
        return dict.fromkeys(words, 0)

    def named(self, kind: str, names: Sequence[str]) -> list[Any]:
        return []

    def names(self, kind: str) -> list[Any]:
        return []

    def keyed(self, kind: str, keys: Sequence[str]) -> list[tuple[str, int]]:
        return []

    def aliases(self, kind: str) -> list[Any]:
        return []

    def names_with(self, kind: str, parts: Sequence[str], k: int) -> list[tuple[int, str]]:
        return []

    def neighbors(self, *arguments: Any) -> Pairs:
        return Pairs(NONE, NONE)

    def spread(self, *arguments: Any) -> Ranked:
        return Ranked(NONE, np.zeros(0))

    def degrees(self, kind: str, ids: Ids) -> dict[str, Ids]:
        return {}

    def fetch(self, kind: str, ids: Ids, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        return []

    def vectors(self, kind: str, ids: Ids) -> Any:
        return np.zeros((0, 0), dtype=np.float32)


@contextmanager
def empty_reader(budget: Budget) -> Generator[EmptyReader]:
    """Return the reader, within a budget."""
    yield EmptyReader(budget)
