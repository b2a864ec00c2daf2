import math
from typing import Any

import httpx2
import numpy as np
import pytest
from fakes.fake_openai import FakeOpenAI, Reply, failure, token_count
from fakes.hashed_embedder import hashed_words

from moviegraph.embeddings.embedder import MAX_EMBEDDED_CHARS, VectorSpace, embed_queries
from moviegraph.embeddings.openai_embedder import (
    Batching,
    OpenAIEmbedder,
    batch_ranges,
)
from moviegraph.errors import EmbeddingError, VectorSpaceError
from moviegraph.openai_api.client import open_client
from moviegraph.openai_api.endpoint import Endpoint

SMALL = "text-embedding-3-small"
SPACE = VectorSpace("openai", SMALL, 16)
KEY = "test-key"
ADDRESS = "http://models.example/v1"


def embedder(
    fake: FakeOpenAI, *, retries: int = 2, space: VectorSpace = SPACE, **options: Any
) -> OpenAIEmbedder:
    endpoint = Endpoint("openai", space.model, ADDRESS, KEY)
    client = open_client(endpoint, timeout=120, retries=retries, transport=fake.transport())
    return OpenAIEmbedder(client, space, **options)


def raised(fake: FakeOpenAI, texts: list[str], **options: Any) -> EmbeddingError:
    with pytest.raises(EmbeddingError) as caught:
        embedder(fake, **options).embed(texts)
    return caught.value


def expected(text: str) -> Any:
    return pytest.approx(hashed_words(text, 16), abs=1e-6)


def test_texts_become_rows_of_length_one_in_their_order() -> None:
    fake = FakeOpenAI(shuffled=True)
    vectors = embedder(fake).embed(["star wars", "dune", "alien"])
    assert vectors.dtype == np.float32
    assert [vectors[row] for row in range(3)] == [
        expected(text) for text in ("star wars", "dune", "alien")
    ]


def test_no_texts_ask_nothing() -> None:
    fake = FakeOpenAI()
    assert embedder(fake).embed([]).shape == (0, 16)
    assert not fake.requests


def test_loading_sends_nothing() -> None:
    fake = FakeOpenAI()
    embedder(fake).load()
    assert not fake.requests


def test_a_query_is_asked_once() -> None:
    fake = FakeOpenAI()
    one = embedder(fake)
    progress_calls: list[tuple[int, int]] = []
    for text in ("star wars", " star  wars ", "star wars"):
        assert embed_queries(one, [text])[0] == expected("star wars")
    one.embed(["star wars"], lambda done, total: progress_calls.append((done, total)))
    assert len(fake.requests) == 1
    assert progress_calls == [(1, 1)]


def test_the_vendors_models_get_base64_and_dimensions() -> None:
    fake = FakeOpenAI()
    embedder(fake).embed(["x"])
    assert fake.requests[0].body["encoding_format"] == "base64"
    assert fake.requests[0].body["dimensions"] == 16


def test_other_models_get_no_dimensions() -> None:
    fake = FakeOpenAI(widths={"bge": 16}, refuses_dimensions=True)
    vectors = embedder(fake, space=VectorSpace("openai", "bge", 16)).embed(["x"])
    assert vectors.shape == (1, 16)
    assert len(fake.requests) == 1


@pytest.mark.parametrize(
    ("space", "expected_dimensions"),
    [
        pytest.param(VectorSpace("openai", SMALL, 256), 256, id="shortened"),
        pytest.param(VectorSpace("openai", SMALL, 1536), None, id="the model's own"),
    ],
)
def test_only_another_width_than_the_models_own_is_requested(
    space: VectorSpace, expected_dimensions: int | None
) -> None:
    fake = FakeOpenAI(widths={SMALL: 1536})
    assert embedder(fake, space=space).embed(["x"]).shape == (1, space.dimensions)
    assert fake.requests[0].body.get("dimensions") == expected_dimensions


def test_a_server_without_base64_is_asked_for_numbers() -> None:
    fake = FakeOpenAI(refuses_base64=True)
    assert embedder(fake, supports_base64=False).embed(["x"])[0] == expected("x")
    assert len(fake.requests) == 1


def test_a_width_that_is_not_the_spaces_is_refused() -> None:
    fake = FakeOpenAI(widths={"bge": 24})
    with pytest.raises(VectorSpaceError, match="24 dimensions instead of 16"):
        embedder(fake, space=VectorSpace("openai", "bge", 16)).embed(["x"])


