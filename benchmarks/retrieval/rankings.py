"""Ranked lists of the compared searches, and their scores."""

from collections.abc import Callable, Sequence
from statistics import fmean

import numpy as np

from benchmarks.retrieval.queries import Query
from moviegraph.errors import ModelVisibleError
from moviegraph.query.rows import Rows
from moviegraph.query.session import Call, Session
from moviegraph.search import fulltext, hybrid, semantic
from moviegraph.search.hybrid import DEPTH, reciprocal_rank

DRAWS = 10_000
SEED = 7


def first(ranking: Sequence[int], relevant: set[int]) -> float:
    """Return 1 if the first film is a hit, otherwise 0."""
    return float(bool(ranking) and ranking[0] in relevant)


def interval(better: Sequence[float], worse: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of paired differences and the bounds of its bootstrap interval of 95 %."""
    differences = np.asarray(better) - np.asarray(worse)
    rng = np.random.default_rng(SEED)
    means = rng.choice(differences, size=(DRAWS, len(differences))).mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return round(fmean(differences), 3), round(float(low), 3), round(float(high), 3)


CONSTANTS = (5, 10, 20, 40, 60)
WORDS, MEANING, HYBRID, NAMES = "full text", "vectors", "hybrid", "full text by names"
TOP = 20


def fusion_name(k: int) -> str:
    """Return the name of the plain fusion with a constant."""
    return f"fusion, k = {k}"


SYSTEMS = (WORDS, MEANING, HYBRID, NAMES, *(fusion_name(k) for k in CONSTANTS))


def answers(session: Session, query: Query) -> dict[str, list[int]]:
    """Return the ranking of every system for a query.

    Hybrid search receives the reference film and the exclusions as arguments, as from a client.
    """
    call, text = Call("benchmark"), query.text
    like = [query.like] if query.like else []
    words = _ids(lambda: fulltext.search(session, call, query=text, mode="freetext", top=DEPTH))
    meaning = _ids(lambda: semantic.search(session, call, query=text, top=DEPTH))
    rankings = {
        WORDS: words,
        MEANING: meaning,
        HYBRID: _ids(
            lambda: hybrid.search(
                session, call, query=text, like=like, exclude=query.without, top=TOP
            )
        ),
        NAMES: _ids(lambda: fulltext.search(session, call, query=text, top=TOP)),
    }
    for k in CONSTANTS:
        rankings[fusion_name(k)] = [key for key, _ in reciprocal_rank([meaning, words], k)]
    return rankings


def _ids(search: Callable[[], Rows]) -> list[int]:
    """Return the ids of a search; none if it is refused."""
    try:
        rows = search()
    except ModelVisibleError:
        return []
    id_index = rows.columns.index("Id")
    return [row[id_index] for row in rows.rows]
