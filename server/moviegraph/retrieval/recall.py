"""Finds an earlier winning strategy for a similar question; what is recalled is run afresh.

An earlier question counts as similar when its meaning is near (cosine of the embedder's vectors)
and when it asks exactly the same numbers, names, filters and exclusions (`asked`). Recall sees the
owner's own executions, and only those over the very data that are served now.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, TypeVar

from moviegraph.errors import MoviegraphError
from moviegraph.journal.records import Execution, Winner
from moviegraph.retrieval.asked import Asked, asked
from moviegraph.retrieval.normalising import normalise, today
from moviegraph.retrieval.session import Call, Session

if TYPE_CHECKING:
    from moviegraph.embeddings.base import Vector

Item = TypeVar("Item")

SIMILAR, SAME_WORDS = 0.8, 0.6
"""Least cosine of two questions, and of two that differ in light words alone ("films", "list").

Measured on the table in tests/fakes/paraphrases.py.
"""

MOST_REMEMBERED = 500
SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Recalled:
    """An earlier execution, and how near its question is: 1.0 for the same one."""

    execution: Execution
    likeness: float


@dataclass(frozen=True, slots=True)
class _Known:
    """An earlier question as recall compares it."""

    winner: Winner
    normalised: str
    asked: Asked


def recall(session: Session, call: Call, question: str) -> Recalled | None:
    """Return the best execution of the most similar earlier question, or None.

    A caller that does not want it says so (`Call.recall`).
    """
    if not call.recall:
        return None
    content = session.engine.describe().content_hash
    day = today(session)
    wanted = _known(session, Winner(question, "", 0.0), day)
    deadline = time.monotonic() + SECONDS
    winners = session.journal.winners(call.owner, content, MOST_REMEMBERED)
    known = list(_before(deadline, (_known(session, each, day) for each in winners)))
    same = [each for each in known if each.normalised == wanted.normalised]
    near = _ranked(same, 1.0) or _near(session, wanted, known, deadline)
    for likeness, each in near:
        found = session.journal.find(call.owner, each.winner.id)
        if found is not None and found.status == "ok" and found.content_hash == content:
            return Recalled(found, round(likeness, 4))
    return None


def _before(deadline: float, items: Iterable[Item]) -> Iterator[Item]:
    """Yield items in time, the first in any case; the next call goes on with what is remembered."""
    for each in items:
        yield each
        if time.monotonic() > deadline:
            return


def _ranked(same: list[_Known], likeness: float) -> list[tuple[float, _Known]]:
    return [(likeness, each) for each in sorted(same, key=lambda known: -known.winner.score)]


def _known(session: Session, winner: Winner, day: date) -> _Known:
    def read() -> tuple[str, Asked]:
        normalised = normalise(winner.question, session.contract, day)[0]
        return normalised.casefold(), asked(normalised, session.contract)

    normalised, what = session.questions.get(("asked", winner.question, day), read)
    return _Known(winner, normalised, what)


def _near(
    session: Session, wanted: _Known, known: list[_Known], deadline: float
) -> list[tuple[float, _Known]]:
    """Return the questions near in meaning among those that ask exactly the same, nearest first."""
    candidates = [each for each in known if each.asked.agrees(wanted.asked)]
    if not candidates:
        return []
    try:
        vector = _vector(session, wanted.normalised)
        found: list[tuple[float, _Known]] = []
        for each in _before(deadline, candidates):
            likeness = float(_vector(session, each.normalised) @ vector)
            least = SAME_WORDS if each.asked.words == wanted.asked.words else SIMILAR
            if likeness >= least:
                found.append((likeness, each))
    except MoviegraphError:
        return []
    return sorted(found, key=lambda pair: -pair[0])


def _vector(session: Session, text: str) -> "Vector":
    return session.questions.get(("vector", text), lambda: session.embedder.embed([text])[0])
