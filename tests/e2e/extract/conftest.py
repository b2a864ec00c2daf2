"""`load --extract` over the real client and a scripted model on loopback."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.extracting_chat import ExtractingChat
from fakes.fake_openai import FakeOpenAI
from fakes.sources import source
from fakes.story_source import EXTRACTED, KEY, Run

from moviegraph.cli import main

MAIN = Path(__file__).parents[2] / "server" / "main.py"


@pytest.fixture
def chat() -> ExtractingChat:
    return ExtractingChat(EXTRACTED)


@pytest.fixture
def fake(chat: ExtractingChat) -> FakeOpenAI:
    return FakeOpenAI(api_key=KEY, chat=chat)


@pytest.fixture
def endpoint(fake: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The model behind loopback, in the variables of the command; it tries once more, at once."""
    with fake.loopback() as address:
        monkeypatch.setenv("MOVIEGRAPH_LLM", "openai:reader")
        monkeypatch.setenv("MOVIEGRAPH_LLM_BASE_URL", f"{address}/v1")
        monkeypatch.setenv("MOVIEGRAPH_LLM_API_KEY", KEY)
        monkeypatch.setenv("MOVIEGRAPH_LLM_CONCURRENCY", "2")
        monkeypatch.setattr("moviegraph.llm.openai_model.MANY_RETRIES", 1)
        yield address


@pytest.fixture
def run(tmp_path: Path, endpoint: str) -> Run:
    """Load rows, or the files of a path, with extraction; return the status."""

    def load(rows: list[Any] | Path, *more: str) -> int:
        place = rows if isinstance(rows, Path) else source(tmp_path / "in", rows)
        command = ["load", str(place), "--into", str(tmp_path / "graph"), "--no-embeddings"]
        return main([*command, "--extract", *more])

    return load
