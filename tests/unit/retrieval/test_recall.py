from dataclasses import replace
from typing import Any

import pytest
from fakes.independent_pairs import OTHER, SAME
from fakes.paraphrases import DIFFERENT, NOT_DARED, RECALLED
from fakes.sessions import call, scripted_session

from moviegraph.embeddings.local import LocalEmbedder
from moviegraph.errors import EmbeddingError, NotFoundError
from moviegraph.journal.records import Execution
from moviegraph.retrieval import planning
from moviegraph.retrieval.recall import recall
from moviegraph.retrieval.session import Call, Session
from moviegraph.strategies import expand
from moviegraph.strategies import run as strategies
from moviegraph.strategies.run import Strategy

EMBEDDER = LocalEmbedder()
BOTH_WAYS = tuple((b, a) for a, b in RECALLED)


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no question be left out because a busy machine was slow to read the others."""
    monkeypatch.setattr("moviegraph.retrieval.recall.SECONDS", 600.0)


@pytest.fixture
def remembering() -> Session:
    """A session over an engine that answers nothing, with the model in the box."""
    session, _ = scripted_session(None)
    return replace(session, embedder=EMBEDDER, today="2026-03-01")


def remember(session: Session, question: str, id: str = "e1", **fields: Any) -> None:
    known: dict[str, Any] = {
        "owner": "local",
        "tool": "run_strategies",
        "created": "2026-01-01T00:00:00Z",
        "status": "ok",
        "sql": "SELECT 1",
        "quality": {"score": 0.5},
        "content_hash": session.engine.describe().content_hash,
    }
    session.journal.record(Execution(id=id, question=question, **(known | fields)))


@pytest.mark.parametrize(("earlier", "now"), RECALLED + BOTH_WAYS)
def test_the_same_question_in_other_words_is_recalled(
    remembering: Session, earlier: str, now: str
) -> None:
    remember(remembering, earlier)

    found = recall(remembering, call(), now)

    assert found is not None
    assert found.execution.id == "e1"


@pytest.mark.parametrize(("earlier", "now"), DIFFERENT)
def test_a_question_that_differs_in_a_condition_is_not(
    remembering: Session, earlier: str, now: str
) -> None:
    remember(remembering, earlier, "e1")
    assert recall(remembering, call(), now) is None

    remember(remembering, now, "e2")
    found = recall(remembering, call(), earlier)
    assert found is not None
    assert found.execution.id == "e1"


def test_no_other_question_of_an_independent_table_is_recalled(remembering: Session) -> None:
    both_ways = [*OTHER, *((b, a) for a, b in OTHER)]
    for number, (earlier, _) in enumerate(both_ways):
        remember(remembering, earlier, f"e{number}", owner=f"o{number}")

    found = [
        (earlier, now)
        for number, (earlier, now) in enumerate(both_ways)
        if recall(remembering, Call("test", f"o{number}"), now) is not None
    ]

    assert found == []


def test_most_rewordings_of_an_independent_table_are_recalled(remembering: Session) -> None:
    for number, (earlier, _) in enumerate(SAME):
        remember(remembering, earlier, f"e{number}", owner=f"o{number}")

    found = [recall(remembering, Call("test", f"o{at}"), now) for at, (_, now) in enumerate(SAME)]

    assert sum(each is not None for each in found) >= 0.9 * len(SAME)


@pytest.mark.parametrize(("earlier", "now"), NOT_DARED)
def test_where_words_and_meaning_are_far_recall_keeps_silent(
    remembering: Session, earlier: str, now: str
) -> None:
    remember(remembering, earlier)

    assert recall(remembering, call(), now) is None


@pytest.mark.parametrize(
    ("earlier", "now", "found"),
    [
        pytest.param(
            "films of the last 5 years", "movies from the last five years", True, id="words"
        ),
        pytest.param("films of last year", "films of 2025", True, id="relative and explicit"),
        pytest.param("films of last year", "films of 2024", False, id="another year"),
    ],
)
def test_dates_are_compared_as_they_were_written_out(
    remembering: Session, earlier: str, now: str, found: bool
) -> None:
    remember(remembering, earlier)

    assert (recall(remembering, call(), now) is not None) is found


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"owner": "bob"}, id="another owner"),
        pytest.param({"content_hash": "other data"}, id="other data"),
        pytest.param({"status": "empty"}, id="nothing found"),
        pytest.param({"status": "failed"}, id="failed"),
        pytest.param({"quality": None}, id="not measured"),
    ],
)
def test_only_the_owners_own_winners_over_the_same_data_are_recalled(
    remembering: Session, fields: dict[str, Any]
) -> None:
    question = "heist movies with a twist"
    remember(remembering, question, **fields)

    assert recall(remembering, call(), question) is None
    assert recall(remembering, call(), "films about a heist that have a twist") is None


def test_the_best_of_several_executions_is_recalled(remembering: Session) -> None:
    for number, score in enumerate((0.3, 0.8, 0.5)):
        remember(remembering, "time travel comedies", f"e{number}", quality={"score": score})

    found = recall(remembering, call(), "funny films with time travel")

    assert found is not None
    assert (found.execution.id, found.likeness < 1.0) == ("e1", True)


def test_a_caller_may_do_without(remembering: Session) -> None:
    remember(remembering, "time travel comedies")

    assert recall(remembering, Call("test", recall=False), "time travel comedies") is None


def test_without_an_embedder_the_same_question_is_still_recalled(remembering: Session) -> None:
    class Broken(LocalEmbedder):
        def embed(self, *_: Any, **__: Any) -> Any:
            raise EmbeddingError("no model")

    session = replace(remembering, embedder=Broken())
    remember(session, "time travel comedies")

    assert recall(session, call(), "Time  travel comedies") is not None
    assert recall(session, call(), "funny films with time travel") is None


def test_the_vectors_of_earlier_questions_are_computed_once(remembering: Session) -> None:
    embedded: list[str] = []

    class Counting(LocalEmbedder):
        def embed(self, texts: Any, progress: Any = None) -> Any:
            embedded.extend(texts)
            return EMBEDDER.embed(texts)

    session = replace(remembering, embedder=Counting())
    for number in range(30):
        remember(session, f"time travel comedies number {number}", f"e{number}")
    remember(session, "time travel comedies", "wanted")
    recall(session, call(), "funny films with time travel")
    embedded.clear()

    assert recall(session, call(), "funny films with time travel") is not None
    assert embedded == []


def plan(session: Session, owner: str) -> str:
    """Run a plan of one strategy, and return its question."""
    question = "Something about the stars and rebels"
    sql = "SELECT TOP 3 m.Id, m.Name FROM Movie AS m ORDER BY m.Id"
    one = Strategy("one", "By number", None, sql)
    strategies.run(session, Call("run_strategies", owner), question=question, strategies=[one])
    return question


def sources(session: Session, owner: str, question: str) -> list[str]:
    found = planning.context(session, Call("get_planning_context", owner), question=question)
    return [each["source"] for each in found["examples"]]


def test_the_context_offers_it_as_an_example_to_its_owner_alone(films: Session) -> None:
    question = plan(films, "ann")
    other = question.replace("Something", "Movies")

    assert "journal" in sources(films, "ann", other)
    assert "journal" not in sources(films, "bob", other)


def test_expanding_takes_the_best_of_a_similar_question(films: Session) -> None:
    plan(films, "ann")
    similar = "films about the stars and rebels"

    rows = expand.expand(films, Call("expand_strategy", "ann"), question=similar)

    assert len(rows.rows) > 3
    assert "for a similar one: 'Something about the stars" in rows.extra["chosen_because"]
    with pytest.raises(NotFoundError):
        expand.expand(films, Call("expand_strategy", "bob"), question=similar)
