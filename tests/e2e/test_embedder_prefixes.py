"""Embedders that expect a prefix before queries and before stored texts, and what `check` says."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.fake_openai import FakeOpenAI, failure
from fakes.hashed_embedder import hashed_words
from fakes.sources import FILMS, source

from moviegraph.cli import main
from moviegraph.embeddings.embedder import VectorSpace, embed_documents, embed_queries
from moviegraph.embeddings.openai_embedder import Batching, OpenAIEmbedder
from moviegraph.openai_api.client import open_client
from moviegraph.openai_api.endpoint import Endpoint

QUERY, DOCUMENT = "query: ", "passage: "
SEARCH = ("call", "semantic_search", json.dumps({"query": "far   away"}))


@pytest.fixture
def fake() -> FakeOpenAI:
    return FakeOpenAI(api_key=None, widths={"e5": 64})


@pytest.fixture
def endpoint(fake: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with fake.loopback() as address:
        monkeypatch.setenv("MOVIEGRAPH_EMBEDDER", "openai:e5")
        monkeypatch.setenv("MOVIEGRAPH_EMBEDDER_BASE_URL", f"{address}/v1")
        monkeypatch.setenv("MOVIEGRAPH_EMBEDDER_DIMENSIONS", "64")
        monkeypatch.setenv("MOVIEGRAPH_EMBEDDER_QUERY_PREFIX", QUERY)
        monkeypatch.setenv("MOVIEGRAPH_EMBEDDER_DOCUMENT_PREFIX", DOCUMENT)
        yield address


@pytest.fixture
def graph(tmp_path: Path, endpoint: str) -> str:
    folder = tmp_path / "graph"
    assert main(["load", str(source(tmp_path / "in", FILMS)), "--into", str(folder)]) == 0
    return str(folder)


def inputs(fake: FakeOpenAI) -> list[str]:
    return [text for request in fake.requests for text in request.body["input"]]


def test_queries_and_stored_texts_have_their_prefixes(
    fake: FakeOpenAI, graph: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert inputs(fake)
    assert all(text.startswith(DOCUMENT) for text in inputs(fake))
    fake.requests.clear()
    assert main([*SEARCH, "--graph", graph]) == 0
    assert inputs(fake) == [f"{QUERY}far away"]


@pytest.mark.parametrize("name", ["QUERY", "DOCUMENT"])
def test_vectors_of_other_prefixes_are_refused(
    graph: str,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(f"MOVIEGRAPH_EMBEDDER_{name}_PREFIX", "search: ")
    assert main([*SEARCH, "--graph", graph]) == 1
    assert "Semantic search is temporarily unavailable" in capsys.readouterr().out
    assert main(["check", "--graph", graph]) == 1
    prefix = {"QUERY": QUERY, "DOCUMENT": DOCUMENT}[name]
    said = f"not comparable ({name.lower()}_prefix: stored '{prefix}', query 'search: ')"
    assert said in capsys.readouterr().out


def test_the_built_in_model_takes_no_prefix(
    endpoint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOVIEGRAPH_EMBEDDER", "local")
    assert main(["check"]) == 1
    assert "Unset MOVIEGRAPH_EMBEDDER_QUERY_PREFIX" in capsys.readouterr().out


def hosted(fake: FakeOpenAI, **options: Any) -> OpenAIEmbedder:
    space = VectorSpace("openai", "e5", 64, "", QUERY, DOCUMENT)
    address = Endpoint("openai", "e5", "http://models.example/v1", "key")
    client = open_client(address, timeout=120, retries=0, transport=fake.transport())
    return OpenAIEmbedder(client, space, **options)


def test_each_chunk_of_a_long_text_has_the_prefix(fake: FakeOpenAI) -> None:
    embed_documents(hosted(fake, limits=Batching(characters=20)), ["star wars " * 8, "dune"])
    assert len(inputs(fake)) > 2
    assert all(text.startswith(DOCUMENT) for text in inputs(fake))
    fake.requests.clear()
    fake.most_input_tokens = 12
    embed_queries(hosted(fake), ["one two three four five six seven eight nine ten " * 2])
    accepted = fake.requests[-1].body["input"]
    assert len(accepted) > 1
    assert all(text.startswith(QUERY) for text in accepted)


def test_a_server_of_small_batches_gets_small_batches(fake: FakeOpenAI) -> None:
    fake.most_inputs = 4
    vectors = embed_documents(hosted(fake), [f"film {number}" for number in range(16)])
    assert vectors.shape == (16, 64)
    sizes = [len(request.body["input"]) for request in fake.requests]
    assert sizes.count(4) == 4


def similarity(capsys: pytest.CaptureFixture[str], *more: str) -> str:
    main(["check", *more])
    lines = capsys.readouterr().out.splitlines()
    return next(line for line in lines if line.startswith("similarity"))


def test_check_warns_of_an_embedder_that_tells_no_meanings_apart(
    fake: FakeOpenAI, graph: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "OK" in similarity(capsys, "--graph", graph)
    fake.vector = lambda text, width: hashed_words("the same", width)
    said = similarity(capsys, "--graph", graph)
    assert "WARN" in said
    assert "of one meaning 1.00, of different meanings 1.00" in said


def test_check_reports_an_embedder_that_does_not_answer(
    fake: FakeOpenAI, graph: str, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.faults = [failure(401)] * 9
    assert "FAIL" in similarity(capsys, "--graph", graph)


def test_check_warns_of_the_built_in_model_over_texts_of_another_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contract = tmp_path / "contract"
    contract.mkdir()
    text = """
        name = "filme"
        title = "Filme"
        version = "1"
        language = "de"
        description = "Filme."
        [nodes.Film]
        description = "Ein Film."
        [nodes.Film.columns]
        Id = { type = "INT", nullable = false, description = "Key." }
        Name = { type = "NVARCHAR(200)", nullable = false, searchable = true, description = "T" }
    """
    (contract / "contract.toml").write_text(text, encoding="utf-8")
    said = similarity(capsys, "--contract", str(contract))
    assert "WARN" in said
    assert 'reads English, and the texts are in "de"' in said
