"""Many questions: stored answers, repeated questions, and limits."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fakes.fake_openai import FakeOpenAI, Fault, Reply, Request, failure
from pydantic import BaseModel

from moviegraph.errors import ModelAccessError, ModelError, SourceError
from moviegraph.extraction.costs import CostTracker, Price
from moviegraph.extraction.question_runner import MAX_FAILURES, QuestionRunner
from moviegraph.extraction.questions import AnswerStore, Question
from moviegraph.llm.language_model import TokenUsage
from moviegraph.llm.openai_model import OpenAIModel
from moviegraph.openai_api.client import open_client
from moviegraph.openai_api.endpoint import Endpoint

STAGE = "Asking"


class Echo(BaseModel):
    said: str


class Other(BaseModel):
    said: str
    loud: bool


def echoing(body: dict[str, Any]) -> str:
    return Echo(said=body["messages"][1]["content"]).model_dump_json()


def model(fake: FakeOpenAI, name: str = "gpt-test") -> OpenAIModel:
    endpoint = Endpoint("openai", name, "http://models.example/v1", "test-key")
    client = open_client(endpoint, timeout=5, retries=0, transport=fake.transport())
    return OpenAIModel(endpoint, client)


def questions(*texts: str, **more: Any) -> list[Question[Echo]]:
    return [Question(text, "Repeat it.", text, Echo, **more) for text in texts]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnswerStore]:
    opened = AnswerStore(tmp_path / "answers.sqlite")
    yield opened
    opened.close()


def answers(asker: QuestionRunner, question_list: Sequence[Question[Echo]]) -> dict[Any, str]:
    return {
        question.key: outcome.message if isinstance(outcome, ModelError) else outcome.said
        for question, outcome in asker.ask(question_list, STAGE)
    }


def test_each_question_is_asked_once_and_never_again(store: AnswerStore) -> None:
    fake = FakeOpenAI(chat=echoing)
    first = QuestionRunner(model(fake), store)
    assert answers(first, questions("a", "b", "c")) == {"a": "a", "b": "b", "c": "c"}
    assert (first.tallies[STAGE]["answered"], first.tallies[STAGE]["stored"]) == (3, 0)
    second = QuestionRunner(model(fake), store)
    assert answers(second, questions("a", "b", "c", "d")) == {k: k for k in "abcd"}
    assert (second.tallies[STAGE]["answered"], second.tallies[STAGE]["stored"]) == (1, 3)
    assert len(fake.requests) == 4


@pytest.mark.parametrize(
    ("again", "name", "requests"),
    [
        pytest.param(Question("a", "Repeat it.", "a", Echo), "gpt-test", 1, id="the same"),
        pytest.param(Question("z", "Repeat it.", "a", Echo), "gpt-test", 1, id="another key"),
        pytest.param(
            Question("a", "Repeat it.", "a", Echo, hint="Be kind."), "gpt-test", 1, id="a hint"
        ),
        pytest.param(Question("a", "Say it.", "a", Echo), "gpt-test", 2, id="another task"),
        pytest.param(Question("a", "Repeat it.", "b", Echo), "gpt-test", 2, id="another text"),
        pytest.param(
            Question("a", "Repeat it.", "a", Echo, version="2"), "gpt-test", 2, id="a version"
        ),
        pytest.param(Question("a", "Repeat it.", "a", Echo), "gpt-more", 2, id="another model"),
    ],
)
def test_what_decides_whether_an_answer_holds(
    store: AnswerStore, again: Question[Echo], name: str, requests: int
) -> None:
    fake = FakeOpenAI(chat=echoing)
    answers(QuestionRunner(model(fake), store), questions("a"))
    answers(QuestionRunner(model(fake, name), store), [again])
    assert len(fake.requests) == requests


def test_another_form_of_the_answer_is_another_question() -> None:
    first, other = (Question("a", "s", "u", shape) for shape in (Echo, Other))
    assert first.digest("m") != other.digest("m")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"said": "hal', id="half written"),
        pytest.param('{"loud": true}', id="another shape"),
        pytest.param("", id="empty"),
    ],
)
def test_a_kept_answer_that_is_not_whole_is_asked_for_again(store: AnswerStore, text: str) -> None:
    fake, question_list = FakeOpenAI(chat=echoing), questions("a")
    asker = QuestionRunner(model(fake), store)
    store.create()
    store.write(question_list[0].digest(asker.name), text)
    assert asker.estimate(question_list, STAGE).questions == 1
    assert answers(asker, question_list) == {"a": "a"}


def test_a_failed_question_is_reported_and_asked_again_next_time(store: AnswerStore) -> None:
    fake = FakeOpenAI(chat=echoing, faults=[failure(500)])
    asker = QuestionRunner(model(fake), store, concurrency=1)
    result = answers(asker, questions("a", "b"))
    assert "failed (500)" in result["a"]
    assert result["b"] == "b"
    assert asker.tallies[STAGE]["failed"] == 1
    assert answers(QuestionRunner(model(fake), store), questions("a", "b")) == {"a": "a", "b": "b"}
    assert len(fake.requests) == 3


def test_a_run_of_failures_ends_the_asking_and_keeps_what_came(store: AnswerStore) -> None:
    faults: list[Fault] = [None, *[failure(500)] * (MAX_FAILURES - 1), None]
    fake = FakeOpenAI(chat=echoing, faults=[*faults, *[failure(500)] * 50])
    question_list = questions(*map(str, range(60)))
    with pytest.raises(ModelError, match="10 requests in a row failed") as raised:
        answers(QuestionRunner(model(fake), store, concurrency=1), question_list)
    assert "stored" in (raised.value.hint or "")
    assert len(fake.requests) == len(faults) + MAX_FAILURES
    fake.faults.clear()
    assert len(answers(QuestionRunner(model(fake), store), question_list)) == 60
    prompts = [request.body["messages"][1]["content"] for request in fake.requests]
    assert (prompts.count("0"), prompts.count("10")) == (1, 1)


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(failure(401), id="key"),
        pytest.param(failure(403), id="permission"),
        pytest.param(failure(404), id="model"),
        pytest.param(failure(429, code="insufficient_quota"), id="quota"),
    ],
)
def test_what_fails_alike_for_every_question_ends_the_asking_at_once(
    store: AnswerStore, fault: Fault
) -> None:
    fake = FakeOpenAI(chat=echoing, faults=[fault] * 99)
    with pytest.raises(ModelAccessError):
        answers(QuestionRunner(model(fake), store, concurrency=1), questions(*map(str, range(50))))
    assert len(fake.requests) == 1


@dataclass
class Meeting(FakeOpenAI):
    """Answers no request until three have come."""

    meeting: threading.Barrier = field(default_factory=lambda: threading.Barrier(3))

    def respond(self, request: Request) -> Reply:
        self.meeting.wait(120)
        return super().respond(request)


def test_several_questions_are_on_their_way_at_once(store: AnswerStore) -> None:
    asker = QuestionRunner(model(Meeting(chat=echoing)), store, concurrency=3)
    assert len(answers(asker, questions("a", "b", "c"))) == 3


def test_an_interrupt_keeps_what_came_and_begins_nothing_more(store: AnswerStore) -> None:
    fake, question_list = FakeOpenAI(chat=echoing), questions(*map(str, range(40)))
    coming = QuestionRunner(model(fake), store, concurrency=1).ask(question_list, STAGE)
    with pytest.raises(KeyboardInterrupt):
        for at, _ in enumerate(coming):
            if at == 5:
                coming.close()  # type: ignore[attr-defined]
                raise KeyboardInterrupt
    asker = QuestionRunner(model(fake), store)
    assert asker.estimate(question_list, STAGE).stored >= 6


def test_the_ceiling_is_not_passed_and_what_is_answered_is_kept(store: AnswerStore) -> None:
    price = Price(10.0, 30.0)
    question_list = questions(*map(str, range(50)), answer_tokens=20)
    question_cost = price.of(question_list[0].expected)
    fake = FakeOpenAI(chat=echoing)
    dear = CostTracker(price, question_cost * 5)
    with pytest.raises(ModelError, match="--max-cost") as raised:
        answers(QuestionRunner(model(fake), store, dear), question_list)
    assert "stored" in (raised.value.hint or "")
    assert 0 < (dear.dollars or 0) <= question_cost * 5
    request_count = len(fake.requests)
    assert 5 <= request_count < 50
    remaining_budget = CostTracker(price, question_cost * 100)
    assert len(answers(QuestionRunner(model(fake), store, remaining_budget), question_list)) == 50
    assert len(fake.requests) == 50


def test_the_estimate_is_of_what_was_not_answered(store: AnswerStore) -> None:
    fake = FakeOpenAI(chat=echoing)
    asker = QuestionRunner(model(fake), store, CostTracker(Price(1.0, 2.0)))
    answers(asker, questions("a"))
    estimate = asker.estimate(questions("a", "b", "c", answer_tokens=100), STAGE)
    assert (estimate.questions, estimate.stored, estimate.usage.completion) == (2, 1, 200)
    assert estimate.dollars == pytest.approx((estimate.usage.prompt + 2 * 200) / 1e6)
    assert "2 requests to openai:m (1 already answered)" in estimate.message("openai:m")


def test_an_estimate_is_not_below_what_is_taken(store: AnswerStore) -> None:
    fake, question_list = (
        FakeOpenAI(chat=echoing),
        questions("A crew answers a call.", answer_tokens=60),
    )
    asker = QuestionRunner(model(fake), store)
    estimate = asker.estimate(question_list, STAGE)
    answers(asker, question_list)
    assert estimate.usage.prompt >= asker.costs.usage.prompt
    assert estimate.usage.completion >= asker.costs.usage.completion


def test_tokens_that_an_endpoint_does_not_report_are_estimated(store: AnswerStore) -> None:
    question_list = questions("a", answer_tokens=70)
    asker = QuestionRunner(model(FakeOpenAI(chat=echoing, tells_usage=False)), store)
    answers(asker, question_list)
    assert asker.costs.usage == TokenUsage(1, question_list[0].expected.prompt, 70, silent=1)


def test_the_repair_turn_of_a_wrong_answer_is_counted(store: AnswerStore) -> None:
    fake = FakeOpenAI(replies=["nothing", '{"said": "a"}'])
    asker = QuestionRunner(model(fake), store)
    assert answers(asker, questions("a")) == {"a": "a"}
    assert asker.costs.usage.requests == 2


def test_an_internal_error_reaches_the_caller(store: AnswerStore) -> None:
    fake = FakeOpenAI(replies=[])
    with pytest.raises(IndexError):
        answers(QuestionRunner(model(fake), store), questions("a"))


def test_a_file_of_answers_comes_with_the_first_question(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "answers.sqlite"
    store = AnswerStore(path)
    assert answers(QuestionRunner(model(FakeOpenAI()), store), []) == {}
    assert not path.parent.exists()
    answers(QuestionRunner(model(FakeOpenAI(chat=echoing)), store), questions("a"))
    store.close()
    assert path.is_file()


def test_a_damaged_file_of_answers_is_reported_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_bytes(b"no database, whatever its name may say" * 30)
    with pytest.raises(SourceError, match="not a database") as raised:
        AnswerStore(path)
    assert "delete it if it is damaged" in (raised.value.hint or "")
    assert path.read_bytes().startswith(b"no database")


def test_another_file_that_was_named_by_mistake_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "films.jsonl"
    path.write_text('{"kind": "Movie"}\n' * 200)
    with pytest.raises(SourceError, match="not a database") as raised:
        AnswerStore(path)
    assert "delete" not in (raised.value.hint or "")
    assert [path.name for path in tmp_path.iterdir()] == ["films.jsonl"]


def test_a_place_that_cannot_be_written_is_reported_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("")
    fake = FakeOpenAI(chat=echoing)
    store = AnswerStore(tmp_path / "file" / "answers.sqlite")
    with pytest.raises(SourceError, match="cannot store responses"):
        answers(QuestionRunner(model(fake), store), questions("a"))
    assert fake.requests == []


def test_a_full_disk_ends_the_asking_with_one_message(store: AnswerStore) -> None:
    store.create()
    assert store._connection
    store._connection.execute("PRAGMA max_page_count = 3")
    fake = FakeOpenAI(chat=echoing)
    long = questions(*(f"{at} {'word ' * 3000}" for at in range(20)))
    with pytest.raises(SourceError, match="disk is full"):
        answers(QuestionRunner(model(fake), store, concurrency=1), long)
    assert len(fake.requests) < 20