@pytest.mark.parametrize("supports_base64", [True, False])
@pytest.mark.parametrize(
    "bad",
    [
        pytest.param([math.nan] * 16, id="nan"),
        pytest.param([math.inf, *[0.0] * 15], id="infinite"),
        pytest.param([0.0] * 16, id="zero"),
    ],
)
def test_a_vector_that_is_not_finite_or_zero_is_refused(
    bad: list[float], supports_base64: bool
) -> None:
    fake = FakeOpenAI(vector=lambda text, width: bad)
    error = raised(fake, ["x"], supports_base64=supports_base64)
    assert "zero or not finite" in error.message


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<html>hello</html>", id="html"),
        pytest.param("not json", id="text"),
        pytest.param({"hello": "world"}, id="other object"),
        pytest.param({"data": []}, id="no vectors"),
        pytest.param({"data": None}, id="null"),
        pytest.param({"data": [{"index": 0, "embedding": "%%%"}]}, id="bad base64"),
        pytest.param({"data": [{"index": 0, "embedding": ["a"]}]}, id="words"),
        pytest.param({"data": [{"index": 0, "embedding": None}]}, id="no embedding"),
        pytest.param({"data": [{"embedding": [1.0] * 16}] * 2}, id="no index"),
        pytest.param({"data": [{"index": 1, "embedding": [1.0] * 16}]}, id="other index"),
    ],
)
@pytest.mark.parametrize("supports_base64", [True, False])
def test_an_answer_that_is_no_list_of_vectors_is_refused(body: Any, supports_base64: bool) -> None:
    error = raised(FakeOpenAI(faults=[Reply(200, body)]), ["x"], supports_base64=supports_base64)
    assert error.message.startswith((f"{SMALL} returned", f"{SMALL} did not return"))


def test_too_few_vectors_are_refused() -> None:
    embedding_item = {"index": 0, "embedding": [1.0] * 16}
    error = raised(FakeOpenAI(faults=[Reply(200, {"data": [embedding_item]})]), ["x", "y"])
    assert "not return exactly one vector" in error.message


def test_the_client_retries_what_may_pass() -> None:
    fake = FakeOpenAI(faults=[failure(429), failure(500), None])
    assert embedder(fake).embed(["x"])[0] == expected("x")
    assert [request.headers["x-stainless-retry-count"] for request in fake.requests] == [
        "0",
        "1",
        "2",
    ]


@pytest.mark.parametrize(
    ("fault", "attempts", "says"),
    [
        pytest.param(failure(429), 3, "limiting the rate of requests (429)", id="429"),
        pytest.param(failure(429, code="insufficient_quota"), 3, "no quota left", id="quota"),
        pytest.param(
            failure(429, headers={"retry-after": "300"}), 1, "limiting the rate", id="long wait"
        ),
        pytest.param(failure(500), 3, "failed (500)", id="500"),
        pytest.param(failure(401, "key sk-123"), 1, "rejected the key (401)", id="401"),
        pytest.param(failure(403), 1, "(403)", id="403"),
        pytest.param(failure(404), 1, "does not exist there (404)", id="404"),
        pytest.param(failure(418, "teapot"), 1, "rejected the request (418)", id="418"),
        pytest.param(Reply(302, "", {"location": "http://x.example"}), 1, "302", id="redirect"),
    ],
)
def test_failures_are_plain_sentences(fault: Reply, attempts: int, says: str) -> None:
    fake = FakeOpenAI(faults=[fault] * attempts)
    error = raised(fake, ["x"])
    assert says in error.message
    assert len(fake.requests) == attempts


def test_a_time_out_is_reported() -> None:
    fake = FakeOpenAI(faults=[httpx2.ReadTimeout("slow")])
    assert "did not respond in time" in raised(fake, ["x"], retries=0).message


def test_an_endpoint_that_cannot_be_reached_is_reported() -> None:
    fake = FakeOpenAI(faults=[httpx2.ConnectError("refused http://models.example")])
    assert "is unreachable" in raised(fake, ["x"], retries=0).message


def test_no_error_shows_the_key_or_an_address() -> None:
    message = f"Bad key sk-abc123 ({KEY}-0123456789-abcdefgh) at {ADDRESS}/embeddings?x=1, see docs"
    error = raised(FakeOpenAI(faults=[failure(400, message)]), ["x"])
    assert "see docs" in error.message
    for secret in ("sk-abc123", KEY, "models.example"):
        assert secret not in error.message
    assert error.__suppress_context__


def test_a_long_complaint_is_cut() -> None:
    error = raised(FakeOpenAI(faults=[failure(400, "no " * 500)]), ["x"])
    assert len(error.message) < 350


@pytest.mark.parametrize("blank", ["", " \n", "\t"])
def test_an_empty_text_is_refused_by_its_place(blank: str) -> None:
    fake = FakeOpenAI()
    assert "Text 2 of 3 is empty" in raised(fake, ["a", blank, "c"]).message
    assert not fake.requests


def test_a_lone_surrogate_is_sent_as_a_question_mark() -> None:
    fake = FakeOpenAI()
    embedder(fake).embed(["star\ud800wars"])
    assert fake.requests[0].body["input"] == ["star?wars"]


