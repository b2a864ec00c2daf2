import json
from contextlib import closing
from types import SimpleNamespace
from typing import Any, Literal

import httpx2
import pytest
from fakes.fake_openai import FakeOpenAI, Reply, failure
from pydantic import BaseModel, Field

from moviegraph.errors import ModelAccessError, ModelError, SettingsError
from moviegraph.llm.language_model import Meter
from moviegraph.llm.openai_model import OpenAIModel, json_in, open_model
from moviegraph.openai_api.client import open_client
from moviegraph.openai_api.endpoint import Endpoint

NAME = "openai:gpt-test"
ENDPOINT = Endpoint("openai", "gpt-test", "http://models.example/v1", "test-key")


class Film(BaseModel):
    title: str
    year: int = Field(ge=1880)


class Films(BaseModel):
    films: list[Film]
    mood: Literal["dark", "light"] | None


GOOD = '{"films": [{"title": "Alien", "year": 1979}], "mood": "dark"}'
ALIEN = Films(films=[Film(title="Alien", year=1979)], mood="dark")


def model(fake: FakeOpenAI, retries: int = 2) -> OpenAIModel:
    client = open_client(ENDPOINT, timeout=5, retries=retries, transport=fake.transport())
    return OpenAIModel(ENDPOINT, client)


def raised(fake: FakeOpenAI, retries: int = 2) -> str:
    with pytest.raises(ModelError) as caught:
        model(fake, retries).answer("system", "user", Films)
    return caught.value.message


def test_an_answer_has_the_shape_that_was_asked_for() -> None:
    fake = FakeOpenAI(replies=[GOOD])
    language_model = model(fake)
    assert language_model.name == NAME
    assert language_model.answer("Be brief.", "A film?", Films) == ALIEN
    body = fake.requests[0].body
    assert [message["content"] for message in body["messages"]] == ["Be brief.", "A film?"]


def test_the_schema_is_strict() -> None:
    fake = FakeOpenAI(replies=[GOOD])
    model(fake).answer("s", "u", Films)
    schema = fake.requests[0].body["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert schema["schema"]["additionalProperties"] is False
    assert schema["schema"]["required"] == ["films", "mood"]


@pytest.mark.parametrize(
    "reply_text",
    [
        pytest.param(f"```json\n{GOOD}\n```", id="fenced"),
        pytest.param(f"```{GOOD}```", id="fenced in one line"),
        pytest.param(f"Sure, here it is:\n```JSON\n{GOOD}\n```\nEnjoy!", id="fenced in prose"),
        pytest.param(f"Here: {GOOD} I hope it helps.", id="in prose"),
        pytest.param(f"\n {GOOD}\n", id="blanks"),
    ],
)
def test_json_is_found_in_what_is_written_around_it(reply_text: str) -> None:
    fake = FakeOpenAI(replies=[reply_text])
    assert model(fake).answer("s", "u", Films) == ALIEN
    assert len(fake.requests) == 1


@pytest.mark.parametrize(
    "first",
    [
        pytest.param('{"films": [', id="bad json"),
        pytest.param('{"films": []}', id="missing field"),
        pytest.param(GOOD.replace("1979", "17"), id="out of range"),
        pytest.param("I cannot count films.", id="prose"),
        pytest.param("", id="empty"),
        pytest.param({"content": None}, id="null"),
    ],
)
def test_a_wrong_answer_gets_one_repair_turn(first: Any) -> None:
    fake = FakeOpenAI(replies=[first, GOOD])
    assert model(fake).answer("s", "u", Films) == ALIEN
    roles = [message["role"] for message in fake.requests[1].body["messages"]]
    assert roles == ["system", "user", "assistant", "user"]


def test_the_repair_turn_names_the_field() -> None:
    fake = FakeOpenAI(replies=[GOOD.replace("1979", '"old"'), GOOD])
    model(fake).answer("s", "u", Films)
    assert "films.0.year" in fake.requests[1].body["messages"][-1]["content"]


def test_two_wrong_answers_are_an_error() -> None:
    fake = FakeOpenAI(replies=['{"films": []}'] * 2)
    message = raised(fake)
    assert "twice returned the wrong format: mood: Field required" in message
    assert len(fake.requests) == 2


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        pytest.param({"refusal": "I will not."}, "declined to respond", id="refusal"),
        pytest.param({"content": GOOD[:9], "finish_reason": "length"}, "truncated", id="length"),
        pytest.param({"finish_reason": "content_filter"}, "content filter", id="filter"),
    ],
)
def test_an_answer_that_was_not_given_is_an_error(reply: dict[str, Any], says: str) -> None:
    fake = FakeOpenAI(replies=[reply])
    assert says in raised(fake)
    assert len(fake.requests) == 1


