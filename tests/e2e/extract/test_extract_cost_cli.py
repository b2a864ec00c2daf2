"""Costs, output and failures of `load --extract`: refused before anything is paid."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.extracting_chat import ExtractingChat
from fakes.fake_openai import FakeOpenAI, Hang, failure
from fakes.sessions import query_graph
from fakes.sources import FILMS, film, source
from fakes.story_source import KEY, STORIES, Run

from moviegraph.cli import main
from moviegraph.contract.loader import load_contract

MAIN = Path(__file__).parents[3] / "server" / "main.py"
EDGES = [edge.name for edge in load_contract().edges]
WORDS = "Alder Birch Cedar Dogwood Elm Fir Ginkgo Hazel Ivy Juniper".split()


def test_no_secret_is_written_anywhere(
    tmp_path: Path, run: Run, endpoint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(STORIES) == 0
    captured = capsys.readouterr()
    all_bytes = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for secret in (KEY, endpoint, endpoint.removeprefix("http://")):
        assert secret not in captured.out + captured.err
        assert secret.encode() not in all_bytes


@pytest.mark.parametrize(
    ("variables", "more", "says"),
    [
        pytest.param({"LLM_PRICE": "2/8"}, (), "no maximum cost is set", id="no maximum cost"),
        pytest.param(
            {"LLM_PRICE": "2/8"}, ("--max-cost", "0.001"), "above --max-cost", id="too dear"
        ),
        pytest.param(
            {"LLM_BASE_URL": "http://models.example/v1"}, (), "in tokens", id="no maximum of tokens"
        ),
        pytest.param(
            {"LLM_BASE_URL": "http://models.example/v1"},
            ("--max-cost", "5"),
            "above --max-cost 5 tokens. No request was sent.",
            id="tokens",
        ),
        pytest.param({"LLM": ""}, (), "needs a language model", id="no model"),
    ],
)
def test_nothing_is_asked_before_the_price_is_known_and_below_the_ceiling(
    tmp_path: Path,
    run: Run,
    fake: FakeOpenAI,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    variables: dict[str, str],
    more: tuple[str, ...],
    says: str,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"MOVIEGRAPH_{name}", value)
    assert run(STORIES, *more) == 2
    captured = capsys.readouterr()
    assert says in captured.err
    assert fake.requests == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


def test_the_ceiling_ends_the_load_and_a_second_one_goes_on(
    tmp_path: Path,
    run: Run,
    fake: FakeOpenAI,
    chat: ExtractingChat,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The endpoint tells ten times what was estimated."""
    many = [film(key, f"Film {key}", f"Story {key} of a night.") for key in range(30)]
    monkeypatch.setenv("MOVIEGRAPH_LLM_PRICE", "1/1")
    wordy = {"content": json.dumps({**{edge: [] for edge in EDGES}, "more": "word " * 20_000})}
    chat.said = {f"Film {key}": wordy for key in range(30)}
    assert run(many, "--max-cost", "0.5") == 1
    answer_count = len(chat.titles)
    assert 0 < answer_count < 30
    assert not (tmp_path / "graph").exists()
    chat.said = {}
    assert run(many, "--max-cost", "2") == 0
    assert len(chat.titles) == 30
    assert len(fake.requests) == 30 + 3  # the titles are alike: one series


