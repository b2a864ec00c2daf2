"""The retrieval primitives as one call uses them: each step is recorded with its arguments."""

# ruff: noqa: D102 - GraphReader describes the methods

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from moviegraph.engines.base import Vector
from moviegraph.engines.retrieval_primitives import (
    GraphReader,
    Ids,
    Linked,
    Pairs,
    Ranked,
    SearchFunction,
    Selection,
    Step,
)
from moviegraph.sql.decision import Allowed
from moviegraph.text import plural

if TYPE_CHECKING:
    from moviegraph.sql.match_patterns import Hop

MAX_STEP_CHARS = 300


class RecordedReader(GraphReader):
    """A reader that notes each primitive before it runs.

    Args:
        reader: The reader of the engine.
        note: Records a step, such as `nearest(Movie, 384 numbers, 21)`.
    """

    def __init__(self, reader: GraphReader, note: Callable[[str], None]) -> None:
        self._reader = reader
        self._note_step = note

    def _note(self, name: str, *arguments: Any) -> None:
        texts = [_shown(argument) for argument in arguments if argument is not None]
        self._note_step(f"{name}({', '.join(texts)})"[:MAX_STEP_CHARS])

    def select(
        self,
        kind: str,
        condition: Allowed | None = None,
        excluded: Ids | None = None,
        linked: Sequence[Linked] = (),
    ) -> Selection | None:
        ends = [f"linked to {kind} {_listed(ids)}" for of in linked for kind, ids in of.items()]
        self._note("select", kind, condition, excluded, *ends)
        return self._reader.select(kind, condition, excluded, linked)

    def existing(self, kind: str, ids: Ids) -> Ids:
        self._note("existing", kind, ids)
        return self._reader.existing(kind, ids)

    def only(self, ids: Ids) -> Selection:
        return self._reader.only(ids)

    def has_any(self, kind: str, among: Selection | None) -> bool:
        self._note("has_any", kind, among)
        return self._reader.has_any(kind, among)

    def keep(self, kind: str, ids: Ids, among: Selection | None) -> Ids:
        self._note("keep", kind, ids, among)
        return self._reader.keep(kind, ids, among)

    def nearest(self, kind: str, vector: Vector, k: int, among: Selection | None = None) -> Ranked:
        self._note("nearest", kind, vector, k, among)
        return self._reader.nearest(kind, vector, k, among)

    def matching(
        self,
        kind: str,
        text: str,
        k: int,
        among: Selection | None = None,
        *,
        function: SearchFunction = "CONTAINS",
    ) -> Ranked:
        self._note("matching", kind, text, k, among, function)
        return self._reader.matching(kind, text, k, among, function=function)

    def document_counts(self, kind: str, words: Sequence[str]) -> Mapping[str, int]:
        self._note("document_counts", kind, words)
        return self._reader.document_counts(kind, words)

    def named(self, kind: str, names: Sequence[str]) -> list[tuple[str, int, Step]]:
        self._note("named", kind, names)
        return self._reader.named(kind, names)

    def names(self, kind: str) -> list[tuple[int, str, Step]]:
        self._note("names", kind)
        return self._reader.names(kind)

    def keyed(self, kind: str, keys: Sequence[str]) -> list[tuple[str, int]]:
        """Note and run it."""
        self._note("keyed", kind, keys)
        return self._reader.keyed(kind, keys)

    def aliases(self, kind: str) -> list[tuple[int, str]]:
        self._note("aliases", kind)
        return self._reader.aliases(kind)

    def names_with(self, kind: str, parts: Sequence[str], k: int) -> list[tuple[int, str]]:
        self._note("names_with", kind, parts, k)
        return self._reader.names_with(kind, parts, k)

    def neighbors(self, kind: str, hop: "Hop", ids: Ids, where: Allowed | None = None) -> Pairs:
        self._note("neighbors", kind, hop, ids, where)
        return self._reader.neighbors(kind, hop, ids, where)

    def spread(
        self,
        kind: str,
        hop: "Hop",
        ids: Ids,
        weights: NDArray[np.float64],
        k: int,
        among: Selection | None = None,
        where: Allowed | None = None,
    ) -> Ranked:
        self._note("spread", kind, hop, ids, weights, k, among, where)
        return self._reader.spread(kind, hop, ids, weights, k, among, where)

    def degrees(self, kind: str, ids: Ids) -> dict[str, NDArray[np.int64]]:
        self._note("degrees", kind, ids)
        return self._reader.degrees(kind, ids)

    def rows(self, statement: Allowed, limit: int) -> list[tuple[Any, ...]]:
        self._note("rows", statement, limit)
        return self._reader.rows(statement, limit)

    def fetch(self, kind: str, ids: Ids, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        self._note("fetch", kind, ids, columns)
        return self._reader.fetch(kind, ids, columns)

    def vectors(self, kind: str, ids: Ids) -> Vector:
        self._note("vectors", kind, ids)
        return self._reader.vectors(kind, ids)


def condition_text(condition: Allowed | None) -> str | None:
    """Return the condition of a decision about a `where`, as it was rendered."""
    return condition.sql.partition(" WHERE ")[2] if condition is not None else None


def _listed(ids: Ids) -> str:
    return ", ".join(map(str, ids.tolist()))


def _shown(argument: Any) -> str:
    """Return an argument of a primitive as the record shows it."""
    if isinstance(argument, Allowed):
        return condition_text(argument) or ""
    if isinstance(argument, Selection):
        return "among"
    if isinstance(argument, np.ndarray):
        array = cast("NDArray[Any]", argument)
        return plural(len(array), "id" if array.dtype.kind == "i" else "number")
    return str(argument)
