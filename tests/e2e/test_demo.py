import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fakes.sources import source
from mcp import Client

from moviegraph.cli import main
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.demo import WIDTH, DemoPrinter, FilmWalkthrough, read_walkthrough
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.loading.folder_loader import ensure_builtin_graph, load
from moviegraph.server import create_server
from moviegraph.settings import content_folder, read_settings
from moviegraph.tool_client import Result, ToolClient

pytestmark = [pytest.mark.slow("process"), pytest.mark.anyio]
ESCAPE = "\x1b"
ROOT = Path(__file__).parents[2]
SHOWN_CALL = re.compile(r"^```text\n(\w+) (\{[^\n]*\})\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def contract() -> Contract:
    return load_contract()


@pytest.fixture(scope="module")
def builtin_folder(contract: Contract, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ensure_builtin_graph(tmp_path_factory.mktemp("box") / "graph", contract, LocalEmbedder())


def data_without(film: int, target: Path) -> Path:
    """Copy the bundled data without one film and its edges."""
    shutil.copytree(content_folder("data"), target)
    for path in target.glob("*.jsonl"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        kept_lines = [line for line in lines if not _is_of(json.loads(line), film)]
        path.write_text("".join(kept_lines), encoding="utf-8")
    return target


def _is_of(record: dict[str, object], film: int) -> bool:
    node = record.get("kind") == "Movie" and record.get("id") == film
    return node or record.get("from") == film


async def walk(graph: Path, journal: Path) -> tuple[list[Result], dict[str, Result]]:
    settings = read_settings({"graph": str(graph), "journal": str(journal)}, {})
    results: dict[str, Result] = {}

    class RecordingClient(ToolClient):
        async def call(self, tool: str, **arguments: Any) -> Result:
            results[tool] = await ToolClient.call(self, tool, **arguments)
            return results[tool]

    printer = DemoPrinter(lambda _: None, WIDTH)
    async with Client(create_server(settings)) as client:
        films = await FilmWalkthrough(RecordingClient(client), read_walkthrough(), printer).run()
    return films, results


@pytest.fixture(scope="module")
async def walked(
    builtin_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[Result], dict[str, Result]]:
    return await walk(builtin_folder, tmp_path_factory.mktemp("journal") / "journal.sqlite")


@pytest.fixture(scope="module")
def printed(builtin_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    cache = str(tmp_path_factory.mktemp("cache"))
    command = [sys.executable, "-m", "moviegraph", "demo", "--graph", str(builtin_folder)]
    environment = {**os.environ, "XDG_STATE_HOME": cache, "XDG_CACHE_HOME": cache}
    completed = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert completed.returncode == 0, completed.stderr.decode()
    return completed.stdout.decode()


async def test_no_film_of_the_answer_is_one_that_was_seen(
    walked: tuple[list[Result], dict[str, Result]],
) -> None:
    films, _ = walked
    edges = [
        json.loads(line)
        for line in (content_folder("data") / "edges_PART_OF_SERIES.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    ]
    series = [
        json.loads(line)
        for line in (content_folder("data") / "nodes_Series.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    ]
    star_wars = next(
        series_node["id"] for series_node in series if series_node["name"] == "Star Wars"
    )
    film_ids = {edge["from"] for edge in edges if edge["to"] == star_wars}
    assert len(film_ids) >= 9
    assert len(films) == 10
    assert not film_ids & {film["Id"] for film in films}


async def test_one_strategy_fails_at_first_and_is_repaired(
    walked: tuple[list[Result], dict[str, Result]],
) -> None:
    _, steps = walked
    by_id = {step["strategy_id"]: step for step in steps["run_strategies"]["executions"]}
    assert len(by_id) >= 4
    codes = [attempt["code"] for attempt in by_id["themes"]["attempts"]]
    assert codes[0] == "wrong_arrow"
    assert by_id["themes"]["status"] == "ok"
    assert all(execution["status"] == "ok" for execution in by_id.values())


async def test_the_best_strategy_is_scaled_up(
    walked: tuple[list[Result], dict[str, Result]],
) -> None:
    _, steps = walked
    assert steps["expand_strategy"]["row_count"] > 20
    assert steps["expand_strategy"]["added"] > 0
    assert steps["expand_strategy"]["from_execution_id"] == steps["run_strategies"]["best"]


async def test_without_its_first_film_the_graph_gives_another_answer(
    walked: tuple[list[Result], dict[str, Result]], contract: Contract, tmp_path: Path
) -> None:
    first = walked[0][0]
    data = data_without(first["Id"], tmp_path / "data")
    graph = ensure_builtin_graph(tmp_path / "graph", contract, LocalEmbedder(), data=data)
    films, _ = await walk(graph, tmp_path / "journal.sqlite")
    assert films
    assert first["Name"] not in {film["Name"] for film in films}


def test_piped_output_is_plain_and_fits_80_columns(printed: str) -> None:
    assert ESCAPE not in printed
    assert max(len(line) for line in printed.splitlines()) <= 80


def test_the_walk_prints_each_step_and_the_films(
    printed: str, walked: tuple[list[Result], dict[str, Result]]
) -> None:
    headings = [line for line in printed.splitlines() if re.match(r"\d\. ", line)]
    assert len(headings) == 5
    for film in walked[0]:
        assert film["Name"] in printed


def test_the_demo_ends_with_the_next_steps(printed: str) -> None:
    _, _, steps = printed.partition("\nNext\n")
    assert "moviegraph serve" in steps
    assert "moviegraph load FILE --into GRAPH" in steps


async def test_like_and_exclude_find_none_of_the_series_that_was_seen(
    walked: tuple[list[Result], dict[str, Result]],
) -> None:
    _, steps = walked
    result = steps["semantic_search"]
    assert len(result["rows"]) == 5
    assert not any("Star Wars" in row[1] for row in result["rows"])
    assert any("Excluded by 'Series:Star Wars'" in note for note in result["notes"])


def demo(*arguments: str, state: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "XDG_STATE_HOME": str(state), "XDG_CACHE_HOME": str(state)}
    command = [sys.executable, "-m", "moviegraph", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_the_calls_of_the_demo_are_in_the_journal(builtin_folder: Path, tmp_path: Path) -> None:
    assert demo("demo", "--graph", str(builtin_folder), state=tmp_path).returncode == 0
    listing = demo("journal", state=tmp_path).stdout
    for tool in ("get_planning_context", "run_strategies", "expand_strategy", "semantic_search"):
        assert tool in listing


@pytest.mark.parametrize("vectors", [True, False], ids=["vectors", "no vectors"])
def test_the_demo_tours_a_graph_of_another_domain(tmp_path: Path, vectors: bool) -> None:
    cookbook, graph = ROOT / "examples" / "cookbook", tmp_path / "graph"
    embedder = LocalEmbedder() if vectors else None
    load(cookbook / "data", graph, load_contract(cookbook / "contract"), embedder)
    completed = demo("demo", "--graph", str(graph), state=tmp_path / "state")
    assert completed.returncode == 0, completed.stderr
    assert "Nodes that share NEEDS with " in completed.stdout
    assert re.search(
        r"Excluded by 'Ingredient:[^']+': Ingredient:\d+ '.+' removes \d+", completed.stdout
    )
    assert "Star Wars" not in completed.stdout


def test_the_guide_to_tables_shows_what_its_commands_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    guide = (ROOT / "docs" / "guides" / "getting_started.md").read_text(encoding="utf-8")
    blocks = dict(re.findall(r"^```(csv|text)\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL))
    (tmp_path / "films.csv").write_text(blocks["csv"], encoding="utf-8")
    commands = re.search(r"^```sh\n(moviegraph load .*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert commands is not None
    printed = ""
    for line in commands[1].splitlines():
        completed = demo(*shlex.split(line)[1:], state=tmp_path / "state")
        assert completed.returncode == 0, completed.stderr
        printed = completed.stdout
    assert [line for line in blocks["text"].splitlines() if line not in printed.splitlines()] == []


def test_the_demo_tours_films_without_the_series_of_its_walkthrough(tmp_path: Path) -> None:
    graph = tmp_path / "graph"
    load(source(tmp_path / "in"), graph, load_contract(), None)
    completed = demo("demo", "--graph", str(graph), state=tmp_path / "state")
    assert "Star Wars" not in completed.stdout
    assert "Planning context" in completed.stdout


def test_a_graph_that_is_not_there_is_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--graph", str(tmp_path / "nowhere")]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("moviegraph: There is no graph folder")
    assert (len(captured.err.splitlines()), captured.out) == (2, "")


def test_a_server_that_cannot_open_its_graph_is_one_message(tmp_path: Path) -> None:
    graph = tmp_path / "graph"
    load(source(tmp_path / "in"), graph, load_contract(), None)
    (graph / "graph.duckdb").write_bytes(b"no database" * 1000)
    command = [sys.executable, "-m", "moviegraph", "demo", "--graph", str(graph)]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert completed.returncode == 1
    assert "The graph could not be opened" in completed.stderr
    assert "run `moviegraph check`" in completed.stderr
    assert "Traceback" not in completed.stderr


@pytest.mark.parametrize("page", ["README.md", "docs/guides/questions.md"])
async def test_the_calls_that_a_page_shows_return_what_it_shows(
    builtin_folder: Path, tmp_path: Path, page: str
) -> None:
    calls = SHOWN_CALL.findall((ROOT / page).read_text(encoding="utf-8"))
    assert calls
    settings = read_settings(
        {"graph": str(builtin_folder), "journal": str(tmp_path / "j.sqlite")}, {}
    )
    async with Client(create_server(settings)) as client:
        for tool, arguments, expected in calls:
            result = await client.call_tool(tool, json.loads(arguments))
            returned = json.dumps(result.structured_content, ensure_ascii=False)
            cells = [
                cell for line in expected.splitlines() for cell in re.split(r"\s{2,}", line.strip())
            ]
            assert [cell for cell in cells if cell not in returned] == [], tool
