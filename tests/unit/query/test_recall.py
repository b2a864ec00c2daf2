from dataclasses import replace
from typing import Any

import pytest
from fakes.independent_pairs import SAME
from fakes.paraphrases import RECALLED, Paraphrases
from fakes.sessions import call, expand, scripted_session

from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.errors import EmbeddingError, NotFoundError
from moviegraph.journal.execution_records import Execution
from moviegraph.query.recall import recall
from moviegraph.query.session import Call, Session
from moviegraph.strategies import strategy_runner as strategies
from moviegraph.strategies.strategy_runner import Strategy

EMBEDDER = LocalEmbedder()


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no question be left out because a busy machine was slow to read the others."""
    monkeypatch.setattr("moviegraph.query.recall.SECONDS", 600.0)


@pytest.fixture
def remembering() -> Session:
    """A session over an engine without results, with the built-in model."""
    session, _ = scripted_session(None)
    return replace(session, embedder=EMBEDDER, today="2026-03-01")


def remember(session: Session, question: str, id: str = "e1", **fields: Any) -> None:
    arguments: dict[str, Any] = {
        "owner": "local",
        "tool": "run_strategies",
        "created": "2026-01-01T00:00:00Z",
        "status": "ok",
        "sql": "SELECT 1",
        "quality": {"score": 0.5},
        "content_hash": session.engine.describe().content_hash,
    }
    session.journal.record(Execution(id=id, question=question, **(arguments | fields)))


@pytest.mark.parametrize("pairs", [RECALLED, SAME], ids=["known pairs", "independent pairs"])
def test_most_rewordings_of_a_question_are_recalled(
    remembering: Session, pairs: Paraphrases
) -> None:
    for number, (earlier, _) in enumerate(pairs):
        remember(remembering, earlier, f"e{number}", owner=f"o{number}")

    result = [recall(remembering, Call("test", f"o{at}"), now) for at, (_, now) in enumerate(pairs)]

    assert sum(match is not None for match in result) >= 0.8 * len(pairs)


def test_whether_an_earlier_question_fits_is_left_to_the_model(remembering: Session) -> None:
    remember(remembering, "Films set in Paris after 1990")

    result = recall(remembering, call(), "Films set in Paris before 1990")

    assert result is not None
    assert result.execution.question == "Films set in Paris after 1990"
    assert 0.8 <= result.similarity < 1.0


def test_a_question_about_something_else_is_not_recalled(remembering: Session) -> None:
    remember(remembering, "Films set in Paris after 1990")

    assert recall(remembering, call(), "Which dragon guards the treasure?") is None


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

    result = recall(remembering, call(), "funny films with time travel")

    assert result is not None
    assert (result.execution.id, result.similarity < 1.0) == ("e1", True)


def test_a_caller_may_do_without(remembering: Session) -> None:
    remember(remembering, "time travel comedies")

    assert recall(remembering, Call("test", recall=False), "time travel comedies") is None


def test_without_an_embedder_the_same_question_is_still_recalled(remembering: Session) -> None:
    class FailingEmbedder(LocalEmbedder):
        def embed(self, *_: Any, **__: Any) -> Any:
            raise EmbeddingError("no model")

    session = replace(remembering, embedder=FailingEmbedder())
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


def test_expanding_names_a_similar_question_and_never_runs_it(films: Session) -> None:
    plan(films, "ann")
    similar = "films about the stars and rebels"

    with pytest.raises(NotFoundError) as caught:
        expand(films, Call("expand_strategy", "ann"), question=similar)

    hint = caught.value.hint or ""
    (execution,) = films.journal.recent("ann", 1, "Something about the stars and rebels")
    assert "'Something about the stars and rebels'" in hint
    assert execution.id in hint
    with pytest.raises(NotFoundError) as caught:
        expand(films, Call("expand_strategy", "bob"), question=similar)
    assert "similar" not in (caught.value.hint or "")
