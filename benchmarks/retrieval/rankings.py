"""Ranked lists of the compared searches, and their scores."""

from collections.abc import Callable, Sequence
from statistics import fmean

import numpy as np

from benchmarks.retrieval.queries import Query
from moviegraph.errors import ModelVisibleError
from moviegraph.query.session import Call, Rows, Session
from moviegraph.search import fulltext, hybrid, semantic
from moviegraph.search.fusion import DEPTH, reciprocal_rank

RECALL_DEPTH = 10
DRAWS = 10_000
SEED = 7


def recall(listed: Sequence[int], relevant: set[int]) -> float:
    """Return the hits in the first ten by how many there could be."""
    return len(relevant.intersection(listed[:RECALL_DEPTH])) / min(RECALL_DEPTH, len(relevant))


def reciprocal(listed: Sequence[int], relevant: set[int]) -> float:
    """Return one by the place of the first hit, 0 without one."""
    places = (place for place, key in enumerate(listed, start=1) if key in relevant)
    return 1 / next(places, float("inf"))


def first(listed: Sequence[int], relevant: set[int]) -> float:
    """Return whether the first place is a hit."""
    return float(bool(listed) and listed[0] in relevant)


def interval(better: Sequence[float], worse: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of paired differences and the bounds of its bootstrap interval of 95 %."""
    differences = np.asarray(better) - np.asarray(worse)
    chance = np.random.default_rng(SEED)
    drawn = chance.choice(differences, size=(DRAWS, len(differences))).mean(axis=1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return round(fmean(differences), 3), round(float(low), 3), round(float(high), 3)


CONSTANTS = (5, 10, 20, 40, 60)
WORDS, MEANING, HYBRID, NAMES = "full text", "vectors", "hybrid", "full text by names"
LISTED = 20


def fusion_name(k: int) -> str:
    """Return how the bare fusion with a constant is called."""
    return f"fusion, k = {k}"


SYSTEMS = (WORDS, MEANING, HYBRID, NAMES, *(fusion_name(k) for k in CONSTANTS))


def answers(session: Session, query: Query) -> dict[str, list[int]]:
    """Return what every system lists for a query.

    Hybrid search gets what a client says in arguments: the film to be like, and what to exclude.
    """
    call, text = Call("benchmark"), query.text
    like = [query.like] if query.like else []
    words = _ids(lambda: fulltext.search(session, call, query=text, mode="freetext", top=DEPTH))
    meaning = _ids(lambda: semantic.search(session, call, query=text, top=DEPTH))
    result = {
        WORDS: words,
        MEANING: meaning,
        HYBRID: _ids(
            lambda: hybrid.search(
                session, call, query=text, like=like, exclude=query.without, top=LISTED
            )
        ),
        NAMES: _ids(lambda: fulltext.search(session, call, query=text, top=LISTED)),
    }
    for k in CONSTANTS:
        result[fusion_name(k)] = [each.key for each in reciprocal_rank([meaning, words], k)]
    return result


def _ids(search: Callable[[], Rows]) -> list[int]:
    """Return the ids of a search; one that is refused lists nothing."""
    try:
        rows = search()
    except ModelVisibleError:
        return []
    place = rows.columns.index("Id")
    return [row[place] for row in rows.rows]