def test_requests_keep_the_limits_and_progress_counts_texts() -> None:
    fake = FakeOpenAI()
    texts = [f"film {number}" for number in range(10)]
    progress_calls: list[tuple[int, int]] = []
    vectors = embedder(fake, limits=Batching(texts=4)).embed(
        texts, lambda done, total: progress_calls.append((done, total))
    )
    assert sorted(len(request.body["input"]) for request in fake.requests) == [2, 4, 4]
    assert [done for done, _ in progress_calls] == sorted(done for done, _ in progress_calls)
    assert progress_calls[-1] == (10, 10)
    assert vectors[9] == expected("film 9")


@pytest.mark.parametrize(
    ("limits", "sizes"),
    [
        pytest.param(Batching(texts=2), [2, 2, 1], id="texts"),
        pytest.param(Batching(tokens=9), [2, 2, 1], id="tokens"),
        pytest.param(Batching(tokens=1), [1, 1, 1, 1, 1], id="single texts are never cut"),
        pytest.param(Batching(), [5], id="one request"),
    ],
)
def test_batches_keep_the_limits(limits: Batching, sizes: list[int]) -> None:
    assert [len(batch) for batch in batch_ranges(["x" * 9] * 5, limits)] == sizes


def test_a_request_over_the_token_limit_is_halved() -> None:
    fake = FakeOpenAI(most_request_tokens=5)
    vectors = embedder(fake).embed(["one two three", "four five", "six", "seven eight nine"])
    assert vectors[3] == expected("seven eight nine")
    assert [len(request.body["input"]) for request in fake.requests] == [4, 2, 2]


def test_a_body_that_is_too_large_is_halved() -> None:
    fake = FakeOpenAI(faults=[failure(413)])
    assert embedder(fake).embed(["a", "b"])[1] == expected("b")
    assert len(fake.requests) == 3


def test_a_long_text_is_the_mean_of_its_chunks() -> None:
    fake = FakeOpenAI()
    one = embedder(fake, limits=Batching(characters=20))
    mixed, plain = one.embed(["star wars star wars empire empire empire", "dune"])
    assert fake.requests[0].body["input"] == ["star wars star wars", "empire empire empire", "dune"]
    mean = np.add(hashed_words("star wars", 16), hashed_words("empire", 16))
    assert mixed == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)
    assert plain == expected("dune")


@pytest.mark.parametrize(
    "others", [pytest.param([], id="query"), pytest.param(["dune"], id="load")]
)
def test_of_a_very_long_text_no_more_than_the_beginning_is_sent(others: list[str]) -> None:
    fake = FakeOpenAI()
    embedder(fake).embed([f"  {'star ' * MAX_EMBEDDED_CHARS}", *others])
    sent_texts = [text for request in fake.requests for text in request.body["input"]]
    assert MAX_EMBEDDED_CHARS - 100 <= len(" ".join(sent_texts)) <= MAX_EMBEDDED_CHARS + 10


def test_a_text_over_the_models_limit_is_cut_until_it_fits() -> None:
    fake = FakeOpenAI(most_input_tokens=20)
    vector = embedder(fake).embed(["the long story of a boy " * 10])[0]
    assert np.linalg.norm(vector) == pytest.approx(1)
    accepted = fake.requests[-1].body["input"]
    assert max(map(token_count, accepted)) <= 20


def test_a_limit_that_no_cut_meets_ends_in_an_error() -> None:
    fake = FakeOpenAI(most_input_tokens=0)
    assert "rejected the request (400)" in raised(fake, ["the long story of a boy " * 10]).message


def test_the_first_failure_drops_what_was_not_sent() -> None:
    fake = FakeOpenAI(faults=[failure(401)] * 40)
    raised(fake, [f"text {n}" for n in range(40)], limits=Batching(texts=1, in_flight=2))
    assert len(fake.requests) < 40


def test_an_embedding_stopped_by_its_progress_sends_no_more() -> None:
    fake = FakeOpenAI()

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    one = embedder(fake, limits=Batching(texts=1, in_flight=2))
    with pytest.raises(KeyboardInterrupt):
        one.embed([f"text {n}" for n in range(60)], stop)
    assert len(fake.requests) < 60


def test_azure_is_asked_by_deployment_and_known_by_model() -> None:
    fake = FakeOpenAI(widths={"my-deployment": 16})
    endpoint = Endpoint("azure", "my-deployment", "https://r.example", KEY, "2024-10-21")
    client = open_client(endpoint, timeout=120, retries=2, transport=fake.transport())
    one = OpenAIEmbedder(client, SPACE, deployment="my-deployment")
    assert one.embed(["x"])[0] == expected("x")
    assert one.space == SPACE
    request = fake.requests[0]
    assert request.path == "/openai/deployments/my-deployment/embeddings?api-version=2024-10-21"
    assert request.headers["api-key"] == KEY