@pytest.mark.parametrize(
    ("refuses", "expected_formats"),
    [
        pytest.param(("json_schema",), ["json_schema", None], id="words alone"),
    ],
)
def test_a_server_without_schemas_gets_them_in_words(
    refuses: tuple[str, ...], expected_formats: list[str | None]
) -> None:
    fake = FakeOpenAI(replies=[GOOD, GOOD], refuses_formats=refuses)
    language_model = model(fake)
    assert language_model.answer("Be brief.", "u", Films) == ALIEN
    formats = [request.body.get("response_format", {}).get("type") for request in fake.requests]
    assert formats == expected_formats
    system = fake.requests[-1].body["messages"][0]["content"]
    assert system.startswith("Be brief.")
    assert '"mood"' in system
    language_model.answer("s", "u", Films)
    assert len(fake.requests) == len(expected_formats) + 1


def test_another_complaint_is_no_reason_to_ask_differently() -> None:
    fake = FakeOpenAI(faults=[failure(400, "context too long")])
    assert "rejected the request (400): context too long" in raised(fake)
    assert len(fake.requests) == 1


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        pytest.param(failure(401), "Check MOVIEGRAPH_LLM_API_KEY", id="401"),
        pytest.param(failure(404), "does not exist there", id="404"),
        pytest.param(failure(429), "limiting the rate", id="429"),
        pytest.param(failure(503), "failed (503)", id="503"),
        pytest.param(httpx2.ReadTimeout("slow"), "did not respond in time", id="time-out"),
        pytest.param(httpx2.ConnectError("no"), "is unreachable", id="unreachable"),
        pytest.param(Reply(200, "<html>"), "did not return a completion", id="html"),
        pytest.param(Reply(200, {"choices": []}), "did not return a completion", id="no choices"),
        pytest.param(
            Reply(200, {"choices": None}), "did not return a completion", id="null choices"
        ),
        pytest.param(Reply(200, {"choices": [{}]}), "did not return a completion", id="no message"),
    ],
)
def test_failures_are_plain_sentences(fault: Any, says: str) -> None:
    message = raised(FakeOpenAI(faults=[fault]), retries=0)
    assert says in message
    assert "models.example" not in message


def test_the_client_retries_what_may_pass() -> None:
    fake = FakeOpenAI(faults=[failure(429), failure(500), None], replies=[GOOD])
    assert model(fake).answer("s", "u", Films) == ALIEN


def test_lone_surrogates_are_sent_as_question_marks() -> None:
    fake = FakeOpenAI(replies=[GOOD])
    model(fake).answer("s", "a\ud800b", Films)
    assert fake.requests[0].body["messages"][1]["content"] == "a?b"


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        pytest.param("[1]", "[1]", id="no object"),
        pytest.param("} {", "} {", id="braces the wrong way"),
        pytest.param('{"a": "```x```"}', '{"a": "```x```"}', id="fence inside"),
    ],
)
def test_what_holds_no_object_stays_as_it_is(text: str, expected_text: str) -> None:
    assert json_in(text) == expected_text


def test_a_model_behind_a_base_url_is_opened_and_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    fake = FakeOpenAI(replies=[GOOD], api_key="none")
    with fake.loopback() as address:
        language_model = open_model("openai:gpt-test", base_url=f"{address}/v1")
        with closing(language_model):
            assert language_model.answer("s", "u", Films) == ALIEN
    assert "secret" not in json.dumps(dict(fake.requests[0].headers))


