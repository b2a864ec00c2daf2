"""`moviegraph ask` as a command: the real server, a scripted model on loopback."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from fakes.fake_openai import FakeOpenAI, Hang
from fakes.scripted_chat import ScriptedChat, choice, composition, plan, understanding

from moviegraph.contract.loader import load_contract
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.loading.folder_loader import ensure_builtin_graph

pytestmark = pytest.mark.slow("process")

KEY = "test-key"
QUESTION = "Something like Blade Runner, about memory"
FILMS = "SELECT TOP 3 m.Id, m.Name FROM Movie AS m ORDER BY m.Id"
NO_FILMS = "SELECT m.Id, m.Name FROM Movie AS m WHERE m.Name = 'No such film'"


@pytest.fixture(scope="module")
def builtin_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("box") / "graph"
    return ensure_builtin_graph(folder, load_contract(), LocalEmbedder())


@pytest.fixture
def fake() -> FakeOpenAI:
    return FakeOpenAI(
        api_key=KEY,
        chat=ScriptedChat(
            {
                "Understanding": [understanding("memory")],
                "Plan": [plan(films=FILMS)],
                "Choice": [choice("answer")],
                "Composition": [composition("Watch [Movie 1].", ("Movie", 1), ("Movie", 9_999))],
            }
        ),
    )


@pytest.fixture
def environment(fake: FakeOpenAI, tmp_path: Path) -> Iterator[dict[str, str]]:
    environment = {name: value for name, value in os.environ.items() if "OPENAI" not in name}
    with fake.loopback() as address:
        yield {
            **environment,
            "MOVIEGRAPH_LLM": "openai:some",
            "MOVIEGRAPH_LLM_BASE_URL": f"{address}/v1",
            "MOVIEGRAPH_LLM_API_KEY": KEY,
            "MOVIEGRAPH_LLM_TIMEOUT": "30",
            "MOVIEGRAPH_JOURNAL": str(tmp_path / "journal.sqlite"),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        }


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "moviegraph", "ask", QUESTION, *options]


def run_ask(environment: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    completed = subprocess.run(
        command(*options), capture_output=True, text=True, env=environment, check=False, timeout=900
    )
    assert "Traceback" not in completed.stderr
    assert KEY not in completed.stdout + completed.stderr
    return completed


def test_the_answer_goes_to_standard_output_and_the_steps_elsewhere(
    environment: dict[str, str], builtin_folder: Path, tmp_path: Path
) -> None:
    journal = tmp_path / "other.sqlite"
    completed = run_ask(environment, "--graph", str(builtin_folder), "--journal", str(journal))
    assert completed.returncode == 0
    assert completed.stdout.startswith("Watch ")
    assert "[Movie 1]\n    It fits.\n    found by: films" in completed.stdout
    assert "Movie 9999: in no result" in completed.stdout
    assert "films: 3 rows (1 of 1)" in completed.stderr
    assert "Model: 4 responses; " in completed.stderr
    assert journal.is_file(), "the server did not get the options of the command"


def test_as_json_it_is_one_object_and_nothing_found_is_status_3(
    environment: dict[str, str], builtin_folder: Path, fake: FakeOpenAI
) -> None:
    assert isinstance(fake.chat, ScriptedChat)
    fake.chat.answers["Plan"] = [plan(films=NO_FILMS)]
    completed = run_ask(environment, "--graph", str(builtin_folder), "--json")
    assert completed.returncode == 3
    answer = json.loads(completed.stdout)
    assert (answer["answered"], answer["records"]) == (False, [])
    assert answer["question"] == QUESTION


def test_questions_with_known_records_are_asked_and_what_is_cited_compared(
    environment: dict[str, str], builtin_folder: Path, tmp_path: Path
) -> None:
    questions = tmp_path / "questions.jsonl"
    line = {"question": QUESTION, "expect": {"Movie": [1, 2]}}
    questions.write_text(json.dumps(line), encoding="utf-8")
    options = ["--ask", "--json", "--graph", str(builtin_folder)]
    completed = subprocess.run(
        [sys.executable, "-m", "moviegraph", "eval", str(questions), *options],
        capture_output=True, text=True, env=environment, check=False, timeout=900,
    )  # fmt: skip
    assert completed.returncode == 0, completed.stderr
    asked = json.loads(completed.stdout)["tools"]["ask"]
    assert (asked["recall"], asked["mrr"]) == (0.5, 1)
    assert [node["id"] for node in asked["misses"][0]["missing"]] == [2]


def test_without_a_model_it_says_which_settings_to_make(environment: dict[str, str]) -> None:
    del environment["MOVIEGRAPH_LLM"]
    completed = run_ask(environment)
    assert (completed.returncode, completed.stdout) == (2, "")
    for part in ("MOVIEGRAPH_LLM=openai:", "_BASE_URL=http://127.0.0.1", "`moviegraph demo`"):
        assert part in completed.stderr


@pytest.mark.parametrize(
    ("options", "status", "says"),
    [
        pytest.param(("--contract", "/nowhere"), 2, "No contract folder", id="contract"),
        pytest.param(("--llm", "openai:x", "--llm-timeout", "soon"), 2, "seconds", id="setting"),
        pytest.param(("--graph", "/nowhere"), 1, "There is no graph folder", id="graph"),
        pytest.param(("--engine", "mssql"), 2, "MOVIEGRAPH_MSSQL is not set", id="engine"),
    ],
)
def test_what_cannot_start_is_a_message(
    environment: dict[str, str], options: tuple[str, ...], status: int, says: str
) -> None:
    completed = run_ask(environment, *options)
    assert (completed.returncode, completed.stdout) == (status, "")
    assert says in completed.stderr


def test_a_model_that_does_not_respond_is_status_1(
    environment: dict[str, str], builtin_folder: Path, fake: FakeOpenAI
) -> None:
    fake.faults = [Hang(), Hang(), Hang()]
    completed = run_ask(environment, "--graph", str(builtin_folder), "--llm-timeout", "0.3")
    assert (completed.returncode, completed.stdout) == (1, "")
    assert "respond in time" in completed.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are signals here")
def test_an_interrupt_ends_the_question_and_its_processes(
    environment: dict[str, str], builtin_folder: Path, fake: FakeOpenAI
) -> None:
    hang = Hang()
    fake.faults = [hang]
    asking = subprocess.Popen(
        command("--graph", str(builtin_folder)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert hang.met.wait(300)
    workers = psutil.Process(asking.pid).children(recursive=True)
    asking.send_signal(signal.SIGINT)
    _, error_output = asking.communicate(timeout=300)
    assert asking.returncode == 130, error_output
    assert "Traceback" not in error_output
    assert psutil.wait_procs(workers, timeout=300)[1] == []
