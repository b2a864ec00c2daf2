"""The searches that are compared, each as the ids that it lists for a text, best first."""

from collections.abc import Callable

from benchmarks.retrieval.queries import Query
from moviegraph.errors import ModelVisibleError
from moviegraph.query.session import Call, Rows, Session
from moviegraph.search import fulltext, hybrid, semantic
from moviegraph.search.fusion import DEPTH, reciprocal_rank

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