def test_azure_is_asked_by_deployment() -> None:
    fake = FakeOpenAI(replies=[GOOD], api_key="k")
    with fake.loopback() as address:
        language_model = open_model(
            "azure:prod", azure_endpoint=address, api_key="k", api_version="1"
        )
        with closing(language_model):
            language_model.answer("s", "u", Films)
    assert fake.requests[0].path == "/openai/deployments/prod/chat/completions?api-version=1"


@pytest.mark.parametrize(
    ("provider", "says"),
    [
        pytest.param("local", '"openai:MODEL" or "azure:DEPLOYMENT"', id="local"),
        pytest.param("gpt", '"openai:MODEL"', id="bare model"),
        pytest.param("openai:", "Write openai:MODEL", id="no model"),
        pytest.param("openai:gpt", "MOVIEGRAPH_LLM_API_KEY", id="no key"),
    ],
)
def test_a_wrong_setting_names_what_to_set(
    provider: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SettingsError) as caught:
        open_model(provider)
    assert says in f"{caught.value.message} {caught.value.hint}"


def test_the_tokens_of_every_answer_are_counted_also_of_one_that_was_repaired() -> None:
    fake = FakeOpenAI(replies=["{}", GOOD, GOOD])
    language_model, meter = model(fake), Meter()
    language_model.answer("system", "user", Films, meter)
    repaired = meter.usage
    assert (repaired.requests, repaired.silent) == (2, 0)
    assert repaired.tokens == repaired.prompt + repaired.completion > 0
    fake.tells_usage = False
    language_model.answer("system", "user", Films, meter)
    assert (meter.usage.requests, meter.usage.silent) == (3, 1)
    assert meter.usage.tokens == repaired.tokens


def test_what_was_not_answered_counts_no_tokens() -> None:
    language_model, meter = model(FakeOpenAI(faults=[failure(401)])), Meter()
    with pytest.raises(ModelError):
        language_model.answer("system", "user", Films, meter)
    assert meter.usage.requests == 0


@pytest.mark.parametrize(
    ("seconds", "timeout"),
    [
        pytest.param(None, 5.0, id="no end"),
        pytest.param(100.0, 5.0, id="more than is set"),
        pytest.param(2.0, 2.0, id="less than is set"),
    ],
)
def test_a_request_gets_what_is_left_at_most(
    seconds: float | None, timeout: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "moviegraph.llm.language_model.time", SimpleNamespace(monotonic=lambda: 0.0)
    )
    fake, timeouts = FakeOpenAI(replies=[GOOD]), list[dict[str, float]]()

    def answer(request: httpx2.Request) -> httpx2.Response:
        timeouts.append(request.extensions["timeout"])
        return fake.transport().handle_request(request)

    client = open_client(ENDPOINT, timeout=5, retries=2, transport=httpx2.MockTransport(answer))
    OpenAIModel(ENDPOINT, client).answer("s", "u", Films, Meter(seconds))
    assert [request["read"] for request in timeouts] == [timeout]


def test_without_time_nothing_is_sent() -> None:
    fake = FakeOpenAI(replies=[GOOD])
    with pytest.raises(ModelError, match="did not respond in time"):
        model(fake).answer("s", "u", Films, Meter(0))
    assert fake.requests == []


def test_a_request_with_a_time_limit_is_not_sent_again() -> None:
    fake = FakeOpenAI(faults=[failure(429, headers={"retry-after": "1"})], replies=[GOOD])
    with pytest.raises(ModelError, match="limiting the rate of requests"):
        model(fake).answer("s", "u", Films, Meter(30))
    assert len(fake.requests) == 1


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        pytest.param(failure(401), ModelAccessError, id="key"),
        pytest.param(failure(404), ModelAccessError, id="name"),
        pytest.param(failure(429, code="insufficient_quota"), ModelAccessError, id="quota"),
        pytest.param(failure(400), ModelError, id="request"),
        pytest.param(failure(500), ModelError, id="failure"),
    ],
)
def test_permanent_errors_are_distinguished_from_transient_ones(
    fault: Reply, kind: type[ModelError]
) -> None:
    with pytest.raises(ModelError) as raised:
        model(FakeOpenAI(faults=[fault] * 3)).answer("s", "u", Films)
    assert type(raised.value) is kind
