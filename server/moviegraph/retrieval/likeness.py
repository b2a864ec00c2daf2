"""Which texts are nearest to a question: by meaning, or else by shared words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from moviegraph.errors import MoviegraphError
from moviegraph.retrieval.session import Session
from moviegraph.retrieval.wording import content_words

if TYPE_CHECKING:
    from moviegraph.embeddings.base import Vectors


def likeness(session: Session, question: str, texts: Sequence[str]) -> list[float]:
    """Return the likeness of each text to the question: cosine, or the share of its words."""
    if not texts:
        return []
    try:
        known = session.cache.get(("likeness", tuple(texts)), lambda: _vectors(session, texts))
        wanted = session.embedder.embed([question])[0]
    except MoviegraphError:
        return [_overlap(question, text) for text in texts]
    return [float(value) for value in known @ wanted]


def _vectors(session: Session, texts: Sequence[str]) -> "Vectors":
    return session.embedder.embed(list(texts))


def _overlap(question: str, text: str) -> float:
    asked, held = content_words(question), content_words(text)
    return len(asked & held) / len(asked | held) if asked and held else 0.0
