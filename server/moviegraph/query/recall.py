"""Earlier winners of the same owner for similar questions; the model decides whether they fit.

Recall compares the vectors of questions and nothing else, so what it returns may ask for something
else ("before 1990" for "after 1990"). It sees only executions over the very data served now.
"""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moviegraph.embeddings.embedder import embed_queries
from moviegraph.errors import MoviegraphError
from moviegraph.journal.execution_records import BestExecution, Execution
from moviegraph.names import fold_case
from moviegraph.query.session import Call, Session

if TYPE_CHECKING:
    from moviegraph.embeddings.embedder import Vector

SIMILAR = 0.8  # least cosine; measured on the pairs in tests/fakes/paraphrases.py
MAX_WINNERS = 500
SECONDS = 0.02  # for the vectors of earlier questions; the next call goes on from there


@dataclass(frozen=True, slots=True)
class Recalled:
    """An earlier execution, and the cosine of its question: 1.0 for the same one."""

    execution: Execution
    similarity: float


def recall(session: Session, call: Call, question: str) -> Recalled | None:
    """Return the best execution of the most similar earlier question, or None.

    A caller that does not want it says so (`Call.recall`).
    """
    if not call.recall:
        return None
    content = session.engine.describe().content_hash
    winners = session.journal.winners(call.owner, content, MAX_WINNERS)
    similar = [(1.0, winner) for winner in winners if is_same_question(winner.question, question)]
    if winners and not similar:
        similar = _near(session, question, winners)
    for similarity, winner in sorted(similar, key=lambda pair: (-pair[0], -pair[1].score)):
        execution = session.journal.find(call.owner, winner.id)
        if execution is not None and execution.status == "ok" and execution.content_hash == content:
            return Recalled(execution, round(similarity, 4))
    return None


def _near(
    session: Session, question: str, winners: list[BestExecution]
) -> list[tuple[float, BestExecution]]:
    """Return winners of similar questions, as far as time allows, at least one being compared."""
    deadline = time.monotonic() + SECONDS
    near: list[tuple[float, BestExecution]] = []
    try:
        vector = _vector(session, question)
        for winner in winners:
            cosine = float(_vector(session, winner.question) @ vector)
            if cosine >= SIMILAR:
                near.append((cosine, winner))
            if time.monotonic() > deadline:
                break
    except MoviegraphError:
        return []
    return near


def is_same_question(one: str, other: str) -> bool:
    """Whether two questions differ in case and spaces only."""
    return fold_case(one) == fold_case(other)


def _vector(session: Session, question: str) -> "Vector":
    return session.questions.get(question, lambda: embed_queries(session.embedder, [question])[0])