@pytest.mark.slow("long")
def test_a_ceiling_reached_while_names_are_folded_gives_a_graph_and_is_reported(
    tmp_path: Path,
    run: Run,
    chat: ExtractingChat,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MOVIEGRAPH_LLM_PRICE", "1/1")
    edges = ["INCLUDES_THEME", "SET_IN", "IN_GENRE", "PART_OF_SERIES"]
    rows = [film(key, f"Film {key}", f"Story {key} of a night.") for key in range(4)]
    for key in range(4):
        names = [(f"{key * 12 + at:04d} {word}", "a night") for at, word in enumerate(WORDS)]
        chat.said = {**chat.said, f"Film {key}": dict.fromkeys(edges, names[:10])}
    assert run(rows, "--max-cost", "0.02", "--describe-all") == 3
    captured = capsys.readouterr()
    assert "The next request could exceed --max-cost" in captured.err
    assert "Run the same command again" in captured.err
    (counted,) = query_graph(tmp_path / "graph", "SELECT COUNT(*) FROM Theme AS t")
    assert counted == (40,)
    before = len(chat.asked)
    requests = 4 + 4 * 40 // 8
    assert 4 < before < requests
    assert run(rows, "--max-cost", "1", "--describe-all") == 0
    assert len(chat.asked) == requests


def test_answers_and_report_are_not_one_file(
    tmp_path: Path, run: Run, fake: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(tmp_path / "one")
    assert run(STORIES, "--answers", place, "--extracted", place) == 2
    assert "Name two files" in capsys.readouterr().err
    assert fake.requests == []


@pytest.mark.parametrize("option", ["--max-cost=1", "--extracted=x.jsonl", "--answers=x"])
def test_options_of_extraction_are_of_no_use_without_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    place = str(source(tmp_path / "in", FILMS))
    assert main(["load", place, "--into", str(tmp_path / "graph"), option]) == 2
    assert "has no effect without --extract" in capsys.readouterr().err


def test_a_report_that_would_be_read_as_a_source_is_refused(
    tmp_path: Path, run: Run, fake: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    place = source(tmp_path / "in", STORIES)
    assert run(place, "--extracted", str(place / "told.jsonl")) == 1
    assert "would become part of the source" in capsys.readouterr().err
    assert fake.requests == []


@pytest.mark.parametrize("option", ["--extracted", "--answers"])
@pytest.mark.parametrize("name", ["graph", "graph/told.jsonl", "in/../graph/more/told.jsonl"])
def test_a_file_in_the_graph_folder_is_refused_before_anything_is_paid(
    tmp_path: Path,
    run: Run,
    fake: FakeOpenAI,
    capsys: pytest.CaptureFixture[str],
    option: str,
    name: str,
) -> None:
    assert run(STORIES, option, str(tmp_path / name)) == 2
    assert f"{option} {tmp_path / name} is in the graph folder" in capsys.readouterr().err
    assert fake.requests == []
    assert not (tmp_path / "graph").exists()


@pytest.mark.parametrize("name", ["folder", "in/all.jsonl/told.jsonl"])
def test_a_report_that_cannot_be_written_is_reported_before_anything_is_paid(
    tmp_path: Path, run: Run, fake: FakeOpenAI, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (tmp_path / "folder").mkdir()
    assert run(STORIES, "--extracted", str(tmp_path / name)) == 1
    errors = capsys.readouterr().err
    assert f"{tmp_path / name} cannot be written" in errors
    assert "Name a different file with --extracted." in errors
    assert fake.requests == []


def test_a_report_stays_where_the_load_that_would_replace_it_ends_early(
    tmp_path: Path, run: Run, chat: ExtractingChat, fake: FakeOpenAI
) -> None:
    assert run(STORIES[:1]) == 0
    report = tmp_path / "graph.extracted.jsonl"
    before = report.read_text()
    fake.faults = [failure(401)] * 9
    assert run(STORIES) == 1
    assert report.read_text() == before
    assert sorted(path.name for path in tmp_path.glob("*.jsonl*")) == [report.name]


def test_a_target_that_is_no_graph_is_refused_before_anything_is_paid(
    tmp_path: Path, run: Run, fake: FakeOpenAI
) -> None:
    (tmp_path / "graph").mkdir()
    (tmp_path / "graph" / "letters.txt").write_text("keep me")
    assert run(STORIES) == 1
    assert fake.requests == []


def process(tmp_path: Path, endpoint: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(MAIN), "load", str(tmp_path / "in"), "--extract"]
    return subprocess.Popen(
        [*command, "--into", str(tmp_path / "graph"), "--no-embeddings"],
        env={**os.environ, "NO_PROXY": "127.0.0.1"},
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow("process")
@pytest.mark.parametrize(
    ("sign", "status", "says"),
    [
        pytest.param(signal.SIGINT, 130, "request only the rest", id="interrupted"),
        pytest.param(getattr(signal, "SIGKILL", 9), -9, "", id="killed"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_load_that_was_stopped_asks_only_for_the_rest(
    tmp_path: Path,
    run: Run,
    endpoint: str,
    fake: FakeOpenAI,
    chat: ExtractingChat,
    sign: signal.Signals,
    status: int,
    says: str,
) -> None:
    place = source(
        tmp_path / "in", [film(key, f"Film {key}", f"Story {key} of a night.") for key in range(12)]
    )
    hangs = [Hang(), Hang()]
    fake.faults.extend([*[None] * 5, *hangs, *[Hang() for _ in range(20)]])
    stopped = process(tmp_path, endpoint)
    assert all(hang.met.wait(300) for hang in hangs)
    stopped.send_signal(sign)
    _, error_output = stopped.communicate(timeout=300)
    assert stopped.returncode == status
    assert says in error_output
    assert "Traceback" not in error_output
    assert len(chat.titles) == 5
    fake.faults.clear()
    assert run(place) == 0
    assert sorted(chat.titles) == sorted(f"Film {key}" for key in range(12))
    assert len(fake.requests) == 12 + len(hangs) + 2  # the titles are alike: one series
